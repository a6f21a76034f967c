import { execFileSync, execSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore, fromSync, isSqliteMigrated, migrateSqlite } from 'hallpass/sqlite'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { codeSample, hash, redemption } from '../../src/store-contract/samples.js'

const folder = mkdtempSync(join(tmpdir(), 'hallpass-habits-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Driver = Parameters<typeof fromSync>[0] & { close(): void }
const load = createRequire(import.meta.url)
const DRIVERS: Readonly<Record<string, (file: string) => Driver>> = {
  'node:sqlite': (file) => new DatabaseSync(file),
  'better-sqlite3': (file) => new (load('better-sqlite3') as new (path: string) => Driver)(file),
}

/** What people do by habit to the file of a process that runs, and what it then says of it. */
const HABITS: Readonly<Record<string, string>> = {
  'mv backup.db school.db': 'school.db was replaced',
  'mv school.db old.db': 'school.db was moved or deleted',
  'rm school.db school.db-wal school.db-shm': 'school.db was moved or deleted',
  'rm school.db-wal school.db-shm': 'school.db-wal was moved or deleted',
  'rm school.db-shm': 'school.db-shm was moved or deleted',
}

/** A process that opens the file, runs a statement, and closes it. */
const ANOTHER = `
const { DatabaseSync } = require('node:sqlite')
const [file, sql] = process.argv.slice(1)
const database = new DatabaseSync(file)
database.exec(sql)
database.close()`

const MEGABYTE = 1024 * 1024

describe.each(Object.entries(DRIVERS))('beside %s', (name, open) => {
  let places = 0
  async function openSchool() {
    const place = join(folder, `${name.replaceAll(/\W/g, '')}-${places++}`)
    const file = join(place, 'school.db')
    const shell = (command: string): Buffer => execSync(command, { cwd: place })
    execSync(`mkdir ${place}`)
    const driver = open(file)
    onTestFinished(() => driver.close())
    const batch = fromSync(driver)
    await migrateSqlite({ batch })
    const store = createSqliteStore({ batch, site: 'school' })
    let issued = 0
    /** Issues a code, and returns what redeems it. */
    const issue = async () => {
      const codeHash = hash(`code ${issued++}`)
      const code = codeSample({ codeHash, grantId: codeHash })
      await store.issueCode({ code, pendingIdHash: null, consentKey: null })
      const own = redemption(codeHash, { codeHash })
      const of = { grantId: codeHash }
      return {
        ...own,
        grant: { ...own.grant, ...of },
        accessToken: { ...own.accessToken, ...of },
        refreshToken: { ...own.refreshToken, ...of },
      }
    }
    return { driver, batch, store, file, shell, issue }
  }

  it.each(Object.entries(HABITS))(
    'nothing is acknowledged any more after %s, and it is named [SQL-09]',
    async (habit, said) => {
      const { driver, batch, store, file, shell, issue } = await openSchool()
      expect(await store.redeemCode(await issue())).toBe('redeemed')
      driver.exec(`vacuum into '${file.replace('school', 'backup')}'`)
      const codes = [await issue(), await issue()]
      const stranger = codeSample({ codeHash: hash('of no one') })
      shell(habit)

      await expect(store.redeemCode(codes[0]!)).rejects.toThrow(said)
      await expect(store.issueCode({ code: stranger, pendingIdHash: null, consentKey: null })).rejects.toThrow(said) // prettier-ignore
      await expect(store.findAccessToken(codes[1]!.accessToken.tokenHash)).rejects.toThrow(said)
      // A check of `/readyz`.
      await expect(isSqliteMigrated({ batch })).rejects.toThrow(said)
      // An answer would be lost with the file, and another process at this path shares no lock.
      await expect(store.redeemCode(codes[1]!)).rejects.toThrow(said)
    },
  )

  it('a backup, a checkpoint, a vacuum and other processes are as ever [SQL-09]', async () => {
    const { store, file, issue } = await openSchool()
    const sql = [
      `vacuum into '${file.replace('school', 'copy')}'`,
      'pragma wal_checkpoint(truncate)',
      'vacuum',
      'delete from hallpass_outbox',
    ]
    for (const one of sql) {
      expect(await store.redeemCode(await issue())).toBe('redeemed')
      execFileSync(process.execPath, ['--eval', ANOTHER, file, one])
    }
    expect(await store.redeemCode(await issue())).toBe('redeemed')
  })

  it('the log becomes small again after a long reader [SQL-10]', async () => {
    const { driver, store, file, issue } = await openSchool()
    const size = (): number => statSync(`${file}-wal`).size
    driver.exec('create table other (text)')
    const reader = open(file)
    onTestFinished(() => reader.close())
    reader.exec('begin; select count(*) from other')
    for (let n = 0; n < 24; n++) driver.exec(`insert into other values (zeroblob(${MEGABYTE}))`)
    expect(size()).toBeGreaterThan(16 * MEGABYTE)
    reader.exec('commit')
    for (let n = 0; n < 8; n++) expect(await store.redeemCode(await issue())).toBe('redeemed')
    expect(size()).toBeLessThanOrEqual(4 * MEGABYTE)
  })
})
