import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareJava } from '../../scripts/java.mjs'
import { startServer } from '../../test/support/databases/postgres-server.js'
import { startKeycloak, versionOfMaven } from '../../test/support/processes/java-servers.js'
import { machine, quantile, tableOf } from '../figures.mjs'

const HEAP = '2g'
const password = 'a password of the administrator'
const LONGEST_CREATION = 5000
/** Realms of which the first and the second request are measured after a restart. */
const COLD = 10
const say = (text) => process.stderr.write(`${text}\n`)
const median = (values) => quantile(values, 0.5)

function* steps() {
  yield* [1, 10, 50]
  for (let realms = 100; ; realms *= 2) yield realms
}
const realmOf = (realm) => `/realms/s${realm}`
const metadataOf = (realm) => `${realmOf(realm)}/.well-known/openid-configuration`
const keysOf = (realm) => `${realmOf(realm)}/protocol/openid-connect/certs`

/** Sends a request and reads its response, which takes a minute at most. */
async function send(url, options) {
  const begun = performance.now()
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000), ...options })
  const body = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body.slice(0, 200)}`)
  return { body, milliseconds: performance.now() - begun }
}

/** CPU time of a process so far in ms, of which Linux counts tens. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The API of an administrator, who signs in again before a token of a minute ends. */
function administratorOf({ origin, pid }) {
  let [authorization, at] = ['', -Infinity]
  async function ask(method, path, body) {
    if (performance.now() - at > 20_000) {
      at = performance.now()
      const form = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password }
      const url = `${origin}/realms/master/protocol/openid-connect/token`
      const token = await send(url, { method: 'POST', body: new URLSearchParams(form) })
      authorization = `Bearer ${JSON.parse(token.body).access_token}`
    }
    const headers = { authorization, 'content-type': 'application/json' }
    return send(`${origin}/admin/realms${path}`, { method, headers, body: JSON.stringify(body) })
  }
  return {
    /** Creates a realm with one public client, and with the keys and all else that Keycloak gives to a realm. */
    async create(realm) {
      const client = { clientId: 'app', publicClient: true, redirectUris: ['https://app.example/cb'] } // prettier-ignore
      const before = cpuOf(pid)
      const { milliseconds } = await ask('POST', '', { realm, enabled: true, clients: [client] })
      return { milliseconds, cpu: cpuOf(pid) - before }
    },
    remove: (realm) => ask('DELETE', `/${realm}`),
  }
}

/** Medians of the first and the second request of metadata, and of keys, of realms that were not asked since the start. */
async function coldOf(origin, realms) {
  const times = [[], [], [], []]
  for (let warm = 0; warm < 20; warm++) {
    await send(`${origin}/realms/master/.well-known/openid-configuration`)
    await send(`${origin}/realms/master/protocol/openid-connect/certs`)
  }
  const count = Math.min(COLD, realms)
  for (let index = 0; index < count; index++) {
    const realm = Math.floor((index * realms) / count)
    const paths = [metadataOf(realm), metadataOf(realm), keysOf(realm), keysOf(realm)]
    for (const [at, path] of paths.entries())
      times[at].push((await send(origin + path)).milliseconds)
  }
  return times.map(median)
}

/** The heap behind a garbage collection, and the memory of the process, in MB. */
function memoryOf(pid) {
  const jcmd = (...args) => execFileSync('jcmd', [String(pid), ...args], { encoding: 'utf8' })
  jcmd('GC.run')
  const [, heap] = / used (\d+)K/.exec(jcmd('GC.heap_info'))
  const [, rss] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return [heap, rss].map((kilobytes) => (Number(kilobytes) * 1024) / 1e6)
}

/** A database of its own: a file, or a PostgreSQL, which does not wait for the disk. */
async function openDatabase(kind) {
  if (kind === 'postgres') {
    const { url, stop } = await startServer()
    const { host, pathname, username } = new URL(url)
    return {
      options: [
        '--db=postgres',
        `--db-url=jdbc:postgresql://${host}${pathname}`,
        `--db-username=${username}`,
        '--db-password=none',
      ],
      stop,
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-realms-'))
  return {
    options: [
      '--db=dev-file',
      `--db-url=jdbc:h2:file:${join(folder, 'realms')};NON_KEYWORDS=VALUE`,
    ],
    stop: async () => rmSync(folder, { recursive: true }),
  }
}

async function open(database) {
  const at = performance.now()
  const keycloak = await startKeycloak({ heap: HEAP, database: database.options, password })
  const seconds = (performance.now() - at) / 1000
  return { ...keycloak, seconds, administrator: administratorOf(keycloak) }
}
/** Lets the compiler see some creations. */
async function warmUp({ administrator }) {
  for (let realm = 0; realm < 3; realm++) {
    await administrator.create('warm')
    await administrator.remove('warm')
  }
}

/**
 * Measures how many realms one Keycloak has, each with one public client, created one behind the other. It ends where
 * ten creations take more than five seconds each, where memory ends, or when the time is over.
 *
 * @param options - `minutes`: for all. `kind`: `postgres`, or `file` for the database that Keycloak brings
 * @returns a table in Markdown, or one line that says why it cannot start
 */
export async function measureRealms({ minutes = 10, kind = 'file' } = {}) {
  let database, keycloak
  try {
    prepareJava()
    database = await openDatabase(kind)
    keycloak = await open(database)
  } catch (fault) {
    await database?.stop()
    const lines = fault.message.split('\n')
    return `Keycloak does not start here: ${lines.find((line) => line.includes('ERROR')) ?? lines[0]}`
  }
  const until = performance.now() + minutes * 60_000
  const rows = [['realms', 'ms, CPU ms to create one', 's to start', 'ms of metadata, first, next', 'ms of keys, first, next', 'MB of heap, all asked', 'MB of RSS']] // prettier-ignore
  let [realms, ended] = [0, '']
  try {
    for (const step of steps()) {
      await warmUp(keycloak)
      const times = []
      while (realms < step && ended === '') {
        times.push(await keycloak.administrator.create(`s${realms++}`))
        const last = times.slice(-10).map(({ milliseconds }) => milliseconds)
        if (last.length === 10 && Math.min(...last) > LONGEST_CREATION)
          ended = 'each of ten creations took more than 5 s'
        else if (performance.now() > until) ended = `${minutes} minutes were over`
      }
      await keycloak.stop()
      keycloak = await open(database)
      const { origin, pid, seconds } = keycloak
      const cold = (await coldOf(origin, realms)).map((value) => value.toFixed(1))
      for (let realm = 0; realm < realms; realm++)
        for (const path of [metadataOf(realm), keysOf(realm)]) await send(origin + path)
      const [heap, rss] = memoryOf(pid).map((value) => value.toFixed(0))
      const last = times.slice(-10)
      const [wall, cpu] = ['milliseconds', 'cpu'].map((name) => median(last.map((time) => time[name])).toFixed(0)) // prettier-ignore
      rows.push([realms.toLocaleString('en'), `${wall}, ${cpu}`, seconds.toFixed(0), `${cold[0]}, ${cold[1]}`, `${cold[2]}, ${cold[3]}`, heap, rss]) // prettier-ignore
      say(rows.at(-1).join(' | '))
      if (ended !== '') break
    }
  } catch (fault) {
    ended = fault.message.split('\n')[0]
  } finally {
    await keycloak.stop()
    await database.stop()
  }
  const version = versionOfMaven('keycloak-quarkus-dist')
  const where =
    kind === 'postgres' ? 'PostgreSQL, which does not wait for the disk' : 'its own file'
  return `Keycloak ${version} in development mode, ${HEAP} of heap, in ${where}; ${machine()}; it ended at ${realms.toLocaleString('en')} realms: ${ended}\n\n${tableOf(rows)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      database: { type: 'string', default: 'file' },
    },
  })
  const report = await measureRealms({ minutes: values.minutes, kind: values.database })
  process.stdout.write(`${report}\n`)
}
