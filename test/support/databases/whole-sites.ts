import type { IdempotencyStore } from 'hallpass/admin'
import type { AttemptStore } from 'hallpass/clients'
import { createPostgresAttempts, createPostgresIdempotency, createPostgresStore, type Execute } from 'hallpass/postgres' // prettier-ignore
import { type Batch, createSqliteAttempts, createSqliteIdempotency, createSqliteStore } from 'hallpass/sqlite' // prettier-ignore
import type { Store } from 'hallpass/store'
import pg from 'pg'
import { databaseFor } from '../../../src/postgres/database.js'
import { MIGRATIONS } from '../../../src/postgres/dialect.js'
import { SQLITE_MIGRATIONS, type SqlMigration } from '../../../src/sql/schema.js'
import { wholeSite } from '../../../src/sql/whole-site.js'
import { sqliteOf } from '../../../src/sqlite/options.js'
import { clientSample, codeSample, eventSample, grantSample, hash, keySample, pendingSample, rotation, storeGrant, T } from '../../../src/store-contract/samples.js' // prettier-ignore
import { openSqlite } from './sqlite.js'
import { migrated } from './templates.js'
import { startPostgres } from './test-database.js'

/** A database with rows of several sites. */
export interface WholeSites {
  readonly whole: ReturnType<typeof wholeSite>
  readonly migrations: readonly SqlMigration[]
  readonly store: (site: string) => Store
  readonly idempotency: (site: string) => IdempotencyStore
  readonly attempts: (site: string) => AttemptStore
  /** Runs a statement of the test. */
  readonly run: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Selects the names of the tables that have a column `site`. */
  readonly tables: string
  /** Each statement that was run for `whole`. One that a test throws for fails before it is run. */
  onStatement: (sql: string, parameters: readonly unknown[]) => void
  /** The same behind each statement: its answer is lost if a test throws. */
  onAnswer?: (sql: string) => void
  readonly close: () => Promise<void>
}

export async function openWholePostgres(): Promise<WholeSites> {
  const database = await startPostgres(migrated)
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const execute: Execute = (text, values) => pool.query(text, values)
  const watched: Execute = async (text, values) => {
    sites.onStatement(text, values)
    const answer = await execute(text, values)
    sites.onAnswer?.(text)
    return answer
  }
  const sites: WholeSites = {
    whole: wholeSite(databaseFor({ execute: watched, site: '' })('site'), MIGRATIONS),
    migrations: MIGRATIONS,
    store: (site) => createPostgresStore({ execute, site }),
    idempotency: (site) => createPostgresIdempotency({ execute, site }),
    attempts: (site) => createPostgresAttempts({ execute, site }),
    run: async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows,
    tables: `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'site' and table_name like 'hallpass%'`,
    onStatement: () => {},
    async close() {
      await pool.end()
      await database.stop()
    },
  }
  return sites
}

export async function openWholeSqlite(): Promise<WholeSites> {
  const { batch, rows, close } = await openSqlite()
  const watched: Batch = async (statements, isOver) => {
    for (const { sql, parameters } of statements) sites.onStatement(sql, parameters)
    const answer = await batch(statements, isOver)
    for (const { sql } of statements) sites.onAnswer?.(sql)
    return answer
  }
  const sites: WholeSites = {
    whole: wholeSite(sqliteOf({ batch: watched }), SQLITE_MIGRATIONS),
    migrations: SQLITE_MIGRATIONS,
    store: (site) => createSqliteStore({ batch, site }),
    idempotency: (site) => createSqliteIdempotency({ batch, site }),
    attempts: (site) => createSqliteAttempts({ batch, site }),
    run: async (sql) => rows(sql),
    tables: `select m.name as name from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and c.name = 'site'`,
    onStatement: () => {},
    close: async () => close(),
  }
  return sites
}

/** What a copy without credentials must not have. */
export const SECRETS = [
  ...['new', 'old', 'code', 'open', 'interaction', 'hinted', 'access 0', 'refresh 0', 'refresh 1'].map(hash),
  'A'.repeat(100),
  'an answer with a secret',
] // prettier-ignore

/** Stores rows of each kind, in every state in which a column may be null or not. */
export async function fillSite(
  { store: storeOf, idempotency, attempts }: WholeSites,
  site: string,
): Promise<void> {
  // prettier-ignore
  const store = storeOf(site)
  for (const [index, id] of ['event_b', 'event_a', 'event_c'].entries())
    await store.insertClient(clientSample({ clientId: `app_${index}` }), [
      eventSample({ id, subject: 'mem_1' }),
    ])
  await store.savePending(pendingSample())
  await store.savePending(pendingSample({ idHash: hash('unhinted'), loginHint: null }))
  await storeGrant(store)
  await store.rotateRefreshToken(rotation('0', '1'))
  const ended = { grantId: 'grant_2', clientId: 'app_0', subject: 'mem_2' }
  await storeGrant(store, 'ended', {
    code: codeSample({ ...ended, codeHash: hash('ended') }),
    grant: grantSample(ended),
  })
  await store.revokeGrant({ grantId: 'grant_2', revokedAt: T + 9, revokedReason: 'ended' })
  const open = codeSample({ codeHash: hash('open'), grantId: 'grant_3' })
  await store.issueCode({ code: open, pendingIdHash: null, consentKey: 'consent é' })
  await store.erasePerson({ subject: 'mem_gone', loginHints: [], erasedAt: T })
  await store.insertKey(keySample({ state: 'active' }))
  await store.insertKey(keySample({ kid: 'key_2', state: 'published' }))
  await store.moveClock({ from: null, to: { trustedAt: T, leap: null } })
  await store.useOnce({ key: 'use 1', until: T + 60 })
  await store.useOnce({ key: 'use 2', until: T + 60, claim: 'claim' })
  for (const keyHash of ['one', 'two'])
    await idempotency(site).begin({ keyHash, requestHash: 'r', now: T, expiresAt: T + 60 })
  const answer = { status: 200, headers: [], body: 'an answer with a secret' }
  await idempotency(site).finish({ keyHash: 'one', answer })
  await attempts(site).append({ id: 'att_1', joins: null, clientId: 'app_1', clientName: 'Müller', resource: null, scopes: [], network: null, grantId: null, steps: [{ at: T, stage: 'authorize', ok: true, error: null, reason: null, requestId: null, detail: null, network: null }] }) // prettier-ignore
}

/** The rows of a site as the database has them, but for what each database numbers for itself. */
export async function rawRows(sites: WholeSites, site: string): Promise<Record<string, unknown>> {
  const tables = (await sites.run(sites.tables)).map(({ name }) => String(name)).toSorted()
  const rows: Record<string, unknown> = {}
  for (const table of tables) {
    if (table === 'hallpass_turn') continue
    const found = await sites.run(`select * from ${table} where site = '${site}'`)
    const order = (row: Readonly<Record<string, unknown>>): number => Number(row['seq'] ?? 0)
    rows[table] = found
      .toSorted((one, other) => order(one) - order(other))
      .map((row, index) => textOf({ ...row, ...('seq' in row && { seq: index }) }))
    if (table !== 'hallpass_outbox') (rows[table] as string[]).sort()
  }
  return rows
}

const textOf = (row: Readonly<Record<string, unknown>>): string =>
  Object.keys(row)
    .filter((column) => row[column] !== null && column !== 'held')
    .toSorted()
    .map((column) => `${column}=${String(row[column])}`)
    .join('\n')

export async function linesOf(
  sites: WholeSites,
  site: string,
  options?: { credentials?: boolean },
): Promise<string[]> {
  // prettier-ignore
  const lines: string[] = []
  for await (const line of sites.whole.exportSite(site, options)) lines.push(line)
  return lines
}
