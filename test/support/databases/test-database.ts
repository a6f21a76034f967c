import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { sharedService } from '../run/shared-service.js'

/** A database of its own for one test file, on the PostgreSQL server of this run. */
export interface TestDatabase {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** What fills a database once; every database that is made from it is a copy. */
export interface Template {
  readonly name: string
  readonly fill: (url: string) => Promise<void>
}

/**
 * Creates a database on the server that `DATABASE_URL` names, or on the one from npm that this run shares.
 *
 * @param template - what it is a copy of; without it, it is empty
 */
export async function startPostgres(template?: Template): Promise<TestDatabase> {
  const { url: server, prefix } = await sharedService('postgres')
  const source = template === undefined ? 'template0' : `${prefix}_${template.name}`
  // Workers may be threads of one process, and a file may be loaded again before its first run has ended.
  const name = `${prefix}_${randomBytes(8).toString('hex')}`
  await onServer(server, async (query) => {
    if (template !== undefined) await fillOnce(query, source, template)
    await query(`create database ${name} template ${source}`)
  })
  return {
    url: urlOf(server, name),
    stop: () => onServer(server, (query) => drop(query, name)),
  }
}

// A pool's `end` resolves before its connections have closed, and one that is ended by force meanwhile is an
// error that nobody handles. Without force PostgreSQL waits up to 5 seconds for them.
async function drop(query: Query, name: string): Promise<void> {
  const inUse = '55006'
  try {
    await query(`drop database ${name}`)
  } catch (fault) {
    if ((fault as { code?: string }).code !== inUse) throw fault
    await query(`drop database ${name} with (force)`)
  }
}

type Query = (sql: string) => Promise<pg.QueryResult>

async function onServer<Result>(
  url: string,
  work: (query: Query) => Promise<Result>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work((sql) => client.query(sql))
  } finally {
    await client.end()
  }
}

// Of several workers that want a template at the same time one fills it; the others wait for the lock.
async function fillOnce(query: Query, source: string, { name, fill }: Template): Promise<void> {
  await query(`select pg_advisory_lock(hashtext('${source}'))`)
  try {
    const { rowCount } = await query(`select from pg_database where datname = '${source}'`)
    if (rowCount === 1) return
    const { url: server } = await sharedService('postgres')
    const draft = `${source}_draft`
    await query(`create database ${draft} template template0`)
    await fill(urlOf(server, draft))
    await query(`alter database ${draft} rename to ${source}`)
  } catch (fault) {
    throw new Error(`the database ${name} could not be filled`, { cause: fault })
  } finally {
    await query(`select pg_advisory_unlock(hashtext('${source}'))`)
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
