import { sha256Base64url } from '../encoding/hash.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { CORS } from '../http/respond.js'
import { resolvesDocuments } from '../policy/cimd-url.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { createFramedEndpoint } from './framed-endpoint.js'
import { type EndpointName, PATHS } from './paths.js'

/** Seconds that a client may keep a metadata document. */
const METADATA_MAX_AGE_SECONDS = 300

/** The endpoints that the metadata describes. */
export type MetadataEndpoints = Readonly<
  Record<
    | 'protectedResourceMetadata'
    | 'mcpResourceMetadata'
    | 'accountResourceMetadata'
    | 'authorizationServerMetadata'
    | 'openidConfiguration',
    Endpoint
  >
>

/**
 * The metadata documents. They list what the record of endpoints holds, so nothing is advertised
 * that is not there.
 *
 * @param endpoints - the other endpoints of this server
 * @see RFC 8414; RFC 9728; OpenID Connect Discovery 1.0
 */
export function createMetadataEndpoints(
  configuration: AuthorizationServerConfiguration,
  endpoints: Readonly<Partial<Record<EndpointName, Endpoint>>>,
): MetadataEndpoints {
  const { issuer, keys } = configuration
  const frame = (name: EndpointName, handle: (incoming: Incoming) => Promise<Outgoing>): Endpoint =>
    createFramedEndpoint(configuration, { name, methods: ['GET'], cors: true }, handle)
  const resource = (name: EndpointName, suffix: string): Endpoint => {
    const serve = cached(METADATA_MAX_AGE_SECONDS)
    const document = {
      resource: issuer + suffix,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(configuration.baselineScopes.length > 0 && {
        scopes_supported: configuration.baselineScopes,
      }),
      resource_name: configuration.name,
    }
    return frame(name, async (incoming) => serve(incoming, document))
  }
  const server = (name: 'authorizationServerMetadata' | 'openidConfiguration'): Endpoint => {
    const serve = cached(METADATA_MAX_AGE_SECONDS)
    const [silent, signing] = [false, true].map((signs) => ({
      ...authorizationServerMetadata({ configuration, endpoints, signs }),
      ...(name === 'openidConfiguration' && OPENID_ONLY),
    }))
    return frame(name, async (incoming) =>
      serve(incoming, endpoints.jwks && (await keys.signer()) !== null ? signing! : silent!),
    )
  }
  return {
    protectedResourceMetadata: resource('protectedResourceMetadata', ''),
    mcpResourceMetadata: resource('mcpResourceMetadata', '/mcp'),
    accountResourceMetadata: resource('accountResourceMetadata', '/account/graphql'),
    authorizationServerMetadata: server('authorizationServerMetadata'),
    openidConfiguration: server('openidConfiguration'),
  }
}

// Written out where the default would promise something else (OpenID Connect Discovery §3).
const OPENID_ONLY = {
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
}

function authorizationServerMetadata({
  configuration: { issuer, scopes, documents, pinnedDocuments },
  endpoints,
  signs,
}: {
  configuration: AuthorizationServerConfiguration
  endpoints: Readonly<Partial<Record<EndpointName, Endpoint>>>
  signs: boolean
}): Readonly<Record<string, unknown>> {
  const url = (name: EndpointName, member: string): Record<string, string> =>
    endpoints[name] === undefined ? {} : { [member]: issuer + PATHS[name] }
  // `none` first: clients take the first entry for their own choice.
  const authMethods = ['none', 'client_secret_post']
  return {
    issuer,
    ...url('authorize', 'authorization_endpoint'),
    ...url('token', 'token_endpoint'),
    ...url('register', 'registration_endpoint'),
    ...url('revoke', 'revocation_endpoint'),
    ...url('introspect', 'introspection_endpoint'),
    ...url('userinfo', 'userinfo_endpoint'),
    ...url('jwks', 'jwks_uri'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    ...(endpoints.revoke && { revocation_endpoint_auth_methods_supported: authMethods }),
    ...(endpoints.introspect && {
      introspection_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    scopes_supported: scopes.names,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported:
      pinnedDocuments.length > 0 || (documents !== null && resolvesDocuments(documents)),
    subject_types_supported: ['public'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: CLAIMS,
    ...(signs && { id_token_signing_alg_values_supported: ['ES256'] }),
  }
}

const CLAIMS = [
  'sub',
  'email',
  'name',
  'picture',
  'org_id',
  'roles',
  'iss',
  'aud',
  'exp',
  'iat',
  'nonce',
  'auth_time',
]

/** The public keys (RFC 7517 §5). */
export function createJwksEndpoint(
  configuration: AuthorizationServerConfiguration,
  { maxAgeSeconds }: { maxAgeSeconds: number },
): Endpoint {
  const serve = cached(maxAgeSeconds)
  return createFramedEndpoint(
    configuration,
    { name: 'jwks', methods: ['GET'], cors: true },
    async (incoming) => serve(incoming, await configuration.keys.jwks()),
  )
}

// A document is serialised once for as long as it is the same object.
function cached(maxAgeSeconds: number): (incoming: Incoming, document: object) => Outgoing {
  let last: { document: object; fresh: Outgoing; notModified: Outgoing; etag: string } | null = null
  return (incoming, document) => {
    if (last?.document !== document) {
      const body = JSON.stringify(document)
      const etag = `"${sha256Base64url(body).slice(0, 22)}"`
      const headers = {
        ...CORS,
        'content-type': 'application/json; charset=utf-8',
        'cache-control': `public, max-age=${maxAgeSeconds}`,
        'x-content-type-options': 'nosniff',
        etag,
      }
      last = {
        document,
        fresh: { status: 200, headers, body },
        notModified: { status: 304, headers, body: null },
        etag,
      }
    }
    return incoming.header('if-none-match') === last.etag ? last.notModified : last.fresh
  }
}
