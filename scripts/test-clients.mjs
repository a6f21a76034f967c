// `npm run test:clients`: installs the clients that others wrote, and runs each against the school; with `-- --few`, only
// those of npm that a commit is tried with, and with `-- --java`, only those in Java.
//
// npm's clients have a package.json and a lock file of their own in test/real-clients. Debian's come by apt-get, which
// needs root: elsewhere their rows are left out, with the reason, but not in CI.
import { execFileSync, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareJava } from './java.mjs'
import { findNode } from './nodes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Some of the clients need a newer Node than the project does. */
const LEAST_NODE = 22.19
const NODE = '24'
const DEBIAN = [
  'apache2',
  'libapache2-mod-auth-openidc',
  'python3-authlib',
  'python3-requests-oauthlib',
  'golang-go',
  'golang-golang-x-oauth2-dev',
  'golang-github-coreos-go-oidc-dev',
  'ruby-openid-connect',
]

const env = { ...process.env }
const [major, minor] = process.versions.node.split('.').map(Number)
if (major + minor / 100 < LEAST_NODE)
  env.PATH = dirname(await findNode(NODE)) + delimiter + env.PATH

const args = process.argv.slice(2)
const [isFew, isJava] = [args.includes('--few'), args.includes('--java')]
if (isFew) env.HALLPASS_CLIENTS = 'few'
if (isJava)
  try {
    env.CLASSPATH = prepareJava()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
const missing = (isFew || isJava ? [] : DEBIAN).filter((name) => !isInstalled(name))
const reason = missing.length === 0 ? null : install(missing)
if (reason !== null) {
  console.log(`Without the libraries of Debian: ${reason}`)
  if (process.env['CI'] === 'true') process.exit(1)
  env.HALLPASS_CLIENTS_WITHOUT = 'debian'
}

if (!isJava)
  run('npm', ['ci', '--prefix', 'test/real-clients', '--ignore-scripts', '--no-audit', '--no-fund'])
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', isJava ? 'java' : 'clients']
spawn('node', [...vitest, ...args.filter((arg) => !/^--(?:few|java)$/.test(arg))], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
}).once('exit', (code) => (process.exitCode = code ?? 1))

function isInstalled(name) {
  try {
    const args = ['-W', '-f', '${db:Status-Status}', name]
    return execFileSync('dpkg-query', args, { encoding: 'utf8', stdio: 'pipe' }) === 'installed'
  } catch {
    return false
  }
}

/** @returns why they cannot be installed, or `null` */
function install(names) {
  if (process.getuid?.() !== 0) return `${names.join(' ')} are missing, and only root installs them`
  try {
    accessSync('/usr/bin/apt-get', constants.X_OK)
  } catch {
    return 'there is no apt-get'
  }
  try {
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names])
    return null
  } catch (error) {
    return error.message
  }
}

function run(command, args) {
  const quiet = { cwd: ROOT, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'pipe' }
  execFileSync(command, args, quiet)
}
