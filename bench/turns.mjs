import { parseArgs } from 'node:util'
import { startChild } from './children.mjs'
import { machine, quantile, tableOf } from './figures.mjs'

/**
 * Measures targets of `surfaces.mjs` that differ by little, each as often as it is named. Every one is a process of its
 * own, with sockets in memory, and they take turns. The first process that is started is often the slowest, so name the
 * target first that matters least, and the others in turns.
 */
const { values: flags, positionals: targets } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '21' },
    node: { type: 'string', default: process.execPath },
  },
})
const requests = Number(flags.requests)
const rounds = Number(flags.rounds)
const WARM_UP_ROUNDS = 3

const measured = []
for (const target of targets) {
  const [folder, subject, scenario] = target.split('/')
  const child = await startChild('server.mjs', [folder, subject], { node: flags.node })
  measured.push({ target, scenario, child, spent: [] })
}
async function load(count) {
  for (const { child, scenario } of measured)
    await child.ask({ type: 'load', scenario, count: requests * count })
}
async function drive() {
  for (const { child, scenario, spent } of measured) {
    const { cpuMicroseconds } = await child.ask({ type: 'drive', scenario, count: requests })
    spent.push(cpuMicroseconds / requests)
  }
}
await load(WARM_UP_ROUNDS)
for (let round = 0; round < WARM_UP_ROUNDS; round++) await drive()
await load(rounds)
for (const { spent } of measured) spent.length = 0
for (let round = 0; round < rounds; round++) await drive()

const microseconds = (spent, at) => `${quantile(spent, at).toFixed(1)} µs`
const rows = measured.map(({ target, spent }) => [
  target,
  ...[0.1, 0.25, 0.5, 0.75].map((at) => microseconds(spent, at)),
])
console.log(`${machine()}; ${rounds} rounds of ${requests} requests, CPU time of one.\n`)
console.log(tableOf([['target', 'best tenth', 'quartile', 'median', 'quartile'], ...rows]))
for (const { child } of measured) child.child.disconnect()
