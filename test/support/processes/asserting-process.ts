import { createAuthorizationServer, defineSite } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { privateKeyJwt } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import type { JSONWebKeySet } from 'jose'
import pg from 'pg'

// A server in a process of its own, over the database and the site that it is started with, for a client that signs.
// It answers with the status of each assertion that it is sent, in their order.

const [connectionString, name = ''] = process.argv.slice(2)
const ISSUER = 'https://school.example'
const IN_FLIGHT = 8
const page = (): Response => new Response('page')
const pool = new pg.Pool({ connectionString, max: 4, application_name: 'asserting' })
const store = createPostgresStore({ execute: (sql, values) => pool.query(sql, values), site: name })
let jwks: JSONWebKeySet = { keys: [] }
const site = defineSite({
  issuer: ISSUER,
  name: 'School',
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null,
  blocks: [privateKeyJwt({ keysOf: async () => jwks })],
})
// One of the processes does.
await store.insertClient(
  defineClient({
    clientId: 'notes',
    kind: 'member',
    name: 'Notes',
    redirectUris: ['https://notes.example/cb'],
    scopes: ['account:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    createdAt: site.now(),
  }),
)
const router = createRouter(
  createAuthorizationServer(site, {
    keys: createKeyRing(site, { sealingSecret: 'a sealing secret of thirty-two characters' }),
    interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
  }),
)

interface Order {
  readonly jwks: JSONWebKeySet
  readonly assertions: readonly string[]
  /** How often each is sent. */
  readonly times: number
}

/** The status of a revocation of nothing, which a client that is itself may ask for. */
async function statusOf(assertion: string): Promise<number> {
  const body = new URLSearchParams({
    token: 'none',
    client_assertion: assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  })
  return (await router(new Request(`${ISSUER}/api/oauth/revoke`, { method: 'POST', body }))).status
}

process.on('message', (order: Order) => {
  jwks = order.jwks
  const all = order.assertions.flatMap((one) => Array.from({ length: order.times }, () => one))
  const statuses: number[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < all.length) {
      const index = next++
      statuses[index] = await statusOf(all[index]!)
    }
  }
  void Promise.all(Array.from({ length: IN_FLIGHT }, work)).then(() => process.send!(statuses))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
