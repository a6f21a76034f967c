import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrated } from '../support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { type Child, startModule } from '../support/processes/child.js'
import { rounds } from '../support/run/rounds.js'
import { ISSUER, NOTES } from '../support/school/signing-client.js'

const PROCESSES = 4

let database: TestDatabase
let servers: readonly Child[] = []
let jwks: JSONWebKeySet
let sign: (jti: string) => Promise<string>
beforeAll(async () => {
  database = await startPostgres(migrated)
  const site = crypto.randomUUID()
  servers = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startModule('asserting-process.ts', [database.url, site]),
    ),
  )
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  jwks = { keys: [await exportJWK(publicKey)] }
  sign = (jti) =>
    new SignJWT({ iss: NOTES.clientId, sub: NOTES.clientId, aud: ISSUER, jti })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('4 minutes')
      .sign(privateKey)
})
afterAll(async () => {
  for (const server of servers) await server.stop()
  await database.stop()
})

/** Sends assertions to all processes at the same time: the statuses of each process, in the order of the assertions. */
const race = (
  assertions: readonly string[],
  times: number,
): Promise<readonly (readonly number[])[]> =>
  Promise.all(
    servers.map((server) => {
      server.child.send({ jwks, assertions, times })
      return server.message() as Promise<readonly number[]>
    }),
  )

it('lets one jti authenticate once, however often four processes are sent it [BLK-01]', async () => {
  const times = rounds(100, { soak: 10_000 })
  const statuses = (await race([await sign('one')], times)).flat()
  expect(statuses).toHaveLength(PROCESSES * times)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 401)).toHaveLength(PROCESSES * times - 1)
})

it('lets each of many authenticate once, in one of four processes [BLK-01]', async () => {
  // As many as are signed and sent before they expire.
  const count = rounds(100, { soak: 10_000 })
  const assertions = await Promise.all(
    Array.from({ length: count }, (_, index) => sign(`${index}`)),
  )
  const statuses = await race(assertions, 1)
  const winners = assertions.map((_, index) => statuses.filter((all) => all[index] === 200).length)
  expect(winners.filter((won) => won !== 1)).toEqual([])
  expect(new Set(statuses.flat())).toEqual(new Set([200, 401]))
})
