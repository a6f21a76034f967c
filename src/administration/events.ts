/** What somebody in charge did with a client, for an audit log. Never holds a secret. */
export type AdministrationEvent = {
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
