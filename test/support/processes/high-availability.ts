import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs' // prettier-ignore
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Child, startChild } from './child.js'
import { freePorts } from './ports.js'
import { waitFor } from './wait.js'
import { ROOT } from '../source/root.js'

const FOLDER = join(ROOT, 'examples/high-availability')
const FILES = ['docker-compose.yml', 'patroni.yml', 'haproxy.cfg', 'create-database.sh']
const PACKAGES = ['etcd-server', 'haproxy', 'patroni', 'postgresql-15', 'python3-etcd', 'redis-server'] // prettier-ignore
const PROGRAMS = ['etcd', 'haproxy', 'patroni', 'redis-server'].map((name) => [`/usr/bin/${name}`, `/usr/sbin/${name}`]) // prettier-ignore

const run = promisify(execFile)

/** A member of the cluster, as Patroni describes it. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number | string
}

/** The servers of `examples/high-availability`, each on an address of loopback. */
export interface Servers {
  /** What a process of the school has in its environment. */
  readonly environmentOf: (name: string) => Readonly<Record<string, string>>
  readonly origin: string
  readonly databaseUrl: string
  /** Waits until there is a primary, a synchronous standby, and nothing else than streaming standbys. */
  readonly whole: (seconds: number) => Promise<string>
  /** Sends SIGKILL to a PostgreSQL server with all its processes, and to its Patroni. */
  readonly kill: (name: string) => void
  /** Sends SIGSTOP to the same processes: connections stay open, and nothing responds. Returns what ends that. */
  readonly freeze: (name: string) => () => void
  /** Stops the processes of a primary that send to its standbys: these have nothing of what it writes from then on. */
  readonly holdBack: (name: string) => void
  readonly start: (name: string) => void
  readonly stop: () => Promise<void>
}

/**
 * Starts etcd, three PostgreSQL servers with Patroni, HAProxy and Redis as `docker-compose.yml` describes them. The
 * addresses `10.77.0.*` become addresses of loopback, `/data` and `/config` become temporary folders. Nothing else
 * differs, but for the containers. Installs Debian's packages if they are missing.
 */
export async function startServers(): Promise<Servers> {
  await install()
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-ha-'))
  const network = `127.77.${process.pid % 250}.`
  // The port that is published for browsers: hallpass takes http only at this address.
  const published = `127.0.0.1:${await freePorts()}`
  const secrets = new Map<string, string>([['LANTERN_ORIGIN', `http://${published}`]])
  /** A password for each name. */
  const secretOf = (name: string): string => {
    if (!secrets.has(name)) secrets.set(name, crypto.randomUUID().replaceAll('-', '') + name)
    return secrets.get(name)!
  }
  const local = (text: string): string =>
    text
      .replaceAll('10.77.0.', network)
      .replaceAll(' /config/', ` ${folder}/`)
      .replace(`bind ${network}20:3000`, `$&,${published}`)

  for (const name of FILES)
    writeFileSync(join(folder, name), local(readFileSync(join(FOLDER, name), 'utf8')))
  const services = await servicesOf(join(folder, 'docker-compose.yml'))
  const who = await userOf('postgres')
  if (who !== null) chownSync(folder, who.uid, who.gid)
  const running = new Map<string, Child>()

  const environmentOf = (name: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(services[name]!.environment ?? {}).map(([key, value]) => [
        key,
        value
          .replaceAll(/\$\{(\w+):\?\}/g, (_, secret: string) => secretOf(secret))
          .replace(/^\/data\b/, join(folder, name)),
      ]),
    )

  function start(name: string): void {
    const { command, user } = services[name]!
    const [program = '', ...args] = wordsOf(command!)
    const data = join(folder, name)
    mkdirSync(data, { recursive: true, mode: 0o700 })
    const isOther = user === 'postgres' && who !== null
    if (isOther) chownSync(data, who.uid, who.gid)
    const child = startChild(program, args, {
      cwd: folder,
      env: {
        NODE_ENV: 'production',
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
        LC_ALL: 'C.UTF-8',
        ...environmentOf(name),
      },
      ...(isOther && { uid: who.uid, gid: who.gid }),
    })
    running.set(name, child)
  }

  const said = (): string =>
    [...running].map(([name, { output }]) => `--- ${name}\n${output().slice(-3000)}`).join('\n')

  const postmasterOf = (name: string): number | null => {
    const path = join(folder, name, 'postgres', 'postmaster.pid')
    const [line = ''] = existsSync(path) ? readFileSync(path, 'utf8').split('\n', 1) : []
    const pid = Number(line)
    return line !== '' && isOf(pid, join(folder, name)) ? pid : null
  }

  const pidsOf = (name: string): readonly number[] => {
    const postmaster = postmasterOf(name)
    const own = postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)]
    return [running.get(name)!.child.pid!, ...own]
  }

  const kill = (name: string): void => {
    for (const pid of pidsOf(name)) signal(pid, 'SIGKILL')
  }

  const freeze = (name: string): (() => void) => {
    const pids = pidsOf(name)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    return () => {
      for (const pid of pids) signal(pid, 'SIGCONT')
    }
  }

  const holdBack = (name: string): void => {
    for (const pid of pidsOf(name)) if (commandOf(pid).includes('walsender')) signal(pid, 'SIGSTOP')
  }

  const members = async (): Promise<readonly Member[]> => {
    for (const name of DATABASES) {
      const address = environmentOf(name)['PATRONI_RESTAPI_LISTEN']!
      const answer = await fetch(`http://${address}/cluster`, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.json() as Promise<{ members: Member[] }>)
        .catch(() => null)
      if (answer !== null) return answer.members
    }
    return []
  }

  const stop = async (): Promise<void> => {
    for (const name of DATABASES) if (running.has(name)) kill(name)
    for (const child of running.values()) await child.stop()
    // What the servers had forked ends without them.
    const areGone = (): boolean => DATABASES.every((name) => postmasterOf(name) === null)
    await waitFor(areGone, { what: 'no PostgreSQL server runs' })
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  async function whole(seconds: number): Promise<string> {
    const find = async (): Promise<string> => {
      const last = await members()
      const leader = last.find(({ role }) => role === 'leader')
      const standbys = last.filter(({ role, lag }) => role !== 'leader' && typeof lag === 'number')
      const isRunning = last.every(({ state }) => ['running', 'streaming'].includes(state))
      if (leader !== undefined && isRunning && standbys.length === DATABASES.length - 1)
        if (standbys.some(({ role }) => role === 'sync_standby')) return leader.name
      throw new Error(last.map(({ name, role, state }) => `${name}: ${role}, ${state}`).join('; '))
    }
    const patience = {
      what: 'a primary has two standbys',
      patienceMilliseconds: 1000 * seconds,
      everyMilliseconds: 250,
    }
    return waitFor(find, patience).catch((fault: Error) => {
      throw new Error(`${fault.message}: ${String(fault.cause)}\n${said()}`, { cause: fault })
    })
  }

  try {
    for (const name of ['etcd', 'redis', ...DATABASES, 'haproxy']) start(name)
    await whole(120)
  } catch (fault) {
    await stop()
    throw fault
  }
  const databaseUrl = environmentOf('school1')['DATABASE_URL']!
  const origin = secretOf('LANTERN_ORIGIN')
  return { environmentOf, origin, databaseUrl, whole, kill, freeze, holdBack, start, stop }
}

const DATABASES = ['postgres1', 'postgres2', 'postgres3']

interface Service {
  readonly command?: string
  readonly user?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Installs what is missing, and starts none of its services. */
async function install(): Promise<void> {
  const isThere = PROGRAMS.every((paths) => paths.some((path) => existsSync(path)))
  if (isThere && existsSync('/usr/lib/postgresql/15/bin/postgres')) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  await run('apt-get', ['update', '-qq'], { env })
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], { env })
}

/** Reads the file with the parser that Patroni brings: it knows what `<<` merges. */
async function servicesOf(path: string): Promise<Readonly<Record<string, Service>>> {
  const program = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))'
  const { stdout } = await run('/usr/bin/python3', ['-c', program, path])
  return (JSON.parse(stdout) as { services: Record<string, Service> }).services
}

/** The user that PostgreSQL runs as, because it refuses root; `null` if this is not root. */
async function userOf(name: string): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  )
  return { uid: uid!, gid: gid! }
}

/** The words of a command; those in single quotes are one. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)

/** Whether a process is the PostgreSQL server of a folder: its number may be that of another by now. */
const isOf = (pid: number, folder: string): boolean => commandOf(pid).includes(folder)

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}
