import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startServer } from '../test/support/databases/postgres-server.js'
import { startChild } from './children.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'
import {
  accessTokenOf,
  clientIdOf,
  fillSchools,
  GRANTS,
  hostOf,
  refreshTokenOf,
} from './schools/data.mjs'
import { measureRealms } from './schools/keycloak.mjs'
import { writePlot } from './schools/plot.mjs'

/**
 * Measures a platform of many schools on one PostgreSQL, with 1, 2 and 4 processes. Requests over sockets follow Zipf's law.
 * Measures the first request of a school and neighbours of a flood too. Next to it, an instance of oidc-provider for each school.
 * With `--keycloak`, realms of Keycloak for `--minutes` too, if Java is here. Prints Markdown tables.
 * With `--warm`, it compares an open school with a server of its own instead, without a database.
 */
const { values: flags } = parseArgs({
  options: {
    schools: { type: 'string', default: '100000' },
    resident: { type: 'string', default: '2000' },
    processes: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
    plot: { type: 'boolean', default: false },
    keycloak: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    warm: { type: 'boolean', default: false },
  },
})
if (flags.warm) {
  await import('./schools/warm.mjs')
  process.exit()
}
const [schools, resident, seconds] = [flags.schools, flags.resident, flags.seconds].map(Number)
const IN_FLIGHT = 16
const agent = new Agent({ keepAlive: true, maxSockets: 200 })
const mega = (bytes) => (bytes / 1e6).toFixed(0)
const say = (text) => process.stderr.write(`${text}\n`)

const database = await startServer()
const operator = new pg.Client({ connectionString: database.url })
await operator.connect()
await operator.query('create database schools')
process.env.DATABASE_URL = database.url.replace(/[^/]*$/, 'schools')
const db = new pg.Client({ connectionString: process.env.DATABASE_URL })
await db.connect()
let at = performance.now()
await fillSchools(db, schools)
const [{ size }] = (await db.query(`select pg_size_pretty(pg_database_size('schools')) as size`))
  .rows
say(`${schools} schools in ${((performance.now() - at) / 1000).toFixed(0)} s, ${size}`)

/** Zipf's law: the school of rank r is asked 1/r times as often as the first. Ranks are spread over the schools. */
const sums = new Float64Array(schools)
for (let rank = 0, sum = 0; rank < schools; rank++) sums[rank] = sum += 1 / (rank + 1)
function anySchool() {
  const wanted = Math.random() * sums[schools - 1]
  let [low, high] = [0, schools - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle] < wanted) low = middle + 1
    else high = middle
  }
  return (low * 7919) % schools
}

const ask = (port, school, { method = 'GET', path, headers, body }) =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const sent = request(
      { agent, port, method, path, headers: { host: hostOf(school), ...headers } },
      (response) => {
        const parts = []
        response.on('data', (part) => parts.push(part))
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            milliseconds: performance.now() - begun,
            body: Buffer.concat(parts).toString(),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
const bearer = (port, school) =>
  ask(port, school, {
    path: '/api/oauth/userinfo',
    headers: {
      authorization: `Bearer ${accessTokenOf(school, Math.floor(Math.random() * GRANTS))}`,
    },
  })
const metadata = (port, school) =>
  ask(port, school, { path: '/.well-known/oauth-authorization-server' })
const latest = new Map()
async function refresh(port, school) {
  const grant = Math.floor(Math.random() * GRANTS)
  const key = `${school} ${grant}`
  const token = latest.get(key) ?? refreshTokenOf(school, grant)
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: clientIdOf(grant),
    refresh_token: token,
  }).toString()
  const answer = await ask(port, school, {
    method: 'POST',
    path: '/api/oauth/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    },
    body,
  })
  if (answer.status === 200) latest.set(key, JSON.parse(answer.body).refresh_token)
  return answer
}
const anyRequest = (port, school) => {
  const kind = Math.random()
  return kind < 0.8
    ? bearer(port, school)
    : kind < 0.9
      ? metadata(port, school)
      : refresh(port, school)
}

/** Sends requests one behind the other from several places at the same time, until the time is over. */
async function drive(ports, { places, until, pick = anySchool, send = anyRequest }) {
  const times = []
  const statuses = new Map()
  const one = async (place) => {
    while (performance.now() < until) {
      const { status, milliseconds } = await send(ports[place % ports.length], pick())
      times.push(milliseconds)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: places }, (_, place) => one(place)))
  return { times, statuses }
}
const lasting = (duration) => performance.now() + duration * 1000

const start = async (count) => {
  const children = []
  for (let index = 0; index < count; index++)
    children.push(
      await startChild('schools/server.mjs', [String(resident)], {
        execArgv: ['--expose-gc', '--import', 'tsx'],
      }),
    )
  return children
}
const stateOf = async (children) => {
  const states = []
  for (const { ask: askChild } of children) states.push(await askChild({ type: 'state' }))
  return states
}
const sum = (states, name) => states.reduce((total, state) => total + state[name], 0)

const rows = [
  [
    'processes',
    'requests a second',
    'p50, p99 ms',
    'heap, RSS MB of each',
    'open, opened, evicted',
    'statements a request',
    'CPU ms a request',
    'not 200',
  ],
]
for (const count of flags.processes.split(',').map(Number)) {
  const children = await start(count)
  const ports = children.map(({ port }) => port)
  await drive(ports, { places: IN_FLIGHT * count, until: lasting(seconds / 2) })
  const before = await stateOf(children)
  const { times, statuses } = await drive(ports, {
    places: IN_FLIGHT * count,
    until: lasting(seconds),
  })
  const after = await stateOf(children)
  const other = times.length - (statuses.get(200) ?? 0)
  rows.push([
    String(count), (times.length / seconds).toFixed(0), `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 0.99).toFixed(1)}`,
    `${mega(sum(after, 'heap') / count)}, ${mega(sum(after, 'rss') / count)}`,
    `${sum(after, 'resident')}, ${sum(after, 'opened')}, ${sum(after, 'evicted')}`,
    ((sum(after, 'statements') - sum(before, 'statements')) / times.length).toFixed(2),
    ((sum(after, 'cpu') - sum(before, 'cpu')) / times.length).toFixed(2), String(other),
  ]) // prettier-ignore
  say(`${rows.at(-1).join(' | ')} | ${sum(after, 'faults')} faults ${after[0].lastFault ?? ''}`)
  for (const { child } of children) child.disconnect()
}

// The heap as more schools were asked than are kept, and the first request of a school.
const steps = [0.25, 0.5, 0.75, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((times) => times * resident)
const [child] = await start(1)
const heaps = [[0, (await child.ask({ type: 'state' })).heap]]
for (const step of steps) {
  for (let index = heaps.at(-1)[0]; index < step; index++) {
    await bearer(child.port, (index * 37) % schools)
    await metadata(child.port, (index * 37) % schools)
  }
  heaps.push([step, (await child.ask({ type: 'state' })).heap])
}
const fresh = Array.from({ length: 200 }, (_, index) => (index * 37 + 1) % schools)
const { cold, warm } = await child.ask({ type: 'cold', schools: fresh })
const before = await child.ask({ type: 'maintain' })
say(
  `a cold school ${JSON.stringify(cold)}, then ${JSON.stringify(warm)}; maintenance ${JSON.stringify(before)}`,
)

// Twenty schools, each asked one request behind the other, without and with a flood at another one.
const neighbours = Array.from({ length: 20 }, (_, index) => (index * 41 + 5) % schools)
const anyNeighbour = () => neighbours[Math.floor(Math.random() * neighbours.length)]
const others = (until) =>
  drive([child.port], { places: 2, pick: anyNeighbour, send: bearer, until })
/** Sends 400 requests a second to one school, however long they take. */
async function flood(until) {
  const sent = []
  while (performance.now() < until) {
    for (let index = 0; index < 8; index++) sent.push(bearer(child.port, 3))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return (await Promise.all(sent)).map(({ status }) => status)
}
const floods = []
for (let round = 0; round < 5; round++) {
  const { times: calm } = await others(lasting(seconds / 4))
  const until = lasting(seconds / 4)
  const [{ times: during }, statuses] = await Promise.all([others(until), flood(until)])
  const [p99, p99During] = [calm, during].map((times) => quantile(times, 0.99))
  const refused = statuses.filter((status) => status === 503).length
  floods.push({ p99, p99During, ratio: p99During / p99, sent: statuses.length, refused })
}
const flooded = floods.toSorted((one, other) => one.ratio - other.ratio)[2]
child.child.disconnect()

// One instance of oidc-provider for each school.
const peer = await startChild('schools/peer.mjs', ['oidc-provider'], {})
const instances = []
for (const step of steps)
  instances.push(await peer.ask({ count: step - (instances.at(-1)?.schools ?? 50) }))
peer.child.disconnect()
const last = instances.find(({ schools: count }) => count === resident)

const megabytes = (bytes) => bytes / 1e6
const [, full] = heaps.find(([count]) => count === resident)
// The first schools pay for the code that all of them run.
const [fewest, least] = heaps[1]
const kilobytesOf = (full - least) / (resident - fewest) / 1000
const report = [
  `${schools.toLocaleString('en')} schools × 10 clients × 20 grants, ${size}; ${machine()}, Node ${process.versions.node}; ${seconds} s each, with PostgreSQL, which does not wait for the disk, and the client on the same machine.`,
  tableOf(rows),
  tableOf([
    ['a school', '**hallpass**', 'oidc-provider, an instance for each'],
    [
      'kB of heap, open and asked',
      kilobytesOf.toFixed(1),
      `${last.kilobytes.toFixed(1)}, not asked`,
    ],
    [
      `MB of heap with ${resident.toLocaleString('en')}`,
      megabytes(full).toFixed(0),
      megabytes(last.heap).toFixed(0),
    ],
    [
      'CPU ms of its first request',
      cold.milliseconds.toFixed(2),
      `${last.milliseconds.toFixed(2)} to build`,
    ],
    [
      'statements of its first request, of the next',
      `${cold.statements.toFixed(1)}, ${warm.statements.toFixed(1)}`,
      '–',
    ],
  ]),
  `- p99 of twenty neighbours of a school that gets 400 requests a second: ${flooded.p99.toFixed(1)} → ${flooded.p99During.toFixed(1)} ms, × ${flooded.ratio.toFixed(2)}; of the flood's ${flooded.sent} requests ${flooded.refused} got 503`,
  ...(flags.keycloak ? [await measureRealms({ minutes: flags.minutes })] : []),
].join('\n\n')
process.stdout.write(`${report}\n`)
say(JSON.stringify(floods))
if (flags.write) writeFigures('school figures', report)
if (flags.write || flags.plot) {
  const lines = [
    {
      name: 'hallpass',
      color: '#1f6f54',
      points: heaps.map(([count, bytes]) => [count, megabytes(bytes)]),
    },
    {
      name: 'oidc-provider',
      color: '#b4472f',
      points: instances.map(({ schools: count, heap }) => [count, megabytes(heap)]),
    },
  ]
  writePlot(lines)
}
await db.end()
await operator.end()
await database.stop()
