import { type AuthorizationServer, createAuthorizationServer, OptionsError } from 'hallpass'
import {
  authMd,
  type AuthorizationServerConfiguration,
  configureAuthorizationServer,
  createAuthMdEndpoint,
  createRouter,
  type Endpoint,
  PATHS,
} from 'hallpass/authorization-server'
import { clientSecretBasic } from 'hallpass/blocks'
import { createAccountApi } from 'hallpass/account'
import { PROBLEMS } from 'hallpass/admin'
import { createOpenapiEndpoint } from 'hallpass/openapi'
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import { REFRESH_POLICY } from 'hallpass/policy'
import { defineScopes, schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, ISSUER, T } from '../support/school/school.js'
import { BARE_SERVER } from '../support/school/bare-server.js'
import { addressesOf } from '../support/http/auth-md-walk.js'
import { createSource } from '../support/school/account.js'
import { createTestApi } from './support.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

let server: AuthorizationServer
let configuration: AuthorizationServerConfiguration
type Parts = NonNullable<Parameters<typeof authMd>[1]>
let parts: Parts
let text: string

beforeAll(async () => {
  const { site } = testSite({
    issuer: ISSUER,
    name: 'Lantern Street Drawing School',
    vendors: [ACME],
    now: () => T,
  })
  const keys = createKeyRing(site, { sealingSecret: 'a sealing secret of thirty-two characters' })
  await keys.maintain()
  const errorUri = (error: string): string => `${ISSUER}/auth.md#error-${error}`
  const options = { ...BARE_SERVER, keys, errorUri }
  server = createAuthorizationServer(site, options)
  const { api } = await createTestApi()
  configuration = configureAuthorizationServer(site, options)
  const info = { title: 'School', version: '1.0.0' }
  parts = {
    admin: api,
    account: createAccountApi(site, { source: createSource(new Map()).source }),
    mcp: createMcpEndpoint(site, { tools: [], adapter: sdkAdapter(SDK_1) }),
    openapi: createOpenapiEndpoint(site, { registry: api.registry, info }),
  }
  text = authMd(server, parts)
})

/** The part below a heading. */
const section = (heading: string, of = text): string =>
  of
    .split(/^## /m)
    .find((one) => one.startsWith(`${heading}\n`))!
    .slice(heading.length)

const document = async (name: keyof AuthorizationServer): Promise<Record<string, unknown>> =>
  (await server[name](new Request(ISSUER + PATHS[name]))).json() as Promise<Record<string, unknown>>

const METADATA = [
  'protectedResourceMetadata',
  'mcpResourceMetadata',
  'signedInResourceMetadata',
  'memberResourceMetadata',
  'accountResourceMetadata',
  'authorizationServerMetadata',
  'openidConfiguration',
] as const

describe('/auth.md', () => {
  it('leads from discovery to the limits, step by step', () => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      'How to connect to Lantern Street Drawing School',
      '1. Discover', '2. Register', '3. Authorize', '4. Exchange', '5. Use', '6. Refresh',
      '7. Revoke', '8. Errors', '9. Limits', 'Scopes', 'What is not supported',
    ]) // prettier-ignore
    expect(text.match(/```/g)!.length % 2).toBe(0)
    expect(text).not.toMatch(/undefined|null\b|NaN|\[object/)
  })

  it('names every address of the metadata documents, and no other', async () => {
    const documents = await Promise.all(METADATA.map(document))
    const advertised = new Set([
      ...METADATA.map((name) => ISSUER + PATHS[name]),
      ...documents.flatMap((one) =>
        [one, one['authorization_servers'], one['resource']].flatMap(urlsOf),
      ),
    ])
    const here = new Set(
      [...text.matchAll(/https:\/\/lantern\.example[\w./-]*/g)].map(([url]) => url),
    )
    const missing = [...advertised].filter((url) => !here.has(url))
    expect(missing).toEqual([])
    const besides = [...here].filter((url) => !advertised.has(url))
    expect(besides.sort()).toEqual([`${ISSUER}/api/v1`, `${ISSUER}/openapi.json`])
  })

  it('has each endpoint in the step that uses it', () => {
    const steps: readonly (readonly [string, keyof typeof PATHS])[] = [
      ['1. Discover', 'authorizationServerMetadata'],
      ['2. Register', 'register'],
      ['3. Authorize', 'authorize'],
      ['4. Exchange', 'token'],
      ['5. Use', 'userinfo'],
      ['6. Refresh', 'token'],
      ['7. Revoke', 'revoke'],
    ]
    for (const [heading, name] of steps) expect(section(heading)).toContain(ISSUER + PATHS[name])
  })

  it('has the scopes of the metadata, in their order, and no other', async () => {
    const { scopes_supported: supported } = await document('authorizationServerMetadata')
    const named = [...section('Scopes').matchAll(/^\| `([^`]+)` \|/gm)].map(([, scope]) => scope)
    expect(named).toEqual(supported)
  })

  it('says of each scope whom it is for, what it allows, and what it opens', () => {
    const rows = section('Scopes').split('\n')
    expect(rows).toContain(
      '| `courses:read` | operator clients | See courses, drafts included | `courses.list` (GET /api/v1/courses)<br>`courses.get` (GET /api/v1/courses/{id}) |',
    )
    expect(rows.find((row) => row.startsWith('| `account:read`'))).toContain(
      'member clients | See your courses',
    )
    for (const scope of schoolScopes.names) {
      const words = schoolScopes
        .get(scope)!
        .consent.replaceAll('{school}', 'Lantern Street Drawing School')
      expect(
        rows.filter((row) => row.startsWith(`| \`${scope}\` |`) && row.includes(words)),
      ).toHaveLength(1)
    }
    for (const { id } of [...parts.admin!.registry.byScope.values()].flat())
      expect(section('Scopes')).toContain(`\`${id}\``)
  })

  it('says of each error what to do, at an anchor of its own', () => {
    const anchors = [...text.matchAll(/<a id="error-(\w+)"><\/a>`(\w+)` \| ([\w, ]+) \| (.+) \|/g)]
    const codes = anchors.map(([, anchor]) => anchor!)
    expect(codes).toEqual(anchors.map(([, , code]) => code))
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes).toEqual(expect.arrayContaining(Object.keys(PROBLEMS)))
    const statuses = Object.fromEntries(anchors.map(([, code, , status]) => [code, status]))
    for (const [code, { status }] of Object.entries(PROBLEMS))
      expect(statuses[code]!.split(', ')).toContain(String(status))
    for (const [, , , , advice] of anchors) expect(advice).toMatch(/\.$/)
  })

  it('has the place that error_uri names, for every error of the authorization server', () => {
    const places = Object.entries(configuration.errorUris!)
    expect(places).toHaveLength(18)
    for (const [error, page] of places) {
      expect(page).toBe(`${ISSUER}/auth.md#error-${error}`)
      expect(text.split(`<a id="${new URL(page).hash.slice(1)}"></a>`)).toHaveLength(2)
    }
  })

  it('says what does not exist here, as the metadata does by its silence', async () => {
    expect(section('What is not supported')).toMatch(
      /no autonomous identity assertion[^]+no service authentication[^]+no anonymous claim ceremony/,
    )
    const metadata = await document('authorizationServerMetadata')
    expect(Object.keys(metadata).filter((name) => /agent|assertion|claim_/.test(name))).toEqual([])
    expect(metadata['grant_types_supported']).toEqual(['authorization_code', 'refresh_token'])
  })

  it('has the lifetimes of the configuration', () => {
    const changed = {
      ...configuration,
      codeSeconds: 90,
      accessTokenSeconds: 300,
      refreshIdleSeconds: 86_400,
      refreshPolicies: { ...configuration.refreshPolicies, public: REFRESH_POLICY.strict },
      grantSeconds: 7200,
      requireState: false,
    }
    const other = authMd(changed, {
      ...parts,
      admin: { ...parts.admin!, basePath: '/admin' },
      rate: { limit: 100, windowSeconds: 60 },
    })
    expect(section('3. Authorize')).toContain('The code can be used once, within 1 minute.')
    expect(section('3. Authorize', other)).toContain(
      'The code can be used once, within 90 seconds.',
    )
    expect(section('3. Authorize')).toContain('`state` is required')
    expect(section('3. Authorize', other)).toContain('`state` is recommended')
    expect(section('4. Exchange')).toContain('`expires_in` (1 hour)')
    expect(section('4. Exchange', other)).toContain('`expires_in` (5 minutes)')
    expect(section('5. Use', other)).toContain(`${ISSUER}/admin\``)
    expect(section('6. Refresh')).toContain('send the same request again within 10 minutes.')
    expect(section('6. Refresh')).toContain(
      'expires after 30 days without use, and every grant expires after\n180 days',
    )
    expect(section('6. Refresh', other)).toContain('A lost response cannot be requested again.')
    expect(section('6. Refresh', other)).toContain(
      'expires after 1 day without use, and every grant expires after\n2 hours',
    )
    expect(section('9. Limits')).not.toContain('RateLimit')
    expect(section('9. Limits', other)).toContain('100 requests in 1 minute for each grant')
    expect(section('Scopes', other)).toContain('(GET /admin/courses)')
  })

  it('shows each form as the client without a secret sends it that it registers', () => {
    const forms = text.match(/^```http\nPOST [^]+?```$/gm)!.filter((one) => one.includes('=<'))
    expect(forms).toHaveLength(3)
    for (const one of forms) {
      expect(one).toContain('\n&client_id=<CLIENT_ID>')
      expect(one).not.toContain('client_secret')
    }
    expect(text).toContain('A client with a secret adds `&client_secret=<CLIENT_SECRET>`')
    expect(text).toContain('HTTP Basic is not accepted.')
    const clientAuthentication = [clientSecretBasic()]
    expect(authMd({ ...configuration, clientAuthentication })).toContain('Basic is accepted too.')
  })

  it('says who may register how', () => {
    const documents = {
      allowedHosts: ['notes.example', 'desk.example'],
      openRegistration: false,
      ports: [443],
      fetchDocument: async () => new Response(),
    }
    const of = (changes: Partial<AuthorizationServerConfiguration>) =>
      section('2. Register', authMd({ ...configuration, ...changes }))
    expect(section('2. Register')).toContain('receives its fixed `client_id`: Acme Agents.')
    expect(of({ vendors: [] })).not.toContain('known platform registers')
    expect(of({ documents: null })).toContain('is not accepted as `client_id`.')
    expect(of({ documents })).toContain('on one of these hosts: notes.example, desk.example.')
    expect(of({ documents: { ...documents, openRegistration: true } })).toContain('on any host.')
  })

  it('says of grants that the server has neither that it has none, nor how they work', () => {
    const grant = (name: string) => ({ name }) as never
    const services = authMd({ ...configuration, grants: [grant('client_credentials')] })
    expect(services).not.toContain('no service authentication')
    expect(services).toContain('`client_credentials`')
    expect(services).toContain('no autonomous identity assertion')
    const jwt = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const agents = authMd({ ...configuration, grants: [grant(jwt)] })
    expect(agents).not.toContain('no autonomous identity assertion')
  })

  it('asks in its example for scopes that the school has', () => {
    const read = { audience: 'operator', access: 'read', group: 'Books', consent: 'See' } as const
    const scopes = defineScopes({ 'library:read': read })
    expect(authMd({ ...configuration, scopes })).toContain('\n  &scope=library:read\n')
    expect(text).toContain('\n  &scope=openid courses:read\n')
  })

  it.each(
    [...Array(16).keys()].map((bits) =>
      (['mcp', 'account', 'admin', 'openapi'] as const).filter((_, index) => (bits >> index) & 1),
    ),
  )('names no address that is not there, with %s %s %s %s [DISC-32]', async (...names) => {
    const served: Parts = Object.fromEntries(names.map((name) => [name, parts[name]]))
    const page = createAuthMdEndpoint(server, served)
    const mounted = Object.values(served) as { routes: Record<string, Endpoint> }[]
    const router = createRouter(server, page, ...mounted)
    const written = await (await router(new Request(`${ISSUER}/auth.md`))).text()
    const addresses = addressesOf(written, ISSUER)
    expect(addresses.length).toBeGreaterThan(8)
    const statuses = await Promise.all(
      addresses.map(async (address) => {
        // The base of the operations is no operation itself.
        const path = address === `${ISSUER}/api/v1` ? `${address}/courses` : address
        return [address, (await router(new Request(path))).status] as const
      }),
    )
    expect(statuses.filter(([address, status]) => status === 404 && address !== ISSUER)).toEqual([])
    for (const [name, words] of PART_WORDS)
      expect(words.test(written), name).toBe(names.includes(name))
    for (const path of ['/mcp', '/account/graphql']) {
      const metadata = `${ISSUER}/.well-known/oauth-protected-resource${path}`
      const { status } = await router(new Request(metadata))
      const isServed = names.includes(path === '/mcp' ? 'mcp' : 'account')
      expect([path, status]).toEqual([path, isServed ? 200 : 404])
    }
  })

  it('keeps its tables whole whatever a scope says', () => {
    const scopes = {
      ...schoolScopes,
      get: (scope: string) => ({ ...schoolScopes.get(scope)!, consent: 'This | that' }),
    }
    expect(authMd({ ...configuration, scopes }, parts)).toContain('| This \\| that |')
  })
})

it('refuses what is no server, and no part, by name', () => {
  const wrapped = { token: server.token } as never
  expect(() => authMd(wrapped)).toThrow(
    new OptionsError('auth.md', [
      'the first argument must be the result of createAuthorizationServer or createServer itself, without functions around its endpoints',
    ]),
  )
  expect(() => authMd(server, { mcp: true, tools: [] } as never)).toThrow(OptionsError)
  expect(authMd({ ...server })).toBe(authMd(server))
})

/** What each part adds to the text. */
const PART_WORDS = [
  ['mcp', /\/mcp|JSON-RPC/],
  ['account', /\/account\//],
  ['admin', /admin API, for|problem\+json|Idempotency-Key|forbidden_role/],
  ['openapi', /openapi\.json/],
] as const

describe('the endpoint of /auth.md', () => {
  const get = (init: RequestInit = {}): Promise<Response> =>
    createAuthMdEndpoint(server, parts)(new Request(`${ISSUER}/auth.md`, init))

  it('answers Markdown that anybody may read and keep for five minutes [DISC-20]', async () => {
    const response = await get()
    expect([response.status, await response.text()]).toEqual([200, text])
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
      'cache-control': 'public, max-age=300',
      'content-type': 'text/markdown; charset=utf-8',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'x-content-type-options': 'nosniff',
    })
  })

  it('saves the text for whoever has it', async () => {
    const etag = (await get()).headers.get('etag')!
    const again = await get({ headers: { 'if-none-match': `W/${etag}` } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get({ headers: { 'if-none-match': '"old"' } })).status).toBe(200)
  })

  it('takes GET and HEAD', async () => {
    const head = await get({ method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await get({ method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

function urlsOf(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : Object.values(value ?? {})
  const all: unknown[] = typeof value === 'string' ? [value] : values
  return all.filter((one): one is string => typeof one === 'string' && one.startsWith(ISSUER))
}
