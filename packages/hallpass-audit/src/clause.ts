/**
 * Whom a clause binds. Duties of a client, a proxy or a person are not checked.
 *
 * @group Checks
 */
export type Subject = 'authorization server' | 'resource server' | 'MCP server' | 'web server'

/**
 * The word of RFC 2119, also where the text writes `REQUIRED`, `SHALL` or `RECOMMENDED`. `advice` has no text that
 * demands it: it violates nothing.
 *
 * @group Checks
 */
export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'advice'

/**
 * One requirement of a specification.
 *
 * @group Checks
 */
export interface Clause {
  /** The document, such as `RFC 7636` or `OpenID Connect Core 1.0`. One of `DOCUMENTS`. */
  readonly document: string
  /** The section, such as `4.6`. */
  readonly section: string
  readonly level: Level
  readonly subject: Subject
  /** The sentence of the document, with ` … ` where words are left out. Advice is in the words of this package. */
  readonly quote: string
}

export const MUST = 'MUST'
export const MUST_NOT = 'MUST NOT'
export const SHOULD = 'SHOULD'
export const SHOULD_NOT = 'SHOULD NOT'
export const ADVICE = 'advice'
/** The authorization server, which is the OpenID Provider too. */
export const AS = 'authorization server'
/** The server of an API, UserInfo among them. */
export const RS = 'resource server'
export const MCP = 'MCP server'
/** A server of pages, whatever they are about. */
export const WEB = 'web server'

type Cite = (section: string, level: Level, subject: Subject, quote: string) => Clause

/** The address of each document, without the section. */
export const DOCUMENTS: Record<string, string> = {}

const cite = (document: string, address: string): Cite => {
  DOCUMENTS[document] = address
  return (section, level, subject, quote) => ({ document, section, level, subject, quote })
}
const rfc = (number: number): Cite => cite(`RFC ${number}`, `https://www.rfc-editor.org/rfc/rfc${number}`) // prettier-ignore

export const rfc6585: Cite = rfc(6585)
export const rfc6749: Cite = rfc(6749)
export const rfc6750: Cite = rfc(6750)
export const rfc7009: Cite = rfc(7009)
export const rfc7517: Cite = rfc(7517)
export const rfc7518: Cite = rfc(7518)
export const rfc7519: Cite = rfc(7519)
export const rfc7521: Cite = rfc(7521)
export const rfc7523: Cite = rfc(7523)
export const rfc7591: Cite = rfc(7591)
export const rfc7636: Cite = rfc(7636)
export const rfc7662: Cite = rfc(7662)
export const rfc8252: Cite = rfc(8252)
export const rfc8414: Cite = rfc(8414)
export const rfc8628: Cite = rfc(8628)
export const rfc8707: Cite = rfc(8707)
export const rfc8725: Cite = rfc(8725)
export const rfc9101: Cite = rfc(9101)
export const rfc9110: Cite = rfc(9110)
export const rfc9111: Cite = rfc(9111)
export const rfc9126: Cite = rfc(9126)
export const rfc9207: Cite = rfc(9207)
export const rfc9449: Cite = rfc(9449)
export const rfc9700: Cite = rfc(9700)
export const rfc9728: Cite = rfc(9728)
export const rfc6265bis: Cite = cite(
  'RFC 6265bis',
  'https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis',
)
// Later drafts have other section numbers.
export const clientIdDocument: Cite = cite(
  'Client ID Metadata Document',
  'https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-01',
)
export const csp3: Cite = cite('Content Security Policy Level 3', 'https://www.w3.org/TR/CSP3/')
export const fapi2Profile: Cite = cite(
  'FAPI 2.0 Security Profile',
  'https://openid.net/specs/fapi-security-profile-2_0-final.html',
)
export const fetchStandard: Cite = cite('Fetch', 'https://fetch.spec.whatwg.org/')
export const html: Cite = cite('HTML', 'https://html.spec.whatwg.org/multipage/browsers.html')
export const jsonRpc: Cite = cite('JSON-RPC 2.0', 'https://www.jsonrpc.org/specification')
export const mcpAuthorization: Cite = cite(
  'MCP Authorization',
  'https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization',
)
export const mcpBase: Cite = cite(
  'MCP Base Protocol',
  'https://modelcontextprotocol.io/specification/2025-11-25/basic',
)
export const mcpLifecycle: Cite = cite(
  'MCP Lifecycle',
  'https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
)
export const mcpPing: Cite = cite(
  'MCP Ping',
  'https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping',
)
export const mcpSecurity: Cite = cite(
  'MCP Security Best Practices',
  'https://modelcontextprotocol.io/docs/2025-11-25/tutorials/security/security_best_practices',
)
export const mcpTools: Cite = cite(
  'MCP Tools',
  'https://modelcontextprotocol.io/specification/2025-11-25/server/tools',
)
export const mcpTransports: Cite = cite(
  'MCP Transports',
  'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports',
)
export const oidcCore: Cite = cite(
  'OpenID Connect Core 1.0',
  'https://openid.net/specs/openid-connect-core-1_0.html',
)
export const oidcDiscovery: Cite = cite(
  'OpenID Connect Discovery 1.0',
  'https://openid.net/specs/openid-connect-discovery-1_0.html',
)
/** Advice that no document gives. */
export const own: Cite = cite('hallpass-audit', '')
