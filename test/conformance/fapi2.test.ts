import { dpop, fapi2, privateKeyJwt, pushedRequests } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'
import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { ran } from '../openid/ran.js'
import { encode, type Fields, type Tokens } from '../support/school/flow.js'
import { createBrowser, createSchool, ISSUER, OWNER, type School } from '../support/school/school.js' // prettier-ignore
import { TYPE } from '../support/school/signing-client.js'
import { FAPI2_MODULES } from '../vectors/fapi2-plan.js'

const PLAN = 'fapi2-security-profile-final-'
const PAR = `${ISSUER}/api/oauth/par`
const TOKEN = `${ISSUER}/api/oauth/token`
const USERINFO = `${ISSUER}/api/oauth/userinfo`
const REFERENCE = /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/

/** A key pair, with its thumbprint. */
interface Key {
  readonly alg: string
  readonly privateKey: jose.CryptoKey
  readonly publicKey: jose.CryptoKey
  readonly jwk: jose.JWK
  readonly jkt: string
}

async function newKey(alg = 'ES256'): Promise<Key> {
  const { privateKey, publicKey } = await jose.generateKeyPair(alg, { extractable: true })
  const jwk = await jose.exportJWK(publicKey)
  return { alg, privateKey, publicKey, jwk, jkt: await jose.calculateJwkThumbprint(jwk) }
}

/** One of the two clients of the plan: its keys for assertions and for proofs. */
interface Party {
  readonly clientId: string
  readonly redirectUri: string
  readonly signing: Key
  proving: Key
}

let school: School
let first: Party
let second: Party
/** The client of the one module that needs an RSA key. */
let rsa: Party

async function party(clientId: string, alg = 'ES256'): Promise<Party> {
  const redirectUri = `https://${clientId}.example/callback`
  return { clientId, redirectUri, signing: await newKey(alg), proving: await newKey() }
}

const clientOf = ({ clientId, redirectUri }: Party): Client =>
  defineClient({
    clientId,
    // An operator client needs no `resource`, which the suite does not send.
    kind: 'vendor',
    name: clientId,
    // The suite registers two for the second client, one of them with a query.
    redirectUris: [redirectUri, `${redirectUri}?dummy1=lorem&dummy2=ipsum`],
    tokenEndpointAuthMethod: 'private_key_jwt',
    createdAt: 1,
  })

/** Creates a school with the profile, which has the three clients. */
async function createProfileSchool(): Promise<School> {
  const parties = [first, second, rsa]
  const store = createMemoryStore()
  const keysOf = async ({ clientId }: Client): Promise<{ keys: readonly jose.JWK[] } | null> => {
    const found = parties.find((one) => one.clientId === clientId)
    return found ? { keys: [found.signing.jwk] } : null
  }
  const blocks = [fapi2(), dpop(), privateKeyJwt({ keysOf }), pushedRequests({ required: true })]
  const made = await createSchool({ store, options: { blocks } })
  for (const one of parties) await store.insertClient(clientOf(one))
  return made
}

beforeAll(async () => {
  ;[first, second, rsa] = await Promise.all([party('one'), party('two'), party('three', 'PS256')])
  school = await createProfileSchool()
})

const now = (): number => school.clock.now

type Claims = Readonly<Record<string, unknown>>

/** Signs an assertion as the suite does: the issuer is its only audience, and it lasts for a minute. */
const assertionOf = (
  { clientId, signing }: Party,
  claims: Claims = {},
  { key = signing, alg = signing.alg }: { key?: Key; alg?: string } = {},
): Promise<string> =>
  new jose.SignJWT({ iss: clientId, sub: clientId, aud: ISSUER, jti: crypto.randomUUID(), iat: now(), exp: now() + 60, ...claims }) // prettier-ignore
    .setProtectedHeader({ alg })
    .sign(key.privateKey)

/** Signs a proof. */
const proofOf = (
  { alg, privateKey, jwk }: Key,
  claims: Claims,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new jose.SignJWT({ jti: crypto.randomUUID(), iat: now(), ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
    .sign(privateKey)

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: Readonly<Record<string, unknown>>
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await school.fetch(url, init)
  const text = await response.text()
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Answer['body']
  return { status: response.status, type: response.headers.get('content-type'), body }
}

/** Changes of a form; `assertion` and `proof` are their claims, and `null` leaves them out. */
interface Sent {
  readonly by?: Party
  readonly fields?: Fields
  readonly assertion?: Claims | string | null
  readonly proof?: Claims | string | null
  readonly provedBy?: Key
  readonly method?: string
}

async function post(
  url: string,
  own: Fields,
  {
    by = first,
    fields = {},
    assertion = {},
    proof = {},
    provedBy = by.proving,
    method = 'POST',
  }: Sent,
): Promise<Answer> {
  const signed =
    assertion === null || typeof assertion === 'string'
      ? assertion
      : await assertionOf(by, assertion)
  const proved =
    proof === null || typeof proof === 'string'
      ? proof
      : await proofOf(provedBy, { htm: 'POST', htu: url, ...proof })
  const body = encode({
    client_id: by.clientId,
    ...own,
    ...(signed !== null && { client_assertion: signed, client_assertion_type: TYPE }),
    ...fields,
  })
  return send(url, { method, body, headers: proved === null ? {} : { dpop: proved } })
}

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

const requestOf = ({ redirectUri }: Party): Fields => ({
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'openid profile',
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: sha256Base64url(VERIFIER),
  code_challenge_method: 'S256',
})

/** Pushes a request. No proof is sent here, unless the module says so. */
const push = ({ by = first, proof = null, ...sent }: Sent = {}): Promise<Answer> =>
  post(PAR, requestOf(by), { by, proof, ...sent })

/** Pushes a request that has to be accepted, with what the suite checks in each module. */
async function pushed(sent: Sent = {}): Promise<string> {
  const { status, type, body } = await push(sent)
  expect([status, type]).toEqual([201, 'application/json; charset=utf-8'])
  expect(body).toEqual({ request_uri: expect.stringMatching(REFERENCE), expires_in: 60 })
  return body['request_uri'] as string
}

/** The address of the browser. As the suite, it repeats the parameters, which have no effect. */
function addressOf(uri: string, by = first, changes: Fields = {}): URL {
  const url = new URL(`${ISSUER}/oauth/authorize`)
  url.search = encode({ ...requestOf(by), client_id: by.clientId, request_uri: uri, ...changes }).toString() // prettier-ignore
  return url
}

/** Opens an address as the person who is signed in, and decides. */
function visit(url: URL, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
  school.signedIn = { subject: OWNER.subject, authTime: now() }
  return createBrowser(school).authorize(url, decision)
}

/** Opens an address that has to show the error page. */
async function expectErrorPage(url: URL): Promise<void> {
  school.signedIn = { subject: OWNER.subject, authTime: now() }
  const response = await createBrowser(school).open(url)
  expect([response.status, response.headers.get('location'), school.view?.page]).toEqual([400, null, 'error']) // prettier-ignore
}

/** Pushes, signs in and allows. */
async function codeOf(sent: Sent = {}, changes: Fields = {}): Promise<string> {
  const by = sent.by ?? first
  const callback = await visit(addressOf(await pushed(sent), by, changes))
  const state = { ...requestOf(by), ...sent.fields }['state'] as string | null
  expect(`${callback.origin}${callback.pathname}`).toBe(by.redirectUri)
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({
    code: expect.stringMatching(/^[\w-]{43,}$/),
    iss: ISSUER,
    ...(state !== null && { state }),
  })
  if (state === null) expect(callback.searchParams.has('state')).toBe(false)
  return callback.searchParams.get('code')!
}

const exchange = (code: string, { by = first, ...sent }: Sent = {}): Promise<Answer> =>
  post(
    TOKEN,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: by.redirectUri,
      code_verifier: VERIFIER,
    },
    { by, ...sent },
  )

interface Completed {
  readonly code: string
  readonly tokens: Tokens
  readonly claims: jose.JWTPayload
}

/** Calls the resource of the plan, UserInfo, with a token and a proof. */
async function resource(
  token: string,
  {
    key = first.proving,
    claims = {},
    header = {},
    scheme = 'DPoP',
    name = 'dpop',
    url = USERINFO,
    make = async (proof: string): Promise<string | null> => proof,
  }: {
    key?: Key
    claims?: Claims
    header?: Claims
    scheme?: string
    name?: string
    url?: string
    make?: (proof: string) => Promise<string | null>
  } = {},
): Promise<number> {
  const own = { htm: 'GET', htu: USERINFO, ath: sha256Base64url(token), ...claims }
  const proof = await make(await proofOf(key, own, header))
  const headers = new Headers({ authorization: `${scheme} ${token}` })
  if (proof !== null) headers.set(name, proof)
  return (await send(url, { headers })).status
}

/** The whole flow, with what the suite checks in each of its modules. */
async function complete(
  sent: Sent = {},
  exchanged: Sent = {},
  called: Parameters<typeof resource>[1] = {},
): Promise<Completed> {
  const by = sent.by ?? first
  const code = await codeOf(sent)
  const { status, type, body } = await exchange(code, { by, ...exchanged })
  expect([status, type]).toEqual([200, 'application/json; charset=utf-8'])
  const tokens = body as unknown as Tokens
  expect(tokens).toMatchObject({ token_type: 'DPoP', expires_in: 3600 })
  expect(tokens.access_token).toMatch(/^[\w.~+/-]{22,}$/)
  const jwks = (await (await school.fetch(`${ISSUER}/.well-known/jwks.json`)).json()) as jose.JSONWebKeySet // prettier-ignore
  const { payload } = await jose.jwtVerify(tokens.id_token!, jose.createLocalJWKSet(jwks), {
    issuer: ISSUER,
    audience: by.clientId,
    algorithms: ['ES256'],
    currentDate: new Date(now() * 1000),
    requiredClaims: ['sub', 'iat', 'exp'],
  })
  const nonce = { ...requestOf(by), ...sent.fields }['nonce']
  expect(payload['nonce']).toBe(nonce ?? undefined)
  expect(await resource(tokens.access_token, { key: by.proving, ...called })).toBe(200)
  return { code, tokens, claims: payload }
}

/** Expects an error of a form, in JSON, with one of these codes. */
async function expectError(
  answer: Promise<Answer>,
  statuses: readonly number[],
  ...errors: readonly string[]
): Promise<void> {
  const { status, type, body } = await answer
  expect(statuses).toContain(status)
  expect(type).toBe('application/json; charset=utf-8')
  expect(errors).toContain(body['error'])
  expect(body['error_description']).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
}

const refresh = (token: string, { by = first, ...sent }: Sent = {}): Promise<Answer> =>
  post(TOKEN, { grant_type: 'refresh_token', refresh_token: token, scope: 'openid profile' }, { by, ...sent }) // prettier-ignore

const metadata = async (): Promise<Readonly<Record<string, unknown>>> =>
  (await send(`${ISSUER}/.well-known/openid-configuration`, {})).body

/** Does work in another school: one where no one has allowed anything. */
async function inNewSchool(work: () => Promise<void>): Promise<void> {
  const before = school
  school = await createProfileSchool()
  try {
    await work()
  } finally {
    school = before
  }
}

/** The same flow by openid-client, which pushes, proves and signs by itself. */
async function byOpenidClient({ clientId, redirectUri, signing, proving }: Party): Promise<void> {
  const { privateKey } = signing
  const config = await openid.discovery(
    new URL(ISSUER),
    clientId,
    undefined,
    openid.PrivateKeyJwt(privateKey, { [openid.modifyAssertion]: (_, claims) => void (claims['aud'] = ISSUER) }), // prettier-ignore
    { [openid.customFetch]: (url, init) => school.fetch(url, init as RequestInit) },
  )
  const DPoP = openid.getDPoPHandle(config, proving)
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
  const url = await openid.buildAuthorizationUrlWithPAR(
    config,
    {
      redirect_uri: redirectUri,
      scope: 'openid profile',
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      dpop_jkt: proving.jkt,
    },
    { DPoP },
  )
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(config, await visit(url), checks, undefined, {
    DPoP,
  })
  expect(tokens.token_type).toBe('dpop')
  const sub = tokens.claims()!.sub
  const about = await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP })
  expect(about.sub).toBe(sub)
  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP })
  expect(renewed.token_type).toBe('dpop')
}

/** The same flow by oauth4webapi. */
async function byOauth4webapi({ clientId, redirectUri, signing, proving }: Party): Promise<void> {
  const http = {
    [oauth.customFetch]: (url: string, init: object): Promise<Response> => school.fetch(url, init),
  }
  const issuer = new URL(ISSUER)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http)) // prettier-ignore
  const client: oauth.Client = { client_id: clientId }
  const auth = oauth.PrivateKeyJwt(signing.privateKey)
  const DPoP = oauth.DPoP(client, proving)
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const parameters = {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  const answered = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, { DPoP, ...http }) // prettier-ignore
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, answered)
  const url = new URL(as.authorization_endpoint!)
  url.search = new URLSearchParams({ client_id: clientId, request_uri }).toString()
  const validated = oauth.validateAuthResponse(as, client, await visit(url), state)
  const exchanged = await oauth.authorizationCodeGrantRequest(as, client, auth, validated, redirectUri, verifier, { DPoP, ...http }) // prettier-ignore
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchanged, { expectedNonce: nonce, requireIdToken: true }) // prettier-ignore
  expect(tokens.token_type).toBe('dpop')
  const response = await oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(USERINFO), undefined, undefined, { DPoP, ...http }) // prettier-ignore
  expect(response.status).toBe(200)
}

/** The calls of the DPoP module: what is changed, and whether the resource responds. */
const PROOFS: readonly (readonly [
  what: string,
  called: Parameters<typeof resource>[1],
  isAccepted: boolean,
])[] = [
  ['the scheme in upper case', { scheme: 'DPOP' }, true],
  ['two proofs', { make: async (proof) => `${proof}, ${proof}` }, false],
  ['no JWT', { make: async (proof) => proof.replaceAll('.', '') }, false],
  ['no typ', { header: { typ: undefined } }, false],
  ['no alg', { make: async (proof) => withHeader(proof, { alg: undefined }) }, false],
  ['no jwk', { header: { jwk: undefined } }, false],
  ['no jti', { claims: { jti: undefined } }, false],
  ['no htm', { claims: { htm: undefined } }, false],
  ['no htu', { claims: { htu: undefined } }, false],
  ['no iat', { claims: { iat: undefined } }, false],
  ['no ath', { claims: { ath: undefined } }, false],
  ['another typ', { header: { typ: 'dpop' } }, false],
  ['alg none', { make: async (proof) => `${withHeader(proof, { alg: 'none' }).split('.').slice(0, 2).join('.')}.` }, false],
  ['a wrong signature', { make: async (proof) => `${proof.slice(0, -8)}${proof.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'}` }, false],
  ['another method', { claims: { htm: 'PUT' } }, false],
  ['a query in htu', { claims: { htu: `${USERINFO}?a=b#c` } }, true],
  ['a query in the address', { url: `${USERINFO}?a=b` }, true],
  ['another address', { claims: { htu: `${ISSUER}/other` } }, false],
  ['another hash of the token', { claims: { ath: sha256Base64url('other') } }, false],
  ['further claims', { claims: { extra: 1 }, header: { extra: 1 } }, true],
  ['scheme and host of htu in upper case', { claims: { htu: USERINFO.replace(ISSUER, ISSUER.toUpperCase()) } }, true],
  ['the port of the scheme in htu', { claims: { htu: USERINFO.replace(ISSUER, `${ISSUER}:443`) } }, true],
  ['no proof', { make: async () => null }, false],
  ['no proof, as Bearer', { make: async () => null, scheme: 'Bearer' }, false],
  ['a proof, as Bearer', { scheme: 'Bearer' }, false],
] // prettier-ignore

/** Returns a JWT with another header and the same signature. */
function withHeader(jwt: string, changes: Claims): string {
  const [header = '', ...rest] = jwt.split('.')
  const changed = { ...(JSON.parse(new TextDecoder().decode(jose.base64url.decode(header))) as object), ...changes } // prettier-ignore
  return [jose.base64url.encode(JSON.stringify(changed)), ...rest].join('.')
}

type Check = () => Promise<void>

const PASSING: Readonly<Record<string, Check>> = {
  async 'discovery-end-point-verification'() {
    const said = await metadata()
    expect(said).toMatchObject({
      issuer: ISSUER,
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      pushed_authorization_request_endpoint: PAR,
      require_pushed_authorization_requests: true,
      token_endpoint: TOKEN,
      jwks_uri: expect.stringMatching(/^https:/),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      revocation_endpoint_auth_methods_supported: ['private_key_jwt'],
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      scopes_supported: expect.arrayContaining(['openid']),
      subject_types_supported: ['public'],
    })
    for (const member of [
      'dpop_signing_alg_values_supported',
      'id_token_signing_alg_values_supported',
      'token_endpoint_auth_signing_alg_values_supported',
    ]) {
      const algorithms = said[member] as readonly string[]
      expect(algorithms.length).toBeGreaterThan(0)
      for (const one of algorithms) expect(['PS256', 'ES256', 'EdDSA', 'Ed25519']).toContain(one)
    }
  },
  'user-rejects-authentication': () =>
    inNewSchool(async () => {
      for (const by of [first, second]) {
        const state = 's'.repeat(128)
        const callback = await visit(addressOf(await pushed({ by, fields: { state } }), by), 'deny')
        expect(Object.fromEntries(callback.searchParams)).toEqual({
          error: 'access_denied',
          error_description: expect.any(String),
          state,
          iss: ISSUER,
        })
      }
    }),
  async 'ensure-authorization-request-without-state-success'() {
    await complete({ fields: { state: null } })
  },
  async 'ensure-authorization-request-without-nonce-success'() {
    await complete({ fields: { nonce: null } })
  },
  async 'ensure-authorization-request-with-64-char-nonce-success'() {
    await complete({ fields: { nonce: 'n'.repeat(64) } })
  },
  async 'ensure-other-scope-order-succeeds'() {
    await complete({ fields: { scope: 'profile openid' } })
  },
  async 'access-token-type-header-case-sensitivity'() {
    await complete({}, {}, { scheme: 'dpOp' })
  },
  async 'check-dpop-proof-nbf-exp'() {
    const times = { nbf: now(), exp: now() + 300 }
    await complete({}, { proof: times }, { claims: times })
  },
  async 'ensure-dpopproof-with-iat-10seconds-before-succeeds'() {
    const times = { iat: now() - 10 }
    await complete({ proof: times }, { proof: times }, { claims: times })
  },
  async 'ensure-dpopproof-with-iat-10seconds-after-succeeds'() {
    const times = { iat: now() + 8 }
    await complete({ proof: times }, { proof: times }, { claims: times })
  },
  async 'ensure-mismatched-dpop-jkt-fails'() {
    const fields = { dpop_jkt: (await newKey()).jkt }
    await expectError(push({ proof: {}, fields }), [400], 'invalid_request', 'invalid_dpop_proof')
  },
  async 'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt'() {
    const provedBy = await newKey()
    await expectKeyRefused(exchange(await codeOf({ proof: {} }), { provedBy }))
  },
  async 'ensure-token-endpoint-fails-with-mismatched-dpop-jkt'() {
    const fields = { dpop_jkt: (await newKey()).jkt }
    await expectKeyRefused(exchange(await codeOf({ fields })))
  },
  async 'ensure-dpopproof-at-par-endpoint-binding-success'() {
    await complete({ proof: {} })
  },
  async 'ensure-dpop-auth-code-binding-success'() {
    await complete({ proof: {}, fields: { dpop_jkt: first.proving.jkt } })
  },
  async 'ensure-different-nonce-inside-and-outside-request-object'() {
    const code = await codeOf({}, { nonce: 'other' })
    const { body } = await exchange(code)
    expect(jose.decodeJwt(body['id_token'] as string)['nonce']).toBe(requestOf(first)['nonce'])
  },
  async 'ensure-different-state-inside-and-outside-request-object'() {
    await codeOf({}, { state: 'other' })
  },
  async 'ensure-authorization-request-with-long-nonce'() {
    await complete({ fields: { nonce: 'n'.repeat(384) } })
  },
  async 'ensure-authorization-request-with-long-state'() {
    await complete({ fields: { state: 's'.repeat(1000) } })
  },
  async 'state-only-outside-request-object-not-used'() {
    await codeOf({ fields: { state: null } }, { state: 'outside' })
  },
  async 'ensure-request-object-without-redirect-uri-fails'() {
    await expectError(push({ fields: { redirect_uri: null } }), [400], 'invalid_request')
  },
  async 'plain-fapi-tolerate-unregistered-redirect-uri'() {
    const fields = { redirect_uri: `${first.redirectUri}/other` }
    await expectError(push({ fields }), [400], 'invalid_request')
  },
  async 'ensure-unsigned-authorization-request-without-using-par-fails'() {
    const url = addressOf('', first, { request_uri: null })
    const callback = await visit(url)
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
      state: requestOf(first)['state'],
      iss: ISSUER,
    })
  },
  async 'ensure-redirect-uri-in-authorization-request'() {
    await expectError(push({ fields: { redirect_uri: null } }), [400], 'invalid_request')
  },
  async 'ensure-response-type-code-idtoken-fails'() {
    const fields = { response_type: 'code id_token' }
    await expectError(push({ fields }), [400], 'unsupported_response_type', 'invalid_request')
  },
  async 'ensure-response-type-token-fails'() {
    const fields = { response_type: 'token' }
    await expectError(push({ fields }), [400], 'unsupported_response_type', 'invalid_request')
  },
  async 'ensure-client-id-in-token-endpoint'() {
    const code = await codeOf()
    const assertion = await assertionOf(second, {}, { key: first.signing })
    const fields = { client_id: second.clientId }
    await expectError(exchange(code, { assertion, fields }), [400, 401], 'invalid_client', 'invalid_grant') // prettier-ignore
  },
  async 'ensure-holder-of-key-required'() {
    await expectKeyRefused(exchange(await codeOf(), { proof: null }))
  },
  async 'ensure-authorization-code-is-bound-to-client'() {
    const fields = { redirect_uri: first.redirectUri }
    await expectError(exchange(await codeOf(), { by: second, fields }), [400], 'invalid_grant')
  },
  async 'ensure-token-endpoint-fails-with-expired-auth-code'() {
    const code = await codeOf()
    school.clock.now += 62
    await expectError(exchange(code), [400], 'invalid_grant')
  },
  async 'ensure-signed-client-assertion-with-RS256-fails'() {
    const privateKey = await jose.importPKCS8(
      await jose.exportPKCS8(rsa.signing.privateKey),
      'RS256',
    )
    const key = { ...rsa.signing, privateKey }
    const assertion = await assertionOf(rsa, {}, { key, alg: 'RS256' })
    const code = await codeOf({ by: rsa })
    await expectError(exchange(code, { by: rsa, assertion }), [400, 401], 'invalid_client')
    // The same key with PS256 is accepted.
    expect((await exchange(code, { by: rsa })).status).toBe(200)
  },
  async 'ensure-client-assertion-in-token-endpoint'() {
    const answer = exchange(await codeOf(), { assertion: null })
    await expectError(answer, [400, 401], 'invalid_client', 'invalid_request')
  },
  async 'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails'() {
    await expectAssertionRefused({ exp: now() - 300 })
  },
  async 'ensure-client-assertion-with-wrong-aud-fails'() {
    await expectAssertionRefused({ aud: 'https://wrong.example' })
  },
  async 'ensure-client-assertion-with-no-sub-fails'() {
    await expectAssertionRefused({ sub: undefined })
  },
  async 'dpop-negative-tests'() {
    const { tokens } = await complete()
    const token = tokens.access_token
    for (const [what, called, isAccepted] of PROOFS)
      expect([what, await resource(token, called)]).toEqual([what, isAccepted ? 200 : expect.toSatisfy(isRefused)]) // prettier-ignore
    const { privateKey } = first.proving
    const jwk = await jose.exportJWK(privateKey)
    expect(await resource(token, { header: { jwk } })).toSatisfy(isRefused)
    for (const iat of [now() + 3600, now() - 3600])
      expect(await resource(token, { claims: { iat } })).toSatisfy(isRefused)
    const once = { claims: { jti: crypto.randomUUID() } }
    expect(await resource(token, once)).toBe(200)
    expect(await resource(token, once)).toSatisfy(isRefused)
    const other = await newKey()
    expect(await resource(token, { key: { ...first.proving, privateKey: other.privateKey } })).toSatisfy(isRefused) // prettier-ignore
    expect(await resource(token, { key: other })).toSatisfy(isRefused)
    expect(await resource(token)).toBe(200)
  },
  async 'refresh-token'() {
    const own = await complete({ fields: { prompt: 'consent' } })
    const { refresh_token } = own.tokens
    // The suite proves each refresh with a new key.
    const keys = [await newKey(), await newKey()] as const
    const renewed = await refresh(refresh_token, { provedBy: keys[0] })
    expect([renewed.status, renewed.body['token_type']]).toEqual([200, 'DPoP'])
    expect(await resource(renewed.body['access_token'] as string, { key: keys[0] })).toBe(200)
    // Section 5.3.2.1: a client that lost the response sends the token again.
    school.clock.now += 30
    const again = await refresh(refresh_token, { provedBy: keys[1] })
    expect(again.status).toBe(200)
    expect(await resource(again.body['access_token'] as string, { key: keys[1] })).toBe(200)
    const token = again.body['refresh_token'] as string
    await expectError(refresh(token, { assertion: null }), [400, 401], 'invalid_client', 'invalid_grant', 'invalid_request') // prettier-ignore
    await expectKeyRefused(refresh(token, { proof: null }))
    const others = await complete({ by: second })
    expect(await resource(others.tokens.access_token)).toSatisfy(isRefused)
    await expectError(refresh(others.tokens.refresh_token), [400], 'invalid_grant', 'invalid_dpop_proof') // prettier-ignore
    expect((await refresh(others.tokens.refresh_token, { by: second })).status).toBe(200)
  },
  async 'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds'() {
    const url = addressOf(await pushed())
    school.signedIn = null
    const browser = createBrowser(school)
    await browser.open(url)
    expect(school.view?.page).toBe('signIn')
    await browser.open(url)
    school.signedIn = { subject: OWNER.subject, authTime: now() }
    expect((await browser.authorize(url)).searchParams.get('code')).toMatch(/./)
  },
  async 'par-attempt-reuse-request_uri'() {
    const url = addressOf(await pushed())
    await visit(url)
    await expectErrorPage(url)
  },
  async 'par-attempt-to-use-expired-request_uri'() {
    const url = addressOf(await pushed())
    school.clock.now += 60
    await expectErrorPage(url)
  },
  async 'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted'() {
    await complete({ assertion: { iat: now() + 8, nbf: now() + 8, exp: now() + 68 } })
  },
  async 'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails'() {
    const assertion = { iat: now() + 62, nbf: now() + 62, exp: now() + 122 }
    await expectError(push({ assertion }), [400, 401], 'invalid_client', 'invalid_request')
  },
  async 'par-attempt-to-use-request_uri-for-different-client'() {
    await expectErrorPage(addressOf(await pushed(), second))
  },
  async 'par-authorization-request-containing-request_uri-form-param'() {
    const fields = { request_uri: 'urn:ietf:params:oauth:request_uri:bad' }
    await expectError(push({ fields }), [400], 'invalid_request', 'request_uri_not_supported')
  },
  async 'par-attempt-invalid-http-method'() {
    expect((await push({ method: 'PUT' })).status).toBe(405)
  },
  async 'par-ensure-pkce-required'() {
    const fields = { code_challenge: null, code_challenge_method: null }
    await expectError(push({ fields }), [400], 'invalid_request')
  },
  async 'ensure-pkce-code-verifier-required'() {
    const answer = exchange(await codeOf(), { fields: { code_verifier: null } })
    await expectError(answer, [400], 'invalid_grant')
  },
  async 'incorrect-pkce-code-verifier-rejected'() {
    const answer = exchange(await codeOf(), { fields: { code_verifier: 'w'.repeat(43) } })
    await expectError(answer, [400], 'invalid_grant')
  },
  async 'par-plain-pkce-rejected'() {
    const fields = { code_challenge: VERIFIER, code_challenge_method: 'plain' }
    await expectError(push({ fields }), [400], 'invalid_request')
  },
  async 'par-without-duplicate-parameters'() {
    const url = new URL(`${ISSUER}/oauth/authorize`)
    url.search = encode({ client_id: first.clientId, request_uri: await pushed() }).toString()
    const code = (await visit(url)).searchParams.get('code')!
    expect((await exchange(code)).status).toBe(200)
  },
  async 'par-test-array-as-audience-fails'() {
    await expectAudienceRefused([ISSUER, 'https://other.example'])
  },
  async 'par-test-par-endpoint-url-as-audience-fails'() {
    await expectAudienceRefused(PAR)
  },
  async 'par-test-token-endpoint-url-as-audience-fails'() {
    await expectAudienceRefused(TOKEN)
  },
}

const isRefused = (status: number): boolean => status === 400 || status === 401

const expectKeyRefused = (answer: Promise<Answer>): Promise<void> =>
  expectError(answer, [400], 'invalid_dpop_proof', 'invalid_grant', 'invalid_request')

async function expectAssertionRefused(claims: Claims): Promise<void> {
  await expectError(exchange(await codeOf(), { assertion: claims }), [400, 401], 'invalid_client')
}

const expectAudienceRefused = (aud: unknown): Promise<void> =>
  expectError(push({ assertion: { aud } }), [400, 401], 'invalid_client', 'invalid_request')

/** What the suite does not report as passed, and what happens. */
const DEPARTING: Readonly<Record<string, readonly ['skipped' | 'warning', Check]>> = {
  'happy-flow': [
    'warning',
    async () => {
      const { claims } = await complete()
      expect(claims).toMatchObject({ org_id: expect.any(String), roles: expect.any(Array) })
      await complete({
        by: second,
        fields: { nonce: 'n'.repeat(43), dpop_jkt: second.proving.jkt },
      })
      const { tokens } = await complete()
      const inQuery = `${USERINFO}?access_token=${tokens.access_token}`
      expect((await send(inQuery, {})).status).toBe(401)
      await inNewSchool(async () => {
        // oxlint-disable-next-line no-restricted-properties -- the clients check times against the real clock
        school.clock.now = Math.floor(Date.now() / 1000)
        await byOpenidClient(first)
        await byOauth4webapi(second)
      })
    },
  ],
  'attempt-reuse-authorization-code-after-one-second': [
    'warning',
    async () => {
      const { code, tokens } = await complete()
      school.clock.now += 1
      await expectError(exchange(code), [400], 'invalid_grant')
      expect(await resource(tokens.access_token)).toBe(200)
      school.clock.now += 6
      await expectError(exchange(code), [400], 'invalid_grant')
      expect(await resource(tokens.access_token)).toBe(401)
    },
  ],
  'test-claims-parameter-identity-claims': [
    'skipped',
    async () => {
      expect(await metadata()).toMatchObject({ claims_parameter_supported: false })
    },
  ],
}

/** The modules that the plan leaves out with `plain_fapi`: those of other profiles. */
const OF_OTHER_PROFILES: readonly string[] = [
  'ensure-registered-redirect-uri',
  'australia-connectid-ensure-invalid-purpose-fails',
  'ensure-server-handles-non-matching-intent-id',
  'test-essential-acr-sca-claim',
  'brazil-ensure-bad-payment-signature-fails',
  'australia-connectid-test-claims-parameter-idtoken-identity-claims',
]

describe('the modules of the FAPI 2.0 Security Profile plan', () => {
  it('each have the result that the suite reported', () => {
    const all = [...Object.keys(PASSING), ...Object.keys(DEPARTING), ...OF_OTHER_PROFILES]
    expect(all.sort()).toEqual([...FAPI2_MODULES].sort())
    const resultOf = (module: string): string | null =>
      OF_OTHER_PROFILES.includes(module) ? null : (DEPARTING[module]?.[0] ?? 'passed')
    const said = new Map(
      ran().plans['fapi2']!.modules.map(([name, result]) => [name.slice(PLAN.length), result]),
    )
    // A page that a person looks at is the only thing that the suite does not decide.
    const saidOf = (module: string): string | null =>
      said.get(module)?.toLowerCase().replace('review', 'passed') ?? null
    expect(FAPI2_MODULES.map((module) => [module, resultOf(module)])).toEqual(
      FAPI2_MODULES.map((module) => [module, saidOf(module)]),
    )
  })

  it.each(Object.entries(PASSING))('%s passes [FAPI-01]', (_, check) => check())

  it.each(
    Object.entries(DEPARTING).map(([module, [result, check]]) => [module, result, check] as const),
  )('%s has the result %s, as its row says [FAPI-01]', (_module, _result, check) => check())
})
