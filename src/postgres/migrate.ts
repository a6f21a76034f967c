import { type Execute, type QueryResult, rowsOf } from './execute.js'
import { postgresMigrations } from './schema.js'

// Any constant will do that nobody else uses: "hallpass" in ASCII.
const LOCK = '7521412065683141491'

/**
 * Brings the tables up to date. Several processes may call it at once; each step is applied once,
 * whole or not at all.
 *
 * @throws Error - when the database is ahead of this version of hallpass, when `execute` resolves to no
 *   rows, and whatever the driver throws
 */
export async function migratePostgres({
  execute,
}: {
  execute: Execute<QueryResult>
}): Promise<void> {
  await execute(migration(), [])
  const [latest] = rowsOf(
    await execute('select max(version) as version from hallpass_migration', []),
  )
  const { version } = latest as { version: number }
  const known = postgresMigrations.at(-1)!.version
  if (version > known)
    throw new Error(
      `the database has migration ${version}, this version of hallpass knows ${known} at most: update hallpass`,
    )
}

// One statement, hence one transaction on one connection whatever the executor is. Inside, each
// query sees what was committed while it waited for the lock.
function migration(): string {
  const steps = postgresMigrations.map(
    ({ version, sql }) => `
  if not exists (select from hallpass_migration where version = ${version}) then
    ${sql}
    insert into hallpass_migration (version) values (${version});
  end if;`,
  )
  return `do $migrate$ begin
  perform pg_advisory_xact_lock(${LOCK});
  create table if not exists hallpass_migration (
    version integer primary key,
    applied_at timestamptz not null default now()
  );${steps.join('')}
end $migrate$`
}
