import { createAuthorizationServer, defineSite } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import {
  clientCredentials,
  clientSecretBasic,
  deviceGrant,
  dpop,
  identityAssertion,
  privateKeyJwt,
  pushedRequests,
} from 'hallpass/blocks'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'
import * as jose from 'jose'
import { createOffice, DRAFT, MANAGER } from '../../clients/support.js'
import { IDP, ISSUER } from '../../support/school/asserting-client.js'
import { T } from '../../support/school/school.js'
import { form, INTERACT, REDIRECT, SEALING } from '../../support/school/signing-client.js'
import {
  createDocumentSchool,
  DOCUMENT_URL,
  JWKS_URL,
  METADATA,
  published,
} from '../../support/school/signing-document.js'
import type { Json } from './watch.js'
import { type Form, signed } from './form.js'

export async function ofRegistration(): Promise<Form> {
  const store = createMemoryStore()
  const reasons: string[] = []
  const PAGE = (): Response => new Response('page')
  const site = defineSite({
    issuer: ISSUER,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    now: () => T,
    findPerson: async () => null,
    blocks: [
      clientSecretBasic(),
      privateKeyJwt(),
      clientCredentials({ serviceOf: () => null }),
      deviceGrant({ page: PAGE }),
      identityAssertion({
        fetchKeys: async () => new Response(),
        providers: { [IDP]: { jwksUri: `${IDP}/jwks`, clients: ['a'], personOf: () => null } },
      }),
      dpop(),
      pushedRequests(),
    ],
    onRefusal: ({ reason }) => reasons.push(reason),
  })
  const keys = createKeyRing(site, SEALING)
  await keys.maintain()
  const server = createAuthorizationServer(site, {
    keys,
    interact: INTERACT,
  })
  const router = createRouter(server)
  const loopback = { client_name: 'Notes', redirect_uris: ['http://127.0.0.1/callback'] }
  const about = {
    client_uri: 'https://notes.example/',
    policy_uri: 'https://notes.example/p',
    tos_uri: 'https://notes.example/t',
    logo_uri: 'https://notes.example/l',
    contacts: ['ines@notes.example'],
  }
  return {
    name: 'registration',
    examples: [
      [loopback],
      [
        {
          ...loopback,
          ...about,
          application_type: 'native',
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      [
        {
          ...loopback,
          token_endpoint_auth_method: 'client_secret_basic',
          dpop_bound_access_tokens: true,
        },
      ],
      [{ ...loopback, grant_types: ['authorization_code'], response_types: ['code'] }],
    ],
    async ask([body]) {
      const before = reasons.length
      const response = await router(
        new Request(`${ISSUER}/api/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: body!,
        }),
      )
      const drawn = { client_id: undefined, client_secret: undefined }
      const said = { ...((await response.json()) as Json), ...drawn }
      return `${response.status} ${reasons[before] ?? JSON.stringify(said)}`
    },
  }
}

/** Keys of a client, within its document or at an address, and what is refused with them. */
export async function ofDocument(name: string, place: 'document' | 'keys'): Promise<Form> {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one' }
  const { jwks_uri: _, ...metadata } = METADATA
  const open = { client_id: DOCUMENT_URL, client_name: 'Notes', redirect_uris: [REDIRECT] }
  const full = { ...jwk, use: 'sig', alg: 'ES256', key_ops: ['verify'] }
  return {
    name,
    examples:
      place === 'keys'
        ? [
            [{ keys: [jwk] }],
            [{ keys: [full] }],
            [{ keys: [{ ...jwk, kty: 'RSA', n: 'n', e: 'AQAB' }, jwk] }],
          ]
        : [
            [open],
            [METADATA],
            [{ ...metadata, jwks: { keys: [full] } }],
            [
              {
                ...METADATA,
                contacts: ['ines@notes.example'],
                token_endpoint_auth_method: undefined,
                token_endpoint_auth_methods_supported: ['private_key_jwt'],
              },
            ],
          ],
    async ask([body]) {
      const school = await createDocumentSchool()
      const answer = () => new Response(body, { headers: { 'content-type': 'application/json' } })
      school.hosts.set(DOCUMENT_URL, place === 'document' ? answer : METADATA)
      school.hosts.set(JWKS_URL, place === 'keys' ? answer : () => published({ keys: [full] }))
      const connected = await school.connect()
      const exchanged = await school.exchange({ privateKey, jwk })
      const client = await school.store.findClient(DOCUMENT_URL)
      return `${connected ?? 'connected'}, ${exchanged.join(' ')}: ${client && JSON.stringify({ ...client, document: null })}`
    },
  }
}

export async function ofClientAssertion(): Promise<Form> {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one' }
  const claims = { iss: DOCUMENT_URL, sub: DOCUMENT_URL, aud: ISSUER, exp: T + 60, jti: 'j' }
  let codes = 0
  return {
    name: 'client assertion',
    examples: [
      [{ alg: 'ES256' }, claims],
      [
        { alg: 'ES256', kid: 'one', typ: 'JWT' },
        { ...claims, iat: T, nbf: T },
      ],
    ],
    async ask(texts) {
      const own = await createDocumentSchool()
      own.hosts.set(DOCUMENT_URL, { ...METADATA, jwks_uri: undefined, jwks: { keys: [jwk] } })
      await own.connect()
      const code = `code ${++codes}`
      await own.issue(code, DOCUMENT_URL)
      return (await own.redeem(code, form(await signed(texts, privateKey)))).join(' ')
    },
  }
}

export async function ofPastedKeys(): Promise<Form> {
  const { publicKey } = await jose.generateKeyPair('ES256')
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one' }
  return {
    name: 'keys that a manager pastes',
    examples: [
      [{ keys: [jwk] }],
      [{ keys: [{ ...jwk, use: 'sig', alg: 'ES256', key_ops: ['verify'] }] }],
    ],
    async ask([keys]) {
      const store = createMemoryStore()
      const { administration } = await createOffice({
        store,
        blocks: [privateKeyJwt()],
      })
      const draft = { ...DRAFT, tokenEndpointAuthMethod: 'private_key_jwt' as const, keys: keys! }
      const created = await administration.create(MANAGER, draft)
      return created.ok
        ? `created: ${Object.keys(created.client.keys!.jwks!.keys[0]!).join()}`
        : JSON.stringify(created)
    },
  }
}
