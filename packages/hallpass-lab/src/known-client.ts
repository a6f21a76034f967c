import { defineClient, LOOKALIKES } from 'hallpass/clients'
import {
  type Client,
  clientOfDocument,
  clientOfPinnedDocument,
  clientOfVendor,
  type Decision,
  decideDocument,
  decideDocumentUrl,
  decideRegistration,
  refuse,
} from 'hallpass/policy'
import type { WayIn, ConnectPolicy } from './client-outcome.js'
import type { PublishedDocument, RealClient } from './real-client.js'

/** A client, and how it became known to the site. */
export interface KnownClient {
  readonly by: WayIn
  readonly client: Client
}

const NOT_SUPPORTED = refuse(
  'invalid_client',
  'documents_not_supported',
  'client_id cannot be a URL at this site',
)

/**
 * Makes a client known in the way that it chooses itself: by its client metadata document if the
 * authorization server metadata has what the client looks for, otherwise by registration.
 *
 * @returns the client, or a refusal of `decideRegistration`, `decideDocumentUrl` or `decideDocument`, or
 *   `documents_not_supported`. If one of several registrations is refused, so is the client
 */
export function knowClient(policy: ConnectPolicy, real: RealClient): Decision<KnownClient> {
  if (real.document !== null && prefersDocument(policy, real.document))
    return knowByDocument(policy, real.document)
  const known = real.registrations.map((metadata) => register(policy, metadata))
  return known.find(({ ok }) => !ok) ?? known[0] ?? NOT_SUPPORTED
}

// The members of the authorization server metadata of this library on which clients base their choice.
function prefersDocument(
  { documents, pinnedDocuments, clientAuthentication = [] }: ConnectPolicy,
  { usedWhen }: PublishedDocument,
): boolean {
  const metadata: Readonly<Record<string, unknown>> = {
    client_id_metadata_document_supported:
      pinnedDocuments.length > 0 ||
      (documents !== null && (documents.openRegistration || documents.allowedHosts.length > 0)),
    token_endpoint_auth_methods_supported: [
      'client_secret_post',
      'none',
      ...clientAuthentication.map(({ name }) => name),
    ],
    authorization_response_iss_parameter_supported: true,
  }
  return Object.entries(usedWhen).every(([member, wanted]) =>
    [metadata[member]].flat().includes(wanted),
  )
}

function knowByDocument(
  policy: ConnectPolicy,
  { url, content }: PublishedDocument,
): Decision<KnownClient> {
  const { documents, pinnedDocuments, vendors, loopbackHosts } = policy
  const { clientAuthentication = [] } = policy
  const keysOf = clientAuthentication.find(({ forServer }) => forServer.keysOf)?.forServer.keysOf
  const pinned = pinnedDocuments.find(
    ({ metadata }) => (metadata as { client_id?: unknown } | null)?.client_id === url,
  )
  if (pinned !== undefined) {
    const decided = clientOfPinnedDocument(pinned)
    return decided.ok ? { ok: true, by: 'pinned_document', client: decided.client } : decided
  }
  const vendor = vendors.find(({ clientId }) => clientId === url)
  if (vendor !== undefined) return { ok: true, by: 'vendor', client: clientOfVendor(vendor) }
  if (documents === null) return NOT_SUPPORTED
  const allowed = decideDocumentUrl({ clientId: url, policy: documents })
  if (!allowed.ok) return allowed
  const decided = decideDocument({
    url: allowed.url,
    metadata: content,
    vendors,
    loopbackHosts,
    site: policy,
    lookalikes: LOOKALIKES,
    ...(keysOf && { signing: (metadata) => keysOf(metadata, documents) }),
  })
  if (!decided.ok) return decided
  const found = { known: null, document: decided.document, now: 0, freshUntil: 0 }
  return { ok: true, by: 'document', client: clientOfDocument(found).client }
}

function register(policy: ConnectPolicy, metadata: unknown): Decision<KnownClient> {
  const { vendors, loopbackHosts } = policy
  const decided = decideRegistration({
    metadata,
    vendors,
    loopbackHosts,
    site: policy,
    lookalikes: LOOKALIKES,
  })
  if (!decided.ok) return decided
  const { registration } = decided
  if (registration.kind === 'vendor')
    return { ok: true, by: 'vendor', client: clientOfVendor(registration.vendor) }
  const client = defineClient(
    { clientId: 'app_new', createdAt: 0, ...registration },
    { loopbackHosts },
  )
  return { ok: true, by: 'registration', client }
}
