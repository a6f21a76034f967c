import { clientCredentials, clientSecretBasic, deviceGrant, privateKeyJwt } from 'hallpass/blocks'
import { createClientManagement, decideManager, defineClient } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import { authorizationUrl } from '../support/school/flow.js'
import { ACME, createBrowser, createSchool, ISSUER, OWNER, T } from '../support/school/school.js'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const URL_OF_DOCUMENT = 'https://notes.example/client.json'
const { publicKey } = await jose.generateKeyPair('ES256')
const jwks = { keys: [{ ...(await jose.exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] }

type Method = 'none' | 'client_secret_post' | 'private_key_jwt'
interface Kind {
  readonly method: Method
  readonly uris: readonly string[]
  readonly name?: string
  readonly grants?: readonly string[]
}
const WEB = ['https://notes.example/cb']
const KINDS = {
  'web, with a secret': { method: 'client_secret_post', uris: WEB },
  'web, with a key': { method: 'private_key_jwt', uris: WEB },
  'a page of a browser': { method: 'none', uris: WEB },
  'native, on loopback': { method: 'none', uris: ['http://127.0.0.1/cb'] },
  'native, on loopback, with a secret': { method: 'client_secret_post', uris: ['http://127.0.0.1/cb'] },
  'native, with a scheme of its own': { method: 'none', uris: ['com.example.notes:/cb'] },
  'a vendor': { method: 'none', uris: [ACME.redirectUris[0]!], name: ACME.name },
  'a device': { method: 'none', uris: [], grants: [DEVICE_GRANT] },
  'a device named like a vendor': { method: 'none', uris: [], grants: [DEVICE_GRANT], name: ACME.name },
  'a device with a secret': { method: 'client_secret_post', uris: [], grants: [DEVICE_GRANT, 'refresh_token'] },
  'a device with a key': { method: 'private_key_jwt', uris: [], grants: [DEVICE_GRANT] },
  'a service with a secret': { method: 'client_secret_post', uris: [], grants: ['client_credentials'] },
  'a service with a key': { method: 'private_key_jwt', uris: [], grants: ['client_credentials'] },
  'no redirect URI and no grant': { method: 'none', uris: [] },
} as const satisfies Record<string, Kind> // prettier-ignore

const NOT_LOOPBACK = 'redirect_uri_not_loopback'
const NEEDS_URIS = 'document_redirect_uris_malformed'
const NO_SECRET = 'document_auth_method_not_supported'
const NO_NAME = 'client_name_not_a_vendor'
const MISSING = 'redirect_uris_missing'
const NO_METHOD = 'auth_method_not_supported'
const NO_GRANT = 'grant_types_not_supported'

/** What each door says: registration, a document, `defineClient`, and `create` of client management. */
type Row = readonly [registration: string, document: string, define: string, create: string]
const WITHOUT_BLOCKS: Record<keyof typeof KINDS, Row> = {
  'web, with a secret': [NOT_LOOPBACK, NO_SECRET, 'ok', 'ok'],
  'web, with a key': [NOT_LOOPBACK, NO_SECRET, 'ok', NO_METHOD],
  'a page of a browser': [NOT_LOOPBACK, 'ok', 'ok', 'ok'],
  'native, on loopback': ['ok', 'ok', 'ok', 'ok'],
  'native, on loopback, with a secret': ['ok', NO_SECRET, 'ok', 'ok'],
  'native, with a scheme of its own': [NOT_LOOPBACK, 'document_redirect_uri_of_other_host', 'ok', 'ok'],
  'a vendor': ['acme-agents', 'document_name_resembles_vendor', 'ok', 'ok'],
  'a device': [NO_GRANT, NEEDS_URIS, 'ok', MISSING],
  'a device named like a vendor': ['acme-agents', NEEDS_URIS, 'ok', MISSING],
  'a device with a secret': [NO_GRANT, NEEDS_URIS, 'ok', MISSING],
  'a device with a key': [NO_GRANT, NEEDS_URIS, 'ok', MISSING],
  'a service with a secret': [NO_GRANT, NEEDS_URIS, 'ok', MISSING],
  'a service with a key': [NO_GRANT, NEEDS_URIS, 'ok', MISSING],
  'no redirect URI and no grant': [NO_NAME, NEEDS_URIS, 'ok', MISSING],
} // prettier-ignore
const WITH_BLOCKS: Record<keyof typeof KINDS, Row> = {
  ...WITHOUT_BLOCKS,
  'web, with a key': [NOT_LOOPBACK, 'ok', 'ok', 'ok'],
  'a device': ['ok', 'ok', 'ok', 'ok'],
  'a device named like a vendor': ['ok', 'document_name_resembles_vendor', 'ok', 'ok'],
  'a device with a secret': ['ok', NO_SECRET, 'ok', 'ok'],
  'a device with a key': [NO_METHOD, 'ok', 'ok', 'ok'],
  // A service that no manager knows could do nothing. Managers create theirs with `createService`, which needs no method.
  'a service with a secret': [NO_GRANT, NO_SECRET, 'ok', 'ok'],
  'a service with a key': [NO_GRANT, 'ok', 'ok', 'ok'],
  'no redirect URI and no grant': [NO_NAME, NEEDS_URIS, 'ok', 'ok'],
}

async function openDoors(isWithBlocks: boolean) {
  const store = createMemoryStore()
  const blocks = isWithBlocks
    ? [
        privateKeyJwt(),
        clientSecretBasic(),
        deviceGrant({ page: () => new Response('') }),
        clientCredentials({ serviceOf: () => null }),
      ]
    : []
  let published: object = {}
  const school = await createSchool({
    store,
    options: {
      vendors: [ACME],
      documents: {
        openRegistration: true,
        fetchDocument: async () => Response.json(published),
      },
      blocks,
    },
  })
  school.signedIn = { subject: OWNER.subject, authTime: T }
  const ofOwner = decideManager({ person: OWNER, table: school.site.roles })
  if (!ofOwner.ok) throw new Error(ofOwner.reason)
  const management = createClientManagement(school.site)
  const metadataOf = ({ method, uris, name = 'Notes', grants }: Kind): Record<string, unknown> => ({
    client_name: name,
    ...(uris.length > 0 && { redirect_uris: uris }),
    token_endpoint_auth_method: method,
    ...(grants && { grant_types: grants }),
    ...(method === 'private_key_jwt' && { jwks }),
  })

  async function register(
    metadata: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    school,
    register,
    metadataOf,
    async rowOf(kind: Kind): Promise<Row> {
      const { status, body } = await register(metadataOf(kind))
      const id = String(body['client_id'])
      const registration =
        status !== 201 ? school.refusals.at(-1)!.reason : id.startsWith('app_') ? 'ok' : id

      published = { ...metadataOf(kind), client_id: URL_OF_DOCUMENT }
      const url = `${URL_OF_DOCUMENT}?${crypto.randomUUID()}`
      published = { ...published, client_id: url }
      await createBrowser(school).open(authorizationUrl({ client_id: url }))
      const document =
        (await store.findClient(url)) === null ? school.refusals.at(-1)!.reason : 'ok'

      const { method: tokenEndpointAuthMethod, uris: redirectUris, name = 'Notes' } = kind
      const hash = hashToken('a secret')
      const client = defineClient({
        clientId: 'own',
        kind: 'vendor',
        name,
        redirectUris,
        tokenEndpointAuthMethod,
        secrets:
          tokenEndpointAuthMethod === 'client_secret_post' ? [{ hash, expiresAt: null }] : [],
        scopes: ['courses:read'],
        createdAt: T,
      })
      const created = await management.create(ofOwner.manager, {
        name,
        description: null,
        icon: null,
        redirectUris,
        tokenEndpointAuthMethod,
        keys: tokenEndpointAuthMethod === 'private_key_jwt' ? JSON.stringify(jwks) : null,
        scopes: ['account:read'],
      })
      return [
        registration,
        document,
        client.redirectUris.length === redirectUris.length ? 'ok' : 'other',
        created.ok ? 'ok' : created.reason,
      ]
    },
  }
}

describe.each([
  ['without blocks', false, WITHOUT_BLOCKS],
  ['with blocks', true, WITH_BLOCKS],
] as const)('%s, at each door', (_, isWithBlocks, table) => {
  it.each(Object.entries(KINDS))('%s has the outcome of the table', async (name, kind) => {
    const doors = await openDoors(isWithBlocks)
    expect(await doors.rowOf(kind)).toEqual(table[name as keyof typeof KINDS])
  })
})

describe('a registration', () => {
  it('of a device says which grants it has, and that it has no response type', async () => {
    const { register, metadataOf } = await openDoors(true)
    const { body } = await register(metadataOf(KINDS['a device']))
    expect(body).toMatchObject({
      redirect_uris: [],
      grant_types: ['refresh_token', DEVICE_GRANT],
      response_types: [],
      token_endpoint_auth_method: 'none',
    })
  })

  it.each([
    [false, 'none or client_secret_post', 'authorization_code'],
    [true, 'none or client_secret_post or client_secret_basic', `authorization_code or ${DEVICE_GRANT}`],
  ] as const)('is refused with every method and grant that the server takes: with blocks %s', async (isWithBlocks, methods, grants) => {
    const { register, metadataOf } = await openDoors(isWithBlocks)
    const native = metadataOf(KINDS['native, on loopback'])
    const wrongMethod = await register({ ...native, token_endpoint_auth_method: 'tls_client_auth' })
    expect(wrongMethod.body['error_description']).toBe(`token_endpoint_auth_method must be ${methods}`)
    const wrongGrant = await register({ ...native, grant_types: ['implicit'] })
    expect(wrongGrant.body['error_description']).toBe(`grant_types must include ${grants}`)
  }) // prettier-ignore
})
