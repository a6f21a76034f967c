import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Locks a folder for this process, because two processes that open the same embedded database corrupt
 * it. A lock of a process that no longer runs is replaced.
 *
 * @returns a function that releases the lock
 * @throws Error if another process has locked the folder
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock')
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      const release = (): void => {
        process.off('exit', release)
        rmSync(path, { force: true })
      }
      // Releases the lock if the host ends the process without calling `close`.
      process.once('exit', release)
      return release
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
    }
    const owner = Number(readFileSync(path, 'utf8'))
    if (isAlive(owner))
      throw new Error(
        `process ${owner} has ${folder} open: stop it, or set HALLPASS_DATA_DIR to another folder`,
      )
    rmSync(path, { force: true })
  }
  throw new Error(`${path} cannot be locked`)
}

function isAlive(pid: number): boolean {
  // In a container, every start may have the same process ID.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM'
  }
}
