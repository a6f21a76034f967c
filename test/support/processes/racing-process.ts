import { createPostgresStore } from 'hallpass/postgres'
import { createMemoryStore, type Store } from 'hallpass/store'
import { raceProcesses } from 'hallpass-lab'
import pg from 'pg'

// A file of a store's author, which is started once more for each process.

const [kind = '', url = '', rounds = '100'] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 4 })
/** Longer than the test waits for a step. */
const never = (): Promise<never> => new Promise(() => {})

const STORES: Readonly<Record<string, (site: string) => Store>> = {
  postgres: (site) => createPostgresStore({ execute: (text, values) => pool.query(text, values), site }), // prettier-ignore
  // Each process has one of its own.
  memory: () => createMemoryStore(),
  rejecting: () => ({
    ...createMemoryStore(),
    insertClient: () => Promise.reject(new Error('database is locked')),
  }),
  ending: () => ({ ...createMemoryStore(), insertClient: () => process.exit(1) }),
  hanging: () => ({ ...createMemoryStore(), insertClient: never }),
}

const report = await raceProcesses({
  createStore: STORES[kind]!,
  file: import.meta.url,
  rounds: Number(rounds),
  processes: kind === 'postgres' ? 4 : 2,
  timeoutSeconds: kind === 'hanging' ? 1 : 100,
})
process.stdout.write(JSON.stringify(report), () => process.exit(0))
