import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { buildExpressExample } from '../scripts/build-express.mjs'
import {
  authorizationFields,
  codeForm,
  refreshForm,
  send,
  writeCodes,
} from '../test/support/http/code-load.js'
import { expressExample, running } from '../test/support/processes/example-process.js'
import { createFormBrowser, signInAndAllow } from '../test/support/http/form-browser.js'
import { startServer } from '../test/support/databases/postgres-server.js'

/**
 * Measures how long the requests of others take while one network sends ten times what it may: the school on Express
 * and PostgreSQL, with its limits on. Rounds without and with the flood alternate, so that a slow minute of the machine
 * affects both. Prints a Markdown table.
 */
const { values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    times: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(flags.rounds), Number(flags.seconds)]

/** The requests that one network may send in a minute, by what it asks for. The token endpoint gets what is left of 1,200. */
const ALLOWED = {
  registrations: 60,
  'authorization requests': 60,
  'new documents': 30,
  'GraphQL queries': 120,
  'token attempts': 930,
}
const PEOPLE = [
  'mei-ling.chou', 'jonas.brandt', 'priya.nair', 'lucia.ferrari', 'noor.haddad', 'sam.okafor', 'yuki.tan', 'amara.obi',
] // prettier-ignore
/** Requests of others in a second. */
const RATES = { 'sign-in': 0.5, refresh: 4, UserInfo: 10, metadata: 2 }
const GRANTS = 40

if (process.send === undefined) await measure()
else await flood()

/** Sends what {@link ALLOWED} has, so many times as often, until the parent ends. */
async function flood() {
  const [origin, accessToken, times] = process.argv.slice(2)
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  let sent = 0
  const statuses = {}
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send(statuses))
  /** Another address of one IPv6 network for each request. */
  const ask = async (name, path, { headers = {}, ...more } = {}) => {
    const { status } = await send(origin + path, {
      agent,
      headers: { 'x-forwarded-for': `2001:db8:0:1::${(++sent % 0xffff).toString(16)}`, ...headers },
      ...more,
    })
    const own = (statuses[name] ??= {})
    own[status] = (own[status] ?? 0) + 1
  }
  const asks = {
    registrations: () =>
      ask('registrations', '/api/oauth/register', {
        json: { client_name: 'Flood', redirect_uris: ['http://127.0.0.1/callback'] },
      }),
    'authorization requests': () =>
      ask(
        'authorization requests',
        `/oauth/authorize?${new URLSearchParams(authorizationFields(origin))}`,
      ),
    'new documents': () =>
      ask(
        'new documents',
        `/oauth/authorize?${new URLSearchParams({
          ...authorizationFields(origin),
          client_id: `https://slow.example/${randomBytes(8).toString('hex')}.json`,
        })}`,
      ),
    'GraphQL queries': () =>
      ask('GraphQL queries', '/account/graphql', {
        headers: { authorization: `Bearer ${accessToken}` },
        json: { query: '{ viewer { name orders(first: 100) { nodes { id } } } }' },
      }),
    'token attempts': () =>
      ask('token attempts', '/api/oauth/token', {
        form: codeForm(`hpc_${randomBytes(32).toString('base64url')}`, origin),
      }),
  }
  for (const [name, perMinute] of Object.entries(ALLOWED))
    every((perMinute * Number(times)) / 60, asks[name])
}

/** Calls a function so many times in a second, whether the calls before have ended or not. */
function every(perSecond, work) {
  const began = performance.now()
  let due = Math.random()
  return setInterval(() => {
    for (; due < ((performance.now() - began) / 1000) * perSecond; due++) void work()
  }, 5)
}

async function measure() {
  const postgres = await startServer()
  const { program } = await buildExpressExample()
  const database = { url: postgres.url, stop: postgres.stop }
  const environment = { HALLPASS_TRUST_PROXY: '1', HALLPASS_RATE_LIMITS: 'on' }
  const school = await running(expressExample(program), { database, environment })
  const { origin, pid } = school
  const side = new pg.Client({ connectionString: postgres.url })
  await side.connect()
  const agent = new Agent({ keepAlive: true })
  try {
    const codes = await writeCodes(side, { origin, count: GRANTS + 1 })
    const grants = []
    for (const [index, code] of codes.entries()) {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` }
      const { text } = await send(`${origin}/api/oauth/token`, {
        agent,
        headers,
        form: codeForm(code, origin),
      })
      grants.push({ headers, isBusy: false, ...JSON.parse(text) })
    }
    const { access_token: floodToken } = grants.pop()
    /** One entry for each round: the times of each kind of request, and what the server needed. */
    const results = { without: [], with: [] }
    const flooded = {}
    let samples = new Map()
    const asks = honest({
      origin,
      agent,
      grants,
      take: (name, one) => samples.set(name, [...(samples.get(name) ?? []), one]),
    })
    const timers = Object.entries(RATES).map(([name, rate]) => every(rate, asks[name]))
    await pause(5000)
    for (let round = 0; round < rounds; round++)
      for (const kind of ['without', 'with']) {
        const child =
          kind === 'with'
            ? fork(fileURLToPath(import.meta.url), [origin, floodToken, flags.times])
            : null
        await pause(2000)
        samples = new Map()
        const before = schedule(pid)
        await pause(seconds * 1000)
        const after = schedule(pid)
        results[kind].push({
          samples,
          ran: (after.ran - before.ran) / seconds,
          waited: (after.waited - before.waited) / seconds,
        })
        if (child === null) continue
        child.send('statuses')
        const statuses = await new Promise((resolve) => child.once('message', resolve))
        for (const [name, own] of Object.entries(statuses))
          for (const [status, count] of Object.entries(own)) {
            const all = (flooded[name] ??= {})
            all[status] = (all[status] ?? 0) + count
          }
        child.disconnect()
        await pause(2000)
      }
    for (const timer of timers) clearInterval(timer)
    await pause(2000)
    print({ results, flooded })
  } finally {
    agent.destroy()
    await side.end()
    await school.stop()
  }
}

/** The requests of others, each from an address of its own. */
function honest({ origin, agent, grants, take }) {
  let turn = 0
  const timed = async (name, work) => {
    const begun = performance.now()
    const isFine = await work().catch(() => false)
    take(name, { milliseconds: performance.now() - begun, isFine })
  }
  const free = () =>
    grants.map((_, index) => grants[(index + turn) % GRANTS]).find(({ isBusy }) => !isBusy)
  const asks = {
    async 'sign-in'() {
      const email = `${PEOPLE[turn++ % PEOPLE.length]}@example.com`
      const headers = { 'x-forwarded-for': `203.0.113.${turn % 250}` }
      await timed('sign-in, five requests', async () => {
        const url = `${origin}/oauth/authorize?${new URLSearchParams(authorizationFields(origin))}`
        const callback = await signInAndAllow(createFormBrowser(origin, headers), url, { email })
        return callback.searchParams.has('code')
      })
    },
    async refresh() {
      turn++
      const grant = free()
      if (grant === undefined) return
      grant.isBusy = true
      await timed('refresh', async () => {
        const { status, text } = await send(`${origin}/api/oauth/token`, {
          agent,
          headers: grant.headers,
          form: refreshForm(grant.refresh_token),
        })
        if (status === 200) Object.assign(grant, JSON.parse(text))
        return status === 200
      })
      grant.isBusy = false
    },
    async UserInfo() {
      const { access_token: token, headers } = grants[turn++ % GRANTS]
      await timed('UserInfo', async () => {
        const authorization = `Bearer ${token}`
        const { status } = await send(`${origin}/api/oauth/userinfo`, {
          agent,
          headers: { ...headers, authorization },
        })
        return status === 200
      })
    },
    async metadata() {
      const headers = { 'x-forwarded-for': `203.0.113.${turn++ % 250}` }
      await timed('metadata', async () => {
        const { status } = await send(`${origin}/.well-known/oauth-authorization-server`, {
          agent,
          headers,
        })
        return status === 200
      })
    },
  }
  return asks
}

/** How long the event loop of a process has run so far, and waited until it could, in seconds: schedstat of proc(5). */
function schedule(pid) {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  return { ran: ran / 1e9, waited: waited / 1e9 }
}

function countsOf(statuses) {
  return Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
}

function print({ results, flooded }) {
  const sorted = (numbers) => numbers.toSorted((one, other) => one - other)
  const median = (numbers) => sorted(numbers)[Math.floor((numbers.length - 1) / 2)]
  const of = (name, { samples }) =>
    name === 'all' ? [...samples.values()].flat() : (samples.get(name) ?? [])
  /** The median over the rounds, of a quantile in each of them. */
  const quantile = (name, kind, share) =>
    median(
      results[kind].map((round) => {
        const times = sorted(of(name, round).map(({ milliseconds }) => milliseconds))
        return times[Math.min(Math.floor(times.length * share), times.length - 1)]
      }),
    )
  const count = (name, kind) => results[kind].flatMap((round) => of(name, round)).length
  const failed = (kind) =>
    results[kind].flatMap((round) => of('all', round)).filter(({ isFine }) => !isFine).length
  const percent = (kind, what) =>
    `${Math.round(median(results[kind].map((one) => one[what])) * 100)} %`
  const row = (name) => {
    const figures = [0.5, 0.99].map((share) => {
      const [before, after] = ['without', 'with'].map((kind) => quantile(name, kind, share))
      return `${before.toFixed(1)} → ${after.toFixed(1)} ms | ${(after / before).toFixed(2)}`
    })
    return `| ${name} | ${count(name, 'without')} + ${count(name, 'with')} | ${figures.join(' | ')} |`
  }
  const [{ model }] = cpus()
  const report = [
    `Node ${process.versions.node}, ${availableParallelism()} × ${model.trim()}; ${rounds} rounds of ${seconds} s without and ${seconds} s with the flood, medians.`,
    '',
    '| others | requests | p50 | ratio | p99 | ratio |',
    '| --- | --: | --: | --: | --: | --: |',
    ...[...results.without[0].samples.keys()].sort().map(row),
    row('all'),
    '',
    `- Others that were not served: ${failed('without')} without, ${failed('with')} with the flood.`,
    `- The flood: ${Object.entries(flooded)
      .map(([name, own]) => `${name} ${countsOf(own)}`)
      .join('; ')}.`,
    `- The event loop of the server ran ${percent('without', 'ran')} of the time without and ${percent('with', 'ran')} with the flood, and waited for a processor ${percent('without', 'waited')} and ${percent('with', 'waited')}.`,
  ].join('\n')
  console.log(report)
  if (!flags.write) return
  const path = fileURLToPath(new URL('../docs/understand/performance.md', import.meta.url))
  const [begin, end] = ['<!-- flood figures -->', '<!-- end of flood figures -->']
  const page = readFileSync(path, 'utf8')
  const [at, until] = [page.indexOf(begin), page.indexOf(end)]
  if (at === -1 || until < at)
    throw new Error(`docs/understand/performance.md has no ${begin} and ${end}`)
  writeFileSync(path, `${page.slice(0, at)}${begin}\n\n${report}\n\n${page.slice(until)}`)
}
