import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

// The suite imports fs.globSync, which Node has from 22 on, so vitest.config.ts leaves this folder out
// on an older line: a test that did not run there would count as one that was left out.
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js')

/** One run of the official conformance suite. */
interface SuiteRun {
  /** `null`, or everything the suite printed where it ended with an error. */
  readonly failure: string | null
  /** The checks that passed, by scenario, save for that of the messages' schema. */
  readonly passed: Readonly<Record<string, readonly string[]>>
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
  const child = spawn(process.execPath, [SUITE, command, ...words])
  const exited = once(child, 'close')
  let output = ''
  const opened = new Promise<unknown>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      const known = addressIn(output)
      output += chunk.toString()
      const url = addressIn(output)
      if (known === null && url !== null) atBrowser(url).then(resolve, reject)
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', read)
    exited.then(resolve, reject)
  })
  try {
    const [[exitCode]] = await Promise.all([exited, opened])
    return { failure: exitCode === 0 ? null : output, passed: passedIn(folder) }
  } finally {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

const addressIn = (output: string): string | null =>
  /^(https?:\/\/\S+response_type=code\S*)\n/m.exec(output)?.[1] ?? null

/** Reads the suite's record: a folder for each scenario, named after it and the time. */
function passedIn(folder: string): Record<string, readonly string[]> {
  // There is no file where a scenario broke off, of which the suite has printed why.
  const written = readdirSync(folder).filter((name) => existsSync(join(folder, name, RECORD)))
  return Object.fromEntries(
    written.map((name) => {
      const checks = JSON.parse(readFileSync(join(folder, name, RECORD), 'utf8')) as Check[]
      const ids = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id)
      const own = [...new Set(ids)].filter((id) => id !== 'wire-schema-valid')
      return [/^(?:authorization-)?server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)![1]!, own]
    }),
  )
}

const RECORD = 'checks.json'

interface Check {
  readonly id: string
  readonly status: string
}
