// The database: PostgreSQL at DATABASE_URL, otherwise PGlite in a folder.
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { lockFolder, readOrCreateSecret } from 'hallpass/node'
import {
  createPostgresStorage,
  type Execute,
  isPostgresMigrated,
  migratePostgres,
} from 'hallpass/postgres'
import pg from 'pg'

const { DATABASE_URL, HALLPASS_DATA_DIR } = process.env
const { SEALING_SECRET, PREVIOUS_SECRETS: previous } = process.env
const folder = resolve(HALLPASS_DATA_DIR || '.data')
mkdirSync(folder, { recursive: true, mode: 0o700 })

// They encrypt the signing keys. Never keep them in the database or in a backup of the database.
const sealingSecret = SEALING_SECRET ?? readOrCreateSecret(join(folder, 'secret'))
export const secrets = { sealingSecret, previousSealingSecrets: previous?.match(/\S+/g) ?? [] }

// A request waits a second for a connection, and 1.4 for its statement. The server ends a statement first.
const waits = { connectionTimeoutMillis: 1000, query_timeout: 2000, statement_timeout: 1400 }
const holds = { lock_timeout: 500, idle_in_transaction_session_timeout: 5000, keepAlive: true }

export const { execute, close } = DATABASE_URL ? openServer(DATABASE_URL) : await openFolder()
await migratePostgres({ execute })
// PGlite is in this process, and so is its clock.
const guarantees = DATABASE_URL ? {} : ({ clock: 'process', processes: 'one' } as const)
export const storage = createPostgresStorage({ execute, guarantees })
export const store = storage.storeOf('example-school')
export const isMigrated = () => isPostgresMigrated({ execute })

/** Creates your own tables. Processes that start at the same time wait for each other. */
export const migrate = (statements: string): Promise<unknown> =>
  execute(`do $$ begin perform pg_advisory_xact_lock(730580); ${statements} end $$`, [])

function openServer(connectionString: string) {
  // Without this listener, an idle connection that breaks ends the process.
  const pool = new pg.Pool({ connectionString, ...waits, ...holds }).on('error', console.error)
  const execute: Execute = (text, values, name) => pool.query({ name, text, values })
  return { execute, close: () => pool.end() }
}

async function openFolder() {
  // Two processes that open one PGlite folder damage it.
  await lockFolder(folder)
  console.log(`Opening the database in ${folder} …`)
  const dataDir = join(folder, 'pglite')
  // Unpacking an empty cluster takes half of the time that PGlite needs to create one.
  const empty = existsSync(dataDir) ? {} : { loadDataDir: await emptyCluster() }
  const db = await PGlite.create({ dataDir, ...empty }).catch((cause: unknown) => {
    const remedy = 'Check its owner and the disk, put a backup in its place, or remove it'
    throw new Error(`${dataDir} is damaged, or cannot be read and written. ${remedy}`, { cause })
  })
  return { execute: ((text, values) => db.query(text, values)) as Execute, close: () => db.close() }
}
