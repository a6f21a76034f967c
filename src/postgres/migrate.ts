import { type Execute, type QueryResult, rowsOf } from './execute.js'
import { postgresMigrations } from './schema.js'

// The key of the advisory lock: "hallpass" in ASCII, which other programs are unlikely to use.
const LOCK = '7521412065683141491'

/**
 * Creates the tables, or migrates them to this version of hallpass. Call it at start-up: concurrent calls
 * from several processes are safe, because they wait for each other, whatever `lock_timeout` is. Each
 * migration is applied once, all or nothing. A `statement_timeout` applies: a large database needs a
 * connection without one.
 *
 * @param options - `execute`: runs one statement
 * @throws Error - if the database has a newer migration than this version of hallpass knows
 * @throws TypeError - if `execute` resolves to neither `{ rows }` nor the rows
 * @throws the error of the driver, if the statement fails
 * @example
 * ```ts
 * import { type Execute, migratePostgres } from 'hallpass/postgres'
 *
 * // In place of a database. With pg: (sql, parameters) => pool.query(sql, parameters)
 * const execute: Execute = async () => ({ rows: [{ version: 6 }] })
 * await migratePostgres({ execute })
 *
 * // Another process has applied a migration of a later version of hallpass.
 * const migrated: Execute = async () => ({ rows: [{ version: 999 }] })
 * migratePostgres({ execute: migrated }) // throws Error
 * ```
 *
 * @group Migrations
 */
export async function migratePostgres({
  execute,
}: {
  execute: Execute<QueryResult>
}): Promise<void> {
  await execute(migration(), [])
  const version = await latestVersion(execute)
  if (version > KNOWN)
    throw new Error(
      `the database has migration ${version}, but this version of hallpass knows migrations up to ${KNOWN}: update hallpass`,
    )
}

/**
 * Checks whether the database has every migration of this version of hallpass, for the option `checks` of
 * `createHealthEndpoints`. It also passes if the database has later ones, because a process continues while
 * others are updated.
 *
 * @param options - `execute`: runs one statement
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
export async function isPostgresMigrated({
  execute,
}: {
  execute: Execute<QueryResult>
}): Promise<boolean> {
  return (await latestVersion(execute)) >= KNOWN
}

const KNOWN = postgresMigrations.at(-1)!.version

async function latestVersion(execute: Execute<QueryResult>): Promise<number> {
  const [latest] = rowsOf(
    await execute('select max(version) as version from hallpass_migration', []),
  )
  return (latest as { version: number | null }).version ?? 0
}

// One statement is one transaction on one connection, even if the executor uses a pool. Inside it, each
// query sees what other processes committed while it waited for the lock.
function migration(): string {
  const steps = postgresMigrations.map(
    ({ version, sql }) => `
  if not exists (select from hallpass_migration where version = ${version}) then
    ${sql}
    insert into hallpass_migration (version) values (${version});
  end if;`,
  )
  // `lock_timeout` of the host application applies to statements of requests, not to this wait.
  return `do $migrate$ begin
  perform set_config('lock_timeout', '0', true);
  perform pg_advisory_xact_lock(${LOCK});
  create table if not exists hallpass_migration (
    version integer primary key,
    applied_at timestamptz not null default now()
  );${steps.join('')}
end $migrate$`
}
