// Runs both commands of the README, `npm ci && npm start` and `npm ci && npm test`, in the places where people run
// them: each in a fresh clone of the last commit. Prints a table, and fails if one of them fails.
//   npm run try:places -- --only space,nonroot --command start
// `--only space+nonroot` is one place that is both.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { findNode, NODES } from './nodes.mjs'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PORTS = [3000, 3001]
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const SHOWN_LINES = 40
const MOST_SECONDS = { install: 900, ready: 300, refusal: 300, test: 2400, stop: 30, response: 10 }

/** The places. Each changes the cell before its folder is made. */
const PLACES = {
  space(cell) {
    cell.folder = join(cell.home, 'with a space', 'hallpass')
  },
  nonroot(cell) {
    cell.user = { uid: NOBODY, gid: NOBODY }
    cell.env.HOME = cell.home
    delete cell.env.TMPDIR
  },
  'no-scripts'(cell) {
    cell.install.push('--ignore-scripts')
  },
  ports(cell) {
    cell.isTaken = true
  },
  // Everything else of a person's own: where files go, for whom, in which language and time zone.
  settings(cell) {
    const folder = join(cell.home, `a long path with spaces, ${'and more '.repeat(12)}`, 'tmp')
    mkdirSync(folder, { recursive: true })
    Object.assign(cell.env, { HOME: cell.home, TMPDIR: folder })
    Object.assign(cell.env, { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' })
    cell.env.NODE_OPTIONS = '--max-old-space-size=4096'
    cell.umask = 0o077
  },
  // It comes with Node 20, and does not read `allowScripts`.
  'npm@10'(cell) {
    cell.npm = ['npx', '--yes', 'npm@10.9.9']
  },
  ...Object.fromEntries(
    Object.keys(NODES).map((line) => [
      `node@${line}`,
      async (cell) => {
        cell.env.PATH = dirname(await findNode(line)) + delimiter + cell.env.PATH
      },
    ]),
  ),
}
const COMMANDS = { start: tryStart, test: tryTest }

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PLACES).join() },
    command: { type: 'string', default: Object.keys(COMMANDS).join() },
  },
})
const places = chosen('only', /[,+]/, PLACES)
const commands = chosen('command', ',', COMMANDS)

/** Returns the names that an option has, separated by commas. */
function chosen(option, separator, known) {
  for (const name of values[option].split(separator))
    if (!Object.hasOwn(known, name))
      throw new RangeError(`--${option}: "${name}" is not one of ${Object.keys(known).join(', ')}`)
  return values[option].split(',')
}

/** The environment of a person: without what `npm run` adds for this script. */
function environment() {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_registry$)/.test(name),
  )
  const folders = process.env.PATH.split(delimiter).filter((path) => !/node_modules/.test(path))
  const path = [dirname(process.execPath), ...folders].join(delimiter)
  return { ...Object.fromEntries(own), NO_COLOR: '1', PATH: path }
}

/** Processes and folders, which are ended and deleted also if this script is stopped. */
const running = new Set()
const homes = new Set()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const pid of running) killGroup(pid, 'SIGKILL')
    for (const home of homes) rmSync(home, { recursive: true, force: true })
    process.exit(1)
  })

/** Sends a signal to a process and its children. Returns whether there is one. */
function killGroup(pid, signal) {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** Starts a command of a cell, in a group of its own. */
function start({ folder, env, user, umask }, [command, ...args]) {
  const before = process.umask(umask)
  const child = spawn(command, args, {
    ...user,
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.umask(before)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit')
  exited.catch(() => {})
  if (child.pid !== undefined) running.add(child.pid)
  return { child, exited, output: () => output }
}

/** Waits until a promise is fulfilled, or fails. */
async function within(seconds, what, promise, output = () => '') {
  const late = new AbortController()
  try {
    const timer = pause(seconds * 1000, 'late', { signal: late.signal })
    timer.catch(() => {})
    const first = await Promise.race([promise, timer])
    if (first === 'late') throw fault(`${what} took more than ${seconds} s`, output())
    return first
  } finally {
    late.abort()
  }
}

const fault = (message, output) => Object.assign(new Error(message), { output })

/** Ends what a command left, and fails if it left something. */
async function end({ child, output }, seconds = 5) {
  if (child.pid === undefined) return
  const until = performance.now() + seconds * 1000
  while (killGroup(child.pid, 0) && performance.now() < until) await pause(50)
  const isLeft = killGroup(child.pid, 'SIGKILL')
  running.delete(child.pid)
  if (isLeft) throw fault('left processes behind', output())
}

/** Runs a command until it exits, and fails unless it succeeds. */
async function finish(cell, command, seconds) {
  const what = command.join(' ')
  const started = start(cell, command)
  try {
    const [code, signal] = await within(seconds, what, started.exited, started.output)
    if (code !== 0) throw fault(`${what} ended with ${code ?? signal}`, started.output())
  } catch (error) {
    await end(started, 0).catch(() => {})
    throw error
  }
  await end(started)
}

async function tryTest(cell) {
  await finish(cell, [...cell.npm, 'test'], MOST_SECONDS.test)
}

/** Waits until both schools respond, then stops them as Ctrl+C does. */
async function tryStart(cell) {
  if (!cell.isTaken) for (const server of await listen()) server.close()
  const started = start(cell, [...cell.npm, 'start'])
  const { child, exited, output } = started
  try {
    if (cell.isTaken) {
      const [code] = await within(MOST_SECONDS.refusal, 'the refusal', exited, output)
      const isClear = /Port 3000 is in use: .*\bPORT\b/.test(output())
      if (code === 0 || !isClear) throw fault('does not say that a port is in use', output())
    } else {
      await within(MOST_SECONDS.ready, 'the start', ready(started), output)
      await responds('http://127.0.0.1:3000', 'Lantern Street', output)
      await responds('http://127.0.0.1:3001', 'Kiln &amp; Coil', output)
      killGroup(child.pid, 'SIGINT')
      await within(MOST_SECONDS.stop, 'the end', exited, output)
    }
  } catch (error) {
    await end(started, 0).catch(() => {})
    throw error
  }
  await end(started)
}

async function ready({ child, exited, output }) {
  let hasExited = false
  exited.then(
    () => (hasExited = true),
    () => (hasExited = true),
  )
  while (!output().includes('Stop with Ctrl+C')) {
    // Fails with what prevented the start.
    if (child.pid === undefined) await exited
    if (hasExited) throw fault(`ended with ${child.exitCode ?? child.signalCode}`, output())
    await pause(50)
  }
}

async function responds(origin, name, output) {
  const signal = AbortSignal.timeout(MOST_SECONDS.response * 1000)
  const response = await fetch(origin, { signal }).catch(({ message }) => {
    throw fault(`${origin}: ${message}`, output())
  })
  if (!(await response.text()).includes(name))
    throw fault(`${origin}: status ${response.status}, without "${name}"`, output())
}

/** Takes both ports, as other programs do. */
async function listen() {
  const servers = PORTS.map((port) => createServer((socket) => socket.destroy()).listen(port))
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')))
    return servers
  } catch ({ message }) {
    for (const server of servers) server.close()
    throw fault(`ports ${PORTS.join(' and ')} must be free: ${message}`, '')
  }
}

/** Tries a command in a place. */
async function tryCell(place, command) {
  // Others may not be able to enter root's own folder for temporary files.
  const home = realpathSync(mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'hallpass-place-')))
  homes.add(home)
  const cell = {
    home,
    folder: join(home, 'hallpass'),
    env: environment(),
    npm: ['npm'],
    install: ['ci'],
    user: {},
    umask: process.umask(),
    isTaken: false,
  }
  let servers = []
  try {
    for (const part of place.split('+')) await PLACES[part](cell)
    // Not by links, whose owner would change here as well.
    await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, cell.folder])
    const { uid, gid } = cell.user
    if (uid !== undefined) await run('chown', ['-R', `${uid}:${gid}`, home])
    await finish(cell, [...cell.npm, ...cell.install], MOST_SECONDS.install)
    if (cell.isTaken) servers = await listen()
    await COMMANDS[command](cell)
    return null
  } catch (error) {
    return error
  } finally {
    for (const server of servers) server.close()
    rmSync(home, { recursive: true, force: true })
    homes.delete(home)
  }
}

const { stdout: commit } = await run('git', ['log', '-1', '--format=%h %s'], { cwd: ROOT })
const { stdout: changes } = await run('git', ['status', '--porcelain'], { cwd: ROOT })
console.log(`Node ${process.versions.node}, commit ${commit.trim()}`)
if (changes !== '') console.log('What is not committed is left out.')
const rows = []
const failed = []
for (const place of places)
  for (const command of commands) {
    const cells = `| ${place} | npm ${command} |`
    if (!isRoot && place.split('+').includes('nonroot')) {
      rows.push(`${cells} not tried: you are not root, so every other place shows it | – |`)
      continue
    }
    const began = performance.now()
    const error = await tryCell(place, command)
    const seconds = Math.round((performance.now() - began) / 1000)
    rows.push(`${cells} ${error === null ? 'ok' : `FAILED: ${error.message}`} | ${seconds} |`)
    console.log(rows.at(-1))
    if (error !== null) failed.push({ place, command, error })
  }
console.log(
  `\n| place | command | result | seconds |\n| --- | --- | --- | --- |\n${rows.join('\n')}`,
)
for (const { place, command, error } of failed) {
  const last = (error.output ?? error.stack).trim().split('\n').slice(-SHOWN_LINES)
  console.log(`\n${place}, npm ${command}: ${error.message}\n  ${last.join('\n  ')}`)
}
process.exitCode = failed.length === 0 ? 0 : 1
