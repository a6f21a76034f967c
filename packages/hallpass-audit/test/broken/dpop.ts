import * as blocks from 'hallpass/blocks'
import {
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWK,
  type JWTPayload,
} from 'jose'
import type {
  KeyProofs,
  ProvableRequest,
  SenderConstraint,
} from '../../../../src/site/sender-constraint.js'
import { sha256Base64url } from '../../../../src/encoding/hash.js'
import { type Fault, ORIGIN } from '../broken-server.js'
import { type Broken, failing, headers, json, received, requested } from '../faults.js'

const METADATA = '/.well-known/oauth-authorization-server'
const TOKEN = '/api/oauth/token'
const NONCE_SECRET = 'a secret of nonces with forty characters'

const OK = { ok: true } as const
export const REFUSED = {
  ok: false,
  error: 'invalid_dpop_proof',
  reason: 'dpop_proof_malformed',
} as const
const UNKNOWN = { ok: false, error: 'invalid_token', reason: 'access_token_unknown' } as const

const createDpop = blocks.dpop as (options: Parameters<typeof blocks.dpop>[0]) => SenderConstraint

/** A server whose block is the right one but for the changes. */
export const blockOf = (change: (right: KeyProofs, now: () => number) => object): Fault => {
  const right = createDpop({ once: 'memory' })
  const block = {
    ...right,
    create: (site: Parameters<typeof right.create>[0]) => {
      const proofs = right.create(site)
      return { ...proofs, ...change(proofs, site.now) }
    },
  }
  return { blocks: [block] }
}

/** What a developer may forget who verifies proofs by hand. */
type Rule =
  | 'proof' | 'single' | 'type' | 'algorithm' | 'signature' | 'public' | 'identifier' | 'method' | 'host' | 'path' | 'past' | 'future'
  | 'hash' | 'hashless' | 'key' | 'once' // prettier-ignore

/** Verifies proofs at the paths that take tokens by hand, without one of the rules. */
export function byHand(forgotten: Rule, origin = ORIGIN): Fault {
  const used = new Set<string>()

  async function isRight(
    now: number,
    request: ProvableRequest,
    accessToken: string,
    boundTo: string | null,
  ): Promise<boolean> {
    const sent = request.header('dpop')
    if (sent === null) return forgotten === 'proof'
    const proof = forgotten === 'single' ? sent.split(', ')[0]! : sent
    const { typ, alg, jwk: { d = null, ...jwk } = {} } = decodeProtectedHeader(proof) as Header
    const { jti, htm, htu, iat = 0, ath } = decodeJwt(proof)
    const { crv, kty, x, y } = jwk
    const rules: Readonly<Record<Rule, boolean>> = {
      proof: true,
      single: !proof.includes(','),
      type: typ === 'dpop+jwt',
      algorithm: alg === 'ES256',
      public: d === null,
      identifier: typeof jti === 'string',
      method: htm === request.method,
      host: String(htu).startsWith(`${origin}/`),
      path: new URL(String(htu)).pathname === new URL(request.target, origin).pathname,
      past: iat > now - 60,
      future: iat < now + 60,
      hash: ath === undefined || ath === sha256Base64url(accessToken),
      hashless: ath !== undefined,
      key: sha256Base64url(JSON.stringify({ crv, kty, x, y })) === boundTo,
      once: !used.has(String(jti)),
      signature: alg === 'none' || (await isSigned(proof, jwk)),
    }
    used.add(String(jti))
    return Object.entries(rules).every(([rule, isHeld]) => isHeld || rule === forgotten)
  }

  return blockOf((_, now) => ({
    present: (authorization: string | null, request: ProvableRequest) => {
      const accessToken = /^dpop (\S+)$/i.exec(authorization ?? '')?.[1]
      if (accessToken === undefined) return null
      const prove = async (boundTo: string | null) =>
        (await isRight(now(), request, accessToken, boundTo).catch(() => false)) ? OK : REFUSED
      return { ok: true, accessToken, prove }
    },
  }))
}

interface Header {
  readonly typ?: string
  readonly alg?: string
  readonly jwk?: JWK
}

const isSigned = async (proof: string, jwk: JWK): Promise<boolean> =>
  compactVerify(proof, await importJWK(jwk, 'ES256')).then(
    () => true,
    () => false,
  )

/** A server that gives nonces. It may accept any. */
function giving(isAny: boolean): Fault {
  const strict = createDpop({ once: 'memory', nonceSecret: NONCE_SECRET })
  const plain = createDpop({ once: 'memory' })
  const block = {
    ...strict,
    create: (site: Parameters<typeof strict.create>[0]) => {
      const [wanting, taking] = [strict.create(site), plain.create(site)]
      const hasNonce = (request: ProvableRequest | undefined): boolean => {
        const proof = request?.header('dpop') ?? null
        return isAny && proof !== null && decodeJwt(proof)['nonce'] !== undefined
      }
      return {
        ...wanting,
        read: (request: ProvableRequest) => (hasNonce(request) ? taking : wanting).read(request),
        present: (authorization: string | null, request: ProvableRequest | undefined) =>
          (hasNonce(request) ? taking : wanting).present(authorization, request),
      }
    },
  }
  return { blocks: [block] }
}

/** Refuses proofs, whose claims may be right. */
const refusing = (isRefused: (claims: JWTPayload, now: number) => boolean): Fault =>
  blockOf((right, now) => ({
    present: (authorization: string | null, request: ProvableRequest) => {
      const proof = request.header('dpop')
      const isIt = proof !== null && isRefused(decodeJwt(proof), now())
      return isIt ? REFUSED : right.present(authorization, request)
    },
  }))

/** Reads no proof of a push with these fields. */
const unreadPush = (isUnread: (form: URLSearchParams) => boolean): Fault => ({
  wrap: (next) => async (request) => {
    const form = new URLSearchParams(await request.clone().text())
    if (request.url.endsWith('/api/oauth/par') && isUnread(form)) request.headers.delete('dpop')
    return next(request)
  },
})

/** Refreshes without a proof as if the token was bound to nothing. */
function unboundRefresh(): Fault {
  let isUnproved = false
  return {
    store: (store) => ({
      findRefreshToken: async (hash) => {
        const found = await store.findRefreshToken(hash)
        return found && isUnproved ? { ...found, grant: { ...found.grant, boundTo: null } } : found
      },
    }),
    wrap: (next) => (request) => {
      isUnproved = !request.headers.has('dpop')
      return next(request)
    },
  }
}

/** Takes a bound token with the scheme Bearer. */
export const BEARER_TOO: Fault = blockOf((right) => ({
  present: (authorization: string | null, request: ProvableRequest | undefined) => {
    const accessToken = /^Bearer ([\w.~+/-]+)$/i.exec(authorization ?? '')?.[1]
    return accessToken === undefined
      ? right.present(authorization, request)
      : { ok: true, accessToken, prove: async () => OK }
  },
}))

export const dpop: readonly Broken[] = [
  { name: 'nothing but nonces', fault: giving(false), violates: [] },
  {
    name: 'HS256 is published for proofs',
    fault: json(METADATA, (metadata) => ({ ...metadata, dpop_signing_alg_values_supported: ['ES256', 'HS256'] })),
    violates: ['dpop/algorithms'],
  },
  {
    name: 'the type of a bound token is Bearer',
    fault: json(TOKEN, (body) => ({ ...body, token_type: 'Bearer' })),
    violates: ['dpop/token-type'],
  },
  {
    name: 'no path knows the scheme DPoP',
    fault: blockOf((right) => ({
      present: (authorization: string | null, request: ProvableRequest | undefined) =>
        /^dpop /i.test(authorization ?? '') ? UNKNOWN : right.present(authorization, request),
    })),
    violates: ['dpop/accepted'],
  },
  {
    name: 'a bound token is accepted as a Bearer token',
    fault: BEARER_TOO,
    violates: ['dpop/as-bearer'],
    whole: true,
  },
  { name: 'a proof is verified if there is one', fault: byHand('proof'), violates: ['dpop/no-proof'] },
  {
    name: 'the challenge lists no algorithms',
    fault: headers('/api/oauth/userinfo', (all) => {
      const challenge = all.get('www-authenticate')
      if (challenge !== null) all.set('www-authenticate', challenge.replace(/algs="[^"]*"/, 'realm="school"'))
    }),
    violates: ['dpop/challenge'],
  },
  { name: 'any key opens a token', fault: byHand('key'), violates: ['dpop/other-key'] },
  { name: 'a proof is decoded, not verified', fault: byHand('signature'), violates: ['dpop/signature'] },
  { name: 'the proof names its algorithm, also none', fault: byHand('algorithm'), violates: ['dpop/unsigned'] },
  { name: 'the type of a proof is not read', fault: byHand('type'), violates: ['dpop/type'] },
  { name: 'a proof may show its private key', fault: byHand('public'), violates: ['dpop/private-key'] },
  { name: 'the method is not compared', fault: byHand('method'), violates: ['dpop/method'] },
  { name: 'the host of the URI is not compared', fault: byHand('host'), violates: ['dpop/uri'] },
  { name: 'the path of the URI is not compared', fault: byHand('path'), violates: ['dpop/uri'] },
  { name: 'the hash of the token is compared if there is one', fault: byHand('hashless'), violates: ['dpop/token-hash'] },
  { name: 'the hash of the token is not compared', fault: byHand('hash'), violates: ['dpop/token-hash'] },
  { name: 'a proof needs no identifier', fault: byHand('identifier'), violates: ['dpop/claims'] },
  { name: 'proofs never expire', fault: byHand('past'), violates: ['dpop/old-proof', 'dpop/claims'] },
  { name: 'proofs are made in advance', fault: byHand('future'), violates: ['dpop/future-proof'] },
  { name: 'the first of two proofs is verified', fault: byHand('single'), violates: ['dpop/two-proofs'] },
  { name: 'a proof is accepted again', fault: byHand('once'), violates: ['dpop/replay'], whole: true },
  { name: 'every nonce is accepted', fault: giving(true), violates: ['dpop/nonce'] },
  {
    name: 'introspection does not tell the key',
    fault: json('/api/oauth/introspect', ({ cnf: _cnf, ...body }) => body),
    violates: ['dpop/introspection'],
  },
  {
    name: 'the token endpoint takes the key of any proof',
    fault: blockOf((right) => ({
      read: (request: ProvableRequest) => {
        const proof = request.header('dpop')
        if (proof === null || decodeProtectedHeader(proof).alg !== 'HS256') return right.read(request)
        const key = sha256Base64url(JSON.stringify(decodeProtectedHeader(proof)['jwk']))
        return { ok: true, key, headers: [], use: async () => OK, signature: async () => 'right' }
      },
    })),
    violates: ['dpop/invalid-proof'],
  },
  {
    name: 'the token endpoint does not read the time of a proof',
    fault: blockOf((right, now) => ({
      read: (request: ProvableRequest) => {
        const proof = request.header('dpop')
        if (proof === null || (decodeJwt(proof).iat ?? 0) > now() - 60) return right.read(request)
        const key = sha256Base64url(JSON.stringify(decodeProtectedHeader(proof)['jwk']))
        return { ok: true, key, headers: [], use: async () => OK, signature: async () => 'right' }
      },
    })),
    violates: ['dpop/token-proof'],
  },
  {
    name: 'dpop_jkt is not stored',
    fault: requested((query) => query.delete('dpop_jkt')),
    violates: ['dpop/code-key'],
  },
  { name: 'a pushed proof is not read', fault: unreadPush((form) => !form.has('dpop_jkt')), violates: ['dpop/pushed-key'] },
  { name: 'a pushed proof is not compared with dpop_jkt', fault: unreadPush((form) => form.has('dpop_jkt')), violates: ['dpop/pushed-other-key'] },
  { name: 'a proof of a clock that is ahead is refused', fault: refusing(({ iat = 0 }, now) => iat > now), violates: ['dpop/clocks-apart'] },
  { name: 'a proof with exp is refused', fault: refusing(({ exp }) => exp !== undefined), violates: ['dpop/further-times'] },
  { name: 'a refresh needs no proof', fault: unboundRefresh(), violates: ['dpop/refresh'] },
  { name: 'a proof that is refused is an exception', fault: failing('/api/oauth/userinfo'), violates: [],
    unknown: ['dpop/as-bearer', 'dpop/claims', 'dpop/future-proof', 'dpop/method', 'dpop/no-proof', 'dpop/old-proof', 'dpop/other-key', 'dpop/private-key', 'dpop/replay', 'dpop/signature', 'dpop/token-hash', 'dpop/two-proofs', 'dpop/type', 'dpop/unsigned', 'dpop/uri'],
  },
  {
    name: 'the token endpoint reads no proofs',
    fault: {
      wrap: (next) => (request) => {
        if (request.url.endsWith(TOKEN)) request.headers.delete('dpop')
        return next(request)
      },
    },
    violates: ['dpop/invalid-proof'],
    unknown: [],
  },
  {
    name: 'introspection calls a bound token a Bearer token',
    fault: json('/api/oauth/introspect', (body) => ('cnf' in body ? { ...body, token_type: 'Bearer' } : body)),
    violates: ['dpop/introspection-type'],
  },
  {
    name: 'an invalid proof is an invalid request',
    fault: json(TOKEN, (body) => (body['error'] === 'invalid_dpop_proof' ? { error: 'invalid_request' } : body), 400),
    violates: ['dpop/invalid-proof-error'],
  },
  {
    name: 'no refresh works',
    fault: received(TOKEN, (form) => {
      if (form.has('refresh_token')) form.set('refresh_token', 'unknown')
    }),
    violates: [],
    unknown: ['dpop/refresh'],
  },
] // prettier-ignore
