import { differencesSinceReview, keptMetadata } from 'hallpass/clients'
import { type Client, effectiveScopes, type Person } from 'hallpass/policy'
import type {
  ApplicationDetailView,
  DocumentFacts,
  PagesOfApplications,
} from '../../../pages/applications/views.js'
import type { Known } from './known.js'
import type { Parts } from './parts.js'
import type { LogEntry } from './words.js'

/** The failure of the action that was just requested. */
export interface Failure {
  readonly status: number
  /** For a review: the ticked scopes and the error. */
  readonly review?: { readonly ticked: readonly string[]; readonly fault: string }
  readonly fetchFault?: string
}

/** Returns the facts that the page shows about a client metadata document. */
export function documentOf(
  client: Client,
  entries: readonly LogEntry[],
  failure: Failure | null,
  { refusal }: Pick<PagesOfApplications, 'refusal'>,
): DocumentFacts | null {
  const { document, scopes } = client
  if (document === null) return null
  const lastFetch = entries.find(({ type }) => FETCHES.includes(type))
  const isFailed = lastFetch?.type === 'oauth.client.cimd.fetch_failed'
  return {
    ...document,
    kept: JSON.stringify(keptMetadata(client), null, 2),
    differences: differencesSinceReview(client) ?? [],
    // `changedAt` is kept after a new review, so it only applies while `scopes` is null.
    changedAt: scopes === null ? document.changedAt : null,
    fetchFault: failure?.fetchFault ?? (isFailed ? refusal('document_unavailable') : null),
  }
}

const FETCHES = ['oauth.client.cimd.fetched', 'oauth.client.cimd.fetch_failed']

/** Returns the scopes that a reviewer can allow to an app with a client metadata document. */
export function reviewOf(
  { scopes: registry, roles, inWords }: Pick<Parts, 'scopes' | 'roles' | 'inWords'>,
  person: Person,
  { client, isConfigured }: Known,
  failure: Failure | null,
): ApplicationDetailView['review'] {
  if (client.kind !== 'document' || isConfigured) return []
  const writes = inWords((scope) => {
    const row = registry.get(scope)
    return row?.audience === 'operator' && row.access === 'write'
  })
  const names = writes.map(({ scope }) => scope)
  const ticked = failure?.review?.ticked ?? client.scopes ?? []
  const held = effectiveScopes({
    scopes: names,
    clientScopes: names,
    roles: person.roles,
    table: roles,
    registry,
  })
  return writes.map((one) => ({
    ...one,
    allowed: ticked.includes(one.scope),
    withinRole: held.includes(one.scope),
  }))
}
