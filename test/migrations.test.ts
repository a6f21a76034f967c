import { postgresMigrations } from 'hallpass/postgres'
import { expect, it } from 'vitest'
import { MYSQL_MIGRATIONS } from '../src/mysql/dialect.js'
import { SQLITE_MIGRATIONS } from '../src/sql/schema.js'
import { expectUnchanged } from './support/docs/digests.js'
import { ROOT } from './support/source/root.js'

const textOf = (step: object): string => JSON.stringify(step, null, 2)

it('are not edited once a database has them: a change is a further one, and a digest here', async () => {
  const steps = { PostgreSQL: postgresMigrations, MySQL: MYSQL_MIGRATIONS, SQLite: SQLITE_MIGRATIONS } // prettier-ignore
  const texts = Object.entries(steps).flatMap(([name, all]) =>
    all.map((step) => [`${name} ${step.version}`, textOf(step)] as const),
  )
  await expectUnchanged(new Map(texts), `${ROOT}test/vectors/migrations.txt`)
})

it('only add since the first one, so that two versions of hallpass share a database', () => {
  for (const steps of [postgresMigrations, MYSQL_MIGRATIONS, SQLITE_MIGRATIONS])
    for (const { version, compatibleFrom } of steps)
      expect([version, compatibleFrom]).toEqual([version, version === 1 ? undefined : 1])
})
