import { type Client, completeClient } from './client.js'
import type { Decision, ReasonsOf } from './decision.js'
import { decideDocumentUrl, documentPolicyOf } from './cimd-url.js'
import {
  decideDocument,
  documentDigest,
  type DocumentReason,
  type MetadataDocument,
} from './cimd-document.js'

/** How long the last good copy of a document serves while its host is down, in seconds: 7 days. */
export const STALE_DOCUMENT_SECONDS: number = 7 * 86_400

/** What a fetched document did to what was known of its client. */
export type DocumentChange =
  /** Nothing was known. */
  | 'new'
  /** Nothing that a reviewer looks at. */
  | 'none'
  /** Name, redirect URIs or authentication method: a review, if there was one, counts no more. */
  | 'changed'

/**
 * The client that a fetched document stands for. What the site decided about it stays: whether it is
 * blocked, and, while nothing has changed that a reviewer looked at, what it may write.
 *
 * @param fetched - `known`: the client as stored, `null` = never seen; `now` and `freshUntil` in epoch
 *   seconds
 * @see draft-ietf-oauth-client-id-metadata-document-02 §6.3
 */
export function clientOfDocument({
  known,
  document,
  now,
  freshUntil,
}: {
  known: Client | null
  document: MetadataDocument
  now: number
  freshUntil: number
}): { client: Client; change: DocumentChange } {
  const { clientId, name, redirectUris, tokenEndpointAuthMethod } = document
  const digest = documentDigest(document)
  const content = { name, redirectUris, tokenEndpointAuthMethod }
  const record = known?.document ?? null
  if (known === null || record === null)
    return {
      change: 'new',
      client: completeClient({
        ...content,
        clientId,
        kind: 'document',
        createdAt: now,
        document: {
          firstSeenAt: now,
          fetchedAt: now,
          freshUntil,
          digest,
          reviewedAt: null,
          changedAt: null,
        },
      }),
    }
  const revised = { ...known, ...content, revision: known.revision + 1 }
  const refreshed = { ...record, fetchedAt: now, freshUntil }
  if (digest === record.digest)
    return { change: 'none', client: { ...revised, document: refreshed } }
  return {
    change: 'changed',
    client: {
      ...revised,
      scopes: null,
      document: {
        ...refreshed,
        digest,
        reviewedAt: null,
        changedAt: known.scopes === null ? record.changedAt : now,
      },
    },
  }
}

/** A document kept in configuration, for hosts that answer no fetch from a data centre. */
export interface PinnedDocument<out Scope extends string = string> {
  /** The document's content, as parsed JSON. Its `client_id` is its URL. */
  readonly metadata: unknown
  /** The write scopes it may ask for; `null` = not reviewed. */
  readonly scopes: readonly Scope[] | null
  /** Day on which the copy was last compared with the published one, `YYYY-MM-DD`. */
  readonly checkedOn: string
}

/**
 * A pinned document as a client. It is never fetched and never grows old. Loopback addresses in it are
 * those of the default names.
 *
 * @returns refusals are `invalid_client`
 */
export function clientOfPinnedDocument({
  metadata,
  scopes,
}: PinnedDocument): Decision<
  { client: Client },
  ReasonsOf<typeof decideDocumentUrl> | DocumentReason
> {
  const clientId = (metadata as { client_id?: unknown } | null)?.client_id
  const allowed = decideDocumentUrl({
    clientId: typeof clientId === 'string' ? clientId : '',
    policy: documentPolicyOf({ openRegistration: true }),
  })
  if (!allowed.ok) return allowed
  const decided = decideDocument({ url: allowed.url, metadata })
  if (!decided.ok) return decided
  const { name, redirectUris } = decided.document
  const fields = { clientId: allowed.url, kind: 'document', name, redirectUris } as const
  return { ok: true, client: completeClient({ ...fields, scopes, createdAt: 0 }) }
}
