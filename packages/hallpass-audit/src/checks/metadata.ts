import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, rfc6749, rfc8414, rfc9700, SHOULD } from '../clause.js'
import { held, notApplicable, notReached, violated } from '../finding.js'
import { type Audit, isPublic } from '../engine/audit.js'
import { isRead, type Metadata } from '../engine/discovery.js'
import { newSecret } from '../engine/random.js'
import { emptyList, inEach, listed, otherType, quote, serverDocuments, withoutForwardedHost, type Wrong } from './documents.js' // prettier-ignore
import { isSecure, listIn } from './expect.js'
import { openidMetadata } from './openid-metadata.js'

// prettier-ignore
const TEXT = {
  published: rfc9700('2.6', SHOULD, AS, 'It is therefore RECOMMENDED that authorization servers publish OAuth Authorization Server Metadata according to [RFC8414] and that clients make use of this Authorization Server Metadata (when available) to configure themselves.'),
  json: rfc8414('3.2', MUST, AS, 'A successful response MUST use the 200 OK HTTP status code and return a JSON object using the "application/json" content type that contains a set of claims as its members that are a subset of the metadata values defined in Section 2.'),
  issuer: rfc8414('3.3', MUST, AS, 'The "issuer" value returned MUST be identical to the authorization server\'s issuer identifier value into which the well-known URI string was inserted to create the URL used to retrieve the metadata.'),
  form: rfc8414('2', MUST, AS, 'issuer REQUIRED. The authorization server\'s issuer identifier, which is a URL that uses the "https" scheme and has no query or fragment components.'),
  endpoints: rfc8414('2', MUST, AS, "authorization_endpoint URL of the authorization server's authorization endpoint [RFC6749]. This is REQUIRED unless no grant types are supported that use the authorization endpoint. … token_endpoint URL of the authorization server's token endpoint [RFC6749]. This is REQUIRED unless only the implicit grant type is supported."),
  tls: rfc6749('10.9', MUST, AS, 'In order to prevent man-in-the-middle attacks, the authorization server MUST require the use of TLS with server authentication as defined by [RFC2818] for any request sent to the authorization and token endpoints.'),
  furtherTls: rfc8414('2', ADVICE, AS, 'A client sends secrets and tokens to the other endpoints too, so that each should be an absolute https URL.'),
  fragment: rfc6749('3.1', MUST_NOT, AS, 'The endpoint URI MUST NOT include a fragment component.'),
  answers: rfc8414('2', ADVICE, AS, 'A client uses what the metadata names, so that an endpoint which is not there leads it to an error.'),
  responseTypes: rfc8414('2', MUST, AS, 'response_types_supported REQUIRED. JSON array containing a list of the OAuth 2.0 "response_type" values that this authorization server supports.'),
  grantTypes: rfc8414('2', ADVICE, AS, 'Without a list of grant types, a client has to assume authorization_code and implicit.'),
  implicit: rfc9700('2.1.2', ADVICE, AS, 'Clients should not get access tokens in authorization responses, so that a server that offers it only invites mistakes.'),
  passwords: rfc9700('2.4', MUST_NOT, AS, 'The resource owner password credentials grant [RFC6749] MUST NOT be used.'),
  scopes: rfc8414('2', SHOULD, AS, 'scopes_supported RECOMMENDED. JSON array containing a list of the OAuth 2.0 [RFC6749] "scope" values that this authorization server supports.'),
  types: rfc8414('3', MUST, AS, 'Authorization servers supporting metadata MUST make a JSON document containing metadata as specified in Section 2 available at a path formed by inserting a well-known URI string into the authorization server\'s issuer identifier between the host component and the path component, if any.'),
  empty: rfc8414('3.2', MUST, AS, 'Claims with zero elements MUST be omitted from the response.'),
  publicClients: rfc8414('2', ADVICE, AS, 'A client without a secret finds by "none" that the server takes it. Without the list, it has to assume client_secret_basic.'),
  algorithms: rfc8414('2', MUST, AS, 'This metadata entry MUST be present if either of these authentication methods are specified in the "token_endpoint_auth_methods_supported" entry.'),
  signed: rfc8414('2', MUST_NOT, AS, 'token_endpoint_auth_signing_alg_values_supported OPTIONAL. … The value "none" MUST NOT be used.'),
  other: rfc8414('3.3', ADVICE, AS, 'Every client refuses the metadata of another issuer, which only hides that there is none at this address.'),
  forwarded: rfc9700('4.13', ADVICE, AS, 'If a header field that anyone can send decides what the metadata says, a cache may send other clients to the host that it names.'),
}

/** The grant types of a server that does not list them (RFC 8414, section 2). */
const DEFAULT_GRANTS = ['authorization_code', 'implicit']
/** Members whose values are lists of strings, and those whose values are `true` or `false`. */
const LISTS = /^(?:\w+_(?:methods|values|algs|modes|types|locales)|scopes|claims)_supported$/
const BOOLEANS = /^(?:\w+_parameter_supported|require_\w+|client_id_metadata_document_supported|tls_client_certificate_bound_access_tokens|\w+channel_logout(?:_session)?_supported)$/ // prettier-ignore
/** Lists of algorithms with which clients sign assertions. */
const CLIENT_ALGORITHMS = ['token', 'revocation', 'introspection'].map((name) => `${name}_endpoint_auth_signing_alg_values_supported`) // prettier-ignore
const METHODS = 'token_endpoint_auth_methods_supported'
/** The endpoints about which RFC 6749 speaks. */
const FIRST = ['authorization_endpoint', 'token_endpoint']
/** Endpoints that receive forms. An empty one is refused, and changes nothing. */
const POSTED = ['token', 'revocation', 'introspection', 'device_authorization', 'pushed_authorization_request'].map((name) => `${name}_endpoint`) // prettier-ignore

/** Reads each document of the server. */
const each = (good: string, wrong: Wrong): Check['run'] =>
  async (on) => inEach(await serverDocuments(on), good, wrong) // prettier-ignore

/** Wrong if one of these members is not right. */
const having = (
  isMeant: (name: string) => boolean,
  isRight: (value: unknown, name: string) => boolean,
): Wrong => (document) => {
  const found = Object.entries(document).find(([name, value]) => isMeant(name) && !isRight(value, name))
  return found === undefined ? null : `${found[0]} is ${quote(found[1])}`
} // prettier-ignore

const isFirst = (name: string): boolean => FIRST.includes(name)
const isFurther = (name: string): boolean => /_endpoint$|^jwks_uri$/.test(name) && !isFirst(name)
const isSecureUrl = (value: unknown): boolean => typeof value === 'string' && isSecure(value)
const lacks = (word: string) => (value: unknown): boolean => !(Array.isArray(value) && value.includes(word)) // prettier-ignore
const grantsIn = (document: Metadata): readonly string[] =>
  listIn(document, 'grant_types_supported') ?? DEFAULT_GRANTS
const responsesIn = (document: Metadata): readonly string[] =>
  listIn(document, 'response_types_supported') ?? []

/** Whether a list of languages has language tags, and any other list strings. */
function isList(list: unknown, name: string): boolean {
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) return false
  try {
    if (name.endsWith('_locales_supported')) Intl.getCanonicalLocales(list)
    return true
  } catch {
    return false
  }
}

/** The server's authorization servers, if it is but a protected resource of others. */
async function othersOf(on: Audit): Promise<readonly string[]> {
  const resource = await on.resource().catch(() => ({}))
  const servers = listIn(resource, 'authorization_servers') ?? []
  return servers.some((one) => one.startsWith(on.origin)) ? [] : servers
}

/** The documents that a server publishes about itself: RFC 8414 and OpenID Connect Discovery. */
export const metadata: readonly Check[] = [
  {
    id: 'metadata/published', clause: TEXT.published, depth: 'passive',
    change: 'Serve the metadata at /.well-known/oauth-authorization-server, or at /.well-known/openid-configuration. MCP clients connect to no server without it.',
    async run(on) {
      const openid = await on.openidAnswer()
      const server = await on.serverAnswer()
      const [read] = [server, openid].filter(isRead)
      if (read !== undefined) return held(read, `the metadata is at ${read.url.pathname}`)
      const others = await othersOf(on)
      return others.length > 0
        ? notApplicable(`the server is a resource of ${others.join(', ')}: audit that`, server)
        : violated(server, `${server.url.pathname} is answered by ${server.status}, and ${openid.url.pathname} by ${openid.status}, without a JSON object`) // prettier-ignore
    },
  },
  {
    id: 'metadata/json', clause: TEXT.json, depth: 'passive',
    change: 'Send Content-Type: application/json with the document. A static file without an extension gets another type.',
    run: each('the metadata is application/json', otherType),
  },
  {
    id: 'metadata/issuer', clause: TEXT.issuer, depth: 'passive',
    change: 'Configure the issuer as the URL that clients are given, with its scheme, host, port and path. Clients refuse any other.',
    run: async (on) =>
      inEach(await serverDocuments(on), `the issuer is ${on.issuer}`, ({ issuer }) =>
        // The slash after the host is not part of the address of the document, so both identifiers lead to it.
        issuer === on.issuer || issuer === `${on.issuer}/`
          ? null
          : `the issuer is ${quote(issuer)}, not ${on.issuer}`,
      ),
  },
  {
    id: 'metadata/issuer-form', clause: TEXT.form, depth: 'passive',
    change: 'Use an issuer such as https://school.example or https://school.example/tenant. http is only for this computer.',
    run: each('the issuer has the form of an identifier', ({ issuer }) =>
      isSecureUrl(issuer) && !/[?#]/.test(String(issuer)) ? null : `the issuer is ${quote(issuer)}`,
    ),
  },
  {
    id: 'metadata/endpoints', clause: TEXT.endpoints, depth: 'passive',
    change: 'Publish authorization_endpoint and token_endpoint. A server without authorization codes names its grant types.',
    run: each('the metadata names the endpoints of its grant types', (document) => {
      const grants = grantsIn(document)
      const isNamed = (name: string): boolean => typeof document[name] === 'string'
      const isRedirecting = DEFAULT_GRANTS.some((one) => grants.includes(one))
      if (isRedirecting && !isNamed('authorization_endpoint')) return 'authorization_endpoint is missing'
      const isExchanging = grants.some((one) => one !== 'implicit')
      return isExchanging && !isNamed('token_endpoint') ? 'token_endpoint is missing' : null
    }),
  },
  {
    id: 'metadata/secure-urls', clause: TEXT.tls, depth: 'passive',
    change: 'Publish absolute https URLs. Behind a proxy that ends TLS, form them from the configured issuer and not from the request.',
    run: each('both endpoints are https URLs or on this computer', having(isFirst, isSecureUrl)),
  },
  {
    id: 'metadata/further-secure-urls', clause: TEXT.furtherTls, depth: 'passive',
    change: 'Publish absolute https URLs for all endpoints, formed from the configured issuer.',
    run: each('each is an https URL or on this computer', having(isFurther, isSecureUrl)),
  },
  {
    id: 'metadata/no-fragments', clause: TEXT.fragment, depth: 'passive',
    change: 'Serve the endpoint at a path of the server. What follows # never reaches it, as with the routes of a page.',
    run: each('neither has a fragment', having(isFirst, (url) => !String(url).includes('#'))),
  },
  {
    id: 'metadata/endpoints-answer', clause: TEXT.answers, depth: 'anonymous',
    change: 'Remove from the metadata what the server does not serve, or correct its path. Form both from the same routes.',
    async run(on) {
      // Stops if it is the file of the sign-in that names the endpoints.
      const [document] = await serverDocuments(on)
      const tried: string[] = []
      for (const name of [...POSTED, 'jwks_uri', 'userinfo_endpoint']) {
        const url = await on.optionalEndpoint(name)
        if (url === null || !on.reaches(new URL(url))) continue
        const answer = POSTED.includes(name) ? await on.form(url, {}) : await on.send(url)
        const found = `${name} ${url} answers ${answer.status}`
        if (answer.status === 404 || answer.status === 501) return violated(answer, found)
        if (answer.status >= 500) return notReached(found, answer)
        tried.push(name)
      }
      if (tried.length === 0) return notApplicable('no endpoint is at an origin that was named', document)
      return held(document!, `there is something at ${tried.join(', ')}`)
    },
  },
  {
    id: 'metadata/response-types', clause: TEXT.responseTypes, depth: 'passive',
    change: 'Publish "response_types_supported": ["code"].',
    run: each('response_types_supported is there', listed('response_types_supported')),
  },
  {
    id: 'metadata/grant-types', clause: TEXT.grantTypes, depth: 'passive',
    change: 'Publish "grant_types_supported", such as ["authorization_code", "refresh_token"], so that it agrees with response_types_supported.',
    run: each('grant types and response types agree', (document) => {
      const grants = grantsIn(document)
      const types = responsesIn(document).flatMap((one) => one.split(' '))
      const isImplicit = types.includes('token') || types.includes('id_token')
      const isSame = types.includes('code') === grants.includes('authorization_code')
      return types.length === 0 || (isSame && (isImplicit || !grants.includes('implicit')))
        ? null
        : `grant_types_supported is ${quote(document['grant_types_supported'])}, and response_types_supported ${quote(document['response_types_supported'])}`
    }),
  },
  // Metadata and endpoints are asked apart: a server may be right in one and wrong in the other.
  {
    id: 'metadata/no-implicit', clause: TEXT.implicit, depth: 'passive',
    change: 'Remove every response type with "token" and the grant type "implicit" from the metadata, and refuse them.',
    run: each('no response type returns an access token', (document) => {
      const types = responsesIn(document)
      const found = types.find((one) => one.split(' ').includes('token'))
      if (found !== undefined) return `response_types_supported has ${quote(found)}`
      // The response type id_token is of this grant type too, and returns no access token.
      const isOfIdToken = types.some((one) => one.split(' ').includes('id_token'))
      const isNamed = listIn(document, 'grant_types_supported')?.includes('implicit') === true
      return isNamed && !isOfIdToken ? 'grant_types_supported has "implicit"' : null
    }),
  },
  {
    id: 'metadata/no-passwords', clause: TEXT.passwords, depth: 'passive',
    change: 'Remove the grant type "password" from the metadata and from the token endpoint. Clients use authorization codes.',
    run: each(
      'no list of grant types has "password"',
      having((name) => name === 'grant_types_supported', lacks('password')),
    ),
  },
  {
    id: 'metadata/scopes', clause: TEXT.scopes, depth: 'passive',
    change: 'Publish scopes_supported. It need not have every scope.',
    run: each('scopes_supported is there', listed('scopes_supported')),
  },
  {
    id: 'metadata/types', clause: TEXT.types, depth: 'passive',
    change: 'Publish ["openid", "profile"] in place of "openid profile", true in place of "true", and "en-US" in place of "en_US".',
    run: each(
      'every member has its type',
      having(
        (name) => LISTS.test(name) || BOOLEANS.test(name),
        (value, name) => (LISTS.test(name) ? isList(value, name) : typeof value === 'boolean'),
      ),
    ),
  },
  {
    id: 'metadata/no-empty-lists', clause: TEXT.empty, depth: 'passive',
    change: 'Leave the member out: an empty list does not mean the same to every client.',
    run: each('no list is empty', emptyList),
  },
  {
    id: 'metadata/public-clients', clause: TEXT.publicClients, depth: 'anonymous',
    change: 'Add "none" to token_endpoint_auth_methods_supported. Without the list, clients send a secret with HTTP Basic, which a public client does not have.',
    async run(on) {
      if (!isPublic(await on.client())) return notApplicable('the client of the audit is not public')
      return each('there are public clients, and the methods have "none"', (document) =>
        lacks('none')(document[METHODS]) ? `the client has no secret, and ${METHODS} is ${quote(document[METHODS])}` : null,
      )(on)
    },
  },
  {
    id: 'metadata/assertion-algorithms', clause: TEXT.algorithms, depth: 'passive',
    change: 'Publish the list …_auth_signing_alg_values_supported next to each list of methods with private_key_jwt or client_secret_jwt.',
    run: each('the algorithms of assertions are named', (document) => {
      const missing = CLIENT_ALGORITHMS.find((name) => {
        const methods = listIn(document, name.replace('signing_alg_values', 'methods')) ?? []
        return methods.some((one) => one.endsWith('_jwt')) && !listIn(document, name)?.length
      })
      return missing === undefined ? null : `${missing} is ${quote(document[missing])}`
    }),
  },
  {
    id: 'metadata/signed-assertions', clause: TEXT.signed, depth: 'passive',
    change: 'Remove "none" from the list, and refuse assertions without a signature.',
    run: each(
      'no list of algorithms of assertions has "none"',
      having((name) => CLIENT_ALGORITHMS.includes(name), lacks('none')),
    ),
  },
  ...openidMetadata,
  {
    id: 'metadata/other-issuer', clause: TEXT.other, depth: 'passive',
    change: 'Match the well-known path exactly, and answer any other by 404. Clients that look for an issuer with a path try it first.',
    async run(on) {
      const issuer = `${on.origin}/hallpass-audit-${newSecret().slice(0, 8)}`
      const { pathname } = new URL(issuer)
      const ofOauth = await on.send(
        `${on.origin}/.well-known/oauth-authorization-server${pathname}`,
      )
      const ofOpenid = await on.send(`${issuer}/.well-known/openid-configuration`)
      const wrong = [ofOauth, ofOpenid].find((answer) => {
        const { issuer: named = issuer } = answer.json
        return isRead(answer) && named !== issuer
      })
      return wrong === undefined
        ? held(ofOauth, `nothing claims to be the issuer ${issuer}`)
        : violated(wrong, `the issuer at ${wrong.url.pathname} is ${quote(wrong.json['issuer'])}`)
    },
  },
  {
    id: 'metadata/forwarded-host', clause: TEXT.forwarded, depth: 'anonymous',
    change: 'Configure the issuer, and form every URL from it. A cache would give the answer of this request to every client.',
    async run(on) {
      const [document] = await serverDocuments(on)
      return withoutForwardedHost(on, document!)
    },
  },
] // prettier-ignore
