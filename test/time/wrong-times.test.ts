import { decideExpense } from 'hallpass/operations'
import { accessStateOf } from 'hallpass/account'
import {
  decideAccess,
  decideClientAuthentication,
  decideRedemption,
  decideRefresh,
  decideSignInAge,
  defineResource,
  REFRESH_POLICY,
} from 'hallpass/policy'
import { schoolRoles as roles, schoolScopes as registry } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { decidePlayback, isCancellable } from '../../src/account/decisions.js'
import { decideDeletion } from '../../src/operations/deletion.js'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { decideWidening } from '../../src/policy/widening.js'
import { createSiteClock } from '../../src/site/clock.js'
import {
  accessSample,
  codeSample,
  grantSample,
  keySample,
  pendingSample,
  refreshSample,
} from '../../src/store-contract/samples.js'
import { decideKeyMove } from '../../src/token/key-lifecycle.js'
import { authenticated, DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { ISSUER, OWNER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'
import { APPENDIX_B } from '../vectors/rfc7636.js'
import { NO_SECONDS, withWrongTimes } from './support.js'
import { createMemoryIdempotency } from '../../src/admin/idempotency.js'

const ENDS = ['now', 'expiresAt', 'grantEndsAt', 'rotatedAt']
const ENDS_OF_CLIENT = [...ENDS, 'endsAt']
const names = defineResource(ISSUER)
const client = authenticated(STUDY_BUDDY)
const grant = { ...GRANT, expiresAt: T + 100 }
const NOW = T + 10

/** A question that opens something, as a row of the table below. */
interface Row {
  readonly opens: (question: never) => boolean
  readonly question: object
  readonly fields?: readonly string[]
  /** Where `null` means that there is no such time. */
  readonly nullable?: readonly string[]
}
const row = <Question extends object>(
  opens: (question: Question) => boolean,
  question: Question,
  rest: Pick<Row, 'fields' | 'nullable'> = {},
): Row => ({ opens, question, ...rest })

const refresh = {
  found: { refreshToken: refreshSample({ expiresAt: T + 50 }), grant, successorUsed: false },
  client,
  scopes: null,
  resources: [],
  names,
  registry,
  policy: REFRESH_POLICY.lostResponse,
  now: NOW,
}
const rotation = {
  rotatedAt: T + 9,
  salt: 'salt',
  scopes: grant.scopes,
  successorHash: 'next',
  accessTokenExpiresAt: T + 3700,
}
const signInRow = (asked: Partial<Parameters<typeof decideSignInAge>[0]>): Row =>
  row(
    (question) => decideSignInAge(question).ok,
    { authTime: T, requestedAt: T, prompt: [], maxAge: null, scopes: [], registry, ...asked },
    { fields: ['authTime', 'requestedAt'] },
  )
const published = keySample({ state: 'published', kid: 'b', publishedAt: T })
const retiring = keySample({ state: 'retiring', kid: 'a', retiringAt: T - 1e6 })

const OPENING: Readonly<Record<string, Row>> = {
  'an access token': row(
    (question) => decideAccess(question).ok,
    {
      found: { accessToken: accessSample({ scopes: GRANT.scopes, expiresAt: T + 50 }), grant },
      client: { ...STUDY_BUDDY, endsAt: T + 60 },
      person: STUDENT,
      resource: ISSUER,
      required: ['account:read'],
      registry,
      roles,
      now: NOW,
    },
    { fields: ENDS_OF_CLIENT, nullable: ['client.endsAt'] },
  ),
  'a refresh token': row((question) => decideRefresh(question).ok, refresh),
  'a repeated refresh token': row((question) => decideRefresh(question).ok, {
    ...refresh,
    found: { ...refresh.found, refreshToken: { ...refresh.found.refreshToken, rotation } },
  }),
  'a code': row(
    (question) => decideRedemption(question).ok,
    {
      code: codeSample({
        clientId: client.clientId,
        resource: ISSUER,
        codeChallenge: APPENDIX_B.codeChallenge,
        expiresAt: T + 50,
        grantEndsAt: T + 60,
        redeemedAt: null,
      }),
      client,
      redirectUri: codeSample().redirectUri,
      codeVerifier: APPENDIX_B.codeVerifier,
      resources: [ISSUER],
      names,
      now: NOW,
    },
    { nullable: ['code.grantEndsAt'] },
  ),
  'a client secret': row(
    (question) => decideClientAuthentication(question).ok,
    {
      client: {
        ...STUDY_BUDDY,
        tokenEndpointAuthMethod: 'client_secret_post' as const,
        secrets: [{ hash: sha256Base64url('secret'), expiresAt: T + 50 }],
      },
      clientSecret: 'secret',
      authorization: null,
      now: NOW,
    },
    { nullable: ['client.secrets.0.expiresAt'] },
  ),
  'a sign-in that must be new': signInRow({ prompt: ['login'] }),
  'a sign-in of a maximum age': signInRow({ maxAge: 60 }),
  'a sensitive scope': signInRow({ scopes: ['members:write'] }),
  'more scopes for a grant': row(
    (question) => decideWidening(question).ok,
    {
      found: {
        grant: grantSample({ subject: OWNER.subject, expiresAt: T + 50 }),
        client: { ...DESK_CLI, endsAt: T + 60 },
      },
      person: OWNER,
      scopes: ['courses:write'],
      names: defineResource(grantSample().resource),
      registry,
      roles,
      now: NOW,
    },
    { fields: ENDS_OF_CLIENT, nullable: ['found.client.endsAt'] },
  ),
  'a course': row(
    ({ now, ...dates }) => accessStateOf(dates, now) === 'ACTIVE',
    { startDate: T, expireDate: T + 50, suspended: false, revokedAt: null, now: NOW },
    { fields: ['startDate', 'expireDate', 'now'], nullable: ['startDate', 'expireDate'] },
  ),
  'a playback position': row(
    (question) => decidePlayback(question).ok,
    {
      lecture: { access: 'ACTIVE', durationSeconds: 300, watchedAt: T } as never,
      positionSeconds: 20,
      occurredAt: NOW,
      now: NOW,
    },
    { fields: ['positionSeconds', 'occurredAt', 'now'] },
  ),
  'the end of a registration': row(
    ({ now, ...registration }) => isCancellable(registration as never, now),
    { state: 'REGISTERED', event: { startsAt: T }, cancellableUntil: T + 50, now: NOW },
    { fields: ['cancellableUntil', 'now'], nullable: ['cancellableUntil'] },
  ),
  'a key that signs': row(
    (question) => decideKeyMove(question).ok,
    {
      key: published,
      keys: [published, keySample({ state: 'published', kid: 'a', publishedAt: T })],
      jwksMaxAgeSeconds: 5,
      now: NOW,
    },
    { fields: ['now'] },
  ),
  'the end of a private key': row(
    (question) => decideKeyMove(question).ok,
    {
      key: retiring,
      keys: [],
      jwksMaxAgeSeconds: 5,
      now: NOW,
    },
    { fields: ['now', 'retiringAt'] },
  ),
  'the deletion of rows': row(
    (question) => (decideDeletion(question).deletesBefore ?? 0) > T - 3900,
    { mark: { trustedAt: T, leap: null }, now: NOW },
    { fields: ['now'] },
  ),
  'a budget': row(
    // `undefined` is what a store has for a spender that it does not know.
    ({ wholeAt, ...expense }) => wholeAt !== undefined && decideExpense(wholeAt, expense).ok,
    { wholeAt: T, cost: 1, allowance: { amount: 3, seconds: 60 }, now: NOW },
    { fields: ['wholeAt', 'now'], nullable: ['wholeAt'] },
  ),
}

describe.each(Object.entries(OPENING))('%s', (_name, { opens, question, fields, nullable }) => {
  it('opens with times in seconds, and with no other value in place of one of them', () => {
    expect(opens(question as never)).toBe(true)
    const wrong = withWrongTimes(question, fields ?? ENDS, nullable)
    expect(wrong.length).toBeGreaterThanOrEqual(NO_SECONDS.length)
    const opensStill = (asked: object): boolean => {
      try {
        return opens(asked as never)
      } catch {
        // Numbers and a bigint cannot be added.
        return false
      }
    }
    expect(wrong.filter(([, asked]) => opensStill(asked)).map(([what]) => what)).toEqual([])
  })
})

describe('what is stored', () => {
  it('is not deleted, and no operation runs again, at a time that is none', async () => {
    const store = createMemoryStore()
    await store.insertClient(STUDY_BUDDY)
    await store.savePending(pendingSample({ clientId: STUDY_BUDDY.clientId, expiresAt: T + 50 }))
    const idempotency = createMemoryIdempotency()
    const entry = { keyHash: 'key', requestHash: 'request', now: T, expiresAt: T + 60 }
    expect(await idempotency.begin(entry)).toEqual({ state: 'new' })
    for (const now of NO_SECONDS as readonly number[]) {
      const purged = await store.purge({ now, limit: 100 }).catch(() => null)
      expect(purged?.rows ?? 0).toBe(0)
      // A second run of an operation would be worse than a refusal.
      expect((await idempotency.begin({ ...entry, now })).state).toBe('running')
    }
    expect(await store.purge({ now: T + 400 * 86_400, limit: 100 })).toMatchObject({ rows: 1 })
  })

  it('disagrees with the process if its clock is no time', async () => {
    for (const now of NO_SECONDS as readonly number[]) {
      if (now === null) continue
      const store = { findClock: async () => ({ now, mark: null }), moveClock: async () => {} }
      const clock = createSiteClock({ store, now: () => T, onEvent: () => {} })
      await expect(clock.assertAgrees()).rejects.toThrow('the clock of this process is')
    }
  })
})
