import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import { FIND_PERSON, hallpassOn, openPool, PEOPLE, statements } from './common.mjs'

/** hallpass on PostgreSQL, over `pg` with names, as its guide has it. */
export async function createSubject({ origin }) {
  const pool = openPool()
  const execute = (text, values, name) => pool.query({ name, text, values })
  await migratePostgres({ execute })
  for (const text of PEOPLE) await pool.query(text)
  const find = { name: 'bench person', text: `${FIND_PERSON}$1` }
  const personOf = async (subject) => (await pool.query({ ...find, values: [subject] })).rows[0]
  const store = createPostgresStore({ execute, site: 'bench' })
  return hallpassOn(store, { origin, personOf, statements })
}
