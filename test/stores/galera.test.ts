import {
  createMysqlStorage,
  createMysqlStore,
  fromPool,
  migrateMysql,
  type MysqlBatch,
} from 'hallpass/mysql'
import type { Store } from 'hallpass/store'
import { storageContract } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeSample, hash, redemption, rotation } from '../../src/store-contract/samples.js'
import { startGalera } from '../support/databases/galera.js'
import type { MariadbServer } from '../support/databases/mariadb-server.js'
import { waitFor } from '../support/processes/wait.js'
import { readSource } from '../support/source/compile.js'
import { openPool, type Pool } from './mysql-pool.js'

// A cluster of three nodes. Every request is sent to two of them at the same time.

let nodes: readonly MariadbServer[]
let pools: readonly Pool[]
let stores: readonly Store[]
beforeAll(async () => {
  nodes = await startGalera(3)
  pools = nodes.map(({ socketPath }) => openPool(socketPath))
  await migrateMysql({ batch: fromPool(pools[0]!) })
  stores = pools.map((pool) => createMysqlStore({ batch: fromPool(pool), site: 'galera' }))
})
afterAll(async () => {
  // Those that hang close no connection.
  for (const node of nodes) node.thaw()
  await Promise.all(pools.map((pool) => pool.end()))
  for (const node of nodes.toReversed()) await node.stop()
})

/** The grants whose tokens were acknowledged, each with the last name of its refresh tokens. */
const ledger = new Map<string, string>()
let calls = 0
/** Does the same at two of the nodes, and returns which of them said that they won. */
async function winners(
  at: readonly number[],
  call: (store: Store, who: number) => Promise<string>,
): Promise<readonly number[]> {
  const first = calls++
  const outcomes = await Promise.all(
    [0, 1].map((who) => call(stores[at[(first + who) % at.length]!]!, who).catch(() => 'refused')),
  )
  const won = [0, 1].filter((who) => /^(?:issued|redeemed|rotated)$/.test(outcomes[who]!))
  expect(won.length).toBeLessThanOrEqual(1)
  return won
}

/** Exchanges codes and refreshes their tokens at some of the nodes, until enough were acknowledged. */
async function serve(at: readonly number[], count: number): Promise<void> {
  const target = ledger.size + count
  const work = async (worker: number): Promise<void> => {
    for (let turn = 0; ledger.size < target; turn++) {
      const id = `${target} ${worker} ${turn}`
      const [grantId, codeHash, subject] = [`grant ${id}`, hash(`code ${id}`), `mem_${id}`]
      const code = codeSample({ codeHash, grantId, subject })
      await stores[at[0]!]!.issueCode({ code, pendingIdHash: null, consentKey: null }).catch(
        () => {},
      )
      const [redeemed] = await winners(at, (store, who) => {
        const one = redemption(`${id} ${who}`, { codeHash })
        const [accessToken, refreshToken] = [{ ...one.accessToken, grantId }, { ...one.refreshToken, grantId }] // prettier-ignore
        return store.redeemCode({ ...one, grant: { ...one.grant, grantId, subject }, accessToken, refreshToken }) // prettier-ignore
      })
      if (redeemed === undefined) continue
      const [rotated] = await winners(at, (store, who) => {
        const one = rotation(`${id} ${redeemed}`, `next ${id} ${who}`)
        const [accessToken, successor] = [{ ...one.accessToken, grantId }, { ...one.successor, grantId }] // prettier-ignore
        return store.rotateRefreshToken({ ...one, accessToken, successor })
      })
      ledger.set(grantId, rotated === undefined ? `${id} ${redeemed}` : `next ${id} ${rotated}`)
    }
  }
  await Promise.all([0, 1, 2, 3].map(work))
}

const [, statusOf = ''] = /```sql\n(show global status like 'wsrep_cluster_status');\n```/.exec(readSource('docs/operations/stores.md')) ?? [] // prettier-ignore
const stateOf = async (node: number): Promise<unknown> => (await pools[node]!.query(statusOf))[0][0]!['Value'] // prettier-ignore
const isServing = (node: number): Promise<boolean> =>
  stores[node]!.useOnce({ key: hash(`serving ${calls++}`), until: 4_000_000_000 }).then(
    () => true,
    () => false,
  )

it('loses and doubles nothing while one node hangs, refuses by name while two do, and goes on by itself', async () => {
  await serve([0, 1, 2], 60)
  await nodes[2]!.freeze()
  await waitFor(() => isServing(0))
  await serve([0, 1], 40)

  await nodes[1]!.freeze()
  await waitFor(async () => (await stateOf(0)) === 'non-Primary')
  const read = await stores[0]!.findClient('app_1').catch((fault: Error) => fault.message)
  const write = await stores[0]!.useOnce({ key: hash('none'), until: 4_000_000_000 }).catch((fault: Error) => fault.message) // prettier-ignore
  // It says one or the other, by how far the loss of the quorum has come.
  const rows = readSource('docs/operations/runbook.md').split('\n').filter((line) => line.includes('Galera')).join() // prettier-ignore
  const known = [...rows.matchAll(/"([^"]+)"/g)].map(([, text]) => text!)
  for (const text of [read, write].map((one) => JSON.stringify(one)))
    expect([text, known.some((one) => text.startsWith(`"${one}`))]).toEqual([text, true])

  nodes[1]!.thaw()
  nodes[2]!.thaw()
  for (const node of [0, 1, 2]) await waitFor(() => isServing(node))
  await serve([0, 1, 2], 40)

  for (const [grantId, name] of ledger)
    for (const store of stores) {
      const found = await store.findRefreshToken(hash(`refresh ${name}`))
      expect([grantId, found?.grant.grantId]).toEqual([grantId, grantId])
      expect(await store.findAccessToken(hash(`access ${name}`))).not.toBeNull()
    }
  const forks = `select grant_id from hallpass_refresh_token where rotation is null group by grant_id having count(*) > 1`
  expect((await pools[2]!.query(forks))[0]).toEqual([])
})

describe('a storage of many sites on two nodes at the same time', () => {
  let turn = 0
  /** Each batch is sent to the next node. */
  const batch: MysqlBatch = (work, isSingle) => fromPool(pools[turn++ % 2]!)(work, isSingle)
  for (const { name, run } of storageContract(() => createMysqlStorage({ batch }))) it(name, run)
})
