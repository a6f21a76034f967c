import { type Endpoint, endpointFrom, type Outgoing, pathOf } from '../http/exchange.js'
import { OPEN_HEADERS } from '../http/frame.js'
import { errorBody, json } from '../http/respond.js'
import { FACTS } from '../site/facts.js'
import type { Site } from '../site/site.js'
import { lateAgainByName } from '../time/late.js'
import { JWKS_MAX_AGE_SECONDS } from '../token/key-ring.js'
import { createAuthorizationEndpoint } from './authorize.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { configureAuthorizationServer } from './configuration.js'
import type { AuthorizationServerOptions } from './options.js'
import { createInteractionEndpoint } from './interaction.js'
import { createIntrospectionEndpoint } from './introspect.js'
import { createJwksEndpoint, createMetadataEndpoints } from './metadata.js'
import { type EndpointName, PATHS } from '../site/paths.js'
import { createRegistrationEndpoint } from './register.js'
import { createRevocationEndpoint } from './revoke.js'
import { createTokenEndpoint } from './token.js'
import { createUserinfoEndpoint } from './userinfo.js'

/**
 * Every endpoint of an authorization server, by name. Created by {@link createAuthorizationServer}.
 *
 * @group Authorization servers
 */
export type AuthorizationServer = Readonly<Record<EndpointName, Endpoint>>

/**
 * Creates an authorization server with every endpoint. For fewer endpoints, build the record from the
 * factories of hallpass/authorization-server and pass it to `createMetadataEndpoints`, which then lists
 * only these.
 *
 * @param site - the site from {@link defineSite}
 * @returns a record of endpoints: mount them with `routesOf` or `createRouter` from
 *   hallpass/authorization-server
 * @throws OptionsError that lists every mistake in the options
 * @see [RFC 6749](https://www.rfc-editor.org/rfc/rfc6749)
 * @see [OpenID Connect Core 1.0](https://openid.net/specs/openid-connect-core-1_0.html)
 * @group Authorization servers
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint // => 'https://school.example/api/oauth/token'
 *
 * createAuthorizationServer(site, { keys, interact, codeSeconds: 3600 }) // throws OptionsError
 * ```
 */
export function createAuthorizationServer<Scope extends string>(
  site: Site<Scope>,
  options: AuthorizationServerOptions<Scope>,
): AuthorizationServer {
  return createEndpoints(configureAuthorizationServer(site, options))
}

type Create = (configuration: AuthorizationServerConfiguration) => Endpoint

/** How each endpoint is created, but for those of blocks and of the metadata, which lists these. */
const ENDPOINTS = {
  jwks: (configuration) =>
    createJwksEndpoint(configuration, { maxAgeSeconds: JWKS_MAX_AGE_SECONDS }),
  register: createRegistrationEndpoint,
  authorize: createAuthorizationEndpoint,
  interaction: createInteractionEndpoint,
  token: createTokenEndpoint,
  userinfo: createUserinfoEndpoint,
  revoke: createRevocationEndpoint,
  introspect: createIntrospectionEndpoint,
} satisfies Readonly<Record<string, Create>>

/**
 * Routes to the endpoints of a server without blocks, and creates each when its path is requested. Of a school among thousands
 * few are, and the garbage collector takes them from a school that is quiet.
 */
export function createLateRouter(
  configuration: AuthorizationServerConfiguration,
): Endpoint['handle'] {
  const endpointOf = lateAgainByName((name: EndpointName) =>
    name in ENDPOINTS
      ? ENDPOINTS[name as keyof typeof ENDPOINTS](configuration)
      : createMetadataEndpoints(configuration, ENDPOINTS)[name as MetadataName],
  )
  return routeBy((path) => {
    const name = NAMES.get(path) ?? (path.startsWith(INTERACTION) ? 'interaction' : undefined)
    return name && endpointOf(name)
  })
}

const INTERACTION = `${PATHS.interaction}/`
/** The endpoint of each path. That of an interaction has a parameter. */
const NAMES: ReadonlyMap<string, EndpointName> = new Map(
  Object.entries(PATHS).flatMap(([name, path]) =>
    name === 'interaction' ? [] : [[path, name as EndpointName]],
  ),
)
type MetadataName = keyof ReturnType<typeof createMetadataEndpoints>

/** Creates every endpoint of an authorization server whose options are checked. */
export function createEndpoints(
  configuration: AuthorizationServerConfiguration,
): AuthorizationServer {
  const endpoints = Object.fromEntries(
    Object.entries<Create>(ENDPOINTS).map(([name, create]) => [name, create(configuration)]),
  ) as Readonly<Record<keyof typeof ENDPOINTS, Endpoint>>
  const ofBlocks = configuration.grants.map((grant) => grant.create(configuration).endpoints)
  return Object.assign(
    { [FACTS]: configuration },
    ...ofBlocks,
    configuration.pushedRequests?.forServer.endpoints(configuration),
    endpoints,
    createMetadataEndpoints(configuration, endpoints),
  )
}

/**
 * A part of what a site serves: an authorization server or some of its endpoints, by name, or another part that has `routes`.
 * `Served` is an endpoint, or a function of yours around one, such as a rate limit.
 *
 * @inline
 */
export type ServedPart<Served = Endpoint> =
  | Readonly<Partial<Record<EndpointName, Served>>>
  | {
      /** Endpoints by path. */
      readonly routes: Readonly<Record<string, Served>>
    }

/**
 * Returns every path with its endpoint, for your own router. A parameter of a path is written `/:id`, as in that of the
 * interaction endpoint.
 *
 * @param parts - the authorization server, and the results of `createMcpEndpoint`, `createAccountApi`, `createAdminApi`,
 *   `createAuthMdEndpoint` and `createOpenapiEndpoint` that you serve. With more than one part, the metadata of `/mcp` and
 *   `/account/graphql` is left out unless one of them has these paths
 * @returns one pair of path and endpoint for each path
 * @group Routing
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { routesOf } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const paths = routesOf(server).map(([path]) => path)
 * paths.includes('/api/oauth/token') // => true
 * paths.includes('/oauth/interaction/:id') // => true
 * ```
 */
export function routesOf<Served = Endpoint>(
  ...parts: readonly [ServedPart<Served>, ...ServedPart<Served>[]]
): readonly (readonly [path: string, endpoint: Served])[] {
  const routes = parts.flatMap((part) =>
    'routes' in part ? Object.entries(part.routes) : pathsOf(part),
  )
  return parts.length === 1 ? routes : withoutAbsent(routes)
}

type Route<Served> = readonly [path: string, endpoint: Served]

function pathsOf<Served>(
  endpoints: Readonly<Partial<Record<EndpointName, Served>>>,
): readonly Route<Served>[] {
  // An endpoint of a block has its path as its name.
  return (Object.keys({ ...PATHS, ...endpoints }) as EndpointName[]).flatMap((name) => {
    const endpoint = endpoints[name]
    const path = PATHS[name] ?? (name.startsWith('/') ? name : null)
    return endpoint === undefined || path === null
      ? []
      : [[name === 'interaction' ? `${path}/:id` : path, endpoint] as const]
  })
}

/** Removes the metadata of the addresses that no route has. */
function withoutAbsent<Served>(routes: readonly Route<Served>[]): readonly Route<Served>[] {
  const paths = new Set(routes.map(([path]) => path))
  const start = `${PATHS.protectedResourceMetadata}/`
  return routes.filter(
    ([path]) => !path.startsWith(start) || paths.has(path.slice(start.length - 1)),
  )
}

/**
 * Creates one endpoint that routes to all of them by exact path, and responds with 404 to other paths. Use
 * it for servers without a router, and in tests.
 *
 * @param parts - as {@link routesOf} takes them
 * @group Routing
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { createRouter } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const router = createRouter(createAuthorizationServer(site, { keys, interact }))
 *
 * const found = await router(new Request('https://school.example/.well-known/jwks.json'))
 * found.status // => 200
 * const missing = await router(new Request('https://school.example/courses'))
 * missing.status // => 404
 * ```
 */
export function createRouter(...parts: readonly [ServedPart, ...ServedPart[]]): Endpoint {
  const routes = routesOf(...parts)
  const byPath = new Map(routes)
  // The endpoint reads the rest of a path with a parameter itself.
  const starts = new Map(
    routes.flatMap(([path, endpoint]) =>
      path.includes(':') ? [[path.slice(0, path.indexOf(':')), endpoint]] : [],
    ),
  )
  const byStart = [...starts]
  return endpointFrom(
    routeBy((path) => byPath.get(path) ?? byStart.find(([start]) => path.startsWith(start))?.[1]),
  )
}

const routeBy =
  (endpointAt: (path: string) => Endpoint | undefined): Endpoint['handle'] =>
  (incoming) =>
    endpointAt(pathOf(incoming.target))?.handle(incoming) ?? Promise.resolve(NOT_FOUND)

export const NOT_FOUND: Outgoing = json(
  404,
  errorBody('invalid_request', 'there is no endpoint at this path'),
  OPEN_HEADERS,
)
