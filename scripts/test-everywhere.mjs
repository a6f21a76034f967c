// `npm run test:everywhere`: installs the runtimes and frameworks, which have a package.json and a lock file of their own
// in test/everywhere, and runs one flow on each of them. With `-- --write` it writes down what was green, for the pages.
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findNode, NODES } from './nodes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const env = { ...process.env }
if (args.includes('--write')) env.HALLPASS_EVERYWHERE_WRITE = 'yes'

const install = ['ci', '--prefix', 'test/everywhere', '--ignore-scripts', '--no-audit', '--no-fund']
execFileSync('npm', install, { cwd: ROOT, stdio: 'pipe' })
// One after the other, and before two workers of Vitest ask at the same time: npm installs a Node that it does not have.
for (const line of Object.keys(NODES)) await findNode(line)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'everywhere']
const given = args.filter((arg) => arg !== '--write')
spawn('node', [...vitest, ...given], { cwd: ROOT, env, stdio: 'inherit' }).once(
  'exit',
  (code) => (process.exitCode = code ?? 1),
)
