// `npm run test:stores`: installs the drivers of SQLite and MySQL, and runs the store on each of them, and on the MariaDB
// of Debian, which has to be installed.
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
const args = process.argv.slice(2)
// To compile takes longer than these tests, which do not need it.
const isOfSqlite = args.length === 0 || args.some((arg) => !/mysql|created|operations/.test(arg))
// SQLite, which is one file, takes a third of the time to compile that it takes for the fastest code.
const quick = { CFLAGS: '-O1', CXXFLAGS: '-O1' }
// Its headers by their name in the environment, because npm passes on the one that it is configured with.
if (isOfSqlite) {
  const headers = headersOf(realpathSync(node))
  run('npx', ['--yes', 'node-gyp@13.1.0', 'rebuild', '--release'], {
    cwd: join(FOLDER, 'node_modules/better-sqlite3'),
    env: { ...env, ...quick, ...(headers !== null && { npm_config_nodedir: headers }) },
  })
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'stores']
spawn('node', [...vitest, ...args], { cwd: ROOT, env, stdio: 'inherit' }).once(
  'exit',
  (code) => (process.exitCode = code ?? 1),
)

/** The folder of the headers that came with a Node; `null` without any: then node-gyp downloads them. */
function headersOf(path) {
  const folders = ['..', `../node_modules/node-${process.platform}-${process.arch}`]
  return (
    folders
      .map((folder) => join(dirname(path), folder))
      .find((folder) => existsSync(join(folder, 'include/node/node_api.h'))) ?? null
  )
}

function run(command, args, options = {}) {
  execFileSync(command, args, { cwd: ROOT, env, stdio: 'pipe', ...options })
}
