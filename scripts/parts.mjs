// Runs what must hold, in parts: `npm run check` those that need nothing but this repository, `.ci/run` what a commit can
// break, and `npm run check:release` the rest too: what measures, repeats, or asks one thing of many runtimes.
// Two parts run at a time, because one leaves a core idle for a third of its time. What measures has the machine for
// itself, at the end.
// The output of a part is printed when it ends. A test that passed only the second time, in CI, is printed at the end
// as `flaky: …` with its first error; more than two of them fail the run, and so does a test that was skipped.
//
// `node scripts/parts.mjs check gate` runs some of them.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from './nodes.mjs'
import { outcomeOf, verdictOn } from './verdict.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = `${ROOT}node_modules/.vitest`
const FLAKY_FILE = `${FOLDER}/flaky.jsonl`
/** A part that prints nothing for so long hangs, however busy the machine is. Vitest prints each file that ends. */
const MOST_QUIET_MINUTES = 15
const MOST_MINUTES = 90
/** How many characters of the output of a first try are printed again at the end. */
const MOST_SAID = 4000
const isCi = process.env['CI'] === 'true'

/** The line of Node on which all that depends on the runtime runs again. MCP's conformance suite runs only there. */
const CURRENT = '24'

const npm = (name, ...args) => ['npm', 'run', '--silent', name, ...args]
const vitest = (...args) => ['node', 'node_modules/vitest/vitest.mjs', 'run', ...args]

/** Tests that need no compiled driver. */
const MARIADB = ['mysql', 'mysql-conflicts', 'created', 'operations'].map(
  (name) => `test/stores/${name}.test.ts`,
)

/**
 * The parts. `tests`: it is Vitest's, whose report is read. `wide`: it keeps both cores busy, so that no other such part
 * runs next to it. `alone`: it measures. `after`: what writes where the part reads, or reads where it writes.
 * `again`: it asks the registry of npm, so that CI may run it a second time.
 */
const PARTS = {
  build: { run: npm('build') },
  // Else the first two parts that start it would build it at the same time, over each other.
  example: { run: ['node', 'scripts/build-express.mjs'], after: ['build'] },
  faults: { run: vitest('--project', 'faults'), tests: true },
  test: { run: ['npm', 'test'], tests: true, wide: true },
  packages: { run: npm('test:packages'), tests: true, wide: true },
  rest: { run: npm('test:rest'), tests: true, wide: true },
  attack: { run: vitest('--project', 'attack'), tests: true, wide: true },
  // In one run, so that both use the same build of Next.js.
  'rest+attack': { run: npm('test:rest', '--', '--project', 'attack'), tests: true, wide: true },
  'test:release': { run: npm('test:release'), tests: true, wide: true },
  node: {
    run: vitest(
      '--project',
      'hallpass',
      'test/conformance',
      'test/http',
      'test/node',
      'test/token',
    ),
    tests: true,
    node: CURRENT,
  },
  'graphql-17': { run: npm('test:graphql-17'), tests: true, node: CURRENT, again: true },
  'query-builders': { run: npm('test:query-builders'), tests: true, node: CURRENT, again: true },
  'check:package': { run: npm('check:package'), again: true },
  docs: { run: npm('docs'), after: ['test'] },
  format: { run: npm('format:check') },
  lint: { run: npm('lint') },
  typecheck: { run: npm('typecheck') },
  unused: { run: npm('check:unused') },
  // Installs first, and finds a Node that is new enough for all of them.
  clients: { run: npm('test:clients'), tests: true, again: true },
  'three-clients': {
    run: npm('test:clients', '--', '--few', 'test/real-clients/run.test.ts'),
    tests: true,
    again: true,
  },
  // Installs first: runtimes and frameworks.
  everywhere: { run: npm('test:everywhere'), tests: true, again: true },
  workerd: {
    run: npm('test:everywhere', '--', 'test/everywhere/examples.test.ts', 'test/everywhere/platform.test.ts'), // prettier-ignore
    tests: true,
    again: true,
  },
  // The same for drivers of SQLite and MySQL. Needs the package `mariadb-server` of Debian.
  stores: { run: npm('test:stores'), tests: true, again: true },
  mariadb: { run: npm('test:stores', '--', ...MARIADB), tests: true, again: true },
  // Needs the suite of the OpenID Foundation, which OPENID_SUITE names, and fails without it.
  openid: { run: npm('test:openid'), tests: true },
  // Not by their names in package.json, which build: that would delete `dist` under the others.
  // A fault that shows in one of a hundred seeds is found in 98 of 100 cases.
  simulation: { run: ['node', 'scripts/simulation.mjs', '--seeds', '400'] },
  // One that shows in one of a thousand.
  'long-simulation': { run: ['node', 'scripts/simulation.mjs', '--seeds', '4000'], wide: true },
  'mutate-sample': { run: npm('mutate', '--', '--sample') },
  mutate: { run: npm('mutate', '--', '--all'), wide: true },
  'mutate:requirements': { run: npm('mutate:requirements'), node: CURRENT, wide: true },
  soak: { run: npm('test:soak'), tests: true, wide: true },
  failover: { run: npm('test:failover'), tests: true, wide: true },
  overload: { run: vitest('--project', 'overload'), tests: true, alone: true },
  gate: { run: ['node', 'bench/run.mjs', '--gate'], alone: true },
}
/** The parts that every other part needs. */
const BUILDS = ['build', 'example']
const CHECK = 'check:package docs format lint typecheck unused'
const SETS = {
  check: `build example test packages rest ${CHECK}`,
  ci: `build example test packages rest+attack node ${CHECK} three-clients workerd mariadb simulation mutate-sample`,
  release: `build example faults test packages rest+attack test:release node graphql-17 query-builders ${CHECK} clients everywhere stores openid long-simulation soak failover mutate mutate:requirements overload gate`,
}

const asked = process.argv.slice(2).flatMap((name) => SETS[name]?.split(' ') ?? [name])
const unknown = asked.filter((name) => !(name in PARTS))
if (asked.length === 0 || unknown.length > 0) {
  console.error(
    `${unknown.join()}: the parts are ${[...Object.keys(SETS), ...Object.keys(PARTS)].join(' ')}`,
  )
  process.exit(1)
}

rmSync(FLAKY_FILE, { force: true })
mkdirSync(FOLDER, { recursive: true })
const running = new Map()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    for (const child of running.values()) end(child)
    process.exit(1)
  })
const results = await runAll(asked)
const flaky = existsSync(FLAKY_FILE) ? readFileSync(FLAKY_FILE, 'utf8').trim().split('\n') : []
const verdict = verdictOn(results, {
  flaky: flaky.map((line) => JSON.parse(line)),
  seconds: Math.round(performance.now() / 1000),
})
console.log(`\n${verdict.lines.join('\n')}`)
process.exitCode = verdict.isGood ? 0 : 1

/** Runs the parts, two at a time, in their order as far as `after`, `wide` and `alone` allow. */
async function runAll(names) {
  const waiting = new Set(names)
  const underWay = new Map()
  const done = []
  const isOver = (name) => !waiting.has(name) && !underWay.has(name)
  const mayBegin = (name) => {
    const { after = [], alone, wide } = PARTS[name]
    if (!BUILDS.includes(name) && !BUILDS.every(isOver)) return false
    if (alone) return underWay.size === 0 && [...waiting].every((other) => PARTS[other].alone)
    if (wide && [...underWay.keys()].some((other) => PARTS[other].wide)) return false
    return underWay.size < 2 && after.every(isOver)
  }
  while (waiting.size + underWay.size > 0) {
    for (const name of waiting) {
      if (!mayBegin(name)) continue
      waiting.delete(name)
      underWay.set(name, runPart(name))
    }
    const result = await Promise.race(underWay.values())
    underWay.delete(result.name)
    done.push(result)
  }
  return done
}

async function runPart(name) {
  const began = performance.now()
  let outcome = await attempt(name)
  if (outcome.fault !== null && isCi && PARTS[name].again) {
    const error = [outcome.fault, outcome.said].join('\n')
    appendFileSync(FLAKY_FILE, `${JSON.stringify({ name, error })}\n`)
    outcome = await attempt(name)
  }
  return { name, seconds: Math.round((performance.now() - began) / 1000), ...outcome }
}

/** Runs a part once and prints what it printed. */
async function attempt(name) {
  const { run, node, tests } = PARTS[name]
  let folder = ''
  try {
    if (node !== undefined) folder = dirname(await findNode(node)) + delimiter
  } catch ({ message }) {
    return { ...outcomeOf({ ended: message, report: null, hasTests: true }), said: '' }
  }
  const report = `${FOLDER}/report-${name}.json`
  rmSync(report, { force: true })
  const child = spawn(run[0], run.slice(1), {
    cwd: ROOT,
    env: { ...process.env, PATH: folder + process.env['PATH'], HALLPASS_REPORT: report },
    stdio: ['ignore', 'pipe', 'pipe'],
    // With a group of its own, so that nothing of it is left when its time is over.
    detached: true,
  })
  running.set(name, child)
  const chunks = []
  const tooLong = setTimeout(() => end(child), MOST_MINUTES * 60_000)
  const quiet = setTimeout(() => end(child), MOST_QUIET_MINUTES * 60_000)
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      chunks.push(chunk)
      quiet.refresh()
    })
  const ended = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  clearTimeout(tooLong)
  clearTimeout(quiet)
  running.delete(name)
  const output = Buffer.concat(chunks).toString()
  console.log(`\n--- ${name}\n${output}`)
  const written = tests && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null
  // Vitest prints its failures at the end of its output.
  const said = output.trimEnd().slice(-MOST_SAID)
  return { ...outcomeOf({ ended, report: written, hasTests: tests === true }), said }
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
