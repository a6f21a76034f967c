import type { OAuthErrorCode } from '../policy/decision.js'

/** What happened, for an audit log. Never holds a code, token, secret or cookie. */
export type AuthorizationEvent = {
  /** Epoch seconds. */
  readonly at: number
  readonly clientId: string
} & (
  | { readonly type: 'oauth.client.registered'; readonly clientName: string }
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
      readonly type: 'oauth.grant.created'
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

/** A request that was refused, with the exact reason. Never holds a code, token, secret or cookie. */
export interface RefusalNotice {
  /** Epoch seconds. */
  readonly at: number
  /** The endpoint's name in the record of endpoints. */
  readonly endpoint: string
  readonly error: OAuthErrorCode
  readonly reason: string
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
