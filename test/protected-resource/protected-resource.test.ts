import {
  authorizeBearer,
  createProtectedResource,
  type FaultNotice,
  OptionsError,
  type RefusalNotice,
  type SiteOptions,
} from 'hallpass'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite, withFault } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { keepToken } from '../support/school/kept-token.js'
import { GRANT } from '../support/school/policy-samples.js'
import { ISSUER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const TOKEN = 'hpa_an-access-token'

async function storeWithToken(expiresAt = T + 3600): Promise<Store> {
  const store = createMemoryStore()
  await store.insertClient(STUDY_BUDDY)
  const { grantId, clientId, subject, scopes, resource, redirectUri } = GRANT
  const grant = { grantId, clientId, subject, scopes, resource, redirectUri }
  await keepToken(store, TOKEN, { ...grant, issuedAt: T, expiresAt }, GRANT.expiresAt)
  return store
}

/** A store whose client may request more than its token has. */
async function storeOfWriter(): Promise<Store> {
  const store = await storeWithToken()
  const client = await store.findClient(STUDY_BUDDY.clientId)
  const scopes = ['account:read', 'account:write']
  await store.replaceClient({ ...client!, scopes, revision: client!.revision + 1 })
  return store
}

async function resource(changes: Partial<SiteOptions> = {}) {
  const { site } = testSite({
    issuer: ISSUER,
    store: await storeWithToken(),
    findPerson: async (subject) => (subject === STUDENT.subject ? STUDENT : null),
    now: () => T,
    ...changes,
  })
  return createProtectedResource(site)
}

const request = (authorization?: string): Request =>
  new Request(`${ISSUER}/mine`, authorization === undefined ? {} : { headers: { authorization } })

const broken = (): never => {
  throw new Error('the log is full')
}

const METADATA = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`

async function refusal(answer: unknown): Promise<unknown[]> {
  if (!(answer instanceof Response)) throw new Error('the gate let it through')
  return [answer.status, answer.headers.get('www-authenticate'), await answer.json()]
}

describe('the gate of a protected resource', () => {
  it('grants what the token allows', async () => {
    const access = await (await resource()).gate('account:read')(request(`Bearer ${TOKEN}`))
    expect(access).toEqual({
      person: STUDENT,
      client: { ...STUDY_BUDDY, usedAt: T },
      grantId: GRANT.grantId,
      scopes: GRANT.scopes,
      tokenScopes: GRANT.scopes,
      resource: ISSUER,
      expiresAt: T + 3600,
      hasFixedScopes: false,
    })
  })

  it('decides about a header alone, and returns nothing but the access', async () => {
    const now = (): number => T
    const { site } = testSite({ issuer: ISSUER, store: await storeWithToken(), findPerson: async () => STUDENT, now }) // prettier-ignore
    const decide = (authorization: string | null) =>
      authorizeBearer(site, { authorization, required: ['account:read'] })
    const access: unknown = await (await resource()).gate('account:read')(
      request(`Bearer ${TOKEN}`),
    )
    expect(await decide(`Bearer ${TOKEN}`)).toEqual({ ok: true, access })
    const refused = { ok: false, error: 'invalid_token', reason: 'access_token_missing' }
    expect(await decide(null)).toEqual(refused)
  })

  it('challenges a request without a token, without an error code', async () => {
    expect(await refusal(await (await resource()).gate()(request()))).toEqual([
      401,
      `Bearer ${METADATA}`,
      { error: 'invalid_token', error_description: expect.any(String) },
    ])
  })

  it('challenges a token that nobody issued', async () => {
    const [status, challenge] = await refusal(
      await (await resource()).gate()(request('Bearer hpa_guess')),
    )
    expect(status).toBe(401)
    expect(challenge).toContain(METADATA)
    expect(challenge).toContain('error="invalid_token"')
  })

  it('names every scope that the operation needs', async () => {
    const gate = (await resource({ store: await storeOfWriter() })).gate(
      'account:read',
      'account:write',
    )
    const [status, challenge, body] = await refusal(await gate(request(`Bearer ${TOKEN}`)))
    expect(status).toBe(403)
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="account:read account:write"')
    expect(body).toMatchObject({ error: 'insufficient_scope' })
  })

  it('refuses the token of a person who is gone, at the next request', async () => {
    const gate = (await resource({ findPerson: async () => null })).gate()
    expect((await refusal(await gate(request(`Bearer ${TOKEN}`))))[0]).toBe(401)
  })

  it('answers 503 when the store fails, and lets nobody through', async () => {
    const faults: string[] = []
    const store = withFault(await storeWithToken(), { method: 'findAccessToken' })
    const gate = (
      await resource({ store, onFault: ({ endpoint }) => faults.push(endpoint) })
    ).gate()
    const answer = await gate(request(`Bearer ${TOKEN}`))
    expect(answer).toBeInstanceOf(Response)
    expect((answer as Response).status).toBe(503)
    expect((answer as Response).headers.get('retry-after')).toBe('5')
    expect(await (answer as Response).text()).not.toContain('away')
    expect(faults).toEqual(['gate'])
  })

  it('tells the exact reason to the host alone', async () => {
    const reasons: string[] = []
    const onRefusal = ({ endpoint, reason }: RefusalNotice): unknown =>
      reasons.push(`${endpoint}: ${reason}`)
    const gate = (await resource({ onRefusal })).gate()
    const answer = await gate(request('Bearer hpa_guess'))
    expect(reasons).toEqual(['gate: access_token_unknown'])
    expect(await (answer as Response).text()).not.toContain('access_token_unknown')
  })

  it.each<[string, string | undefined, Partial<SiteOptions>, string, string | null]>([
    ['no token', undefined, {}, 'access_token_missing', null],
    ['a token that nobody issued', 'Bearer hpa_guess', {}, 'access_token_unknown', null],
    [
      'an expired token',
      `Bearer ${TOKEN}`,
      { now: () => T + 3600 },
      'access_token_expired',
      'study-buddy',
    ],
    [
      'a token of nobody',
      `Bearer ${TOKEN}`,
      { findPerson: async () => null },
      'person_gone',
      'study-buddy',
    ],
    ['a token with too few scopes', `Bearer ${TOKEN}`, {}, 'scope_beyond_client', 'study-buddy'],
  ])(
    'tells the host whose token it was, if it was found: %s',
    async (_, authorization, changes, reason, clientId) => {
      const notices: RefusalNotice[] = []
      const onRefusal = (notice: RefusalNotice): unknown => notices.push(notice)
      const gate = (await resource({ ...changes, onRefusal })).gate('account:read', 'account:write')
      await gate(request(authorization))
      expect(notices).toMatchObject([{ endpoint: 'gate', reason, clientId }])
    },
  )

  it.each<[string, () => never]>([
    ['throws', broken],
    ['rejects', (async () => broken()) as never],
  ])('answers as ever where a hook of the host %s', async (_, hook) => {
    const faults: unknown[] = []
    const refusing = await resource({ onRefusal: hook, onFault: ({ fault }) => faults.push(fault) })
    const [status, challenge] = await refusal(await refusing.gate()(request('Bearer hpa_guess')))
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')])
    expect(faults.map(String)).toEqual(['Error: the log is full'])
    const store = withFault(await storeWithToken(), { method: 'findAccessToken' })
    const failing = await resource({ store, onFault: hook })
    expect((await refusal(await failing.gate()(request(`Bearer ${TOKEN}`))))[0]).toBe(503)
  })

  it('does not start with a scope that nobody defined, or a site that defineSite did not make', async () => {
    const school = await resource()
    expect(() => school.gate('course:read')).toThrow(
      'gate: "course:read" is not in the scope registry',
    )
    expect(() => school.gate('course:read', 'account:read', 'x')).toThrow(
      new TypeError('gate: "course:read", "x" is not in the scope registry'),
    )
    expect(() => createProtectedResource({ issuer: ISSUER } as never)).toThrow(
      new OptionsError('protected resource', [
        'the first argument must be a site created by defineSite, not an object',
      ]),
    )
  })

  it('lets no member client in while the site lets none in', async () => {
    const reasons: string[] = []
    const school = await resource({
      memberClients: async () => false,
      onRefusal: ({ reason }) => reasons.push(reason),
    })
    expect((await refusal(await school.gate()(request(`Bearer ${TOKEN}`))))[0]).toBe(401)
    expect(reasons).toEqual(['member_clients_off'])
  })
})

it('an answer that refuses names its request, and so does the notice', async () => {
  const refusals: RefusalNotice[] = []
  const faults: FaultNotice[] = []
  const hooks: Partial<SiteOptions> = {
    onRefusal: (notice) => refusals.push(notice),
    onFault: (notice) => faults.push(notice),
  }
  const refused = await (await resource(hooks)).gate()(request())
  const store = withFault(await storeWithToken(), { method: 'findAccessToken' })
  const failed = await (await resource({ ...hooks, store })).gate()(request(`Bearer ${TOKEN}`))
  const ids = [refused, failed].map((answer) => (answer as Response).headers.get('x-request-id'))
  expect(ids).toEqual([refusals[0]!.requestId, faults[0]!.requestId])
  expect(ids).toEqual(Array(2).fill(expect.stringMatching(/^req_[\w-]{16}$/)))
})
