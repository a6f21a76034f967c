import { parseArgs } from 'node:util'
import pg from 'pg'
import { findNode } from '../scripts/nodes.mjs'
import { startServer } from '../test/support/databases/postgres-server.js'
import { startChild } from './children.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'

/**
 * Measures 1, 2 and 4 processes of each server on one PostgreSQL: their requests of a second, and how long one takes
 * at half and at nine tenths of that. These are sent when they are due, however long others take, and the time of
 * each begins then. The servers take turns. Prints a Markdown table.
 */
const SUBJECTS = { 'hallpass-postgres': '**hallpass**', 'oidc-provider': 'oidc-provider' }
const SCENARIOS = { exchange: 'code exchange', refresh: 'refresh', bearer: 'UserInfo' }
const ORIGIN = 'http://127.0.0.1:9'

const { values: flags } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2,4' },
    requests: { type: 'string', default: '1500' },
    rounds: { type: 'string', default: '3' },
    node: { type: 'string', default: '24' },
    write: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const node = await findNode(flags.node)
const server = await startServer({ isDurable: true })
const operator = new pg.Client({ connectionString: server.url })
await operator.connect()
const client = await startChild('client.mjs', [], { node })
process.env.BENCH_ORIGIN = ORIGIN

const rows = []
for (const processes of flags.processes.split(',').map(Number)) {
  const subjects = []
  for (const name of Object.keys(SUBJECTS)) {
    const database = `load_${name.replace('-', '_')}_${processes}`
    await operator.query(`create database "${database}"`)
    process.env.DATABASE_URL = server.url.replace(/[^/]*$/, database)
    const children = []
    for (let index = 0; index < processes; index++)
      children.push(await startChild('server.mjs', ['databases', name], { node }))
    subjects.push({ name, children, figures: new Map() })
  }
  for (const scenario of Object.keys(SCENARIOS)) {
    for (const subject of subjects) await send(subject, scenario)
    for (let round = 0; round < rounds; round++)
      for (const subject of subjects) {
        const { perSecond } = await send(subject, scenario)
        const half = await send(subject, scenario, perSecond / 2)
        const most = await send(subject, scenario, perSecond * 0.9)
        const known = subject.figures.get(scenario) ?? []
        subject.figures.set(scenario, [...known, { perSecond, half, most }])
      }
  }
  for (const { name, children, figures } of subjects) {
    rows.push([`${SUBJECTS[name]}, ${processes} × Node`, ...[...figures.values()].map(cellOf)])
    for (const { child } of children) child.disconnect()
  }
}
client.child.disconnect()
await operator.end()
await server.stop()

const report = [
  `${new Date().toISOString().slice(0, 10)}, ${machine()}; medians of ${rounds} rounds of ${flags.requests} requests.`,
  '',
  tableOf([
    [
      'requests per second · p50 / p99 in ms at half of that · at nine tenths',
      ...Object.values(SCENARIOS),
    ],
    ...rows,
  ]),
].join('\n')
console.log(report)
if (flags.write) writeFigures('load figures', report)

/** Sends requests to the processes of a server in turn: as fast as they are answered, or at a rate. */
async function send({ children }, scenario, rate) {
  const [{ ask }] = children
  const count = Number(flags.requests)
  const prepared = await ask({ type: 'prepare', scenario, count })
  const ports = []
  for (const child of children)
    ports.push((await child.ask({ type: 'prepare', scenario, count: 0 })).port)
  const { seconds, times } = await client.ask({ ...prepared, ports, rate })
  return { perSecond: count / seconds, times }
}

function cellOf(measured) {
  const median = (of) => quantile(measured.map(of), 0.5)
  const took = (load) =>
    [0.5, 0.99]
      .map((share) => median((one) => quantile(one[load].times, share)).toFixed(1))
      .join(' / ')
  const perSecond = Number(median((one) => one.perSecond).toPrecision(2))
  return `${perSecond.toLocaleString('en')} · ${took('half')} · ${took('most')}`
}
