import { parseArgs } from 'node:util'
import { cpuTimes, startChild, WARM_UP_ROUNDS } from './children.mjs'
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

const measured = []
for (const target of targets) {
  const [folder, subject, scenario] = target.split('/')
  const child = await startChild('server.mjs', [folder, subject], { node: flags.node })
  measured.push({ target, scenario, child, spent: [] })
}
for (const { child, scenario } of measured)
  for await (const _spent of cpuTimes(child, scenario, { requests, rounds: WARM_UP_ROUNDS }))
    continue
const times = measured.map(({ child, scenario }) => cpuTimes(child, scenario, { requests, rounds }))
for (let round = 0; round < rounds; round++)
  for (const [index, { spent }] of measured.entries()) spent.push((await times[index].next()).value)

const microseconds = (spent, at) => `${quantile(spent, at).toFixed(1)} µs`
const rows = measured.map(({ target, spent }) => [
  target,
  ...[0.1, 0.25, 0.5, 0.75].map((at) => microseconds(spent, at)),
])
console.log(`${machine()}; ${rounds} rounds of ${requests} requests, CPU time of one.\n`)
console.log(tableOf([['target', 'best tenth', 'quartile', 'median', 'quartile'], ...rows]))
for (const { child } of measured) child.child.disconnect()
