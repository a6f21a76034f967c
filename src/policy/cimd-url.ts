import { type Decision, refuse } from './decision.js'

declare const resolvable: unique symbol

/** The URL of a client ID metadata document that may be fetched. Only {@link decideDocumentUrl} makes one. */
export type DocumentUrl = string & { readonly [resolvable]: true }

/** Which documents a site resolves. */
export interface DocumentPolicy {
  /** Hosts as they stand in the URL: `claude.ai`, with its port where that is not 443. Never a suffix. */
  readonly allowedHosts: readonly string[]
  /** Whether every other public host may serve a document too. */
  readonly openRegistration: boolean
  /** Ports that may be connected to. */
  readonly ports: readonly number[]
}

/** A policy with what is not said left at its default: no host, no open registration, port 443. */
export function documentPolicyOf({
  allowedHosts = [],
  openRegistration = false,
  ports = [443],
}: Partial<DocumentPolicy>): DocumentPolicy {
  return { allowedHosts, openRegistration, ports }
}

/** Whether any document can be resolved at all: what the metadata says of it is for clients to choose by. */
export function resolvesDocuments({ allowedHosts, openRegistration }: DocumentPolicy): boolean {
  return openRegistration || allowedHosts.length > 0
}

const MAX_URL_LENGTH = 2048
const MAX_HOST_LENGTH = 253
// Host, port and path of an https URL. Characters are those of RFC 3986 §3.3 and §3.4, so neither a
// backslash, a space, a fragment nor user information gets past it.
const DOCUMENT_URL =
  /^https:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i
// Two labels at least. A last one that begins with a digit is how an IPv4 address is spelt.
const DOMAIN_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const LOCAL_NAME = /(?:^|\.)(?:localhost|internal|local|home\.arpa)$/

/**
 * Whether a client identifier is the URL of a metadata document, unless a stored client has it. No
 * identifier that registration gives out looks like one.
 */
export function isDocumentClientId(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/**
 * Decides whether a document may be fetched. The raw string is judged before any URL parser sees it:
 * parsers mend backslashes, drop tabs, and read `2130706433` as `127.0.0.1`. The default port has to be
 * left out, so that one document has one spelling. A path of `/` is a path.
 *
 * @param request - `clientId` as received
 * @returns the same string, now fit for fetching. Refusals are `invalid_client`
 * @see draft-ietf-oauth-client-id-metadata-document-02 §3; RFC 3986 §6.2.1
 */
export function decideDocumentUrl({
  clientId,
  policy,
}: {
  clientId: string
  policy: DocumentPolicy
}): Decision<
  { url: DocumentUrl },
  | 'document_url_malformed'
  | 'document_host_not_public'
  | 'document_port_not_allowed'
  | 'document_host_not_allowed'
> {
  const parts = clientId.length > MAX_URL_LENGTH ? null : DOCUMENT_URL.exec(clientId)
  const [, host = '', port, path = ''] = parts ?? []
  if (host === '' || port === '443' || DOT_SEGMENT.test(path))
    return refuse(
      'invalid_client',
      'document_url_malformed',
      'a client_id URL is https, with a lower-case host and a path; without fragment, user information, dot segments, :443, or characters that need escaping',
    )
  if (host.length > MAX_HOST_LENGTH || !DOMAIN_NAME.test(host) || LOCAL_NAME.test(host))
    return refuse(
      'invalid_client',
      'document_host_not_public',
      'the host of a client_id URL must be a public domain name: no address, no name of a local network',
    )
  if (!policy.ports.includes(Number(port ?? 443)))
    return refuse(
      'invalid_client',
      'document_port_not_allowed',
      `client_id URLs are fetched from port ${policy.ports.join(', ')} only`,
    )
  if (!policy.openRegistration && !policy.allowedHosts.includes(authorityOf(clientId)))
    return refuse(
      'invalid_client',
      'document_host_not_allowed',
      'this host may not serve client ID metadata documents here: an operator has to allow it',
    )
  // The fetch is made by a URL parser. Where it would read something else than was judged, nothing is fetched.
  if (!URL.canParse(clientId) || new URL(clientId).href !== clientId)
    return refuse(
      'invalid_client',
      'document_url_malformed',
      'the client_id URL must be written as a browser would write it',
    )
  return { ok: true, url: clientId as DocumentUrl }
}

/** Host and port of an https URL, as written. */
export function authorityOf(url: string): string {
  return url.slice('https://'.length, url.indexOf('/', 'https://'.length))
}
