import { openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import { codeSample, hash, redemption } from '../../src/store-contract/samples.js'

// A process that redeems codes in a file, one after the other, and prints the number of each that was acknowledged.

const [driver, file = '', acknowledged = '', level, count] = process.argv.slice(2)
type Driver = Parameters<typeof fromSync>[0]
const load = createRequire(import.meta.url)
const database: Driver =
  driver === 'better-sqlite3'
    ? new (load('better-sqlite3') as new (path: string) => Driver)(file)
    : new DatabaseSync(file)
const batch = fromSync(database, { synchronous: level as 'full' | 'normal' })
await migrateSqlite({ batch })
const store = createSqliteStore({ batch, site: 'school' })
// The log is written back often.
database.exec('pragma wal_autocheckpoint = 50')
const log = openSync(acknowledged, 'a')
for (let n = 0; n < Number(count); n++) {
  const of = { grantId: `grant ${n}` }
  const codeHash = hash(`code ${n}`)
  await store.issueCode({ code: codeSample({ codeHash, ...of }), pendingIdHash: null, consentKey: null }) // prettier-ignore
  const own = redemption(String(n), { codeHash })
  const outcome = await store.redeemCode({
    ...own,
    grant: { ...own.grant, ...of },
    accessToken: { ...own.accessToken, ...of },
    refreshToken: { ...own.refreshToken, ...of },
  })
  if (outcome === 'redeemed') writeSync(log, `${n}\n`)
}
