import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createMemoryBudget } from 'hallpass/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countersOf, openCounters, type RedisState } from '../../examples/school/testing.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { type Child, startChild } from '../support/processes/child.js'
import { freePorts } from '../support/processes/ports.js'
import { passTime, waitFor } from '../support/processes/wait.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { patienceDuring, startLoad, summarize } from '../support/http/load.js'

const run = promisify(execFile)
const SITES = ['site_lantern', 'site_kiln']
const EACH = [0, 1, 2]

const folder = mkdtempSync(join(tmpdir(), 'hallpass-redis-'))
const ports: number[] = []
const nodes: Child[] = []
let url: string

const cli = async (index: number, ...args: readonly string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(ports[index]), ...args])).stdout.trim()

function start(index: number): void {
  const own = join(folder, String(index))
  mkdirSync(own, { recursive: true })
  const options = {
    port: ports[index]!,
    'cluster-port': ports[index]! + 1,
    bind: '127.0.0.1',
    dir: own,
    save: '',
    'cluster-enabled': 'yes',
    'cluster-node-timeout': 1000,
    'cluster-require-full-coverage': 'no',
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  nodes[index] = startChild('redis-server', args)
}

const areWhole = (): Promise<boolean> =>
  Promise.all(EACH.map((index) => cli(index, 'cluster', 'info'))).then((infos) =>
    infos.every((info) => /cluster_state:ok/.test(info) && /cluster_slots_ok:16384/.test(info)),
  )

/** The master that has what is counted for a site. */
async function masterOf(site: string): Promise<number> {
  const slot = Number(await cli(0, 'cluster', 'keyslot', `{${site}}`))
  // The slots of the three, in the order in which the cluster was made: 0 to 5460, to 10922, to 16383.
  return EACH.findIndex((index) => slot <= [5460, 10_922, 16_383][index]!)
}

beforeAll(async () => {
  for (const index of EACH) {
    ports.push(await freePorts())
    start(index)
  }
  await waitFor(
    async () => (await Promise.all(EACH.map((index) => cli(index, 'ping')))).length === 3,
  )
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  await waitFor(areWhole, { what: 'the cluster is whole', everyMilliseconds: 100 })
  url = addresses.map((address) => `redis://${address}`).join(',')
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

const changes = (example: RunningExample): readonly string[] =>
  [...example.output().matchAll(/"type":"counters","isUp":(\w+)/g)].map(([, isUp]) => isUp!)

/** An attempt with a wrong password, by a browser without cookies. */
async function attempt(origin: string): Promise<Response> {
  const browser = createFormBrowser(origin)
  const page = await browser.open('/')
  const fields = { email: 'mei-ling.chou@example.com', password: 'wrong' }
  const { status } = await browser.submit(page, fields, 'Sign in')
  return new Response(null, { status })
}

describe('a Redis Cluster of three masters', () => {
  it('has all that is counted for a site in one slot, and counts as one server does [F-61]', async () => {
    const states: RedisState[] = []
    const open = () =>
      openCounters({ redisUrl: url, sites: SITES, onChange: (state) => states.push(state) })
    const [one, other] = [await open(), await open()]
    const memory = createMemoryBudget()
    for (const site of SITES) {
      const [here, there] = [countersOf(one, site), countersOf(other, site)]
      for (const name of ['a', 'b', 'c', 'd']) {
        const rule = { name, times: 1, windowSeconds: 60 }
        expect((await here.of(rule).take('x')).ok).toBe(true)
        expect((await there.of(rule).take('x')).ok).toBe(false)
      }
      const expense = {
        site,
        budget: 'codesOfPerson',
        spender: 'p',
        cost: 4,
        allowance: { amount: 7, seconds: 60 },
        now: 1_795_165_200,
      } as const
      const spent = [await here.budget.spend(expense), await there.budget.spend(expense)]
      expect(spent.map(({ ok }) => ok)).toEqual([true, false])
      expect(spent).toEqual([await memory.spend(expense), await memory.spend(expense)])
    }
    const places = new Map<string, Set<string>>()
    for (const index of EACH)
      for (const key of (await cli(index, 'keys', '*')).split('\n').filter(Boolean)) {
        const tag = /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? `no tag: ${key}`
        const slot = await cli(index, 'cluster', 'keyslot', key)
        places.set(tag, (places.get(tag) ?? new Set()).add(slot))
      }
    expect([...places.keys()].sort()).toEqual(SITES.toSorted())
    for (const slots of places.values()) expect(slots.size).toBe(1)
    expect(states).toEqual([])
    await Promise.all([one.close(), other.close()])
  })

  it('one of which is killed: processes count themselves, say so once, and return to it [F-61]', async () => {
    const example = await startExpressExample({ environment: { REDIS_URL: url } })
    const { origin } = example
    try {
      const victim = await masterOf(origin)
      const load = startLoad(
        {
          jwks: () => fetch(`${origin}/.well-known/jwks.json`),
          page: () => fetch(origin, { headers: { accept: 'text/html' } }),
          token: () =>
            fetch(`${origin}/api/oauth/token`, {
              method: 'POST',
              body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'study-buddy' }),
            }),
          'sign-in': () => attempt(origin),
        },
        { clients: 1, every: 500 },
      )
      await passTime(2000)
      // A busy machine may be late before.
      await waitFor(() => changes(example).at(-1) !== 'false')
      const before = changes(example).length
      await nodes[victim]!.stop()
      const from = load.since()
      await passTime(8000)
      const to = load.since()
      expect(changes(example).slice(before)).toEqual(['false'])
      start(victim)
      await waitFor(areWhole, { what: 'the cluster is whole', everyMilliseconds: 100 })
      await waitFor(() => changes(example).length >= before + 2)
      const back = changes(example).slice(before, before + 2)
      await load.stop()
      const during = summarize(load.samples, [from, to])
      process.stdout.write(
        ['a master of three killed, 8 s', ...during.map((row) => `  ${JSON.stringify(row)}`)].join('\n') + '\n',
      ) // prettier-ignore
      const statuses = { jwks: [200], page: [200], token: [400, 429], 'sign-in': [403, 429] }
      for (const { name, statuses: seen, p99 } of during) {
        const expected = statuses[name as keyof typeof statuses].map(String)
        expect([name, Object.keys(seen).filter((status) => !expected.includes(status))]).toEqual([name, []]) // prettier-ignore
        expect([name, p99 <= patienceDuring(load.samples, from)]).toEqual([name, true])
      }
      expect(during.find(({ name }) => name === 'sign-in')!.statuses[429]).toBeGreaterThan(0)
      expect(back).toEqual(['false', 'true'])
    } finally {
      await example.stop()
    }
  })

  it('one of which is away at the start does not stop it [F-61]', async () => {
    const victim = await masterOf('site_kiln')
    await nodes[victim]!.stop()
    const example = await startExpressExample({ environment: { REDIS_URL: url } })
    try {
      expect((await fetch(`${example.kiln}/.well-known/jwks.json`)).status).toBe(200)
      expect(changes(example)).toEqual(['false'])
      start(victim)
      await waitFor(areWhole, { what: 'the cluster is whole', everyMilliseconds: 100 })
      await waitFor(() => changes(example).length >= 2)
      expect(changes(example).slice(0, 2)).toEqual(['false', 'true'])
    } finally {
      await example.stop()
    }
  })

  it('one of which is killed and has a replica is used again when that is promoted [F-61]', async () => {
    const example = await startExpressExample({ environment: { REDIS_URL: url } })
    try {
      const victim = await masterOf(example.origin)
      const replica = EACH.length
      ports.push(await freePorts())
      start(replica)
      await waitFor(async () => (await cli(replica, 'ping')) === 'PONG')
      const id = await cli(victim, 'cluster', 'myid')
      const [added, known] = [replica, victim].map((index) => `127.0.0.1:${ports[index]}`)
      const role = ['--cluster-slave', '--cluster-master-id', id]
      await run('redis-cli', ['--cluster', 'add-node', added!, known!, ...role])
      await waitFor(async () =>
        /master_link_status:up/.test(await cli(replica, 'info', 'replication')),
      )
      const before = changes(example).length
      await nodes[victim]!.stop()
      const isOver = async (): Promise<boolean> => {
        await fetch(example.origin, { headers: { accept: 'text/html' } })
        const isPromoted = (await cli(replica, 'role')).startsWith('master')
        return isPromoted && changes(example).at(-1) === 'true'
      }
      await waitFor(isOver, { what: 'the replica is promoted and used', everyMilliseconds: 100 })
      expect(changes(example).slice(before)).toContain('false')
    } finally {
      await example.stop()
    }
  })
})
