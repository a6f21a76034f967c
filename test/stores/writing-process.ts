import { appendFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createMysqlStore, fromPool } from 'hallpass/mysql'
import { createSqliteStore, fromSync } from 'hallpass/sqlite'
import { codeSample, hash, redemption, rotation } from '../../src/store-contract/samples.js'
import { openPool } from './mysql-pool.js'

// A process over a file, or over a database of MariaDB. It redeems codes of its own without end and logs each that was acknowledged, or it takes part in a
// race for codes, then for tokens, then rotates, ends and erases, or in one for keys that may be used once.

const [place = '', who = '', log] = process.argv.slice(2)
const [socketPath = '', database] = place.split('#')
const site = 'processes'
const store =
  database === undefined
    ? createSqliteStore({ batch: fromSync(new DatabaseSync(place)), site })
    : createMysqlStore({ batch: fromPool(openPool(socketPath, { database })), site })
const IN_FLIGHT = 8
/**
 * What a call may fail with: a disk or a processor that stalls for a second locks a file or a row for as long, and nodes of a
 * cluster find out about each other only at the end of a transaction.
 */
const REPEATED =
  process.env['HALLPASS_GALERA'] === '1'
    ? /Deadlock found/
    : /database is locked|Lock wait timeout exceeded/
const WON: ReadonlySet<string | null> = new Set(['redeemed', 'rotated', 'first'])
/** How often such a call is made. */
const PATIENCE = 10

/** The code of a number, or of a text. */
const grantOf = (id: string) => ({ grantId: `grant ${id}`, subject: `mem_${id.slice(-2)}` })

function redemptionOf(id: string, name: string): ReturnType<typeof redemption> {
  const one = redemption(name, { codeHash: hash(`code ${id}`) })
  const { grantId } = grantOf(id)
  return {
    ...one,
    grant: { ...one.grant, ...grantOf(id) },
    accessToken: { ...one.accessToken, grantId },
    refreshToken: { ...one.refreshToken, grantId },
  }
}

function rotate(id: string, from: string, to: string): Promise<string> {
  const one = rotation(from, to)
  const { grantId } = grantOf(id)
  return store.rotateRefreshToken({
    ...one,
    successor: { ...one.successor, grantId },
    accessToken: { ...one.accessToken, grantId },
  })
}

const event = (id: string) => ({ id, type: 'x', at: 1_614_589_200 })

async function redeemForEver(path: string): Promise<void> {
  for (let n = 0; ; n++) {
    const id = `${who} ${n}`
    const code = codeSample({ codeHash: hash(`code ${id}`), ...grantOf(id) })
    await store.issueCode({ code, pendingIdHash: null, consentKey: null })
    const outcome = await store.redeemCode(redemptionOf(id, id), [event(id)])
    if (outcome === 'redeemed') appendFileSync(path, `${id}\n`)
  }
}

const STEPS = {
  redeem: (id: string) => store.redeemCode(redemptionOf(id, `${id} ${who}`), [event(`${id} ${who}`)]), // prettier-ignore
  use: (id: string) => store.useOnce({ key: hash(`use ${id}`), until: 4_000_000_000 }),
  rotate: (id: string, winner: string) => rotate(id, `${id} ${winner}`, `next ${id} ${who}`),
  async mixed(id: string, winner: string) {
    const { subject } = grantOf(id)
    const what = (Number(id) + Number(who)) % 3
    if (what === 0) await rotate(id, `next ${id} ${winner}`, `third ${id} ${who}`)
    if (what === 1)
      await store.revokeGrants({ clientId: 'app_1', subject, revokedAt: 1, revokedReason: 'x' })
    if (what === 2) await store.erasePerson({ subject, loginHints: [], erasedAt: 1_614_589_200 })
    return 'done'
  },
}

interface Order {
  readonly step: keyof typeof STEPS
  readonly count: number
  /** Who won the step before, by number. */
  readonly winners: readonly string[]
}

process.on('message', ({ step, count, winners }: Order) => {
  const won: number[] = []
  const faults: string[] = []
  /** As a client does that receives a 503. */
  async function repeated(call: () => Promise<string>): Promise<string | null> {
    for (let attempt = 0; attempt < PATIENCE; attempt++)
      try {
        return await call()
      } catch (fault) {
        if (REPEATED.test(String(fault))) continue
        faults.push(String(fault))
        return null
      }
    faults.push(`locked ${PATIENCE} times`)
    return null
  }
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      const outcome = await repeated(() => STEPS[step](String(index), winners[index] ?? ''))
      if (WON.has(outcome)) won.push(index)
      // Other calls of this process begin between two of a synchronous driver.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  void Promise.all(Array.from({ length: IN_FLIGHT }, work)).then(() =>
    process.send!({ won, faults }),
  )
})
process.on('disconnect', () => process.exit())
process.send!('ready')
if (log !== undefined) void redeemForEver(log)
