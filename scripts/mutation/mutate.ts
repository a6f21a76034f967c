/**
 * Changes the source in small ways, one at a time, and finds the changes that no test notices.
 *
 * `npm run mutate` tries what changed since its last run on this machine, and writes `test/mutants.json`. Its options:
 *
 * - `-- --sample` tries what a minute allows, lines that a day of commits changed first, and writes nothing
 * - `-- --all` tries everything, whatever earlier runs found
 * - `-- --only <path>` tries one file or folder
 * - `-- --budget <seconds>` sets the time for the tests of one mutant
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { codeOfSource } from '../weigh.js'
import { bundle, instrument, type Mutant } from './build.js'
import {
  afterTrying,
  type Book,
  type Cache,
  changedLines,
  complaintOf,
  complaintsOf,
  rowsOf,
  sampled,
  scoresOf,
  shareOf,
  shuffled,
  type Stale,
  staleOf,
  textOf,
  type Tried,
  unexplained,
} from './record.js'
import { setup } from '../../test/support/run/setup.js'
import {
  BOOK,
  BUDGETS_MS,
  type Group,
  GROUPS,
  PARTS,
  ROOT,
  SAMPLE_FILES,
  SAMPLE_GROUPS,
  SAMPLE_MS,
  SHARE,
  WORKERS,
} from './settings.js'
import { pagesOf } from './pages.js'
import type { Measured, Outcome, Task } from './worker.js'

const began = performance.now()
const { values: wanted } = parseArgs({
  options: {
    sample: { type: 'boolean', default: false },
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

/** Values that the run provides for its tests: the address at which they ask for a database, which then starts. */
const provided: Record<string, string> = {}

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
      env: { ...process.env, NODE_ENV: 'test', HALLPASS_PATIENCE_MS: '2000', ...provided },
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

/** The second part of a path: `blocks` of `src/blocks/dpop.ts`. */
const folderOf = (path: string): string | undefined => path.split('/')[1]

/**
 * Returns a function that selects the tests which can kill a mutant. First come the tests that reach a line
 * of its file which those before them do not reach, then the others; of both, the cheapest first. Otherwise a
 * hundred tests of the usual case would use up the time before the one test of the rare case.
 */
function planner(
  measured: readonly Measured[],
  mutants: readonly Mutant[],
): (
  mutant: Mutant,
  how: { likely?: string | undefined; isPatient?: boolean },
) => Extract<Task, { kind: 'try' }> {
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
  const loadMsOf = new Map(measured.map(({ file, loadMs }) => [file, loadMs]))
  return (mutant, { likely, isPatient = false }) => {
    const name = basename(mutant.file, '.ts')
    const budgets = BUDGETS_MS[reasonsFor.get(mutant.file)!]
    const rankOf = (file: string): number =>
      (file === likely ? -2000 : 0) +
      (basename(file, '.test.ts') === name ? -1000 : 0) +
      (folderOf(file) === folderOf(mutant.file) ? -500 : 0) +
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
      const usual = basename(file, '.test.ts') === name ? budgets.own : budgets.other
      const budget = wanted.budget === undefined ? usual : Number(wanted.budget) * 1000
      const last = groups.at(-1)
      const isSame = last?.file === file
      const cost = ms + (isSame || !budgets.countsLoads ? 0 : loadMsOf.get(file)!)
      if (spent + cost > budget && !isPatient) continue
      spent += cost
      if (isSame) {
        last.indexes.push(index)
        last.ms.push(ms)
      } else groups.push({ file, indexes: [index], ms: [ms] })
    }
    return { kind: 'try', mutant: mutant.id, tests: groups }
  }
}

const FOLDER = `${ROOT}node_modules/.cache/mutation`
const CACHE = `${FOLDER}/cache.json`
const cached = (): Cache =>
  existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, 'utf8')) as Cache) : {}

/** Runs git here; where it has no history, as in a tarball, nothing changed. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim()
  } catch {
    return ''
  }
}

/** Returns the lines that were changed since a commit, those that are not committed yet included. */
const changedSince = (base: string): ReadonlyMap<string, ReadonlySet<number>> =>
  changedLines(base === '' ? '' : git('diff', '-U0', base, '--', 'src', 'examples'))

/** Returns the lines that the commits of the day before the last one changed. */
function changes(): ReadonlyMap<string, ReadonlySet<number>> {
  const day = Number(git('log', '-1', '--format=%ct')) - 86_400
  return changedSince(git('rev-list', '-1', `--before=${day}`, 'HEAD'))
}

/** Random numbers from 0 to 1, the same for the same commit. */
function randomOf(seed: string): () => number {
  let count = 0
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32
}

/** Tries mutants one after another. */
async function tryAll(
  { tests }: Group,
  {
    files,
    choose,
    likely,
    isOver,
    isExplained = () => true,
  }: {
    files: readonly string[]
    choose: (mutants: readonly Mutant[]) => readonly Mutant[]
    likely: (mutant: Mutant) => string | undefined
    isOver: () => boolean
    /** Whether it is known why no test notices a mutant. Others are tried by every test that meets them. */
    isExplained?: (mutant: Mutant) => boolean
  },
): Promise<{ readonly mutants: readonly Mutant[]; readonly tried: ReadonlyMap<string, Tried[]> }> {
  const { mutants, contents } = await instrument(files)
  const { code, packages } = await bundle(tests, contents)
  mkdirSync(FOLDER, { recursive: true })
  const path = `${FOLDER}/bundle.${process.pid}.js`
  writeFileSync(path, code)
  writeFileSync(`${path}.json`, JSON.stringify(packages))
  const workers = Array.from({ length: WORKERS }, () => new Worker(path))
  try {
    console.log(`${mutants.length} mutants in ${files.length} files, built after ${seconds()}`)
    const measured: Measured[] = []
    await share(tests, workers, async (file, worker) => {
      const ask = (): Promise<Measured | null> => worker.ask({ kind: 'measure', file }, 300_000)
      let found = await ask()
      if (found === null || found.failed !== null) found = await ask()
      if (found === null) throw new Error(`${file} did not end`)
      if (found.failed !== null) throw new Error(`${file} fails without a mutant: ${found.failed}`)
      measured.push(found)
    })
    console.log(`measured ${measured.length} test files after ${seconds()}`)
    const plan = planner(measured, mutants)
    const tried = new Map<string, Tried[]>()
    const chosen = choose(mutants)
    let done = 0
    let timeouts = 0
    await share(chosen, workers, async (mutant, worker) => {
      if (isOver()) return
      const from = performance.now()
      const attempt = async (isPatient = false): Promise<Outcome> => {
        const task = plan(mutant, { likely: likely(mutant), isPatient })
        return (
          (await worker.ask<Outcome>(task, isPatient ? 300_000 : 90_000)) ?? {
            state: 'timeout',
            by: task.tests[0]?.file ?? tests[0]!,
            title: '(hangs)',
          }
        )
      }
      let outcome = await attempt()
      // On a busy machine, fewer tests have the time to notice it.
      if (outcome.state === 'survived' && !isExplained(mutant)) outcome = await attempt(true)
      // Try again: a busy machine may have caused the timeout.
      if (outcome.state === 'timeout') outcome = await attempt()
      if (outcome.state === 'timeout') timeouts += 1
      const { file, index, line, text, original, replacement, mutator } = mutant
      if (wanted.verbose)
        console.log(
          `${file}:${line} ${mutator} -> ${replacement.slice(0, 40).replaceAll('\n', ' ')}: ${outcome.state} ${Math.round(performance.now() - from)} ms ${outcome.state === 'survived' ? '' : outcome.by + ' ' + outcome.title}`,
        )
      tried.set(file, [
        ...(tried.get(file) ?? []),
        {
          mutant: { index, line, text, original, replacement, mutator },
          killedBy: outcome.state === 'survived' ? null : outcome.by,
        },
      ])
      if (++done % 100 === 0) console.log(`${done} of ${chosen.length} after ${seconds()}`)
    })
    console.log(
      `tried ${done} of ${chosen.length} mutants, of which ${timeouts} timed out, after ${seconds()}`,
    )
    return { mutants, tried }
  } finally {
    for (const worker of workers) worker.stop()
    for (const file of [path, `${path}.json`]) rmSync(file)
  }
}

const FILES = PARTS.flatMap((part) => part.files)
const filesOf = ({ parts }: Group): string[] => parts.flatMap(({ files }) => files)
const reasonsFor = new Map(PARTS.flatMap((part) => part.files.map((file) => [file, part.reasons])))
const book = JSON.parse(readFileSync(BOOK, 'utf8')) as Book
const reasonsOf = (file: string): Book['survivors'][string] => book.survivors[file] ?? []

/**
 * Tries what a minute allows, in two groups, of those that changed first. Returns what a commit should add: a test, or
 * a reason.
 */
async function sample(): Promise<string[]> {
  const random = randomOf(git('rev-parse', 'HEAD'))
  const changed = changes()
  const hasChanged = (group: Group): boolean => filesOf(group).some((file) => changed.has(file))
  const [some, others] = [true, false].map((which) =>
    shuffled(
      GROUPS.filter((group) => hasChanged(group) === which),
      random,
    ),
  )
  const groups = [...some!, ...others!].slice(0, SAMPLE_GROUPS)
  const sinceBook = changedSince(git('log', '-1', '--format=%H', '--', 'test/mutants.json'))
  const needsReason = ({ file, line }: { readonly file: string; readonly line: number }): boolean =>
    reasonsFor.get(file) === 'each' || (sinceBook.get(file)?.has(line) ?? false)
  const complaints: string[] = []
  for (const group of groups) {
    const same = shuffled(
      filesOf(group).filter((file) => !changed.has(file)),
      random,
    )
    const files = [
      ...filesOf(group).filter((file) => changed.has(file)),
      ...same.slice(0, SAMPLE_FILES),
    ]
    let until = Infinity
    const { tried } = await tryAll(group, {
      files,
      choose: (mutants) => {
        until = performance.now() + SAMPLE_MS / groups.length
        return sampled(mutants, { changed, random })
      },
      likely: () => undefined,
      isOver: () => performance.now() > until,
      isExplained: (mutant) =>
        !needsReason(mutant) || unexplained([mutant], reasonsOf(mutant.file)).length === 0,
    })
    for (const [file, results] of tried) {
      const survivors = results
        .filter(
          ({ mutant, killedBy }) => killedBy === null && needsReason({ file, line: mutant.line }),
        )
        .map(({ mutant }) => mutant)
      for (const survivor of unexplained(survivors, reasonsOf(file)))
        complaints.push(complaintOf(file, survivor))
    }
  }
  return complaints
}

/** Whether a mutant is tried, of a file of which none was. The same ones are chosen for as long as their lines are there. */
function isChosen({ file, text, original, replacement, mutator }: Mutant): boolean {
  if (wanted.all || reasonsFor.get(file) === 'each') return true
  return randomOf([file, text, original, replacement, mutator].join('\n'))() < SHARE
}

/** Tries what changed, and writes the book, and the pages once nothing is left. */
async function record(): Promise<string[]> {
  const cache: Record<string, Cache[string]> = { ...cached() }
  const sources = new Map(FILES.map((file) => [file, hashOf(read(file))]))
  const killers = new Map<string, string>()
  for (const [file, { source, kills }] of Object.entries(cache))
    if (source === sources.get(file))
      for (const [test, { indexes }] of Object.entries(kills))
        for (const index of indexes) killers.set(`${file} ${index}`, test)
  for (const group of GROUPS) {
    const tests = Object.fromEntries(group.tests.map((path) => [path, hashOf(readTest(path))]))
    const stale = new Map<string, Stale>()
    for (const file of filesOf(group)) {
      const source = sources.get(file)!
      const reasons = reasonsFor.get(file) === 'each' ? reasonsOf(file) : null
      const found = wanted.all ? 'all' : staleOf(cache[file], { source, tests, reasons })
      if (found === 'all' || found.length > 0) stale.set(file, found)
    }
    const chosen = [...stale.keys()].filter(
      (file) => wanted.only.length === 0 || wanted.only.some((path) => file.startsWith(path)),
    )
    if (chosen.length === 0) continue
    const { mutants, tried } = await tryAll(group, {
      files: chosen,
      choose: (all) =>
        all.filter((mutant) => {
          const which = stale.get(mutant.file)!
          return which === 'all' ? isChosen(mutant) : which.includes(mutant.index)
        }),
      likely: ({ file, index }) => killers.get(`${file} ${index}`),
      isOver: () => false,
    })
    for (const file of chosen)
      cache[file] = afterTrying(cache[file], {
        source: sources.get(file)!,
        tests,
        mutants: mutants.filter((mutant) => mutant.file === file).length,
        tried: tried.get(file) ?? [],
      })
    writeFileSync(CACHE, JSON.stringify(cache))
  }
  const isWhole = FILES.every((file) => cache[file]?.source === sources.get(file))
  const parts = scoresOf(cache, PARTS)
  const now: Book = {
    scores: isWhole
      ? {
          node: process.version,
          date: new Date().toISOString().slice(0, 10),
          share: Math.round(10 * shareOf(FILES, codeOfSource())) / 10,
          parts,
        }
      : book.scores,
    survivors: Object.fromEntries(
      FILES.flatMap((file) => {
        const all =
          cache[file]?.source === sources.get(file)
            ? rowsOf(cache[file]!.survivors, reasonsOf(file))
            : reasonsOf(file)
        const rows = all.filter(({ why }) => why !== '' || reasonsFor.get(file) === 'each')
        return rows.length === 0 ? [] : [[file, rows]]
      }),
    ),
  }
  writeFileSync(BOOK, textOf(now))
  if (isWhole)
    for (const [path, text] of Object.entries(await pagesOf(now.scores)))
      writeFileSync(ROOT + path, text)
  console.table(
    Object.entries(parts).map(([part, { mutants, tried, killed }]) => ({
      part,
      mutants,
      tried,
      killed,
      score: `${((100 * killed) / tried).toFixed(1)} %`,
    })),
  )
  console.log(
    isWhole
      ? `These are ${now.scores.share} % of the code lines of src.`
      : 'Not all files were tried: the scores are those of the last whole run.',
  )
  return [
    ...FILES.filter((file) => reasonsFor.get(file) === 'each').flatMap((file) =>
      unexplained(cache[file]?.survivors ?? [], now.survivors[file] ?? []).map((survivor) =>
        complaintOf(file, survivor),
      ),
    ),
    ...(isWhole ? complaintsOf(parts, PARTS) : []),
  ]
}

const end = await setup({
  provide: (name: string, value: string) => void (provided[`PROVIDED_${name}`] = value),
} as never)
let complaints: readonly string[]
try {
  complaints = await (wanted.sample ? sample() : record())
} finally {
  await end()
}
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1
