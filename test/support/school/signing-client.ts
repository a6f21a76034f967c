import {
  createAuthorizationServer,
  defineSite,
  type FaultNotice,
  type RefusalNotice,
  type SiteEvent,
  type SiteOptions,
} from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { privateKeyJwt } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client, RefusalReason } from 'hallpass/policy'
import { schoolRoles, type SchoolScope, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { expectTypeOf } from 'vitest'
import { keepCode } from './kept-token.js'
import { T } from './school.js'
import type { AssertionReason } from '../../../src/policy/client-assertion.js'

/** How long a call may take on a busy machine. A test that waits for the end of one names a shorter time. */
export const PATIENT_MILLISECONDS = 60_000

export const ISSUER = 'https://school.example'
export const TOKEN = `${ISSUER}/api/oauth/token`
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const REDIRECT = 'https://notes.example/cb'
export const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const PAGE = (): Response => new Response('page')
export const INTERACT = {
  currentPerson: async () => null,
  signIn: PAGE,
  consent: PAGE,
  error: PAGE,
}
export const SEALING = { sealingSecret: 'a sealing secret of thirty-two characters' }
export const NOTES: Client = defineClient({
  clientId: 'notes',
  kind: 'member',
  name: 'Notes',
  redirectUris: [REDIRECT],
  scopes: ['account:read'],
  tokenEndpointAuthMethod: 'private_key_jwt',
  createdAt: T,
})

export type Fields = Readonly<Record<string, string>>

/** A school whose client `notes` signs with a key of ES256. */
export async function createSigningSchool({
  store = createMemoryStore(),
  options = {},
  now = () => T,
  site: own = {},
  withBlock = true,
}: {
  store?: Store
  options?: Partial<Parameters<typeof privateKeyJwt>[0]>
  now?: () => number
  site?: Partial<SiteOptions<SchoolScope>>
  withBlock?: boolean
} = {}) {
  const refusals: RefusalNotice<AssertionReason>[] = []
  const faults: FaultNotice[] = []
  const events: SiteEvent[] = []
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  const jwks = { keys: [await jose.exportJWK(publicKey)] }
  const method = privateKeyJwt({ keysOf: async () => jwks, ...options })
  const site = defineSite({
    issuer: ISSUER,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    now,
    callDeadlineMilliseconds: PATIENT_MILLISECONDS,
    ...own,
    findPerson: async (subject) => ({
      subject,
      orgId: 'school.example',
      roles: ['owner'],
      name: 'Ines',
      email: null,
      picture: null,
    }),
    blocks: withBlock ? [method] : [],
    onRefusal: (notice) => {
      expectTypeOf(notice.reason).toEqualTypeOf<RefusalReason | AssertionReason>()
      refusals.push(notice)
    },
    onFault: (fault) => faults.push(fault),
    onEvent: (event) => events.push(event),
  })
  const keys = createKeyRing(site, SEALING)
  await keys.maintain()
  const server = createAuthorizationServer(site, {
    keys,
    interact: INTERACT,
    introspectionClientIds: ['notes'],
  })
  await store.insertClient(NOTES)
  const issue = async (name: string, clientId = 'notes'): Promise<unknown> =>
    keepCode(store, {
      codeHash: hashToken(name),
      grantId: `grant_${name}`,
      clientId,
      subject: 'per_ines',
      scopes: ['openid', clientId === 'notes' ? 'account:read' : 'courses:read'],
      resource: ISSUER,
      redirectUri: REDIRECT,
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      issuedAt: now(),
    })
  const sign = (
    claims: object = {},
    key: jose.CryptoKey = privateKey,
    alg = 'ES256',
    header: object = {},
  ) =>
    new jose.SignJWT({
      iss: 'notes',
      sub: 'notes',
      aud: ISSUER,
      exp: now() + 60,
      jti: crypto.randomUUID(),
      ...claims,
    })
      .setProtectedHeader({ alg, ...header })
      .sign(key)
  const router = createRouter(server)
  const post = async (path: string, fields: Fields, headers: Fields = {}): Promise<Response> =>
    router(
      new Request(`${ISSUER}/api/oauth/${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      }),
    )
  const redeem = async (name: string, fields: Fields, headers: Fields = {}) => {
    const before = refusals.length
    const response = await post(
      'token',
      {
        grant_type: 'authorization_code',
        code: name,
        code_verifier: VERIFIER,
        redirect_uri: REDIRECT,
        resource: ISSUER,
        ...fields,
      },
      headers,
    )
    return [response.status, refusals[before]?.reason ?? null] as const
  }
  return { site, store, server, router, jwks, issue, sign, post, redeem, refusals, faults, events, keys, method, privateKey } // prettier-ignore
}
export type SigningSchool = Awaited<ReturnType<typeof createSigningSchool>>

export const form = (assertion: string): Fields => ({
  client_assertion: assertion,
  client_assertion_type: TYPE,
})
export const part = (value: unknown): string => jose.base64url.encode(JSON.stringify(value))
