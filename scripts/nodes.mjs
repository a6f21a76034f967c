import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The version of each line of Node that is tried. */
export const NODES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }

/** Finds the Node of a line, in npm's package `node`, and returns its path. */
export async function findNode(line) {
  const version = NODES[line]
  if (version === undefined) throw new Error(`no version of Node ${line} is tried`)
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
