import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import type { Store } from 'hallpass/store'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { codeSample, hash } from '../../src/store-contract/samples.js'
import { type Child, startModule } from '../support/processes/child.js'
import { passTime } from '../support/processes/wait.js'
import { rounds } from '../support/run/rounds.js'

const folder = mkdtempSync(join(tmpdir(), 'hallpass-processes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
let file: string
let database: DatabaseSync
let store: Store
beforeEach(async () => {
  file = join(folder, `${files++}.db`)
  database = new DatabaseSync(file)
  const batch = fromSync(database)
  await migrateSqlite({ batch })
  store = createSqliteStore({ batch, site: 'processes' })
  return () => database.close()
})

const start = (...args: readonly string[]): Promise<Child> =>
  startModule('../../stores/writing-process.ts', [file, ...args])
const numberOf = (from: string): number =>
  (database.prepare(`select count(*) as n from ${from}`).all()[0] as { n: number }).n

it('loses nothing that was acknowledged, and keeps it whole, when a process is killed while it redeems', async () => {
  const log = join(folder, 'acknowledged')
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
  const redeemed = numberOf('hallpass_code where redeemed_at is not null')
  expect(['grant', 'access_token', 'refresh_token', 'outbox'].map((one) => numberOf(`hallpass_${one}`))).toEqual([redeemed, redeemed, redeemed, redeemed]) // prettier-ignore
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
})

it('has one winner of each code and token among four processes, and no other failure than a locked file', async () => {
  const count = rounds(500, { soak: 10_000 })
  for (let n = 0; n < count; n++)
    await store.issueCode({
      code: codeSample({
        codeHash: hash(`code ${n}`),
        grantId: `grant ${n}`,
        subject: `mem_${n % 10}`,
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

  const redeemed = await race('redeem')
  for (const table of ['grant', 'access_token', 'refresh_token', 'outbox'])
    expect(numberOf(`hallpass_${table}`)).toBe(count)
  const rotated = await race('rotate', redeemed)
  expect(numberOf('hallpass_refresh_token')).toBe(2 * count)
  await race('mixed', rotated)
  expect(numberOf('hallpass_grant where revoked_at is null')).toBe(0)
  for (const table of ['access_token', 'refresh_token'])
    expect(
      numberOf(
        `hallpass_${table} t where not exists (select 1 from hallpass_grant g where g.site = t.site and g.grant_id = t.grant_id)`,
      ),
    ).toBe(0)
  for (const racer of racers) await racer.stop()
})

it('serves reads while another process holds the file, and writes when it lets go', async () => {
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const saved = store.useOnce({ key: 'key', until: 1 })
  expect(await store.findClient('app_1')).toBeNull()
  other.exec('commit')
  other.close()
  expect(await saved).toBe('first')
})
