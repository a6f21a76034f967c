import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, violated } from '../finding.js'
import { type Audit, isPublic } from '../engine/audit.js'
import { isRead, type Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { emptyList, otherType, quote, withoutForwardedHost } from './documents.js'
import { isSecure, listIn } from './expect.js'

/** The grant types of a server that does not list them (RFC 8414, section 2). */
const DEFAULT_GRANTS = ['authorization_code', 'implicit']
/** Members whose values are lists of strings, and those whose values are `true` or `false`. */
const LISTS = /^(?:\w+_(?:methods|values|algs|modes|types|locales)|scopes|claims)_supported$/
const BOOLEANS = /^(?:\w+_parameter_supported|require_\w+|client_id_metadata_document_supported|tls_client_certificate_bound_access_tokens|\w+channel_logout(?:_session)?_supported)$/ // prettier-ignore
/** Lists of algorithms with which clients sign assertions. */
const CLIENT_ALGORITHMS = ['token', 'revocation', 'introspection'].map((name) => `${name}_endpoint_auth_signing_alg_values_supported`) // prettier-ignore
/** Members by which a client decides what to send where. */
const DECISIVE = /^(?:issuer|jwks_uri|\w+_endpoint|(?:response|grant)_types_supported|(?:token_endpoint_auth|code_challenge)_methods_supported)$/ // prettier-ignore

/** Held if no document of the server is wrong. The report shows the first that is. */
async function inEach(
  on: Audit,
  good: string,
  wrong: (document: Metadata, answer: Answer) => string | null,
): Promise<Finding> {
  // Stops if the server publishes nothing.
  await on.server()
  for (const read of [on.serverAnswer, on.openidAnswer]) {
    const answer = await read()
    const why = isRead(answer) ? wrong(answer.json, answer) : null
    if (why !== null) {
      on.show(answer)
      return violated(`${answer.url.pathname}: ${why}`)
    }
  }
  return held(good)
}

/** The URLs of a document to which clients send requests, by their names. */
const endpointsIn = (document: Metadata): readonly (readonly [name: string, value: unknown])[] =>
  Object.entries(document).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))

const grantsIn = (document: Metadata): readonly string[] =>
  listIn(document, 'grant_types_supported') ?? DEFAULT_GRANTS

/** The server's authorization servers, if it is but a protected resource of others. */
async function othersOf(on: Audit): Promise<readonly string[]> {
  const resource = await on.resource().catch(() => ({}))
  const servers = listIn(resource, 'authorization_servers') ?? []
  return servers.some((one) => one.startsWith(on.origin)) ? [] : servers
}

/** The documents that a server publishes about itself: RFC 8414 and OpenID Connect Discovery. */
export const metadata: readonly Check[] = [
  {
    id: 'metadata/published',
    clause: {
      document: 'RFC 9700',
      section: '2.6',
      level: 'SHOULD',
      says: 'An authorization server publishes metadata, so that clients configure themselves.',
    },
    depth: 'passive',
    change:
      'Serve the metadata at /.well-known/oauth-authorization-server, or at /.well-known/openid-configuration. MCP clients connect to no server without it.',
    async run(on) {
      const openid = await on.openidAnswer()
      const server = await on.serverAnswer()
      const published = [server, openid].filter(isRead).map(({ url }) => url.pathname)
      const others = published.length > 0 ? [] : await othersOf(on)
      on.show(server)
      if (others.length > 0)
        return notApplicable(`the server is a resource of ${others.join(', ')}: audit that`)
      return judge(
        published.length > 0,
        `the server publishes ${published.join(' and ')}`,
        `${server.url.pathname} is answered by ${server.status}, and ${openid.url.pathname} by ${openid.status}, without a JSON object`,
      )
    },
  },
  {
    id: 'metadata/json',
    clause: {
      document: 'RFC 8414',
      section: '3.2',
      level: 'MUST',
      says: 'The metadata is sent as application/json.',
    },
    depth: 'passive',
    change:
      'Send Content-Type: application/json with the document. A static file without an extension gets another type.',
    run: (on) => inEach(on, 'the metadata is application/json', (_, answer) => otherType(answer)),
  },
  {
    id: 'metadata/issuer',
    clause: {
      document: 'RFC 8414',
      section: '3.3',
      level: 'MUST',
      says: 'The issuer in the metadata is exactly the identifier from which its address was formed.',
    },
    depth: 'passive',
    change:
      'Configure the issuer as the URL that clients are given, with its scheme, host, port and path. Clients refuse any other.',
    run: (on) =>
      inEach(on, `the issuer is ${on.issuer}`, ({ issuer }) =>
        // The slash after the host is not part of the address of the document, so both identifiers lead to it.
        issuer === on.issuer || issuer === `${on.issuer}/`
          ? null
          : `the issuer is ${quote(issuer)}, not ${on.issuer}`,
      ),
  },
  {
    id: 'metadata/issuer-form',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'The issuer is an https URL without a query and without a fragment.',
    },
    depth: 'passive',
    change:
      'Use an issuer such as https://school.example or https://school.example/tenant. http is only for this computer.',
    run: (on) =>
      inEach(on, 'the issuer has the form of an identifier', ({ issuer }) =>
        typeof issuer === 'string' && isSecure(issuer) && !/[?#]/.test(issuer)
          ? null
          : `the issuer is ${quote(issuer)}`,
      ),
  },
  {
    id: 'metadata/endpoints',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'The metadata names the authorization endpoint and the token endpoint if a grant type uses them.',
    },
    depth: 'passive',
    change:
      'Publish authorization_endpoint and token_endpoint. A server without authorization codes names its grant types.',
    run: (on) =>
      inEach(on, 'the metadata names the endpoints of its grant types', (document) => {
        const grants = grantsIn(document)
        const isNamed = (name: string): boolean => typeof document[name] === 'string'
        if (
          DEFAULT_GRANTS.some((one) => grants.includes(one)) &&
          !isNamed('authorization_endpoint')
        )
          // prettier-ignore
          return 'authorization_endpoint is missing'
        if (grants.some((one) => one !== 'implicit') && !isNamed('token_endpoint'))
          return 'token_endpoint is missing'
        return null
      }),
  },
  {
    id: 'metadata/secure-urls',
    clause: {
      document: 'OAuth 2.1',
      section: '1.5',
      level: 'MUST',
      says: 'Every URL of the protocol is an https URL, except on this computer.',
    },
    depth: 'passive',
    change:
      'Publish absolute https URLs. Behind a proxy that ends TLS, form them from the configured issuer and not from the request.',
    run: (on) =>
      inEach(on, 'every endpoint is an https URL or on this computer', (document) => {
        const [name, value] =
          endpointsIn(document).find(([, url]) => typeof url !== 'string' || !isSecure(url)) ?? []
        return name === undefined ? null : `${name} is ${quote(value)}`
      }),
  },
  {
    id: 'metadata/no-fragments',
    clause: {
      document: 'RFC 6749',
      section: '3.1',
      level: 'MUST NOT',
      says: 'The URL of an endpoint has no fragment.',
    },
    depth: 'passive',
    change:
      'Serve the endpoint at a path of the server. What follows # never reaches it, as with the routes of a page.',
    run: (on) =>
      inEach(on, 'no endpoint has a fragment', (document) => {
        const [name, value] = endpointsIn(document).find(([, url]) => String(url).includes('#')) ?? [] // prettier-ignore
        return name === undefined ? null : `${name} is ${quote(value)}`
      }),
  },
  {
    id: 'metadata/endpoints-answer',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'A URL that the metadata names is that of an endpoint.',
    },
    depth: 'anonymous',
    change:
      'Remove from the metadata what the server does not serve, or correct its path. Form both from the same routes.',
    async run(on) {
      await on.server()
      // Stops if it is the file of the sign-in that names the endpoints.
      await on.serverAnswer()
      const tried: string[] = []
      for (const name of [...POSTED, 'jwks_uri', 'userinfo_endpoint']) {
        const url = await on.optionalEndpoint(name)
        if (url === null || new URL(url).origin !== on.origin) continue
        const { status } = POSTED.includes(name) ? await on.form(url, {}) : await on.send(url)
        if (status === 404 || status === 501) return violated(`${name} ${url} answers ${status}`)
        if (status >= 500) return notReached(`${name} ${url} answers ${status}`)
        tried.push(name)
      }
      if (tried.length === 0) return notApplicable(`no endpoint is at ${on.origin}`)
      return held(`there is something at ${tried.join(', ')}`)
    },
  },
  {
    id: 'metadata/response-types',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'The metadata lists the response types that the server supports.',
    },
    depth: 'passive',
    change: 'Publish "response_types_supported": ["code"].',
    run: (on) =>
      inEach(on, 'response_types_supported is there', (document) =>
        listIn(document, 'response_types_supported')?.[0] === undefined
          ? `response_types_supported is ${quote(document['response_types_supported'])}`
          : null,
      ),
  },
  {
    id: 'metadata/grant-types',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'SHOULD',
      says: 'The metadata lists its grant types if they are not authorization_code and implicit, which is what it means without the list.',
    },
    depth: 'passive',
    change:
      'Publish "grant_types_supported", such as ["authorization_code", "refresh_token"], so that it agrees with response_types_supported.',
    run: (on) =>
      inEach(on, 'grant types and response types agree', (document) => {
        const grants = grantsIn(document)
        const types = (listIn(document, 'response_types_supported') ?? []).flatMap((one) => one.split(' ')) // prettier-ignore
        const named = `grant_types_supported is ${quote(document['grant_types_supported'])}, and response_types_supported ${quote(document['response_types_supported'])}`
        const isImplicit = types.includes('token') || types.includes('id_token')
        const agrees = types.length === 0 || (types.includes('code') === grants.includes('authorization_code') && (isImplicit || !grants.includes('implicit'))) // prettier-ignore
        return agrees ? null : named
      }),
  },
  // Metadata and endpoints are asked apart: a server may be right in one and wrong in the other.
  {
    id: 'metadata/no-implicit',
    clause: {
      document: 'RFC 9700',
      section: '2.1.2',
      level: 'SHOULD NOT',
      says: 'No response type returns an access token in the authorization response.',
    },
    depth: 'passive',
    change:
      'Remove every response type with "token" and the grant type "implicit" from the metadata, and refuse them.',
    run: (on) =>
      inEach(on, 'no response type returns an access token', (document) => {
        const types = listIn(document, 'response_types_supported') ?? []
        const found = types.find((one) => one.split(' ').includes('token'))
        if (found !== undefined) return `response_types_supported has ${quote(found)}`
        const grants = listIn(document, 'grant_types_supported') ?? []
        // The response type id_token is of this grant type too, and returns no access token.
        const isOfIdToken = types.some((one) => one.split(' ').includes('id_token'))
        return grants.includes('implicit') && !isOfIdToken
          ? 'grant_types_supported has "implicit"'
          : null
      }),
  },
  {
    id: 'metadata/no-passwords',
    clause: {
      document: 'RFC 9700',
      section: '2.4',
      level: 'MUST NOT',
      says: 'No client exchanges the password of a person for tokens.',
    },
    depth: 'passive',
    change:
      'Remove the grant type "password" from the metadata and from the token endpoint. Clients use authorization codes.',
    run: (on) =>
      inEach(on, 'grant_types_supported has no "password"', (document) =>
        grantsIn(document).includes('password') ? 'grant_types_supported has "password"' : null,
      ),
  },
  {
    id: 'metadata/scopes',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'SHOULD',
      says: 'The metadata lists scopes that clients may request.',
    },
    depth: 'passive',
    change: 'Publish scopes_supported. It need not have every scope.',
    run: (on) =>
      inEach(on, 'scopes_supported is there', (document) =>
        listIn(document, 'scopes_supported') === null
          ? `scopes_supported is ${quote(document['scopes_supported'])}`
          : null,
      ),
  },
  {
    id: 'metadata/types',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'Lists are JSON arrays of strings, and what is true or false is a JSON boolean.',
    },
    depth: 'passive',
    change:
      'Publish ["openid", "profile"] in place of "openid profile", and true in place of "true".',
    run: (on) =>
      inEach(on, 'every member has its type', (document) => {
        const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string') // prettier-ignore
        const [name, value] =
          Object.entries(document).find(
            ([member, of]) =>
              (LISTS.test(member) && !isStrings(of)) ||
              (BOOLEANS.test(member) && typeof of !== 'boolean'),
          ) ?? []
        return name === undefined ? null : `${name} is ${quote(value)}`
      }),
  },
  {
    id: 'metadata/no-empty-lists',
    clause: {
      document: 'RFC 8414',
      section: '3.2',
      level: 'MUST NOT',
      says: 'A list without elements is left out of the metadata.',
    },
    depth: 'passive',
    change: 'Leave the member out: an empty list does not mean the same to every client.',
    run: (on) => inEach(on, 'no list is empty', emptyList),
  },
  {
    id: 'metadata/public-clients',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'SHOULD',
      says: 'The authentication methods are those of the token endpoint, with "none" if it has public clients.',
    },
    depth: 'anonymous',
    change:
      'Add "none" to token_endpoint_auth_methods_supported. Without the list, clients send a secret with HTTP Basic, which a public client does not have.',
    async run(on) {
      if (!isPublic(await on.client()))
        return notApplicable('the client of the audit is not public')
      return inEach(on, 'there are public clients, and the methods have "none"', (document) => {
        const methods = document['token_endpoint_auth_methods_supported']
        return listIn(document, 'token_endpoint_auth_methods_supported')?.includes('none') === true
          ? null
          : `the client has no secret, and token_endpoint_auth_methods_supported is ${quote(methods)}`
      })
    },
  },
  {
    id: 'metadata/assertion-algorithms',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'An endpoint at which clients authenticate with an assertion names the algorithms that it verifies.',
    },
    depth: 'passive',
    change:
      'Publish the list …_auth_signing_alg_values_supported next to each list of methods with private_key_jwt or client_secret_jwt.',
    run: (on) =>
      inEach(on, 'the algorithms of assertions are named', (document) => {
        const missing = CLIENT_ALGORITHMS.find((name) => {
          const methods = listIn(document, name.replace('signing_alg_values', 'methods')) ?? []
          return methods.some((one) => one.endsWith('_jwt')) && !listIn(document, name)?.length
        })
        return missing === undefined ? null : `${missing} is ${quote(document[missing])}`
      }),
  },
  {
    id: 'metadata/signed-assertions',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST NOT',
      says: 'The algorithm "none" is never one with which clients sign assertions.',
    },
    depth: 'passive',
    change: 'Remove "none" from the list, and refuse assertions without a signature.',
    run: (on) =>
      inEach(on, 'no list of algorithms of assertions has "none"', (document) => {
        const found = CLIENT_ALGORITHMS.find((name) => listIn(document, name)?.includes('none'))
        return found === undefined ? null : `${found} has "none"`
      }),
  },
  {
    id: 'metadata/signed-id-tokens',
    clause: {
      document: 'RFC 8725',
      section: '3.2',
      level: 'SHOULD NOT',
      says: 'The server offers no ID tokens without a signature.',
    },
    depth: 'passive',
    change: 'Remove "none" from id_token_signing_alg_values_supported.',
    async run(on) {
      const algorithms = listIn(await on.openid(), 'id_token_signing_alg_values_supported') ?? []
      return judge(
        !algorithms.includes('none'),
        `id_token_signing_alg_values_supported is ${quote(algorithms)}`,
        'id_token_signing_alg_values_supported has "none"',
      )
    },
  },
  {
    id: 'metadata/openid-members',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'MUST',
      says: 'The OpenID configuration names the keys, the subject types, and the algorithms of ID tokens.',
    },
    depth: 'passive',
    change:
      'Publish jwks_uri, subject_types_supported and id_token_signing_alg_values_supported. A server without OpenID serves no openid-configuration.',
    async run(on) {
      const document = await on.openid()
      const missing = [
        ...(typeof document['jwks_uri'] === 'string' ? [] : ['jwks_uri']),
        ...['subject_types_supported', 'id_token_signing_alg_values_supported'].filter(
          (name) => !listIn(document, name)?.length,
        ),
      ]
      return judge(missing.length === 0, 'it has all of them', `it has no ${missing.join(', no ')}`)
    },
  },
  {
    id: 'metadata/openid-scope',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'SHOULD',
      says: 'An OpenID provider that lists scopes lists openid.',
    },
    depth: 'passive',
    change: 'Add "openid" to scopes_supported of the OpenID configuration.',
    async run(on) {
      const scopes = listIn(await on.openid(), 'scopes_supported')
      if (scopes === null) return notApplicable('the OpenID configuration lists no scopes')
      return judge(scopes.includes('openid'), 'it lists openid', `it lists ${quote(scopes)}`)
    },
  },
  {
    id: 'metadata/openid-pkce',
    clause: {
      document: 'MCP Authorization',
      section: 'Authorization Code Protection',
      level: 'MUST',
      says: 'The OpenID configuration of a server for MCP lists its methods of PKCE, too.',
    },
    depth: 'passive',
    change:
      'Publish "code_challenge_methods_supported": ["S256"] in the OpenID configuration. MCP clients that read it refuse a server without.',
    async run(on) {
      await on.mcpPath()
      const document = await on.openid()
      const methods = listIn(document, 'code_challenge_methods_supported')
      on.show(await on.openidAnswer())
      return judge(
        methods?.[0] !== undefined,
        `code_challenge_methods_supported is ${quote(methods)}`,
        `code_challenge_methods_supported is ${quote(document['code_challenge_methods_supported'])}`,
      )
    },
  },
  {
    id: 'metadata/same-server',
    clause: {
      document: 'RFC 8414',
      section: '3',
      level: 'SHOULD',
      says: 'Documents at several well-known addresses describe one server alike.',
    },
    depth: 'passive',
    change:
      'Build both documents from one configuration. A client reads only one of them, so it depends on the client what it finds.',
    async run(on) {
      const openid = await on.openid()
      const answer = await on.serverAnswer()
      if (!isRead(answer)) return notApplicable('the server has no document but that of OpenID')
      const differing = Object.keys(openid).filter(
        (name) =>
          DECISIVE.test(name) && name in answer.json && !isAlike(openid[name], answer.json[name]),
      )
      return judge(
        differing.length === 0,
        'both documents agree',
        `they differ in ${differing.map((name) => `${name}: ${quote(answer.json[name])} and ${quote(openid[name])}`).join(', ')}`,
      )
    },
  },
  {
    id: 'metadata/other-issuer',
    clause: {
      document: 'RFC 8414',
      section: '3.3',
      level: 'MUST NOT',
      says: 'The address of the metadata of another issuer does not lead to the metadata of this one.',
    },
    depth: 'passive',
    change:
      'Match the well-known path exactly, and answer any other by 404. Clients that look for an issuer with a path try it first.',
    async run(on) {
      const path = `/hallpass-audit-${newSecret().slice(0, 8)}`
      for (const target of [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`]) {
        const answer = await on.send(new URL(target, on.origin))
        const { issuer } = answer.json
        if (isRead(answer) && issuer !== undefined && issuer !== on.origin + path)
          return violated(`the issuer at ${target} is ${quote(issuer)}`)
      } // prettier-ignore
      return held(`nothing claims to be the issuer ${on.origin}${path}`)
    },
  },
  {
    id: 'metadata/forwarded-host',
    clause: {
      document: 'RFC 9700',
      section: '4.13',
      level: 'MUST',
      says: 'Header fields that anyone can send do not decide what the metadata says.',
    },
    depth: 'anonymous',
    change:
      'Configure the issuer, and form every URL from it. A cache would give the answer of this request to every client.',
    async run(on) {
      await on.server()
      const read = isRead(await on.serverAnswer()) ? on.serverAnswer : on.openidAnswer
      return withoutForwardedHost(on, (await read()).url)
    },
  },
]

/** Endpoints that receive forms. An empty one is refused, and changes nothing. */
const POSTED = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
]

/** Whether two members say the same. The order of a list means nothing. */
function isAlike(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return quote(one) === quote(other)
  const [first, second] = [new Set<unknown>(one), new Set<unknown>(other)]
  return first.size === second.size && [...first].every((value) => second.has(value))
}
