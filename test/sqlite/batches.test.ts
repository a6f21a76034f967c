import { OptionsError } from 'hallpass'
import {
  type Batch,
  createSqliteAttempts,
  createSqliteIdempotency,
  createSqliteStore,
  isSqliteMigrated,
  migrateSqlite,
} from 'hallpass/sqlite'
import { StorageFailure } from 'hallpass/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyMigrations } from '../../src/sql/migrate.js'
import { SQLITE_MIGRATIONS } from '../../src/sql/schema.js'
import { sqliteOf } from '../../src/sqlite/options.js'
import { eventSample, redemption } from '../../src/store-contract/samples.js'
import { VERBS } from '../support/databases/every-verb.js'
import { busy, cut, openSqlite, type TestSqlite } from '../support/databases/sqlite.js'

let database: TestSqlite
let names = 0
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

const chance = (): number => 0
const storeOver = (batch: Batch, site = 'batches') => createSqliteStore({ batch, site, chance })
const isUsed = async (_: string, [name]: string[]) => ({
  rows: database.rows('select 1 from hallpass_use where use_key = ?', name!),
})

/** A batch that fails so often before it runs, or after it has run. */
const failing = (fault: () => Error, times: number, when: 'before' | 'after'): Batch => {
  let left = times
  return async (statements, isOver) => {
    const fails = left-- > 0
    if (fails && when === 'before') throw fault()
    const results = await database.batch(statements, isOver)
    if (fails) throw fault()
    return results
  }
}

describe.each(Object.entries(VERBS))('%s on SQLite', (verb, { prepare, call, won, ...its }) => {
  const prepared = async () => {
    const name = `${verb} ${++names}`
    const site = `site ${name}`
    const safe = storeOver(database.batch, site)
    await prepare(safe, name)
    const events = [eventSample({ id: name })]
    return { name, site, safe, events }
  }

  it('writes nothing if any of its statements fails [SQL-01]', async () => {
    const { name, site, safe, events } = await prepared()
    let most = 1
    for (let broken = 0; broken <= most; broken++) {
      const batch: Batch = (statements, isOver) => {
        most = Math.max(most, statements.length - 1)
        const some = statements.map((one, index) =>
          index === broken ? { sql: 'select * from nowhere', parameters: [] } : one,
        )
        return database.batch(statements.length === 1 ? statements : some, isOver)
      }
      await expect(call(storeOver(batch, site), name, events)).rejects.toMatchObject({
        cause: { message: 'no such table: nowhere' },
      })
      expect(await its.isWritten(safe, name, isUsed)).toBe(false)
      expect(await safe.listEvents({ limit: 10 })).toEqual([])
    }
    expect(await call(safe, name, events)).toEqual(won)
  })

  it('is made once after the database was locked, with its event [SQL-03]', async () => {
    const { name, site, safe, events } = await prepared()
    expect(await call(storeOver(failing(busy, 3, 'before'), site), name, events)).toEqual(won)
    expect(await its.isWritten(safe, name, isUsed)).toBe(true)
    expect((await safe.listEvents({ limit: 10 })).length).toBeLessThan(2)
  })

  it('says that it won, or rejects, if its answer was lost [SQL-04]', async () => {
    const { name, site, safe, events } = await prepared()
    const outcome = await call(storeOver(failing(cut, 1, 'after'), site), name, events).catch(
      (fault: Error) => fault.message,
    )
    expect([won, 'D1_ERROR: Network connection lost.']).toContainEqual(outcome)
    if (its.isRecognized && verb !== 'issueCode without one') expect(outcome).toEqual(won)
    expect(await its.isWritten(safe, name, isUsed)).toBe(true)
    expect((await safe.listEvents({ limit: 10 })).length).toBeLessThan(2)
  })

  it('says that it won if it never arrived the first time [SQL-04]', async () => {
    const { name, site, events } = await prepared()
    expect(await call(storeOver(failing(cut, 1, 'before'), site), name, events)).toEqual(won)
  })
})

describe('a batch', () => {
  it.each([
    ['errcode', { errcode: 5 }],
    ['an extended errcode', { errcode: 517 }],
    ['a locked table', { errcode: 262 }],
    ['code', { code: 'SQLITE_BUSY' }],
    ['an extended code', { code: 'SQLITE_BUSY_SNAPSHOT' }],
    ['a cause', { cause: { cause: { code: 'SQLITE_BUSY' } } }],
    ['a message', { message: 'D1_ERROR: database is locked' }],
  ])('of a locked database is tried again, 240 times at most: %s [SQL-03]', async (_, fault) => {
    let calls = 0
    const locked: Batch = () => {
      calls++
      throw Object.assign(new Error(), fault)
    }
    await expect(storeOver(locked).redeemCode(redemption())).rejects.toMatchObject(fault)
    expect(calls).toBe(240)
  })

  it.each([
    'SQLITE_CONSTRAINT: UNIQUE constraint failed',
    'disk I/O error',
    'D1_ERROR: storage operation exceeded timeout',
    'errcode 5',
  ])('that failed for certain or took too long is not run again: %s', async (message) => {
    let calls = 0
    const broken: Batch = () => {
      calls++
      throw new Error(message)
    }
    await expect(storeOver(broken).redeemCode(redemption())).rejects.toThrow(message)
    expect(calls).toBe(1)
  })

  it.each([
    'read ECONNRESET',
    'write EPIPE',
    'fetch failed',
    'socket hang up',
    'D1_ERROR: Internal error in D1 storage caused object to be reset.',
    'D1 DB storage reset because its code was updated',
  ])('whose answer was lost is run again, twice at most: %s [SQL-04]', async (message) => {
    let calls = 0
    const lost: Batch = () => {
      calls++
      throw new Error(message)
    }
    await expect(storeOver(lost).redeemCode(redemption())).rejects.toThrow(message)
    expect(calls).toBe(3)
  })

  it('rejects with what was lost first, whatever fails then [SQL-04]', async () => {
    const faults = [cut(), busy(), new Error('no such table: hallpass_code')]
    const batch: Batch = () => {
      throw faults.shift()!
    }
    await expect(storeOver(batch).redeemCode(redemption())).rejects.toThrow('connection lost')
    expect(faults).toEqual([])
  })

  it('says after a lost answer that another one won [SQL-04]', async () => {
    const answers: (Error | unknown[][])[] = [cut(), [[{ redeemed_at: 1 }]], [[]]]
    const batch: Batch = () => {
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    }
    expect(await storeOver(batch).redeemCode(redemption())).toBe('spent')
  })

  it.each([[undefined], [[]], [[undefined]], [{ rows: [] }]])(
    'that returns %j in place of rows is a TypeError',
    async (results) => {
      const store = storeOver((() => results) as never)
      await expect(store.findClient('app_1')).rejects.toThrow(TypeError)
    },
  )

  it.each([
    'no such table: hallpass_code',
    'no such column: salt',
    'table t has no column named a',
  ])(
    'that lacks a table or a column tells the operator to call migrateSqlite: %s [SQL-05]',
    async (message) => {
      const batch: Batch = () => {
        throw new Error(message)
      }
      const failure = await storeOver(batch)
        .redeemCode(redemption())
        .catch((fault: unknown) => fault)
      expect(failure).toBeInstanceOf(StorageFailure)
      expect(failure).toMatchObject({
        message:
          'the storage failed: the database lacks a table or a column of this version of hallpass: call migrateSqlite before the first request',
        cause: { message },
      })
    },
  )
})

describe('a storage on SQLite', () => {
  it('is not created without a site, nor with an option that does not exist', () => {
    const { batch } = database
    for (const create of [createSqliteStore, createSqliteIdempotency, createSqliteAttempts]) {
      expect(() => create({ batch } as never)).toThrow(OptionsError)
      expect(() => create({ batch, site: 'a', place: 'b' } as never)).toThrow('place')
    }
  })
})

const KNOWN = SQLITE_MIGRATIONS.length

describe('the tables on SQLite', () => {
  it('are made once, however many processes begin at the same time [SQL-06]', async () => {
    const fresh = await openSqlite()
    fresh.rows('drop table hallpass_migration')
    fresh.rows('alter table hallpass_access_token drop column bound_to')
    fresh.rows('alter table hallpass_use drop column claim')
    const applied: number[] = []
    const batch: Batch = async (statements, isOver) => {
      // Each looks before another one has written.
      await Promise.resolve()
      const results = await fresh.batch(statements, isOver)
      if (statements.length > 2) applied.push(statements.length)
      return results
    }
    await Promise.all([1, 2, 3, 4].map(() => migrateSqlite({ batch })))
    // The first and the fifth one have more than one statement.
    expect(applied).toHaveLength(2)
    expect(fresh.rows('select * from hallpass_migration')).toEqual(
      SQLITE_MIGRATIONS.map(({ version }) => ({ version, compatible_from: 1 })),
    )
    expect(await isSqliteMigrated({ batch })).toBe(true)
    fresh.close()
  })

  it('are made wholly or not at all [SQL-06]', async () => {
    const fresh = await openSqlite()
    const target = sqliteOf({ batch: fresh.batch })
    const next = {
      version: KNOWN + 1,
      name: 'next',
      statements: ['create table hallpass_new (a text)', 'insert into hallpass_nothing values (1)'],
    }
    await expect(applyMigrations(target, [...SQLITE_MIGRATIONS, next])).rejects.toThrow(
      'migrateSqlite',
    )
    expect(fresh.rows(`select * from sqlite_master where name = 'hallpass_new'`)).toEqual([])
    expect(await isSqliteMigrated({ batch: fresh.batch })).toBe(true)
    await applyMigrations(target, [
      ...SQLITE_MIGRATIONS,
      { ...next, statements: next.statements.slice(0, 1) },
    ])
    expect(fresh.rows('select version from hallpass_migration')).toHaveLength(KNOWN + 1)
    fresh.close()
  })

  it('of a later version are refused, unless that one says that this one works [SQL-06]', async () => {
    const fresh = await openSqlite()
    const add = (version: number, from: number) =>
      fresh.rows('insert into hallpass_migration values (?, ?)', version, from)
    add(KNOWN + 1, KNOWN)
    await migrateSqlite({ batch: fresh.batch })
    add(KNOWN + 2, KNOWN + 1)
    await expect(migrateSqlite({ batch: fresh.batch })).rejects.toThrow(
      `the database has migration ${KNOWN + 2}, but this version of hallpass knows migrations up to ${KNOWN}: update hallpass`,
    )
    fresh.rows('delete from hallpass_migration')
    expect(await isSqliteMigrated({ batch: fresh.batch })).toBe(false)
    fresh.rows('drop table hallpass_migration')
    await expect(isSqliteMigrated({ batch: fresh.batch })).rejects.toThrow('migrateSqlite')
    fresh.close()
  })
})

describe('the end of many grants at once', () => {
  const GRANTS = 2500
  const fill = (site: string): void => {
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${GRANTS})`
    database.rows(
      `insert into hallpass_grant (site, grant_id, client_id, subject, scopes, created_at, due_at, record)
       ${numbers} select ?, 'g' || i, case i % 5 when 0 then 'other' else 'app' end, 'mem_' || i, '[]', i, 4000000000, '{}' from n`,
      site,
    )
    database.rows(
      `insert into hallpass_consent (site, consent_key, client_id, subject)
       ${numbers} select ?, 'c' || i, 'app', 'mem_' || i from n`,
      site,
    )
  }

  it('goes in steps, lets others go on between them, and has one event of them all [SQL-12]', async () => {
    const site = 'many'
    fill(site)
    const store = storeOver(database.batch, site)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const event = eventSample({ id: 'many' })
    const ended = { clientId: 'app', revokedAt: 5, revokedReason: 'x' }
    expect(await store.revokeGrantsOfClient(ended, [event])).toBe(2000)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(1)
    const [left] = database.rows(
      `select (select count(*) from hallpass_grant where site = ? and revoked_at is null) as grants,
         (select count(*) from hallpass_consent where site = ?) as consents`,
      site,
      site,
    )
    expect(left).toEqual({ grants: 500, consents: 0 })
    expect(await store.listEvents({ limit: 9 })).toMatchObject([{ id: 'many', grants: 2000 }])
    expect(await store.revokeGrantsOfClient(ended, [])).toBe(0)
  })
})
