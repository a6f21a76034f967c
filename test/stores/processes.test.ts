import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMysqlStore, fromPool, migrateMysql, type MysqlBatch } from 'hallpass/mysql'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import type { Store } from 'hallpass/store'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeSample, hash } from '../../src/store-contract/samples.js'
import { startGalera } from '../support/databases/galera.js'
import { type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { type Child, startModule } from '../support/processes/child.js'
import { passTime } from '../support/processes/wait.js'
import { rounds } from '../support/run/rounds.js'
import { checksOver } from './checks.js'
import { mysqlOn, openPool, type Pool } from './mysql-pool.js'

const folder = mkdtempSync(join(tmpdir(), 'hallpass-processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A database that processes share. */
interface Shared {
  /** Where it is, for each process in turn. */
  readonly places: readonly string[]
  readonly store: Store
  readonly rows: (sql: string) => Promise<readonly object[]>
  readonly close: () => Promise<void>
}
const site = 'processes'

let databases = 0
async function openFile(): Promise<Shared> {
  const place = join(folder, `${databases++}.db`)
  const database = new DatabaseSync(place)
  const batch = fromSync(database)
  await migrateSqlite({ batch })
  return {
    places: [place],
    store: createSqliteStore({ batch, site }),
    rows: async (sql) => database.prepare(sql).all() as object[],
    close: async () => database.close(),
  }
}

async function openOn(servers: readonly MariadbServer[]): Promise<Shared> {
  const database = `processes_${databases++}`
  const [{ socketPath }] = servers as [MariadbServer]
  const first = openPool(socketPath)
  await first.query(`create database ${database}`)
  await first.end()
  const pool = openPool(socketPath, { database })
  const batch = fromPool(pool)
  await migrateMysql({ batch })
  return {
    places: servers.map((server) => `${server.socketPath}#${database}`),
    store: createMysqlStore({ batch, site }),
    rows: async (sql) => (await pool.query(sql))[0],
    close: () => pool.end(),
  }
}

const running: MariadbServer[] = []
/** A cluster of two nodes is tried by hand: `HALLPASS_GALERA=1`. */
const isCluster = process.env['HALLPASS_GALERA'] === '1'
beforeAll(async () => {
  running.push(...(isCluster ? await startGalera() : [await startMariadb()]))
})
afterAll(async () => {
  for (const server of running.toReversed()) await server.stop()
})

describe.each([
  ['a file of SQLite', openFile],
  [isCluster ? 'two nodes of Galera' : 'MariaDB', () => openOn(running)],
])('on %s', (name, open) => {
  let shared: Shared
  let store: Store
  let started = 0
  beforeEach(async () => {
    shared = await open()
    store = shared.store
    return () => shared.close()
  })
  const start = (...args: readonly string[]): Promise<Child> =>
    startModule('../../stores/writing-process.ts', [
      shared.places[started++ % shared.places.length]!,
      ...args,
    ])
  const numberOf = async (from: string): Promise<number> =>
    ((await shared.rows(`select count(*) as n from ${from}`))[0] as { n: number }).n

  it('loses nothing that was acknowledged, and keeps it whole, when a process is killed while it redeems', async () => {
    const log = join(folder, `acknowledged on ${name}`)
    for (let kill = 0; kill < rounds(12, { soak: 60 }); kill++) {
      const child = await start(`kill ${kill}`, log)
      await passTime(100 + 13 * (kill % 12))
      await child.stop('SIGKILL')
    }
    const acknowledged = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
    expect(acknowledged.length).toBeGreaterThan(100)
    let lost = 0
    for (const id of acknowledged)
      if (
        (await store.findAccessToken(hash(`access ${id}`))) === null ||
        (await store.findRefreshToken(hash(`refresh ${id}`))) === null
      )
        lost++
    expect(lost).toBe(0)
    const redeemed = await numberOf('hallpass_code where redeemed_at is not null')
    const kinds = ['grant', 'access_token', 'refresh_token', 'outbox']
    expect(await Promise.all(kinds.map((one) => numberOf(`hallpass_${one}`)))).toEqual([redeemed, redeemed, redeemed, redeemed]) // prettier-ignore
    if (open === openFile)
      expect(await shared.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it('has one winner of each code, token and key among four processes, and no other failure than a file or a row that is locked', async () => {
    const count = rounds(500, { soak: 10_000 })
    for (let n = 0; n < count; n++)
      await store.issueCode({
        code: codeSample({
          codeHash: hash(`code ${n}`),
          grantId: `grant ${n}`,
          subject: `mem_${String(n).slice(-2)}`,
        }),
        pendingIdHash: null,
        consentKey: null,
      })
    const racers = await Promise.all(['0', '1', '2', '3'].map((who) => start(who)))
    /** Lets all of them try each of the numbers, and returns who won each. */
    async function race(step: string, winners: readonly string[] = []): Promise<readonly string[]> {
      const results = await Promise.all(
        racers.map((racer) => {
          racer.child.send({ step, count, winners })
          return racer.message() as Promise<{ won: readonly number[]; faults: readonly string[] }>
        }),
      )
      expect(results.flatMap(({ faults }) => faults)).toEqual([])
      const won: string[][] = Array.from({ length: count }, () => [])
      for (const [who, result] of results.entries())
        for (const index of result.won) won[index]!.push(String(who))
      if (step !== 'mixed') expect(won.filter(({ length }) => length !== 1)).toEqual([])
      return won.map(([who = '']) => who)
    }

    await race('use')
    expect(await numberOf('hallpass_use')).toBe(count)
    const redeemed = await race('redeem')
    for (const table of ['grant', 'access_token', 'refresh_token', 'outbox'])
      expect(await numberOf(`hallpass_${table}`)).toBe(count)
    const rotated = await race('rotate', redeemed)
    expect(await numberOf('hallpass_refresh_token')).toBe(2 * count)
    await race('mixed', rotated)
    expect(await numberOf('hallpass_grant where revoked_at is null')).toBe(0)
    for (const table of ['access_token', 'refresh_token'])
      expect(
        await numberOf(
          `hallpass_${table} t where not exists (select 1 from hallpass_grant g where g.site = t.site and g.grant_id = t.grant_id)`,
        ),
      ).toBe(0)
    for (const racer of racers) await racer.stop()
  })
})

if (isCluster)
  describe('a store whose transactions go to one node after the other', () => {
    let batches: readonly MysqlBatch[]
    let pools: readonly Pool[]
    let calls = 0
    beforeAll(async () => {
      pools = running.map(({ socketPath }) => openPool(socketPath))
      batches = pools.map((pool) => fromPool(pool))
      // Both begin together.
      await Promise.all(batches.map((batch) => migrateMysql({ batch })))
    })
    afterAll(() => Promise.all(pools.map((pool) => pool.end())))
    const batch: MysqlBatch = (work, isSingle) => batches[calls++ % batches.length]!(work, isSingle)
    for (const { name, run } of checksOver(mysqlOn(() => batch))) it(name, run)
  })

it('serves reads while another process holds the file, and writes when it lets go', async () => {
  const { places, store, close } = await openFile()
  const other = new DatabaseSync(places[0]!)
  other.exec('begin immediate')
  const saved = store.useOnce({ key: 'key', until: 1 })
  expect(await store.findClient('app_1')).toBeNull()
  other.exec('commit')
  other.close()
  expect(await saved).toBe('first')
  await close()
})
