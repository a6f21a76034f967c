import { type Check, compared, oidc, rfc } from './check.js'
import { bytesOf, nowSeconds } from './proof.js'

/** The claims of an ID token, with everything that a client has to check. */
export interface IdToken {
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

/**
 * Verifies an ID token with the browser's own cryptography.
 *
 * @param keys - the JWK set at `jwks_uri`
 * @see OpenID Connect Core §3.1.3.7
 */
export async function verifyIdToken(
  idToken: string,
  {
    keys,
    issuer,
    clientId,
    nonce,
  }: {
    keys: readonly Readonly<Record<string, unknown>>[]
    issuer: string
    clientId: string
    nonce: string
  },
): Promise<IdToken> {
  const [head = '', body = '', signature = ''] = idToken.split('.')
  const header = partOf(head)
  const claims = partOf(body)
  const key = keys.find(({ kid }) => kid === header['kid'])
  const isSigned =
    key !== undefined && (await isSignature({ key, signed: `${head}.${body}`, signature }))
  const list = oidc('3.1.3.7', 'IDTokenValidation')
  return {
    claims,
    checks: [
      compared('Algorithm of the id_token', [header['alg'], 'ES256'], rfc(7515, '4.1.1')),
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
  signed,
  signature,
}: {
  key: Readonly<Record<string, unknown>>
  signed: string
  signature: string
}): Promise<boolean> {
  const { kty, crv, x, y } = key as JsonWebKey
  if (kty === undefined || crv === undefined || x === undefined || y === undefined) return false
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const publicKey = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, curve, false, [
    'verify',
  ])
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const data = new TextEncoder().encode(signed)
  return crypto.subtle.verify(algorithm, publicKey, bytesOf(signature), data)
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
