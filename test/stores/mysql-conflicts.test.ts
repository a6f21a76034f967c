import { createMysqlStore, fromPool, migrateMysql, type MysqlBatch } from 'hallpass/mysql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeSample, hash, redemption, rotation } from '../../src/store-contract/samples.js'
import { type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { waitFor } from '../support/processes/wait.js'
import { openPool, type Pool } from './mysql-pool.js'

// Rows of the list of what is tried again, each caused on the server. mysql.test.ts has those without a transaction.

let server: MariadbServer
let pool: Pool
beforeAll(async () => {
  server = await startMariadb()
  pool = openPool(server.socketPath)
  await migrateMysql({ batch: fromPool(pool) })
  await pool.query('create table host (a int) engine=InnoDB')
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})

const GRANT = "select * from hallpass_grant where site = 'SITE' for update"
const TOKEN = "select * from hallpass_refresh_token where site = 'SITE' for update"

/** A store in which a code was redeemed, with the numbers of the errors that its batches end with. */
async function signedIn(site: string, batch: MysqlBatch = fromPool(pool)) {
  const failures: unknown[] = []
  const watched: MysqlBatch = (work, isSingle) =>
    batch(work, isSingle).catch((fault: { errno?: number }) => {
      failures.push(fault.errno)
      throw fault
    })
  const store = createMysqlStore({ batch: watched, site })
  await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
  expect(await store.redeemCode(redemption('0'))).toBe('redeemed')
  return { store, failures, rotate: () => store.rotateRefreshToken(rotation('0', '1')) }
}
/** A transaction of another program. */
async function otherIn(site: string) {
  const connection = await pool.getConnection()
  await connection.beginTransaction()
  return {
    query: (sql: string) => connection.query(sql.replace('SITE', site)),
    async end() {
      await connection.rollback()
      connection.release()
    },
  }
}

describe('MariaDB', () => {
  it('refreshes after the deadlock of which it was the victim: 1213 [MY-03]', async () => {
    const { failures, rotate } = await signedIn('deadlock')
    const other = await otherIn('deadlock')
    // The server rolls back the one that has changed less.
    await other.query('insert into host select seq from seq_1_to_1000')
    await other.query(TOKEN)
    const rotated = rotate()
    // It has the grant, and waits for the token.
    const waiting = "select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'"
    // The server keeps the rows of this table until no one has read it for 100 ms.
    await waitFor(async () => (await pool.query(waiting))[0].length === 1, { everyMilliseconds: 150 }) // prettier-ignore
    await other.query(GRANT)
    await other.end()
    expect(await rotated).toBe('rotated')
    expect(failures).toEqual([1213])
  })

  it('refreshes once a row is free for which it waited too long: 1205 [MY-03]', async () => {
    const { store, failures, rotate } = await signedIn('wait')
    const other = await otherIn('wait')
    await other.query(GRANT)
    const rotated = rotate()
    await waitFor(() => failures.length === 1)
    await other.end()
    expect(await rotated).toBe('rotated')
    expect(failures).toEqual([1205])
    expect(await store.findAccessToken(hash('access 1'))).not.toBeNull()
  })

  it('fails with 1205 and changes nothing if the row is held for longer than its patience [MY-03]', async () => {
    const { store, failures, rotate } = await signedIn('held')
    const other = await otherIn('held')
    await other.query(GRANT)
    await expect(rotate()).rejects.toMatchObject({ errno: 1205 })
    await other.end()
    expect([[1205], [1205, 1205]]).toContainEqual(failures)
    expect(await store.findAccessToken(hash('access 1'))).toBeNull()
    expect(await rotate()).toBe('rotated')
  })

  it.each([
    // What hallpass sets: each statement reads what is committed, so there is no conflict.
    ['read committed', []],
    ['repeatable read', [1020]],
  ])(
    'revokes a grant that changed after it was read, on a server with snapshots, at %s: 1020 [MY-03]',
    async (level, expected) => {
      const site = level.replace(' ', '_')
      let change: (() => Promise<unknown>) | null = null
      const batch = fromPool({
        async getConnection() {
          const connection = await pool.getConnection()
          return {
            async query(sql) {
              if (sql === 'start transaction') {
                await connection.query(`set session transaction isolation level ${level}`)
                await connection.query('set session innodb_snapshot_isolation = 1')
              }
              return connection.query(sql)
            },
            async execute(statement) {
              const result = await connection.execute(statement)
              const once = statement.sql.startsWith('select grant_id ') ? change : null
              if (once !== null) change = null
              await once?.()
              return result
            },
            release: () => connection.release(),
            destroy: () => connection.destroy(),
          }
        },
      })
      const { store, failures } = await signedIn(site, batch)
      change = () => pool.query(`update hallpass_grant set held = held + 1 where site = '${site}'`)
      const ended = { clientId: 'app_1', subject: 'mem_1', revokedAt: 9, revokedReason: 'x' }
      expect(await store.revokeGrants(ended)).toBe(1)
      expect(change).toBeNull()
      expect(failures).toEqual(expected)
    },
  )
})
