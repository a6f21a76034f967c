import { type Client, completeClient } from './client.js'
import { type Decision, present, type ReasonsOf, type With } from './decision.js'
import { decideDocumentUrl, documentPolicyOf } from './cimd-url.js'
import {
  decideDocument,
  documentDigest,
  type DocumentReason,
  type MetadataDocument,
} from './cimd-document.js'

/**
 * How long the last valid copy of a document is used while it cannot be fetched, in seconds: 7
 * days.
 *
 * @group Client metadata documents
 */
export const STALE_DOCUMENT_SECONDS: number = 7 * 86_400

/**
 * Returns the client that a fetched document defines. The decisions of the site are kept: a blocked
 * client remains blocked. The write scopes that a reviewer allowed are kept as long as nothing
 * changes that the reviewer saw. The first copy after an update from a version that did not keep links
 * does not end a review: what the review covered is in `reviewed`, without links. A client that begins to sign with
 * `private_key_jwt` keeps its review too, and one that stops loses it. New keys change nothing.
 *
 * @param fetched - `known`: the client as stored, or `null` if it is unknown; `document`: from
 *   {@link decideDocument}; `now` and `freshUntil`: epoch seconds, the latter from
 *   {@link documentFreshUntil}
 * @returns the client to store, and what changed
 * @see [OAuth Client ID Metadata Document, section 6.3](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 *
 * @example
 * ```ts
 * import { clientOfDocument } from 'hallpass/policy'
 *
 * const clientId = 'https://notes.example/client.json'
 * const content = { name: 'Notes', redirectUris: ['https://notes.example/callback'] }
 * const document = { clientId, ...content, tokenEndpointAuthMethod: 'none' } as const
 * const times = { now: 1_795_165_200, freshUntil: 1_795_168_800 }
 * const first = clientOfDocument({ known: null, document, ...times })
 * first.change // => 'new'
 *
 * const renamed = { ...document, name: 'Notes Pro' }
 * clientOfDocument({ known: first.client, document: renamed, ...times }).change // => 'changed'
 * ```
 *
 * @group Client metadata documents
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
}): {
  client: Client
  /** `none`: nothing changed that a reviewer sees. `changed` ends a review. */
  change: 'new' | 'none' | 'changed'
} {
  present({ known, now, freshUntil })
  const { clientId, about = null, keys = null, ...rest } = document
  const digest = documentDigest(document)
  const content = { ...rest, about, ...(keys !== null && { keys }) }
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
  // A member that the document no longer has is not kept.
  const {
    dpopBoundAccessTokens: _bound,
    requirePushedRequests: _pushed,
    keys: _keys,
    ...kept
  } = known
  const revised = { ...kept, ...content, revision: known.revision + 1 }
  const reviewed = record.reviewed ?? (known.scopes === null ? null : reviewedContent(known))
  const refreshed = {
    ...record,
    fetchedAt: now,
    freshUntil,
    ...(reviewed !== null && { reviewed }),
  }
  if (digest === record.digest)
    return { change: 'none', client: { ...revised, document: refreshed } }
  // The review was made with an earlier version of hallpass, which did not keep links.
  const isOfEarlierVersion = known.scopes !== null && record.reviewed === undefined
  // A client that begins to sign was reviewed with less than that.
  const unsigned = { ...document, tokenEndpointAuthMethod: 'none' } as const
  if (
    (isOfEarlierVersion && documentDigest({ ...document, about: null }) === record.digest) ||
    documentDigest(unsigned) === record.digest
  )
    return { change: 'none', client: { ...revised, document: { ...refreshed, digest } } }
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

/** Returns what a review of a client covers: the content of its document. */
export function reviewedContent({
  name,
  redirectUris,
  about,
}: Client): NonNullable<NonNullable<Client['document']>['reviewed']> {
  return { name, redirectUris, about }
}

/**
 * Whether the site vouches for what a client says of itself: by its configuration, or by a review that
 * covers the links as they are now.
 */
export function isAboutReviewed(client: Client): boolean {
  const { kind, scopes, document, tokenEndpointAuthMethod } = client
  if (kind !== 'document' || document === null)
    return kind === 'vendor' || (kind === 'document' && scopes !== null)
  const { reviewed = null, digest } = document
  return (
    scopes !== null &&
    reviewed !== null &&
    documentDigest({ tokenEndpointAuthMethod: tokenEndpointAuthMethod as 'none', ...reviewed }) ===
      digest
  )
}

/**
 * A client metadata document that is kept in the configuration of the site and never fetched, for
 * hosts that refuse requests from data centres.
 *
 * @typeParam Scope - the scope names of the site
 *
 * @group Client metadata documents
 */
export interface PinnedDocument<out Scope extends string = string> {
  /** The content of the document, as parsed JSON. Its `client_id` is its URL. */
  readonly metadata: unknown
  /** The write scopes that the client may request. `null` if the document is not reviewed. */
  readonly scopes: readonly Scope[] | null
  /** The day on which the copy was last compared with the published document, as `YYYY-MM-DD`. */
  readonly checkedOn: string
  /** Epoch seconds from which every request of the client is refused. Default: no end. */
  readonly endsAt?: number | null
}

/**
 * Returns the client that a pinned document defines. It is never fetched and does not become stale.
 * Its loopback redirect URIs use the names of {@link LOOPBACK_HOSTS}.
 *
 * @param pinned - the entry from the configuration
 * @returns the client, or a refusal with `invalid_client`
 *
 * @example
 * ```ts
 * import { clientOfPinnedDocument } from 'hallpass/policy'
 *
 * const metadata = {
 *   client_id: 'https://notes.example/client.json',
 *   client_name: 'Notes',
 *   redirect_uris: ['https://notes.example/callback'],
 * }
 * const pinned = { metadata, scopes: ['courses:write'], checkedOn: '2026-11-20' }
 * const decided = clientOfPinnedDocument(pinned)
 * decided.ok ? decided.client.clientId : decided.reason // => 'https://notes.example/client.json'
 *
 * const refused = clientOfPinnedDocument({ ...pinned, metadata: { ...metadata, client_name: ' ' } })
 * refused.ok ? null : refused.reason // => 'document_name_malformed'
 * ```
 *
 * @group Client metadata documents
 */
export function clientOfPinnedDocument({
  metadata,
  scopes,
  endsAt = null,
}: With<PinnedDocument, 'metadata' | 'scopes'>): Decision<
  { client: Client },
  ReasonsOf<typeof decideDocumentUrl> | DocumentReason
> {
  present({ scopes })
  const clientId = (metadata as { client_id?: unknown } | null)?.client_id
  const allowed = decideDocumentUrl({
    clientId: typeof clientId === 'string' ? clientId : '',
    policy: documentPolicyOf({ openRegistration: true }),
  })
  if (!allowed.ok) return allowed
  const decided = decideDocument({ url: allowed.url, metadata })
  if (!decided.ok) return decided
  const { name, redirectUris, about = null } = decided.document
  const fields = { clientId: allowed.url, kind: 'document', name, redirectUris, about } as const
  return { ok: true, client: completeClient({ ...fields, scopes, endsAt, createdAt: 0 }) }
}
