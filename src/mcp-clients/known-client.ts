import { type Client, completeClient } from '../policy/client.js'
import { type Decision, refuse } from '../policy/decision.js'
import { clientOfDocument, clientOfPinnedDocument } from '../policy/cimd-lifecycle.js'
import { documentPolicyOf, resolvesDocuments } from '../policy/cimd-url.js'
import { decideDocument, decideDocumentUrl } from '../policy/cimd-document.js'
import { decideRegistration } from '../policy/registration.js'
import { clientOfVendor } from '../policy/vendor-match.js'
import type { WayIn, ConnectPolicy } from './client-outcome.js'
import type { PublishedDocument, RealClient } from './real-client.js'

/** A client, and how it came to be known. */
export interface KnownClient {
  readonly by: WayIn
  readonly client: Client
}

const NOT_SUPPORTED = refuse(
  'invalid_client',
  'documents_not_supported',
  'client_id cannot be a URL here',
)

/**
 * Makes a client known in the way that it would choose itself: by its document where the server's
 * metadata says what the client looks for, else by registration.
 *
 * @returns refusals: those of `decideRegistration`, `decideDocumentUrl` and `decideDocument`, and
 *   `documents_not_supported`. Of several registrations the first that is refused counts
 */
export function knowClient(policy: ConnectPolicy, real: RealClient): Decision<KnownClient> {
  if (real.document !== null && prefersDocument(policy, real.document))
    return knowByDocument(policy, real.document)
  const known = real.registrations.map((metadata) => register(policy, metadata))
  return known.find(({ ok }) => !ok) ?? known[0] ?? NOT_SUPPORTED
}

// What every server of this library says in its metadata, as far as clients choose by it.
function prefersDocument(
  { documents, pinnedDocuments }: ConnectPolicy,
  { usedWhen }: PublishedDocument,
): boolean {
  const metadata: Readonly<Record<string, unknown>> = {
    client_id_metadata_document_supported:
      pinnedDocuments.length > 0 || resolvesDocuments(documentPolicyOf(documents ?? {})),
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  }
  return Object.entries(usedWhen).every(([member, wanted]) =>
    [metadata[member]].flat().includes(wanted),
  )
}

function knowByDocument(
  { documents, pinnedDocuments, vendors, loopbackHosts }: ConnectPolicy,
  { url, content }: PublishedDocument,
): Decision<KnownClient> {
  const pinned = pinnedDocuments.find(
    ({ metadata }) => (metadata as { client_id?: unknown } | null)?.client_id === url,
  )
  if (pinned !== undefined) {
    const decided = clientOfPinnedDocument(pinned)
    return decided.ok ? { ok: true, by: 'pinned_document', client: decided.client } : decided
  }
  const vendor = vendors.find(({ clientId }) => clientId === url)
  if (vendor !== undefined) return { ok: true, by: 'vendor', client: clientOfVendor(vendor) }
  if (documents == null) return NOT_SUPPORTED
  const allowed = decideDocumentUrl({
    clientId: url,
    policy: documentPolicyOf(documents),
  })
  if (!allowed.ok) return allowed
  const decided = decideDocument({ url: allowed.url, metadata: content, vendors, loopbackHosts })
  if (!decided.ok) return decided
  const found = { known: null, document: decided.document, now: 0, freshUntil: 0 }
  return { ok: true, by: 'document', client: clientOfDocument(found).client }
}

function register(
  { vendors, loopbackHosts }: ConnectPolicy,
  metadata: unknown,
): Decision<KnownClient> {
  const decided = decideRegistration({ metadata, vendors, loopbackHosts })
  if (!decided.ok) return decided
  const { registration } = decided
  if (registration.kind === 'vendor')
    return { ok: true, by: 'vendor', client: clientOfVendor(registration.vendor) }
  const client = completeClient({ clientId: 'app_new', createdAt: 0, ...registration })
  return { ok: true, by: 'registration', client }
}
