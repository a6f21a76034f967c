import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** The version of each line of Node that is tried. `.ci/run` reads the same file. */
export const NODES = JSON.parse(readFileSync(new URL('nodes.json', import.meta.url), 'utf8'))

/** Finds the Node of a line, in npm's package `node`, and returns its path. */
export async function findNode(line) {
  const version = NODES[line]
  if (version === undefined) throw new Error(`nodes.json has no Node ${line}`)
  const program = 'JSON.stringify([process.execPath, process.version])'
  const { stdout } = await promisify(execFile)(
    'npx',
    ['--yes', '--package', `node@${version}`, '--', 'node', '-p', program],
    { timeout: 120_000 },
  ).catch((error) => {
    throw new Error(`npx cannot run node@${version}: ${error.message}`)
  })
  const [path, found] = JSON.parse(stdout)
  if (found !== `v${version}`) throw new Error(`npx ran ${found} as node@${version}`)
  return path
}
