import { defineClient } from 'hallpass/clients'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import type { BlockName } from '../blocks/names.js'
import type { Services } from '../services/services.js'

const SERVICE = 'course-export'

/** The public key of a client that signs. Its private key is in the file of `hallpass-audit` for this demo. */
const SIGNER_KEY = {
  kty: 'EC',
  crv: 'P-256',
  alg: 'ES256',
  use: 'sig',
  kid: 'term-planner-demo',
  x: 'xlE4r2wXyr5m_qyxe-sQaxM5wvE7fbd0Ht4J6F_1SVU',
  y: 'eEASBJqRBnimipJluW9bI6-aUOnH0ZQCx-ZoEPBnci8',
}

/** Inserts the clients of the demo that need an opt-in block, if it is on and they are missing. */
export async function seedBlockClients({
  blocks,
  store,
  services,
  now: createdAt,
}: {
  blocks: readonly BlockName[]
  store: Store
  services: Pick<Services, 'add'>
  now: number
}): Promise<void> {
  if (blocks.includes('private-key-jwt'))
    await store.insertClient(
      defineClient({
        clientId: 'term-planner',
        kind: 'member',
        name: 'Term Planner',
        description: 'Puts your lectures into your calendar.',
        redirectUris: ['http://127.0.0.1:7777/callback'],
        tokenEndpointAuthMethod: 'private_key_jwt',
        keys: { jwks: { keys: [SIGNER_KEY] }, jwksUri: null, signingAlg: null },
        scopes: ['account:read'],
        createdAt,
      }),
    )
  if (!blocks.includes('client-credentials')) return
  const inserted = await store.insertClient(
    defineClient({
      clientId: SERVICE,
      kind: 'vendor',
      name: 'Course export',
      description: 'Copies the list of courses each night.',
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: [{ hash: hashToken('course-export-demo-secret'), expiresAt: null }],
      redirectUris: [],
      scopes: ['courses:read'],
      createdAt,
    }),
  )
  if (inserted !== 'exists')
    await services.add({ clientId: SERVICE, role: 'manager' }, { actor: 'mem_l02', at: createdAt })
}
