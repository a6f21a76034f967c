import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from 'hallpass/node'

/** Reads the secret in a folder, and creates both at the first start. Only this user can read them. */
export function readSecret(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`the folder ${folder} of HALLPASS_DATA_DIR cannot be created`, { cause })
  }
  return readOrCreateSecret(join(folder, 'secret'))
}
