import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from './children.mjs'
import { tableOf } from './figures.mjs'
import { findNode } from '../scripts/nodes.mjs'

/**
 * The instructions of one request, counted by Callgrind. Load does not move them, so a small rise is seen. They are
 * those of the interpreter, without the compiler: what a request calls and copies weighs more than in service.
 *
 * They are divided by those of a bare handler in the same run, since each machine has other routines for hashes. `release`
 * is this ratio at the last release, or, until there is one, of 2026-11-29. Change it with a release only: the gate fails
 * beyond `MARGIN`. `then` is that of commit 52343152.
 */
const INSTRUCTIONS = [
  {
    title: 'code exchange with an ES256 ID token',
    scenario: 'exchange',
    then: 1.494,
    release: 1.58,
  },
  { title: 'refresh with rotation', scenario: 'refresh', then: 1.788, release: 1.98 },
  { title: 'UserInfo', scenario: 'bearer', then: 1.377, release: 1.55 },
  {
    title: 'a gate around a handler',
    scenario: 'gate',
    bare: 'bearer',
    then: 1.171,
    release: 1.32,
  },
]
const MARGIN = 1.02
const [WARM_UP, REQUESTS] = [45, 100]
/** Each line of Node has an interpreter of its own. */
const LINE = '20'

// Nothing of it may happen at a time that the machine decides: no compiler, and no collection of garbage.
const FLAGS =
  '--no-opt --no-sparkplug --single-threaded --initial-heap-size=1024 --min-semi-space-size=512 --max-semi-space-size=512 --expose-gc'

/** Whether this machine can count instructions. */
export function canCount() {
  try {
    return execFileSync('valgrind', ['--version']).length > 0
  } catch {
    return false
  }
}

/** Counts the instructions of one request of each scenario of a subject. */
async function instructionsOf(subject, scenarios) {
  const folder = mkdtempSync(join(tmpdir(), 'instructions-'))
  const file = join(folder, 'counted')
  const command = `valgrind -q --tool=callgrind --instr-atstart=no --callgrind-out-file=${file}`
  const [execPath, ...execArgv] = [...command.split(' '), await findNode(LINE), ...FLAGS.split(' ')]
  const { child, ask } = await startChild('server.mjs', ['subjects', subject], {
    execPath,
    execArgv,
  })
  const control = (...args) => promisify(execFile)('callgrind_control', [...args, `${child.pid}`])
  const counted = []
  try {
    for (const [at, scenario] of scenarios.entries()) {
      await ask({ type: 'load', scenario, count: WARM_UP + REQUESTS })
      await ask({ type: 'drive', scenario, count: WARM_UP })
      await control('--instr=on')
      await control('--zero')
      await ask({ type: 'drive', scenario, count: REQUESTS })
      await control('--dump')
      await control('--instr=off')
      const [, total] = /^totals: (\d+)$/m.exec(readFileSync(`${file}.${at + 1}`, 'utf8'))
      counted.push(total / REQUESTS)
    }
  } finally {
    child.disconnect()
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
  return counted
}

/** Counts the instructions of every scenario. Returns a table, and what took more than at the last release. */
export async function countInstructions() {
  const scenarios = INSTRUCTIONS.map(({ scenario }) => scenario)
  const ours = await instructionsOf('hallpass', scenarios)
  const bare = await instructionsOf(
    'bare',
    INSTRUCTIONS.map(({ scenario, bare = scenario }) => bare),
  )
  const thousands = (count) => `${Math.round(count / 1000)} k`
  const faults = []
  const rows = INSTRUCTIONS.map(({ title, then, release }, at) => {
    const ratio = ours[at] / bare[at]
    if (ratio > release * MARGIN)
      faults.push(
        `${title}: ${ratio.toFixed(3)} × the instructions of a bare handler, ${release} at the last release`,
      )
    return [
      title,
      thousands(ours[at]),
      thousands(bare[at]),
      ratio.toFixed(3),
      (ratio / then).toFixed(3),
    ]
  })
  const head = [
    'instructions of',
    '**hallpass**',
    'bare `node:http` handler',
    'ratio',
    '÷ that of 52343152',
  ]
  return { report: tableOf([head, ...rows]), faults }
}
