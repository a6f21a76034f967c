import { createServer, OptionsError, type ServerOptions } from 'hallpass'
import { testSite } from 'hallpass/testing'
import { describe, expect, it, vi } from 'vitest'

const ORIGIN = 'https://school.example'
const page = (): Response => new Response('your page')
const OPTIONS = {
  sealingSecret: 'use at least 32 random characters here',
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
}

function serverWith(routes: Record<string, unknown>) {
  const school = testSite()
  const server = createServer(school.site, { ...OPTIONS, routes: routes as never })
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    server(new Request(ORIGIN + path, init))
  return { ...school, server, ask }
}

describe('createServer', () => {
  // A process may serve thousands of schools of which few are asked.
  it('encodes, hashes and writes nothing before its first request', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest')
    const encode = vi.spyOn(TextEncoder.prototype, 'encode')
    const write = vi.spyOn(JSON, 'stringify')
    const { ask } = serverWith({ 'GET /courses': page })
    const documents = () => write.mock.calls.filter(([value]) => typeof value === 'object')
    expect([digest.mock.calls, encode.mock.calls, documents()]).toEqual([[], [], []])
    await ask('/.well-known/openid-configuration')
    expect(documents().length).toBeGreaterThan(0)
    vi.restoreAllMocks()
  })

  it('serves the authorization server, with the keys that its maintenance creates', async () => {
    const { server, ask } = serverWith({})
    await server.maintain()
    const metadata = (await (await ask('/.well-known/openid-configuration')).json()) as object
    expect(metadata).toMatchObject({ issuer: ORIGIN, jwks_uri: `${ORIGIN}/.well-known/jwks.json` })
    const jwks = (await (await ask('/.well-known/jwks.json')).json()) as { keys: unknown[] }
    expect(jwks).toEqual(await server.keys.jwks())
    expect(jwks.keys).toHaveLength(1)
    expect((await ask('/courses')).status).toBe(404)
  })

  it('passes a request to the function of its method and path, with its body', async () => {
    const { ask } = serverWith({
      'GET /courses': (request: Request) => new Response(`list ${new URL(request.url).search}`),
      'POST /courses': async (request: Request) =>
        new Response(`${request.headers.get('x-mine')} ${await request.text()}`, { status: 201 }),
      'DELETE /courses': (request: Request) => new Response(request.url, { status: 202 }),
    })
    expect(await (await ask('/courses?page=2')).text()).toBe('list ?page=2')
    const init = { method: 'POST', body: 'a course', headers: { 'x-mine': 'yes' } }
    const created = await ask('/courses', init)
    expect([created.status, await created.text()]).toEqual([201, 'yes a course'])
    expect((await ask('/courses', { method: 'DELETE' })).status).toBe(202)
  })

  it('answers HEAD as GET without the body, and a method without a function with 405', async () => {
    const methods: string[] = []
    const { ask } = serverWith({
      'GET /about': ({ method }: Request) => {
        methods.push(method)
        return page()
      },
    })
    const head = await ask('/about', { method: 'HEAD' })
    expect([head.status, await head.text(), methods]).toEqual([200, '', ['HEAD']])
    const posted = await ask('/about', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('keeps every cookie that a function sets', async () => {
    const headers: [string, string][] = [
      ['set-cookie', 'one=1'],
      ['set-cookie', 'two=2'],
      ['location', '/'],
    ]
    const { ask } = serverWith({
      'POST /sign-in': () => new Response(null, { status: 303, headers }),
    })
    const response = await ask('/sign-in', { method: 'POST' })
    expect(response.status).toBe(303)
    expect(response.headers.getSetCookie()).toEqual(['one=1', 'two=2'])
  })

  it.each([
    ['throws', () => fail(), 'it broke'],
    ['rejects', () => Promise.reject(new Error('it broke')), 'it broke'],
    ['returns text', () => 'hello', 'POST /sign-in returned a string: it must be a Response'],
    ['returns nothing', () => {}, 'POST /sign-in returned undefined: it must be a Response'],
    ['returns an error response', () => Response.error(), 'status'],
  ])('responds with 500 to a function that %s, and reports it', async (_, respond, message) => {
    const { ask, faults } = serverWith({ 'POST /sign-in': respond })
    const response = await ask('/sign-in', { method: 'POST', body: 'a=b' })
    expect(response.status).toBe(500)
    const requestId = response.headers.get('x-request-id')
    expect(await response.text()).not.toContain('broke')
    expect(faults).toMatchObject([
      { endpoint: '/sign-in', fault: { message: expect.stringContaining(message) }, requestId },
    ])
  })

  it('refuses a body of more than 256 KiB before the function is called', async () => {
    let called = 0
    const { ask } = serverWith({
      'POST /sign-in': async (request: Request) => {
        called++
        return new Response(String((await request.arrayBuffer()).byteLength))
      },
    })
    const send = (bytes: number): Promise<Response> =>
      ask('/sign-in', { method: 'POST', body: new Uint8Array(bytes) })
    expect(await (await send(256 * 1024)).text()).toBe('262144')
    expect((await send(256 * 1024 + 1)).status).toBe(413)
    expect(called).toBe(1)
  })

  it('lists every mistake in its options', () => {
    const { site } = testSite()
    const routes = {
      'GET /oauth/authorize': page,
      'POST /oauth/interaction/mine': page,
      'POST /api/oauth/token': page,
      'get /about': page,
      '/about': page,
      'GET /about?x=1': page,
      'GET /users/:id': page,
      'GET /fine': 'page',
    }
    const options = {
      ...OPTIONS,
      sealingSecret: 'short',
      routes,
      codeSeconds: 0,
      sealingSecrets: 1,
    }
    let mistakes: readonly string[] = []
    try {
      createServer(site, options as never)
    } catch (error) {
      if (error instanceof OptionsError) mistakes = error.mistakes
    }
    const form = 'must be a method and an exact path, such as "POST /sign-in"'
    expect(mistakes).toEqual([
      'sealingSecrets is not an option: did you mean sealingSecret?',
      'codeSeconds must be a whole number from 1 to 600, not 0',
      'sealingSecret must be a secret of at least 32 characters',
      'routes["GET /oauth/authorize"] has a path of hallpass: choose another',
      'routes["POST /oauth/interaction/mine"] has a path of hallpass: choose another',
      'routes["POST /api/oauth/token"] has a path of hallpass: choose another',
      `routes["get /about"] ${form}`,
      `routes["/about"] ${form}`,
      `routes["GET /about?x=1"] ${form}`,
      `routes["GET /users/:id"] ${form}`,
      'routes["GET /fine"] must be a function from a Request to a Response, not a string',
    ])
  })

  it.each([
    [{ keys: {} }, 'keys is not an option'],
    [{ routes: [] }, 'routes must be an object such as'],
    [{ defaultScopes: ['nothing'] }, 'defaultScopes names the scope "nothing"'],
    [{ interact: undefined }, 'interact is missing'],
  ] as [Partial<ServerOptions>, string][])('refuses %j', (changes, message) => {
    const { site } = testSite()
    expect(() => createServer(site, { ...OPTIONS, ...changes } as never)).toThrow(message)
  })

  it('rotates its sealing secret', async () => {
    const { site } = testSite()
    await createServer(site, OPTIONS).maintain()
    const next = { ...OPTIONS, sealingSecret: 'another secret of at least 32 characters' }
    await expect(createServer(site, next).maintain()).rejects.toThrow('sealingSecret')
    const previousSealingSecrets = [OPTIONS.sealingSecret]
    const { keys, maintain } = createServer(site, { ...next, previousSealingSecrets })
    await maintain()
    expect((await keys.jwks()).keys).toHaveLength(1)
  })
})

function fail(): never {
  throw new Error('it broke')
}
