import { createJsonDocument } from '../http/document.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { createEndpoint, PUBLIC } from '../http/frame.js'
import { checkOptions, whole } from '../options/check.js'
import { resolvesDocuments } from '../policy/cimd-url.js'
import {
  createResourceMetadata,
  type ResourceName,
} from '../protected-resource/resource-metadata.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { clientErrors } from './error-format.js'
import { type EndpointName, PATHS } from '../site/paths.js'
import { memoryOf } from './memory.js'

/**
 * Creates the endpoints that serve the metadata of the authorization server and of its protected
 * resources. The metadata lists only the endpoints of the record, so that a client never finds a URL that
 * does not exist.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @param endpoints - the other endpoints of this server
 * @returns the endpoints for `GET`. Their documents are public, and may be cached for five minutes.
 * @see [RFC 8414, section 3](https://www.rfc-editor.org/rfc/rfc8414#section-3)
 * @see [RFC 9728, section 3](https://www.rfc-editor.org/rfc/rfc9728#section-3)
 * @see [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
 * @group Metadata
 * @example
 * ```ts
 * import * as server from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = server.configureAuthorizationServer(site, { keys, interact })
 * const token = server.createTokenEndpoint(configuration)
 * const { authorizationServerMetadata } = server.createMetadataEndpoints(configuration, { token })
 *
 * const url = 'https://school.example/.well-known/oauth-authorization-server'
 * const metadata = await (await authorizationServerMetadata(new Request(url))).json()
 * metadata.token_endpoint // => 'https://school.example/api/oauth/token'
 * metadata.authorization_endpoint // => undefined
 * ```
 */
export function createMetadataEndpoints(
  configuration: AuthorizationServerConfiguration,
  endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
): Readonly<
  Record<ResourceName | 'authorizationServerMetadata' | 'openidConfiguration', Endpoint>
> {
  const { blocks } = configuration
  const server = (name: 'authorizationServerMetadata' | 'openidConfiguration'): Endpoint => {
    // Two blocks that describe the same member are refused at the start.
    if (blocks.length > 0) serverMetadata({ name, configuration, endpoints, signs: true })
    const [silent, signing] = [false, true].map((signs) =>
      createJsonDocument(() => serverMetadata({ name, configuration, endpoints, signs })),
    )
    return createPublicEndpoint(configuration, name, async (incoming) => {
      const signs =
        endpoints.jwks !== undefined && (await memoryOf(configuration).signs(name)).value
      return (signs ? signing! : silent!)(incoming)
    })
  }
  return {
    ...createResourceMetadata(configuration, clientErrors(configuration)),
    authorizationServerMetadata: server('authorizationServerMetadata'),
    openidConfiguration: server('openidConfiguration'),
  }
}

// Stated explicitly, because the defaults differ (OpenID Connect Discovery 1.0, section 3).
const OPENID_ONLY = {
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
}

/**
 * Builds the metadata of RFC 8414, section 2, for both well-known paths: clients read one or the other,
 * and the OpenID document only adds members.
 *
 * `signs` is `false` while no key signs or no endpoint serves the keys. Then
 * `id_token_signing_alg_values_supported` is absent.
 */
export function serverMetadata({
  name,
  configuration: {
    issuer,
    scopes,
    documents,
    pinnedDocuments,
    clientAuthentication,
    grants,
    pushedRequests,
    senderConstraint,
  },
  endpoints,
  signs,
}: {
  name: 'authorizationServerMetadata' | 'openidConfiguration'
  configuration: Pick<
    AuthorizationServerConfiguration,
    'issuer' | 'documents' | 'clientAuthentication' | 'grants' | 'pushedRequests'
  > &
    Partial<Pick<AuthorizationServerConfiguration, 'senderConstraint'>> & {
      readonly scopes: { readonly names: readonly string[] }
      readonly pinnedDocuments: readonly unknown[]
    }
  endpoints: Readonly<Partial<Record<EndpointName, unknown>>>
  signs: boolean
}): Readonly<Record<string, unknown>> {
  const url = (endpoint: EndpointName, member: string): Record<string, string> =>
    endpoints[endpoint] === undefined ? {} : { [member]: issuer + PATHS[endpoint] }
  // A client that takes the first entry has to send its secret. Without one it sends what `none` does.
  const withSecret = ['client_secret_post', ...clientAuthentication.map(nameOf)]
  const authMethods = ['client_secret_post', 'none', ...withSecret.slice(1)]
  const own = {
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
    grant_types_supported: ['authorization_code', 'refresh_token', ...grants.map(nameOf)],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    ...(endpoints.revoke !== undefined && {
      revocation_endpoint_auth_methods_supported: authMethods,
    }),
    ...(endpoints.introspect !== undefined && {
      introspection_endpoint_auth_methods_supported: withSecret,
    }),
    scopes_supported: scopes.names,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported:
      pinnedDocuments.length > 0 || (documents !== null && resolvesDocuments(documents)),
    subject_types_supported: ['public'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: CLAIMS,
    ...(signs && { id_token_signing_alg_values_supported: ['ES256'] }),
    ...(name === 'openidConfiguration' && OPENID_ONLY),
    ...senderConstraint?.metadata,
  }
  const pushed = pushedRequests ? [pushedRequests] : []
  return [...clientAuthentication, ...grants, ...pushed].reduce<Readonly<Record<string, unknown>>>(
    (known, block) => block.forServer.describe(known, endpoints, issuer),
    own,
  )
}

const nameOf = ({ name }: { readonly name: string }): string => name

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

/**
 * Creates the endpoint that serves the public keys of the site, with which clients verify ID tokens.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @param options - `maxAgeSeconds`: how long a client may cache the keys; use `JWKS_MAX_AGE_SECONDS` from
 *   hallpass/token, unless the key ring has another value
 * @see [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517#section-5)
 * @group Metadata
 * @example
 * ```ts
 * import { configureAuthorizationServer, createJwksEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * const jwks = createJwksEndpoint(configuration, { maxAgeSeconds: 600 })
 *
 * const response = await jwks(new Request('https://school.example/.well-known/jwks.json'))
 * response.headers.get('cache-control') // => 'public, max-age=600'
 * ```
 */
export function createJwksEndpoint(
  configuration: AuthorizationServerConfiguration,
  options: { maxAgeSeconds: number },
): Endpoint {
  const { maxAgeSeconds } = checkOptions('JWKS endpoint', options, { maxAgeSeconds: whole(0) })
  // Serialized once for each object.
  let last: { jwks: object; fresh: JsonDocument; old: JsonDocument } | null = null
  return createPublicEndpoint(configuration, 'jwks', async (incoming) => {
    const { value: jwks, isOld } = await memoryOf(configuration).jwks('jwks')
    if (last?.jwks !== jwks)
      last = {
        jwks,
        fresh: createJsonDocument(() => jwks, maxAgeSeconds),
        old: createJsonDocument(() => jwks, Math.min(maxAgeSeconds, OLD_MAX_AGE_SECONDS)),
      }
    return (isOld ? last.old : last.fresh)(incoming)
  })
}

type JsonDocument = ReturnType<typeof createJsonDocument>

/** How long a verifier may cache a JWKS that was served while the keys could not be read. */
const OLD_MAX_AGE_SECONDS = 60
const createPublicEndpoint = (
  configuration: AuthorizationServerConfiguration,
  name: EndpointName,
  serve: (incoming: Incoming) => Promise<Outgoing>,
): Endpoint =>
  createEndpoint(
    configuration,
    { ...PUBLIC, name, errors: clientErrors(configuration) },
    ({ incoming }) => serve(incoming),
  )
