import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../support/processes/child.js'

const require = createRequire(import.meta.url)

// The suite imports fs.globSync, which Node has from 22 on, so vitest.config.ts leaves this folder out
// on an older line: a test that did not run there would count as one that was left out.
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js')

/** One run of the official conformance suite. */
interface SuiteRun {
  /** `null`, or everything the suite printed where it ended with an error. */
  readonly failure: string | null
  /**
   * The checks that passed wherever they were made, by scenario, save for that of the messages' schema. A
   * scenario of which none did is left out.
   */
  readonly passed: Readonly<Record<string, readonly string[]>>
  /** The checks that failed or warned, as a baseline names them. */
  readonly failed: readonly string[]
}

/**
 * Runs the suite's command line.
 *
 * @param options - by name, without the dashes
 * @param atBrowser - is given the address that the suite asks somebody to open, where it does
 */
export async function runSuite(
  command: 'server' | 'authorization',
  options: Readonly<Record<string, string>>,
  atBrowser: (url: string) => Promise<unknown> = async () => {},
): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-conformance-'))
  const named = Object.entries({ ...options, 'output-dir': folder })
  const words = named.flatMap(([name, value]) => [`--${name}`, value])
  const { child, ended, stop } = startChild(process.execPath, [SUITE, command, ...words])
  let output = ''
  const opened = new Promise<unknown>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      const known = addressIn(output)
      output += chunk.toString()
      const url = addressIn(output)
      if (known === null && url !== null) atBrowser(url).then(resolve, reject)
    }
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', read)
    ended.then(resolve, reject)
  })
  try {
    const [exitCode] = await Promise.all([ended, opened])
    return { failure: exitCode === 0 ? null : output, ...recordIn(folder) }
  } finally {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The address to open, once there is somebody to come back to: the suite prints it before it listens. */
const addressIn = (output: string): string | null =>
  output.includes('Callback server started')
    ? (/^(https?:\/\/\S+response_type=code\S*)\n/m.exec(output)?.[1] ?? null)
    : null

/** Reads the suite's record: a folder for each scenario, named after it and the time. */
function recordIn(folder: string): Pick<SuiteRun, 'passed' | 'failed'> {
  // There is no file where a scenario broke off, of which the suite has printed why.
  const written = readdirSync(folder).filter((name) => existsSync(join(folder, name, RECORD)))
  const scenarios = written.map((name) => {
    const checks = JSON.parse(readFileSync(join(folder, name, RECORD), 'utf8')) as Check[]
    const idsOf = (...statuses: readonly string[]): readonly string[] => [
      ...new Set(checks.filter(({ status }) => statuses.includes(status)).map(({ id }) => id)),
    ]
    const failed = idsOf('FAILURE', 'WARNING')
    const passed = idsOf('SUCCESS').filter((id) => id !== SCHEMA_CHECK && !failed.includes(id))
    const scenario = /^(?:authorization-)?server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)![1]!
    return { scenario, passed, failed }
  })
  return {
    passed: Object.fromEntries(
      scenarios.flatMap(({ scenario, passed }) =>
        passed.length === 0 ? [] : [[scenario, passed]],
      ),
    ),
    failed: scenarios.flatMap(({ scenario, failed }) => failed.map((id) => `${scenario}:${id}`)),
  }
}

const RECORD = 'checks.json'

/** Whether every message was as the protocol's schema has it: a check of each scenario. */
export const SCHEMA_CHECK = 'wire-schema-valid'

interface Check {
  readonly id: string
  readonly status: string
}
