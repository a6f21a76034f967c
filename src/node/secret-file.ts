import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const MIN_CHARACTERS = 32
const CANNOT_OPEN: ReadonlySet<unknown> = new Set(['EISDIR', 'EPERM'])

/**
 * Reads the secret in a file. If there is no file, creates one with 43 random characters that only this user
 * can read. Processes that start at the same time get the same secret.
 *
 * The file appears with its whole content or not at all, also if the disk is full or the process is killed.
 *
 * @param file - its path, in a folder that exists
 * @returns the content, such as for the `sealingSecret` of `createKeyRing`
 * @throws Error that names the file, if it cannot be created or read, or has fewer than 32 characters
 * @group Secrets
 * @example
 * ```ts
 * import { readOrCreateSecret } from 'hallpass/node'
 * import { mkdtempSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const file = join(mkdtempSync(join(tmpdir(), 'school-')), 'secret')
 * const secret = readOrCreateSecret(file)
 * secret.length // => 43
 * readOrCreateSecret(file) === secret // => true
 * ```
 */
export function readOrCreateSecret(file: string): string {
  try {
    if (!existsSync(file)) create(file)
    const secret = readFileSync(file, 'utf8')
    if (secret.length >= MIN_CHARACTERS) return secret
  } catch (cause) {
    throw new Error(
      `the secret in ${file} cannot be read or created: ${(cause as Error).message}`,
      { cause },
    )
  }
  throw new Error(
    `the secret in ${file} has fewer than ${MIN_CHARACTERS} characters: restore the file, or remove it if no key was ever sealed with it`,
  )
}

function create(file: string): void {
  const draft = `${file}.${randomBytes(9).toString('base64url')}`
  try {
    writeThrough(draft, randomBytes(32).toString('base64url'))
    // Unlike a rename, a link fails if another process has created the file.
    linkSync(draft, file)
    syncFolder(dirname(file))
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  } finally {
    removeIfPossible(draft)
  }
}

/** An error of its own would replace the one that matters. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

function writeThrough(path: string, content: string): void {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes a new name in a folder survive a power cut. Windows cannot open folders, and needs no such step. */
function syncFolder(path: string): void {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
  } catch (fault) {
    if (!CANNOT_OPEN.has((fault as NodeJS.ErrnoException).code)) throw fault
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}
