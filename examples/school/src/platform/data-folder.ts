import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOrCreateSecret } from 'hallpass/node'
import { settingFault } from './setting.js'

/**
 * Creates the folder of `HALLPASS_DATA_DIR` if it is missing. Only this user can read it.
 *
 * @returns its absolute path
 * @throws Error that names the setting, if the folder cannot be created
 */
export function openDataFolder(folder: string): string {
  const path = resolve(folder)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw settingFault({ name: 'HALLPASS_DATA_DIR' }, cause)
  }
  return path
}

/** Reads the secret in the folder of `HALLPASS_DATA_DIR`, and creates both at the first start. */
export function readSecret(folder: string): string {
  const path = openDataFolder(folder)
  try {
    return readOrCreateSecret(join(path, 'secret'))
  } catch (cause) {
    throw settingFault({ name: 'HALLPASS_DATA_DIR' }, cause)
  }
}
