// signing.ts
import { createServer, defineSite } from 'hallpass'
import { ASSERTION_REFUSALS, type Interact, privateKeyJwt } from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { findPerson, record, store } from './yours.js'

declare const interact: Interact // your pages
declare const sealingSecret: string
declare const keySets: ReadonlyMap<string, { keys: object[] }> // the public keys that a client gave you

const site = defineSite({
  issuer: 'https://school.example',
  name: 'My School',
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson,
  refusals: [ASSERTION_REFUSALS],
  onRefusal: record, // `reason` is also that of an assertion
})
const keysOf = async ({ clientId }: { clientId: string }) => keySets.get(clientId) ?? null
const clientAuthentication = [privateKeyJwt({ keysOf, once: store })]
export const server = createServer(site, { interact, sealingSecret, clientAuthentication })

await store.insertClient(
  defineClient({
    clientId: 'report-archive',
    kind: 'member',
    name: 'Report Archive',
    redirectUris: ['https://archive.example/callback'],
    scopes: ['account:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    createdAt: Math.floor(Date.now() / 1000),
  }),
)
