import { compactVerify, importJWK, type JWK } from 'jose'
import { sha256Base64url } from '../encoding/hash.js'
import type { KeySource } from './key-ring.js'

/**
 * Returns the subject of an `id_token_hint`: an ID token of this issuer, signed with a key that is still published.
 *
 * It may have expired, and may be for another client: it says only who is meant (OpenID Connect Core 1.0, section
 * 3.1.2.1). Another value is treated as absent, because a hint opens nothing.
 *
 * @returns the subject; `null` for anything else
 * @throws whatever `keys.jwks` throws
 */
export async function subjectOfHint(
  hint: string,
  { issuer, keys }: { readonly issuer: string; readonly keys: Pick<KeySource, 'jwks'> },
): Promise<string | null> {
  const { keys: published } = await keys.jwks()
  try {
    const { payload } = await compactVerify(hint, ({ kid }) => keyOf(published, kid), {
      algorithms: ['ES256'],
    })
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
    return claims['iss'] === issuer && typeof claims['sub'] === 'string' ? claims['sub'] : null
  } catch {
    return null
  }
}

function keyOf(
  published: readonly JWK[],
  kid: string | undefined,
): Promise<Awaited<ReturnType<typeof importJWK>>> {
  const key = published.find((one) => one.kid === kid)
  if (key === undefined) throw new TypeError('no published key has this kid')
  return importJWK(key, 'ES256')
}

/**
 * Returns the form in which a pending request keeps whom a hint names. Without the identifier in the interaction URL,
 * which is stored only as a hash, no one can find the person.
 */
export const hashHinted = (interactionId: string, subject: string): string =>
  sha256Base64url(`hint ${interactionId} ${subject}`)
