import * as sdk from '@modelcontextprotocol/server'
import { createProtectedResource, createRemoteGate, defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import { createMcpEndpoint, operationTools, serverAdapter } from 'hallpass/mcp'
import type { Client } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createTestApi } from '../admin/support.js'
import { createSource } from '../support/school/account.js'
import { DESK_CLI, NOTES } from '../support/school/policy-samples.js'
import {
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  STUDY_BUDDY,
} from '../support/school/school.js'

/** What a surface answers: `served`, or the answer without what changes from one request to the next. */
type Answer =
  'served' | { readonly status: number; readonly challenge: string; readonly body: string }
type Ask = (token: string) => Promise<Answer>

const headersOf = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

async function answerOf(response: Response): Promise<Answer> {
  const body = (await response.text()).replace(/req_[\w-]+/g, '')
  const { status } = response
  if (status === 200 && !body.includes('"isError":true') && !body.includes('"errors"'))
    return 'served'
  return { status, challenge: response.headers.get('www-authenticate') ?? '', body }
}

/** A call that needs a scope, and one of the roles if there are any, at every surface that has such calls. */
async function openSurfaces(scope: string, roles?: readonly string[]) {
  const school = await createSchool({
    options: { introspectionClientIds: [PORTFOLIO_HUB.clientId] },
  })
  const { people } = school
  const { tokenOf } = await createTestApi({ store: school.store })
  const site = defineSite({
    ...school.siteOptions,
  })
  const remote = createRemoteGate({
    issuer: ISSUER,
    name: site.name,
    scopes: site.scopes,
    roles: site.roles,
    clientId: PORTFOLIO_HUB.clientId,
    clientSecret: PORTFOLIO_SECRET,
    cacheSeconds: 0,
    now: site.now,
    send: school.fetch,
  })
  const atGate =
    (gate: ReturnType<typeof remote.gate>): Ask =>
    async (token) => {
      const decided = await gate(new Request(ISSUER, { headers: headersOf(token) }))
      return decided instanceof Response ? answerOf(decided) : 'served'
    }
  const to =
    (path: string, endpoint: (request: Request) => Promise<Response>, body?: object): Ask =>
    async (token) => {
      const init = { headers: headersOf(token), method: body === undefined ? 'GET' : 'POST' }
      const sent = { ...init, ...(body !== undefined && { body: JSON.stringify(body) }) }
      return answerOf(await endpoint(new Request(ISSUER + path, sent)))
    }
  const gates: Record<string, Ask> = {
    'a gate': atGate(createProtectedResource(site).gate(scope)),
    'the remote gate': atGate(remote.gate(scope)),
  }
  const audience = schoolScopes.get(scope)!.audience
  if (audience === 'any') return { tokenOf, people, asks: gates }
  if (audience === 'member') {
    const { source } = createSource(new Map())
    const { graphql } = createAccountApi(site, { source })
    const query = { query: '{ __typename }' }
    return {
      tokenOf,
      people,
      asks: { ...gates, '/account/graphql': to('/account/graphql', graphql, query) },
    }
  }
  const operation = defineOperation({
    id: 'thing.get',
    summary: 'Get a thing',
    scope: scope as never,
    ...(scope.endsWith(':write')
      ? { effect: 'write' as const, method: 'POST' as const }
      : { effect: 'read' as const, method: 'GET' as const }),
    path: '/thing',
    tool: 'get_thing',
    ...(roles !== undefined && { roles }),
    input: z.strictObject({}),
    output: z.object({ thing: z.string() }),
    run: async () => ({ thing: 'one' }),
  })
  const api = createAdminApi(site, { operations: [operation] })
  const mcp = createMcpEndpoint(site, { tools: operationTools(api), adapter: serverAdapter(sdk) })
  const call = { name: 'get_thing', arguments: {} }
  const surfaces: Record<string, Ask> = {
    '/api/v1': to('/api/v1/thing', api.endpoint, scope.endsWith(':write') ? {} : undefined),
    '/mcp': to('/mcp', mcp.endpoint, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  }
  return { tokenOf, people, asks: roles === undefined ? { ...gates, ...surfaces } : surfaces }
}

const offeredBy = (answer: Answer): readonly string[] =>
  answer === 'served' ? [] : (/ scope="([^"]+)"/.exec(answer.challenge)?.[1]?.split(' ') ?? [])

const CAPPED: Client = { ...DESK_CLI, clientId: 'capped', scopes: ['courses:read'] }
const REVIEWED: Client = {
  ...NOTES,
  clientId: 'https://reviewed.example/c.json',
  scopes: ['courses:write'],
}
const WITHOUT: Client = { ...STUDY_BUDDY, clientId: 'without', scopes: [] }
const HELD = ['openid', 'courses:read']

interface Case {
  readonly client?: Client
  readonly roles?: readonly string[]
  readonly held?: readonly string[]
  readonly needs: string
  readonly requiredRoles?: readonly string[]
  readonly helps: boolean
}

describe('a challenge offers no scope that can never have an effect [RS-04]', () => {
  it.each<[string, Case]>([
    ['only the token lacks it', { needs: 'courses:write', helps: true }],
    [
      'the token has one beside it that the role has lost',
      { roles: ['lecturer'], held: [...HELD, 'orders:read'], needs: 'courses:write', helps: true },
    ],
    ['the role does not have it', { roles: ['lecturer'], needs: 'coupons:read', helps: false }],
    [
      'the role has lost it',
      {
        roles: ['assistant'],
        held: [...HELD, 'courses:write'],
        needs: 'courses:write',
        helps: false,
      },
    ],
    ['the person is no longer staff', { roles: ['student'], needs: 'coupons:read', helps: false }],
    [
      'the call is for another role',
      { roles: ['lecturer'], needs: 'courses:write', requiredRoles: ['owner'], helps: false },
    ],
    [
      'the call is for this role',
      { roles: ['lecturer'], needs: 'courses:write', requiredRoles: ['lecturer'], helps: true },
    ],
    [
      'the client is of the other audience',
      { client: STUDY_BUDDY, held: ['openid'], needs: 'courses:read', helps: false },
    ],
    ['the scope is of the other audience', { needs: 'account:read', helps: false }],
    [
      'a member client lacks it',
      {
        client: STUDY_BUDDY,
        roles: ['student'],
        held: ['openid'],
        needs: 'account:read',
        helps: true,
      },
    ],
    [
      'it was taken away from a member client',
      {
        client: WITHOUT,
        roles: ['student'],
        held: ['openid', 'account:read'],
        needs: 'account:read',
        helps: false,
      },
    ],
    [
      'it was taken away from an operator client',
      { client: CAPPED, held: [...HELD, 'courses:write'], needs: 'courses:write', helps: false },
    ],
    [
      'it was taken away, and the role does not have it',
      { client: CAPPED, roles: ['lecturer'], needs: 'coupons:read', helps: false },
    ],
    ['nobody has reviewed the document', { client: NOTES, needs: 'courses:write', helps: false }],
    ['the document was reviewed', { client: REVIEWED, needs: 'courses:write', helps: true }],
    [
      'the document was reviewed, and the role does not have it',
      { client: REVIEWED, roles: ['assistant'], needs: 'courses:write', helps: false },
    ],
  ])(
    'where %s',
    async (
      _,
      { client = DESK_CLI, roles = ['owner'], held = HELD, needs, requiredRoles, helps },
    ) => {
      const { tokenOf, people, asks } = await openSurfaces(needs, requiredRoles)
      const { subject } = OWNER
      people.set(subject, { ...OWNER, roles })
      for (const [surface, ask] of Object.entries(asks)) {
        const tokenWith = (scopes: readonly string[]): Promise<string> =>
          tokenOf({ client, subject, scopes: [...new Set(scopes)] })
        const before = await ask(await tokenWith(held))
        const offered = offeredBy(before)
        const stepped = await ask(await tokenWith([...held, ...(helps ? offered : [needs])]))
        expect([surface, before === 'served', stepped]).toEqual([
          surface,
          false,
          helps ? 'served' : before,
        ])
        expect([surface, offered.includes(needs)]).toEqual([surface, helps])
        expect([surface, JSON.stringify(before).includes('Connect the app again')]).toEqual([
          surface,
          helps,
        ])
        expect([surface, offered]).not.toEqual([surface, expect.arrayContaining(['orders:read'])])
      }
    },
  )

  it('where the person may no longer authorize the client', async () => {
    const { tokenOf, people, asks } = await openSurfaces('email')
    people.set(OWNER.subject, { ...OWNER, roles: ['student'] })
    const token = await tokenOf({ subject: OWNER.subject, scopes: HELD })
    for (const ask of Object.values(asks))
      expect(await ask(token)).toMatchObject({ challenge: expect.not.stringContaining(' scope=') })
  })
})
