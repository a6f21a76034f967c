import type { ClientKind } from 'hallpass/policy'
import type { ActivityEntry, ApplicationState, ApplicationsView } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago } from '../parts.js'
import { english } from '../words/en.js'
import type { Language, Words } from '../words/words.js'

/** Returns the path of an app in the admin area, or of a page below it. */
export const applicationPath = (clientId: string, below: string | null = null): string =>
  `/oauth/applications/${encodeURIComponent(clientId)}${below === null ? '' : `/${below}`}`

/** Names of the kinds of apps, for filters and facts. */
export const KIND_WORDS: Readonly<Record<ClientKind, string>> = {
  member: 'Member app',
  vendor: 'Platform',
  loopback: 'App on a computer',
  document: 'Document app',
}

/** Names of the views of the list. */
export const VIEW_WORDS: Readonly<Record<ApplicationsView['filter']['view'], string>> = {
  connected: 'Your apps',
  review: 'To review',
  tried: 'Tried to connect',
  all: 'All',
}

/** Names of the orders of the list. */
export const SORT_WORDS: Readonly<Record<ApplicationsView['filter']['sort'], string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
}

/** Names of the states of an app, for filters and badges. */
export const STATE_WORDS: Readonly<Record<ApplicationState, string>> = {
  active: 'Active',
  unused: 'Not connected',
  disabled: 'Turned off',
  unreviewed: 'Not reviewed',
  reviewed: 'Reviewed',
  changed: 'Changed since review',
  blocked: 'Blocked',
}

const STATE_LOOKS: Readonly<Record<ApplicationState, string>> = {
  active: 'badge badge-good',
  unused: 'badge',
  disabled: 'badge',
  unreviewed: 'badge badge-warn',
  reviewed: 'badge badge-good',
  changed: 'badge badge-warn',
  blocked: 'badge badge-stop',
}

/** Renders the state as a badge. An active member app is paused while MCP connections are off. */
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
  'oauth.client.created': 'App created',
  'oauth.client.updated': 'App changed',
  'oauth.client.disabled': 'Turned off',
  'oauth.client.enabled': 'Turned on',
  'oauth.client.deleted': 'Deleted',
  'oauth.client.secret_rotated': 'New secret created',
  'oauth.client.old_secret_ended': 'Old secret ended',
  'oauth.client.end_set': 'End changed',
  'oauth.client.disconnected': 'Disconnected',
  'oauth.client.registered': 'Registered itself',
  'oauth.client.refused': 'Registration refused',
  'oauth.client.cimd.fetched': 'Document fetched',
  'oauth.client.cimd.reviewed': 'Reviewed',
  'oauth.client.cimd.changed': 'Document changed',
  'oauth.client.cimd.blocked': 'Blocked',
  'oauth.client.cimd.unblocked': 'Unblocked',
  'oauth.client.cimd.fetch_failed': 'Document couldn’t be fetched',
  'oauth.authorization.requested': 'Asked to connect',
  'oauth.authorization.denied': 'Connection declined',
  'oauth.authorization.approved': 'Connection allowed',
  'oauth.authorization.code_redeemed': 'Connection completed',
  'oauth.authorization.code_replayed': 'Sent a used code again, so it was disconnected',
  'oauth.grant.created': 'Connected',
  'oauth.grant.scope_changed': 'Permissions changed',
  'oauth.grant.widened': 'Got more permissions',
  'oauth.grant.revoked': 'Disconnected',
  'oauth.grant.reuse_detected': 'Sent a used token again, so it was disconnected',
  'oauth.grant.reuse_recovered': 'Asked for the same token twice',
  'oauth.grant.used_after_end': 'Sent a token of a connection that has ended',
  'oauth.token.issued': 'Got access',
  'oauth.token.refreshed': 'Renewed its access',
  'oauth.token.revoked': 'Gave up its access',
  'oauth.token.rejected': 'Sent a token that isn’t valid',
  'mcp.tool_called': 'Used a tool',
  'mcp.denied': 'Wasn’t allowed to use a tool',
  'api.write': 'Changed something',
  'api.denied': 'Wasn’t allowed to make a request',
  'graphql.operation': 'Read or changed account data',
}

/** Describes an audit event. A type without a description is shown as it is. */
export const actInWords = (type: string, { acts }: Words = english.words): string => {
  const known = acts ?? ACTS
  return Object.hasOwn(known, type) ? known[type]! : type
}

/** Returns the types whose description contains a text. None if it is empty. */
export const typesInWords = (text: string): readonly string[] =>
  text === ''
    ? []
    : Object.entries(ACTS)
        .filter(([, words]) => words.toLowerCase().includes(text.toLowerCase()))
        .map(([type]) => type)

/** Renders the entries of a log, in the given order. */
export const activityList = (
  entries: readonly ActivityEntry[],
  clock: { readonly now: number; readonly timeZone: string },
  language: Language = english,
): Html =>
  html`<ol class="log">
    ${entries.map(
      ({ at, type, actor, subject, detail, app = null }) =>
        html`<li>
          <span class="log-when">${ago(at, clock, language)}</span>
          <span>
            ${actInWords(type, language.words)}${subject !== null && html` · ${foreign(subject)}`}${
              actor !== null &&
              html` <span class="muted">${language.words.by(foreign(actor))}</span>`
            }${app !== null && html`<span class="quiet"><a href="${applicationPath(app.clientId)}">${foreign(app.name)}</a></span>`}${
              detail !== null && html`<span class="quiet">${foreign(detail)}</span>`
            }
          </span>
        </li>`,
    )}
  </ol>`
