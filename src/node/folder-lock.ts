import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { join, relative, resolve } from 'node:path'

/** The path of a socket on macOS has 103 bytes at most. Node.js cuts a longer one off, and says nothing. */
const MAX_PATH_BYTES = 103
/** A slash, and a draft of 13 characters. A number is longer after 10 million owners. */
const LONGEST_NAME = 14
const LOCK = /^lock-(\d{1,15})$/

/**
 * Locks a folder for this process, such as that of an embedded database, which two processes damage. The system ends
 * the lock with the process, however that ends. The lock is seen by every process of the machine, also by one in another
 * container that has the folder. Other machines do not see it.
 *
 * The lock is a Unix socket in the folder, so the folder has to be on a file system that has sockets: a local disk, or
 * a volume. On Windows it is a named pipe.
 *
 * @param folder - its path; the folder exists
 * @returns a function that releases the lock. Nothing has to call it before the process ends
 * @throws Error with `another process has … open` if the folder is locked, also by this process. Error that names
 *   the folder if it cannot be locked, because its file system has no sockets or, except on Linux, its path is too long
 * @group Folders
 * @example
 * ```ts
 * import { lockFolder } from 'hallpass/node'
 * import { mkdtempSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const folder = mkdtempSync(join(tmpdir(), 'school-'))
 * const release = await lockFolder(folder)
 * await lockFolder(folder).catch(({ message }) => message.includes('open')) // => true
 * release()
 * ```
 */
export async function lockFolder(folder: string): Promise<() => void> {
  let server: Server | null
  try {
    server = platform() === 'win32' ? await listenAt(pipeOf(folder)) : await takeTurn(folder)
  } catch (cause) {
    throw new Error(
      `the folder ${folder} cannot be locked: ${(cause as Error).message}. It has to be on a local disk or a volume, and its path short`,
      { cause },
    )
  }
  if (server === null)
    throw new Error(`another process has the folder ${folder} open: stop it, or use another folder`)
  const held = server.unref()
  return () => void held.close()
}

/**
 * Owners follow one another by number: the last one holds the folder while its socket is connected. The socket listens
 * before it gets its number, and a number is given once, because a link fails if its name exists. The last number is
 * never removed, so a slow process finds out that others came before it.
 *
 * @returns the server that holds the folder, or `null` if another one does
 */
async function takeTurn(folder: string): Promise<Server | null> {
  const short = shortPathOf(folder)
  const pathOf = (name: string): string => join(short.path, name)
  const draft = pathOf(`lock.${randomBytes(6).toString('base64url')}`)
  const server = (await listenAt(draft))!
  let isTaken = false
  try {
    for (;;) {
      const last = Math.max(0, ...numbersIn(folder))
      if (last > 0 && (await isConnected(pathOf(`lock-${last}`)))) return null
      const own = pathOf(`lock-${last + 1}`)
      if (!isLinked(draft, own)) continue
      const numbers = numbersIn(folder)
      isTaken = Math.max(...numbers) === last + 1
      if (!isTaken) rmSync(own, { force: true })
      else {
        for (const number of numbers)
          if (number <= last) rmSync(pathOf(`lock-${number}`), { force: true })
        return server
      }
    }
  } finally {
    rmSync(draft, { force: true })
    if (!isTaken) server.close()
    short.release()
  }
}

const numbersIn = (folder: string): readonly number[] =>
  readdirSync(folder).flatMap((name) => {
    const [, number] = LOCK.exec(name) ?? []
    return number === undefined ? [] : [Number(number)]
  })

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fault
  }
}

/** Whether a process listens. One that hangs does. */
async function isConnected(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false
    // More wait for it than the system lets wait.
    if (code === 'EAGAIN') return true
    throw fault
  } finally {
    socket.destroy()
  }
}

/** @returns the server, or `null` if another one listens there */
async function listenAt(path: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy())
  // Otherwise the processes of a cluster share it.
  server.listen({ path, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EADDRINUSE') return null
    throw fault
  }
  // Without descriptors it cannot accept, and is connected nevertheless.
  return server.on('error', () => {})
}

/** A path of a folder that is short enough for a socket in it, until it is released. */
function shortPathOf(folder: string): { readonly path: string; readonly release: () => void } {
  const [path] = [resolve(folder), relative('', folder) || '.'].sort(
    (one, other) => one.length - other.length,
  )
  const most = MAX_PATH_BYTES - LONGEST_NAME
  if (Buffer.byteLength(path!) <= most) return { path: path!, release() {} }
  if (platform() !== 'linux') throw new Error(`its path has more than ${most} bytes`)
  // By its descriptor, every folder has a short path.
  const descriptor = openSync(folder, 'r')
  return { path: `/proc/self/fd/${descriptor}`, release: () => closeSync(descriptor) }
}

function pipeOf(folder: string): string {
  const path = realpathSync.native(folder).toLowerCase()
  return `\\\\.\\pipe\\hallpass-${createHash('sha256').update(path).digest('hex')}`
}
