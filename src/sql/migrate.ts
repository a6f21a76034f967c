import { type Database, query } from './batch.js'
import type { SqlMigration } from './schema.js'
import { type Row, statement, type Statement, type Step } from './statement.js'

/** Several processes may create it at the same time. */
const CREATE =
  'create table if not exists hallpass_migration (version integer primary key, compatible_from integer not null)'

/** Creates the table of migrations if it is not there: a server that only reads refuses the statement even if it is. */
export async function createMigrationTable(database: Database): Promise<void> {
  const look = 'select version from hallpass_migration where version = 0'
  await query(database, look).catch(() => query(database, CREATE + database.dialect.engine))
}

/**
 * Applies the migrations of a list, which are all that the calling process knows, each in one batch.
 *
 * @param stepsOf - the batch of a migration, of the row that says that it is applied. Default: the row, and its statements
 */
export async function applyMigrations(
  database: Database,
  migrations: readonly SqlMigration[],
  stepsOf: (row: Statement, migration: SqlMigration) => readonly Step[] = (row, { statements }) => [
    row,
    ...statements.map((sql) => statement(sql)),
  ],
): Promise<void> {
  await createMigrationTable(database)
  const applied = (): Promise<readonly Row[]> =>
    query(database, 'select version, compatible_from from hallpass_migration')
  const isApplied = async (version: number): Promise<boolean> =>
    (await applied()).some((row) => Number(row['version']) === version)

  for (const migration of migrations) {
    const { version, compatibleFrom = version } = migration
    if (await isApplied(version)) continue
    const row = statement(
      'insert into hallpass_migration (version, compatible_from) values (?, ?)',
      version,
      compatibleFrom,
    )
    try {
      await database.run(stepsOf(row, migration))
    } catch (fault) {
      // One process inserts the row. The batch of another one fails by its key, and changes nothing.
      if (!(await isApplied(version))) throw fault
    }
  }
  const known = migrations.at(-1)!.version
  const ahead = (await applied())
    .filter((row) => Number(row['compatible_from']) > known)
    .map((row) => Number(row['version']))
  if (ahead.length > 0)
    throw new Error(
      `the database has migration ${Math.max(...ahead)}, but this version of hallpass knows migrations up to ${known}: update hallpass`,
    )
}

/** Whether the database has every migration of a list. Later ones do not matter. */
export async function isMigrated(
  database: Database,
  migrations: readonly SqlMigration[],
): Promise<boolean> {
  const [latest] = await query(database, 'select max(version) as version from hallpass_migration')
  return Number(latest!['version']) >= migrations.at(-1)!.version
}
