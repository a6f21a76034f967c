/** A process that runs tests with one mutant switched on at a time. */
import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { createHarness, type TestFile } from './harness.js'

export interface Measured {
  readonly file: string
  readonly tests: readonly { title: string; ms: number; covers: readonly number[] }[]
  /** The mutants that ran while the file was loaded. */
  readonly onLoad: readonly number[]
  readonly loadMs: number
  readonly failed: string | null
}

export type Task =
  | { readonly kind: 'measure'; readonly file: string }
  | {
      readonly kind: 'try'
      readonly mutant: number
      readonly tests: readonly { file: string; indexes: readonly number[]; ms: readonly number[] }[]
    }

export type Outcome =
  | { readonly state: 'killed' | 'timeout'; readonly by: string; readonly title: string }
  | { readonly state: 'survived' }

type Run = (
  outside: (specifier: string) => object,
  found: (files: Readonly<Record<string, () => Promise<unknown>>>) => void,
  isActive: (id: string) => boolean,
  cover: (...ids: string[]) => void,
) => Promise<void>

const start = runInThisContext(readFileSync(process.argv[2]!, 'utf8')) as Run
const packages = new Map<string, object>()

// A mutant may leave a rejected promise without a handler, which neither ends the worker nor is a kill.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})

/** Returns fast-check without shrinking: one failure of a property is sufficient. */
function withoutShrinking(found: object): object {
  const { default: fc } = found as { default: typeof import('fast-check').default }
  return {
    ...found,
    default: {
      ...fc,
      assert: (property: never, parameters?: object) =>
        fc.assert(property, { ...parameters, endOnFailure: true }),
    },
  }
}

/** Loads a test file with fresh copies of the modules that it tests. */
async function load(
  file: string,
  isActive: (id: string) => boolean,
  cover: (...ids: string[]) => void,
): Promise<TestFile> {
  const harness = createHarness()
  let files: Readonly<Record<string, () => Promise<unknown>>> = {}
  await start(
    (specifier) => (specifier === 'vitest' ? harness.module : packages.get(specifier)!),
    (found) => (files = found),
    isActive,
    cover,
  )
  await files[file]!()
  return harness.file
}

/** A file that fails while it is loaded is reported like one whose tests fail. */
const measureOrFail = (file: string): Promise<Measured> =>
  measure(file).catch((fault) => ({
    file,
    tests: [],
    onLoad: [],
    loadMs: 0,
    failed: String(fault),
  }))

async function measure(file: string): Promise<Measured> {
  const onLoad = new Set<number>()
  let entered: readonly number[] = []
  const covers: Set<number>[] = []
  const cover = (...ids: string[]): void => {
    if (entered.length === 0) for (const id of ids) onLoad.add(Number(id))
    for (const test of entered) for (const id of ids) (covers[test] ??= new Set()).add(Number(id))
  }
  const began = performance.now()
  const { tests, run } = await load(file, () => false, cover)
  const loadMs = Math.ceil(performance.now() - began)
  const ms = tests.map(() => 0)
  let since = 0
  let failed: string | null = null
  const watch = {
    limitMs: () => 60_000,
    enter: (under: readonly number[]) => {
      entered = under
      since = performance.now()
    },
    leave: (under: readonly number[]) => {
      // The tests of a suite share the time of its hooks.
      for (const test of under) ms[test]! += (performance.now() - since) / under.length
      entered = []
    },
  }
  const failure = await run([...tests.keys()], watch)
  if (failure !== null) failed = `${tests[failure.test]!.title}: ${String(failure.fault)}`
  return {
    file,
    tests: tests.map(({ title }, index) => ({
      title,
      ms: Math.ceil(ms[index]!),
      covers: [...(covers[index] ?? [])],
    })),
    onLoad: [...onLoad],
    loadMs,
    failed,
  }
}

async function tryMutant({ mutant, tests }: Task & { kind: 'try' }): Promise<Outcome> {
  const id = String(mutant)
  for (const { file, indexes, ms } of tests) {
    let deadline = Infinity
    let hits = 0
    const isActive = (asked: string): boolean => {
      if (asked !== id) return false
      // Ends the loops that the mutant made endless.
      if (++hits % 1024 === 0 && performance.now() > deadline) throw new Error('too long')
      return true
    }
    const limitMs = (index: number): number => 2_000 + 10 * ms[indexes.indexOf(index)]!
    const watch = {
      limitMs,
      enter: (under: readonly number[]) => {
        deadline = performance.now() + Math.max(...under.map(limitMs))
      },
      leave: () => {},
    }
    let loaded: TestFile
    try {
      deadline = performance.now() + 5_000
      loaded = await load(file, isActive, () => {})
    } catch {
      return { state: 'killed', by: file, title: '(on load)' }
    }
    // The mutant emptied the table from which these tests are built.
    if (indexes.some((index) => loaded.tests[index] === undefined))
      return { state: 'killed', by: file, title: '(gone)' }
    const failure = await loaded.run(indexes, watch)
    if (failure !== null)
      return {
        state: failure.timedOut ? 'timeout' : 'killed',
        by: file,
        title: loaded.tests[failure.test]!.title,
      }
  }
  return { state: 'survived' }
}

async function main(): Promise<void> {
  const specifiers = JSON.parse(readFileSync(`${process.argv[2]!}.json`, 'utf8')) as string[]
  for (const specifier of specifiers) {
    const found = (await import(specifier)) as object
    packages.set(specifier, specifier.includes('/fast-check/') ? withoutShrinking(found) : found)
  }
  process.on('message', (task: Task) => {
    void (task.kind === 'measure' ? measureOrFail(task.file) : tryMutant(task)).then((answer) =>
      process.send!(answer),
    )
  })
  process.send!('ready')
}
void main()
