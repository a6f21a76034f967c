import { type Check, compared, oidc, rfc } from './check.js'
import { bytesOf, nowSeconds } from './proof.js'

/** The claims of an ID token, with everything that a client has to check. */
export interface IdToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly checks: readonly Check[]
}

// A part that is not JSON has none of the members that the checks look for.
function partOf(part: string): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(part))) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** A signature algorithm, as the browser's cryptography names its parts. */
export interface Algorithm {
  readonly alg: string
  readonly key: EcKeyImportParams | RsaHashedImportParams
  readonly verify: EcdsaParams | { readonly name: string }
}

const ES256: Algorithm = {
  alg: 'ES256',
  key: { name: 'ECDSA', namedCurve: 'P-256' },
  verify: { name: 'ECDSA', hash: 'SHA-256' },
}

/**
 * Verifies an ID token with the browser's own cryptography.
 *
 * @param keys - the JWK set at `jwks_uri`
 * @param algorithm - the one that the client expects. Default: ES256
 * @see OpenID Connect Core §3.1.3.7
 */
export async function verifyIdToken(
  idToken: string,
  {
    keys,
    issuer,
    clientId,
    nonce,
    algorithm = ES256,
  }: {
    keys: readonly Readonly<Record<string, unknown>>[]
    issuer: string
    clientId: string
    nonce: string
    algorithm?: Algorithm
  },
): Promise<IdToken> {
  const [head = '', body = '', signature = ''] = idToken.split('.')
  const header = partOf(head)
  const claims = partOf(body)
  const key = keys.find(({ kid }) => kid === header['kid'])
  const isSigned =
    key !== undefined &&
    (await isSignature({ key, algorithm, signed: `${head}.${body}`, signature }))
  const list = oidc('3.1.3.7', 'IDTokenValidation')
  return {
    header,
    claims,
    checks: [
      compared('Algorithm of the id_token', [header['alg'], algorithm.alg], rfc(7515, '4.1.1')),
      {
        said: 'Signature of the id_token, with the key of its kid',
        ok: isSigned,
        decision: null,
        answer: isSigned ? `key ${String(header['kid'])}` : 'not signed by a key of this school',
        section: rfc(7515, '5.2'),
      },
      compared('iss: issued by this school', [claims['iss'], issuer], list),
      compared('aud: issued to this client', [claims['aud'], clientId], list),
      compared('nonce: belongs to this request', [claims['nonce'], nonce], list),
      isFresh(claims['exp']),
    ],
  }
}

async function isSignature({
  key,
  algorithm,
  signed,
  signature,
}: {
  key: Readonly<Record<string, unknown>>
  algorithm: Algorithm
  signed: string
  signature: string
}): Promise<boolean> {
  // Members such as use and key_ops could forbid what is done with the key.
  const { use: _, key_ops: __, alg: ___, ...jwk } = key as JsonWebKey
  const { subtle } = crypto
  try {
    return await subtle.verify(
      algorithm.verify,
      await subtle.importKey('jwk', jwk, algorithm.key, false, ['verify']),
      bytesOf(signature),
      new TextEncoder().encode(signed),
    )
  } catch {
    return false
  }
}

function isFresh(expiresAt: unknown): Check {
  const left = typeof expiresAt === 'number' ? expiresAt - nowSeconds() : 0
  return {
    said: 'exp: not expired',
    ok: left > 0,
    decision: null,
    answer: left > 0 ? `${left} seconds left` : 'expired',
    section: oidc('3.1.3.7', 'IDTokenValidation'),
  }
}
