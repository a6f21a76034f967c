import { type Decision, refuse } from '../policy/decision.js'
import type { KeyRecord, SigningKeyState } from '../store/records.js'
import { ID_TOKEN_SECONDS } from './id-token.js'

const NEXT: Readonly<Record<SigningKeyState, SigningKeyState | null>> = {
  generated: 'published',
  published: 'active',
  active: 'retiring',
  retiring: 'retired',
  retired: null,
}

/**
 * Decides whether a signing key may move to its next state.
 *
 * A key signs only once it has been published for longer than verifiers may keep an old JWKS, so that
 * nobody meets an unknown `kid`. The very first key of a site may sign at once: there is no older JWKS
 * that somebody could hold. A key leaves the JWKS only when the last ID token it signed has expired.
 *
 * @param move - `keys`: every key of the site; `jwksMaxAgeSeconds`: how long verifiers may keep the
 *   JWKS; `now`: epoch seconds
 * @returns the key as it is to be stored. Refusals are `server_error`
 */
export function decideKeyMove({
  key,
  keys,
  jwksMaxAgeSeconds,
  now,
}: {
  key: KeyRecord
  keys: readonly KeyRecord[]
  jwksMaxAgeSeconds: number
  now: number
}): Decision<
  { key: KeyRecord },
  'key_state_final' | 'key_other_active' | 'key_not_published_long_enough' | 'key_still_verifies'
> {
  const to = NEXT[key.state]
  switch (to) {
    case null:
      return refuse('server_error', 'key_state_final')
    case 'active': {
      if (keys.some((other) => other.kid !== key.kid && other.state === 'active'))
        return refuse('server_error', 'key_other_active')
      const first = keys.every((other) => other.kid === key.kid || other.publishedAt === null)
      const waited = key.publishedAt !== null && key.publishedAt + jwksMaxAgeSeconds < now
      return first || waited
        ? { ok: true, key: { ...key, state: to, activatedAt: now } }
        : refuse('server_error', 'key_not_published_long_enough')
    }
    case 'published':
      return { ok: true, key: { ...key, state: to, publishedAt: now } }
    case 'retiring':
      return { ok: true, key: { ...key, state: to, retiringAt: now } }
    default:
      // The private key is of no use any more, so it is destroyed.
      return key.retiringAt !== null && key.retiringAt + ID_TOKEN_SECONDS + jwksMaxAgeSeconds < now
        ? { ok: true, key: { ...key, state: 'retired', retiredAt: now, sealedPrivateKey: null } }
        : refuse('server_error', 'key_still_verifies')
  }
}

/** Whether a key in this state stands in the JWKS. */
export function isPublished(state: SigningKeyState): boolean {
  return state === 'published' || state === 'active' || state === 'retiring'
}
