import {
  type decideDocumentUrl,
  decideRegistration,
  type decideScopes,
  type DocumentReason,
  parseLoopbackUri,
  type parseScope,
  type ReasonsOf,
  type RefusalReason,
} from 'hallpass/policy'
import type { WayIn, ConnectPolicy } from './client-outcome.js'
import { isStringArray, memberOf } from './public-values.js'
import type { PublicClient, PublishedDocument, RealClient } from './real-client.js'

/** A client that was refused, and why. */
export interface RefusedClient {
  readonly policy: ConnectPolicy
  readonly real: PublicClient
  /** How the client became known to the site; `null` if it was refused before that. */
  readonly by: WayIn | null
  readonly reason: RefusalReason
}

/**
 * Returns what to change so that a refused client connects, as a clause without a full stop, or `null` if
 * no configuration helps.
 */
export function adviseOnRefusal(refused: RefusedClient): string | null {
  return ADVICE[refused.reason]?.(refused) ?? null
}

/** Returns what to expect of a client that connects, as a clause without a full stop, or `null` if nothing. */
export function adviseOnConnected(
  { document, stepUp }: RealClient,
  by: WayIn | null,
): string | null {
  const caution = by === 'document' ? (document?.caution ?? null) : null
  if (stepUp === undefined) return caution
  const again = `after a 403 for more scopes its users authorize again: ${stepUp.reconnect}`
  return caution === null ? again : `${caution}; ${again}`
}

type Advise = (refused: RefusedClient) => string | null

/** Returns advice for a client that has a client metadata document, and `null` for any other. */
const ofDocument =
  (advise: (document: PublishedDocument, policy: ConnectPolicy) => string): Advise =>
  ({ real: { document }, policy }) =>
    document === null ? null : advise(document, policy)

const allowHost = ofDocument(({ url }, { documents }) =>
  documents === null
    ? `pass documents with '${new URL(url).host}' in allowedHosts`
    : `add '${new URL(url).host}' to documents.allowedHosts`,
)
const pinCorrected = ofDocument(() => 'keep a corrected copy of its document in pinnedDocuments')

const DOCUMENT_ADVICE: Readonly<
  Record<DocumentReason | ReasonsOf<typeof decideDocumentUrl>, Advise>
> = {
  document_url_malformed: () => null,
  document_host_not_public: () => null,
  document_host_not_allowed: allowHost,
  document_port_not_allowed: ofDocument(({ url }) => `add ${new URL(url).port} to documents.ports`),
  document_redirect_uri_of_other_host: ofDocument(adviseOnForeignUris),
  document_not_an_object: pinCorrected,
  document_client_id_mismatch: pinCorrected,
  document_name_malformed: pinCorrected,
  document_name_resembles_vendor: pinCorrected,
  document_redirect_uris_malformed: pinCorrected,
  document_redirect_uri_malformed: pinCorrected,
  document_secret_published: pinCorrected,
  document_auth_method_not_supported: pinCorrected,
  document_grant_types_not_supported: pinCorrected,
  document_response_types_not_supported: pinCorrected,
  document_link_malformed: pinCorrected,
  document_contacts_malformed: pinCorrected,
}
const SCOPE_ADVICE: Readonly<
  Record<ReasonsOf<typeof parseScope> | ReasonsOf<typeof decideScopes>, Advise>
> = {
  scope_malformed: adviseOnScopes,
  scope_missing: adviseOnScopes,
  scope_unknown: adviseOnScopes,
  scope_of_other_audience: adviseOnScopes,
  scope_not_allowed_for_client: adviseOnScopes,
}
// No configuration helps against a reason that is not listed here.
const ADVICE: Readonly<Partial<Record<RefusalReason, Advise>>> = {
  ...DOCUMENT_ADVICE,
  ...SCOPE_ADVICE,
  documents_not_supported: allowHost,
  redirect_uri_not_loopback: adviseOnRegistration,
  client_name_not_a_vendor: adviseOnRegistration,
  redirect_uri_not_registered: adviseOnRedirect,
  state_missing: () => 'set requireState to false',
}

function adviseOnForeignUris(
  { url, content }: PublishedDocument,
  { loopbackHosts }: ConnectPolicy,
): string {
  const uris = urisOf(content)
  const unheard = unheardLoopback(uris, loopbackHosts)
  if (unheard !== null) return `add '${unheard}' to loopbackHosts`
  const isOwn = (uri: string): boolean =>
    uri.startsWith(`https://${new URL(url).host}/`) || parseLoopbackUri(uri, loopbackHosts) !== null
  const foreign = uris.filter((uri) => !isOwn(uri))
  return `keep a copy of its document in pinnedDocuments, without ${foreign.join(' and ')}`
}

/** Returns a loopback host that the site does not accept, or `null` if it accepts all of them. */
function unheardLoopback(uris: readonly string[], loopbackHosts: readonly string[]): string | null {
  const hosts = uris.map((uri) => parseLoopbackUri(uri)?.host)
  return hosts.find((host) => host !== undefined && !loopbackHosts.includes(host)) ?? null
}

function adviseOnRedirect({ by, real: { authorize } }: RefusedClient): string | null {
  const list = {
    vendor: 'its vendor entry',
    pinned_document: 'the copy of its document in pinnedDocuments',
    // The site cannot change the redirect URIs that the client itself registers or publishes.
    registration: null,
    document: null,
  }[by ?? 'registration']
  return list === null ? null : `add ${authorize.redirectUri} to the redirect URIs of ${list}`
}

function adviseOnRegistration({
  policy: { vendors, loopbackHosts },
  real: { registrations, authorize },
}: RefusedClient): string {
  const named = registrations.flatMap(urisOf)
  const uris = named.length === 0 ? [authorize.redirectUri] : [...new Set(named)]
  const unheard = unheardLoopback(uris, loopbackHosts)
  if (unheard !== null && uris.every((uri) => parseLoopbackUri(uri) !== null))
    return `add '${unheard}' to loopbackHosts`
  const name = nameOf(registrations)
  const match = decideRegistration({ metadata: { client_name: name }, vendors })
  const vendor = match.ok && match.registration.kind === 'vendor' ? match.registration.vendor : null
  const missing = uris.filter((uri) => !vendor?.redirectUris.includes(uri)).join(' ')
  return vendor === null
    ? `add a vendor entry named '${name}' with these redirect URIs: ${missing}`
    : `add these redirect URIs to the vendor entry '${vendor.clientId}': ${missing}`
}

function adviseOnScopes({ policy, reason, real: { authorize } }: RefusedClient): string {
  const named =
    authorize.scopeSetting === null
      ? null
      : `have its users set the scopes: ${authorize.scopeSetting}`
  const choice = authorize.scopes.at(-1)
  const asked = choice === 'nothing' ? 'defaultScopes' : 'baselineScopes'
  if (choice === 'everything') return `it requests every scope${named === null ? '' : `; ${named}`}`
  if (reason !== 'scope_missing') return `list in ${asked} only scopes that this client may request`
  if (choice === 'nothing' && (policy.defaultScopes ?? []).length > 0)
    return 'list in defaultScopes a scope that this client may request'
  const set = `set ${asked}, because it requests no scope`
  return named === null || choice !== 'nothing' ? set : `${set}; or ${named}`
}

function urisOf(metadata: unknown): readonly string[] {
  const uris = memberOf(metadata, 'redirect_uris')
  return isStringArray(uris) ? uris : []
}

function nameOf([first]: RealClient['registrations']): string {
  const name = memberOf(first, 'client_name')
  return typeof name === 'string' ? name : ''
}
