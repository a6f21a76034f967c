import type { ClientKind } from 'hallpass/policy'
import type { ActivityEntry, ApplicationState } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago } from '../parts.js'

/** The path of an application in the admin area, or of something below it. */
export const applicationPath = (clientId: string, below: string | null = null): string =>
  `/oauth/applications/${encodeURIComponent(clientId)}${below === null ? '' : `/${below}`}`

/** Kinds of application, for filters and facts. */
export const KIND_WORDS: Readonly<Record<ClientKind, string>> = {
  member: 'Member app',
  vendor: 'Platform',
  loopback: 'This-computer app',
  document: 'Document app',
}

/** States of an application, for filters and badges. */
export const STATE_WORDS: Readonly<Record<ApplicationState, string>> = {
  active: 'Active',
  disabled: 'Switched off',
  unreviewed: 'Not reviewed',
  reviewed: 'Reviewed',
  changed: 'Changed since review',
  blocked: 'Blocked',
}

const STATE_LOOKS: Readonly<Record<ApplicationState, string>> = {
  active: 'badge badge-good',
  disabled: 'badge',
  unreviewed: 'badge badge-warn',
  reviewed: 'badge badge-good',
  changed: 'badge badge-warn',
  blocked: 'badge badge-stop',
}

/** The state as a badge; a member app that only waits for MCP connections is paused. */
export const stateBadge = ({
  kind,
  state,
  enabled,
}: {
  kind: ClientKind
  state: ApplicationState
  enabled: boolean
}): Html =>
  kind === 'member' && state === 'active' && !enabled
    ? html`<span class="badge">Paused</span>`
    : html`<span class="${STATE_LOOKS[state]}">${STATE_WORDS[state]}</span>`

const ACTS: Readonly<Record<string, string>> = {
  'oauth.client.created': 'Application created',
  'oauth.client.updated': 'Application changed',
  'oauth.client.disabled': 'Switched off',
  'oauth.client.enabled': 'Switched on',
  'oauth.client.deleted': 'Deleted',
  'oauth.client.secret_rotated': 'New secret made',
  'oauth.client.old_secret_ended': 'Old secret ended',
  'oauth.client.disconnected': 'Disconnected',
  'oauth.client.registered': 'Registered itself',
  'oauth.client.refused': 'Turned away',
  'oauth.client.cimd.fetched': 'Document fetched',
  'oauth.client.cimd.reviewed': 'Reviewed',
  'oauth.client.cimd.changed': 'Document changed',
  'oauth.client.cimd.blocked': 'Blocked',
  'oauth.client.cimd.unblocked': 'Unblocked',
  'oauth.client.cimd.fetch_failed': 'Document could not be fetched',
  'oauth.authorization.requested': 'Asked to connect',
  'oauth.authorization.denied': 'Connection refused',
  'oauth.authorization.approved': 'Connection allowed',
  'oauth.authorization.code_redeemed': 'Connection completed',
  'oauth.authorization.code_replayed': 'A used code came again, so it was disconnected',
  'oauth.grant.created': 'Connected',
  'oauth.grant.scope_changed': 'Allowed something else',
  'oauth.grant.revoked': 'Disconnected',
  'oauth.grant.reuse_detected': 'A used key came again, so it was disconnected',
  'oauth.grant.reuse_recovered': 'Asked for the same key twice',
  'oauth.token.issued': 'Got a key',
  'oauth.token.refreshed': 'Renewed its key',
  'oauth.token.revoked': 'Gave its key back',
  'oauth.token.rejected': 'Came with a key that does not count',
  'mcp.tool_called': 'Used a tool',
  'mcp.denied': 'Was refused a tool',
  'api.write': 'Changed something',
  'api.denied': 'Was refused a request',
  'graphql.operation': 'Read or changed account data',
}

/** What an audit event says; the type itself where it has no words. */
const actInWords = (type: string): string => (Object.hasOwn(ACTS, type) ? ACTS[type]! : type)

/** Lines of a log, as given. */
export const activityList = (
  entries: readonly ActivityEntry[],
  clock: { readonly now: number; readonly timeZone: string },
): Html =>
  html`<ol class="log">
    ${entries.map(
      ({ at, type, actor, subject, detail }) =>
        html`<li>
          <span class="log-when">${ago(at, clock)}</span>
          <span>
            ${actInWords(type)}${subject !== null && html` · ${foreign(subject)}`}${
              actor !== null && html` <span class="muted">by ${foreign(actor)}</span>`
            }${detail !== null && html`<span class="quiet">${foreign(detail)}</span>`}
          </span>
        </li>`,
    )}
  </ol>`
