import { randomFraction } from '../encoding/random.js'
import { checkOptions, type Rules } from '../options/check.js'
import { checkChange, checkExecute } from './check-execute.js'
import { type Execute, POSTGRES_RULES, type QueryResult, rowsOf } from './execute.js'
import { type PostgresMigration, postgresMigrations } from './schema.js'
import { sqlStateOf } from './sqlstate.js'

/**
 * Shorter than the deadline of a store's verb, since later statements wait behind a migration that waits. And shorter than
 * the second after which PostgreSQL looks for a deadlock, which would add to it.
 */
const LOCK_TIMEOUT_MILLISECONDS = 500
const ATTEMPTS = 60
const LONGEST_PAUSE_MILLISECONDS = 1000
/** Another process held a lock, or migrates: lock not available, serialization failure, deadlock. */
const IN_THE_WAY = /^(?:55P03|40001|40P01)$/
/** Another process creates the same table: unique violation in the catalog, duplicate table, duplicate type. */
const BEING_CREATED = /^(?:23505|42P07|42710)$/
const UNDEFINED_TABLE = '42P01'
/** Whether the tables are those of before 0.1.0, which have the names of today's, and higher versions. */
const IS_OLD =
  "exists (select from pg_attribute where attrelid = to_regclass('hallpass_client') and attname = 'redirect_uris')"

/**
 * Checks what `execute` makes of values, rows and errors, and creates the tables or migrates them to this version of
 * hallpass. Call it at start-up: concurrent calls from several processes are safe. Each migration is one statement, and
 * applied once, all or nothing. One of the checks is a statement that fails, so that it cannot be called in a
 * transaction.
 *
 * A migration that waits for a lock holds up every later statement on that table. So it gives up after half
 * a second, and tries again after a pause, up to 60 times. A `statement_timeout` of the connection applies:
 * a large database needs a connection without one.
 *
 * @param options - `execute`: runs one statement; `chance`: a random number of at least 0 and less than 1,
 *   from which a pause is made. Default: the generator of the
 *   platform
 * @throws OptionsError that lists every mistake in the options
 * @throws Error - if the database has a newer migration than this version of hallpass knows, and that
 *   migration does not say that this version keeps working
 * @throws Error - if the tables are of a version before 0.1.0
 * @throws TypeError - if `execute` changes values, rows or errors, or does not respond within 30 seconds; the message
 *   names what came
 * @throws the error of the driver, if a statement fails
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite'
 * import { type Execute, isPostgresMigrated, migratePostgres } from 'hallpass/postgres'
 *
 * const database = await PGlite.create() // With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = (text, values) => database.query(text, values)
 * await migratePostgres({ execute })
 * await isPostgresMigrated({ execute }) // => true
 *
 * // A function that loses the rows.
 * const broken: Execute = async () => ({ rows: [] })
 * migratePostgres({ execute: broken }) // throws TypeError
 * ```
 *
 * @group Migrations
 */
export async function migratePostgres(options: {
  execute: Execute<{ readonly rows: readonly unknown[] } | readonly unknown[]>
  chance?: () => number
}): Promise<void> {
  const { execute, ...others } = checkOptions('migratePostgres', options, RULES)
  await checkExecute(execute)
  await applyMigrations(postgresMigrations, { execute, ...others })
  await checkChange(execute)
}

const RULES: Rules<Parameters<typeof migratePostgres>[0]> = {
  execute: POSTGRES_RULES.execute,
  chance: POSTGRES_RULES.chance,
}

/** Applies the migrations of a list, which are all that the calling process knows. */
export async function applyMigrations(
  migrations: readonly PostgresMigration[],
  {
    execute,
    chance = randomFraction,
    lockTimeoutMilliseconds = LOCK_TIMEOUT_MILLISECONDS,
  }: {
    execute: Execute<{ readonly rows: readonly unknown[] } | readonly unknown[]>
    chance?: () => number
    lockTimeoutMilliseconds?: number
  },
): Promise<void> {
  const run = async (sql: string, passing: RegExp): Promise<QueryResult> => {
    for (let attempt = 1; ; attempt++)
      try {
        return await execute(sql, [])
      } catch (fault) {
        if (attempt === ATTEMPTS || !passing.test(sqlStateOf(fault) ?? '')) throw fault
        const milliseconds = chance() * LONGEST_PAUSE_MILLISECONDS
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
      }
  }
  const applied = async (): Promise<readonly Applied[]> => {
    // It is read as JSON, because a table that an earlier version created lacks the second column.
    const sql = `select version, to_jsonb(m) ->> 'compatible_from' as compatible_from, ${IS_OLD} as is_old
      from hallpass_migration m`
    return rowsOf(await run(sql, IN_THE_WAY)) as readonly Applied[]
  }

  const before = await applied().catch((fault: unknown) => {
    if (sqlStateOf(fault) !== UNDEFINED_TABLE) throw fault
    return null
  })
  if (before === null) await run(CREATE, BEING_CREATED)
  if (before?.some((row) => row.is_old === true))
    throw new Error(
      'the tables are of a version before 0.1.0: convert them, as docs/operations/stores.md says',
    )
  const done = new Set(before?.map(({ version }) => version))
  const missing = migrations.filter(({ version }) => !done.has(version))
  for (const migration of missing)
    await run(statementOf(migration, lockTimeoutMilliseconds), IN_THE_WAY)
  const known = migrations.at(-1)!.version
  const ahead = (missing.length > 0 ? await applied() : before!).filter(
    ({ version, compatible_from: from = null }) =>
      version > known && (from === null || Number(from) > known),
  )
  if (ahead.length > 0)
    throw new Error(
      `the database has migration ${Math.max(...ahead.map(({ version }) => version))}, but this version of hallpass knows migrations up to ${known}: update hallpass`,
    )
}

/**
 * Checks whether the database has every migration of this version of hallpass, for the option `checks` of
 * `createHealthEndpoints`. It also passes if the database has later ones, because a process continues while
 * others are updated.
 *
 * @param options - `execute`: runs one statement
 * @throws OptionsError that lists every mistake in the options
 * @returns whether no migration is missing. It rejects if the table of migrations does not exist
 * @throws TypeError - if `execute` resolves to neither `{ rows }` nor the rows
 * @throws the error of the driver, if the statement fails
 * @example
 * ```ts
 * import { type Execute, isPostgresMigrated } from 'hallpass/postgres'
 *
 * // In place of a database. With pg: (sql, parameters) => pool.query(sql, parameters)
 * const execute: Execute = async () => ({ rows: [{ version: 1 }] })
 * await isPostgresMigrated({ execute }) // => false
 * ```
 *
 * @group Migrations
 */
export async function isPostgresMigrated(options: {
  execute: Execute<{ readonly rows: readonly unknown[] } | readonly unknown[]>
}): Promise<boolean> {
  const { execute } = checkOptions('isPostgresMigrated', options, EXECUTE_RULES)
  return (await latestVersion(execute)) >= KNOWN
}

const EXECUTE_RULES: Rules<Parameters<typeof isPostgresMigrated>[0]> = { execute: RULES.execute }

const KNOWN = postgresMigrations.at(-1)!.version

async function latestVersion(execute: Execute<QueryResult>): Promise<number> {
  const [latest] = rowsOf(
    await execute(`select max(version) as version from hallpass_migration where not ${IS_OLD}`, []),
  )
  return (latest as { version: number | null }).version ?? 0
}

interface Applied {
  readonly version: number
  /** The `compatibleFrom` of the migration; `null` if an earlier version of hallpass applied it. */
  readonly compatible_from?: string | null
  readonly is_old?: boolean
}

const CREATE = `create table if not exists hallpass_migration (
  version integer primary key,
  applied_at timestamptz not null default now(),
  compatible_from integer
)`

// One statement is one transaction on one connection, even if the executor uses a pool. Of several
// processes, one inserts the row; the others wait for it there, and then find the migration applied.
const statementOf = (
  { version, sql, compatibleFrom = version }: PostgresMigration,
  lockTimeoutMilliseconds: number,
): string => `do $migrate$ begin
  perform set_config('lock_timeout', '${lockTimeoutMilliseconds}', true);
  if not exists (
    select from pg_attribute
    where attrelid = to_regclass('hallpass_migration') and attname = 'compatible_from'
  ) then
    alter table hallpass_migration add column if not exists compatible_from integer;
  end if;
  insert into hallpass_migration (version, compatible_from) values (${version}, ${compatibleFrom})
    on conflict (version) do nothing;
  if found then
    ${sql}
  end if;
end $migrate$`
