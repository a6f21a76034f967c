// `npm run test:openid`: runs plans of the OpenID Foundation's conformance suite, which OPENID_SUITE names, against the demo
// school behind Debian's nginx. With `-- --write` it writes down what was said, for the page; OPENID_EXPORTS names a folder
// for the suite's own exports. The suite is built and started elsewhere: this project has nothing of it.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const APT = '/usr/bin/apt-get'
const args = process.argv.slice(2)
const env = { ...process.env }
if (!env.OPENID_SUITE) {
  console.error(
    'OPENID_SUITE is not set: start the conformance suite of the OpenID Foundation on this computer in its development mode, and name it, such as OPENID_SUITE=https://localhost:8443',
  )
  process.exit(1)
}
if (args.includes('--write')) env.HALLPASS_OPENID_WRITE = 'yes'
if (!existsSync('/usr/sbin/nginx')) {
  // With this level Debian starts no server that it installs.
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const packages = ['nginx-light', 'openssl']
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', ...packages]])
    execFileSync(APT, ['-qq', ...words], { env: quiet, stdio: 'pipe' })
}
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'openid']
const given = args.filter((arg) => arg !== '--write')
spawn('node', [...vitest, ...given], { cwd: ROOT, env, stdio: 'inherit' }).once(
  'exit',
  (code) => (process.exitCode = code ?? 1),
)
