/**
 * Simulates the library on the memory store, one run for each seed, on every core. Prints the shortest history
 * of each of the first runs that break a rule, and fails if there is one.
 *
 * `npm run test:simulation -- --seeds 10000 --from 0`; `--steps` is the length of a run.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createMemoryStore } from 'hallpass/store'
import { simulate } from 'hallpass-lab'

const SHOWN = 3

if (process.send === undefined) await main()
else process.once('message', (part) => void work(part))

async function main() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '10000' },
      from: { type: 'string', default: '0' },
      steps: { type: 'string', default: '100' },
    },
  })
  const [seeds, from, steps] = ['seeds', 'from', 'steps'].map((name) => wholeNumber(name, values))
  const began = performance.now()
  const workers = Math.min(availableParallelism(), seeds)
  const results = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      ask({ from: from + index, until: from + seeds, by: workers, steps }),
    ),
  )
  const entries = results.reduce((sum, result) => sum + result.entries, 0)
  const broken = results.flatMap((result) => result.broken).sort((one, other) => one - other)
  for (const seed of broken.slice(0, SHOWN)) await show(seed, steps)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${seeds} seeds from ${from}, ${steps} steps each, ${entries} events, ${seconds} s: ${broken.length} broke a rule`,
  )
  if (broken.length > 0) process.exitCode = 1
}

function wholeNumber(name, values) {
  const value = Number(values[name])
  const isValid = Number.isInteger(value) && value >= (name === 'from' ? 0 : 1)
  if (!isValid) throw new RangeError(`--${name} must be a whole number, not ${values[name]}`)
  return value
}

function ask(share) {
  const child = fork(fileURLToPath(import.meta.url), [], {
    // A run leaves mostly garbage, which is cheap to collect while it is young.
    execArgv: ['--max-semi-space-size=64'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)))
    child.send(share)
  })
}

async function work({ from, until, by, steps }) {
  let entries = 0
  const broken = []
  for (let seed = from; seed < until; seed += by) {
    const { history, violations } = await run(seed, steps, false)
    entries += history.length
    if (violations.length > 0) broken.push(seed)
  }
  process.send({ entries, broken }, () => process.disconnect())
}

async function show(seed, steps) {
  const report = await run(seed, steps, true)
  console.log(`seed ${seed} breaks a rule within ${report.steps} steps:`)
  for (const { step, at, server, what } of report.history)
    console.log(`  step ${step}, ${at} s, process ${server ?? '-'}: ${what}`)
  for (const { rule, step, what } of report.violations)
    console.log(`  BROKEN ${rule} in step ${step}: ${what}`)
}

function run(seed, steps, shortest) {
  return simulate({ createStore: () => createMemoryStore(), seed, steps, shortest })
}
