import { createPasswordThrottle } from 'hallpass/operations'
import { testSite } from 'hallpass/testing'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { countersOf, openCounters } from '../../../examples/school/src/platform/counters.js'
import { createLimits } from '../../../examples/school/src/platform/limits.js'
import type { RedisState } from '../../../examples/school/src/platform/redis.js'
import { openPort } from '../../support/processes/ports.js'
import { type FreezableRedis, startFreezableRedis } from '../../support/processes/redis.js'
import { passTime, waitFor } from '../../support/processes/wait.js'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
})

async function redisThat(state: 'counts' | 'is frozen' = 'counts'): Promise<FreezableRedis> {
  const redis = await startFreezableRedis()
  cleanUp.push(redis.close)
  if (state === 'is frozen') redis.freeze()
  return redis
}

async function open({ url }: FreezableRedis, sites: readonly string[] = []) {
  const states: RedisState[] = []
  const onChange = (state: RedisState): void => void states.push(state)
  const counters = await openCounters({ redisUrl: url, sites, onChange })
  cleanUp.push(counters.close)
  const isUp = () => states.map((state) => state.isUp)
  const until = async (...expected: readonly boolean[]) => {
    await waitFor(() => isUp().length >= expected.length)
    expect(isUp()).toEqual(expected)
  }
  return { counters, states, isUp, until }
}

const PAYER = { isNetwork: false, key: 'someone', name: 'someone' }
const RULE = { name: 'a', times: 2, windowSeconds: 60 }

describe('counters on a Redis that freezes [F-34]', () => {
  it('count in this process, say so once for each change, and return to Redis', async () => {
    const redis = await redisThat()
    const { counters, states, until } = await open(redis)
    const counter = counters.of(RULE)
    expect(await counter.take('x')).toMatchObject({ ok: true, remaining: 1 })
    redis.freeze()
    const counts = await Promise.all(Array.from({ length: 50 }, () => counter.take('x')))
    expect(counts.filter(({ ok }) => ok)).toHaveLength(2)
    expect(states).toEqual([{ isUp: false, reason: 'no response within 150 ms' }])
    // No request waits for it after that: each of these would otherwise take as long as the first.
    for (let times = 0; times < 200; times++) await counter.take('y')
    expect(states).toHaveLength(1)
    redis.thaw()
    await until(false, true)
    expect(await counter.take('z')).toMatchObject({ ok: true, remaining: 1 })
    expect(states).toHaveLength(2)
  })

  it('let a start continue', async () => {
    const { counters, states } = await open(await redisThat('is frozen'))
    // Whichever of the three limits of a second comes first names the reason.
    expect(states).toEqual([
      { isUp: false, reason: expect.stringMatching(/^no response|closed|timed out/) },
    ])
    expect(await counters.of(RULE).take('x')).toMatchObject({ ok: true, remaining: 1 })
  })

  it.each([
    ['that is not there', null, /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/],
    [
      'that asks for a password',
      '-NOAUTH Authentication required.',
      /^NOAUTH Authentication required/,
    ],
    [
      'whose password is another',
      '-WRONGPASS invalid username-password pair',
      /^WRONGPASS invalid/,
    ],
  ])('say why they do not count on a Redis %s [LOG-13]', async (_, response, reason) => {
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          // One for each command.
          for (const _ of chunk.toString().matchAll(/\*\d+\r\n/g)) socket.write(`${response}\r\n`)
        })
    })
    const port = await openPort(server)
    const close = async (): Promise<void> => void server.close()
    if (response === null) await close()
    else cleanUp.push(close)
    const url = `redis://${response?.startsWith('-WRONG') === true ? ':secret@' : ''}127.0.0.1:${port}`
    const states: RedisState[] = []
    const onChange = (state: RedisState): void => void states.push(state)
    const counters = await openCounters({ redisUrl: url, onChange })
    cleanUp.push(counters.close)
    expect(states).toEqual([{ isUp: false, reason: expect.stringMatching(reason) }])
  })

  it('limit requests and attempts to sign in all the same, and forgive them', async () => {
    const { counters } = await open(await redisThat('is frozen'))
    const { ofEndpoint } = createLimits(counters, { payerOf: () => PAYER })
    const register = () =>
      ofEndpoint!('register', { address: null, headers: new Headers() }, async () => null)
    for (let times = 0; times < 60; times++) expect(await register()).toBe(0)
    expect(await register()).toBeGreaterThan(0)
    const { site } = testSite({ budget: counters.budget })
    const passwords = createPasswordThrottle(site, { sealingSecret: 's'.repeat(32) })
    const attempt = (isRight: boolean) =>
      passwords.attempt(new Request(site.issuer), 'a@example.com', async () => isRight)
    expect(await attempt(true)).toMatchObject({ ok: true })
    const wrong = { ok: false, retryAfterSeconds: 0 }
    for (let times = 0; times < 6; times++) expect(await attempt(false)).toEqual(wrong)
    expect(await attempt(true)).toEqual({ ok: false, retryAfterSeconds: 100 })
  })

  it('do not return to one that can be read and not written', async () => {
    const redis = await redisThat()
    const { counters, states, until } = await open(redis)
    redis.refuse("OOM command not allowed when used memory > 'maxmemory'")
    expect(await counters.of(RULE).take('x')).toMatchObject({ ok: true })
    expect(states).toMatchObject([{ isUp: false, reason: expect.stringContaining('OOM') }])
    await passTime(1200)
    expect(states).toHaveLength(1)
    redis.refuse(null)
    await until(false, true)
  })

  it('stop trying once they are closed', async () => {
    const redis = await redisThat('is frozen')
    const { counters, isUp } = await open(redis)
    await counters.close()
    redis.thaw()
    await passTime(1200)
    expect(isUp()).toEqual([false])
  })
})

describe('counters on a Redis that may be a cluster', () => {
  it('keep what is counted for a site under one hash tag, so that a script touches one slot [F-61]', async () => {
    const redis = await redisThat()
    const { counters } = await open(redis)
    const own = countersOf(counters, 'site_a')
    await own.of(RULE).take('{site_b} x')
    await own.budget.spend({
      site: 'site_a',
      budget: 'codesOfPerson',
      spender: '{y}',
      cost: 1,
      allowance: { amount: 7, seconds: 60 },
      now: 1_795_165_200,
    })
    expect(redis.keys()).toHaveLength(2)
    // A cluster hashes what is between the first brace and the next one after it.
    const tags = redis.keys().map((key) => /^[^{]*\{([^}]*)\}/.exec(key)?.[1])
    expect(new Set(tags)).toEqual(new Set(['site_a']))
  })

  it('return to it when what every site counts can be written [F-61]', async () => {
    const redis = await redisThat()
    const { counters, until } = await open(redis, ['site_a', 'site_b'])
    redis.freeze()
    await counters.of(RULE).take('x')
    redis.thaw()
    await until(false, true)
    expect(redis.keys().filter((key) => key.includes('probe'))).toEqual(
      ['site_a', 'site_b'].map((site) => `school-probe:{${site}}`),
    )
  })
})
