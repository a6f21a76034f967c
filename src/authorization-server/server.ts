import { type Endpoint, endpointFrom, type Outgoing } from '../http/exchange.js'
import { OPEN_HEADERS } from '../http/frame.js'
import { errorBody, json } from '../http/respond.js'
import type { Site } from '../site/site.js'
import { JWKS_MAX_AGE_SECONDS } from '../token/key-ring.js'
import { createAuthorizationEndpoint } from './authorize.js'
import { type AuthorizationServerOptions, configureAuthorizationServer } from './configuration.js'
import { createInteractionEndpoint } from './interaction.js'
import { createIntrospectionEndpoint } from './introspect.js'
import { createJwksEndpoint, createMetadataEndpoints } from './metadata.js'
import { type EndpointName, PATHS } from './paths.js'
import { createRegistrationEndpoint } from './register.js'
import { createRevocationEndpoint } from './revoke.js'
import { createTokenEndpoint } from './token.js'
import { createUserinfoEndpoint } from './userinfo.js'

/** Every endpoint of an authorization server, by name. */
export type AuthorizationServer = Readonly<Record<EndpointName, Endpoint>>

/**
 * An authorization server with every endpoint. For fewer, build the record yourself from the
 * factories and hand it to `createMetadataEndpoints`, which then lists only what is there.
 *
 * @throws OptionsError - as `configureAuthorizationServer` does
 */
export function createAuthorizationServer<Scope extends string>(
  site: Site<Scope>,
  options: AuthorizationServerOptions<Scope>,
): AuthorizationServer {
  const configuration = configureAuthorizationServer(site, options)
  const endpoints = {
    jwks: createJwksEndpoint(configuration, { maxAgeSeconds: JWKS_MAX_AGE_SECONDS }),
    register: createRegistrationEndpoint(configuration),
    authorize: createAuthorizationEndpoint(configuration),
    interaction: createInteractionEndpoint(configuration),
    token: createTokenEndpoint(configuration),
    userinfo: createUserinfoEndpoint(configuration),
    revoke: createRevocationEndpoint(configuration),
    introspect: createIntrospectionEndpoint(configuration),
  }
  return { ...endpoints, ...createMetadataEndpoints(configuration, endpoints) }
}

/**
 * Path and endpoint of each entry, for the host's router. The interaction endpoint's path takes one
 * more segment, written `/:id`.
 */
export function routesOf(
  endpoints: Readonly<Partial<Record<EndpointName, Endpoint>>>,
): readonly (readonly [path: string, endpoint: Endpoint])[] {
  return (Object.keys(PATHS) as EndpointName[]).flatMap((name) => {
    const endpoint = endpoints[name]
    return endpoint === undefined
      ? []
      : [[name === 'interaction' ? `${PATHS[name]}/:id` : PATHS[name], endpoint] as const]
  })
}

/**
 * One endpoint that answers for all of them, by exact path, and 404 elsewhere: for servers without a
 * router, and for tests.
 */
export function createRouter(
  endpoints: Readonly<Partial<Record<EndpointName, Endpoint>>>,
): Endpoint {
  const byPath = new Map(routesOf(endpoints))
  return endpointFrom((incoming) => {
    const path = incoming.target.split('?', 1)[0]!
    const endpoint =
      byPath.get(path) ??
      (path.startsWith(`${PATHS.interaction}/`)
        ? byPath.get(`${PATHS.interaction}/:id`)
        : undefined)
    return endpoint === undefined ? Promise.resolve(NOT_FOUND) : endpoint.handle(incoming)
  })
}

const NOT_FOUND: Outgoing = json(404, errorBody('invalid_request', 'there is no endpoint at this path'), OPEN_HEADERS)
