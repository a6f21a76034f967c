import {
  COUNT,
  listOf,
  orAbsent,
  orNull,
  record,
  SECONDS,
  SWITCH,
  TEXT,
  TEXTS,
  type Wanted,
} from '../options/wanted.js'
import type { Client } from '../policy/client.js'
import type { AccessToken, Grant, RefreshToken } from '../policy/grant.js'
import type { FieldsOf, GivenTo } from './given.js'
import type { StoredEvent } from './records.js'
import * as read from './returned.js'
import type { RotateRefreshToken, Store, StoreMethod } from './store.js'

// The results of a method are read by fewer conditions, since a store may lack what is only shown.

const END = orNull(SECONDS)
const SHOWN = orAbsent(orNull(TEXT))

const CLIENT: FieldsOf<Client> = {
  ...read.CLIENT,
  description: SHOWN,
  icon: SHOWN,
  about: orAbsent(
    orNull(
      record({
        clientUri: SHOWN,
        policyUri: SHOWN,
        tosUri: SHOWN,
        logoUri: SHOWN,
        contacts: orAbsent(TEXTS),
      }),
    ),
  ),
  secrets: listOf(record({ hash: TEXT, expiresAt: END })),
  keys: orAbsent(orNull(record({ jwksUri: orNull(TEXT), signingAlg: orNull(TEXT) }))),
  dpopBoundAccessTokens: orAbsent(SWITCH),
  requirePushedRequests: orAbsent(SWITCH),
  disabledBy: orAbsent(TEXT),
}
const GRANT: FieldsOf<Grant> = { ...read.GRANT, boundTo: read.BOUND }
const ACCESS_TOKEN: FieldsOf<AccessToken> = {
  ...read.TOKEN,
  scopes: TEXTS,
  revokedAt: END,
  boundTo: read.BOUND,
}
const ROTATION: FieldsOf<RotateRefreshToken['rotation']> = {
  rotatedAt: SECONDS,
  salt: orNull(TEXT),
  scopes: TEXTS,
  scopesOmitted: orAbsent(SWITCH),
  successorHash: TEXT,
  accessTokenExpiresAt: SECONDS,
}
const REFRESH_TOKEN: FieldsOf<RefreshToken> = {
  ...read.TOKEN,
  rotation: orNull(record(ROTATION)),
}
const MARK = record({
  trustedAt: SECONDS,
  leap: orNull(record({ from: SECONDS, to: SECONDS, steadySeconds: COUNT })),
})
const EVENT: FieldsOf<Pick<StoredEvent, 'id' | 'type' | 'at'>> = {
  id: TEXT,
  type: TEXT,
  at: SECONDS,
}
/** An erasure looks for a person in these members. */
const PERSONS = { subject: SHOWN, actor: SHOWN }
const EVENTS = orAbsent(listOf(record({ ...EVENT, ...PERSONS })))

const ENDED = { revokedAt: SECONDS, revokedReason: TEXT }
const PAGE = { limit: COUNT, now: SECONDS }

const isNamed = (value: object, name: string): boolean =>
  !(name in value) || TEXT.fits((value as Readonly<Record<string, unknown>>)[name])

/** An identifier that is there and is not a text does not mean all. */
const HOLDER: Wanted = record(
  { clientId: orAbsent(TEXT), subject: orAbsent(TEXT) },
  {
    words: "{ clientId }, { subject }, both, or 'everyone'",
    fits: (value) =>
      value === 'everyone' ||
      (typeof value === 'object' &&
        value !== null &&
        ('clientId' in value || 'subject' in value) &&
        isNamed(value, 'clientId') &&
        isNamed(value, 'subject')),
  },
)

/** The arguments of each method of a store. */
export const STORE_ARGUMENTS: GivenTo<Pick<Store, StoreMethod>> = {
  findClient: [TEXT],
  insertClient: [CLIENT, EVENTS],
  replaceClient: [CLIENT, EVENTS],
  listClients: [
    {
      kinds: TEXTS,
      search: orNull(TEXT),
      after: orNull(record({ createdAt: SECONDS, clientId: TEXT })),
      ...PAGE,
    },
  ],
  savePending: [read.PENDING],
  findPending: [TEXT],
  endPending: [TEXT, EVENTS, orAbsent(record(read.PENDING))],
  hasConsent: [TEXT],
  issueCode: [
    { code: record(read.CODE), pendingIdHash: orNull(TEXT), consentKey: orNull(TEXT) },
    EVENTS,
  ],
  findCode: [TEXT],
  redeemCode: [
    {
      codeHash: TEXT,
      redeemedAt: SECONDS,
      grant: record(GRANT),
      accessToken: record(ACCESS_TOKEN),
      refreshToken: record(REFRESH_TOKEN),
    },
    EVENTS,
  ],
  findRefreshToken: [TEXT],
  rotateRefreshToken: [
    {
      tokenHash: TEXT,
      rotation: record(ROTATION),
      successor: record(REFRESH_TOKEN),
      accessToken: record(ACCESS_TOKEN),
      forgetSaltsUntil: SECONDS,
    },
    EVENTS,
  ],
  findAccessToken: [TEXT],
  revokeAccessToken: [{ tokenHash: TEXT, revokedAt: SECONDS }, EVENTS],
  revokeGrant: [{ grantId: TEXT, ...ENDED }, EVENTS],
  findGrant: [TEXT],
  widenGrant: [{ grantId: TEXT, scopes: TEXTS }, EVENTS],
  revokeGrants: [{ clientId: TEXT, subject: TEXT, ...ENDED }, EVENTS],
  revokeGrantsOfClient: [{ clientId: TEXT, ...ENDED }, EVENTS],
  revokeAllGrants: [{ issuedBefore: SECONDS, limit: COUNT, ...ENDED }, EVENTS],
  listGrants: [
    { of: HOLDER, after: orNull(record({ createdAt: SECONDS, grantId: TEXT })), ...PAGE },
  ],
  erasePerson: [{ subject: TEXT, loginHints: TEXTS, erasedAt: SECONDS }, EVENTS],
  listEvents: [{ limit: COUNT }],
  deleteEvents: [TEXTS],
  listKeys: [],
  insertKey: [read.KEY],
  moveKey: [{ key: record(read.KEY), from: TEXT, sealed: orAbsent(orNull(TEXT)) }, EVENTS],
  findClock: [],
  moveClock: [{ from: orNull(MARK), to: MARK }, EVENTS],
  useOnce: [{ key: TEXT, until: SECONDS, claim: orAbsent(TEXT) }],
  giveBack: [{ key: TEXT, claim: TEXT }],
  purge: [PAGE],
}
