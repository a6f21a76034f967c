import { hmacSha256Base64url } from '../encoding/hash.js'
import { checkOptions, custom, methods, optional, type Rules, simple } from '../options/check.js'
import {
  decideCodeKey,
  decideDpopProof,
  DPOP_REFUSALS,
  type DpopReason,
} from '../policy/dpop-proof.js'
import { refuseFrom } from '../policy/decision.js'
import { type Block, SENDER_CONSTRAINT } from '../site/block.js'
import type { KeyProofs, ProvableRequest, SenderConstraint } from '../site/sender-constraint.js'
import { STORE_ARGUMENTS } from '../store/arguments.js'
import type { StoreWith } from '../store/groups.js'
import { guardStorage } from '../store/guard.js'
import { STORE_RESULTS } from '../store/returned.js'
import type { Store } from '../store/store.js'
import { isBefore } from '../time/seconds.js'
import { describeProofs } from './dpop-description.js'
import { onceInMemory, type UsedProof } from './once-in-memory.js'
import { registersFlag } from './registration.js'
import { ALGORITHM_RULE, type ALGORITHMS, verifyEmbedded } from './signed-by.js'

type OnceOfStore = Pick<Store, 'useOnce'>
type Once = ReturnType<typeof onceInMemory>

const MIN_SECRET_LENGTH = 32
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value

const STORE = methods<OnceOfStore>(
  'the store of the site, such as createMemoryStore(), or "memory"',
  {
    useOnce: true,
  },
)
const RULES: Rules<NonNullable<Parameters<typeof dpop>[0]>> = {
  once: optional(
    custom(STORE.wanted, (value, name) => (value === 'memory' ? [] : STORE.mistakes(value, name))),
  ),
  algorithms: ALGORITHM_RULE,
  nonceSecret: optional(
    simple(
      `a string of at least ${MIN_SECRET_LENGTH} characters that every process shares`,
      (value) => typeof value === 'string' && value.length >= MIN_SECRET_LENGTH,
    ),
  ),
  origin: optional(simple('an origin such as "https://grades.example"', isOrigin)),
}

const refuse = /* @__PURE__ */ refuseFrom(DPOP_REFUSALS)

// RFC 9449 §7.1: the form of a Bearer token.
const SCHEME = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i
/** Several headers of this name, as HTTP joins them. */
const MIXED = /^(?:bearer|dpop) [^,]*, *(?:bearer|dpop) /i
/** For how long a nonce is the newest one. It is accepted for as long before and after. */
const NONCE_SECONDS = 150

/**
 * Binds tokens to keys of their clients (DPoP): a client that sends proofs gets tokens that are worth nothing without
 * its private key. Clients that send none get Bearer tokens, as before.
 *
 * A refresh token of a public client is bound too: who has copied one gets nothing, and a refused refresh ends nothing. To
 * revoke it needs no proof (RFC 7009, section 2.1), so that a finder of a copied token can end its grant. Each proof is
 * accepted once, at the token endpoint and at every gate.
 *
 * @returns a block for `blocks` of a site, or of `createRemoteGate`
 * @throws OptionsError that lists every mistake, such as a store without `useOnce`
 * @see [RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)
 * @group Sender-constrained tokens
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { dpop } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [dpop()] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/oauth-authorization-server'
 * const metadata = await (await server.authorizationServerMetadata(new Request(url))).json()
 * metadata.dpop_signing_alg_values_supported // => ['ES256', 'PS256', 'Ed25519', 'EdDSA']
 *
 * dpop({ once: {} as never }) // throws OptionsError
 * ```
 */
export function dpop(
  options: {
    /**
     * Remembers the proofs that were used, for one to eight minutes. Every process needs the same one. Default: the store of
     * the site.
     *
     * `'memory'`: in this process, for `createRemoteGate`, which has no store. Another process of the same origin accepts a
     * proof again, and so does this one in the minutes after a start. At most 1,000,000 proofs are kept. One key has room
     * for as many as are free: beyond them, its requests get 503 until its oldest has expired, and those of other keys do not.
     */
    readonly once?: Pick<Store, 'useOnce'> | 'memory'
    /** Algorithms of the signature. Default: `ES256`, `PS256`, `Ed25519` and its older name `EdDSA`, as FAPI 2.0 has them. */
    readonly algorithms?: readonly (typeof ALGORITHMS)[number][]
    /**
     * With it, each proof needs a nonce of this server, which a client gets with its first response, and a new one about
     * every three minutes. So no proof can be made in advance, and the clock of a client does not matter. At least 32 random
     * characters, the same in every process; no nonce is stored. Default: no nonces, and `iat` may be a minute old.
     */
    readonly nonceSecret?: string
    /**
     * The origin at which clients reach this process, such as `https://grades.example`. Default: the issuer, or the `resource`
     * of `createRemoteGate`.
     */
    readonly origin?: string
  } = {},
): Block<DpopReason> {
  const checked = checkOptions('dpop', options, RULES)
  const { nonceSecret, once } = checked
  const algorithms: readonly string[] = checked.algorithms ?? ['ES256', 'PS256', 'Ed25519', 'EdDSA']
  const constraint: SenderConstraint<DpopReason> = {
    kind: SENDER_CONSTRAINT,
    name: 'dpop',
    refusals: DPOP_REFUSALS,
    isOnceOfSite: once === undefined,
    isInMemory: once === 'memory',
    create: ({ origin, store, now, deadline }) =>
      // The hooks of the site have the reasons, by its `blocks`.
      createProofs({
        once: guardStorage<Once>(
          once === 'memory'
            ? onceInMemory(now)
            : withoutSender(once ?? (store as StoreWith<'once'>)),
          { useOnce: STORE_ARGUMENTS.useOnce },
          { results: STORE_RESULTS, deadline },
        ),
        algorithms,
        noncesAt: nonceSecret === undefined ? () => null : createNonces(nonceSecret),
        origin: checked.origin ?? origin,
        now,
      }) as KeyProofs<never>,
  }
  return constraint
}

/** For how long a proof is kept beyond its time, because another process may purge by a clock that is ahead. */
const CLOCKS_SECONDS = 60

/** A store has no use for who sends: its rows are not in the memory of a process. */
const withoutSender = (store: OnceOfStore): Once => ({
  useOnce: ({ key, until }) => store.useOnce({ key, until: until + CLOCKS_SECONDS }),
})

interface Nonces {
  /** The newest one first. */
  readonly values: readonly string[]
  /** Epoch seconds from which none of them is accepted. */
  readonly until: number
}

/** Creates a function that returns the nonces of a time: keyed hashes of it, so that none is stored. */
function createNonces(secret: string): (now: number) => Nonces {
  let last: { readonly period: number; readonly nonces: Nonces } | null = null
  return (now) => {
    const period = Math.floor(now / NONCE_SECONDS)
    if (last?.period !== period) {
      // The clock of the process that gave a nonce may be a little ahead.
      const values = [period, period - 1, period + 1].map((one) =>
        hmacSha256Base64url({ key: secret, message: `DPoP nonce ${one}` }),
      )
      last = { period, nonces: { values, until: (period + 3) * NONCE_SECONDS } }
    }
    return last.nonces
  }
}

function createProofs({
  once,
  algorithms,
  noncesAt,
  origin,
  now,
}: {
  once: Once
  algorithms: readonly string[]
  noncesAt: (now: number) => Nonces | null
  origin: string
  now: () => number
}): KeyProofs<DpopReason> {
  /** The newest nonce for each request that repeats one of the period before. */
  const newer = new WeakMap<ProvableRequest, string>()
  const headersOf = (nonces: Nonces | null): readonly string[] =>
    nonces === null ? [] : ['dpop-nonce', nonces.values[0]!]

  /** Decides all but the signature. */
  function decide(
    request: ProvableRequest,
    token: { readonly accessToken: string | null; readonly boundTo?: string | null },
  ) {
    const { method, target } = request
    const at = now()
    const nonces = noncesAt(at)
    const proof = request.header('dpop')
    const url = target.startsWith('/') ? origin + target : atOrigin(target)
    const decided = decideDpopProof({ ...token, proof, method, url, algorithms, nonces, now: at })
    const headers = headersOf(nonces)
    if (!decided.ok)
      return {
        ...decided,
        headers: decided.error === 'use_dpop_nonce' ? [...headers, ...VARY] : VARY,
      }
    const [newest = null, before] = nonces?.values ?? []
    const dpopNonce = decided.nonce === before ? newest : null
    return { ...decided, proof: proof!, headers, dpopNonce }
  }

  const atOrigin = (url: string): string => {
    if (!URL.canParse(url)) return url
    const { pathname } = new URL(url)
    return origin + pathname
  }

  // A request that took long may come behind the purge of its proof.
  const use = async (one: UsedProof) =>
    (await once.useOnce(one)) === 'first' && isBefore(now(), one.until) ? OK : USED_BEFORE

  const dpopAlgs = `algs="${algorithms.join(' ')}"`

  return {
    scheme: 'DPoP',
    registers: registersFlag('dpop_bound_access_tokens', 'dpopBoundAccessTokens'),
    metadata: { dpop_signing_alg_values_supported: algorithms },
    parameters: {
      dpop_jkt: {
        type: 'string',
        maxLength: 43,
        pattern: '^[A-Za-z0-9_-]{43}$',
        description:
          'The thumbprint of the key whose proof the code will need (RFC 9449, section 10).',
      },
    },
    present(authorization, request) {
      if (authorization === null) return null
      const accessToken = SCHEME.exec(authorization)?.[1]
      if (accessToken === undefined) return MIXED.test(authorization) ? TWO_SCHEMES : null
      return {
        ok: true,
        accessToken,
        async prove(boundTo) {
          if (request === undefined) throw new TypeError(REQUEST_WANTED)
          const decided = decide(request, { accessToken, boundTo })
          if (!decided.ok) return decided
          // Last, so that a wrong signature uses up no proof of the client.
          const signed = SIGNATURES[await verifyEmbedded(decided.proof, algorithms)]
          const proved = signed.ok ? await use(usedOf(decided)) : signed
          const { dpopNonce } = decided
          if (!proved.ok || dpopNonce === null) return proved
          newer.set(request, dpopNonce)
          return { ok: true, dpopNonce }
        },
      }
    },
    read(request) {
      if (request.header('dpop') === null) return null
      const decided = decide(request, { accessToken: null })
      if (!decided.ok) return decided
      const { jkt: key, proof, headers } = decided
      let used: ReturnType<typeof use> | null = null
      return {
        ok: true,
        key,
        headers,
        // A request that loses a race decides again, with the proof that it has used up.
        use: () => (used ??= use(usedOf(decided))),
        signature: () => verifyEmbedded(proof, algorithms),
      }
    },
    async verify({ dpopBoundAccessTokens = false }, proof) {
      if (proof === null) return dpopBoundAccessTokens ? MISSING : OK
      return SIGNATURES[await proof.signature()]
    },
    named: decideCodeKey,
    challenge: (bearer, authorization) =>
      authorization !== null && /^dpop /i.test(authorization)
        ? `${bearer.replace(/^Bearer/, 'DPoP')}, ${dpopAlgs}`
        : `${bearer}, DPoP ${dpopAlgs}`,
    describe: (description) => describeProofs(description, noncesAt(now()) !== null),
    respond(request, headers) {
      const nonce = request && newer.get(request)
      const all = nonce === undefined ? headers : [...headers, 'dpop-nonce', nonce]
      const exposed = all.indexOf('access-control-expose-headers') + 1
      return exposed > 0 && all.includes('dpop-nonce')
        ? all.with(exposed, `${all[exposed]}, DPoP-Nonce`)
        : all
    },
  }
}

const usedOf = ({ jkt: sender, once }: { jkt: string; once: Omit<UsedProof, 'sender'> }) => ({
  ...once,
  sender,
})

const OK = { ok: true } as const
const VARY = ['vary', 'DPoP'] as const
const NOT_SIGNED = /* @__PURE__ */ refuse(
  'invalid_dpop_proof',
  'dpop_proof_signature_wrong',
  'the key of the proof did not sign it',
)
const UNUSABLE = /* @__PURE__ */ refuse(
  'invalid_dpop_proof',
  'dpop_proof_key_malformed',
  'jwk of the proof must be a valid public key for its alg, with use sig or without, and at least 2048 bits of RSA',
)
const SIGNATURES = { right: OK, wrong: NOT_SIGNED, unusable: UNUSABLE } as const
const USED_BEFORE = /* @__PURE__ */ refuse(
  'invalid_dpop_proof',
  'dpop_proof_used_before',
  'the proof was used before: create one for each request',
)
const MISSING = /* @__PURE__ */ refuse(
  'invalid_dpop_proof',
  'dpop_proof_missing',
  'this client needs a proof with each request: send the DPoP header',
)
const TWO_SCHEMES = /* @__PURE__ */ refuse(
  'invalid_request',
  'authorization_schemes_mixed',
  'send one Authorization header',
)
const REQUEST_WANTED =
  'a token of the DPoP scheme needs the request: pass { headers, method, url } to the gate, or request to authorizeBearer'
