import type { OAuthErrorCode, RefusalReason } from '../policy/refusals.js'

/** What happened, for an audit log. Never holds a code, token, secret or cookie. */
export type AuthorizationEvent = {
  /** Epoch seconds. */
  readonly at: number
  readonly clientId: string
} & (
  | {
      readonly type: 'oauth.client.registered' | 'oauth.client.cimd.fetched'
      readonly clientName: string
    }
  | {
      readonly type: 'oauth.client.cimd.changed'
      readonly clientName: string
      /** Whether it was reviewed until now. */
      readonly reviewLost: boolean
    }
  | {
      readonly type: 'oauth.client.cimd.fetch_failed'
      /** What went wrong, in full: for operators, never for the browser. */
      readonly reason: string
    }
  | {
      readonly type: 'oauth.authorization.requested'
      readonly scopes: readonly string[]
    }
  | { readonly type: 'oauth.authorization.denied'; readonly subject: string }
  | {
      readonly type: 'oauth.authorization.approved'
      readonly subject: string
      readonly scopes: readonly string[]
      /** Whether the consent was a remembered one. */
      readonly remembered: boolean
    }
  | {
      readonly type:
        'oauth.authorization.code_redeemed' | 'oauth.grant.created' | 'oauth.token.issued'
      readonly subject: string
      readonly grantId: string
      readonly scopes: readonly string[]
    }
  | {
      readonly type: 'oauth.token.refreshed' | 'oauth.grant.reuse_recovered'
      readonly subject: string
      readonly grantId: string
      readonly scopes: readonly string[]
    }
  | {
      readonly type: 'oauth.authorization.code_replayed' | 'oauth.grant.reuse_detected'
      readonly grantId: string
    }
  | {
      readonly type: 'oauth.grant.revoked' | 'oauth.token.revoked'
      readonly subject: string
      readonly grantId: string
    }
)

/**
 * What happened to a host's own sign-in. hallpass knows no passwords and sends none of these: they are
 * here so that one audit log can hold both.
 */
export type SessionEvent = {
  /** Epoch seconds. */
  readonly at: number
} & (
  | { readonly type: 'session.signed_in'; readonly subject: string }
  | {
      readonly type: 'session.failed'
      /** `null` = nobody has the name that was given. */
      readonly subject: string | null
      /** In snake_case: `wrong_credentials`, `throttled`, … */
      readonly reason: string
    }
)

/** A request that was refused, with the exact reason. Never holds a code, token, secret or cookie. */
export interface RefusalNotice {
  /** Epoch seconds. */
  readonly at: number
  /** The endpoint's name in the record of endpoints. */
  readonly endpoint: string
  readonly error: OAuthErrorCode
  readonly reason: RefusalReason
  /** As sent, cut to 256 characters; `null` = none. Not proven: encode it before it goes in a log. */
  readonly clientId: string | null
}

/** Something threw: a bug, or the storage. */
export interface FaultNotice {
  /** Epoch seconds. */
  readonly at: number
  readonly endpoint: string
  /** What was thrown; a storage fault has the storage's own error as its `cause`. */
  readonly fault: unknown
}
