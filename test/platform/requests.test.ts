import type { Incoming } from '../../src/http/exchange.js'
import { createMemoryStorage } from 'hallpass/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer } from 'hallpass'
import { readHost } from '../../src/platform/host.js'
import { waitFor } from '../support/processes/wait.js'
import { gate, openSchool, platformOf, rowOf } from './platform-of.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A request of an adapter, which serves one origin or any. */
function incoming(
  headers: Readonly<Record<string, string>>,
  { method = 'GET', target = '/', ...more }: Partial<Incoming> = {},
): Incoming {
  return {
    method,
    target,
    header: (name) => headers[name] ?? null,
    body: async () => new Uint8Array(),
    signal: new AbortController().signal,
    request: () => new Request(`https://adapter.example${target}`),
    ...more,
  }
}
const textOf = async (answer: unknown): Promise<string> => (answer as Response).text()

describe('a request of an adapter', () => {
  it('is answered at the origin of its school', async () => {
    const { platform } = platformOf()
    const at = (origin: string): Incoming =>
      incoming({ host: 'art.example' }, { request: () => new Request(`${origin}/moved`) })
    const answer = await platform.handle(incoming({ host: 'art.example' }, { at }))
    expect(await textOf(answer)).toBe('art.example 1 https://art.example/moved')
  })

  it('is answered as it is by an adapter of one origin', async () => {
    const answer = await platformOf().platform.handle(incoming({ host: 'art.example' }))
    expect(await textOf(answer)).toBe('art.example 1 https://adapter.example/')
  })

  it('names its school by the header of the options only', async () => {
    const hosts = ['art.example', 'music.example']
    const headers = {
      host: 'art.example',
      ':authority': 'art.example',
      'x-forwarded-host': 'music.example',
    }
    const byHost = platformOf(hosts).platform
    const byProxy = platformOf(hosts, { hostHeader: 'x-forwarded-host' }).platform
    expect(await textOf(await byHost.handle(incoming(headers)))).toContain('art.example 1')
    expect(await textOf(await byProxy.handle(incoming(headers)))).toContain('music.example 1')
    const { 'x-forwarded-host': _, ...without } = headers
    expect((await byProxy.handle(incoming(without))).status).toBe(400)
    const ofHttp2 = incoming({ ':authority': 'art.example' })
    expect(await textOf(await byHost.handle(ofHttp2))).toContain('art.example 1')
    const fetched = await byProxy(new Request('https://art.example/'))
    expect(fetched.status).toBe(400)
  })

  it('that its server throws at gets 503, is told, and is over', async () => {
    let isBroken = true
    const { get, faults } = platformOf(['art.example'], {
      inFlight: 1,
      open: (row, given) => {
        const server = openSchool(row, given) as ReturnType<typeof createServer>
        const { handle } = server
        return Object.assign(server, {
          handle: (one: Incoming) => (isBroken ? Promise.reject(new Error('a bug')) : handle(one)),
        })
      },
    })
    expect((await get('https://art.example/')).status).toBe(503)
    expect(faults).toMatchObject([{ at: 'open', host: 'art.example' }])
    expect((faults[0]!.fault as Error).message).toBe('a bug')
    isBroken = false
    expect((await get('https://art.example/')).status).toBe(200)
  })
})

describe('a host', () => {
  it('has at most 253 characters and a port', () => {
    const longest = `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(61)}:65535`
    expect(longest).toHaveLength(259)
    expect(readHost(longest)).toBe(longest)
    expect(readHost(`b${longest.replace('a', '')}b`)).toBeNull()
    const tooLong = `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(62)}:65535`
    expect(readHost(tooLong)).toBeNull()
  })

  it('loses the port 443 only', () => {
    expect(readHost('art.example:443')).toBe('art.example')
    expect(readHost('art.example:4430')).toBe('art.example:4430')
    expect(readHost(undefined)).toBeNull()
  })

  it.each([
    ['localhost', 'http'],
    ['art.localhost:3000', 'http'],
    ['my-art.school.localhost', 'http'],
    ['127.0.0.1:3000', 'http'],
    ['localhost.example', 'https'],
    ['notlocalhost', 'https'],
    ['10.127.0.1', 'https'],
  ])('%s that no school has leads to the pages of the platform by %s', async (host, scheme) => {
    const { platform } = platformOf([], { fallback: ({ url }) => new Response(url) })
    const at = (origin: string): Incoming =>
      incoming({ host }, { request: () => new Request(`${origin}/`) })
    const answer = await platform.handle(incoming({ host }, { at }))
    expect(await textOf(answer)).toBe(`${scheme}://${host}/`)
  })
})

describe('a host that its school has left', () => {
  it.each([
    ['GET', 308],
    ['HEAD', 308],
    ['POST', 421],
  ])('answers %s with %i', async (method, status) => {
    const { platform, rows } = platformOf([])
    rows.set('old.example', rowOf('art.example', { moved: true }))
    const answer = await platform(new Request('https://old.example/courses', { method }))
    expect(answer.status).toBe(status)
    if (status === 308) expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

describe('the state of a platform', () => {
  it('counts what it asked and refused, and names the busiest schools first', async () => {
    const hosts = Array.from({ length: 52 }, (_, index) => `s${index}.example`)
    const { get, platform } = platformOf(hosts, {
      open: (row, given) => {
        if (row.name === 's51.example') throw new Error('no template')
        return openSchool(row, given)
      },
    })
    for (const [index, host] of hosts.entries())
      for (let times = 0; times < (index === 7 ? 3 : index === 9 ? 2 : 1); times++)
        await get(`https://${host}/`)
    await get('https://none.example/')
    const { busiest, ...status } = platform.status()
    expect(status).toEqual({
      resident: 51,
      opening: 0,
      lookUps: 53,
      opened: 51,
      evicted: 0,
      unknownHosts: 1,
      unavailable: 1,
      crowded: 0,
    })
    expect(busiest).toHaveLength(50)
    expect(busiest.slice(0, 3)).toEqual([
      { site: 'https://s7.example', requests: 3 },
      { site: 'https://s9.example', requests: 2 },
      { site: 'https://s0.example', requests: 1 },
    ])
  })

  it('says how many schools are opened together: at most 64, and 503 beyond', async () => {
    const held = gate()
    const { get, platform } = platformOf([], {
      find: async (host) => {
        await held.opened
        return rowOf(host)
      },
    })
    const asked = Array.from({ length: 70 }, (_, index) => get(`https://s${index}.example/`))
    await waitFor(() => platform.status().unavailable > 0)
    expect(platform.status()).toMatchObject({ opening: 64, unavailable: 6 })
    held.open()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 503)).toHaveLength(6)
    expect(platform.status()).toMatchObject({ opening: 0, resident: 64 })
  })

  it('may be told of a fault', () => {
    const { platform, faults } = platformOf()
    platform.notifyFault('serve', 'a fault')
    expect(faults).toEqual([{ at: 'serve', host: null, fault: 'a fault' }])
  })

  it('has the server of a host, if it has a school that can be asked', async () => {
    const { platform, rows } = platformOf()
    rows.set('paused.example', rowOf('paused.example', { paused: true }))
    expect((await platform.serverOf('ART.example'))!.site.issuer).toBe('https://art.example')
    for (const host of ['none.example', 'paused.example', 'no host'])
      expect(await platform.serverOf(host)).toBeNull()
  })
})

describe('the storage of a school', () => {
  it('is one of storages, which storageOf chooses', async () => {
    const [first, second, foreign] = [1, 2, 3].map(() => createMemoryStorage())
    const chosen = { 'art.example': second!, 'music.example': foreign! }
    const { get, faults, platform } = platformOf(Object.keys(chosen), {
      storages: [first!, second!],
      storageOf: ({ name }) => chosen[name as keyof typeof chosen],
    })
    await get('https://art.example/.well-known/jwks.json')
    const keysIn = async (storage: typeof first) =>
      (await storage!.storeOf('https://art.example').listKeys()).length
    expect([await keysIn(first), await keysIn(second)]).toEqual([0, 1])
    expect((await get('https://music.example/')).status).toBe(503)
    expect(((faults[0]!.fault as Error).cause as Error).message).toBe(
      'platform: storageOf must return one of storages',
    )
    expect(await platform.serverOf('music.example')).toBeNull()
  })
})
