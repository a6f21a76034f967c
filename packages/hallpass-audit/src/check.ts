import type { Audit } from './engine/audit.js'
import type { Creates, Finding } from './finding.js'

/**
 * How far a check goes. `passive` reads what the server publishes. `anonymous` sends what any program may send.
 * `people` signs people in.
 *
 * @group Checks
 */
export type Depth = 'passive' | 'anonymous' | 'people'

/** Each includes those before it. */
export const DEPTHS: readonly Depth[] = ['passive', 'anonymous', 'people']

/**
 * Something that is made once for all checks that name it, such as a grant.
 *
 * @group Checks
 */
export interface Shared extends Creates {
  readonly name: string
}

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
  readonly level: 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT'
  /** The requirement, in the words of this package. */
  readonly says: string
}

/**
 * One requirement, and how to find out whether a server holds it.
 *
 * @group Checks
 */
export interface Check {
  /** Subject and name, such as `pkce/wrong-verifier`. The subject is the name of the file. */
  readonly id: string
  readonly clause: Clause
  readonly depth: Depth
  readonly creates?: Creates
  /** Clients and grants that it shares with some other checks, in addition to those that all share. */
  readonly shares?: readonly Shared[]
  /** The change to make in a server that breaks the requirement. */
  readonly change: string
  /** Sends the requests of the check, and says what it found. */
  readonly run: (on: Audit) => Promise<Finding>
}

/** The address of each document, without the section. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  'RFC 6265bis': 'https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis',
  'RFC 6585': 'https://www.rfc-editor.org/rfc/rfc6585',
  'RFC 6749': 'https://www.rfc-editor.org/rfc/rfc6749',
  'RFC 6750': 'https://www.rfc-editor.org/rfc/rfc6750',
  'RFC 7009': 'https://www.rfc-editor.org/rfc/rfc7009',
  'RFC 7517': 'https://www.rfc-editor.org/rfc/rfc7517',
  'RFC 7518': 'https://www.rfc-editor.org/rfc/rfc7518',
  'RFC 7519': 'https://www.rfc-editor.org/rfc/rfc7519',
  'RFC 7521': 'https://www.rfc-editor.org/rfc/rfc7521',
  'RFC 7523': 'https://www.rfc-editor.org/rfc/rfc7523',
  'RFC 7591': 'https://www.rfc-editor.org/rfc/rfc7591',
  'RFC 7636': 'https://www.rfc-editor.org/rfc/rfc7636',
  'RFC 7662': 'https://www.rfc-editor.org/rfc/rfc7662',
  'RFC 8252': 'https://www.rfc-editor.org/rfc/rfc8252',
  'RFC 8414': 'https://www.rfc-editor.org/rfc/rfc8414',
  'RFC 8628': 'https://www.rfc-editor.org/rfc/rfc8628',
  'RFC 8707': 'https://www.rfc-editor.org/rfc/rfc8707',
  'RFC 8725': 'https://www.rfc-editor.org/rfc/rfc8725',
  'RFC 9110': 'https://www.rfc-editor.org/rfc/rfc9110',
  'RFC 9111': 'https://www.rfc-editor.org/rfc/rfc9111',
  'RFC 9126': 'https://www.rfc-editor.org/rfc/rfc9126',
  'RFC 9207': 'https://www.rfc-editor.org/rfc/rfc9207',
  'RFC 9449': 'https://www.rfc-editor.org/rfc/rfc9449',
  'RFC 9700': 'https://www.rfc-editor.org/rfc/rfc9700',
  'RFC 9728': 'https://www.rfc-editor.org/rfc/rfc9728',
  // Later drafts have other section numbers.
  'Client ID Metadata Document':
    'https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-01',
  'Content Security Policy Level 3': 'https://www.w3.org/TR/CSP3/',
  'FAPI 2.0 Security Profile': 'https://openid.net/specs/fapi-security-profile-2_0-final.html',
  Fetch: 'https://fetch.spec.whatwg.org/',
  HTML: 'https://html.spec.whatwg.org/multipage/browsers.html',
  'JSON-RPC 2.0': 'https://www.jsonrpc.org/specification',
  'MCP Authorization':
    'https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization',
  'MCP Base Protocol': 'https://modelcontextprotocol.io/specification/2025-11-25/basic',
  'MCP Lifecycle': 'https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
  'MCP Ping': 'https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping',
  'MCP Security Best Practices':
    'https://modelcontextprotocol.io/docs/2025-11-25/tutorials/security/security_best_practices',
  'MCP Tools': 'https://modelcontextprotocol.io/specification/2025-11-25/server/tools',
  'MCP Transports': 'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports',
  'OAuth 2.1': 'https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1',
  'OpenID Connect Core 1.0': 'https://openid.net/specs/openid-connect-core-1_0.html',
  'OpenID Connect Discovery 1.0': 'https://openid.net/specs/openid-connect-discovery-1_0.html',
  'OpenID Connect Registration 1.0':
    'https://openid.net/specs/openid-connect-registration-1_0.html',
  'Service description': 'https://hallpass.example/requirements.html',
}
