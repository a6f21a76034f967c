import type { OAuthErrorCode, RefusalReason } from '../policy/refusals.js'

/**
 * A sign-in at the host application. hallpass has no passwords and never sends these events: the type
 * lets one audit log contain both.
 *
 * @group Events and notices
 */
export type SessionEvent = {
  /** Epoch seconds. */
  readonly at: number
} & (
  | { readonly type: 'session.signed_in'; readonly subject: string }
  | {
      readonly type: 'session.failed'
      /** The person whose sign-in failed; `null` if no person has the name that was entered. */
      readonly subject: string | null
      /** The cause in snake_case, such as `wrong_credentials` or `throttled`. */
      readonly reason: string
    }
)

/**
 * Every event that the `onEvent` hook of a site receives.
 *
 * @group Events and notices
 */
export type SiteEvent =
  /** A completed step of the authorization server, for an audit log. It never contains a code, token, secret or cookie. */
  (
    | ({
        /** Epoch seconds. */
        readonly at: number
        readonly clientId: string
        /**
         * Identifier of the request, as in the `X-Request-Id` header. If a manager had a document fetched, it is that
         * of `requestIdOf`, or `null`.
         */
        readonly requestId: string | null
        /** The attempt to connect that the step belongs to; absent if there is none, or if the site keeps none. */
        readonly attemptId?: string
      } & (
        | {
            readonly type: 'oauth.client.registered' | 'oauth.client.cimd.fetched'
            readonly clientName: string
          }
        | {
            readonly type: 'oauth.client.cimd.changed'
            readonly clientName: string
            /** Whether the client was reviewed before; the review does not apply to the changed document. */
            readonly reviewLost: boolean
          }
        | {
            readonly type: 'oauth.client.cimd.fetch_failed'
            /** The exact cause: for operators, never for the browser. */
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
            /** Whether an earlier consent was reused, so that the person saw no consent page. */
            readonly remembered: boolean
          }
        | {
            readonly type:
              'oauth.authorization.code_redeemed' | 'oauth.grant.created' | 'oauth.token.issued'
            readonly subject: string
            readonly grantId: string
            readonly scopes: readonly string[]
            /**
             * At `oauth.grant.created` by `identityAssertion`: the issuer of the identity provider that decided in place of
             * the person. Absent in every other case.
             */
            readonly provider?: string
          }
        | {
            /** The person added scopes to a grant; its access tokens have them too. */
            readonly type: 'oauth.grant.widened'
            readonly subject: string
            readonly grantId: string
            /** The added scopes. */
            readonly scopes: readonly string[]
          }
        | {
            readonly type: 'oauth.token.refreshed'
            readonly subject: string
            readonly grantId: string
            readonly scopes: readonly string[]
          }
        | {
            /** A used refresh token was sent again, and the client got tokens that no one has used. */
            readonly type: 'oauth.grant.reuse_recovered'
            readonly subject: string
            readonly grantId: string
            readonly scopes: readonly string[]
            /** How many refreshes the client missed: 1 if it missed the last one, such as a lost response. */
            readonly behind: number
          }
        | {
            /**
             * Ten refreshes of a grant were answered again within a week, although its refresh policy expects one holder.
             * Responses are lost, several programs share the token, or a thief follows its owner. Reported once a week for
             * each grant, by each process.
             */
            readonly type: 'oauth.grant.reuse_frequent'
            readonly subject: string
            readonly grantId: string
          }
        | {
            /**
             * A client still sends refresh tokens of a grant that was revoked or has expired. Reported once an hour
             * for each client, by each process; the refusals in between do not go to `onRefusal` either.
             */
            readonly type: 'oauth.grant.used_after_end'
            readonly reason: 'grant_revoked' | 'grant_expired'
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
      ))
    /** A change that a manager made to a client, for an audit log. It never contains a secret. */
    | ({
        /** Epoch seconds. */
        readonly at: number
        readonly clientId: string
        readonly clientName: string
        /** The `sub` of the manager. */
        readonly actor: string
        /** Identifier of the request, as `requestIdOf` of the site returns it outside of an endpoint, or `null`. */
        readonly requestId: string | null
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
        | {
            readonly type: 'oauth.client.end_set'
            /** Epoch seconds from which every request of the client is refused; `null` for no end. */
            readonly endsAt: number | null
          }
        | { readonly type: 'oauth.client.cimd.reviewed'; readonly scopes: readonly string[] }
        | {
            readonly type: 'oauth.client.disconnected'
            /** The person whose grants were revoked; `null` if those of every person were. */
            readonly subject: string | null
            /** How many grants were active until then. */
            readonly grants: number
          }
      ))
    /** The erasure of a person by `erasePerson` from `hallpass/operations`, for an audit log. It names no one, because it is kept after the erasure. */
    | {
        readonly type: 'oauth.person.erased'
        /** Epoch seconds. */
        readonly at: number
        /** How many grants were deleted, whether they were valid, revoked or expired. */
        readonly grants: number
        /** Identifier of the request, as `requestIdOf` of the site returns it outside of an endpoint, or `null`. */
        readonly requestId: string | null
      }
    /** The end of everything that a site had issued before a time, by `revokeAllGrants` from `hallpass/operations`. */
    | {
        readonly type: 'oauth.grants.revoked'
        /** Epoch seconds. */
        readonly at: number
        /** Epoch seconds: what was issued at this time or later remains. */
        readonly issuedBefore: number
        /** How many grants were revoked, expired ones included. */
        readonly grants: number
        /** Identifier of the request, as `requestIdOf` of the site returns it outside of an endpoint, or `null`. */
        readonly requestId: string | null
      }
    /** A change of a signing key, for an audit log, or the lack of a key that signs. */
    | ({
        /** Epoch seconds. */
        readonly at: number
      } & (
        | {
            /** `oauth.key.resealed`: a previous sealing secret had sealed the key, and now the current one has. */
            readonly type:
              | 'oauth.key.published'
              | 'oauth.key.activated'
              | 'oauth.key.retired'
              | 'oauth.key.resealed'
            readonly kid: string
          }
        /** A signer was asked for and none is active, so no ID token is issued. Reported once an hour. */
        | { readonly type: 'oauth.key.none_active' }
      ))
    /** A change of what is known about the clock of a process. `at` is the time by that clock. */
    | ({
        /** Epoch seconds. */
        readonly at: number
      } & (
        | {
            /**
             * `oauth.clock.skewed`: the clock of the process differs from that of the store by more than 60
             * seconds, so the process neither issues nor deletes. Reported at each comparison.
             * `oauth.clock.corrected`: they agree again.
             */
            readonly type: 'oauth.clock.skewed' | 'oauth.clock.corrected'
            /** By how many seconds the process is ahead of the store; negative if it is behind. */
            readonly skewSeconds: number
          }
        | {
            /** The clock is further ahead than expected, so nothing is deleted until it has run for a day. */
            readonly type: 'oauth.clock.leapt'
            /** By how many seconds it is ahead of the last time at which it was trusted. */
            readonly leapSeconds: number
          }
      ))
    /** A write, or a refused request, at the admin API, for an audit log. */
    | {
        readonly type: 'api.write' | 'api.denied'
        /** Epoch seconds. */
        readonly at: number
        /** Identifier of the operation. */
        readonly operation: string
        readonly clientId: string | null
        readonly subject: string | null
        readonly requestId: string
        /** Code of the problem or reason of the refusal; `null` if the operation succeeded. */
        readonly reason: string | null
      }
    /** A tool call, or a refused request, at `/mcp`, for an audit log. */
    | {
        readonly type: 'mcp.tool_called' | 'mcp.denied'
        /** Epoch seconds. */
        readonly at: number
        readonly tool: string | null
        /** The client; `null` if the request had no valid access token. */
        readonly clientId: string | null
        readonly subject: string | null
        readonly requestId: string
        /** SHA-256 of the arguments as JSON, in 43 base64url characters; `null` if there were none. */
        readonly argumentsDigest: string | null
        /** `done`, or the code of the tool error, or the reason of the refusal. */
        readonly outcome: string
      }
  ) & {
    /** The identifier under which the store keeps the event; absent if it does not keep it. */
    readonly id?: string
  }

/**
 * An event of the authorization server before the request that it belongs to is added.
 *
 * @group Events and notices
 */
export type Step =
  Exclude<Extract<SiteEvent, { clientId: string }>, { actor: string }> extends infer Event
    ? Event extends { type: string }
      ? Omit<Event, 'requestId' | 'attemptId' | 'id'>
      : never
    : never

/**
 * A refused request with its exact reason, for the `onRefusal` hook. It never contains a code, token,
 * secret or cookie.
 *
 * @typeParam More - the reasons of the `blocks` of the site. Default: none
 *
 * @group Events and notices
 */
export interface RefusalNotice<out More extends string = never> {
  /** Epoch seconds. */
  readonly at: number
  /**
   * The endpoint that refused it, such as `token` or `authorize`, or `gate`, `account`, `admin` or `mcp`.
   */
  readonly endpoint: string
  readonly error: OAuthErrorCode
  readonly reason: RefusalReason | More
  /**
   * The `client_id` as the client sent it, cut to 256 characters, or that of the access token; `null` if
   * there is neither. It is not authenticated: encode it before you log it.
   */
  readonly clientId: string | null
  /** Identifier of the request, as in the `X-Request-Id` header; `null` if the response has none. */
  readonly requestId: string | null
  /** The attempt to connect that was refused; absent if it is not known, or if the site keeps none. */
  readonly attemptId?: string
}

/**
 * An unexpected error, for the `onFault` hook: a bug, or storage that is unavailable.
 *
 * @group Events and notices
 */
export interface FaultNotice {
  /** Epoch seconds; 0 if the clock itself failed. */
  readonly at: number
  /** The source: the name of an endpoint or of a hook, or `gate`, `account`, `admin` or `mcp`. */
  readonly endpoint: string
  /** The exception. That of a storage failure has the error of the storage as its `cause`. */
  readonly fault: unknown
  /**
   * Identifier of the request, as in the `X-Request-Id` header; `null` if no response reports the fault.
   */
  readonly requestId: string | null
}
