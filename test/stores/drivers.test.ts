import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../support/databases/every-verb.js'
import { checksOver, sqliteOn } from './checks.js'
import { type Engine, ENGINES } from './engines.js'

const folder = mkdtempSync(join(tmpdir(), 'hallpass-stores-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(Object.entries(ENGINES))('%s', (name, open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open(join(folder, `${name.replaceAll(/\W/g, '')}.db`))
    await migrateSqlite({ batch: engine.batch })
  })
  afterAll(() => engine.close())

  for (const { name: title, run } of checksOver(sqliteOn(() => engine.batch))) it(title, run)

  it.each(Object.entries(VERBS))(
    'writes nothing if the last statement fails: %s',
    async (verb, its) => {
      const store = createSqliteStore({ batch: engine.batch, site: `broken ${verb}` })
      await its.prepare(store, verb)
      const broken = createSqliteStore({
        batch: (statements, isOver) =>
          engine.batch(
            statements.length === 1
              ? statements
              : [...statements, { sql: 'select * from nowhere', parameters: [] }],
            isOver,
          ),
        site: `broken ${verb}`,
      })
      await expect(its.call(broken, verb, [{ id: verb, type: 'x', at: 1 }])).rejects.toThrow(
        'migrateSqlite',
      )
      const used = async () => ({
        rows: (
          await engine.batch([
            { sql: 'select 1 from hallpass_use where use_key = ?', parameters: [verb] },
          ])
        )[0]!,
      })
      expect(await its.isWritten(store, verb, used)).toBe(false)
      expect(await store.listEvents({ limit: 1 })).toEqual([])
      expect(await its.call(store, verb)).toEqual(its.won)
    },
  )
})

it('node:sqlite is refused at the start, with the option, if its rows are arrays', async () => {
  const Database: new (file: string, options: object) => DatabaseSync = DatabaseSync
  const database = new Database(':memory:', { returnArrays: true })
  await expect(migrateSqlite({ batch: fromSync(database) })).rejects.toThrow('returnArrays')
  database.close()
})
