import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import { codeSample, redemption } from '../../src/store-contract/samples.js'
import { startServer } from '../support/databases/postgres-server.js'
import { CONNECTIONS_OF } from './connections.js'

/**
 * Measures a bearer check over each connection of the guide, and what a store for one transaction costs. Rounds
 * alternate between the connections, and the quickest counts, so that a slow minute of the machine affects none.
 * Prints a Markdown table.
 */
const [ROUNDS, CALLS] = [15, 300]
const site = 'measured'
const { tokenHash } = redemption().accessToken

const server = await startServer()
const opened = []
for (const [name, open] of Object.entries(CONNECTIONS_OF).filter(([one]) => !/camel/.test(one))) {
  const { execute, close } = await open(server.url)
  await migratePostgres({ execute })
  const store = createPostgresStore({ execute, site })
  if ((await store.findAccessToken(tokenHash)) === null) {
    await store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
    await store.redeemCode(redemption())
  }
  opened.push({ name, execute, store, close, check: Infinity, create: Infinity })
}

/** Returns the microseconds of one call. */
async function timeOf(call: () => unknown): Promise<number> {
  const began = performance.now()
  for (let count = 0; count < CALLS; count++) await call()
  return ((performance.now() - began) / CALLS) * 1000
}
for (let round = 0; round < ROUNDS; round++)
  for (const one of opened) {
    const check = await timeOf(() => one.store.findAccessToken(tokenHash))
    const create = await timeOf(() => createPostgresStore({ execute: one.execute, site }))
    one.check = Math.min(one.check, check)
    one.create = Math.min(one.create, create)
  }

console.log('| connection | a bearer check, ms | a store, µs |\n| --- | --: | --: |')
for (const { name, check, create } of opened)
  console.log(`| ${name} | ${(check / 1000).toFixed(2)} | ${create.toFixed(1)} |`)
for (const { close } of opened) await close()
await server.stop()
