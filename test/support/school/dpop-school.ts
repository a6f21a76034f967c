import {
  createAuthorizationServer,
  createProtectedResource,
  defineSite,
  type FaultNotice,
  type RefusalNotice,
  type SiteEvent,
} from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { dpop } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client, RefusalReason } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { expectTypeOf } from 'vitest'
import { keepCode } from './kept-token.js'
import type { DpopReason } from '../../../src/policy/dpop-proof.js'
import { T } from './school.js'
import {
  INTERACT,
  ISSUER,
  PATIENT_MILLISECONDS,
  REDIRECT,
  SEALING,
  TOKEN,
  VERIFIER,
} from './signing-client.js'

export const NONCE_SECRET = 'a secret of nonces with forty characters'
const SECRET = 'the secret of the confidential client'

/** A client of each kind: `notes` is public, `desk` has a secret, `strict` gets bound tokens only. */
const CLIENTS: readonly Client[] = [
  { clientId: 'notes' },
  {
    clientId: 'desk',
    tokenEndpointAuthMethod: 'client_secret_post' as const,
    secrets: [{ hash: hashToken(SECRET), expiresAt: null }],
  },
  { clientId: 'strict', dpopBoundAccessTokens: true },
].map((fields) =>
  defineClient({
    kind: 'member',
    name: fields.clientId,
    redirectUris: [REDIRECT],
    scopes: ['account:read'],
    createdAt: T,
    ...fields,
  }),
)

export interface Keys {
  readonly privateKey: jose.CryptoKey
  readonly jwk: jose.JWK
  readonly jkt: string
}

export async function createKeys(alg = 'ES256'): Promise<Keys> {
  const { privateKey, publicKey } = await jose.generateKeyPair(alg)
  const jwk = await jose.exportJWK(publicKey)
  return { privateKey, jwk, jkt: await jose.calculateJwkThumbprint(jwk) }
}

/** What a response of the token endpoint has. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly error?: string
}

/** A school with `dpop`, unless `without`. */
export async function createDpopSchool({
  store = createMemoryStore(),
  options = {},
  without = false,
  refreshPolicies,
  callDeadlineMilliseconds = PATIENT_MILLISECONDS,
}: {
  store?: Store
  options?: Partial<Parameters<typeof dpop>[0]>
  without?: boolean
  refreshPolicies?: Parameters<typeof createAuthorizationServer>[1]['refreshPolicies']
  callDeadlineMilliseconds?: number
} = {}) {
  let now = T
  const clock = {
    now: () => now,
    advance(seconds: number) {
      now += seconds
    },
  }
  const refusals: RefusalNotice<DpopReason>[] = []
  const faults: FaultNotice[] = []
  const events: SiteEvent[] = []
  const site = defineSite({
    issuer: ISSUER,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    now: clock.now,
    callDeadlineMilliseconds,
    findPerson: async (subject) => ({
      subject,
      orgId: 'school.example',
      roles: ['owner'],
      name: 'Ines',
      email: null,
      picture: null,
    }),
    blocks: without ? [] : [dpop({ ...options })],
    onEvent: (event) => events.push(event),
    onRefusal: (notice) => {
      expectTypeOf(notice.reason).toEqualTypeOf<RefusalReason | DpopReason>()
      refusals.push(notice)
    },
    onFault: (fault) => faults.push(fault),
  })
  const keys = createKeyRing(site, SEALING)
  await keys.maintain()
  const server = createAuthorizationServer(site, {
    keys,
    interact: INTERACT,
    introspectionClientIds: ['desk'],
    ...(refreshPolicies !== undefined && { refreshPolicies }),
  })
  for (const client of CLIENTS) await store.insertClient(client)
  const router = createRouter(server)
  const gate = createProtectedResource(site).gate('account:read')

  const proofFor = (
    { privateKey, jwk }: Keys,
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> =>
    new jose.SignJWT({
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: TOKEN,
      iat: now,
      ...claims,
    })
      .setProtectedHeader({
        typ: 'dpop+jwt',
        alg: jwk.kty === 'EC' ? 'ES256' : 'EdDSA',
        jwk,
        ...header,
      }) // prettier-ignore
      .sign(privateKey)
  /** Issues a code of a client, with the name of the code as its value. */
  const issue = (name: string, clientId = 'notes', boundTo?: string): Promise<unknown> =>
    keepCode(store, {
      codeHash: hashToken(name),
      grantId: `grant_${name}`,
      clientId,
      subject: 'per_ines',
      scopes: ['openid', 'account:read'],
      resource: ISSUER,
      redirectUri: REDIRECT,
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      issuedAt: now,
      ...(boundTo !== undefined && { boundTo }),
    })
  /** Sends a form, and returns the response with why it was refused. */
  async function post(
    path: string,
    fields: Readonly<Record<string, string>>,
    proof: string | null = null,
  ) {
    const before = refusals.length
    const response = await router(
      new Request(`${ISSUER}/api/oauth/${path}`, {
        method: 'POST',
        body: new URLSearchParams({
          ...fields,
          ...(fields['client_id'] === 'desk' && { client_secret: SECRET }),
        }),
        headers: proof === null ? {} : { dpop: proof },
      }),
    )
    const body = (await response.json()) as Tokens
    return { status: response.status, body, response, reason: refusals[before]?.reason ?? null }
  }
  const redeem = (code: string, proof: string | null = null, client_id = 'notes') =>
    post(
      'token',
      {
        grant_type: 'authorization_code',
        client_id,
        code,
        code_verifier: VERIFIER,
        redirect_uri: REDIRECT,
        resource: ISSUER,
      },
      proof,
    )
  const refresh = (refresh_token: string, proof: string | null = null, client_id = 'notes') =>
    post('token', { grant_type: 'refresh_token', client_id, refresh_token }, proof)
  /** Calls UserInfo. */
  async function userinfo(authorization: string | null, proof: string | null = null) {
    const before = refusals.length
    const headers = new Headers()
    if (authorization !== null) headers.set('authorization', authorization)
    if (proof !== null) headers.set('dpop', proof)
    const response = await router(new Request(`${ISSUER}/api/oauth/userinfo`, { headers }))
    return { status: response.status, response, reason: refusals[before]?.reason ?? null }
  }
  /** A proof for a resource. */
  const proofOf = (
    keysOf: Keys,
    token: string,
    claims: Readonly<Record<string, unknown>> = {},
  ): Promise<string> =>
    proofFor(keysOf, {
      htm: 'GET',
      htu: `${ISSUER}/api/oauth/userinfo`,
      ath: hashToken(token),
      ...claims,
    })
  return { site, store, keys, server, router, gate, clock, refusals, faults, events, proofFor, proofOf, issue, post, redeem, refresh, userinfo } // prettier-ignore
}
