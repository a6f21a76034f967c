import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes a folder for this process, since two processes that open one embedded database destroy it. A
 * lock left behind by a process that is gone does not count.
 *
 * @returns what gives the folder back
 * @throws Error - when another process has it
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
      // For hosts that end the process on their own.
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
  throw new Error(`${path} cannot be taken`)
}

function isAlive(pid: number): boolean {
  // In a container every start may have the same number.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM'
  }
}
