import { type Decision, refuse } from './decision.js'

declare const resolvable: unique symbol

/**
 * The URL of a client metadata document that may be fetched. Only {@link decideDocumentUrl} creates
 * one.
 *
 * @group Client metadata documents
 */
export type DocumentUrl = string & { readonly [resolvable]: true }

/**
 * Which client metadata documents a site accepts.
 *
 * @group Client metadata documents
 */
export interface DocumentPolicy {
  /**
   * Hosts as in the URL, such as `notes.example`, with the port if it is not 443. A host does not
   * include its subdomains. Default of a site: none.
   */
  readonly allowedHosts: readonly string[]
  /** Whether any other public host may also serve a document. Default of a site: `false`. */
  readonly openRegistration: boolean
  /** Ports to which the site may connect. Default of a site: `[443]`. */
  readonly ports: readonly number[]
}

/**
 * Returns a policy with the defaults of what is absent: no host, no open registration, port 443.
 */
export function documentPolicyOf({
  allowedHosts = [],
  openRegistration = false,
  ports = [443],
}: Partial<DocumentPolicy>): DocumentPolicy {
  return { allowedHosts, openRegistration, ports }
}

/**
 * Whether a site accepts any document at all. The metadata reports it, so that clients can choose
 * how to connect.
 */
export function resolvesDocuments({ allowedHosts, openRegistration }: DocumentPolicy): boolean {
  return openRegistration || allowedHosts.length > 0
}

const MAX_URL_LENGTH = 2048
const MAX_HOST_LENGTH = 253
// Host, port and path of an https URL. Only the characters of RFC 3986 §3.3 and §3.4 match, so a
// backslash, a space, a fragment or user information does not.
const DOCUMENT_URL =
  /^https:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i
// At least two labels. The last one does not begin with a digit, as in an IPv4 address.
const DOMAIN_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const LOCAL_NAME = /(?:^|\.)(?:localhost|internal|local|home\.arpa)$/

/**
 * Whether a client identifier is the URL of a client metadata document. Registration never issues
 * such an identifier. Look for a stored client with this identifier first.
 *
 * @param clientId - as received
 * @returns `true` if it begins with `https://`. Whether it may be fetched is for
 *   {@link decideDocumentUrl}.
 */
export function isDocumentClientId(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/**
 * Decides whether a client metadata document may be fetched from a URL. The string is checked
 * before a URL parser reads it, because parsers correct backslashes, remove tabs, and read
 * `2130706433` as `127.0.0.1`. The default port must be left out, so that a document has only one
 * spelling. The path may be `/`.
 *
 * @param request - `clientId`: as received; `policy`: which documents the site accepts
 * @returns the same string, now a {@link DocumentUrl}, or a refusal with `invalid_client`
 * @see [OAuth Client ID Metadata Document, section 3](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 * @see [RFC 3986, section 6.2.1](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.1)
 *
 * @example
 * ```ts
 * import { decideDocumentUrl } from 'hallpass/policy'
 *
 * const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
 * decideDocumentUrl({ clientId: 'https://notes.example/client.json', policy }).ok // => true
 *
 * const local = decideDocumentUrl({ clientId: 'https://127.0.0.1/client.json', policy })
 * local.ok ? null : local.reason // => 'document_host_not_public'
 * const other = decideDocumentUrl({ clientId: 'https://other.example/client.json', policy })
 * other.ok ? null : other.reason // => 'document_host_not_allowed'
 * ```
 *
 * @group Client metadata documents
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
      'a client_id URL must be https with a lower-case host and a path, and without fragment, user information, dot segments, :443, or characters that need escaping',
    )
  if (host.length > MAX_HOST_LENGTH || !DOMAIN_NAME.test(host) || LOCAL_NAME.test(host))
    return refuse(
      'invalid_client',
      'document_host_not_public',
      'the host of a client_id URL must be a public domain name, not an IP address or a name of a local network',
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
      'client ID metadata documents from this host are not accepted: a manager must allow the host',
    )
  // The fetch uses a URL parser. If the parser reads another URL than was checked here, nothing is fetched.
  if (!URL.canParse(clientId) || new URL(clientId).href !== clientId)
    return refuse(
      'invalid_client',
      'document_url_malformed',
      'the client_id URL must be in the normalized form that a URL parser returns',
    )
  return { ok: true, url: clientId as DocumentUrl }
}

/** Returns the host and port of an https URL, as written. */
export function authorityOf(url: string): string {
  return url.slice('https://'.length, url.indexOf('/', 'https://'.length))
}
