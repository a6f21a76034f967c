import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { ROOT } from '../source/root.js'

/** What passed only the second time, a line of JSON each: `scripts/parts.mjs` reads it, and `.ci/run` deletes it first. */
const FLAKY_FILE = `${ROOT}node_modules/.vitest/flaky.jsonl`

/** The message does not say how two lists differ: the diff does. */
const textOf = (error: { stack?: string; diff?: string } | undefined): string =>
  [error?.stack ?? 'no error', error?.diff?.slice(0, 4000)].filter(Boolean).join('\n')

/** Writes down each test that passed only when it was run once more, with the error of the first time. */
// oxlint-disable-next-line import/no-default-export -- how vitest loads a reporter by its path
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue
        const [error] = test.result().errors ?? []
        const name = `${module.project.name}: ${module.relativeModuleId} > ${test.fullName}`
        mkdirSync(dirname(FLAKY_FILE), { recursive: true })
        appendFileSync(FLAKY_FILE, `${JSON.stringify({ name, error: textOf(error) })}\n`)
      }
  }
}
