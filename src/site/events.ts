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

/** What somebody in charge did with a client, for an audit log. Never holds a secret. */
export type ManagementEvent = {
  /** Epoch seconds. */
  readonly at: number
  readonly clientId: string
  readonly clientName: string
  /** The `sub` of who did it. */
  readonly actor: string
} & (
  | {
      readonly type:
        | 'oauth.client.created'
        | 'oauth.client.updated'
        | 'oauth.client.disabled'
        | 'oauth.client.enabled'
        | 'oauth.client.secret_rotated'
        | 'oauth.client.old_secret_ended'
        | 'oauth.client.deleted'
        | 'oauth.client.cimd.blocked'
        | 'oauth.client.cimd.unblocked'
    }
  | { readonly type: 'oauth.client.cimd.reviewed'; readonly scopes: readonly string[] }
  | {
      readonly type: 'oauth.client.disconnected'
      /** Whose grants were ended; `null` = everybody's. */
      readonly subject: string | null
      /** How many grants were alive. */
      readonly grants: number
    }
)

/** What happened to a signing key, for an audit log. */
export interface KeyEvent {
  readonly type: 'oauth.key.published' | 'oauth.key.activated' | 'oauth.key.retired'
  /** Epoch seconds. */
  readonly at: number
  readonly kid: string
}

/** What happened at the admin API, for an audit log. */
export interface ApiEvent {
  readonly type: 'api.write' | 'api.denied'
  /** Epoch seconds. */
  readonly at: number
  /** The operation's id. */
  readonly operation: string
  readonly clientId: string | null
  readonly subject: string | null
  readonly requestId: string
  /** The problem's code, or the reason of the refusal; `null` = it was done. */
  readonly reason: string | null
}

/** What happened at `/mcp`, for an audit log. */
export interface McpEvent {
  readonly type: 'mcp.tool_called' | 'mcp.denied'
  /** Epoch seconds. */
  readonly at: number
  readonly tool: string | null
  /** `null` = the caller came without a token, or with one that does not count. */
  readonly clientId: string | null
  readonly subject: string | null
  readonly requestId: string
  /** SHA-256 of the arguments as JSON, 43 base64url characters; `null` = there were none to look at. */
  readonly argumentsDigest: string | null
  /** `done`, the code of the fault, or the reason of the refusal. */
  readonly outcome: string
}

/** What a site's `onEvent` hears. */
export type SiteEvent = AuthorizationEvent | ManagementEvent | KeyEvent | ApiEvent | McpEvent

/** A request that was refused, with the exact reason. Never holds a code, token, secret or cookie. */
export interface RefusalNotice {
  /** Epoch seconds. */
  readonly at: number
  /** Who refused: `token`, `authorize`, …; `gate`, `account`, `admin`, `mcp`. */
  readonly endpoint: string
  readonly error: OAuthErrorCode
  readonly reason: RefusalReason
  /** As sent, cut to 256 characters; `null` = none. Not proven: encode it before it goes in a log. */
  readonly clientId: string | null
  /** What the answer names the request by; `null` = it has no name. */
  readonly requestId: string | null
}

/** Something threw: a bug, or the storage. */
export interface FaultNotice {
  /** Epoch seconds; 0 = it is the clock that failed. */
  readonly at: number
  /** Where it was thrown: the name of an endpoint, of a hook, or `gate`, `account`, `admin`, `mcp`. */
  readonly endpoint: string
  /** What was thrown; a storage fault has the storage's own error as its `cause`. */
  readonly fault: unknown
  /** What the answer names the request by; `null` = no client was told. */
  readonly requestId: string | null
}
