import { type Decision, present, refuse } from '../policy/decision.js'
import type { KeyRecord } from '../store/records.js'
import { isBefore, secondsSince } from '../time/seconds.js'
import { ID_TOKEN_SECONDS } from './id-token.js'

const NEXT: Readonly<Record<KeyRecord['state'], KeyRecord['state'] | null>> = {
  generated: 'published',
  published: 'active',
  active: 'retiring',
  retiring: 'retired',
  retired: null,
}

/**
 * Decides whether a signing key may move to its next state. The states are `generated`, `published`,
 * `active`, `retiring` and `retired`, in this order.
 *
 * A key becomes active only after it has been published for longer than a verifier may cache the JWKS, so
 * that no verifier receives an unknown `kid`. The first key of a site becomes active immediately, because
 * no verifier can have cached an earlier JWKS. Of several published keys, none of which was ever active,
 * the first one is that with the lowest `kid`. A key is retired, and its private part destroyed, when the
 * last ID token that it signed has expired.
 *
 * @param move - the `key` to move, every key of the site, how long a verifier may cache the JWKS, and
 *   the current time in epoch seconds
 * @returns the key in its next state, ready to be stored. Refusals have the error `server_error`:
 *   `key_state_final` (the key is retired), `key_other_active`, `key_not_published_long_enough`,
 *   `key_still_verifies` (an ID token that it signed may still be valid)
 * @see [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5)
 * @group Key lifecycle
 * @example
 * ```ts
 * import { decideKeyMove } from 'hallpass/token'
 *
 * const now = 1_795_165_200
 * const dates = { publishedAt: null, activatedAt: null, retiringAt: null, retiredAt: null }
 * const record = { ...dates, createdAt: now - 700, publicJwk: '{}', sealedPrivateKey: 'sealed' }
 * const old = { ...record, kid: 'old', state: 'active' } as const
 * const key = { ...old, kid: 'new', state: 'generated' } as const
 * const move = { key, keys: [old, key], jwksMaxAgeSeconds: 600, now }
 * const decided = decideKeyMove(move)
 * decided.ok && decided.key // => { ...key, state: 'published', publishedAt: now }
 *
 * const published = { ...key, state: 'published', publishedAt: now } as const
 * const refused = decideKeyMove({ ...move, key: published })
 * !refused.ok && refused.reason // => 'key_other_active'
 * ```
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
  present({ now })
  const to = NEXT[key.state]
  switch (to) {
    case null:
      return refuse('server_error', 'key_state_final')
    case 'active': {
      if (keys.some((other) => other.kid !== key.kid && other.state === 'active'))
        return refuse('server_error', 'key_other_active')
      // Several processes that start together publish a key each. All of them choose the same one.
      const first = keys.every(
        ({ state, kid }) => state === 'generated' || (state === 'published' && kid >= key.kid),
      )
      const waited = isBefore(jwksMaxAgeSeconds, secondsSince(key.publishedAt, now))
      return first || waited
        ? { ok: true, key: { ...key, state: to, activatedAt: now } }
        : refuse('server_error', 'key_not_published_long_enough')
    }
    case 'published':
      return { ok: true, key: { ...key, state: to, publishedAt: now } }
    case 'retiring':
      return { ok: true, key: { ...key, state: to, retiringAt: now } }
    default:
      // A retired key never signs again, so its private part is destroyed.
      return isBefore(ID_TOKEN_SECONDS + jwksMaxAgeSeconds, secondsSince(key.retiringAt, now))
        ? { ok: true, key: { ...key, state: 'retired', retiredAt: now, sealedPrivateKey: null } }
        : refuse('server_error', 'key_still_verifies')
  }
}

/** Whether the JWKS lists a key that is in this state. */
export function isPublished(state: KeyRecord['state']): boolean {
  return state === 'published' || state === 'active' || state === 'retiring'
}
