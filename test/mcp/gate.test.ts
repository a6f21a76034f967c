import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { OWNER, STUDY_BUDDY, T } from '../support/school/school.js'
import { ADAPTERS, answerOf, BAD_TOKEN, METADATA, openMcp, type TestMcp } from './support.js'

/** Ways not to be let in: what stands in `Authorization`, and why it does not count. */
const BAD: readonly (readonly [string, string, (mcp: TestMcp) => string | Promise<string>])[] = [
  ['an empty header', 'authorization_malformed', () => ''],
  ['no token', 'authorization_malformed', () => 'Bearer'],
  ['another scheme', 'authorization_malformed', () => 'Basic YTpi'],
  ['two tokens', 'authorization_malformed', () => 'Bearer a, Bearer b'],
  ['a token of nobody', 'access_token_unknown', () => 'Bearer hpa_nobody'],
  [
    'an expired token',
    'access_token_expired',
    async ({ operator }) => `Bearer ${await operator.tokenOf({ expiresAt: T })}`,
  ],
  [
    'a token of another site',
    'access_token_for_other_resource',
    async ({ operator }) =>
      `Bearer ${await operator.tokenOf({ resource: 'https://kiln.example' })}`,
  ],
  [
    'a revoked token',
    'access_token_revoked',
    async ({ operator: { store, tokenOf } }) => {
      const token = await tokenOf()
      await store.revokeAccessToken({ tokenHash: hashToken(token), revokedAt: T })
      return `Bearer ${token}`
    },
  ],
  [
    'a token whose grant was revoked',
    'grant_revoked',
    async ({ operator }) => {
      const token = await operator.tokenOf()
      await operator.store.revokeGrant({
        grantId: 'grant_2',
        revokedAt: T,
        revokedReason: 'by_member',
      })
      return `Bearer ${token}`
    },
  ],
  [
    'the token of a client that is switched off',
    'client_disabled',
    async ({ operator }) =>
      `Bearer ${await operator.tokenOf({ client: { ...DESK_CLI, clientId: 'off', disabled: true } })}`,
  ],
  [
    'the token of somebody who is suspended',
    'person_gone',
    async ({ operator }) => {
      const token = await operator.tokenOf()
      operator.people.delete(OWNER.subject)
      return `Bearer ${token}`
    },
  ],
]

const METHODS = [
  'initialize', 'server/discover', 'ping', 'tools/list', 'tools/call', 'notifications/initialized',
  'no/such',
] as const // prettier-ignore
const SAFE = ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'] as const

const TOLD = { error: 'invalid_token', error_description: expect.any(String) as unknown }

describe.each(ADAPTERS)('%s', (_entry, adapter) => {
  it.each(BAD)(
    'answers %s with 401 (%s), whatever is asked [MCP-03, MCP-05]',
    async (_, reason, authorize) => {
      const school = await openMcp({ adapter })
      const headers = { authorization: await authorize(school) }
      for (const method of METHODS) {
        const params = { name: 'get_school_info', arguments: {} }
        const response = await school.rpc({ method, params, headers })
        expect(response.headers.get('www-authenticate'), method).toBe(BAD_TOKEN)
        expect(await answerOf(response), method).toEqual({ status: 401, body: TOLD })
      }
      for (const verb of SAFE) {
        const response = await school.send(null, { verb, headers })
        expect(response.headers.get('www-authenticate'), verb).toBe(BAD_TOKEN)
        expect(response.status, verb).toBe(401)
      }
      expect(new Set(school.reasons)).toEqual(new Set([reason]))
      expect(school.events).toHaveLength(METHODS.length + SAFE.length)
      expect(school.events[0]).toEqual({
        type: 'mcp.denied',
        at: T,
        tool: null,
        clientId: null,
        subject: null,
        requestId: expect.stringMatching(/^req_[\w-]{16}$/) as unknown,
        argumentsDigest: null,
        outcome: reason,
      })
    },
  )

  it('answers a token of an unknown client with 401', async () => {
    const { rpc, memberToken, operator, reasons } = await openMcp({ adapter })
    const token = await memberToken('account:read')
    const deleted = { ...STUDY_BUDDY, revision: STUDY_BUDDY.revision + 1, deletedAt: T }
    expect(await operator.store.replaceClient(deleted)).toBe('replaced')
    const response = await rpc({ method: 'tools/list', token })
    expect([response.status, reasons]).toEqual([401, ['client_gone']])
  })

  it('answers a revoked token with 401 from the next request on', async () => {
    const { rpc, operatorToken, operator, reasons } = await openMcp({ adapter })
    const token = await operatorToken('courses:read')
    expect((await rpc({ method: 'tools/list', token })).status).toBe(200)
    await operator.store.revokeGrant({
      grantId: 'grant_2',
      revokedAt: T,
      revokedReason: 'by_member',
    })
    expect((await rpc({ method: 'tools/list', token })).status).toBe(401)
    expect(reasons).toEqual(['grant_revoked'])
  })

  it('takes the scheme in any case, and no token from the query', async () => {
    const { rpc, operatorToken } = await openMcp({ adapter })
    const token = await operatorToken('courses:read')
    const list = async (options: object) =>
      (await (await rpc({ method: 'tools/list', ...options })).text()).includes('"get_course"')
    expect(await list({ headers: { authorization: `bEARER ${token}` } })).toBe(true)
    expect(await list({ target: `/mcp?access_token=${token}` })).toBe(false)
    expect(await list({ headers: { cookie: `session=${token}` } })).toBe(false)
  })

  it('is 503 and never anonymous where the storage of the tokens is down', async () => {
    const { rpc, memberToken, faults, events } = await openMcp(
      { adapter },
      { findAccessToken: () => Promise.reject(new Error('down at 10.0.0.7')) },
    )
    const token = await memberToken('account:read')
    const params = { name: 'get_school_info', arguments: {} }
    const response = await rpc({ method: 'tools/call', params, token })
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await answerOf(response)).toEqual({
      status: 503,
      body: {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32603,
          message: 'the service is temporarily unavailable: try again shortly',
        },
      },
    })
    expect(faults).toEqual([
      { fault: expect.any(Error) as unknown, requestId: response.headers.get('x-request-id') },
    ])
    expect(events).toEqual([])
  })

  it('is 503 where nobody can say who a person is', async () => {
    const findPerson = () => Promise.reject(new Error('down'))
    const { rpc, memberToken } = await openMcp({ adapter, findPerson })
    const token = await memberToken('account:read')
    expect((await rpc({ method: 'tools/list', token })).status).toBe(503)
    expect((await rpc({ method: 'tools/list' })).status).toBe(200)
  })

  it('sends whoever calls a protected tool without a token to sign in for its scopes [MCP-02]', async () => {
    const { rpc, events, reasons } = await openMcp({ adapter })
    const params = { name: 'get_course', arguments: { id: 'crs_1' } }
    const response = await rpc({ method: 'tools/call', params })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer scope="courses:read", resource_metadata="${METADATA}"`,
    )
    expect(await answerOf(response)).toEqual({ status: 401, body: TOLD })
    expect(reasons).toEqual(['access_token_missing'])
    expect(events).toMatchObject([
      { type: 'mcp.denied', tool: 'get_course', subject: null, outcome: 'access_token_missing' },
    ])
  })

  it('asks a token that lacks scopes for those it holds and those it needs [MCP-04]', async () => {
    const { rpc, operatorToken, events, reasons } = await openMcp({ adapter })
    const token = await operatorToken('openid', 'events:read')
    const params = { name: 'get_course', arguments: { id: 'crs_1' } }
    const response = await rpc({ method: 'tools/call', params, token })
    const description = 'This needs the permission courses:read. Connect the app again to allow it.'
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="${description}", scope="openid events:read courses:read", resource_metadata="${METADATA}"`,
    )
    expect(await answerOf(response)).toEqual({
      status: 403,
      body: { error: 'insufficient_scope', error_description: description },
    })
    expect(reasons).toEqual(['scope_not_granted'])
    expect(events).toMatchObject([
      { type: 'mcp.denied', tool: 'get_course', subject: OWNER.subject, clientId: 'app_desk' },
    ])
  })

  it('offers a member no scope that a member can never get', async () => {
    const { rpc, memberToken } = await openMcp({ adapter })
    const params = { name: 'get_course', arguments: { id: 'crs_1' } }
    const token = await memberToken('account:read')
    const response = await rpc({ method: 'tools/call', params, token })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="this tool is for operator clients, but this client is for members", resource_metadata="${METADATA}"`,
    )
  })

  it('begins no sign-in where only the role is missing', async () => {
    const { rpc, operator, events } = await openMcp({ adapter })
    operator.people.set(OWNER.subject, { ...OWNER, roles: ['student'] })
    const token = await operator.tokenOf({ scopes: ['courses:read'] })
    const params = { name: 'get_course', arguments: { id: 'crs_1' } }
    const response = await rpc({ method: 'tools/call', params, token })
    expect(response.headers.get('www-authenticate')).toBeNull()
    const { status, body } = await answerOf(response)
    const { content, isError } = (
      body as { result: { content: { text: string }[]; isError: true } }
    ).result
    expect([status, isError, JSON.parse(content[0]!.text)]).toEqual([
      200,
      true,
      {
        code: 'FORBIDDEN_ROLE',
        message: 'the role of this person does not allow this call',
        recovery: "Do not repeat this call: the person's role at the school does not allow it.",
        request_id: response.headers.get('x-request-id'),
      },
    ])
    expect(events).toMatchObject([{ type: 'mcp.tool_called', outcome: 'FORBIDDEN_ROLE' }])
  })

  it.each(['initialize', 'tools/list', 'ping', 'tools/call'])(
    'sends %s to sign in where a school serves nobody without a token',
    async (method) => {
      const { rpc, memberToken } = await openMcp({ adapter, anonymous: 'challenge' })
      const params = { name: 'get_school_info', arguments: {} }
      const response = await rpc({ method, params })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${METADATA}"`,
      )
      const token = await memberToken('account:read')
      expect((await rpc({ method: 'tools/list', token })).status).toBe(200)
    },
  )
})
