import * as sdk from '@modelcontextprotocol/server'
import { createServer, type ServerOptions } from 'hallpass'
import { createAccountApi, emptyAccountSource } from 'hallpass/account'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import { createAuthMdEndpoint } from 'hallpass/authorization-server'
import { clientSecretBasic } from 'hallpass/blocks'
import { createMcpEndpoint, serverAdapter } from 'hallpass/mcp'
import { createOpenapiEndpoint } from 'hallpass/openapi'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const ORIGIN = 'https://school.example'
const METADATA = '/.well-known/oauth-protected-resource'
const page = (): Response => new Response('your page')
const OPTIONS = {
  sealingSecret: 'use at least 32 random characters here',
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
}
type Parts = NonNullable<ServerOptions['parts']>
type Site = ReturnType<typeof testSite>['site']

const createMcp = (site: Site) =>
  createMcpEndpoint(site, { tools: [], adapter: serverAdapter(sdk) })
const createAccount = (site: Site) =>
  createAccountApi(site, {
    source: {
      ...emptyAccountSource,
      profile: async () => Promise.reject(new Error('no one asks')),
      site: async () => Promise.reject(new Error('no one asks')),
    },
  })
const listCourses = defineOperation({
  id: 'courses.list',
  summary: 'List courses',
  scope: 'courses:read',
  effect: 'read',
  method: 'GET',
  path: '/courses/{id}',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ id: z.string() }),
  run: async (_, { id }) => ({ id }),
})
const createAdmin = (site: Site, basePath?: string) =>
  createAdminApi(site, { operations: [listCourses], ...(basePath && { basePath }) })

/** A server with parts, and the names of those that were created, in order. */
function serverWith(
  partsOf: (site: Site) => Parts,
  { routes = {}, ...more }: Partial<ServerOptions> & Parameters<typeof testSite>[0] = {},
) {
  const school = testSite(more)
  const created: string[] = []
  const parts = Object.fromEntries(
    Object.entries(partsOf(school.site)).map(([name, create]) => [
      name,
      create &&
        ((...given: unknown[]) => {
          created.push(name)
          return (create as (...values: unknown[]) => unknown)(...given)
        }),
    ]),
  )
  const server = createServer(school.site, { ...OPTIONS, routes, parts })
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    server(new Request(ORIGIN + path, init))
  const statuses = async (...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await ask(path)).status))
  return { ...school, server, ask, statuses, created }
}

const all = (site: Site): Parts => ({
  mcp: () => createMcp(site),
  account: () => createAccount(site),
  admin: () => createAdmin(site),
  openapi: () =>
    createOpenapiEndpoint(site, {
      registry: createAdmin(site).registry,
      info: { title: 'School', version: '1.0.0' },
    }),
  authMd: createAuthMdEndpoint,
})

describe('the parts of createServer', () => {
  it('are created one by one, each at the first request for a path of it', async () => {
    const { statuses, ask, created } = serverWith(all)
    expect(await statuses('/', '/favicon.ico', '/api/v1', '/mcp/other', METADATA)).toEqual([
      404, 404, 404, 404, 200,
    ])
    expect(created).toEqual([])
    expect(await statuses('/mcp', '/mcp/member', '/mcp/signed-in')).toEqual([405, 405, 405])
    expect(created).toEqual(['mcp'])
    expect(await statuses('/account/schema.graphql')).toEqual([200])
    expect((await ask('/account/graphql', { method: 'POST' })).status).toBe(401)
    expect(created).toEqual(['mcp', 'account'])
    expect(await statuses('/openapi.json', '/api/v1/courses/1', '/api/v1/nothing')).toEqual([
      200, 401, 404,
    ])
    expect(created).toEqual(['mcp', 'account', 'openapi', 'admin'])
  })

  it('keep the methods, headers and errors of their own endpoints', async () => {
    const { ask, tokenFor } = serverWith(all)
    const preflight = {
      origin: 'https://inspector.example',
      'access-control-request-method': 'POST',
    }
    const allowed = await ask('/account/graphql', { method: 'OPTIONS', headers: preflight })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const missing = await ask('/api/v1/nothing')
    expect(missing.headers.get('content-type')).toMatch('application/problem+json')
    const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
    const found = await ask('/api/v1/courses/7', { headers: { authorization } })
    expect(await found.json()).toEqual({ id: '7' })
  })

  it('are those that the metadata has, and the guide', async () => {
    const only = serverWith((site) => ({
      mcp: () => createMcp(site),
      authMd: createAuthMdEndpoint,
    }))
    const paths = ['', '/mcp', '/mcp/signed-in', '/mcp/member', '/account/graphql', '/api/v1']
    expect(await only.statuses(...paths.map((path) => METADATA + path))).toEqual([
      200, 200, 200, 200, 404, 404,
    ])
    const guide = await (await only.ask('/auth.md')).text()
    expect(guide).toContain(`\`${ORIGIN}/mcp\``)
    expect(guide).not.toMatch(/account\/graphql|\/api\/v1|openapi/)
    expect(only.created).toEqual(['authMd'])

    const whole = serverWith(all)
    const text = await (await whole.ask('/auth.md')).text()
    expect(text).toContain('`courses.list` (GET /api/v1/courses/{id})')
    expect(text).toContain('/openapi.json')
    expect(text).toContain('/account/graphql')
    // Of the others the guide says only that they are there.
    expect(whole.created).toEqual(['admin', 'authMd'])
  })

  it('are absent where they are left out, or undefined as a condition of the host leaves them', async () => {
    const none = { mcp: undefined, account: undefined, openapi: undefined } as unknown as Parts
    const { ask, statuses, created } = serverWith(() => ({ ...none, authMd: createAuthMdEndpoint }))
    const paths = ['/mcp', '/account/schema.graphql', '/openapi.json', '/api/v1/courses/1']
    expect(await statuses(...paths)).toEqual([404, 404, 404, 404])
    expect(await (await ask('/auth.md')).text()).not.toMatch(/`[^`]*\/mcp`|graphql|openapi/)
    expect(created).toEqual(['authMd'])
  })

  it('leave the metadata of a route, and all of it if there are none', async () => {
    const mounted = serverWith(() => ({}), { routes: { 'POST /mcp': page } })
    expect(await mounted.statuses(`${METADATA}/mcp`, `${METADATA}/account/graphql`)).toEqual([
      200, 404,
    ])
    const { site } = testSite()
    const server = createServer(site, OPTIONS)
    const { status } = await server(new Request(`${ORIGIN}${METADATA}/account/graphql`))
    expect(status).toBe(200)
  })

  it('are beside the blocks of a site', async () => {
    const { statuses } = serverWith(all, { blocks: [clientSecretBasic()] })
    expect(await statuses('/mcp', '/.well-known/jwks.json', `${METADATA}/mcp`)).toEqual([
      405, 200, 200,
    ])
  })

  it.each([
    ['throws', () => createMcpEndpoint({} as Site, {} as never), 'a site created by defineSite'],
    ['returns an endpoint', () => page, 'parts.mcp must return the result of createMcpEndpoint'],
    ['returns nothing', () => undefined, 'parts.mcp must return the result of createMcpEndpoint'],
  ])('lead to 500 when a function %s, and work once it does not', async (_, create, message) => {
    let broken = true
    const { ask, faults } = serverWith((own) => ({
      mcp: () => (broken ? (create() as never) : createMcp(own)),
    }))
    const response = await ask('/mcp', { method: 'POST' })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('parts.mcp')
    expect(faults).toMatchObject([
      { endpoint: 'mcp', fault: { message: expect.stringContaining(message) } },
    ])
    broken = false
    expect((await ask('/mcp/signed-in', { method: 'POST' })).status).toBe(401)
  })

  it('have the admin API at its default base path', async () => {
    const { ask, faults } = serverWith((site) => ({ admin: () => createAdmin(site, '/api/v2') }))
    expect((await ask('/api/v1/courses/1')).status).toBe(500)
    expect(faults).toMatchObject([
      {
        fault: { message: expect.stringContaining('parts.admin must have the base path /api/v1') },
      },
    ])
    expect((await ask('/api/v2/courses/1')).status).toBe(404)
  })

  it.each([
    [{ parts: { mpc: page } }, 'parts.mpc is not an option: did you mean mcp?'],
    [
      { parts: { mcp: {} } },
      'parts.mcp must be a function such as createMcpEndpoint, not an object',
    ],
    [{ parts: [] }, 'parts must be { mcp: () => createMcpEndpoint(site, options) }, not an array'],
    [
      { parts: { mcp: page }, routes: { 'POST /mcp': page } },
      'routes: /mcp has a path of hallpass: choose another',
    ],
  ])('are refused as %j', (changes, message) => {
    const { site } = testSite()
    expect(() => createServer(site, { ...OPTIONS, ...changes } as never)).toThrow(message)
  })
})
