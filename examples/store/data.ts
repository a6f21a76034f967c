// The folder of SQLite and of the sealing secret.
import { join, resolve } from 'node:path'

const { HALLPASS_DATA_DIR = '.data' } = process.env
/** Whether they outlast the process. */
export const isKept = HALLPASS_DATA_DIR !== ''
export const folder = resolve(HALLPASS_DATA_DIR)
export const file = isKept ? join(folder, 'school.db') : ':memory:'
