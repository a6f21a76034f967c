// The database: SQLite, in a file that only this user can read. More than one computer needs PostgreSQL.
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { readOrCreateSecret } from 'hallpass/node'
import { createSqliteStorage, fromSync, isSqliteMigrated, migrateSqlite } from 'hallpass/sqlite'
import { file, folder, isKept } from './data.js'

const { DatabaseSync } = await import('node:sqlite').catch((cause: unknown) => {
  throw new Error('node:sqlite needs Node 22.13 or later', { cause })
})

// SQLite names no file.
process.once('uncaughtException', (fault) => {
  console.error(fault)
  if (/disk is full|ENOSPC/.test(inspect(fault)))
    console.error(`The disk of ${file} is full: make room, and start again`)
  process.exit(1)
})

const { SEALING_SECRET, PREVIOUS_SECRETS: previous } = process.env
if (isKept) createFile()
else
  console.warn(
    'In memory: a restart loses everything. HALLPASS_DATA_DIR names a folder to keep it.',
  )

// They encrypt the signing keys. Never keep them in a backup of the database.
const ownSecret = () =>
  isKept ? readOrCreateSecret(join(folder, 'secret')) : randomBytes(32).toString('base64url')
const sealingSecret = SEALING_SECRET ?? ownSecret()
export const secrets = { sealingSecret, previousSealingSecrets: previous?.match(/\S+/g) ?? [] }

// hallpass has a connection of its own, so that no transaction of yours contains what it writes.
const ofHallpass = new DatabaseSync(file)
const batch = fromSync(ofHallpass)
await migrateSqlite({ batch })
export const storage = createSqliteStorage({ batch })
export const store = storage.storeOf('example-school')
export const isMigrated = () => isSqliteMigrated({ batch })

const yours = new DatabaseSync(file)
const run = fromSync(yours)
await run([{ sql: 'select 1', parameters: [] }])
yours.exec('pragma busy_timeout = 1000')

/** Runs a statement of your own. Its parameters are `$1`, `$2` and so on. It fails once the file was replaced. */
export async function execute(
  text: string,
  values: readonly (string | number | null)[],
): Promise<{ readonly rows: readonly unknown[] }> {
  const [rows = []] = await run([{ sql: text.replaceAll(/\$(\d)/g, '?$1'), parameters: values }])
  return { rows }
}

/** Creates your own tables. Processes that start at the same time wait for each other. */
export async function migrate(statements: string): Promise<void> {
  yours.exec(`begin immediate; ${statements}; commit`)
}

export async function close(): Promise<void> {
  yours.close()
  ofHallpass.close()
}

function createFile(): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, '', { flag: 'a', mode: 0o600 })
  } catch (cause) {
    const remedy = 'Check the owner of the folder, or name another one in HALLPASS_DATA_DIR'
    throw new Error(`${file} cannot be written. ${remedy}`, { cause })
  }
}
