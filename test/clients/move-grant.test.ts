import { createProtectedResource, OptionsError } from 'hallpass'
import { defineClient, moveGrant } from 'hallpass/clients'
import { createPostgresStore } from 'hallpass/postgres'
import { createSqliteStore } from 'hallpass/sqlite'
import { createMemoryStore, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'
import { openTestDatabase } from '../support/databases/templates.js'
import {
  generic,
  PORTFOLIO_FORM,
  post,
  reasonsOf,
  REDIRECT,
  refresh,
  refusalOf,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { createSchool, ISSUER, type School, STUDENT, T } from '../support/school/school.js'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let sqlite: TestSqlite
beforeAll(async () => {
  sqlite = await openSqlite()
  database = await openTestDatabase({ connections: 8 })
})
afterAll(async () => {
  sqlite.close()
  await database.close()
})

const clock = { now: T }
const at = (school: School, now: number): void => void (school.clock.now = clock.now = now)
beforeEach(() => void (clock.now = T))
const onSite = () => ({ site: crypto.randomUUID(), now: () => clock.now })
const STORES: readonly (readonly [string, () => Store])[] = [
  ['memory', () => createMemoryStore()],
  ['PostgreSQL', () => createPostgresStore({ execute: database.execute, ...onSite() })],
  ['SQLite', () => createSqliteStore({ batch: sqlite.batch, ...onSite() })],
]

type MovedGrant = Parameters<typeof moveGrant>[1]
// The form of better-auth: 32 letters, and no prefix.
const OLD = 'QwErTyUiOpAsDfGhJkLzXcVbNmQwErTy'
const MOVED: MovedGrant = {
  clientId: 'study-buddy',
  subject: STUDENT.subject,
  scopes: ['openid', 'account:read', 'offline_access'],
  redirectUri: REDIRECT,
  refreshToken: OLD,
  expiresAt: T + 86_400,
}
const { refreshToken: _, ...REST } = MOVED
const WEB = defineClient({
  clientId: 'timetable',
  kind: 'member',
  name: 'Timetable',
  redirectUris: ['https://timetable.example/callback'],
  scopes: ['account:read'],
  createdAt: T,
})
const grantsOf = ({ store }: School) =>
  store.listGrants({ of: 'everyone', after: null, limit: 100, now: T })
const outcomeOf = async ({ site }: School, changes: object = {}): Promise<string> => {
  const decided = await moveGrant(site, { ...MOVED, ...changes })
  return decided.ok ? decided.outcome : `${decided.error} ${decided.reason}`
}

describe.each(STORES)('a refresh token of another server, moved to %s', (_name, makeStore) => {
  it('is refreshed as one of the site, and a second use of it ends the grant [MOVE-01]', async () => {
    const school = await createSchool({ store: makeStore() })
    await school.store.insertClient(WEB)
    const { clientId: client_id, redirectUris } = WEB
    const web = { client_id }
    expect(await outcomeOf(school, { clientId: client_id, redirectUri: redirectUris[0] })).toBe('moved') // prettier-ignore
    at(school, T + 60)
    const first = await tokensOf(await refresh(school, OLD, web))
    expect(first).toMatchObject({ scope: 'openid account:read', expires_in: 3600 })
    expect(first.refresh_token.slice(0, 4)).toBe('hpr_')
    const second = await tokensOf(await refresh(school, first.refresh_token, web))
    expect((await userinfo(school, second.access_token)).status).toBe(200)

    at(school, T + 661)
    expect(await refusalOf(await refresh(school, OLD, web))).toEqual(generic('invalid_grant'))
    expect((await refresh(school, second.refresh_token, web)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_reused', 'grant_revoked'])
    expect((await userinfo(school, second.access_token)).status).toBe(401)
  })

  it('may be named by its hash, and belongs to its client [MOVE-01]', async () => {
    const school = await createSchool({ store: makeStore() })
    const token = { refreshToken: undefined, refreshTokenHash: hashToken(OLD) }
    expect(await outcomeOf(school, token)).toBe('moved')
    expect((await refresh(school, OLD, PORTFOLIO_FORM)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_of_other_client'])
    expect((await refresh(school, OLD)).status).toBe(200)
  })

  it('has one grant, however often and by however many runs it is moved [MOVE-02]', async () => {
    const school = await createSchool({ store: makeStore() })
    const runs = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(school)))
    expect(runs.sort()).toEqual(['exists', 'exists', 'exists', 'exists', 'moved'])
    expect(await grantsOf(school)).toHaveLength(1)
    expect(school.events.map(({ type }) => type)).toEqual(['oauth.grant.created'])

    expect((await refresh(school, OLD)).status).toBe(200)
    expect(await outcomeOf(school)).toBe('exists')
    expect(await grantsOf(school)).toHaveLength(1)
  })

  it('is not moved for a person who was erased, nor moved again once they are [MOVE-03]', async () => {
    const school = await createSchool({ store: makeStore() })
    const erased = { subject: STUDENT.subject, loginHints: [], erasedAt: T }
    expect(await outcomeOf(school)).toBe('moved')
    await school.store.erasePerson(erased)
    expect(await outcomeOf(school)).toBe('invalid_grant person_gone')
    expect(await grantsOf(school)).toEqual([])
  })
})

describe('ten thousand rows', () => {
  it('are moved one after another, and are there already when they are moved again [MOVE-02]', async () => {
    const school = await createSchool()
    const tokens = Array.from({ length: 10_000 }, (_row, index) => `${OLD}${index}`)
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('moved')
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('exists')
    expect((await refresh(school, tokens.at(-1)!)).status).toBe(200)
    expect(await outcomeOf(school)).toBe('moved')
  })
})

describe('a moved token', () => {
  it('is described, revoked and refused at a gate like every refresh token of the site [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { clientId: 'portfolio-hub' })
    const form = { token: OLD, ...PORTFOLIO_FORM }
    expect(await refusalOf(await post(school, '/api/oauth/introspect', form))).toEqual([
      200,
      {
        active: true,
        scope: 'openid account:read',
        client_id: 'portfolio-hub',
        sub: STUDENT.subject,
        aud: ISSUER,
        iss: ISSUER,
        iat: T,
        exp: T + 86_400,
      },
    ])
    const gate = createProtectedResource(school.site).gate('account:read')
    const headers = { authorization: `Bearer ${OLD}` }
    const refused = await gate(new Request(`${ISSUER}/api`, { headers }))
    expect(refused instanceof Response && refused.status).toBe(401)
    expect((await userinfo(school, OLD)).status).toBe(401)

    expect((await post(school, '/api/oauth/revoke', form)).status).toBe(200)
    expect((await refresh(school, OLD, PORTFOLIO_FORM)).status).toBe(400)
    expect(reasonsOf(school).at(-1)).toBe('grant_revoked')
  })

  it('ends when it did, and its grant when the script says [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { grantEndsAt: T + 200_000 })
    await outcomeOf(school, { refreshToken: `${OLD}2` })
    school.clock.now = T + 86_399
    const { refresh_token } = await tokensOf(await refresh(school, OLD))
    const { refresh_token: short } = await tokensOf(await refresh(school, `${OLD}2`))
    school.clock.now = T + 86_400
    expect((await refresh(school, short)).status).toBe(400)
    const next = await tokensOf(await refresh(school, refresh_token))
    school.clock.now = T + 200_000
    expect((await refresh(school, next.refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['grant_expired', 'grant_expired'])
  })

  it('is refused unused after its end [MOVE-01]', async () => {
    const school = await createSchool()
    await outcomeOf(school, { grantEndsAt: T + 200_000 })
    school.clock.now = T + 86_400
    expect((await refresh(school, OLD)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_expired'])
  })

  it('that was bound to a key is refused without it [MOVE-01]', async () => {
    const school = await createSchool()
    expect(await outcomeOf(school, { boundTo: hashToken('a key') })).toBe('moved')
    expect((await refresh(school, OLD)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_bound'])
  })
})

describe('what a sign-in would refuse', () => {
  const CASES: readonly (readonly [string, object])[] = [
    ['invalid_client client_unknown', { clientId: 'nobody' }],
    ['invalid_request redirect_uri_not_registered', { redirectUri: 'https://thief.example/cb' }],
    ['invalid_scope scope_unknown', { scopes: ['openid', 'tokens:all'] }],
    ['invalid_scope scope_malformed', { scopes: ['account:"read"'] }],
    ['invalid_scope scope_missing', { scopes: ['offline_access'] }],
    ['invalid_scope scope_of_other_audience', { scopes: ['courses:read'] }],
    ['invalid_scope scope_not_allowed_for_client', { scopes: ['account:write'] }],
    ['invalid_grant person_gone', { subject: 'mem_nobody' }],
    ['access_denied person_not_staff', { clientId: 'acme-agents', redirectUri: 'http://127.0.0.1/', scopes: ['courses:read'] }], // prettier-ignore
    ['invalid_grant refresh_token_expired', { expiresAt: T }],
  ]
  it.each(CASES)('is refused with %s, and stores nothing [MOVE-03]', async (refusal, changes) => {
    const school = await createSchool()
    expect(await outcomeOf(school, changes)).toBe(refusal)
    expect([await grantsOf(school), school.events]).toEqual([[], []])
    expect((await refresh(school, OLD)).status).toBe(400)
  })

  it('is a client that is disabled, or a person without a role [MOVE-03]', async () => {
    const school = await createSchool()
    const client = (await school.store.findClient('study-buddy'))!
    await school.store.replaceClient({ ...client, disabled: true, revision: client.revision + 1 })
    expect(await outcomeOf(school)).toBe('invalid_client client_disabled')
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    expect(await outcomeOf(school, { clientId: 'portfolio-hub' })).toBe('access_denied person_has_no_role') // prettier-ignore
    expect(await grantsOf(school)).toEqual([])
  })
})

describe('a value of a wrong form', () => {
  const CASES: readonly (readonly [string, object])[] = [
    ['subject must be a string such as String(row.id), not a number', { ...MOVED, subject: 7 }],
    ['subject must be a string such as String(row.id), not null', { ...MOVED, subject: null }],
    ['expiresAt must be epoch seconds such as 1795165200, not milliseconds', { ...MOVED, expiresAt: T * 1000 }], // prettier-ignore
    ['expiresAt must be epoch seconds such as 1795165200, not milliseconds', { ...MOVED, expiresAt: T + 0.5 }], // prettier-ignore
    ['expiresAt must be at most 3650 days from now: choose an end for a token without one', { ...MOVED, expiresAt: T + 3651 * 86_400 }], // prettier-ignore
    ['grantEndsAt must not be before expiresAt', { ...MOVED, grantEndsAt: T + 1 }],
    ['refreshToken must be the token itself: 22 to 8,192 printable ASCII characters', { ...MOVED, refreshToken: '123456' }], // prettier-ignore
    ['refreshToken must be the token itself: 22 to 8,192 printable ASCII characters', { ...MOVED, refreshToken: 'a'.repeat(8193) }], // prettier-ignore
    ['refreshTokenHash must be hashToken(token), which is 43 base64url characters', { ...REST, refreshTokenHash: 'ab'.repeat(32) }], // prettier-ignore
    ['pass either refreshToken or refreshTokenHash', REST],
    [
      'pass either refreshToken or refreshTokenHash',
      { ...MOVED, refreshTokenHash: hashToken(OLD) },
    ],
    ['refreshtoken is not an option: did you mean refreshToken?', { ...REST, refreshtoken: OLD }],
  ]
  it.each(CASES)('is told: %s [MOVE-03]', async (mistake, moved) => {
    const school = await createSchool()
    const call = moveGrant(school.site, moved as MovedGrant)
    await expect(call).rejects.toThrow(new OptionsError('moveGrant', [mistake]))
    await expect(call).rejects.not.toThrow(OLD)
    expect(await grantsOf(school)).toEqual([])
  })

  it('is a token that is stored for another person [MOVE-03]', async () => {
    const school = await createSchool()
    await outcomeOf(school)
    await expect(outcomeOf(school, { subject: 'mem_noor' })).rejects.toThrow(
      'moveGrant: the refresh token is stored for another client or person: pass the column with the token itself or its hash',
    )
  })
})
