import {
  COUNT,
  type Fields,
  LIST,
  oneOf,
  orNull,
  record,
  SECONDS,
  SWITCH,
  TEXT,
  TEXTS,
  type TextWanted,
  type Wanted,
} from '../options/wanted.js'
import type { Client } from '../policy/client.js'
import type { AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { FieldsOf } from './given.js'
import { type Read, readAs, UnusableValue } from './guard.js'
import type { KeyRecord, PendingAuthorization } from './records.js'
import type { Store, StoreMethod } from './store.js'

const END = orNull(SECONDS)
/** Null in rows of a version that did not store it. */
const SENT = orNull(SWITCH)
/** Absent in a record without one. Of a grant or a token it is not read: another value is not a key, and opens nothing. */
export const BOUND: TextWanted = {
  words: 'a string, null or absent',
  fits: (value) => value === undefined || value === null || (TEXT.fits(value) && value !== ''),
  isText: true,
}

export const CLIENT: FieldsOf<
  Omit<
    Client,
    | 'description'
    | 'icon'
    | 'about'
    | 'keys'
    | 'dpopBoundAccessTokens'
    | 'requirePushedRequests'
    | 'disabledBy'
  >
> = {
  clientId: TEXT,
  kind: TEXT,
  name: TEXT,
  redirectUris: TEXTS,
  tokenEndpointAuthMethod: TEXT,
  secrets: LIST,
  scopes: orNull(TEXTS),
  disabled: SWITCH,
  endsAt: END,
  revision: COUNT,
  createdAt: SECONDS,
  usedAt: END,
  deletedAt: END,
  document: orNull(record({ firstSeenAt: SECONDS, fetchedAt: SECONDS, freshUntil: SECONDS })),
}
export const GRANT: FieldsOf<Omit<Grant, 'boundTo'>> = {
  grantId: TEXT,
  clientId: TEXT,
  subject: TEXT,
  scopes: TEXTS,
  resource: TEXT,
  redirectUri: TEXT,
  createdAt: SECONDS,
  expiresAt: SECONDS,
  revokedAt: END,
  revokedReason: orNull(TEXT),
}
export const TOKEN: FieldsOf<Omit<RefreshToken, 'rotation'>> = {
  tokenHash: TEXT,
  grantId: TEXT,
  issuedAt: SECONDS,
  expiresAt: SECONDS,
}
export const PENDING: FieldsOf<PendingAuthorization> = {
  idHash: TEXT,
  browserHash: TEXT,
  clientId: TEXT,
  redirectUri: TEXT,
  scopes: TEXTS,
  resource: TEXT,
  resourceSent: SENT,
  state: orNull(TEXT),
  codeChallenge: TEXT,
  nonce: orNull(TEXT),
  prompt: TEXTS,
  maxAge: END,
  loginHint: orNull(TEXT),
  uiLocales: TEXTS,
  hintedHash: orNull(TEXT),
  createdAt: SECONDS,
  expiresAt: SECONDS,
  boundTo: BOUND,
}
export const KEY: FieldsOf<KeyRecord> = {
  kid: TEXT,
  state: TEXT,
  publicJwk: TEXT,
  sealedPrivateKey: orNull(TEXT),
  createdAt: SECONDS,
  publishedAt: END,
  activatedAt: END,
  retiringAt: END,
  retiredAt: END,
}
const OF_GRANT: Fields = { grant: record(GRANT), client: orNull(record(CLIENT)) }
export const CODE: FieldsOf<AuthorizationCode> = {
  codeHash: TEXT,
  grantId: TEXT,
  clientId: TEXT,
  subject: TEXT,
  scopes: TEXTS,
  resource: TEXT,
  resourceSent: SENT,
  redirectUri: TEXT,
  codeChallenge: TEXT,
  nonce: orNull(TEXT),
  grantEndsAt: END,
  authTime: END,
  issuedAt: SECONDS,
  expiresAt: SECONDS,
  redeemedAt: END,
  boundTo: BOUND,
}
const MARK = record({ trustedAt: SECONDS })

/** Reads a value as it is wanted. */
export const value =
  (wanted: Wanted): Read =>
  (returned, name) =>
    readAs(returned, wanted, `${name} returned`)

const counts = (...names: readonly string[]): Read =>
  value(record(Object.fromEntries(names.map((name) => [name, COUNT]))))

/** Reads a list of objects with these fields. */
const listOf = (fields: Fields): Read => {
  const read = value(record(fields))
  return (returned, name) => {
    for (const one of readAs(returned as readonly unknown[], LIST, `${name} returned`))
      read(one, `${name}: an entry`, null)
    return returned
  }
}

type Result<Verb extends StoreMethod> = NonNullable<Awaited<ReturnType<Store[Verb]>>>

/**
 * Reads a record that was asked for by its key; `undefined`, as for a row that was not found, is `null`. A record
 * of another key, as a database that ignores case finds it, is refused.
 *
 * @param agrees - whether a record is the one of this key, and its parts belong together
 */
const found = <Verb extends StoreMethod>(
  fields: Fields,
  agrees: (found: Result<Verb>, key: unknown) => boolean,
): Read => {
  const read = value(orNull(record(fields)))
  return (returned, name, key) => {
    if (returned === null || returned === undefined) return null
    read(returned, name, key)
    if (!agrees(returned as Result<Verb>, key))
      throw new UnusableValue(
        `${name} returned another record than the one it was asked for: compare texts exactly`,
      )
    return returned
  }
}

/** Whether the client that came with a record is its client. */
const isOwn = (
  { clientId }: { readonly clientId: string },
  client: { readonly clientId: string } | null,
): boolean => client === null || client.clientId === clientId

/** How what each method of a store returns is read. */
export const STORE_RESULTS: Readonly<Record<StoreMethod, Read>> = {
  findClient: found<'findClient'>(CLIENT, ({ clientId }, key) => clientId === key),
  insertClient: value(oneOf('inserted', 'exists')),
  replaceClient: value(oneOf('replaced', 'conflict', 'missing')),
  listClients: listOf({ client: record(CLIENT), people: COUNT, lastIssuedAt: END }),
  savePending: (returned) => returned,
  findPending: found<'findPending'>(PENDING, ({ idHash }, key) => idHash === key),
  endPending: value(oneOf('ended', 'gone')),
  hasConsent: value(SWITCH),
  issueCode: value(oneOf('issued', 'gone')),
  findCode: found<'findCode'>(
    { ...CODE, client: orNull(record(CLIENT)) },
    (code, key) => code.codeHash === key && isOwn(code, code.client),
  ),
  redeemCode: value(oneOf('redeemed', 'spent', 'missing')),
  findRefreshToken: found<'findRefreshToken'>(
    {
      ...OF_GRANT,
      refreshToken: record({ ...TOKEN, rotation: orNull(record({ rotatedAt: SECONDS })) }),
      successorUsed: SWITCH,
    },
    ({ refreshToken, grant, client }, key) =>
      refreshToken.tokenHash === key &&
      refreshToken.grantId === grant.grantId &&
      isOwn(grant, client),
  ),
  rotateRefreshToken: value(oneOf('rotated', 'spent', 'revoked', 'missing')),
  findAccessToken: found<'findAccessToken'>(
    {
      ...OF_GRANT,
      accessToken: record({ ...TOKEN, scopes: TEXTS, revokedAt: END }),
    },
    ({ accessToken, grant, client }, key) =>
      accessToken.tokenHash === key &&
      accessToken.grantId === grant.grantId &&
      isOwn(grant, client),
  ),
  revokeAccessToken: value(oneOf('revoked', 'missing')),
  revokeGrant: value(oneOf('revoked', 'missing')),
  findGrant: found<'findGrant'>(
    OF_GRANT,
    ({ grant, client }, key) => grant.grantId === key && isOwn(grant, client),
  ),
  widenGrant: value(oneOf('widened', 'gone')),
  revokeGrants: value(COUNT),
  revokeGrantsOfClient: value(COUNT),
  revokeAllGrants: counts('grants', 'codes', 'consents', 'pending'),
  listGrants: listOf({ grant: record(GRANT), lastIssuedAt: SECONDS }),
  erasePerson: counts(),
  listEvents: listOf({ id: TEXT, type: TEXT, at: SECONDS }),
  deleteEvents: (returned) => returned,
  listKeys: listOf(KEY),
  insertKey: value(oneOf('inserted', 'exists')),
  moveKey: value(oneOf('moved', 'conflict')),
  findClock: value(record({ now: END, mark: orNull(MARK) })),
  moveClock: value(oneOf('moved', 'conflict')),
  useOnce: value(oneOf('first', 'again')),
  giveBack: (returned) => returned,
  purge: value(record({ rows: COUNT, dueSince: END })),
}
