import { dpop, pushedRequests } from 'hallpass/blocks'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, SignJWT } from 'jose'
import type { ProvableRequest } from '../../../../src/site/sender-constraint.js'
import { createProofKey, proofOf } from '../../src/engine/proof.js'
import { type Fault, SECURE_ORIGIN, SIGNING_KEY } from '../broken-server.js'
import { both, type Broken, json, received, returned } from '../faults.js'
import { BEARER_TOO, blockOf, byHand, REFUSED } from './dpop.js'

const METADATA = '/.well-known/oauth-authorization-server'
const TOKEN = '/api/oauth/token'
const PUSH = '/api/oauth/par'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** The paths at which clients authenticate. */
const PATHS = [TOKEN, PUSH, '/api/oauth/revoke', '/api/oauth/introspect', '/api/oauth/device_authorization'] // prettier-ignore

/** A key of no client, whose proofs the faults add. */
const OTHER = (await createProofKey(['ES256']))!

/** Signs a right assertion of a client. */
const sign = async (clientId: string): Promise<string> =>
  new SignJWT({ iss: clientId, sub: clientId, aud: SECURE_ORIGIN, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('1 minute')
    .sign(await importJWK(SIGNING_KEY, 'ES256'))

/** Replaces assertions for which `isForgiven` is true by right ones. `null` is a request without one. */
const forgiving = (
  paths: readonly string[],
  isForgiven: (claims: JWTPayload | null, now: number, alg: string) => boolean,
): Fault =>
  both(
    ...paths.map((path) =>
      received(path, async (form) => {
        const assertion = form.get('client_assertion')
        const claims = assertion === null ? null : decodeJwt(assertion)
        const right = await sign(String(claims?.sub ?? form.get('client_id')))
        const { alg = '' } = assertion === null ? {} : decodeProtectedHeader(assertion)
        if (!isForgiven(claims, decodeJwt(right).iat!, alg)) return
        form.delete('client_secret')
        form.set('client_assertion_type', TYPE)
        form.set('client_assertion', right)
      }),
    ),
  )

/** Lets a grant go on without a proof: the server makes one up. */
const unproved = (grant: string): Fault => ({
  wrap: (next) => async (request) => {
    const url = new URL(request.url)
    const form = new URLSearchParams(await request.clone().text())
    if (url.pathname !== TOKEN || form.get('grant_type') !== grant || request.headers.has('dpop'))
      return next(request)
    const headers = new Headers(request.headers)
    headers.set('dpop', await proofOf(OTHER, { method: 'POST', url }))
    return next(new Request(url, { method: 'POST', headers, body: form.toString() }))
  },
})

/** Whether an identifier of an assertion was used before. */
function remembering(): (claims: JWTPayload | null) => boolean {
  const used = new Set<string>()
  return (claims) => {
    const isAgain = used.has(claims?.jti ?? '')
    if (claims?.jti !== undefined) used.add(claims.jti)
    return isAgain
  }
}

const FAULTS: readonly Broken[] = [
  {
    name: 'nothing but nonces',
    fault: { blocks: [dpop({ once: 'memory', nonceSecret: 'a secret of nonces with forty characters' })] },
    violates: [],
    whole: true,
  },
  {
    name: 'requests are pushed if the client likes to',
    fault: both(
      // It says that it wants them all.
      { blocks: [Object.assign(pushedRequests(), { required: true })] },
      json(METADATA, (all) => ({ ...all, require_pushed_authorization_requests: true })),
    ),
    violates: ['fapi2/pushed-only'],
    whole: true,
  },
  {
    name: 'a push needs no assertion',
    fault: forgiving([PUSH], (claims) => claims === null),
    violates: ['fapi2/push-authenticated', 'pushed-requests/client-authentication'],
    whole: true,
  },
  {
    name: 'nothing of an assertion is verified but its subject',
    fault: forgiving(PATHS, (claims) => claims !== null),
    violates: [
      'fapi2/assertion-audience',
      'fapi2/clock-ahead',
      'fapi2/rs256',
      ...['assertion-type', 'audience', 'expired', 'issuer', 'missing-expiry', 'missing-jti', 'missing-subject', 'not-yet-valid', 'public-key-as-secret', 'replay', 'signature', 'unsigned'].map((name) => `private-key-jwt/${name}`),
    ],
    whole: true,
  },
  {
    name: 'an assertion can be used again',
    fault: forgiving(PATHS, remembering()),
    violates: ['private-key-jwt/replay'],
    whole: true,
  },
  {
    name: 'the issuer may be one of several audiences',
    fault: forgiving([PUSH, TOKEN], (claims) => Array.isArray(claims?.aud) && claims.aud.includes(SECURE_ORIGIN)),
    violates: ['fapi2/assertion-audience'],
  },
  {
    name: 'the token endpoint is an audience',
    fault: forgiving([PUSH, TOKEN], (claims) => claims?.aud === SECURE_ORIGIN + TOKEN),
    violates: ['fapi2/assertion-audience'],
  },
  {
    name: 'times of an assertion are not read',
    fault: forgiving([PUSH], (claims, now) => (claims?.iat ?? 0) > now + 20),
    violates: ['fapi2/clock-ahead'],
  },
  {
    name: 'a clock that is ahead is refused',
    fault: received(PUSH, async (form) => {
      const assertion = form.get('client_assertion')
      const now = decodeJwt(await sign('')).iat!
      if (assertion !== null && (decodeJwt(assertion).nbf ?? 0) > now + 2) form.delete('client_assertion')
    }),
    violates: ['fapi2/clock-ahead'],
  },
  {
    name: 'the key of RSA is good for RS256 as well',
    fault: forgiving([PUSH], (_claims, _now, alg) => alg === 'RS256'),
    violates: ['fapi2/rs256'],
    whole: true,
  },
  {
    name: 'a proof of a clock that is ahead is refused with a push',
    fault: blockOf((rightProofs, now) => ({
      read: (request: ProvableRequest) => {
        const proof = request.header('dpop')
        const isAhead = request.target.endsWith(PUSH) && proof !== null && (decodeJwt(proof).iat ?? 0) > now() + 2
        return isAhead ? REFUSED : rightProofs.read(request)
      },
    })),
    violates: ['fapi2/clock-ahead'],
  },
  {
    name: 'assertions may be signed with RS256',
    fault: json(METADATA, (all) => ({ ...all, token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'] })),
    violates: ['fapi2/algorithms'],
  },
  {
    name: 'the only redirect_uri of a client need not be pushed',
    fault: received(PUSH, (form) => {
      if (!form.has('redirect_uri')) form.set('redirect_uri', 'http://127.0.0.1:47317/callback')
    }),
    violates: ['fapi2/push-redirect-uri'],
  },
  {
    name: 'a pushed request waits for an hour',
    fault: json(PUSH, (body) => ({ ...body, expires_in: 3600 }), 201),
    violates: ['fapi2/push-lifetime'],
  },
  {
    name: 'iss is missing',
    fault: returned((to) => to.searchParams.delete('iss')),
    violates: ['fapi2/issuer-identified', 'issuer/in-code', 'issuer/in-denial', 'issuer/in-error'],
    whole: true,
  },
  {
    name: 'iss is missing, and not promised either',
    fault: both(
      returned((to) => to.searchParams.delete('iss')),
      json(METADATA, (all) => ({ ...all, authorization_response_iss_parameter_supported: undefined })),
    ),
    violates: ['fapi2/issuer-identified', 'issuer/offered'],
  },
  {
    name: 'a code needs no proof',
    fault: unproved('authorization_code'),
    violates: ['fapi2/code-without-proof'],
    whole: true,
  },
  {
    name: 'a refresh needs no proof',
    fault: unproved('refresh_token'),
    violates: ['fapi2/refresh-without-proof'],
    whole: true,
  },
  {
    name: 'dpop_jkt is not stored',
    fault: received(PUSH, (form) => form.delete('dpop_jkt')),
    violates: ['dpop/code-key', 'dpop/pushed-other-key'],
    whole: true,
  },
  { name: 'a proof is verified if there is one', fault: byHand('proof', SECURE_ORIGIN), violates: ['dpop/no-proof'], whole: true },
  { name: 'any key opens a token', fault: byHand('key', SECURE_ORIGIN), violates: ['dpop/other-key'] },
  { name: 'a proof is accepted again', fault: byHand('once', SECURE_ORIGIN), violates: ['dpop/replay'] },
  { name: 'a bound token is accepted as a Bearer token', fault: BEARER_TOO, violates: ['dpop/as-bearer'], whole: true },
  {
    name: 'PKCE is left to the client',
    fault: received(PUSH, (form) => {
      if (form.has('code_challenge')) return
      form.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
      form.set('code_challenge_method', 'S256')
    }),
    violates: ['pkce/challenge-required'],
  },
] // prettier-ignore

export const fapi2: readonly Broken[] = FAULTS.map((one) => ({
  ...one,
  fault: { isFapi2: true, ...one.fault },
}))
