import {
  createProtectedResource,
  createRemoteGate,
  defineSite,
  type OptionsError,
  type SiteOptions,
} from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { createAdminApi } from 'hallpass/admin'
import { openapiOf } from 'hallpass/openapi'
import { createRouter } from 'hallpass/authorization-server'
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import { beforeEach, describe, expect, it } from 'vitest'
import { courseOf, operationsOn } from '../admin/support.js'
import { createSource } from '../support/school/account.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  PORTFOLIO_FORM,
  post,
  reasonsOf,
  redeem,
  refresh,
  signIn,
} from '../support/school/flow.js'
import {
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
} from '../support/school/school.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

const GRADES = 'https://grades.example'
const LIBRARY = 'https://library.example:8443'

const openSchool = async (options: Partial<SiteOptions> = { resources: [GRADES, LIBRARY] }) => {
  const opened = await createSchool({
    options: { introspectionClientIds: [PORTFOLIO_HUB.clientId], ...options },
  })
  await opened.store.insertClient(DESK_CLI)
  return opened
}

let school: School
beforeEach(async () => {
  school = await openSchool()
})

const DATA = {
  profile: { email: null, name: null, changes: [] },
  enrollments: [],
  orders: [],
  registrations: [],
  outlines: new Map(),
}

/** A service of the school at an origin of its own, with everything that it can serve. */
function openService(resource = GRADES) {
  const { scopes, roles, name } = school.siteOptions
  const remote = createRemoteGate<string>({
    issuer: ISSUER,
    resource,
    name,
    scopes,
    roles,
    clientId: PORTFOLIO_HUB.clientId,
    clientSecret: PORTFOLIO_SECRET,
    now: () => school.clock.now,
    send: school.fetch,
  })
  const table = { rows: new Map([1, 2, 3].map((n) => [`crs_${n}`, courseOf(n)])), runs: [] }
  const admin = createAdminApi(remote.site, { operations: operationsOn(table) })
  const mcp = createMcpEndpoint(remote.site, { tools: [], adapter: sdkAdapter(SDK_1) })
  const account = createAccountApi(remote.site, {
    source: createSource(new Map([[STUDENT.subject, DATA]])).source,
  })
  const router = createRouter(remote, mcp, account, admin)
  return { remote, admin, router }
}

const bearer = (token: string | null): RequestInit =>
  token === null ? {} : { headers: { authorization: `Bearer ${token}` } }
const member = (resource: string): Promise<string> =>
  signIn(school, { resource }, { form: { resource } }).then((tokens) => tokens.access_token)
const operator = async (resource: Fields): Promise<string> =>
  (
    await signIn(
      school,
      { ...DESK_REQUEST, resource: null, ...resource },
      { person: OWNER, form: { resource: null, ...resource } },
    )
  ).access_token

async function audienceOf(token: string): Promise<unknown> {
  const answer = await post(school, '/api/oauth/introspect', { ...PORTFOLIO_FORM, token })
  return ((await answer.json()) as { aud?: string }).aud
}

describe('a token is for the resource that was asked for', () => {
  it.each([
    [GRADES, GRADES],
    [`${GRADES}/`, GRADES],
    [`${GRADES}/mcp`, GRADES],
    [`${GRADES}/mcp/member/`, GRADES],
    ['HTTPS://GRADES.example:443/mcp/signed-in?toolset=sales', GRADES],
    [`${GRADES}/account/graphql`, GRADES],
    [`${LIBRARY}/mcp`, LIBRARY],
    [`${ISSUER}/mcp`, ISSUER],
  ])('%s is %s in introspection [REM-11]', async (resource, audience) => {
    const tokens = await signIn(school, { resource }, { form: { resource } })
    expect(await audienceOf(tokens.access_token)).toBe(audience)
    expect(await audienceOf(tokens.refresh_token)).toBe(audience)
    const again = await refresh(school, tokens.refresh_token)
    expect(await audienceOf(((await again.json()) as typeof tokens).access_token)).toBe(audience)
  })

  it('and for the issuer if none was', async () => {
    expect(await audienceOf(await operator({}))).toBe(ISSUER)
  })

  it('but two resources in one request are refused, since a token is for one', async () => {
    const { searchParams } = await authorize({ resource: [GRADES, LIBRARY] })
    expect(searchParams.get('error')).toBe('invalid_target')
    expect(reasonsOf(school)).toEqual(['resource_unknown'])
    expect(
      (await authorize({ resource: [GRADES, `${GRADES}/mcp`] })).searchParams.has('code'),
    ).toBe(true)
  })

  it('and the exchange and the refresh cannot change it', async () => {
    const code = await approve(school, { resource: GRADES })
    expect((await redeem(school, code, { resource: ISSUER })).status).toBe(400)
    const tokens = await signIn(school, { resource: GRADES }, { form: { resource: GRADES } })
    expect((await refresh(school, tokens.refresh_token, { resource: ISSUER })).status).toBe(400)
    expect((await refresh(school, tokens.refresh_token, { resource: LIBRARY })).status).toBe(400)
    expect(reasonsOf(school)).toEqual([
      'resource_mismatch',
      'resource_mismatch',
      'resource_mismatch',
    ])
    const same = await refresh(school, tokens.refresh_token, { resource: `${GRADES}/mcp` })
    expect(same.status).toBe(200)
  })

  it('nor does a site issue it that does not name the resource, or no longer does', async () => {
    const tokens = await signIn(school, { resource: GRADES }, { form: { resource: GRADES } })
    const { store } = school
    school = await createSchool({ store: without(store) })
    expect((await authorize({ resource: GRADES })).searchParams.get('error')).toBe('invalid_target')
    expect((await refresh(school, tokens.refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['resource_unknown', 'resource_mismatch'])
  })
})

/** The same store, for a school that adds its clients itself. */
const without = (store: School['store']): School['store'] => ({
  ...store,
  insertClient: async () => 'inserted',
})

async function authorize(changes: Fields): Promise<URL> {
  const response = await school.fetch(authorizationUrl(changes))
  const location = new URL(response.headers.get('location') ?? 'about:blank', ISSUER)
  if (location.origin !== ISSUER) return location
  return new URL(`https://allowed.example/?code=${await approve(school, changes)}`)
}

describe('a token is refused at every other resource', () => {
  it.each([
    ['the school', () => member(ISSUER), [200, 401, 401]],
    ['one service', () => member(GRADES), [401, 200, 401]],
    ['another service', () => member(LIBRARY), [401, 401, 200]],
  ])('of %s: gate, /mcp, Account API, UserInfo [REM-11]', async (_, tokenOf, wanted) => {
    const init = bearer(await tokenOf())
    const of = async (answer: unknown): Promise<number> =>
      answer instanceof Response ? answer.status : 200
    const gates = [
      createProtectedResource(school.site),
      openService().remote,
      openService(LIBRARY).remote,
    ]
    const statuses = await Promise.all(
      gates.map((one) =>
        one.gate('account:read')(new Request('https://any.example/', init)).then(of),
      ),
    )
    expect(statuses).toEqual(wanted)
    expect((await school.fetch(`${ISSUER}/api/oauth/userinfo`, init)).status).toBe(wanted[0])
    const query = { ...init, method: 'POST', body: '{"query":"{ viewer { id } }"}' }
    const headers = { ...(init.headers as object), 'content-type': 'application/json' }
    const rpc = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for (const [at, index] of [
      [GRADES, 1],
      [LIBRARY, 2],
    ] as const) {
      const { router } = openService(at)
      const ask = (path: string, body: string) =>
        router(new Request(at + path, { ...query, headers, body })).then(of)
      expect([await ask('/account/graphql', query.body), await ask('/mcp', rpc)]).toEqual([
        wanted[index],
        wanted[index],
      ])
    }
  })
})

describe('a service names itself', () => {
  /** The metadata that a challenge names, as a client fetches it. */
  async function metadataOf(response: Response, router: (request: Request) => Promise<Response>) {
    const challenge = response.headers.get('www-authenticate') ?? ''
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    return {
      url,
      document: (await (await router(new Request(url))).json()) as { resource: string },
    }
  }

  it.each([
    ['/grades', ''],
    ['/mcp', '/mcp'],
    ['/mcp/signed-in', '/mcp/signed-in'],
    ['/mcp/member?toolset=all', '/mcp/member?toolset=all'],
    ['/account/graphql', '/account/graphql'],
    ['/api/v1/courses/crs_1', ''],
  ])('in the challenge of %s, in a form that clients accept [REM-11]', async (path, named) => {
    const { remote, router } = openService()
    const known = await router(
      new Request(GRADES + path, {
        method: path.startsWith('/api') ? 'GET' : 'POST',
        ...bearer('none'),
      }),
    )
    const gated = await remote.gate()(new Request(GRADES + path))
    const response = known.status === 404 ? (gated as Response) : known
    expect(response.status).toBe(401)
    const { url, document } = await metadataOf(response, router)
    expect(url).toBe(`${GRADES}/.well-known/oauth-protected-resource${named}`)
    expect(document).toMatchObject({ resource: GRADES + named, authorization_servers: [ISSUER] })
  })

  it('in check_connection, the Link of a list, OpenAPI and the guard of /mcp', async () => {
    const { remote, admin, router } = openService('http://127.0.0.1:6311')
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'check_connection' },
    }
    const headers = {
      'content-type': 'application/json',
      host: '127.0.0.1:6311',
      accept: 'application/json, text/event-stream',
    }
    const request = new Request('http://127.0.0.1:6311/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(call),
    })
    const answer = await router(request)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      result: {
        structuredContent: {
          connect: { authorization_server: ISSUER, resource: 'http://127.0.0.1:6311/mcp' },
        },
      },
    })
    const info = { title: 'Grades', version: '1.0.0' }
    const { servers } = openapiOf(remote.site, { registry: admin.registry, info })
    expect(servers).toEqual([{ url: 'http://127.0.0.1:6311' }])
    school = await openSchool({ resources: ['http://127.0.0.1:6311'] })
    const token = await operator({ resource: 'http://127.0.0.1:6311/mcp' })
    const url = 'http://127.0.0.1:6311/api/v1/courses?limit=1'
    const { headers: sent } = await openService('http://127.0.0.1:6311').admin.endpoint(
      new Request(url, bearer(token)),
    )
    expect(sent.get('link')).toMatch(/^<http:\/\/127\.0\.0\.1:6311\/api\/v1\/courses\?/)
  })

  it('only if it is an origin, and each only once', () => {
    const of = (run: () => unknown): readonly string[] => {
      try {
        run()
        return []
      } catch (error) {
        return (error as OptionsError).mistakes
      }
    }
    expect(of(() => openService(`${GRADES}/`))).toEqual([
      expect.stringMatching(
        /^resource must be an origin such as .+, not "https:\/\/grades\.example\/"$/,
      ),
    ])
    const { siteOptions } = school
    expect(of(() => defineSite({ ...siteOptions, resources: ['grades.example'] }))).toEqual([
      expect.stringMatching(/^resources\[0\] must be an origin such as .+, not "grades\.example"$/),
    ])
    for (const resources of [[ISSUER], [GRADES, GRADES]])
      expect(of(() => defineSite({ ...siteOptions, resources }))).toEqual([
        'resources names an origin twice: the issuer is one already',
      ])
  })
})
