import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from '../processes/child.js'
import { waitFor } from '../processes/wait.js'

const NOBODY = 65_534

/** A MariaDB server that is running. Everyone who may open its socket is root, without a password. */
export interface MariadbServer {
  /** Where it listens: a socket in a folder of its own. It has a database `school`. */
  readonly socketPath: string
  /** Stops its process, as a machine that hangs does: connections stay open, and nothing responds. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => void
  readonly stop: () => Promise<void>
}

/** What a server may be set to that suits hallpass least. */
export const HOSTILE: readonly string[] = [
  '--sql-mode=',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_general_ci',
  '--innodb-lock-wait-timeout=50',
  '--transaction-isolation=SERIALIZABLE',
  '--autocommit=0',
  '--default-storage-engine=MyISAM',
  '--innodb-default-row-format=compact',
  '--default-time-zone=+05:45',
  '--lower-case-table-names=1',
]

/**
 * Starts the MariaDB server that is installed, of the package `mariadb-server` of Debian, in a folder of its own.
 *
 * @param options - options of the server, behind those that it needs
 * @param of - `isCopied`: its files are replaced by those of another server, by a program of another user
 * @throws Error - if it is not installed: there is no test without it
 */
export async function startMariadb(
  options: readonly string[] = [],
  { isCopied = false }: { readonly isCopied?: boolean } = {},
): Promise<MariadbServer> {
  // The path of a socket may have 107 characters, and `TMPDIR` may be longer.
  const folder = mkdtempSync(
    join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'hallpass-mariadb-'),
  )
  const socketPath = join(folder, 'socket')
  const data = join(folder, 'data')
  // A server that starts deletes every temporary table in that folder, those of others as well.
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const who = process.getuid?.() === 0 ? ['--user=root'] : []
  await install([
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...who,
  ])
  // rsync does not write as root.
  if (isCopied && who.length > 0) {
    chmodSync(folder, 0o755)
    for (const name of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
      chownSync(join(data, name), NOBODY, NOBODY)
  }
  const args = [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
    `--socket=${socketPath}`,
    '--pid-file=pid',
    '--skip-networking',
    '--max-connections=400',
    // The disk of a test machine is no subject: the process of a client is killed, not the computer.
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-log-file-size=64M',
    ...who,
    ...options,
  ]
  // Where Debian has servers, which is not on the path of everyone.
  const environment = { PATH: `${process.env['PATH']}:/usr/sbin` }
  const { child, until, stop } = startChild('mariadbd', args, { environment })
  await until(() => isOpen(socketPath), { what: 'it accepts connections' })
  const create = async (): Promise<boolean> => {
    const statement = '--execute=create database if not exists school'
    await promisify(execFile)('mariadb', ['--no-defaults', `--socket=${socketPath}`, '--user=root', statement]) // prettier-ignore
    return true
  }
  // A node of a cluster refuses statements until it has the rows of the others.
  await until(create, { what: 'it has a database' })
  return {
    socketPath,
    async freeze() {
      child.kill('SIGSTOP')
      await waitFor(() => isStopped(child.pid!))
    },
    thaw: () => child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).catch(() => {})
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether no thread of a process runs. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  )

async function install(args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('mariadb-install-db', args)
  } catch (fault) {
    if ((fault as { code?: unknown }).code !== 'ENOENT') throw fault
    throw new Error('MariaDB is not installed: apt-get install mariadb-server', { cause: fault })
  }
}

async function isOpen(path: string): Promise<boolean> {
  await access(path)
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
