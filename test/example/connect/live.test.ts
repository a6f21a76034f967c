import { describe, expect, it } from 'vitest'
import { createLive, type Live } from '../../../examples/school/src/connect/live.js'
import { labelOf } from '../../../examples/school/src/connect/watches.js'
import type { LimitedServer } from '../../../examples/school/src/platform/limited.js'
import { T } from '../../support/school/school.js'

const HOSTED = 'https://lantern.example'
const LOCAL = 'http://127.0.0.1:6450'
const HERE = { address: '127.0.0.1' }
const OFFICE = { address: '203.0.113.7' }

/** The attempt that the endpoint says the current request belongs to. */
let attemptId: string | undefined
let status = 200
let clock = T
let live: Live
let server: LimitedServer
let mcp: ReturnType<Live['mcp']>

function open(origin: string): void {
  clock = T
  status = 200
  live = createLive({
    origin,
    site: 'site_lantern',
    pages: [origin, 'http://127.0.0.1:6451'],
    attemptOf: async (token) => (token === 'unknown' ? null : `att_of_${token}`),
    now: () => clock,
  })
  const endpoint = async (): Promise<Response> => {
    live.note({ at: clock, ...(attemptId !== undefined && { attemptId }) })
    return new Response(null, { status })
  }
  const every = new Proxy({}, { get: () => endpoint, ownKeys: () => [] }) as LimitedServer
  server = live.server(every)
  mcp = live.mcp(endpoint)
}

/** A browser that has opened the page. */
function visitor(origin: string, context = OFFICE) {
  const first = live.visit(new Request(`${origin}/connect`), context, { begins: 'again' })
  const cookie = first.cookie.split(';', 1)[0]!
  const request = (path: string, headers: Record<string, string> = {}): Request =>
    new Request(origin + path, { headers: { cookie, ...headers } })
  return {
    label: first.label,
    cookie,
    request,
    watch: () => live.visit(request('/connect/steps'), context, { begins: null }).watch,
  }
}

async function ask(name: keyof LimitedServer, request: Request, id: string, context = OFFICE) {
  attemptId = id
  await server[name](request, context)
  attemptId = undefined
}

describe('a hosted demo shows a visitor', () => {
  it('what their own browser authorizes, and nothing of another in the same network [UX-23]', async () => {
    open(HOSTED)
    const [ann, bob] = [visitor(HOSTED), visitor(HOSTED)]
    await ask('authorize', ann.request('/oauth/authorize'), 'att_ann')
    expect(ann.watch().attempts).toEqual(['att_ann'])
    expect(bob.watch().attempts).toEqual([])
  })

  it('no registration, no exchange and no metadata of their network [UX-23]', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    for (const name of ['register', 'token', 'authorize', 'signedInResourceMetadata'] as const)
      await ask(name, new Request(`${HOSTED}/x`), 'att_other')
    expect(ann.watch()).toMatchObject({ attempts: [], asked: false, discovered: false })
  })

  it('nothing of this computer either: an address of the proxy is that of everyone [UX-23]', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED, HERE)
    await ask('register', new Request(`${HOSTED}/api/oauth/register`), 'att_other', HERE)
    expect(ann.watch().attempts).toEqual([])
  })

  it('a challenge of the address with their label, and the attempt of the token that calls it', async () => {
    open(HOSTED)
    const [ann, bob] = [visitor(HOSTED), visitor(HOSTED)]
    const address = `${HOSTED}/mcp/signed-in?watch=${ann.label}`
    status = 401
    await mcp(new Request(address), OFFICE)
    expect(ann.watch()).toMatchObject({ asked: true, attempts: [] })
    status = 200
    const call = (token: string): Request =>
      new Request(address, { headers: { authorization: `Bearer ${token}` } })
    await mcp(call('unknown'), OFFICE)
    expect(ann.watch().attempts).toEqual([])
    await mcp(call('t1'), OFFICE)
    await mcp(call('t2'), OFFICE)
    expect(ann.watch().attempts).toEqual(['att_of_t1'])
    expect(bob.watch()).toMatchObject({ asked: false, attempts: [] })
  })

  it('nothing of someone in another network who was given their address [UX-23]', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    const address = `${HOSTED}/mcp/signed-in?watch=${ann.label}`
    const elsewhere = { address: '198.51.100.1' }
    status = 401
    await mcp(new Request(address), elsewhere)
    status = 200
    const headers = { authorization: 'Bearer theirs' }
    await mcp(new Request(address, { headers }), elsewhere)
    await ask('authorize', new Request(address), 'att_theirs', elsewhere)
    expect(ann.watch()).toMatchObject({ asked: false, attempts: [] })
  })

  it('nothing by a label alone: it opens only what has the secret of the browser [UX-23]', () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    expect(ann.cookie).toMatch(/^__Host-connect=[\w-]{43}$/)
    expect(ann.label).toBe(labelOf(ann.cookie.split('=')[1]!))
    expect(ann.cookie).not.toContain(ann.label)
    const thief = new Request(`${HOSTED}/connect/steps?watch=${ann.label}`, {
      headers: { cookie: `__Host-connect=${ann.label}` },
    })
    expect(live.visit(thief, OFFICE, { begins: null }).label).not.toBe(ann.label)
  })

  it('a cookie that only its own pages receive', () => {
    open(HOSTED)
    const { cookie } = live.visit(new Request(HOSTED), OFFICE, { begins: 'again' })
    expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$|HttpOnly.*Secure.*SameSite=Lax/)
    open(LOCAL)
    expect(live.visit(new Request(LOCAL), HERE, { begins: 'again' }).cookie).toMatch(
      /^connect_site_lantern=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('a demo on this computer shows its visitor', () => {
  it('each client on this computer, from the metadata on', async () => {
    open(LOCAL)
    const ann = visitor(LOCAL, HERE)
    await ask('protectedResourceMetadata', new Request(`${LOCAL}/x`), 'att_0', HERE)
    expect(ann.watch().discovered).toBe(true)
    await ask('register', new Request(`${LOCAL}/api/oauth/register`), 'att_1', HERE)
    await ask('token', new Request(`${LOCAL}/api/oauth/token`), 'att_1', {
      address: '::ffff:127.0.0.1',
    })
    expect(ann.watch().attempts).toEqual(['att_0', 'att_1'])
  })

  it.each([
    ['a client elsewhere', {}, OFFICE, ''],
    ['a client without an address', {}, { address: null }, ''],
    ['a page of the demo', { 'sec-fetch-site': 'same-origin' }, HERE, ''],
    ['a page of its neighbor', { origin: 'http://127.0.0.1:6451' }, HERE, ''],
    ['what comes through a tunnel', { host: 'school.tunnel.example' }, HERE, ''],
    ['an address with the label of someone else', {}, HERE, '?watch=abcdefghijklmnopqrstuv'],
  ])('nothing of %s [UX-23]', async (_, headers: Record<string, string>, context, query) => {
    open(LOCAL)
    const ann = visitor(LOCAL, HERE)
    const request = withHeaders(new Request(`${LOCAL}/api/oauth/register${query}`), headers)
    await ask('register', request, 'att_other', context as typeof HERE)
    expect(ann.watch()).toMatchObject({ attempts: [], discovered: false })
  })

  it('nothing, if the page itself came through a tunnel or from elsewhere [UX-23]', async () => {
    open(LOCAL)
    for (const [headers, context] of [
      [{ host: 'school.tunnel.example' }, HERE],
      [{}, OFFICE],
    ] as const) {
      const page = withHeaders(new Request(`${LOCAL}/connect`), headers)
      const { watch } = live.visit(page, context, { begins: 'again' })
      await ask('register', new Request(`${LOCAL}/api/oauth/register`), 'att_other', HERE)
      expect(watch.isLocal).toBe(false)
      expect(watch.attempts).toEqual([])
    }
  })
})

describe('what is watched', () => {
  it('has the newest attempt last, each once, and at most eight', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    for (const id of ['a', 'b', 'a', 'a'])
      await ask('authorize', ann.request('/oauth/authorize'), id)
    expect(ann.watch().attempts).toEqual(['b', 'a'])
    for (let index = 0; index < 8; index++)
      await ask('authorize', ann.request('/oauth/authorize'), `n${index}`)
    expect(ann.watch().attempts).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'])
  })

  it('goes on when the page is opened again, and is forgotten when it begins anew', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    await ask('authorize', ann.request('/oauth/authorize'), 'a')
    clock += 100
    const opened = live.visit(ann.request('/connect'), OFFICE, { begins: 'again' })
    expect(opened.watch).toMatchObject({ since: T + 100, changedAt: T, attempts: ['a'] })
    const anew = live.visit(ann.request('/connect'), OFFICE, { begins: 'anew' })
    expect(anew.label).toBe(ann.label)
    expect(anew.watch).toMatchObject({ since: T + 100, changedAt: null, attempts: [] })
  })

  it('ends an hour after the page was opened', async () => {
    open(HOSTED)
    const ann = visitor(HOSTED)
    clock = T + 3600
    await ask('authorize', ann.request('/oauth/authorize'), 'a')
    expect(ann.watch().attempts).toEqual(['a'])
    clock = T + 3601
    await ask('authorize', ann.request('/oauth/authorize'), 'b')
    expect(ann.watch().attempts).toEqual(['a'])
  })

  it('is that of each page of a class, whatever a visitor loads anew or others open [UX-23]', async () => {
    open(HOSTED)
    const pages = Array.from({ length: 30 }, () => visitor(HOSTED))
    for (const [index, page] of pages.entries())
      await ask('authorize', page.request('/oauth/authorize'), `att_${index}`)
    const askAll = (): void => pages.forEach(({ watch }) => void watch())
    for (let times = 0; times < 10; times++) {
      for (let index = 0; index < 69; index++) visitor(HOSTED)
      askAll()
    }
    for (let times = 0; times < 3; times++) {
      for (let index = 0; index < 900; index++)
        visitor(HOSTED, { address: `192.0.${index >> 8}.${index & 255}` })
      askAll()
    }
    const seen = pages.map(({ watch }) => watch().attempts)
    expect(seen).toEqual(pages.map((_, index) => [`att_${index}`]))
  })

  it('is forgotten where a page no longer asks, beyond 100 of a network and 1,000 in all [UX-23]', async () => {
    open(HOSTED)
    const [first, second] = [visitor(HOSTED), visitor(HOSTED)]
    const seen = async (page: typeof first): Promise<readonly string[]> => {
      await ask('authorize', page.request('/oauth/authorize'), 'a')
      return page.watch().attempts
    }
    for (let index = 0; index < 99; index++) visitor(HOSTED)
    expect([await seen(second), await seen(first)]).toEqual([['a'], []])
    for (let index = 0; index < 1000; index++)
      visitor(HOSTED, { address: `192.0.${index >> 8}.${index & 255}` })
    second.watch()
    expect(await seen(visitor(HOSTED))).toEqual(['a'])
    expect(second.watch().attempts).toEqual([])
  })
})

/** The same request, with headers that only a server receives. */
function withHeaders(request: Request, headers: Readonly<Record<string, string>>): Request {
  const get = (name: string): string | null => headers[name] ?? request.headers.get(name)
  return new Proxy(request, {
    get: (target, name) =>
      name === 'headers' ? { get } : (Reflect.get(target, name, target) as unknown),
  })
}
