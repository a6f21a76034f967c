import { type Client, effectiveScopes, type Person } from 'hallpass/policy'
import type { AuditEntry } from '../platform/audit.js'
import type { ApplicationDetailView, DocumentFacts } from '../pages/applications/views.js'
import type { Known } from './known.js'
import type { Parts } from './parts.js'

/** What went wrong with what was just asked for. */
export interface Failure {
  readonly status: number
  /** Of a review: what was ticked, and what is wrong with it. */
  readonly review?: { readonly ticked: readonly string[]; readonly fault: string }
  readonly fetchFault?: string
}

/** Why a fetch failed, as far as it concerns a reader of the page. */
const NO_ANSWER = 'Its host did not answer, or not with a document.'

/** What the page says of a document. */
export function documentOf(
  { document, scopes }: Client,
  entries: readonly AuditEntry[],
  failure: Failure | null,
): DocumentFacts | null {
  if (document === null) return null
  const lastFetch = entries.find(({ type }) => FETCHES.includes(type))
  const isFailed = lastFetch?.type === 'oauth.client.cimd.fetch_failed'
  return {
    ...document,
    // It is kept when somebody reviews the document again.
    changedAt: scopes === null ? document.changedAt : null,
    fetchFault: failure?.fetchFault ?? (isFailed ? NO_ANSWER : null),
  }
}

const FETCHES = ['oauth.client.cimd.fetched', 'oauth.client.cimd.fetch_failed']

/** What a reviewer can allow to a document. */
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
