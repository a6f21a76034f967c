import { createAdminApi, defineOperation, refuseWith } from 'hallpass/admin'
import type { Client } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { breakableStore, FAULT_TEXT } from '../support/school/stores.js'
import { ISSUER, OWNER, T } from '../support/school/school.js'
import {
  codeOf,
  courseOf,
  createTestApi,
  LECTURER,
  operationsOn,
  send,
  type TestApi,
} from './support.js'

const METADATA = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a request', () => {
  it('is answered with the object, its version and the id of the request', async () => {
    const { call } = await createTestApi()
    const answered = await call('GET /courses/crs_1')
    expect(answered.status).toBe(200)
    expect(answered.body).toEqual(courseOf(1))
    expect(answered.headers).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'WWW-Authenticate, Retry-After, ETag, Link, RateLimit, RateLimit-Policy, X-Request-Id',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      vary: 'Authorization',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_[\w-]{16}$/),
    })
  })

  it('gets problem details with the same id where it is refused', async () => {
    const { call } = await createTestApi()
    const { status, headers, body } = await call('GET /courses/crs_9')
    expect([status, headers['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ])
    expect(body).toEqual({
      type: '/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'there is no such course',
      code: 'not_found',
      request_id: headers['x-request-id'],
    })
  })

  it.each([
    ['GET /courses', 200],
    ['GET /courses/crs_1', 200],
    ['HEAD /courses/crs_1', 200],
    ['PATCH /courses/crs_1', 200],
    ['POST /courses/crs_1/publish', 200],
    ['DELETE /courses/crs_1', 204],
  ])('reaches its operation: %s', async (request, status) => {
    const { call, table } = await createTestApi()
    expect((await call(request)).status).toBe(status)
    expect(table.runs).toHaveLength(1)
  })

  it('by HEAD has the head of GET and no body', async () => {
    const { call } = await createTestApi()
    const [get, head] = [await call('GET /courses/crs_1'), await call('HEAD /courses/crs_1')]
    const id = { 'x-request-id': expect.any(String) }
    expect(head).toEqual({ ...get, headers: { ...get.headers, ...id }, body: null, text: '' })
    const refused = await call('HEAD /courses/crs_9')
    expect([refused.status, refused.text]).toEqual([404, ''])
  })

  it.each([
    ['/', 'the base path'],
    ['/course', 'a word that is no word here'],
    ['/courses/', 'an empty segment at the end'],
    ['//courses', 'an empty segment in front'],
    ['/courses//publish', 'an empty parameter'],
    ['/Courses', 'another case'],
    ['/%63ourses', 'a word that was encoded'],
    ['/courses/crs_1/unknown', 'a word behind a parameter'],
    ['/courses/crs_1/publish/more', 'more than a route has'],
    ['/courses/%E0%A4%A', 'a broken encoding'],
    ['/courses/%FF', 'no UTF-8'],
    ['/api/v2/courses', 'another base path'],
    ['/api/v1', 'the base path without a slash'],
    ['/api/v1courses', 'a base path that goes on'],
  ])('finds nothing at %s: %s', async (path) => {
    const { call, table } = await createTestApi()
    const answered = await call(`GET ${path}`)
    expect(codeOf(answered)).toBe('404 not_found')
    expect(answered.headers['www-authenticate']).toBeUndefined()
    expect(table.runs).toEqual([])
  })

  it.each(['.', '..', '%2e%2E', '%2E'])('never takes %s for a name', async (segment) => {
    const { api, tokenOf, table } = await createTestApi()
    const headers: Record<string, string> = bearer(await tokenOf())
    const answered = await api.endpoint.handle({
      method: 'GET',
      target: `/api/v1/courses/${segment}`,
      header: (name) => headers[name] ?? null,
      body: async () => new Uint8Array(),
      signal: AbortSignal.any([]),
      request: () => new Request(ISSUER),
    })
    expect([answered.status, table.runs]).toEqual([404, []])
  })

  it('has what was encoded in a parameter decoded once', async () => {
    const { call, table } = await createTestApi()
    expect(codeOf(await call('GET /courses/crs%5F1'))).toBe('200 -')
    expect(codeOf(await call('GET /courses/crs%255F1'))).toBe('400 invalid_request')
    expect(codeOf(await call('GET /courses/crs_1%2Fpublish'))).toBe('400 invalid_request')
    expect(table.runs).toEqual(['courses.get'])
  })

  it.each([
    ['POST /courses/crs_1', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['DELETE /courses', 'GET, POST, HEAD, OPTIONS'],
    ['GET /courses/crs_1/publish', 'POST, OPTIONS'],
    ['HEAD /courses/crs_1/publish', 'POST, OPTIONS'],
    ['PROPFIND /courses/crs_1', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
  ])('by a method that is not there is told which are: %s', async (request, allow) => {
    const { api } = await createTestApi()
    const { status, headers } = await send(api, request)
    expect([status, headers['allow']]).toEqual([405, allow])
  })

  it('may be asked for by a browser first, without a token', async () => {
    const { api, events } = await createTestApi()
    const { status, headers, text } = await send(api, 'OPTIONS /courses')
    expect([status, text, events]).toEqual([204, '', []])
    expect(headers).toEqual({
      'access-control-allow-headers': 'Authorization, *',
      'access-control-allow-methods': 'GET, POST, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'WWW-Authenticate, Retry-After, ETag, Link, RateLimit, RateLimit-Policy, X-Request-Id',
      'access-control-max-age': '86400',
      'x-request-id': expect.stringMatching(/^req_[\w-]{16}$/) as unknown,
    })
    expect(codeOf(await send(api, 'OPTIONS /nowhere'))).toBe('404 not_found')
  })
})

describe('the gate of an operation', () => {
  const refusal = async (
    { api }: TestApi,
    headers: Record<string, string>,
    request = 'GET /courses',
  ) => {
    const answered = await send(api, request, { headers })
    return [codeOf(answered), answered.headers['www-authenticate']]
  }
  const INVALID =
    'the access token is missing, malformed, expired, revoked or was issued for another resource'

  it('takes the scheme in any case', async () => {
    const { api, tokenOf } = await createTestApi()
    const token = await tokenOf()
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect(
        codeOf(
          await send(api, 'GET /courses', { headers: { authorization: `${scheme} ${token}` } }),
        ),
      ).toBe('200 -')
  })

  it('challenges a request without a token, and names no error', async () => {
    const api = await createTestApi()
    expect(await refusal(api, {})).toEqual(['401 invalid_token', `Bearer ${METADATA}`])
    expect(api.table.runs).toEqual([])
  })

  it.each([
    ['a tab', 'Bearer\thpa_token-1'],
    ['no token', 'Bearer '],
    ['two tokens', 'Bearer hpa_token-1 hpa_token-1'],
    ['a list', 'Bearer hpa_token-1, Bearer hpa_token-1'],
    ['another scheme', 'Basic aHBhOnRva2Vu'],
    ['a proof of possession', 'DPoP hpa_token-1'],
    ['a token that nobody issued', 'Bearer hpa_guess'],
  ])('challenges %s', async (_, authorization) => {
    const api = await createTestApi()
    const [code, challenge] = await refusal(api, { authorization })
    expect(code).toBe('401 invalid_token')
    expect(challenge).toBe(
      `Bearer error="invalid_token", error_description="${INVALID}", ${METADATA}`,
    )
  })

  it('knows no token in the query and no cookie', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf()
    expect(
      await refusal(api, { cookie: `access_token=${token}` }, `GET /courses?access_token=${token}`),
    ).toEqual(['401 invalid_token', `Bearer ${METADATA}`])
  })

  it.each<[string, (api: TestApi) => Promise<string>, string]>([
    ['expired', ({ tokenOf }) => tokenOf({ expiresAt: T }), 'access_token_expired'],
    [
      'for another origin',
      ({ tokenOf }) => tokenOf({ resource: 'https://kiln.example' }),
      'access_token_for_other_resource',
    ],
    ['of somebody who is gone', ({ tokenOf }) => tokenOf({ subject: 'mem_gone' }), 'person_gone'],
    [
      'of a disabled client',
      ({ tokenOf }) => tokenOf({ client: { ...DESK_CLI, clientId: 'off', disabled: true } }),
      'client_disabled',
    ],
  ])('refuses a token that is %s', async (_, tokenFrom, reason) => {
    const api = await createTestApi()
    const token = await tokenFrom(api)
    expect((await refusal(api, bearer(token)))[0]).toBe('401 invalid_token')
    expect([api.reasons, api.table.runs]).toEqual([[reason], []])
  })

  it('refuses a revoked grant at the next request', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf()
    expect(codeOf(await send(api.api, 'GET /courses', { headers: bearer(token) }))).toBe('200 -')
    await api.store.revokeGrant({ grantId: 'grant_2', revokedAt: T, revokedReason: 'member' })
    expect((await refusal(api, bearer(token)))[0]).toBe('401 invalid_token')
    expect(api.reasons).toEqual(['grant_revoked'])
  })

  it('names the scope that is missing, and the same words in the body', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf({ scopes: ['courses:read'] })
    const { status, headers, body } = await send(api.api, 'POST /courses', {
      headers: bearer(token),
      body: { title: 'New' },
    })
    const description =
      'This needs the permission courses:write. Connect the app again to allow it.'
    expect([status, headers['www-authenticate']]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="${description}", scope="courses:write", ${METADATA}`,
    ])
    expect(body).toEqual({
      type: '/problems/insufficient-scope',
      title: 'Insufficient scope',
      status: 403,
      detail: description,
      code: 'insufficient_scope',
      request_id: headers['x-request-id'],
      error: 'insufficient_scope',
      error_description: description,
    })
  })

  it('lets no other scope through, at any operation', async () => {
    const api = await createTestApi()
    const scopes = schoolScopes.names.filter(
      (one) => schoolScopes.get(one)!.audience === 'operator',
    )
    for (const { method, path, scope } of api.api.registry.operations) {
      const others = await api.tokenOf({ scopes: scopes.filter((one) => one !== scope) })
      const target = `${method} ${path.replace('{id}', 'crs_1')}`
      const answered = await send(api.api, target, { headers: bearer(others) })
      expect([target, codeOf(answered)]).toEqual([target, '403 insufficient_scope'])
    }
    expect(api.table.runs).toEqual([])
  })

  it('knows no member client, whatever its token says, and offers it no scope [RS-04]', async () => {
    const api = await createTestApi()
    const client: Client = { ...DESK_CLI, clientId: 'member', kind: 'member' }
    const description =
      'This needs the permission courses:read, which apps of this kind cannot get. Use another app.'
    for (const scopes of [['courses:read', 'account:read'], ['account:read']]) {
      const token = await api.tokenOf({ client, scopes })
      expect(await refusal(api, bearer(token))).toEqual([
        '403 insufficient_scope',
        `Bearer error="insufficient_scope", error_description="${description}", ${METADATA}`,
      ])
    }
    expect(api.reasons).toEqual(['scope_beyond_client', 'scope_beyond_client'])
  })

  it('asks nobody for a scope that the role does not allow', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf({ subject: LECTURER.subject })
    api.people.set(LECTURER.subject, { ...LECTURER, roles: ['assistant'] })
    const before = await refusal(api, bearer(token), 'POST /courses')
    expect(before).toEqual(['403 forbidden_role', `Bearer ${METADATA}`])
    expect(api.reasons).toEqual(['scope_beyond_role'])
  })

  it('asks for the roles of the operation beside the scope', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf({ subject: LECTURER.subject })
    const request = 'POST /courses/crs_1/archive'
    expect(await refusal(api, bearer(token), request)).toEqual([
      '403 forbidden_role',
      `Bearer ${METADATA}`,
    ])
    expect([api.table.runs, api.reasons]).toEqual([[], ['scope_beyond_role']])
    api.people.set(LECTURER.subject, { ...LECTURER, roles: ['lecturer', 'manager'] })
    expect(codeOf(await send(api.api, request, { headers: bearer(token) }))).toBe('200 -')
  })

  it('takes what somebody may do as it is now, not as it was', async () => {
    const api = await createTestApi()
    expect(codeOf(await api.call('POST /courses/crs_1/archive'))).toBe('200 -')
    api.people.set(OWNER.subject, { ...OWNER, roles: ['student'] })
    expect(codeOf(await api.call('POST /courses/crs_1/archive'))).toBe('403 forbidden_role')
  })

  it('finds the first thing that is wrong, in one order', async () => {
    let isOver = true
    const api = await createTestApi({
      rateLimit: async () => ({
        ok: !isOver,
        limit: 1,
        remaining: 0,
        resetSeconds: 5,
        windowSeconds: 60,
      }),
    })
    const wrong: Parameters<typeof api.tokenOf>[0] = {
      expiresAt: T,
      resource: 'https://kiln.example',
      scopes: ['courses:read'],
      subject: LECTURER.subject,
    }
    const steps = [
      wrong,
      { ...wrong, expiresAt: T + 1 },
      { ...wrong, expiresAt: T + 1, resource: ISSUER },
      { scopes: ['courses:read'] },
      {},
    ]
    const send400 = async (authorization: string): Promise<string> => {
      const answered = await send(api.api, 'POST /courses/crs_1/archive?no=1', {
        headers: { authorization, 'content-type': 'text/plain' },
        body: 'x'.repeat(300_000),
      })
      return codeOf(answered)
    }
    const codes = [await send400('Bearer'), await send400('Bearer hpa_guess')]
    for (const step of steps) codes.push(await send400(`Bearer ${await api.tokenOf(step)}`))
    isOver = false
    codes.push(await send400(`Bearer ${await api.tokenOf()}`))
    expect(codes).toEqual([
      '401 invalid_token',
      '401 invalid_token',
      '401 invalid_token',
      '401 invalid_token',
      '403 forbidden_role',
      '403 insufficient_scope',
      '429 rate_limited',
      '400 invalid_request',
    ])
    expect(api.reasons).toEqual([
      'authorization_malformed',
      'access_token_unknown',
      'access_token_expired',
      'access_token_for_other_resource',
      'scope_beyond_role',
      'scope_not_granted',
    ])
    expect(api.table.runs).toEqual([])
  })
})

describe('a limit', () => {
  const rate = { ok: true, limit: 100, remaining: 7.8, resetSeconds: 12.2, windowSeconds: 60 }

  it('is told with every answer it was counted for', async () => {
    const grants: string[] = []
    const { call } = await createTestApi({
      rateLimit: async ({ access }) => {
        grants.push(access.grantId)
        return rate
      },
    })
    for (const request of ['GET /courses', 'GET /courses/crs_9', 'GET /courses?no=1']) {
      const { headers } = await call(request)
      expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([
        '"grant";r=7;t=13',
        '"grant";q=100;w=60',
      ])
    }
    expect(grants).toEqual(['grant_1', 'grant_1', 'grant_1'])
  })

  it('that is over stops the request before it is read', async () => {
    const { call, events, table } = await createTestApi({
      rateLimit: async () => ({ ...rate, ok: false, remaining: 0 }),
    })
    const answered = await call('POST /courses', { body: 'no JSON' })
    expect(codeOf(answered)).toBe('429 rate_limited')
    expect(answered.headers).toMatchObject({
      'retry-after': '13',
      ratelimit: '"grant";r=0;t=13',
      'ratelimit-policy': '"grant";q=100;w=60',
    })
    expect(table.runs).toEqual([])
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['api.denied', 'rate_limited'],
    ])
  })

  it('that cannot be counted lets nobody through', async () => {
    const { call, table } = await createTestApi({
      rateLimit: async () => Promise.reject(new Error(FAULT_TEXT)),
    })
    expect(codeOf(await call('GET /courses'))).toBe('503 unavailable')
    expect(table.runs).toEqual([])
  })
})

describe('an operation', () => {
  const only = (run: () => Promise<unknown>, effect: 'read' | 'write' = 'write') => ({
    operations: [
      defineOperation({
        id: 'courses.only',
        summary: 'The only one',
        scope: effect === 'write' ? 'courses:write' : 'courses:read',
        effect,
        method: effect === 'write' ? 'POST' : 'GET',
        path: '/only',
        input: z.strictObject({}),
        output: z.object({ id: z.string() }),
        run: run as () => Promise<{ id: string }>,
      }),
    ],
  })

  it('answers no member that its schema does not have', async () => {
    const { call } = await createTestApi()
    const { body, text } = await call('POST /courses/crs_1/publish')
    expect(body).toEqual({ ...courseOf(1), state: 'published' })
    expect(text).not.toContain('Ines')
  })

  it('that answers otherwise than its schema is a fault, and says nothing', async () => {
    const { call, faults } = await createTestApi(only(async () => ({ id: 7, secret: 's3cret' })))
    const answered = await call('POST /only')
    expect(codeOf(answered)).toBe('500 internal')
    expect(answered.text).not.toContain('s3cret')
    expect(faults).toEqual([
      { fault: expect.any(z.core.$ZodError), requestId: answered.headers['x-request-id'] },
    ])
  })

  it('that throws is a fault, told with the id that the caller reads', async () => {
    const { call, faults, events } = await createTestApi(
      only(async () => Promise.reject(new Error(FAULT_TEXT))),
    )
    const { status, headers, body, text } = await call('POST /only')
    expect([status, events]).toEqual([500, []])
    expect(body).toEqual({
      type: '/problems/internal',
      title: 'Internal server error',
      status: 500,
      code: 'internal',
      request_id: headers['x-request-id'],
    })
    expect(text).not.toContain(FAULT_TEXT)
    expect(faults).toEqual([{ fault: new Error(FAULT_TEXT), requestId: headers['x-request-id'] }])
  })

  it('may say that it is unavailable, and then says when to come back', async () => {
    const { call } = await createTestApi(only(async () => refuseWith('unavailable')))
    const answered = await call('POST /only')
    expect([codeOf(answered), answered.headers['retry-after']]).toEqual(['503 unavailable', '5'])
  })

  it('may name what is wrong, twenty faults at most', async () => {
    const errors = Array.from({ length: 30 }, (_, index) => ({
      pointer: `/plans/${index}`,
      code: 'unknown_plan',
      message: 'there is no such plan',
    }))
    const { call } = await createTestApi(
      only(async () => refuseWith('unprocessable', 'no such plans', errors)),
    )
    expect((await call('POST /only')).body).toMatchObject({
      status: 422,
      detail: 'no such plans',
      errors: errors.slice(0, 20),
    })
  })

  it('that finds a role wanting asks for no scope', async () => {
    const { call } = await createTestApi(
      only(async () => refuseWith('forbidden_role', 'owners only')),
    )
    const answered = await call('POST /only')
    expect([codeOf(answered), answered.headers['www-authenticate']]).toEqual([
      '403 forbidden_role',
      `Bearer ${METADATA}`,
    ])
  })

  it('is told who asks, and what it is to do', async () => {
    const seen: unknown[] = []
    const table = { rows: new Map(), runs: [] }
    const [, get] = operationsOn(table)
    const { call } = await createTestApi({
      operations: [
        {
          ...get!,
          async run(context, input) {
            const { access, dryRun, requestId, now } = context
            seen.push([access.person, access.client.clientId, dryRun, requestId, now, input])
            return courseOf(1)
          },
        },
      ],
    })
    const { headers } = await call('GET /courses/crs_1')
    expect(seen).toEqual([
      [OWNER, DESK_CLI.clientId, false, headers['x-request-id'], T, { id: 'crs_1' }],
    ])
  })
})

describe('a storage that fails', () => {
  it('lets nobody through', async () => {
    const { store, fail } = breakableStore()
    const { call, table, faults } = await createTestApi({ store })
    fail('findAccessToken')
    const answered = await call('GET /courses')
    expect([codeOf(answered), answered.headers['retry-after']]).toEqual(['503 unavailable', '5'])
    expect([answered.text.includes(FAULT_TEXT), table.runs]).toEqual([false, []])
    expect(faults.map(({ requestId }) => requestId)).toEqual([answered.headers['x-request-id']])
  })

  it('lets nobody through where it cannot find the person', async () => {
    const { call, table } = await createTestApi({
      findPerson: async () => Promise.reject(new Error(FAULT_TEXT)),
    })
    const answered = await call('GET /courses')
    expect(codeOf(answered)).toBe('503 unavailable')
    expect([answered.text.includes(FAULT_TEXT), table.runs]).toEqual([false, []])
  })
})

describe('the log', () => {
  const write = {
    type: 'api.write',
    at: T,
    operation: 'courses.create',
    clientId: DESK_CLI.clientId,
    subject: OWNER.subject,
    reason: null,
  }

  it('hears of every write', async () => {
    const { call, events } = await createTestApi()
    const { headers } = await call('POST /courses', { body: { title: 'New' } })
    await call('GET /courses')
    expect(events).toEqual([{ ...write, requestId: headers['x-request-id'] }])
  })

  it('hears of every refusal, and who it was as far as that is known', async () => {
    const { api, call, events, people } = await createTestApi()
    people.set(OWNER.subject, { ...OWNER, roles: ['student'] })
    const byRole = await call('GET /courses')
    expect([codeOf(byRole), events.pop()]).toEqual([
      '403 forbidden_role',
      { ...write, type: 'api.denied', operation: 'courses.list', requestId: byRole.headers['x-request-id'], reason: 'scope_beyond_role' },
    ]) // prettier-ignore
    people.set(OWNER.subject, OWNER)
    const ids = [
      await send(api, 'POST /courses'),
      await call('POST /courses', { body: {} }),
      await call('POST /courses', { body: { title: 'Taken' } }),
    ].map(({ headers }) => ({ requestId: headers['x-request-id'] }))
    const denied = { ...write, type: 'api.denied' }
    expect(events).toEqual([
      { ...denied, ...ids[0], clientId: null, subject: null, reason: 'access_token_missing' },
      { ...denied, ...ids[1], reason: 'invalid_request' },
      { ...denied, ...ids[2], reason: 'conflict' },
    ])
  })

  it.each<[string, () => never]>([
    ['throws', () => broken()],
    ['rejects', (async () => broken()) as never],
  ])('that %s changes nothing', async (_, hook) => {
    const faults: unknown[] = []
    const api = await createTestApi({
      onEvent: hook,
      onRefusal: hook,
      onFault: ({ fault, requestId }) => faults.push([String(fault), requestId]),
    })
    expect(codeOf(await api.call('POST /courses', { body: { title: 'New' } }))).toBe('201 -')
    expect(codeOf(await send(api.api, 'GET /courses'))).toBe('401 invalid_token')
    await Promise.resolve()
    expect(faults).toEqual(Array.from({ length: 3 }, () => ['Error: the log is full', null]))
  })

  it('of faults that throws changes nothing either', async () => {
    const { call } = await createTestApi({
      findPerson: async () => broken(),
      onFault: () => broken(),
    })
    expect(codeOf(await call('GET /courses'))).toBe('503 unavailable')
  })
})

const broken = (): never => {
  throw new Error('the log is full')
}

describe('createAdminApi', () => {
  it('does not start with an option that nobody reads', async () => {
    await expect(createTestApi({ ratelimit: 1 } as never)).rejects.toThrow(
      'admin API: ratelimit is not an option: did you mean rateLimit?',
    )
  })

  it.each(['api/v1', '/api/v1/', '/', '', '/API', '/api//v1'])(
    'does not start below "%s"',
    async (basePath) => {
      await expect(createTestApi({ basePath })).rejects.toThrow(
        `admin API: basePath must be a path such as /api/v1, not "${basePath}"`,
      )
    },
  )

  it('stands where the host wants it', async () => {
    const { call } = await createTestApi({ basePath: '/admin' })
    expect(codeOf(await call('GET /api/v1/courses'))).toBe('404 not_found')
  })

  it('never rejects, even where chance fails', async () => {
    const { call } = await createTestApi({ randomBytes: () => broken() })
    const answered = await call('GET /courses')
    expect([codeOf(answered), answered.headers['x-request-id']]).toEqual(['200 -', 'req_unknown'])
  })

  it('needs no more than a site and the operations', async () => {
    const { endpoint } = createAdminApi(testSite().site, { operations: [] })
    expect((await endpoint(new Request(`${ISSUER}/api/v1/x`))).status).toBe(404)
  })
})
