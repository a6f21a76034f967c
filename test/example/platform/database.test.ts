import { StorageFailure } from 'hallpass/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../examples/school/src/platform/database.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { migrated } from '../../support/databases/templates.js'
import {
  type FreezableProxy,
  startFreezableProxy,
} from '../../support/processes/freezable-proxy.js'
import { startPostgres, type TestDatabase } from '../../support/databases/test-database.js'

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'succeeded',
    (fault: unknown) => (fault instanceof StorageFailure ? (fault.cause as Error).message : fault),
  )

/** The server's clock ends before the driver's, but a busy machine may hear of it later. */
const DRIVER_WAS_FIRST = 'Query read timeout'

describe('the database of the school', () => {
  let postgres: TestDatabase
  let proxy: FreezableProxy
  let database: Database
  let direct: Database
  beforeAll(async () => {
    postgres = await startPostgres(migrated)
    const url = new URL(postgres.url)
    proxy = await startFreezableProxy(Number(url.port))
    url.host = `127.0.0.1:${proxy.port}`
    database = await openDatabase({ url: url.href, folder: null, connections: 2 })
    direct = await openDatabase({ url: postgres.url, folder: null, connections: 2 })
  })
  afterAll(async () => {
    await Promise.all([database?.close(), direct?.close()])
    await proxy?.close()
    await postgres?.stop()
  })

  const ping = (): Promise<unknown> => database.execute('select 1', [])
  const limit = async (name: string): Promise<unknown> => {
    const { rows } = await database.execute('select current_setting($1) as limit', [name])
    return (rows as readonly { readonly limit: string }[])[0]?.limit
  }

  it('gives up a server that hangs, and works when it continues [F-32]', async () => {
    await Promise.all([ping(), ping()])
    proxy.freeze()
    const failures = await Promise.all(Array.from({ length: 4 }, () => failureOf(ping())))
    // Two had a connection, two waited for one.
    expect(failures.map(String).sort((one, other) => (one < other ? -1 : 1))).toEqual([
      'Query read timeout',
      'Query read timeout',
      'timeout exceeded when trying to connect',
      'timeout exceeded when trying to connect',
    ])
    expect(await failureOf(ping())).toBe('Connection terminated due to connection timeout')
    proxy.thaw()
    await ping()
  })

  it('gives up a transaction with a server that hangs, and its connection [F-32]', async () => {
    await ping()
    const failure = failureOf(
      database.transaction(async (execute) => {
        await execute('create table half (a integer)', [])
        proxy.freeze()
        await execute('select 1', [])
      }),
    )
    expect(await failure).toBe('Query read timeout')
    proxy.thaw()
    await ping()
    const { rows } = await direct.execute("select to_regclass('half') as half", [])
    expect(rows).toEqual([{ half: null }])
  })

  it('gives up a statement that waits for a lock [F-33]', async () => {
    expect(await limit('lock_timeout')).toBe('500ms')
    await direct.transaction(async (execute) => {
      await execute('lock table hallpass_code in access exclusive mode', [])
      expect(await failureOf(database.execute('select from hallpass_code', []))).toBeOneOf([
        'canceling statement due to lock timeout',
        DRIVER_WAS_FIRST,
      ])
    })
    await database.execute('select from hallpass_code', [])
  })

  it('gives up a statement that takes too long [F-33]', async () => {
    expect(await limit('statement_timeout')).toBe('900ms')
    expect(await failureOf(database.execute('select pg_sleep(5)', []))).toBeOneOf([
      'canceling statement due to statement timeout',
      DRIVER_WAS_FIRST,
    ])
  })

  it('gives a database that is far away more time, if told', async () => {
    const far = await openDatabase({ url: postgres.url, folder: null, seconds: 2.5 })
    try {
      const { rows } = await far.execute(
        "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
        [],
      )
      expect(rows).toEqual([{ statement: '2250ms', lock: '1250ms' }])
    } finally {
      await far.close()
    }
  })

  it('takes a server that is the primary no longer for an outage [F-60]', async () => {
    const written = direct.transaction(async (execute) => {
      await execute('set transaction read only', [])
      await execute('create table late (a integer)', [])
    })
    expect(await failureOf(written)).toBe('cannot execute CREATE TABLE in a read-only transaction')
  })

  it('leaves every other error as it is', async () => {
    const wrong = database.execute('select from nothing', [])
    expect(await failureOf(wrong)).toMatchObject({ code: '42P01' })
    const bug = new Error('a rule of the school')
    expect(await failureOf(database.transaction(() => Promise.reject(bug)))).toBe(bug)
    await ping()
  })
})
