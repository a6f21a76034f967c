import { isMetadata, isStringArray, memberOf } from '../policy/client-metadata.js'
import { authorityOf } from '../policy/document-url.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from '../policy/redirect-uri.js'
import type { RefusalReason } from '../policy/refusals.js'
import { matchVendor } from '../policy/vendor.js'
import type { ConnectionWay, ConnectPolicy } from './connection.js'
import type { PublishedDocument, RealClient } from './real-client.js'

/** A refused client. */
export interface RefusedClient {
  readonly policy: ConnectPolicy
  readonly real: RealClient
  /** How it came to be known, if it did. */
  readonly by: ConnectionWay | null
  readonly reason: RefusalReason
}

/**
 * Says what to change so that a client is refused no more.
 *
 * @returns one sentence without a full stop; `null` = no configuration would help
 */
export function adviseOnRefusal(refused: RefusedClient): string | null {
  const { reason, real, policy } = refused
  if (reason.startsWith('document') && real.document !== null)
    return adviseOnDocument(refused, real.document)
  if (reason.startsWith('scope')) return adviseOnScopes(refused)
  switch (reason) {
    case 'redirect_uri_not_loopback':
    case 'client_name_not_a_vendor':
      return adviseOnRegistration(policy, real)
    case 'redirect_uri_not_registered':
      return adviseOnRedirect(refused)
    case 'state_missing':
      return 'set requireState to false'
    default:
      return null
  }
}

function adviseOnDocument(
  { reason, policy: { documents, loopbackHosts = LOOPBACK_HOSTS } }: RefusedClient,
  { url, content }: PublishedDocument,
): string | null {
  switch (reason) {
    case 'document_url_malformed':
    case 'document_host_not_public':
      return null
    case 'documents_not_supported':
    case 'document_host_not_allowed':
      return documents == null
        ? `pass documents with '${authorityOf(url)}' in allowedHosts`
        : `add '${authorityOf(url)}' to documents.allowedHosts`
    case 'document_port_not_allowed':
      return `add ${new URL(url).port} to documents.ports`
    case 'document_redirect_uri_of_other_host':
      return adviseOnForeignUris(url, { uris: urisOf(content), loopbackHosts })
    default:
      return 'keep a corrected copy of its document in pinnedDocuments'
  }
}

function adviseOnForeignUris(
  url: string,
  { uris, loopbackHosts }: { uris: readonly string[]; loopbackHosts: readonly string[] },
): string {
  const unheard = unheardLoopback(uris, loopbackHosts)
  if (unheard !== null) return `add '${unheard}' to loopbackHosts`
  const isOwn = (uri: string): boolean =>
    uri.startsWith(`https://${authorityOf(url)}/`) || parseLoopbackUri(uri, loopbackHosts) !== null
  const foreign = uris.filter((uri) => !isOwn(uri))
  return `keep a copy of its document in pinnedDocuments, without ${foreign.join(' and ')}`
}

/** A name for this computer that the site does not count as one; `null` = every one counts. */
function unheardLoopback(uris: readonly string[], loopbackHosts: readonly string[]): string | null {
  const hosts = uris.map((uri) => parseLoopbackUri(uri)?.host)
  return hosts.find((host) => host !== undefined && !loopbackHosts.includes(host)) ?? null
}

function adviseOnRedirect({ by, real: { authorize } }: RefusedClient): string | null {
  const list = {
    vendor: 'its vendor entry',
    pinned_document: 'the copy of its document in pinnedDocuments',
    // The client's own lists are not ours to mend.
    registration: null,
    document: null,
  }[by ?? 'registration']
  return list === null ? null : `add ${authorize.redirectUri} to the redirect URIs of ${list}`
}

function adviseOnRegistration(
  { vendors = [], loopbackHosts = LOOPBACK_HOSTS }: ConnectPolicy,
  { registrations, authorize }: RealClient,
): string {
  const named = registrations.flatMap(urisOf)
  const uris = named.length === 0 ? [authorize.redirectUri] : [...new Set(named)]
  const unheard = unheardLoopback(uris, loopbackHosts)
  if (unheard !== null && uris.every((uri) => parseLoopbackUri(uri) !== null))
    return `add '${unheard}' to loopbackHosts`
  const name = nameOf(registrations)
  const vendor = matchVendor({ name, vendors })
  const missing = uris.filter((uri) => !vendor?.redirectUris.includes(uri)).join(' ')
  return vendor === null
    ? `add a vendor entry named '${name}' with these redirect URIs: ${missing}`
    : `add these redirect URIs to the vendor entry '${vendor.clientId}': ${missing}`
}

function adviseOnScopes({ reason, real: { authorize } }: RefusedClient): string {
  const named =
    authorize.scopeSetting === null
      ? null
      : `have its users name scopes themselves: ${authorize.scopeSetting}`
  const choice = authorize.scopes.at(-1)
  const asked = choice === 'nothing' ? 'defaultScopes' : 'baselineScopes'
  if (choice === 'everything')
    return `it asks for every scope there is${named === null ? '' : `; ${named}`}`
  if (reason !== 'scope_missing') return `name in ${asked} only what this client may ask for`
  const set = `set ${asked}: it names no scope`
  return named === null || choice !== 'nothing' ? set : `${set}; or ${named}`
}

function urisOf(metadata: unknown): readonly string[] {
  const uris = isMetadata(metadata) ? memberOf(metadata, 'redirect_uris') : []
  return isStringArray(uris) ? uris : []
}

function nameOf([first]: RealClient['registrations']): string {
  const name = first === undefined ? '' : memberOf(first, 'client_name')
  return typeof name === 'string' ? name : ''
}
