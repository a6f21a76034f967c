import { PGlite } from '@electric-sql/pglite'
import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import { FIND_PERSON, hallpassOn, PEOPLE } from './common.mjs'

/** hallpass on PGlite, which runs in this process, in a folder. */
export async function createSubject({ origin }) {
  const database = await PGlite.create({ dataDir: `${process.env.BENCH_FOLDER}/pglite` })
  let sent = 0
  const execute = (text, values) => {
    sent++
    return database.query(text, values)
  }
  await migratePostgres({ execute })
  for (const text of PEOPLE) await database.query(text)
  const personOf = async (subject) => (await execute(`${FIND_PERSON}$1`, [subject])).rows[0]
  const store = createPostgresStore({ execute, site: 'bench' })
  return hallpassOn(store, { origin, personOf, statements: () => sent })
}
