import { pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { type Batch, fromD1, fromLibsql, fromSync } from 'hallpass/sqlite'

const load = createRequire(import.meta.url)

/** A database that is open. */
export interface Engine {
  readonly batch: Batch
  readonly close: () => unknown
}

/** The binding of D1 in workerd, as Cloudflare runs it. */
async function openD1(): Promise<Engine> {
  const { Miniflare } = load('miniflare') as { Miniflare: new (options: object) => MiniflareLike }
  const server = new Miniflare({
    modules: true,
    script: 'export default { fetch: () => new Response() }',
    d1Databases: { DB: 'database' },
    compatibilityDate: '2026-04-01',
  })
  return { batch: fromD1(await server.getD1Database('DB')), close: () => server.dispose() }
}
interface MiniflareLike {
  getD1Database(name: string): Promise<Parameters<typeof fromD1>[0]>
  dispose(): Promise<void>
}

type Sync = Parameters<typeof fromSync>[0] & { close(): void }
const ofSync = (database: Sync): Engine => ({
  batch: fromSync(database),
  close: () => database.close(),
})

/** Opens each database; a file is that of the argument. */
export const ENGINES: Readonly<Record<string, (file: string) => Engine | Promise<Engine>>> = {
  'node:sqlite, in memory': () => ofSync(new DatabaseSync(':memory:')),
  'node:sqlite, a file': (file) => ofSync(new DatabaseSync(file)),
  'better-sqlite3, a file': (file) => {
    const Database = load('better-sqlite3') as new (file: string) => Sync
    return ofSync(new Database(file))
  },
  'libSQL, a file': async (file) => {
    const { createClient } = load('@libsql/client') as {
      createClient: (options: { url: string }) => Parameters<typeof fromLibsql>[0] & {
        execute(sql: string): Promise<unknown>
        close(): void
      }
    }
    const client = createClient({ url: pathToFileURL(file).href })
    await client.execute('PRAGMA journal_mode = WAL')
    return { batch: fromLibsql(client), close: () => client.close() }
  },
  'Cloudflare D1': openD1,
}
