import { createHealthEndpoints } from 'hallpass/operations'
import { OptionsError } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { type KeySource } from 'hallpass/token'
import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { StoreClock } from '../../src/store/store.js'
import { createJoseSigner } from '../../src/token/signer.js'

type HealthOptions = Parameters<typeof createHealthEndpoints>[1]
type HealthCheck = Exclude<NonNullable<HealthOptions['checks']>[string], false>

let keys: KeySource
beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const signer = createJoseSigner({ kid: 'one', privateKey })
  keys = {
    jwks: async () => ({ keys: [await exportJWK(privateKey)] }),
    signer: async () => signer,
    refreshSecrets: () => [],
  }
})

const noKeys = (): KeySource => ({ ...keys, signer: async () => null })
const LACKS =
  'keys lacks the function jwks, signer, refreshSecrets: createKeyRing(site, { sealingSecret })'
const never = (): Promise<never> => new Promise(() => {})

function open(
  options: Partial<HealthOptions> = {},
  store: Partial<ReturnType<typeof createMemoryStore>> = {},
) {
  const own = createMemoryStore()
  const guarantees = { ...own.guarantees, acknowledged: 'survives the process' } as const
  const opened = testSite({ store: { ...own, guarantees, ...store } })
  const { livez, readyz } = createHealthEndpoints(opened.site, { keys, ...options })
  const ask = async (endpoint = readyz) => {
    const answer = await endpoint(new Request('https://school.example/readyz'))
    return { status: answer.status, body: await answer.json() }
  }
  return { ...opened, livez, readyz, ask }
}
const READY = { status: 200, body: { status: 'ready', failing: [] } }
const without = (...failing: readonly string[]) => ({
  status: 503,
  body: { status: 'not_ready', failing },
})

it('reports once that its store is lost with the process [ST-13]', async () => {
  const { ask, faults } = open({}, { guarantees: createMemoryStore().guarantees })
  for (const reports of [1, 1]) {
    expect(await ask()).toEqual(READY)
    expect(faults).toHaveLength(reports)
  }
})

describe('livez', () => {
  it('answers without the store, the keys or a check [OPS-01]', async () => {
    const asked: string[] = []
    const { livez, ask, faults } = open(
      {
        keys: { jwks: never, signer: never, refreshSecrets: () => [] },
        checks: { own: () => asked.push('own') > 0 },
      },
      {
        findClock: () => {
          asked.push('store')
          return never()
        },
      },
    )
    expect(await ask(livez)).toEqual({ status: 200, body: { status: 'alive' } })
    expect([asked, faults]).toEqual([[], []])
  })
})

describe('a process that is about to stop', () => {
  it('fails both health checks while it still handles requests [OPS-05]', async () => {
    let isStopping = false
    const { livez, ask } = open({ isStopping: () => isStopping })
    expect([(await ask()).status, (await ask(livez)).status]).toEqual([200, 200])
    isStopping = true
    const stopping = { status: 503, body: { status: 'stopping' } }
    expect([await ask(), await ask(livez)]).toEqual([stopping, stopping])
    const { headers } = await livez(new Request('https://school.example/livez'))
    expect(headers.get('retry-after')).toBe('5')
  })
})

describe('a function for a process that is about to stop', () => {
  it('that throws is a fault of the endpoint, which names it', async () => {
    const isStopping = (): boolean => {
      throw new Error('no such flag')
    }
    const { livez, readyz, ask, faults } = open({ isStopping })
    expect([(await ask(livez)).status, (await ask(readyz)).status]).toEqual([500, 500])
    expect(faults.map(({ endpoint }) => endpoint)).toEqual(['livez', 'readyz'])
  })

  it('is a function, or the options are refused with an example', () => {
    expect(() => open({ isStopping: true as never })).toThrow(
      'isStopping must be a function such as () => isStopping',
    )
  })
})

describe('readyz', () => {
  it('is 200 if every check passes, is not cached, and names its request [OPS-02]', async () => {
    const { readyz, ask } = open({ checks: { own: () => true } })
    expect(await ask()).toEqual(READY)
    const { headers } = await readyz(new Request('https://school.example/readyz'))
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    const put = await readyz(new Request('https://school.example/readyz', { method: 'PUT' }))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is 503 with the names of the checks that fail, and with nothing else of the server [OPS-02]', async () => {
    const secret = 'postgres://school:hunter2@10.0.0.7'
    const { readyz, ask } = open({
      checks: {
        throws: () => {
          throw new Error(secret)
        },
        rejects: async () => Promise.reject(new Error(secret)),
        refuses: () => false,
        strange: (() => undefined) as unknown as HealthCheck,
        passes: async () => true,
      },
    })
    expect(await ask()).toEqual(without('throws', 'rejects', 'refuses', 'strange'))
    const answer = await readyz(new Request('https://school.example/readyz'))
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify([[...answer.headers], await answer.text()])).not.toContain('hunter2')
  })

  it('needs a key that signs, unless none is meant to [OPS-02]', async () => {
    const none = noKeys()
    expect(await open({ keys: none }).ask()).toEqual(without('key'))
    expect(await open({ keys: { ...none, signing: false } }).ask()).toEqual(READY)
  })

  it('needs a clock that agrees with the store [OPS-02]', async () => {
    const findClock = async (): Promise<StoreClock> => ({ now: 1, mark: null })
    expect(await open({}, { findClock }).ask()).toEqual(without('clock'))
  })

  it('asks the store each second, also if it remembers the clock and the keys, and judges neither without it [OPS-02]', async () => {
    let isAway = false
    const findClock = async (): Promise<StoreClock> => {
      if (isAway) throw new Error('connection refused')
      return { now: null, mark: null }
    }
    const { ask, clock } = open({}, { findClock })
    expect(await ask()).toEqual(READY)
    isAway = true
    clock.advance(1)
    expect(await ask()).toEqual(without('database'))
    clock.advance(3600)
    expect(await ask()).toEqual(without('database'))
    isAway = false
    clock.advance(1)
    expect(await ask()).toEqual(READY)
  })

  it('names the database alone if the keys cannot be read without it [OPS-02]', async () => {
    const away = async (): Promise<never> => Promise.reject(new Error('connection refused'))
    const reading = { ...keys, signer: away }
    expect(await open({ keys: reading }, { findClock: away }).ask()).toEqual(without('database'))
  })

  it('says while the last change failed that only reading works, and stays 200 [OPS-06]', async () => {
    const full = new Error('no space left on device')
    let isFull = true
    const deleteEvents = async (): Promise<void> => {
      if (isFull) throw full
    }
    const { site, ask, clock, faults } = open({}, { deleteEvents })
    await expect(site.store.deleteEvents([])).rejects.toThrow('the storage failed')
    const readOnly = { status: 200, body: { status: 'read_only', failing: ['write'] } }
    expect(await ask()).toEqual(readOnly)
    clock.advance(1)
    await site.store.findClient('acme')
    expect(await ask()).toEqual(readOnly)
    expect(faults).toMatchObject([{ endpoint: 'readyz', fault: { cause: { cause: full } } }])
    expect(String(faults[0]!.fault)).toBe(
      'Error: the check write of readyz failed: the storage failed: deleteEvents threw an exception',
    )
    isFull = false
    await site.store.deleteEvents([])
    clock.advance(1)
    expect(await ask()).toEqual(READY)
  })

  it('is 503 if nothing can be written and something else fails too [OPS-06]', async () => {
    const deleteEvents = async (): Promise<never> => Promise.reject(new Error('away'))
    const { site, ask } = open({ checks: { own: () => false } }, { deleteEvents })
    await expect(site.store.deleteEvents([])).rejects.toThrow('the storage failed')
    expect(await ask()).toEqual(without('write', 'own'))
  })

  it('is 503 if a check does not finish before its deadline [OPS-03]', async () => {
    const hung = open({ deadlineMilliseconds: 1, checks: { own: never } }, { findClock: never })
    expect(await hung.ask()).toEqual(without('database', 'own'))
    expect(hung.faults.map(({ endpoint, fault }) => [endpoint, String(fault)])).toEqual([
      ['readyz', 'Error: the check database of readyz took longer than 1 ms'],
      ['readyz', 'Error: the check own of readyz took longer than 1 ms'],
    ])
  })

  it('runs each check once a second, however many ask [OPS-03]', async () => {
    let runs = 0
    const { ask, clock } = open({ checks: { own: () => ++runs > 0 } })
    await Promise.all(Array.from({ length: 100 }, () => ask()))
    await ask()
    expect(runs).toBe(1)
    clock.advance(1)
    await ask()
    expect(runs).toBe(2)
  })

  it('does not start a check that hangs again before ten seconds, and passes when it ends [OPS-03]', async () => {
    let runs = 0
    let end: (passed: boolean) => void = () => {}
    const own: HealthCheck = () => {
      runs++
      return new Promise((resolve) => (end = resolve))
    }
    const { ask, clock } = open({ deadlineMilliseconds: 1, checks: { own } })
    for (const [seconds, expected] of [
      [0, 1],
      [9, 1],
      [1, 2],
      [8, 2],
    ] as const) {
      clock.advance(seconds)
      expect(await ask()).toEqual(without('own'))
      expect(runs).toBe(expected)
    }
    clock.advance(1)
    const answer = ask()
    end(true)
    expect([await answer, runs]).toEqual([READY, 2])
  })

  it('waits for the second run of a check, although the first one ends meanwhile [OPS-03]', async () => {
    const ends: ((passed: boolean) => void)[] = []
    const own: HealthCheck = () => new Promise((resolve) => ends.push(resolve))
    const { ask, clock } = open({ deadlineMilliseconds: 1, checks: { own } })
    await ask()
    clock.advance(10)
    await ask()
    ends[0]!(true)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1)
    expect(await ask()).toEqual(without('own'))
    expect(ends).toHaveLength(2)
  })

  it('leaves no timer behind that keeps the process from ending', async () => {
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    onTestFinished(() => {
      started.mockRestore()
      cleared.mockRestore()
    })
    await open({ deadlineMilliseconds: 60_000 }).ask()
    const timers = started.mock.calls.flatMap(([, delay], call) =>
      delay === 60_000 ? [started.mock.results[call]!.value as unknown] : [],
    )
    expect(timers).toHaveLength(4)
    const ended = cleared.mock.calls.map(([timer]) => timer)
    for (const timer of timers) expect(ended).toContain(timer)
  })

  it('tells the operator why a check failed, which the response does not [OPS-04]', async () => {
    const cause = new Error('connection refused')
    const { ask, faults } = open({ checks: { own: () => Promise.reject(cause) } })
    await ask()
    expect(faults.map(({ endpoint, fault }) => [endpoint, fault])).toEqual([
      ['readyz', new Error('the check own of readyz failed: connection refused', { cause })],
    ])
    expect((faults[0]!.fault as Error).cause).toBe(cause)
  })

  it('tells the operator of a check that throws something else [OPS-04]', async () => {
    const { ask, faults } = open({ checks: { own: () => Promise.reject('away') } }) // oxlint-disable-line typescript/prefer-promise-reject-errors
    await ask()
    const fault = new Error('the check own of readyz failed', { cause: 'away' })
    expect(faults).toMatchObject([{ endpoint: 'readyz', fault }])
    expect((faults[0]!.fault as Error).message).toBe(fault.message)
  })

  it('is 500 where the clock of the host cannot be read, and tells of it', async () => {
    const broken = new Error('no clock')
    let isBroken = false
    const now = (): number => {
      if (isBroken) throw broken
      return 1_800_000_000
    }
    const { site, faults } = testSite({ now })
    const { readyz } = createHealthEndpoints(site, { keys })
    isBroken = true
    const answer = await readyz(new Request('https://school.example/readyz'))
    expect(answer.status).toBe(500)
    expect(faults).toMatchObject([{ endpoint: 'readyz', fault: broken }])
  })

  it('tells the operator of a check when it begins to fail, and again only after it passed [OPS-04]', async () => {
    let passes = true
    const { ask, clock, faults } = open({ checks: { own: () => passes } })
    const seen: number[] = []
    for (const next of [true, false, false, true, false]) {
      passes = next
      clock.advance(1)
      await ask()
      seen.push(faults.length)
    }
    expect(seen).toEqual([0, 1, 1, 1, 2])
    expect(faults[0]).toMatchObject({ endpoint: 'readyz', requestId: null })
    expect(String(faults[0]!.fault)).toBe('Error: the check own of readyz did not pass')
  })

  it('leaves out a check that is turned off, and runs yours in its place', async () => {
    const findClock = async (): Promise<never> => Promise.reject(new Error('away'))
    const off = open({ checks: { database: false, clock: false } }, { findClock })
    expect(await off.ask()).toEqual(READY)
    expect(await open({ checks: { key: () => false } }).ask()).toEqual(without('key'))
  })

  it('lists every mistake in its options', () => {
    const { site } = testSite()
    const checks = { 'a b': () => true, late: 5, gone: null } as never
    expect(() => createHealthEndpoints(site, { keys, checks, deadlineMilliseconds: 0 })).toThrow(
      new OptionsError('health endpoints', [
        'checks.a b must be named with 1 to 32 of a-z, 0-9 and _',
        'checks.late must be a function or false, not a number',
        'checks.gone must be a function or false, not null',
        'deadlineMilliseconds must be a whole number from 1 to 60000, not 0',
      ]),
    )
    expect(() => createHealthEndpoints(site, { keys: {} as KeySource })).toThrow(
      new OptionsError('health endpoints', [LACKS]),
    )
    expect(() => createHealthEndpoints(site, { keys, checks: [] as never })).toThrow(
      'checks must be an object of functions by name',
    )
  })
})
