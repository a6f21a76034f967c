import { createServer, defineSite, OptionsError } from 'hallpass'
import { dpop } from 'hallpass/blocks'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform, type PlatformOptions } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { waitFor } from '../support/processes/wait.js'
import { gate, openSchool, platformOf, type Row, rowOf } from './platform-of.js'

const METADATA = '/.well-known/openid-configuration'
const issuerAt = async (response: Response): Promise<string> =>
  ((await response.json()) as { issuer: string }).issuer

type Fault = Parameters<NonNullable<PlatformOptions<Row>['onFault']>>[0]

/** The messages of a fault and of its cause. */
function messageOf(told: Fault | undefined): string {
  const { message, cause } = told!.fault as Error
  return `${message} ${(cause as Error | undefined)?.message ?? ''}`
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1000)

describe('a school of a platform', () => {
  it('answers at its own host with its own issuer, keys and pages', async () => {
    const { get } = platformOf(['art.example', 'music.example'])
    for (const host of ['art.example', 'music.example']) {
      expect(await issuerAt(await get(`https://${host}${METADATA}`))).toBe(`https://${host}`)
      const home = await get(`https://${host}/?a=1`)
      expect(await home.text()).toBe(`${host} 1 https://${host}/?a=1`)
    }
    const keysOf = async (host: string) =>
      (await get(`https://${host}/.well-known/jwks.json`)).json()
    const [art, music] = [await keysOf('art.example'), await keysOf('music.example')]
    expect(art.keys).toHaveLength(1)
    expect(music.keys).toHaveLength(1)
    expect(art.keys[0].kid).not.toBe(music.keys[0].kid)
  })

  it('is looked up and opened once for all who wait for it', async () => {
    const { get, asked, opened } = platformOf()
    await Promise.all(Array.from({ length: 8 }, () => get('https://art.example/')))
    expect([asked, opened]).toEqual([['art.example'], ['https://art.example 1']])
  })

  it('gives a request the origin of its school, whatever address leads to the process', async () => {
    const { get } = platformOf()
    const response = await get('http://10.0.0.7:3000/?a=1', { host: 'art.example' })
    expect(await response.text()).toBe('art.example 1 https://art.example/?a=1')
  })

  it('passes on the body of a request that came to another address', async () => {
    const { platform } = platformOf()
    const response = await platform(
      new Request('http://10.0.0.7:3000/api/oauth/token', {
        method: 'POST',
        headers: { host: 'art.example', 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=nothing',
      }),
    )
    expect(await response.json()).toMatchObject({ error: 'unsupported_grant_type' })
  })

  it('is open anew with a new revision, and ends what it began with the old one', async () => {
    const held = gate()
    const { get, platform, rows } = platformOf(['art.example'], {
      open: (row, given) => {
        const server = openSchool(row, given) as ReturnType<typeof createServer>
        const waiting = async (request: Request) => {
          if (request.url.endsWith('/?wait')) await held.opened
          return server(request)
        }
        return Object.assign(waiting, server)
      },
    })
    const first = get('https://art.example/?wait')
    await waitFor(() => platform.status().resident === 1)
    rows.set('art.example', rowOf('art.example', { revision: 2 }))
    platform.changed('art.example')
    expect(await (await get('https://art.example/')).text()).toContain('art.example 2')
    held.open()
    expect(await (await first).text()).toContain('art.example 1')
  })

  it('is asked for again after half a minute, without being opened anew', async () => {
    const { get, asked, opened } = platformOf()
    await get('https://art.example/')
    pass(29)
    await get('https://art.example/')
    expect(asked).toHaveLength(1)
    pass(2)
    await get('https://art.example/')
    expect([asked.length, opened.length]).toEqual([2, 1])
  })

  it('ends when its row is gone', async () => {
    const { get, rows } = platformOf()
    await get('https://art.example/')
    rows.delete('art.example')
    pass(31)
    expect((await get('https://art.example/')).status).toBe(421)
  })

  it('leaves when it is the least recently used of too many', async () => {
    const { get, opened, platform } = platformOf(['a.example', 'b.example', 'c.example'], {
      resident: 2,
    })
    for (const host of ['a', 'b', 'a', 'c', 'a', 'b']) {
      await get(`https://${host}.example/`)
      pass(2)
    }
    expect(opened.map((one) => one.slice(8, 9)).join('')).toBe('abcb')
    expect(platform.status()).toMatchObject({ resident: 2, evicted: 2, opened: 4 })
  })

  it('that is paused answers 503, and is looked up again every two seconds', async () => {
    const { get, rows, opened } = platformOf()
    rows.set('art.example', rowOf('art.example', { paused: true }))
    const paused = await get('https://art.example/')
    expect([paused.status, paused.headers.get('retry-after')]).toEqual([503, '10'])
    expect(opened).toEqual([])
    rows.set('art.example', rowOf('art.example', { revision: 2 }))
    pass(3)
    expect((await get('https://art.example/')).status).toBe(200)
  })

  it('that has moved sends pages to its issuer, and clients of the old one nowhere', async () => {
    const { get, rows } = platformOf()
    rows.set('old.example', rowOf('art.example', { moved: true }))
    const page = await get('https://old.example/courses?page=2')
    expect([page.status, page.headers.get('location')]).toEqual([
      308,
      'https://art.example/courses?page=2',
    ])
    for (const path of [
      METADATA,
      '/oauth/authorize',
      '/oauth/interaction/x',
      '/mcp',
      '/api/v1/courses',
    ])
      expect([path, (await get(`https://old.example${path}`)).status]).toEqual([path, 421])
  })

  it('with too many requests at once gets 503, and its neighbour does not', async () => {
    const held = gate()
    const { get, platform } = platformOf(['art.example', 'music.example'], {
      inFlight: 4,
      open: (row, given) => {
        const server = openSchool(row, given) as ReturnType<typeof createServer>
        const waiting = async (request: Request) => {
          if (row.name === 'art.example') await held.opened
          return server(request)
        }
        return Object.assign(waiting, server)
      },
    })
    const crowd = Array.from({ length: 10 }, () => get('https://art.example/'))
    await waitFor(() => platform.status().crowded === 6)
    expect((await get('https://music.example/')).status).toBe(200)
    held.open()
    const statuses = (await Promise.all(crowd))
      .map(({ status }) => status)
      .toSorted((one, other) => one - other)
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503, 503, 503, 503, 503])
    expect((await get('https://art.example/')).status).toBe(200)
  })
})

describe('find', () => {
  it('that fails leaves a school as it is for a minute', async () => {
    let isDown = false
    const { get, faults, asked } = platformOf([], {
      find: async (host) => {
        if (isDown) throw new Error('no database')
        return rowOf(host)
      },
    })
    await get('https://art.example/')
    isDown = true
    pass(31)
    expect((await get('https://art.example/')).status).toBe(200)
    expect(faults[0]).toMatchObject({ at: 'find', host: 'art.example' })
    pass(61)
    expect((await get('https://art.example/')).status).toBe(503)
    isDown = false
    expect((await get('https://art.example/')).status).toBe(200)
    expect(asked.length).toBeGreaterThan(3)
  })

  it('that never answers leads to 503', async () => {
    const { get, faults } = platformOf([], { find: () => new Promise(() => {}) })
    const asked = get('https://art.example/')
    await vi.advanceTimersByTimeAsync(1501)
    const late = await asked
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '2'])
    expect(faults).toMatchObject([{ at: 'find', host: 'art.example' }])
  })

  it.each([
    ['a row of another host', { ...rowOf('music.example') }],
    ['a row without a revision', { issuer: 'https://art.example' }],
    ['a row without an issuer', { revision: 1 }],
    ['a text', 'art'],
    ['an issuer that is none', { issuer: 'art', revision: 1 }],
    ['a list', [rowOf('art.example')]],
    ['a number for a switch, as SQLite has it', { ...rowOf('art.example'), paused: 1 }],
  ])('that returns %s serves no one', async (_, row) => {
    const { get, faults, opened } = platformOf([], { find: async () => row as never })
    expect((await get('https://art.example/')).status).toBe(503)
    expect([opened, faults.map(({ at }) => at)]).toEqual([[], ['find']])
  })

  it('takes undefined for a school that is not there', async () => {
    const { get } = platformOf([], { find: async () => undefined as never })
    expect((await get('https://art.example/')).status).toBe(421)
  })

  it('is called once in ten seconds for a host that no school has', async () => {
    const { get, asked } = platformOf()
    for (let times = 0; times < 5; times++) await get('https://none.example/')
    expect(asked).toEqual(['none.example'])
    pass(11)
    await get('https://none.example/')
    expect(asked).toHaveLength(2)
  })

  it('is called at most 200 times a second', async () => {
    const { get, asked } = platformOf()
    const statuses = new Map<number, number>()
    for (let index = 0; index < 1000; index++) {
      const { status } = await get(`https://x${index}.example/`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([asked.length, statuses]).toEqual([
      200,
      new Map([
        [421, 200],
        [503, 800],
      ]),
    ])
    pass(1)
    expect((await get('https://art.example/')).status).toBe(200)
  })

  it('sees a change that is told while it runs', async () => {
    const held = gate()
    let finds = 0
    const { get, platform } = platformOf([], {
      async find(host) {
        finds += 1
        const row = rowOf(host, { revision: finds })
        if (finds === 1) await held.opened
        return row
      },
    })
    const first = get('https://art.example/')
    await waitFor(() => finds === 1)
    platform.changed('art.example')
    held.open()
    expect(await (await first).text()).toContain('art.example 1')
    expect(await (await get('https://art.example/')).text()).toContain('art.example 2')
  })
})

describe('open', () => {
  it('gives sites a way to report what a request met', async () => {
    const { get, faults } = platformOf()
    expect((await get('https://art.example/broken')).status).toBe(500)
    expect(faults).toMatchObject([
      { at: 'request', host: 'art.example', fault: { message: 'no database' } },
    ])
  })

  const PAGES = {
    currentPerson: async () => null,
    signIn: () => new Response(),
    consent: () => new Response(),
    error: () => new Response(),
  }
  const cases: readonly (readonly [string, typeof openSchool, string])[] = [
    [
      'throws',
      () => {
        throw new Error('no template')
      },
      'open threw',
    ],
    ['returns nothing', () => undefined as never, 'open must return a server'],
    [
      'returns the server of another school',
      (row, given) => {
        const site = { ...given.site, issuer: 'https://music.example' }
        return openSchool(row, { ...given, site })
      },
      'open must return a server',
    ],
    [
      'leaves the budget to each school',
      (row, given) =>
        openSchool(row, { ...given, site: { ...given.site, budget: createMemoryBudget() } }),
      'open must pass on the budget',
    ],
    ['never answers', () => new Promise<never>(() => {}), 'open did not respond'],
  ]
  it.each(cases)(
    'that %s leads to 503 for that school, and is not tried again for five seconds',
    async (_, open, message) => {
      const { get, faults, opened } = platformOf(['art.example', 'music.example'], {
        open: (row, given) =>
          row.name === 'art.example' ? open(row, given) : openSchool(row, given),
      })
      const first = get('https://art.example/')
      await vi.advanceTimersByTimeAsync(message.endsWith('did not respond') ? 5001 : 0)
      expect((await first).status).toBe(503)
      expect((await get('https://art.example/')).status).toBe(503)
      expect((await get('https://music.example/')).status).toBe(200)
      expect(opened).toHaveLength(2)
      expect(faults).toMatchObject([{ at: 'open', host: 'art.example' }])
      expect(messageOf(faults[0])).toContain(message)
    },
  )

  it('may not let proofs be remembered in memory, where a replay could outlive them', async () => {
    const { get, faults } = platformOf(['art.example'], {
      open: ({ name }, given) =>
        createServer(
          defineSite({
            ...given.site,
            name,
            scopes: schoolScopes,
            roles: schoolRoles,
            findPerson: async () => null,
            blocks: [dpop({ once: 'memory' })],
          }),
          { ...given.server, interact: PAGES },
        ),
    })
    expect((await get('https://art.example/')).status).toBe(503)
    expect(messageOf(faults[0])).toContain('open must not let dpop remember proofs in memory')
  })
})

describe('keys', () => {
  it('are created before the first answer that needs one, once', async () => {
    const { get } = platformOf()
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () =>
        (await get('https://art.example/.well-known/jwks.json')).json(),
      ),
    )
    expect(
      new Set(answers.map(({ keys }) => keys.map(({ kid }: { kid: string }) => kid).join())),
    ).toHaveProperty('size', 1)
    expect(answers[0].keys).toHaveLength(1)
  })

  it('are not created for a page', async () => {
    const { get, platform } = platformOf()
    await get('https://art.example/')
    const server = await platform.serverOf('art.example')
    expect(await server?.keys.jwks()).toEqual({ keys: [] })
  })

  it('of at most twenty schools are created in a second', async () => {
    const hosts = Array.from({ length: 30 }, (_, index) => `s${index}.example`)
    const { get } = platformOf(hosts)
    const statuses = []
    for (const host of hosts)
      statuses.push((await get(`https://${host}/.well-known/jwks.json`)).status)
    expect(statuses.filter((status) => status === 503)).toHaveLength(10)
    pass(1)
    expect((await get('https://s29.example/.well-known/jwks.json')).status).toBe(200)
  })
})

describe('changes', () => {
  const told =
    (hosts: Set<string>, polls: (string | null)[] = [], fresh: string[] = []) =>
    async (since: string | null) => {
      polls.push(since)
      const changed = since === null ? [...hosts] : fresh.splice(0)
      return { until: String(polls.length), hosts: changed }
    }

  it('let a flood of unknown hosts ask nothing, while a cold school is served', async () => {
    const polls: (string | null)[] = []
    const { get, asked, platform } = platformOf(['art.example'], {
      changes: told(new Set(['art.example']), polls),
    })
    for (let index = 0; index < 2000; index++)
      expect((await get(`https://x${index}.example/`)).status).toBe(421)
    expect((await get('https://art.example/')).status).toBe(200)
    expect([asked, platform.status().unknownHosts]).toEqual([['art.example'], 2000])
    expect(polls).toEqual([null])
  })

  it('show a school that was created since, a second later at most', async () => {
    const fresh: string[] = []
    const { get, rows } = platformOf([], { changes: told(new Set(), [], fresh) })
    expect((await get('https://new.example/')).status).toBe(421)
    rows.set('new.example', rowOf('new.example'))
    fresh.push('new.example')
    pass(1)
    expect((await get('https://new.example/')).status).toBe(200)
  })

  it('show that a school has changed or ended', async () => {
    const fresh: string[] = []
    const { get, rows, asked } = platformOf(['art.example'], {
      changes: told(new Set(['art.example']), [], fresh),
    })
    await get('https://art.example/')
    // No change was told, so that nothing is asked.
    for (let times = 0; times < 20; times++) {
      pass(6)
      await get('https://art.example/')
    }
    expect(asked).toHaveLength(1)
    // A row that was deleted may be in no list of changes.
    rows.set('art.example', rowOf('art.example', { revision: 2 }))
    pass(600)
    await get('https://art.example/')
    expect(await (await get('https://art.example/')).text()).toContain('art.example 2')
    rows.delete('art.example')
    fresh.push('art.example')
    pass(6)
    await get('https://art.example/')
    await waitFor(async () => (await get('https://art.example/')).status === 421)
  })

  it('that fail leave the schools to find', async () => {
    const { get, faults, asked } = platformOf(['art.example'], {
      changes: async () => {
        throw new Error('no database')
      },
    })
    expect((await get('https://art.example/')).status).toBe(200)
    expect(faults.every(({ at }) => at === 'changes')).toBe(true)
    pass(31)
    await get('https://art.example/')
    expect(asked).toHaveLength(2)
  })
})

describe('a host that no school has', () => {
  it('leads to the pages of the platform, if it has some', async () => {
    const { get, faults } = platformOf(['art.example'], {
      fallback: (request) => {
        if (request.url.includes('broken')) throw new Error('no template')
        return new Response(request.url)
      },
    })
    expect(await (await get('https://platform.example/x')).text()).toBe(
      'https://platform.example/x',
    )
    expect(await (await get('http://localhost:3000/x')).text()).toBe('http://localhost:3000/x')
    expect((await get('https://broken.example/')).status).toBe(500)
    expect(faults).toMatchObject([{ at: 'fallback', host: 'broken.example' }])
  })
})

describe('createPlatform', () => {
  it('lists every mistake in its options', () => {
    const options = {
      storages: [],
      secret: 'short',
      resident: 0,
      hostHeader: 'forwarded',
      finds: 1,
    }
    let mistakes: readonly string[] = []
    try {
      createPlatform(options as never)
    } catch (error) {
      mistakes = (error as OptionsError).mistakes
    }
    expect(mistakes).toEqual([
      'finds is not an option: did you mean find?',
      expect.stringContaining('find is missing'),
      expect.stringContaining('open is missing'),
      expect.stringContaining('storages is empty'),
      expect.stringContaining('budget is missing'),
      expect.stringContaining('secret must be a secret of at least 32 characters'),
      expect.stringContaining('resident must be'),
      expect.stringContaining('hostHeader must be'),
    ])
  })
})
