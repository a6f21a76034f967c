import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Prints under the results, for each test that failed, the command that runs it alone. */
// oxlint-disable-next-line import/no-default-export -- how vitest loads a reporter by its path
export default class AloneReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const commands = modules.flatMap((module) => {
      const failed = [...module.children.allTests('failed')]
      // A file that fails by itself has no test that did.
      if (failed.length === 0) return module.state() === 'failed' ? [fileAlone(module)] : []
      return failed.map(testAlone)
    })
    if (commands.length === 0) return
    process.stderr.write(`\nTo see ${commands.length === 1 ? 'it' : 'each'} alone:\n`)
    for (const command of commands) process.stderr.write(`  ${command}\n`)
  }
}

const fileAlone = ({ project, relativeModuleId }: TestModule): string =>
  project.name === 'hallpass'
    ? `npm test -- ${relativeModuleId}`
    : `npx vitest run --project ${project.name} ${relativeModuleId}`

const testAlone = (test: TestCase): string =>
  `${fileAlone(test.module)} -t ${quoted(`^${patternOf(test)}$`)}`

// vitest holds a pattern against the titles from the outermost on, with a space between.
const patternOf = ({ fullName }: TestCase): string =>
  fullName.replaceAll(' > ', ' ').replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
