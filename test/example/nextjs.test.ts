import { request } from 'node:http'
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  dataFolder,
  type RunningExample,
  spawnNextExample,
  startExample,
  startExpressExample,
} from '../support/processes/example.js'
import { freePorts } from '../support/processes/ports.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { demo } from '../support/databases/templates.js'
import { startPostgres } from '../support/databases/test-database.js'

const REDIRECT = 'http://127.0.0.1:7777/callback'
// RFC 7636 appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** What Next.js adds to every answer. */
const NEXT_VARY = /^rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch/

let school: RunningExample
/** The Express example, which believes that it stands where the Next.js example does. */
let twin: RunningExample
/** Where the twin really listens. */
const listensAt = new Map<string, string>()

beforeAll(async () => {
  school = await startExample({ embedded: true })
  twin = await startExpressExample({
    environment: { LANTERN_ORIGIN: school.origin, KILN_ORIGIN: school.kiln },
  })
  listensAt.set(school.origin, twin.origin).set(school.kiln, twin.kiln)
})
afterAll(async () => {
  await school.stop('SIGTERM')
  await twin.stop()
})

const SITES = [
  ['Lantern', () => school.origin, 'site_lantern'],
  ['Kiln', () => school.kiln, 'site_kiln'],
] as const

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends what `fetch` would not: any `Host` to any port. */
function send(to: string, { method = 'GET', path = '/', headers = {} }: Sent): Promise<Answered> {
  const { port } = new URL(to)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname: '127.0.0.1', port, method, path, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

const OF_THE_SERVER = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'vary',
  'x-request-id',
])

/** What both examples answer for one origin, without what belongs to the server and the moment. */
async function bothFor(
  origin: string,
  sent: Sent,
): Promise<{ readonly next: Answered; readonly express: Answered }> {
  const ask = async (to: string): Promise<Answered> => {
    const headers = { ...sent.headers, host: new URL(origin).host }
    const answer = await send(to, { ...sent, headers })
    const kept = Object.entries(answer.headers).filter(([name]) => !OF_THE_SERVER.has(name))
    // The error page shows the name of the request.
    const text = answer.text.replace(/\b(req|att)_[\w-]{16}/g, '$1_…')
    // Each browser has an identifier of its own.
    const said = JSON.stringify(Object.fromEntries(kept)).replace(
      /\bhallpass=[\w-]{43}/g,
      'hallpass=…',
    )
    return { ...answer, text, headers: JSON.parse(said) as Answered['headers'] }
  }
  return { next: await ask(origin), express: await ask(listensAt.get(origin)!) }
}

const postJson = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const bearer = (accessToken: string): Record<string, string> => ({
  authorization: `Bearer ${accessToken}`,
})

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token?: string
}

/** From the sign-in page to tokens. */
async function signIn(
  origin: string,
  { clientId, email, scope }: { clientId: string; email: string; scope: string },
): Promise<Tokens> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope,
    resource: origin,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'state & state+1',
  })
  const callback = await signInAndAllow(createFormBrowser(origin), `/oauth/authorize?${query}`, {
    email,
  })
  expect(callback.searchParams.get('state')).toBe('state & state+1')
  expect(callback.searchParams.get('iss')).toBe(origin)
  const answer = await fetch(`${origin}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code')!,
      redirect_uri: REDIRECT,
      client_id: clientId,
      code_verifier: VERIFIER,
      resource: origin,
    }),
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Tokens
}

const MEI = {
  clientId: 'study-buddy',
  email: 'mei-ling.chou@example.com',
  scope: 'openid profile account:read',
}
const CONFIDENTIAL = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
const INES = {
  clientId: 'desk-cli',
  email: 'ines.duarte@example.com',
  scope: 'openid courses:read',
}

describe.each(SITES)('the Next.js example at %s', (_name, origin, id) => {
  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/mcp/',
    '/.well-known/oauth-protected-resource/mcp?toolset=sales',
    '/.well-known/oauth-protected-resource/mcp/signed-in',
    '/.well-known/oauth-protected-resource/mcp/member',
    '/.well-known/oauth-protected-resource/account/graphql',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/openapi.json',
    '/auth.md',
    '/account/schema.graphql',
    '/account/graphiql',
    '/account/graphiql/start.js',
    '/account/graphiql/editor.js',
    '/account/graphiql/nothing.js',
    '/docs',
    '/docs/try.js',
    '/docs/reference.css',
    '/docs/nothing.js',
    '/playground',
    '/playground/playground.js',
    '/playground/playground.css',
    '/playground/client.json',
    '/playground/why?of=nothing',
    '/playground/nothing.js',
    '/assets/school.css',
    '/assets/sign-in.js',
    '/assets/front.css',
    '/assets/walk.js',
    '/assets/mark.svg',
    '/assets/copy.js',
    '/nowhere',
    '/nowhere/',
    '/auth.md/',
    '/api/oauth/token/',
    '/.well-known/nowhere',
    '/oauth/authorize?client_id=nobody',
    '/api/oauth/token',
    '/api/oauth/userinfo',
    '/account/graphql',
    '/mcp',
    '/mcp/signed-in',
    '/mcp/member/?toolset=sales',
    '/mcp/elsewhere',
  ])('answers as the Express example does: %s', async (path) => {
    const { next, express } = await bothFor(origin(), { path })
    expect(next).toEqual(express)
  })

  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/mcp/',
    '/.well-known/oauth-protected-resource/mcp?toolset=sales',
    '/.well-known/oauth-protected-resource/mcp/signed-in',
    '/.well-known/oauth-protected-resource/mcp/member',
    '/.well-known/oauth-protected-resource/account/graphql',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/jwks.json',
    '/oauth/authorize',
    '/oauth/interaction/1',
    '/oauth/applications',
    '/oauth/authorized_applications',
    '/api/oauth/token',
    '/api/oauth/register',
    '/api/oauth/introspect',
    '/api/oauth/revoke',
    '/api/oauth/userinfo',
    '/api/v1/courses',
    '/openapi.json',
    '/auth.md',
    '/account/graphql',
    '/account/schema.graphql',
    '/mcp',
    '/nowhere',
  ])('leaves the method to the endpoint: %s', async (path) => {
    const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { next, express } = await bothFor(origin(), { method, path, headers: asked })
      const [is, should] = [next, express].map(({ status, headers }) => {
        // Each has keys and visitors of its own.
        const { etag: _, 'set-cookie': __, ...rest } = headers
        return { method, status, headers: rest }
      })
      expect(is).toEqual(should)
    }
  })

  it('keeps its pages from being framed, cached, sniffed, scripted or compressed', async () => {
    const browser = createFormBrowser(origin())
    const pages = await Promise.all(
      ['/', '/nowhere', '/oauth/applications'].map((path) => browser.open(path)),
    )
    expect(pages.map(({ status }) => status)).toEqual([200, 404, 200])
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('content-encoding')).toBe(null)
      expect(headers.get('x-powered-by')).toBe(null)
      expect(headers.get('vary')).toMatch(NEXT_VARY)
    }
  })

  it('has a cookie of its own', async () => {
    const lines = (await fetch(origin())).headers.getSetCookie()
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^school_${id}=[\\w-]{43}; (?=.*Path=/)(?=.*HttpOnly)(?=.*SameSite=Lax)`),
      ),
    ])
    expect(lines[0]).not.toContain('Domain=')
  })
})

describe('the Next.js example', () => {
  it('takes a member from the sign-in page to tokens, claims and their own data', async () => {
    const tokens = await signIn(school.origin, MEI)
    const keys = createRemoteJWKSet(new URL(`${school.origin}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(tokens.id_token!, keys)
    expect(payload).toMatchObject({ iss: school.origin, aud: MEI.clientId })
    const headers = bearer(tokens.access_token)
    const claims = await fetch(`${school.origin}/api/oauth/userinfo`, { headers })
    expect(await claims.json()).toMatchObject({ name: 'Mei-Ling Chou', org_id: 'site_lantern' })

    const query = '{ viewer { id enrolledCourses(first: 1) { nodes { slug } } } }'
    const answer = await postJson(`${school.origin}/account/graphql`, { query }, headers)
    expect(await answer.json()).toMatchObject({
      data: { viewer: { enrolledCourses: { nodes: [{}] } } },
    })

    const refreshed = await fetch(`${school.origin}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: MEI.clientId,
      }),
    })
    expect(refreshed.status).toBe(200)
    const { access_token: later } = (await refreshed.json()) as Tokens
    const introspected = await fetch(`${school.origin}/api/oauth/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token: later, ...CONFIDENTIAL }),
    })
    expect([introspected.status, await introspected.json()]).toEqual([200, { active: false }])
    const revoked = await fetch(`${school.origin}/api/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: later, client_id: MEI.clientId }),
    })
    expect(revoked.status).toBe(200)
    const after = await fetch(`${school.origin}/api/oauth/userinfo`, { headers: bearer(later) })
    expect(after.status).toBe(401)
  })

  it('takes staff of the other school from registration to the admin API, on the same port', async () => {
    const registered = await postJson(`${school.kiln}/api/oauth/register`, {
      client_name: 'Kiln desk',
      redirect_uris: [REDIRECT],
    })
    expect(registered.status).toBe(201)
    const { client_id: clientId } = (await registered.json()) as { client_id: string }
    const person = { clientId, email: 'hao-yu.lin@example.com', scope: 'openid courses:read' }
    const tokens = await signIn(school.kiln, person)
    expect(tokens).not.toHaveProperty('id_token')
    const ask = (origin: string): Promise<Response> =>
      fetch(`${origin}/api/v1/courses`, { headers: bearer(tokens.access_token) })
    expect((await ask(school.kiln)).status).toBe(200)
    const there = await ask(school.origin)
    expect(there.status).toBe(401)
    expect(there.headers.get('www-authenticate')).toContain(
      `resource_metadata="${school.origin}/.well-known/oauth-protected-resource"`,
    )
  })

  it('serves the admin API to staff, with its limit', async () => {
    const { access_token: accessToken } = await signIn(school.origin, INES)
    const answer = await fetch(`${school.origin}/api/v1/courses?limit=1`, {
      headers: bearer(accessToken),
    })
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([
      200,
      '"grant";q=100;w=60',
    ])
    expect(await answer.json()).toMatchObject({ data: [{ id: expect.any(String) as unknown }] })
    const course = await fetch(`${school.origin}/api/v1/courses/crs_l01`, {
      headers: bearer(accessToken),
    })
    expect(await course.json()).toMatchObject({ id: 'crs_l01' })
  })

  it('shows the pages behind the sign-in', async () => {
    const browser = createFormBrowser(school.origin)
    const { email } = INES
    const asked = await browser.open('/oauth/applications')
    const page = await browser.submit(asked, { email, password: 'hallpass-demo' }, 'Sign in')
    expect([page.status, page.url.pathname]).toEqual([200, '/oauth/applications'])
    expect(page.text).toContain('Study Buddy')
    const detail = await browser.open('/oauth/applications/study-buddy')
    expect([detail.status, detail.text.includes('study-buddy')]).toEqual([200, true])
    const connected = await browser.open('/oauth/authorized_applications')
    expect([connected.status, connected.text.includes('Connected apps')]).toEqual([200, true])
    const home = await browser.submit(await browser.open('/'), {}, 'Sign out')
    expect(home.text).not.toContain('Hello,')
  })

  describe.each([
    ['version 1', connectOld],
    ['version 2', connectNew],
  ] as const)('to the official MCP client of %s', (_name, connect) => {
    it('offers the tools of its caller and calls them', async () => {
      const { access_token: accessToken } = await signIn(school.origin, MEI)
      const nobody = await connect(school.origin)
      const mei = await connect(school.origin, accessToken)
      const atKiln = await connect(school.kiln)
      expect(await nobody.listTools()).not.toContain('get_my_profile')
      expect(await mei.listTools()).toContain('get_my_profile')
      expect(await mei.callTool('get_my_profile')).toMatchObject({
        structuredContent: { data: { name: 'Mei-Ling Chou' } },
      })
      expect(await nobody.callTool('get_school_info')).toMatchObject({
        structuredContent: { data: { name: 'Lantern Street Drawing School' } },
      })
      expect(await atKiln.callTool('get_school_info')).toMatchObject({
        structuredContent: { data: { name: 'Kiln & Coil Pottery' } },
      })
      await Promise.all([nobody.close(), mei.close(), atKiln.close()])
    })
  })

  it.each(['evil.example', '127.0.0.1', 'localhost.evil.example', '[::1]', 'localhost:1'])(
    'answers for no other host: %s',
    async (host) => {
      const paths = ['/', '/.well-known/openid-configuration', '/api/v1/courses', '/mcp', '/a/b']
      for (const path of paths) {
        const { status, text } = await send(school.origin, { path, headers: { host } })
        expect([path, status, text]).toEqual([
          path,
          421,
          'No school on this server has this host name.\n',
        ])
      }
    },
  )

  it.each([
    ['/docs/%', 404, 'text/html; charset=utf-8'],
    ['/oauth/interaction/%ff', 400, 'text/html; charset=utf-8'],
    ['/api/v1/courses/%ff', 401, 'application/problem+json; charset=utf-8'],
    ['/nowhere/%c0%af?x=%', 404, 'text/html; charset=utf-8'],
  ])(
    'does not fail on a path that it cannot decode, and shows nothing of the program: %s [LOG-04]',
    async (path, status, type) => {
      const { text, ...answer } = await send(school.origin, { path })
      expect([answer.status, answer.headers['content-type']]).toEqual([status, type])
      expect(text).not.toMatch(/URIError|node_modules|\bat \w+ \(|\.[jt]s:\d+/)
    },
  )

  it.each(['/docs/%41', '/docs/100%25', '/%E5%BA%83', '/?q=%'])(
    'goes on with a path that it can decode: %s',
    async (path) => {
      expect((await send(school.origin, { path })).status).toBeLessThan(500)
    },
  )

  it('leads nobody to the address in a target of absolute form [DISC-16]', async () => {
    for (const path of ['http://evil.example/docs', 'https://evil.example/', 'HTTP://evil.example'])
      expect(await send(school.origin, { path })).toMatchObject({
        status: 421,
        headers: expect.not.objectContaining({ location: expect.anything() as unknown }) as unknown,
      })
    const own = await send(school.origin, { path: `${school.origin}/auth.md` })
    expect([own.status, own.text.includes(school.origin)]).toEqual([200, true])
  })

  it('opens nothing with two access tokens, in one header or in two [RS-02]', async () => {
    const { access_token: accessToken } = await signIn(school.origin, MEI)
    const one = `Bearer ${accessToken}`
    const path = '/api/oauth/userinfo'
    for (const authorization of [one, `${one}, ${one}`, [one, one], [one, 'Basic eDp5']]) {
      const { status } = await send(school.origin, { path, headers: { authorization } })
      expect([authorization, status]).toEqual([authorization, authorization === one ? 200 : 401])
    }
  })

  it('does not fail on a method that no Request can have', async () => {
    const { status } = await send(school.origin, { method: 'TRACE', path: '/docs' })
    expect(status).toBe(400)
  })

  it.each(['/sign-in', '/sign-out'])('has a page at %s, and no other method', async (path) => {
    const page = await fetch(school.origin + path)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Sign in')])
    expect((await fetch(school.origin + path, { method: 'PUT' })).status).toBe(405)
  })

  it.each([
    '/_not-found',
    '/_not-found/',
    '/_not-found?x=1',
    '/_error',
    '/_global-error',
    '/_document',
    '/_app',
    '/_next/image',
    '/_next/data/x/404.json',
    '/_next/x',
    '/404',
    '/404/',
    '//404',
    '/500',
    '/500?x=1',
  ])('has no page of Next.js, and headers of the school at %s', async (path) => {
    const named = ({ headers, status }: Awaited<ReturnType<typeof send>>): object => ({
      ...headers,
      status,
      'x-request-id': null,
      date: null,
    })
    const should = await send(school.origin, { path: '/nowhere' })
    expect(named(await send(school.origin, { path }))).toEqual(named(should))
    expect(should.headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'") as unknown,
      'cache-control': 'no-store',
    })
  })

  it('fetches no images for anybody', async () => {
    const query = new URLSearchParams({ url: `${school.origin}/a.png`, w: '640', q: '75' })
    const { status, headers } = await fetch(`${school.origin}/_next/image?${query}`)
    expect([status, headers.get('x-powered-by')]).toEqual([404, null])
  })

  it('takes the school from Host alone', async () => {
    const { host } = new URL(school.kiln)
    const forwarded = {
      'x-forwarded-host': new URL(school.origin).host,
      'x-forwarded-proto': 'https',
    }
    const { text } = await send(school.origin, {
      path: '/.well-known/openid-configuration',
      headers: { host: host.toUpperCase(), ...forwarded },
    })
    expect(JSON.parse(text)).toMatchObject({ issuer: school.kiln })
  })

  it('stops reading a body that is too large', async () => {
    const large = 'x'.repeat(2 ** 21)
    const { access_token: accessToken } = await signIn(school.origin, MEI)
    for (const path of ['/api/oauth/register', '/account/graphql', '/mcp']) {
      const answer = await postJson(school.origin + path, { large }, bearer(accessToken))
      expect([path, answer.status]).toEqual([path, 413])
    }
    const form = await fetch(`${school.origin}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ large }),
    })
    expect(form.status).toBe(413)
  })

  it('limits an address, whatever it says of itself [LIM-01]', async () => {
    const page = { origin: 'https://evil.example' }
    /** Sends 55 requests at once, so that what is restored meanwhile is not enough for all. */
    const handful = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
      const answers = await Promise.all(
        Array.from({ length: 55 }, async (_, index) => {
          const answer = await fetch(url, {
            headers: { ...page, 'x-forwarded-for': `203.0.113.${index}`, ...headers },
          })
          const type = answer.headers.get('content-type')
          return { status: answer.status, type, text: await answer.text() }
        }),
      )
      return answers.map((answer) => [answer.status, answer] as const)
    }
    const css = `${school.kiln}/assets/school.css`
    const seen = new Map(await handful(css))
    for (let sent = 55; sent < 605; sent += 55)
      for (const [status, answer] of await handful(css)) seen.set(status, answer)
    expect([...seen.keys()].toSorted((one, other) => one - other)).toEqual([200, 429])
    expect(JSON.parse(seen.get(429)!.text)).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'too many requests from this address: wait for the time in Retry-After',
    })
    const homes = new Map(await handful(school.kiln, { accept: 'text/html' }))
    expect(homes.get(429)?.type).toBe('text/html; charset=utf-8')
    expect((await fetch(school.kiln)).status).toBe(200)
  })

  it('has logged no fault', () => {
    expect(school.output()).not.toMatch(/"type":"fault"|⨯|Error:/)
  })
})

describe('the Next.js example on a PostgreSQL server', () => {
  it('signs somebody in and gives an app what is theirs', async () => {
    const database = await startPostgres(demo)
    onTestFinished(() => database.stop())
    const kept = await startExample({ environment: { DATABASE_URL: database.url } })
    onTestFinished(() => kept.stop('SIGTERM'))
    const tokens = await signIn(kept.origin, MEI)
    const claims = await fetch(`${kept.origin}/api/oauth/userinfo`, {
      headers: bearer(tokens.access_token),
    })
    expect(await claims.json()).toMatchObject({ name: 'Mei-Ling Chou' })
    expect(kept.output()).toContain('Data is stored in PostgreSQL.')
  })
})

describe('the Next.js example behind a proxy', () => {
  let proxied: RunningExample
  beforeAll(async () => {
    proxied = await startExample({ environment: { HALLPASS_TRUST_PROXY: '1' } })
  })
  afterAll(() => proxied.stop('SIGTERM'))

  it('limits the last address that it is told [LIM-01]', async () => {
    const ask = async (address: string, sent = 0): Promise<number> => {
      const headers = {
        origin: 'https://evil.example',
        'x-forwarded-for': `203.0.113.${sent}, ${address}`,
      }
      return (await fetch(`${proxied.origin}/api/oauth/register`, { headers })).status
    }
    for (let sent = 0; sent < 60; sent++) expect(await ask('198.51.100.7', sent)).toBe(405)
    expect([await ask('198.51.100.7'), await ask('198.51.100.8')]).toEqual([429, 405])
  })

  it('slows down who guesses passwords, not who else may know them', async () => {
    const page = await fetch(proxied.origin)
    const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!
    const token = /name="csrf_token" value="([^"]+)"/.exec(await page.text())![1]!
    const guess = async (address: string): Promise<number> => {
      const answer = await fetch(`${proxied.origin}/sign-in`, {
        method: 'POST',
        headers: { origin: proxied.origin, cookie, 'x-forwarded-for': address },
        body: new URLSearchParams({ csrf_token: token, email: MEI.email, password: 'guess' }),
      })
      return answer.status
    }
    for (let tried = 0; tried < 6; tried++) expect(await guess('198.51.100.7')).toBe(403)
    expect([await guess('198.51.100.7'), await guess('198.51.100.8')]).toEqual([429, 403])
  })
})

describe('the Next.js example, started wrongly', () => {
  it.each([
    [{ HALLPASS_SECRET: 'short' }, 'HALLPASS_SECRET must have 32 characters or more'],
    [
      { LANTERN_ORIGIN: 'http://127.0.0.1', KILN_ORIGIN: 'https://127.0.0.1' },
      'name the same host',
    ],
  ])('says so and ends: %j', async (environment, text) => {
    const folder = dataFolder()
    const { ended, output, stop } = await spawnNextExample({
      PORT: String(await freePorts()),
      HALLPASS_DATA_DIR: folder.path,
      ...environment,
    })
    onTestFinished(async () => {
      await stop()
      folder.remove()
    })
    expect([await ended, output()]).toEqual([1, expect.stringContaining(text)])
  })
})

interface Connected {
  readonly listTools: () => Promise<readonly string[]>
  readonly callTool: (name: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

const INFO = { name: 'tools-of-mei', version: '1.0.0' }

async function connectOld(origin: string, accessToken?: string): Promise<Connected> {
  const client = new OldClient(INFO)
  const transport = new OldTransport(new URL('/mcp', origin), requestInit(accessToken))
  await client.connect(transport)
  return connected(client)
}

async function connectNew(origin: string, accessToken?: string): Promise<Connected> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new NewTransport(new URL('/mcp', origin), requestInit(accessToken)))
  return connected(client)
}

const requestInit = (accessToken?: string) =>
  accessToken === undefined ? {} : { requestInit: { headers: bearer(accessToken) } }

const connected = (client: OldClient | NewClient): Connected => ({
  listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
  callTool: (name) => client.callTool({ name, arguments: {} }),
  close: () => client.close(),
})
