/**
 * Changes the source in small ways, one at a time, and counts the changes that no test notices.
 *
 * `npm run mutate` tries what changed since the record, and writes the record. Its options:
 *
 * - `-- --changed` does so in a limited time and writes nothing
 * - `-- --all` tries everything
 * - `-- --only <path>` tries one file or folder
 * - `-- --budget <seconds>` sets the time for the tests of one mutant
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { codeOfSource } from '../weigh.js'
import { bundle, instrument, type Mutant } from './build.js'
import {
  afterTrying,
  complaintsOf,
  EMPTY,
  fromText,
  type MutationRecord,
  scoresOf,
  shareOf,
  type Stale,
  staleOf,
  toText,
  type Tried,
} from './record.js'
import {
  BUDGET_MS,
  CHANGED_MS,
  OWN_BUDGET_MS,
  PARTS,
  RECORD,
  ROOT,
  TESTS,
  WORKERS,
} from './settings.js'
import { pagesOf } from './pages.js'
import type { Measured, Outcome, Task } from './worker.js'

const began = performance.now()
const { values: wanted } = parseArgs({
  options: {
    changed: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
    budget: { type: 'string' },
  },
})

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 12)
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')
/** A test without its imports: to move what it imports does not change what it notices. */
const readTest = (path: string): string => read(path).replace(/^import [^;]*? from '.*'$/gm, '')
const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`

/** A worker that runs one task at a time. A worker that hangs is ended, and its result is `null`. */
class Worker {
  #process: ChildProcess | null = null
  readonly #code: string
  constructor(code: string) {
    this.#code = code
  }
  async #start(): Promise<ChildProcess> {
    const child = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [this.#code], {
      execArgv: ['--import', 'tsx'],
      // A wait for what a mutant has undone would last a minute.
      env: { ...process.env, NODE_ENV: 'test', HALLPASS_PATIENCE_MS: '2000' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process = child
    await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', () => reject(new Error('a worker did not start')))
    })
    child.removeAllListeners('exit')
    return child
  }
  async ask<T>(task: Task, limitMs: number): Promise<T | null> {
    const child = this.#process ?? (await this.#start())
    return new Promise((resolve) => {
      const settle = (answer: T | null): void => {
        clearTimeout(timer)
        child.removeAllListeners('message')
        child.removeAllListeners('exit')
        if (answer === null) this.stop()
        resolve(answer)
      }
      const timer = setTimeout(() => settle(null), limitMs)
      child.once('message', (answer) => settle(answer as T))
      child.once('exit', () => settle(null))
      child.send(task)
    })
  }
  stop(): void {
    this.#process?.kill('SIGKILL')
    this.#process = null
  }
}

/** Runs `work` for each item, one item per worker at a time. */
async function share<T>(
  items: readonly T[],
  workers: readonly Worker[],
  work: (item: T, worker: Worker) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift())
        await work(item, worker)
    }),
  )
}

/**
 * Returns a function that selects the tests which can kill a mutant. First come the tests that reach a line
 * of its file which those before them do not reach, then the others; of both, the cheapest first. Otherwise a
 * hundred tests of the usual case would use up the time before the one test of the rare case.
 */
function planner(
  measured: readonly Measured[],
  mutants: readonly Mutant[],
): (mutant: Mutant, likely: string | undefined) => Extract<Task, { kind: 'try' }> {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]))
  const onLoad = new Set(measured.flatMap((file) => file.onLoad))
  const tests = measured.flatMap(({ file, tests: all }) =>
    all.map(({ ms, covers }, index) => ({
      file,
      index,
      ms,
      covers: new Set(covers),
      touches: new Set(covers.map((id) => fileOf.get(id)!)),
    })),
  )
  const meanMs = new Map(
    measured.map(({ file, tests: all }) => [
      file,
      all.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, all.length),
    ]),
  )
  return (mutant, likely) => {
    const name = basename(mutant.file, '.ts')
    const rankOf = (file: string): number =>
      (file === likely ? -2000 : 0) +
      (basename(file, '.test.ts') === name ? -1000 : 0) +
      meanMs.get(file)!
    let chosen = tests.filter(({ covers }) => covers.has(mutant.id))
    if (onLoad.has(mutant.id)) {
      chosen = tests.filter(
        ({ file, covers, touches }) =>
          covers.has(mutant.id) || touches.has(mutant.file) || basename(file, '.test.ts') === name,
      )
      if (chosen.length === 0) chosen = tests
    }
    chosen = chosen.toSorted((a, b) =>
      a.file === b.file
        ? a.ms - b.ms
        : rankOf(a.file) - rankOf(b.file) || (a.file < b.file ? -1 : 1),
    )
    const reached = new Set<number>()
    const early = new Set(
      chosen.filter(({ file, covers }) => {
        const before = reached.size
        for (const id of covers) if (fileOf.get(id) === mutant.file) reached.add(id)
        return file === likely || reached.size > before
      }),
    )
    chosen = [...early, ...chosen.filter((test) => !early.has(test))]
    const groups: { file: string; indexes: number[]; ms: number[] }[] = []
    let spent = 0
    for (const { file, index, ms } of chosen) {
      const usual = basename(file, '.test.ts') === name ? OWN_BUDGET_MS : BUDGET_MS
      const budget = wanted.budget === undefined ? usual : Number(wanted.budget) * 1000
      if (spent + ms > budget) continue
      spent += ms
      const last = groups.at(-1)
      if (last?.file === file) {
        last.indexes.push(index)
        last.ms.push(ms)
      } else groups.push({ file, indexes: [index], ms: [ms] })
    }
    return { kind: 'try', mutant: mutant.id, tests: groups }
  }
}

async function main(): Promise<void> {
  const record = existsSync(RECORD) ? fromText(readFileSync(RECORD, 'utf8')) : EMPTY
  const files = PARTS.flatMap((part) => part.files)
  const sources = new Map(files.map((file) => [file, hashOf(read(file))]))
  const testFiles = TESTS
  const tests = Object.fromEntries(testFiles.map((path) => [path, hashOf(readTest(path))]))
  const stale = new Map<string, Stale>()
  for (const file of files) {
    if (wanted.only.length > 0 && !wanted.only.some((path) => file.startsWith(path))) continue
    const found = wanted.all
      ? 'all'
      : staleOf(file, { record, source: sources.get(file)!, tests, unnamed: !wanted.changed })
    if (found === 'all' || found.length > 0) stale.set(file, found)
  }

  const results: Record<string, MutationRecord['files'][string]> = {}
  let untried = 0
  if (stale.size > 0) {
    const { mutants, contents } = await instrument([...stale.keys()])
    const { code, packages } = await bundle(testFiles, contents)
    const folder = `${ROOT}node_modules/.cache/mutation`
    mkdirSync(folder, { recursive: true })
    const path = `${folder}/bundle.${process.pid}.js`
    writeFileSync(path, code)
    writeFileSync(`${path}.json`, JSON.stringify(packages))
    const workers = Array.from({ length: WORKERS }, () => new Worker(path))
    try {
      console.log(`${mutants.length} mutants in ${stale.size} files, built after ${seconds()}`)
      const measured: Measured[] = []
      await share(testFiles, workers, async (file, worker) => {
        const ask = (): Promise<Measured | null> => worker.ask({ kind: 'measure', file }, 300_000)
        let found = await ask()
        if (found === null || found.failed !== null) found = await ask()
        if (found === null) throw new Error(`${file} did not end`)
        if (found.failed !== null)
          throw new Error(`${file} fails without a mutant: ${found.failed}`)
        measured.push(found)
      })
      console.log(`measured ${measured.length} test files after ${seconds()}`)
      const plan = planner(measured, mutants)
      const killers = new Map<string, string>()
      for (const [file, { kills }] of Object.entries(record.files))
        for (const [test, { indexes }] of Object.entries(kills))
          for (const index of indexes) killers.set(`${file} ${index}`, test)
      const todo = mutants.filter(({ file, index }) => {
        const which = stale.get(file)!
        return which === 'all' || which.includes(index)
      })
      const tried = new Map<string, Tried[]>()
      let done = 0
      let timeouts = 0
      await share(todo, workers, async (mutant, worker) => {
        if (wanted.changed && performance.now() - began > CHANGED_MS) {
          untried += 1
          return
        }
        const sameSource = record.files[mutant.file]?.source === sources.get(mutant.file)
        const likely = sameSource ? killers.get(`${mutant.file} ${mutant.index}`) : undefined
        const task = plan(mutant, likely)
        const from = performance.now()
        const attempt = async (): Promise<Outcome> =>
          (await worker.ask<Outcome>(task, 90_000)) ?? {
            state: 'timeout',
            by: task.tests[0]?.file ?? testFiles[0]!,
            title: '(hangs)',
          }
        let outcome = await attempt()
        // Try again: a busy machine may have caused the timeout.
        if (outcome.state === 'timeout') outcome = await attempt()
        if (outcome.state === 'timeout') timeouts += 1
        if (wanted.verbose)
          console.log(
            `${mutant.file}:${mutant.line} ${mutant.mutator} -> ${mutant.replacement.slice(0, 40).replaceAll('\n', ' ')}: ${outcome.state} ${Math.round(performance.now() - from)} ms ${outcome.state === 'survived' ? '' : outcome.by + ' ' + outcome.title}`,
          )
        const { index, line, text, original, replacement, mutator } = mutant
        const ofFile = tried.get(mutant.file) ?? []
        tried.set(mutant.file, ofFile)
        ofFile.push({
          mutant: { index, line, text, original, replacement, mutator },
          killedBy: outcome.state === 'survived' ? null : outcome.by,
        })
        if (++done % 100 === 0) console.log(`${done} of ${todo.length} after ${seconds()}`)
      })
      console.log(`tried ${done} mutants, of which ${timeouts} timed out, after ${seconds()}`)
      for (const file of stale.keys())
        results[file] = afterTrying(record.files[file], {
          source: sources.get(file)!,
          tests,
          mutants: mutants.filter((mutant) => mutant.file === file).length,
          tried: tried.get(file) ?? [],
        })
    } finally {
      for (const worker of workers) worker.stop()
    }
  }

  const now: MutationRecord = {
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    files: Object.fromEntries(
      files.flatMap((file) => {
        const found = results[file] ?? record.files[file]
        return found === undefined ? [] : [[file, found]]
      }),
    ),
  }
  if (!wanted.changed && stale.size > 0) {
    writeFileSync(RECORD, toText(now))
    for (const [path, text] of Object.entries(await pagesOf(now))) writeFileSync(ROOT + path, text)
  }
  console.table(
    scoresOf(now, PARTS).map(({ name, mutants, killed, survived, unnamed }) => ({
      part: name,
      mutants,
      killed,
      survived,
      'without a reason': unnamed,
      score: `${((100 * killed) / mutants).toFixed(1)} %`,
    })),
  )
  console.log(`These are ${shareOf(now, codeOfSource()).toFixed(1)} % of the code lines of src.`)
  const complaints = complaintsOf(now, { parts: PARTS, untried })
  for (const complaint of complaints) console.error(complaint)
  if (complaints.length > 0) process.exitCode = 1
}
await main()
