import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { startChild } from './children.mjs'
import { machine, quantile, tableOf, writeFigures } from './figures.mjs'
import { SETS } from './sets.mjs'

/** Measures every subject of a set in every scenario, round by round, and prints a Markdown table. */
const { values: chosen } = parseArgs({
  options: { set: { type: 'string', default: 'server' } },
  strict: false,
})
if (!Object.hasOwn(SETS, chosen.set)) throw new Error(`there is no set ${chosen.set}`)
const {
  folder,
  subjects: SUBJECTS,
  scenarios: SCENARIOS,
  targets: TARGETS,
  marker,
  withSizes,
} = SETS[chosen.set]

const { values: flags } = parseArgs({
  options: {
    set: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '3000' },
    warmup: { type: 'string', default: '6000' },
    subjects: { type: 'string', default: Object.keys(SUBJECTS).join() },
    scenarios: { type: 'string', default: Object.keys(SCENARIOS).join() },
    write: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const subjects = flags.subjects.split(',')
const scenarios = flags.scenarios.split(',')

const client = await startChild('client.mjs', [], { core: '1' })
const servers = new Map()
for (const name of subjects)
  servers.set(name, await startChild('server.mjs', [folder, name], { core: '0' }))

/** Subject and scenario to one entry per round. */
const results = new Map()
const answers = {}
for (const scenario of scenarios) {
  for (const name of subjects) await measure(name, scenario, Number(flags.warmup))
  for (let round = 0; round < rounds; round++) {
    for (const name of subjects) {
      const result = await measure(name, scenario, Number(flags.requests))
      if (result === null) continue
      const key = `${name} ${scenario}`
      results.set(key, [...(results.get(key) ?? []), result])
    }
  }
}
for (const { child } of [client, ...servers.values()]) child.disconnect()

const report = [
  `Node ${process.versions.node}, ${machine()}; ${flags.rounds} rounds of ${flags.requests} requests, medians.`,
  '',
  table(),
  '',
  ...targets(),
  ...(withSizes ? ['', await sizes()] : []),
].join('\n')
console.log(report)
if (flags.write) writeFigures(marker, report)

/** Returns the figures of one round, or `null` if the subject does not have the scenario. */
async function measure(name, scenario, count) {
  const server = servers.get(name)
  if (!server.scenarios.includes(scenario)) return null
  const prepared = await server.ask({ type: 'prepare', scenario, count })
  await server.ask({ type: 'start' })
  const { seconds, sample } = await client.ask(prepared)
  const { cpuMicroseconds } = await server.ask({ type: 'stop' })
  checkSame(scenario, sample)
  if (typeof sample.id_token === 'string')
    await jwtVerify(sample.id_token, createLocalJWKSet(server.jwks), { algorithms: ['ES256'] })
  return { cpu: cpuMicroseconds / count, perSecond: count / seconds }
}

/** Checks that all subjects that serve the same data return the same response. */
function checkSame(scenario, sample) {
  if (sample.data === undefined) return
  const text = JSON.stringify(sample)
  if ((answers[scenario] ??= text) !== text)
    throw new Error(`${scenario}: the responses differ: ${text}`)
}

function median(name, scenario, what) {
  const values = results.get(`${name} ${scenario}`)?.map((result) => result[what])
  return values === undefined ? null : quantile(values, 0.5)
}

function table() {
  const cell = (name, scenario) => {
    const cpu = median(name, scenario, 'cpu')
    if (cpu === null) return '–'
    const perSecond = Math.round(median(name, scenario, 'perSecond') / 100) * 100
    return `${cpu.toFixed(0)} µs · ${perSecond.toLocaleString('en')}/s`
  }
  const rows = subjects.map((name) => [
    SUBJECTS[name],
    ...scenarios.map((scenario) => cell(name, scenario)),
  ])
  const head = [
    'CPU per request · requests per second',
    ...scenarios.map((name) => SCENARIOS[name]),
  ]
  return tableOf([head, ...rows])
}

function targets() {
  return TARGETS.flatMap(verdicts)
}

function verdicts({ subject = 'hallpass', scenario, atLeast }) {
  const ours = median(subject, scenario, 'cpu')
  return Object.entries(atLeast).flatMap(([other, times]) => {
    const theirs = median(other, scenario, 'cpu')
    if (ours === null || theirs === null) return []
    const reached = theirs / ours
    const verdict = reached >= times ? 'reached' : 'missed'
    const what = SUBJECTS[other].replace(/, no checks$| \(.*$/, '')
    const title = SCENARIOS[scenario][0].toUpperCase() + SCENARIOS[scenario].slice(1)
    return [`- ${title}: ${reached.toFixed(2)} × ${what} (target ${times}: ${verdict})`]
  })
}

async function sizes() {
  const { outputFiles } = await build({
    stdin: { contents: "export * from 'hallpass/policy'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  const [{ contents }] = outputFiles
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
  return (
    `\`hallpass/policy\` with its dependency, bundled and minified: ${kilobytes(contents.length)}, ` +
    `${kilobytes(gzipSync(contents).length)} gzipped (a test holds it under 14.1 kB).`
  )
}
