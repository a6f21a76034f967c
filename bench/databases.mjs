import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLocalJWKSet, jwtVerify } from 'jose'
import pg from 'pg'
import { findNode } from '../scripts/nodes.mjs'
import { startMariadb } from '../test/support/databases/mariadb-server.js'
import { startServer } from '../test/support/databases/postgres-server.js'
import { startChild } from './children.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'

/**
 * Measures what a second of a core serves on a database. hallpass, and servers that others wrote with the adapters that
 * their users take, each have a database of their own on one PostgreSQL server. hallpass is measured on databases that
 * need no server too. All take turns. It counts the processor time of the server process, of its connections in PostgreSQL, and statements.
 * Prints Markdown tables. To add a subject, add its file to `databases` and its line here.
 */
const SUBJECTS = {
  'hallpass-postgres': '**hallpass** on PostgreSQL',
  'better-auth': 'better-auth on PostgreSQL',
  'oidc-provider': 'oidc-provider on PostgreSQL',
  'hallpass-mariadb': '**hallpass** on MariaDB',
  'hallpass-sqlite': '**hallpass** on `node:sqlite`',
  'hallpass-pglite': '**hallpass** on PGlite',
  'hallpass-memory': '**hallpass** on the memory store',
}
const SCENARIOS = {
  exchange: 'code exchange',
  refresh: 'refresh',
  bearer: 'bearer check (UserInfo)',
  exchangeProved: 'exchange with DPoP',
  refreshProved: 'refresh with DPoP',
  bearerProved: 'UserInfo with DPoP',
}
const OURS = 'hallpass-postgres'
/** The aims: how many times hallpass's time of a core a request of each takes, with PostgreSQL's own time. */
const TARGETS = { 'better-auth': 7, 'oidc-provider': 3 }
const PEERS = Object.keys(TARGETS)

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '500' },
    warmup: { type: 'string', default: '1500' },
    node: { type: 'string', default: '24' },
    subjects: { type: 'string', default: Object.keys(SUBJECTS).join() },
    write: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const names = flags.subjects.split(',')

// node:sqlite needs a newer Node than the oldest that hallpass runs on.
const node = await findNode(flags.node)
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
const folder = mkdtempSync(join(tmpdir(), 'hallpass-databases-'))
const server = await startServer({ isDurable: true })
const mariadb = await startMariadb(['--innodb-flush-log-at-trx-commit=1'])
process.env.MARIADB_SOCKET = mariadb.socketPath
const operator = new pg.Client({ connectionString: server.url })
await operator.connect()
const { rows: [{ server_version: postgresVersion }] } = await operator.query('show server_version') // prettier-ignore

const client = await startChild('client.mjs', [], { core: '1', node })
const servers = new Map()
for (const [index, name] of names.entries()) {
  await operator.query(`create database bench_${index}`)
  process.env.DATABASE_URL = urlOf(`bench_${index}`)
  process.env.BENCH_FOLDER = mkdtempSync(join(folder, 'data-'))
  servers.set(name, {
    ...(await startChild('server.mjs', ['databases', name], { core: '0', node })),
    database: `bench_${index}`,
  })
}

/** Whether a subject takes part: requests with a proof are sent to those on PostgreSQL only. */
const takesPart = (name, scenario) =>
  !scenario.endsWith('Proved') || name === OURS || PEERS.includes(name)

/** Name and scenario to one entry per round. */
const results = new Map()
for (const scenario of Object.keys(SCENARIOS)) {
  const taking = names.filter((name) => takesPart(name, scenario))
  for (const name of taking) {
    await measure(name, scenario, Number(flags.warmup))
    await analyze(servers.get(name).database)
  }
  for (let round = 0; round < rounds; round++)
    for (const name of taking) {
      const key = `${name} ${scenario}`
      const result = await measure(name, scenario, Number(flags.requests))
      results.set(key, [...(results.get(key) ?? []), result])
    }
}
for (const { child } of [client, ...servers.values()]) child.disconnect()
await operator.end()
await server.stop()
await mariadb.stop()
rmSync(folder, { recursive: true })

function urlOf(database) {
  return server.url.replace(/[^/]*$/, database)
}

const whole = (number) => Math.round(number).toLocaleString('en')
const rounded = (number) => whole(Number(number.toPrecision(2)))
const of = (name, scenario, what) => results.get(`${name} ${scenario}`).map((one) => one[what])
const median = (name, scenario, what) => quantile(of(name, scenario, what), 0.5)

const report = [
  `${new Date().toISOString().slice(0, 10)}, Node ${version.slice(1)}, PostgreSQL ${postgresVersion.split(' ')[0]}, ` +
    `${PEERS.map((name) => `${name} ${versionOf(name)}`).join(', ')}, ${machine()}; ${flags.rounds} rounds of ` +
    `${flags.requests} requests, medians, the lowest and highest round in brackets.`,
  '',
  tableOf([
    ['requests per second of a core, that of PostgreSQL included', ...Object.values(SCENARIOS)],
    ...names.map((name) => [
      SUBJECTS[name],
      ...Object.keys(SCENARIOS).map((scenario) => {
        if (!takesPart(name, scenario)) return '–'
        const [least, middle, most] = [1, 0.5, 0].map((share) =>
          rounded(1e6 / quantile(of(name, scenario, 'all'), share)),
        )
        return `${middle} (${least}–${most})`
      }),
    ]),
  ]),
  '',
  tableOf([
    [
      'statements · µs of the server process · of PostgreSQL · bytes of its log · requests of a second from 16 connections',
      ...Object.values(SCENARIOS),
    ],
    ...names.map((name) => [
      SUBJECTS[name],
      ...Object.keys(SCENARIOS).map((scenario) => {
        if (!takesPart(name, scenario)) return '–'
        const [statements, cpu, postgres, log, perSecond] = [
          ...['statements', 'cpu', 'postgres', 'log', 'perSecond'],
        ].map((what) => median(name, scenario, what))
        const its = postgres === 0 ? '– · –' : `${whole(postgres)} · ${rounded(log)}`
        return `${statements.toFixed(0)} · ${whole(cpu)} · ${its} · ${rounded(perSecond)}`
      }),
    ]),
  ]),
  '',
  ...(names.includes(OURS) ? Object.keys(SCENARIOS).map(verdicts) : []),
].join('\n')
console.log(report)
if (flags.write) writeFigures('database figures', report)

async function measure(name, scenario, count) {
  const { ask, jwks, database } = servers.get(name)
  const prepared = await ask({ type: 'prepare', scenario, count })
  const before = await timesOf(database)
  const logBefore = await logged()
  await ask({ type: 'start' })
  const { seconds, sample } = await client.ask(prepared)
  const { cpuMicroseconds, statements } = await ask({ type: 'stop' })
  const after = await timesOf(database)
  if (typeof sample.id_token === 'string')
    await jwtVerify(sample.id_token, createLocalJWKSet(jwks), { algorithms: ['ES256'] })
  let postgres = 0
  for (const [pid, time] of after) postgres += time - (before.get(pid) ?? 0)
  return {
    cpu: cpuMicroseconds / count,
    all: (cpuMicroseconds + postgres) / count,
    log: ((await logged()) - logBefore) / count,
    perSecond: count / seconds,
    statements: statements / count,
    postgres: postgres / count,
  }
}

/** How many bytes PostgreSQL has written to its log. */
async function logged() {
  const { rows } = await operator.query("select pg_current_wal_insert_lsn() - '0/0' as bytes")
  return Number(rows[0].bytes)
}

/** Updates statistics as autovacuum would within a minute: until then PostgreSQL plans for tables that are nearly empty. */
async function analyze(database) {
  const own = new pg.Client({ connectionString: urlOf(database) })
  await own.connect()
  await own.query('analyze')
  await own.end()
}

/** Returns how many microseconds the processor has worked for each connection to a database, by its process. */
async function timesOf(database) {
  const { rows } = await operator.query('select pid from pg_stat_activity where datname = $1', [
    database,
  ])
  return new Map(
    rows.map(({ pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
      return [pid, 10_000 * (Number(fields[11]) + Number(fields[12]))]
    }),
  )
}

/** How many times our time of a core each peer takes, and how long our log is, compared with theirs. */
function verdicts(scenario) {
  const against = PEERS.filter((name) => names.includes(name)).map((name) => {
    const reached = median(name, scenario, 'all') / median(OURS, scenario, 'all')
    const verdict = reached >= TARGETS[name] ? 'reached' : 'missed'
    const [log, its] = [OURS, name].map((one) => Math.round(median(one, scenario, 'log')))
    const written = its === 0 ? '' : `, log ${(log / its).toFixed(2)} ×`
    return `${reached.toFixed(2)} × ${name} (${verdict}${written})`
  })
  const title = SCENARIOS[scenario][0].toUpperCase() + SCENARIOS[scenario].slice(1)
  return `- ${title}: ${against.join(', ')}`
}

function versionOf(name) {
  for (const place of ['databases/node_modules', '../node_modules'])
    try {
      return JSON.parse(readFileSync(new URL(`${place}/${name}/package.json`, import.meta.url)))
        .version
    } catch {}
  throw new Error(`${name} is not installed`)
}
