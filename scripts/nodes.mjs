import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The version of each line of Node that is tried. */
export const NODES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }

const found = new Map()

/**
 * Finds the Node of a line, in npm's package `node`, and returns its path. A process asks npm once for each line: the
 * answer costs half a second of processor time, and a flow on each framework needs the same one.
 */
export function findNode(line) {
  const path = found.get(line) ?? askForNode(line)
  found.set(line, path)
  // Who asks again after a failure, as a test that is repeated does, asks npm again.
  path.catch(() => found.delete(line))
  return path
}

async function askForNode(line) {
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
  const [path, ran] = JSON.parse(stdout)
  if (ran !== `v${version}`) throw new Error(`npx ran ${ran} as node@${version}`)
  return path
}
