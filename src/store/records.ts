import type { AuthorizationRequest } from '../policy/authorization-request.js'

/**
 * A signing key as it is stored. Created by a key ring of `hallpass/token`; the record is kept after the
 * key is retired.
 *
 * @group Signing keys
 */
export interface KeyRecord {
  /** The key identifier: unique at its site and never reused. */
  readonly kid: string
  /**
   * `generated`, `published` in the JWKS, `active`, `retiring` (published, but no longer signing), `retired`. Only an
   * `active` key signs.
   */
  readonly state: 'generated' | 'published' | 'active' | 'retiring' | 'retired'
  /** The public JWK (RFC 7517) as JSON text. */
  readonly publicJwk: string
  /**
   * The private key, encrypted by the key ring. `null` if it is kept elsewhere, such as in a KMS, or was
   * destroyed.
   */
  readonly sealedPrivateKey: string | null
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds of the first publication in the JWKS; `null` before it. */
  readonly publishedAt: number | null
  /** Epoch seconds at which the key became `active`; `null` before that. */
  readonly activatedAt: number | null
  /** Epoch seconds at which the key stopped signing; `null` before that. */
  readonly retiringAt: number | null
  /** Epoch seconds at which the key was removed from the JWKS; `null` before that. */
  readonly retiredAt: number | null
}

/**
 * How far the clock by which rows are deleted is trusted. Created by `maintain`, which reads the clock and
 * decides.
 *
 * @group Clocks
 */
export interface ClockMark {
  /** The last time at which the clock was trusted, in epoch seconds; 0 if it never was. */
  readonly trustedAt: number
  /**
   * The readings of a clock that is further ahead of `trustedAt` than expected; `null` if it is trusted.
   */
  readonly leap: {
    /** The first of these readings, in epoch seconds. */
    readonly from: number
    /** The last one, in epoch seconds. */
    readonly to: number
    /** For how many seconds the clock has run between them. Long pauses count less. */
    readonly steadySeconds: number
  } | null
}

/**
 * An authorization request that is valid and waits for a person to sign in and decide. Created by the
 * authorization endpoint, and ended by the decision.
 *
 * @group Authorization codes and consent
 */
export interface PendingAuthorization extends Omit<AuthorizationRequest, 'redirectUri'> {
  /** SHA-256 of the identifier in the interaction URL. */
  readonly idHash: string
  /** SHA-256 of the cookie value that binds the request to the browser that began it. */
  readonly browserHash: string
  /** Exactly as presented. */
  readonly redirectUri: string
  /**
   * SHA-256 of the identifier in the interaction URL together with the person whom `id_token_hint` names; `null` if it
   * names none.
   */
  readonly hintedHash: string | null
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** How long a store keeps an event that no one delivers, in seconds. */
export const EVENT_SECONDS: number = 30 * 86_400

/**
 * An event that a store keeps along with the change that it reports, until it is delivered. Created by the
 * endpoints of a site with the option `outbox`.
 *
 * It holds the members of the event as `onEvent` receives them, and never a code, token or secret. `subject` and
 * `actor` are `null` for a person who was erased before the delivery.
 *
 * @group Events
 */
export interface StoredEvent {
  /** Unique: of several deliveries of one event, all have the same. */
  readonly id: string
  /** Such as `oauth.grant.created`. */
  readonly type: string
  /** Epoch seconds. */
  readonly at: number
  readonly [member: string]: unknown
}
