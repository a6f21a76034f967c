import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import { FIND_PERSON, hallpassOn, PEOPLE } from './common.mjs'

/** hallpass on `node:sqlite`, which runs in this process, in a file with `synchronous = full`. */
export async function createSubject({ origin }) {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(`${process.env.BENCH_FOLDER}/school.db`)
  const run = fromSync(database)
  let sent = 0
  const batch = (statements) => {
    sent += statements.length
    return run(statements)
  }
  await migrateSqlite({ batch })
  for (const text of PEOPLE) database.exec(text)
  const find = database.prepare(`${FIND_PERSON}?`)
  const personOf = (subject) => {
    sent++
    return find.get(subject)
  }
  const store = createSqliteStore({ batch, site: 'bench' })
  return hallpassOn(store, { origin, personOf, statements: () => sent })
}
