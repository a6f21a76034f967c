/** The replacement of `vitest` in a test file, so that its tests can run one by one, many times. */
import { expect, expectTypeOf, vi } from 'vitest'

type Hook = () => unknown
type Body = (...values: unknown[]) => unknown

interface Suite {
  readonly title: string
  readonly parent: Suite | null
  readonly beforeAll: Hook[]
  readonly afterAll: Hook[]
  readonly beforeEach: Hook[]
  readonly afterEach: Hook[]
}

interface Test {
  readonly title: string
  readonly suite: Suite
  readonly body: () => unknown
}

/** The tests of one file, and how to run them. */
export interface TestFile {
  readonly tests: readonly Test[]
  /** Runs these tests up to the first that fails. Returns `null` if all pass. */
  readonly run: (chosen: readonly number[], watch: Watch) => Promise<Failure | null>
}

interface Failure {
  readonly test: number
  readonly fault: unknown
  readonly timedOut: boolean
}

interface Watch {
  readonly limitMs: (test: number) => number
  /** Called before a test runs, or before the hooks of a suite run for all of `tests`. */
  readonly enter: (tests: readonly number[]) => void
  readonly leave: (tests: readonly number[]) => void
}

class TimedOut extends Error {}

// A test may replace the timers while it runs.
const { setTimeout, clearTimeout } = globalThis
// All that Vitest's fake timers read of the worker that they expect.
Object.assign(globalThis, { __vitest_worker__: { config: { fakeTimers: {} } } })

async function within(ms: number, run: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await Promise.race([
      Promise.resolve().then(run),
      new Promise((_resolve, reject) => {
        timer = setTimeout(() => reject(new TimedOut(`not finished after ${ms} ms`)), ms)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}

const stubbed = new Map<string, string | undefined>()
/** The functions of `vi` that need Vitest itself, without Vitest. */
const ownVi = {
  ...vi,
  stubEnv(name: string, value: string) {
    if (!stubbed.has(name)) stubbed.set(name, process.env[name])
    process.env[name] = value
  },
  unstubAllEnvs() {
    for (const [name, value] of stubbed)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    stubbed.clear()
  },
  async waitFor<Result>(check: () => Result | Promise<Result>): Promise<Result> {
    for (const until = performance.now() + 1_000; ;) {
      try {
        return await check()
      } catch (fault) {
        if (performance.now() > until) throw fault
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  },
  async waitUntil(
    done: () => unknown,
    { timeout = 1_000, interval = 50 }: { timeout?: number; interval?: number } = {},
  ) {
    for (const until = performance.now() + timeout; ;) {
      const found = await done()
      if (found) return found
      if (performance.now() > until) throw new Error('the condition did not become true in time')
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
  },
}

const suiteOf = (title: string, parent: Suite | null): Suite => ({
  title,
  parent,
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
})

/** Returns the suites from that of the file down to this one. */
const lineOf = (suite: Suite): Suite[] =>
  suite.parent === null ? [suite] : [...lineOf(suite.parent), suite]

const HOOK_MS = 60_000

/** Creates a collector of tests: the module to import, and the tests that it has collected. */
export function createHarness(): { module: object; file: TestFile } {
  const root = suiteOf('', null)
  const tests: Test[] = []
  let current = root
  let finished: Hook[] = []

  const describe = (title: string, define: () => void): void => {
    const outer = current
    current = suiteOf(title, outer)
    define()
    current = outer
  }
  const test = (title: string, first: unknown, second?: unknown): void => {
    const body = (typeof first === 'function' ? first : second) as Body
    const context = { expect, onTestFinished: (hook: Hook) => void finished.push(hook) }
    tests.push({ title, suite: current, body: () => body(context) })
  }
  const each =
    (define: (title: string, body: () => void) => void) =>
    (rows: readonly unknown[]) =>
    (title: string, body: Body): void => {
      const spread = rows.every((row) => Array.isArray(row))
      rows.forEach((row, index) =>
        define(`${title} [${index}]`, () => body(...(spread ? (row as unknown[]) : [row]))),
      )
    }
  const api = {
    describe: Object.assign(describe, { each: each(describe) }),
    it: Object.assign(test, {
      each: each((title, body) => tests.push({ title, suite: current, body })),
    }),
    expect,
    expectTypeOf,
    vi: ownVi,
    inject: (name: string): string | undefined => process.env[`PROVIDED_${name}`],
    beforeAll: (hook: Hook) => void current.beforeAll.push(hook),
    afterAll: (hook: Hook) => void current.afterAll.push(hook),
    beforeEach: (hook: Hook) => void current.beforeEach.push(hook),
    afterEach: (hook: Hook) => void current.afterEach.push(hook),
    onTestFinished: (hook: Hook) => void finished.push(hook),
  }

  async function runTest({ suite, body }: Test, limitMs: number): Promise<void> {
    finished = []
    const line = lineOf(suite)
    try {
      await within(limitMs, async () => {
        for (const one of line) for (const hook of one.beforeEach) await hook()
        await body()
      })
    } finally {
      for (const hook of finished.toReversed()) await within(HOOK_MS, hook)
      for (const one of line.toReversed())
        for (const hook of one.afterEach) await within(HOOK_MS, hook)
    }
  }

  async function run(chosen: readonly number[], watch: Watch): Promise<Failure | null> {
    const open: Suite[] = []
    const inside = (suite: Suite): number[] =>
      chosen.filter((index) => lineOf(tests[index]!.suite).includes(suite))
    const close = async (until: number): Promise<void> => {
      while (open.length > until)
        for (const hook of open.pop()!.afterAll.toReversed()) await within(HOOK_MS, hook)
    }
    let failure: Failure | null = null
    for (const index of [...chosen].sort((a, b) => a - b)) {
      const line = lineOf(tests[index]!.suite)
      let under: readonly number[] = [index]
      try {
        const apart = line.findIndex((suite, depth) => open[depth] !== suite)
        await close(apart === -1 ? line.length : apart)
        for (const suite of line.slice(open.length)) {
          open.push(suite)
          under = inside(suite)
          if (suite.beforeAll.length > 0) watch.enter(under)
          for (const hook of suite.beforeAll) await within(HOOK_MS, hook)
          if (suite.beforeAll.length > 0) watch.leave(under)
        }
        under = [index]
        watch.enter(under)
        await runTest(tests[index]!, watch.limitMs(index))
      } catch (fault) {
        failure = { test: index, fault, timedOut: fault instanceof TimedOut }
      } finally {
        watch.leave(under)
      }
      if (failure !== null) break
    }
    try {
      await close(0)
    } catch (fault) {
      failure ??= { test: chosen[0] ?? 0, fault, timedOut: false }
    }
    return failure
  }

  return { module: { ...api, test: api.it }, file: { tests, run } }
}
