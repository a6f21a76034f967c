// `npm run test:stores`: installs the drivers of SQLite, and runs the store on each of them.
//
// They have a package.json and a lock file of their own in test/stores. better-sqlite3 is compiled, since its binaries
// come from a host that not every network reaches: it needs a C++ compiler and Python.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from './nodes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'test/stores')
/** The line of Node on which `node:sqlite` prints no warning. */
const NODE = '24'

const node = process.versions.node.startsWith(`${NODE}.`) ? process.execPath : await findNode(NODE)
const env = { ...process.env, PATH: dirname(node) + delimiter + process.env['PATH'] }

run('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'])
const headers = headersOf(realpathSync(node))
// A set-up for another Node would be used in place of this one.
delete env['npm_config_nodedir']
run('npx', ['--yes', 'node-gyp@13.1.0', 'rebuild', '--release', ...headers], {
  cwd: join(FOLDER, 'node_modules/better-sqlite3'),
})
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'stores']
spawn('node', [...vitest, ...process.argv.slice(2)], { cwd: ROOT, env, stdio: 'inherit' }).once(
  'exit',
  (code) => (process.exitCode = code ?? 1),
)

/** The headers that came with a Node; without any, node-gyp downloads them. */
function headersOf(path) {
  const folders = ['..', `../node_modules/node-${process.platform}-${process.arch}`]
  const found = folders
    .map((folder) => join(dirname(path), folder))
    .find((folder) => existsSync(join(folder, 'include/node/node_api.h')))
  return found === undefined ? [] : [`--nodedir=${found}`]
}

function run(command, args, { cwd = ROOT } = {}) {
  execFileSync(command, args, { cwd, env, stdio: 'pipe' })
}
