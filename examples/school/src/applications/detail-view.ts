import { type Client, scopesOfClient } from 'hallpass/policy'
import type { ApplicationDetailView, ApplicationDone } from '../../../pages/applications/views.js'
import { actionsOf, previousSecretUntil } from './actions.js'
import { connectedPeople } from './connected-people.js'
import { documentOf, type Failure, reviewOf } from './document-facts.js'
import type { Known } from './known.js'
import type { Parts, Visit } from './parts.js'
import { activityOf, type LogEntry, stateOf } from './words.js'

const ENTRIES = 30
/** More entries are read than shown, because routine ones such as token refreshes are left out. */
const ENTRIES_READ = 200
const ROUTINE = ['oauth.token.refreshed']

const DONE: Readonly<Record<ApplicationDone, true>> = {
  saved: true,
  old_secret_ended: true,
  end_set: true,
  disabled: true,
  enabled: true,
  disconnected: true,
  all_disconnected: true,
  reviewed: true,
  reviewed_without_logo: true,
  blocked: true,
  unblocked: true,
  fetched: true,
}

/** Responds with the page of one app. */
export async function showDetail(
  parts: Parts,
  visit: Visit,
  known: Known,
  failure: Failure | null = null,
): Promise<Response> {
  const { audit, inWords, scopes: registry, now, settings, services = null } = parts
  const { pages } = visit
  const { client } = known
  const { clientId, kind } = client
  const enabled = await settings.mcpConnections()
  const entries = await audit.recent({ clientId, limit: ENTRIES_READ })
  const use = await parts.known.use(known)
  const connected = await connectedPeople(parts, client, pages.someone)
  const isService = services !== null && (await services.has(clientId))
  const allowed = isService ? (client.scopes ?? []) : scopesOfClient({ client, registry })
  const done = visit.query.get('done') ?? ''
  const view: ApplicationDetailView = {
    ...visit.frame,
    isService,
    clientId,
    name: client.name,
    description: client.description,
    icon: client.icon,
    logo: await parts.logos.pathOf({ clientId, logoUri: client.about?.logoUri ?? null }),
    said: saidOf(client),
    kind,
    state: stateOf(client, client.usedAt !== null || use.people > 0),
    enabled,
    authMethod: client.tokenEndpointAuthMethod,
    origin: parts.origin,
    redirectUris: client.redirectUris,
    scopes: inWords((scope) => allowed.includes(scope)),
    createdAt: known.isConfigured ? null : client.createdAt,
    lastUsedAt: use.lastUsedAt ?? client.usedAt,
    endsAt: client.endsAt,
    secret: secretOf(client, entries, now()),
    people: connected,
    morePeople: Math.max(0, use.people - connected.length),
    log: await activityOf(notable(entries), parts, pages),
    document: documentOf(client, entries, failure, pages),
    review: reviewOf(parts, visit.person, known, failure),
    reviewFault: failure?.review?.fault ?? null,
    actions: actionsOf(known, { enabled, now: now() }),
    done: failure === null && Object.hasOwn(DONE, done) ? (done as ApplicationDone) : null,
  }
  return visit.show(pages.detail(view), failure?.status ?? 200)
}

const saidOf = ({ about }: Client): ApplicationDetailView['said'] => {
  if (about === null) return []
  const { clientUri, policyUri, tosUri, logoUri, contacts } = about
  return [
    { member: 'client_uri' as const, values: listOf(clientUri) },
    { member: 'policy_uri' as const, values: listOf(policyUri) },
    { member: 'tos_uri' as const, values: listOf(tosUri) },
    { member: 'logo_uri' as const, values: listOf(logoUri) },
    { member: 'contacts' as const, values: contacts },
  ].filter(({ values }) => values.length > 0)
}
const listOf = (value: string | null): readonly string[] => (value === null ? [] : [value])

const notable = (entries: readonly LogEntry[]): readonly LogEntry[] =>
  entries.filter(({ type }) => !ROUTINE.includes(type)).slice(0, ENTRIES)

function secretOf(
  client: Client,
  entries: readonly LogEntry[],
  now: number,
): ApplicationDetailView['secret'] {
  if (client.tokenEndpointAuthMethod !== 'client_secret_post') return null
  const made = entries.find(
    ({ type }) => type === 'oauth.client.secret_rotated' || type === 'oauth.client.created',
  )
  return { since: made?.at ?? null, previousUntil: previousSecretUntil(client, now) }
}
