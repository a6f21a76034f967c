import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the secret in a folder, and creates it at the first start. Only this user can read the file. */
export function readSecret(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secret')
  try {
    writeFileSync(path, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
  return readFileSync(path, 'utf8')
}
