import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '..')

const mutantNow = () => JSON.parse(process.env['HALLPASS_MUTANT'] ?? '{}')

/**
 * Serves one file of the working tree with one text replaced. HALLPASS_MUTANT names the file and the text.
 * It is read at every transform, so that one server can serve many mutants one after the other.
 */
const mutant = {
  name: 'hallpass-mutant',
  enforce: 'pre',
  transform(code, id) {
    const { file, find, replace } = mutantNow()
    if (file === undefined || id.split('?', 1)[0] !== join(ROOT, file)) return null
    return { code: code.replace(find, () => replace), map: null }
  },
}

/** Stops a run with a mutant at its first failed test, which is the result. */
const stopAtRed = {
  onTestCaseResult(test) {
    if (mutantNow().file !== undefined && test.result().state === 'failed')
      void test.project.vitest.cancelCurrentRun('test-failure')
  },
}

export default defineConfig({
  root: ROOT,
  resolve: base.resolve,
  plugins: [mutant],
  test: {
    include: ['{test,packages/*/test}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/example/{nextjs,nextjs-server}.test.ts'],
    globalSetup: base.test.globalSetup,
    setupFiles: ['scripts/mutants-setup.mjs'],
    isolate: false,
    maxWorkers: availableParallelism(),
    pool: 'threads',
    reporters: [stopAtRed],
    // The script limits the time of a mutant. Without a mutant, a slow machine must not fail a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
