import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { SiteOptions } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../examples/express/src/app.js'
import { readEnvironment } from '../../examples/school/src/platform/environment.js'
import { networkOf, openCounters } from '../../examples/school/src/platform/counters.js'
import { createLimiter } from '../../examples/school/src/platform/limited.js'
import { addressOf } from '../../examples/school/src/platform/request-context.js'
import { createRequests } from '../../examples/school/src/platform/requests.js'
import {
  createLimits,
  type Limits,
  type RateName,
  RATES,
} from '../../examples/school/src/platform/limits.js'
import { createPayers } from '../../examples/school/src/platform/payer.js'
import type { SchoolSite } from '../../examples/school/src/school-site.js'
import { createRefusals, tooMany } from '../../examples/school/src/pages/too-many.js'
import { LANTERN } from '../../examples/school/src/sites.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { openPort } from '../support/processes/ports.js'
import { REDIRECT } from '../support/school/flow.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt, signInAtDesk } from '../support/http/running-flow.js'
import { createSchool, ISSUER } from '../support/school/school.js'

/** A page of anyone, whose readers are at the same address as others. */
const EVIL = 'https://evil.example'

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Answered> {
  const answer = await fetch(url, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const listCourses = ({ origin }: RunningExample, accessToken: string): Promise<Answered> =>
  get(`${origin}/api/v1/courses?limit=1`, { authorization: `Bearer ${accessToken}` })

/** Registers an app on this computer. */
async function registerAt(
  origin: string,
  headers: Record<string, string> = {},
  path = '/api/oauth/register',
): Promise<Answered> {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ client_name: 'One of many', redirect_uris: [REDIRECT] }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

function expectToWait({ status, headers, text }: Answered): void {
  expect([status, JSON.parse(text)]).toEqual([
    429,
    {
      error: 'temporarily_unavailable',
      error_description: 'too many requests from this address: wait for the time in Retry-After',
    },
  ])
  const wait = Number(headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

/** How often each status came, of so many requests that are sent in handfuls. */
async function statusesOf(
  times: number,
  send: () => Promise<Pick<Answered, 'status'>>,
): Promise<Readonly<Record<number, number>>> {
  const counts: Record<number, number> = {}
  // More at a time would wait for the database longer than it lets them, on a busy machine.
  for (let sent = 0; sent < times; sent += 10) {
    const handful = Array.from({ length: Math.min(10, times - sent) }, send)
    for (const { status } of await Promise.all(handful)) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

/**
 * How often each status came, of so many requests for the stylesheet's head that one connection sends
 * without waiting for answers. A thousand of `fetch` would cost this process two seconds.
 */
async function statusesOfCss(origin: string, times: number): Promise<Record<number, number>> {
  const { hostname, port, host } = new URL(origin)
  const counts: Record<number, number> = {}
  // A server refuses more than a hundred requests in progress.
  for (let left = times; left > 0; left -= 50) {
    const socket = connect(Number(port), hostname)
    const request = `HEAD /assets/school.css HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    socket.end(request.repeat(Math.min(left, 50)))
    for (const [, status] of (await textOf(socket)).matchAll(/^HTTP\/1\.1 (\d+)/gm))
      counts[Number(status)] = (counts[Number(status)] ?? 0) + 1
  }
  return counts
}

/** Starts the example for the tests of one block. */
function startFor(environment: Readonly<Record<string, string>> = {}): () => RunningExample {
  let running: RunningExample
  beforeAll(async () => {
    running = await startExample({ environment })
  })
  afterAll(() => running.stop())
  return () => running
}

describe('the example', () => {
  const school = startFor()

  it('refuses a request with two Host lines, which a proxy may read otherwise', async () => {
    const { hostname, port, host } = new URL(school().origin)
    const other = new URL(school().kiln).host
    for (const path of ['/', '/livez', '/api/v1/courses', '/_next/x']) {
      const socket = connect(Number(port), hostname)
      socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nHost: ${other}\r\n\r\n`)
      expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 /)
    }
  })

  describe('a grant at the admin API', () => {
    it('has a hundred requests in a minute, and is told how many are left [LIM-01]', async () => {
      const token = await signInAtDesk(school().origin, { email: 'ines.duarte@example.com' })
      const other = await signInAtDesk(school().origin, { email: 'ines.duarte@example.com' })
      const first = await listCourses(school(), token)
      expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([
        200,
        '"grant";q=100;w=60',
      ])
      expect(first.headers.get('ratelimit')).toMatch(/^"grant";r=99;t=(?:60|[1-5]\d)$/)

      expect(await statusesOf(99, () => listCourses(school(), token))).toEqual({ 200: 99 })
      const { status, headers, text } = await listCourses(school(), token)
      expect([status, headers.get('content-type'), headers.get('ratelimit-policy')]).toEqual([
        429,
        'application/problem+json; charset=utf-8',
        '"grant";q=100;w=60',
      ])
      const wait = headers.get('retry-after')
      expect(Number(wait)).toBeGreaterThan(0)
      expect(Number(wait)).toBeLessThanOrEqual(60)
      expect(headers.get('ratelimit')).toBe(`"grant";r=0;t=${wait}`)
      expect(JSON.parse(text)).toMatchObject({ code: 'rate_limited', status: 429 })

      const elsewhere = await listCourses(school(), other)
      expect([elsewhere.status, elsewhere.headers.get('ratelimit')]).toEqual([
        200,
        expect.stringMatching(/^"grant";r=99;/),
      ])
    })

    it('is told so in /auth.md', async () => {
      const { text } = await get(`${school().origin}/auth.md`)
      expect(text).toContain('The admin API: 100 requests in 1 minute for each grant.')
    })
  })

  describe('a registration', () => {
    it('of pages is answered sixty times in a minute, and the next time told to wait [REG-24]', async () => {
      const register = (origin: string) => registerAt(school().origin, { origin })
      expect(await statusesOf(60, () => register(EVIL))).toEqual({ 201: 60 })
      expectToWait(await register(EVIL))
      // A page may be of as many sites as its author likes.
      expectToWait(await register('https://another.example'))
      expect((await registerAt(school().origin)).status).toBe(201)
    })

    it('is counted with the network that it comes from, and so is no other request [REG-24]', async () => {
      const { ofSender, ofEndpoint } = await openLimits({ register: 6 })
      const app = await listen(ofSender, { trustProxy: true, ofEndpoint })
      let count = 0
      const from = (network: string) => ({
        'x-forwarded-for': `${network}:${(++count).toString(16)}`,
      })
      const here = () => registerAt(app.origin, from('2001:db8:0:1:aaaa:bbbb:cccc'))
      expect(await statusesOf(60, here)).toEqual({ 201: 60 })
      expectToWait(await here())
      const there = await registerAt(app.origin, from('2001:db8:0:2:aaaa:bbbb:cccc'))
      const page = await get(app.origin, from('2001:db8:0:1:aaaa:bbbb:cccc'))
      app.close()
      expect([there.status, page.status]).toEqual([201, 200])
    })
  })

  describe('an address', () => {
    it('has six thousand requests in a minute, whatever it says of itself [LIM-01]', async () => {
      expect(await statusesOfCss(school().kiln, 6010)).toEqual({ 200: 6000, 429: 10 })

      const forwarded = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }
      expectToWait(await get(`${school().kiln}/assets/school.css`, forwarded))
    })

    it('is the one that the connection comes from, and its wait is what it is told', async () => {
      const asked: unknown[] = []
      const app = await listen(async ({ address, headers }) => {
        asked.push([address, headers.get('x-forwarded-for')])
        return asked.length === 1 ? 7 : 0
      })
      const forwarded = { 'x-forwarded-for': '203.0.113.9' }
      const [busy, free] = [await get(`${app.origin}/busy?a=1`, forwarded), await get(app.origin)]
      app.close()
      expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7'])
      expect([free.status, free.text]).toEqual([200, 'home'])
      expect(asked).toEqual([
        ['127.0.0.1', '203.0.113.9'],
        ['127.0.0.1', null],
      ])
    })

    it('is the last one that a proxy in front names, where that is trusted', async () => {
      const addresses: unknown[] = []
      const ofSender: SchoolSite['ofSender'] = async ({ address }) => {
        addresses.push(address)
        return 0
      }
      const { trustProxy } = readEnvironment({ HALLPASS_TRUST_PROXY: '1' })
      const app = await listen(ofSender, { trustProxy })
      await get(app.origin, { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' })
      await get(app.origin)
      app.close()
      expect(addresses).toEqual(['198.51.100.7', '127.0.0.1'])
      expect(readEnvironment({}).trustProxy).toBe(false)
    })

    it('spends from the budget of its network [LIM-09]', async () => {
      const { ofSender, ofEndpoint } = await openLimits()
      const app = await listen(ofSender, {
        ofEndpoint,
        trustProxy: true,
        allowances: { registrationsOfNetwork: { amount: 3, seconds: 600 } },
      })
      const register = (address: string): Promise<Answered> =>
        registerAt(app.origin, { 'x-forwarded-for': address })
      expect(await statusesOf(4, () => register('2001:db8::1'))).toEqual({ 201: 3, 429: 1 })
      expect((await register('2001:db8::2')).headers.get('retry-after')).toBe('200')
      expect((await register('2001:db8:0:1::1')).status).toBe(201)
      app.close()
    })

    it.each([
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
      ['2001:DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
      ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
      ['fe80::1%eth0', 'fe80::/64'],
      ['::1', '::/64'],
      ['192.0.2.1, 198.51.100.1', 'unknown'],
      ['', 'unknown'],
      [null, 'unknown'],
    ])('is counted with its network: %s [LIM-02]', (address, network) => {
      expect(networkOf(address)).toBe(network)
    })
  })
})

describe('an endpoint', () => {
  const school = startFor()

  it('counts its requests however its path is spelled [REG-24]', async () => {
    const paths = ['/api/oauth/register', '/api/oauth/Register', '/api/oauth/register/']
    let sent = 0
    const counts = await statusesOf(120, () =>
      registerAt(school().kiln, { origin: EVIL }, paths[sent++ % 3]),
    )
    expect(counts[201]).toBe(60)
    // Next.js has no page at the second spelling.
    expect((counts[429] ?? 0) + (counts[404] ?? 0)).toBe(60)
  })

  it('has a limit for each payer at an address, and responds in its own format [LIM-01]', async () => {
    const { origin } = school()
    const page = EVIL
    const tokens = {
      graphql: await signInAtDesk(origin, { email: 'ines.duarte@example.com' }),
      userinfo: await signInAtDesk(origin, { email: 'tomasz.wilk@example.com' }),
    }
    const post = (
      path: string,
      body: URLSearchParams | string,
      headers = {},
      at = origin,
    ): Promise<Response> =>
      fetch(at + path, { method: 'POST', body, headers: { origin: page, ...headers } })
    const form = new URLSearchParams({ client_id: 'study-buddy' })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const json = { 'content-type': 'application/json' }
    const isNext = process.env['HALLPASS_TEST_EXAMPLE'] === 'nextjs'
    const spelled = isNext ? '/api/oauth/token/' : '/API/oauth/token/'
    const senders: Readonly<Record<RateName, () => Promise<Response>>> = {
      token: () => post(spelled, form),
      authorize: () =>
        fetch(`${origin}/oauth/authorize?client_id=study-buddy`, { headers: { origin: page } }),
      introspect: () => post('/api/oauth/introspect', form),
      revoke: () => post('/api/oauth/revoke', form),
      register: () => post('/api/oauth/register', '{}', json),
      userinfo: () =>
        fetch(`${origin}/api/oauth/userinfo`, {
          headers: { origin: page, ...bearer(tokens.userinfo) },
        }),
      graphql: () => post('/account/graphql', '{}', { ...json, ...bearer(tokens.graphql) }),
      // At the other school: here pages have 600 requests in all.
      anonymousMcp: () => post('/mcp', '{}', json, school().kiln),
    }
    const limits: Record<string, unknown> = {}
    const bodies: Record<string, unknown> = {}
    for (const [name, send] of Object.entries(senders)) {
      // What the page has, and then what the person behind the token has.
      const payers = name in tokens ? 2 : 1
      const counts = await statusesOf(payers * RATES[name as RateName] + 5, async () => {
        const answer = await send()
        await answer.body?.cancel()
        return answer
      })
      // A request is refused as well if the limit learns too late whose its token is.
      limits[name] = name in tokens ? Math.min(counts[429] ?? 0, 5) : counts[429]
      const refused = await send()
      const text = await refused.text()
      expect([name, refused.status]).toEqual([name, 429])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      bodies[name] = text.startsWith('{') ? JSON.parse(text) : refused.headers.get('content-type')
    }
    expect(limits).toEqual(Object.fromEntries(Object.keys(senders).map((name) => [name, 5])))
    const message = 'too many requests from this address: wait for the time in Retry-After'
    const oauth = { error: 'temporarily_unavailable', error_description: message }
    const errors = [
      { message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) } },
    ]
    expect(bodies).toEqual({
      token: oauth,
      authorize: 'text/html; charset=utf-8',
      introspect: oauth,
      revoke: oauth,
      register: oauth,
      userinfo: oauth,
      graphql: { ...oauth, errors },
      anonymousMcp: { jsonrpc: '2.0', id: null, error: { code: -32000, message } },
    })

    // Pages spend nothing of what others in their network have.
    const program = await fetch(`${origin}/api/oauth/token`, { method: 'POST', body: form })
    expect(program.status).toBe(400)
    const headers = { ...json, ...bearer(tokens.graphql) }
    expect((await fetch(`${origin}/mcp`, { method: 'POST', body: '{}', headers })).status).toBe(400)
  })

  it('has ten times that limit for an address, whatever its clients are called, but for codes and tokens [LIM-01]', async () => {
    const { origin } = school()
    const url = authorizeUrl(origin, { scope: 'openid account:read offline_access' })
    const callback = await signInAndAllow(createFormBrowser(origin), url, {
      email: 'tomasz.wilk@example.com',
    })
    let sent = 0
    let refused = 0
    // The minute of the limit may begin anew meanwhile.
    for (; refused === 0 && sent < 1300; sent += 50) {
      const counts = await statusesOf(50, () =>
        fetch(`${origin}/api/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: `client-${crypto.randomUUID()}` }),
        }),
      )
      refused = counts[429] ?? 0
    }
    // The two sign-ins and one request of another test may have been in the same minute.
    expect([refused > 0, sent - refused > 590]).toEqual([true, true])

    const redeemed = await redeemAt(origin, callback.searchParams.get('code')!)
    const { refresh_token: token } = (await redeemed.json()) as { refresh_token: string }
    const form = (fields: Record<string, string>) =>
      new URLSearchParams({ client_id: 'study-buddy', ...fields })
    const post = (path: string, body: URLSearchParams): Promise<Response> =>
      fetch(origin + path, { method: 'POST', body })
    const refresh = (refreshToken: string): Promise<Response> =>
      post(
        '/api/oauth/token',
        form({ grant_type: 'refresh_token', refresh_token: refreshToken, resource: origin }),
      )
    const [refreshed, guessed] = [await refresh(token), await refresh(`${token}x`)]
    expect([redeemed.status, refreshed.status, guessed.status]).toEqual([200, 200, 429])
  })

  it('leaves a form that is too long to the endpoint [LIM-03]', async () => {
    const answer = await fetch(`${school().origin}/api/oauth/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'other', token: 'x'.repeat(2 ** 20) }),
    })
    expect(answer.status).toBe(413)
  })
})

describe('a person whose password others guess', () => {
  const school = startFor({ HALLPASS_TRUST_PROXY: '1' })
  const OWNER = 'ines.duarte@example.com'

  /** A browser behind an address: it signs in with its cookies, and keeps those that it gets. */
  function browserAt(
    cookies = new Map<string, string>(),
  ): (address: string, password: string) => Promise<Response> {
    return async (address, password) => {
      const headers = (): Record<string, string> => ({
        'x-forwarded-for': address,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      })
      const keep = (answer: Response): void => {
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
          cookies.set(name!, value!)
        }
      }
      const page = await fetch(school().origin, { headers: headers() })
      keep(page)
      const [, token] = /name="csrf_token" value="([^"]+)"/.exec(await page.text())!
      const answer = await fetch(`${school().origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers(), origin: school().origin },
        body: new URLSearchParams({ csrf_token: token!, email: OWNER, password }),
      })
      await answer.body?.cancel()
      keep(answer)
      return answer
    }
  }

  const guess = async (address: string, times: number): Promise<Record<number, number>> => {
    const signIn = browserAt()
    const counts: Record<number, number> = {}
    for (let index = 0; index < times; index++) {
      const { status } = await signIn(address, `guess ${index}`)
      counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }

  it('signs in from elsewhere, and in a known browser from anywhere, whatever others try [UX-11]', async () => {
    const known = new Map<string, string>()
    expect(await guess('198.51.100.7', 32)).toEqual({ 403: 6, 429: 26 })
    expect((await browserAt(known)('203.0.113.5', 'hallpass-demo')).status).toBe(303)

    for (const last of [8, 9, 10, 11]) await guess(`198.51.100.${last}`, 6)
    expect((await browserAt()('203.0.113.6', 'hallpass-demo')).status).toBe(303)
    const waits = await browserAt()('198.51.100.7', 'hallpass-demo')
    expect([waits.status, Number(waits.headers.get('retry-after')) > 90]).toEqual([429, true])

    const ownCookies = [...known].filter(([name]) => /known/.test(name))
    const signedOut = (): Map<string, string> => new Map(ownCookies)
    expect((await browserAt(signedOut())('203.0.113.5', 'hallpass-demo')).status).toBe(303)
    // Even where a guesser sits.
    expect((await browserAt(signedOut())('198.51.100.7', 'hallpass-demo')).status).toBe(303)

    // A known browser may guess no more often than any other.
    const stolen = browserAt(signedOut())
    const statuses: number[] = []
    for (let index = 0; index < 7; index++)
      statuses.push((await stolen(`192.0.2.${index}`, `guess ${index}`)).status)
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429])
  })
})

describe('HALLPASS_RATE_LIMITS=off', () => {
  const school = startFor({ HALLPASS_RATE_LIMITS: 'off' })

  it('lets a grant and an address ask as often as they like', async () => {
    const token = await signInAtDesk(school().origin, { email: 'ines.duarte@example.com' })
    expect(await statusesOf(101, () => listCourses(school(), token))).toEqual({ 200: 101 })
    const { headers } = await listCourses(school(), token)
    expect([...headers.keys()].filter((name) => /^ratelimit|^retry/.test(name))).toEqual([])
    expect(await statusesOfCss(school().origin, 1210)).toEqual({ 200: 1210 })
  })

  it('is what /auth.md says', async () => {
    const { text } = await get(`${school().origin}/auth.md`)
    expect(text).toContain('## 9. Limits')
    expect(text).not.toMatch(/RateLimit|for each grant/)
  })

  it('does not let anybody guess passwords', async () => {
    const browser = createFormBrowser(school().origin)
    const statuses: number[] = []
    for (let index = 0; index < 7; index++) {
      const guess = { email: 'tomasz.wilk@example.com', password: `guess ${index}` }
      const { status } = await browser.submit(await browser.open('/'), guess, 'Sign in')
      statuses.push(status)
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429])
  })

  it('is one of two words', () => {
    const limits = (value?: string): boolean =>
      readEnvironment({ HALLPASS_RATE_LIMITS: value }).rateLimits
    expect([limits(), limits(''), limits('on'), limits('off')]).toEqual([true, true, true, false])
    expect(() => limits('0')).toThrow('HALLPASS_RATE_LIMITS must be on or off')
  })
})

describe('the limit of an account', () => {
  it('leaves no timer behind when the store has responded', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const limiter = createLimiter({
      ofEndpoint: async () => 0,
      store: createMemoryStore(),
      refusals: createRefusals({ site: LANTERN, origin: ISSUER }),
    })
    const { server } = await createSchool()
    const { userinfo } = limiter.server(server)
    const before = timers()
    const headers = { authorization: 'Bearer unknown' }
    for (let sent = 0; sent < 50; sent++)
      await userinfo(new Request(`${ISSUER}/api/oauth/userinfo`, { headers }), { address: null })
    // Other tests of this process have some as well.
    expect(timers() - before).toBeLessThan(25)
  })
})

/** Limits in this process, with some rates of their own. */
const openLimits = async (
  rates: Partial<Record<keyof typeof RATES, number>> = {},
): Promise<Limits> =>
  createLimits(await openCounters({ redisUrl: null }), {
    payerOf: createPayers({ origin: ISSUER, accountOf: () => null }),
    rates: { ...RATES, ...rates },
  })

/** The application of a school of which nothing is there but the home page. */
async function listen(
  ofSender: SchoolSite['ofSender'],
  {
    ofEndpoint = null,
    allowances = {},
    ...options
  }: Parameters<typeof createApp>[1] & Partial<Limits> & Pick<SiteOptions, 'allowances'> = {},
): Promise<{ origin: string; close: () => void }> {
  const { server, store } = await createSchool({
    options: {
      networkOf: (request) => networkOf(addressOf(request)),
      allowances,
    },
  })
  const refusals = createRefusals({ site: LANTERN, origin: ISSUER })
  const limiter = createLimiter({ ofEndpoint, store, refusals })
  const nothing = (): Response => new Response(null, { status: 404 })
  const site = {
    origin: ISSUER,
    server: limiter.server(server),
    ofSender,
    account: { graphql: nothing, schema: nothing },
    mcp: nothing,
    admin: { endpoint: nothing, openapi: nothing, authMd: nothing, reference: nothing },
    home: () => new Response('home'),
    health: { livez: nothing, readyz: nothing },
    requests: createRequests({ site: LANTERN.id, log: () => {} }),
    busy: (_request: Request, seconds: number) => tooMany(seconds),
    notFound: nothing,
  } as unknown as SchoolSite
  const http = createServer(createApp(site, options))
  const port = await openPort(http)
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => void http.close(),
  }
}
