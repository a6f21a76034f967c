import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '..')

const mutantNow = () => JSON.parse(process.env['HALLPASS_MUTANT'] ?? '{}')

/**
 * Serves one file of the working tree with one text replaced: HALLPASS_MUTANT says which. It is read
 * at every transform, so one server can serve many mutants one after the other.
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

/** One red test is enough: what is left of a run with a mutant tells nothing more. */
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
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/example/nextjs.test.ts'],
    globalSetup: base.test.globalSetup,
    setupFiles: ['scripts/mutants-setup.mjs'],
    isolate: false,
    maxWorkers: availableParallelism(),
    pool: 'threads',
    reporters: [stopAtRed],
    // How long a mutant may take is for the script to say; without one, a busy machine is no fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
