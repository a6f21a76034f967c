import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import { createKeys, type Keys, secondsNow, type Sign, signing } from './jwts.js'
import { CALLBACK, MEMBER_SCOPES, type Service } from './service.js'

export const SECRET = 'a secret of a client of the attacks'
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Fields = Parameters<typeof defineClient>[0]

/** Stores a client of Lantern Street: an app of its members with Study Buddy's callback, unless told otherwise. */
export async function addClient(
  { store, secrets }: Service,
  fields: Partial<Fields> & Pick<Fields, 'clientId'>,
): Promise<Client> {
  const client = defineClient({
    kind: 'member',
    name: `Attacks ${fields.clientId}`,
    redirectUris: [CALLBACK],
    scopes: (fields.kind ?? 'member') === 'member' ? ['account:read'] : null,
    createdAt: secondsNow(),
    ...fields,
  })
  if ((await store.lantern.insertClient(client)) !== 'inserted')
    throw new Error(`${client.clientId} exists`)
  secrets.add(SECRET)
  return client
}

/** Fields of a client with {@link SECRET}. */
export const withSecret = (): Pick<Fields, 'tokenEndpointAuthMethod' | 'secrets'> => ({
  tokenEndpointAuthMethod: 'client_secret_post',
  secrets: [{ hash: hashToken(SECRET), expiresAt: null }],
})

export const basic = (id: string, secret: string): { readonly authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** A client that signs, and how it signs. */
export interface Signer {
  readonly clientId: string
  readonly keys: Keys
  /** Signs an assertion for Lantern Street, with changes. */
  readonly sign: Sign
}

/** Stores a client that signs with ES256. */
export async function addSigner(
  service: Service,
  { clientId, ...fields }: Partial<Fields> & Pick<Fields, 'clientId'>,
): Promise<Signer> {
  const keys = await createKeys()
  await addClient(service, {
    clientId,
    tokenEndpointAuthMethod: 'private_key_jwt',
    keys: { jwks: { keys: [{ ...keys.jwk, kid: 'k1' }] }, jwksUri: null, signingAlg: null },
    ...fields,
  })
  const now = secondsNow()
  const right = { iss: clientId, sub: clientId, aud: service.origin.lantern, iat: now, exp: now + 240 } // prettier-ignore
  return { clientId, keys, sign: signing(keys, right, 'ES256') }
}

/** The fields with which a client sends an assertion. */
export const asserting = (assertion: string | readonly string[]) => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: assertion,
})

/** The grant of a member with one of these clients. */
export const grantOf = (clientId: string) => ({
  clientId,
  subject: 'mem_l05',
  scopes: MEMBER_SCOPES,
})
