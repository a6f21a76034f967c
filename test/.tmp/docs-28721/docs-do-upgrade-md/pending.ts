// pending.ts
import { type Execute, postgresMigrations } from 'hallpass/postgres'

/** The steps that `migratePostgres` of this version would apply. */
export async function pendingSteps(execute: Execute): Promise<readonly string[]> {
  const found = await execute('select version from hallpass_migration', [])
  const rows = ('rows' in found ? found.rows : found) as readonly { version: number }[]
  const applied = new Set(rows.map(({ version }) => version))
  return postgresMigrations
    .filter(({ version }) => !applied.has(version))
    .map(({ version, name }) => `${version} ${name}`)
}
