import { readBytes } from '../http/body.js'
import { type Endpoint, endpointFrom, type Incoming, pathOf } from '../http/exchange.js'
import { createEndpoint, type Failure, type Method } from '../http/frame.js'
import {
  custom,
  isObject,
  optional,
  OptionsError,
  quoted,
  shape,
  unlike,
} from '../options/check.js'
import { FACTS } from '../site/facts.js'
import { readPage } from '../site/returned.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { createDeadline } from '../store/deadline.js'
import { createKeyRing, KEY_RING_RULES, type KeyRingOptions } from '../token/key-ring.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { configureAuthorizationServer, serverMistakesOf, SERVER_RULES } from './configuration.js'
import type { AuthorizationServerOptions } from './options.js'
import { pageErrors } from './error-format.js'
import { maintain } from '../operations/maintain.js'
import { PATHS } from '../site/paths.js'
import { createPartFinder, hasPath, PART_RULES, type ServerParts } from './parts.js'
import { createEndpoints, createLateRouter, createRouter } from './server.js'
import type { Server } from './whole-server.js'

/** How long a function of `routes` may take to respond, in milliseconds. */
const ROUTE_MILLISECONDS = 30_000
/** Most bytes of a body that a function of `routes` receives. */
const MAX_ROUTE_BYTES = 256 * 1024

/**
 * Options of {@link createServer}: those of an authorization server, the secret of its keys, and your own pages.
 *
 * @group Servers
 */
export interface ServerOptions<Scope extends string = string>
  extends
    Omit<AuthorizationServerOptions<Scope>, 'keys'>,
    Pick<KeyRingOptions, 'sealingSecret' | 'previousSealingSecrets' | 'createSigner'> {
  /**
   * Your own pages and endpoints, each by its method and exact path, such as `POST /sign-in`. A body of more than
   * 256 KiB is refused with 413 before the function is called. A function that throws, or returns no `Response`,
   * leads to 500, and one that takes more than 30 seconds to 503; `onFault` receives the cause. `GET` includes
   * `HEAD`. Default: none.
   */
  readonly routes?: Readonly<
    Record<
      `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`,
      (request: Request) => Response | Promise<Response>
    >
  >
  /**
   * The other parts of the site, by functions that create them, such as
   * `{ mcp: () => createMcpEndpoint(site, { adapter, tools }), authMd: createAuthMdEndpoint }`. Each is called at the first
   * request for a path of its part, because few of the sites of a process are asked for all. A mistake in its options
   * leads to 500, and `onFault` receives it: to learn of it at start-up, create the part before, and return it. The
   * metadata of `/mcp` and `/account/graphql` is left out, unless a part or a route has that path. Default: none, and
   * all metadata is served.
   */
  readonly parts?: ServerParts
}

type Routes = NonNullable<ServerOptions['routes']>
type Respond = Routes[keyof Routes]

/**
 * Creates an authorization server with its keys, its maintenance and your own pages behind one endpoint. To mount the
 * endpoints in a framework, or to bring keys of your own, use {@link createAuthorizationServer}.
 *
 * @param site - the site from {@link defineSite}
 * @returns an endpoint that routes by exact path, and responds with 404 to other paths. Call its `maintain` before the
 *   first request, because that creates the first key; `serve` from hallpass/node does
 * @throws OptionsError that lists every mistake, such as a path in `routes` that the authorization server serves
 * @group Servers
 * @example
 * ```ts
 * import { createServer } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const page = () => new Response('your page')
 * const options = {
 *   sealingSecret: 'use at least 32 random characters here',
 *   interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
 * }
 * const server = createServer(site, { ...options, routes: { 'GET /about': page } })
 * await server.maintain() // creates the keys
 *
 * const jwks = await server(new Request('https://school.example/.well-known/jwks.json'))
 * jwks.status // => 200
 * const about = await server(new Request('https://school.example/about'))
 * await about.text() // => 'your page'
 *
 * createServer(site, { ...options, routes: { 'GET /oauth/authorize': page } }) // throws OptionsError
 * ```
 */
export function createServer<Scope extends string>(
  site: Site<Scope>,
  options: ServerOptions<Scope>,
): Server {
  const { keys: _keys, ...rules } = SERVER_RULES
  const { sealingSecret, previousSealingSecrets, createSigner } = KEY_RING_RULES
  const ofKeyRing = { sealingSecret, previousSealingSecrets, createSigner }
  const all = { ...rules, ...ofKeyRing, routes: routesRule, parts: partsRule }
  const {
    routes = {},
    parts,
    ...given
  } = checkOwnOptions<ServerOptions>('server', site, options, all, serverMistakesOf(site))
  const { own, ofKeys } = split(given)
  const keys = createKeyRing(site, ofKeys)
  const configuration = configureAuthorizationServer<string>(site, { ...own, keys })
  const byPath = Object.keys(routes).length === 0 ? NO_ROUTES : mount(configuration, routes)
  // Only blocks know the paths of their own routes, and find mistakes when theirs are made.
  const endpoints = site.blocks.length > 0 ? createEndpoints(configuration) : null
  const route =
    endpoints === null ? createLateRouter(configuration) : createRouter(endpoints).handle
  const taken = [...byPath.keys()].filter(
    (path) =>
      (endpoints !== null && path in endpoints) || (parts !== undefined && hasPath(parts, path)),
  )
  if (taken.length > 0)
    throw new OptionsError(
      'server',
      taken.map((path) => `routes: ${path} ${OF_HALLPASS}`),
    )
  const hasRoute = (path: string): boolean => byPath.has(path)
  const find = parts && createPartFinder(configuration, { parts, hasRoute, serverOf: () => server })
  const endpoint = endpointFrom((incoming) => {
    const path = pathOf(incoming.target)
    const own = byPath.get(path) ?? find?.(path)
    return own === undefined ? route(incoming) : own.handle(incoming)
  })
  const server: Server = Object.assign(endpoint, {
    [FACTS]: configuration,
    site,
    keys,
    maintain: () => maintain(site, { keys }),
  })
  return server
}

function split({
  sealingSecret,
  previousSealingSecrets,
  createSigner,
  ...own
}: Omit<ServerOptions, 'routes' | 'parts'>): {
  own: Omit<AuthorizationServerOptions, 'keys'>
  ofKeys: KeyRingOptions
} {
  const ofKeys = {
    sealingSecret,
    ...(previousSealingSecrets && { previousSealingSecrets }),
    ...(createSigner && { createSigner }),
  }
  return { own, ofKeys }
}

const NO_ROUTES: ReadonlyMap<string, Endpoint> = new Map()

/** Creates one endpoint for each path of `routes`, within the frame of all endpoints. */
function mount(
  configuration: AuthorizationServerConfiguration,
  routes: Routes,
): ReadonlyMap<string, Endpoint> {
  const deadline = createDeadline(ROUTE_MILLISECONDS)
  const errors = pageErrors(configuration)
  const byPath = new Map<string, Map<string, Respond>>()
  for (const [route, respond] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    byPath.set(path, (byPath.get(path) ?? new Map<string, Respond>()).set(method, respond))
  }
  return new Map(
    [...byPath].map(([path, functions]) => {
      const methods = [...functions.keys()] as Method[]
      const frame = { name: path, methods, cors: null, errors }
      const endpoint = createEndpoint(configuration, frame, async ({ incoming }) => {
        const method = incoming.method === 'HEAD' ? 'GET' : incoming.method
        const request = await requestOf(incoming)
        if ('ok' in request) return request
        const name = `${method} ${path}`
        return deadline(name)(async () => responseOf(name, await functions.get(method)!(request)))
      })
      return [path, endpoint]
    }),
  )
}

/** Reads what a function of `routes` returned. Another value is a bug, and no outage: 500, and not 503. */
function responseOf(name: string, returned: unknown): Response {
  try {
    return readPage(name, returned)
  } catch (cause) {
    throw new TypeError((cause as Error).message, { cause })
  }
}

/** Returns the request with its whole body, which is read first, so that a function can read it without a limit. */
async function requestOf(incoming: Incoming): Promise<Request | Failure> {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return incoming.request()
  const read = await readBytes(incoming, MAX_ROUTE_BYTES)
  return read.ok ? incoming.request(read.bytes) : read
}

const ROUTE = /^(?:GET|POST|PUT|PATCH|DELETE) (\/[\w.~%/-]*)$/
const OF_HALLPASS = 'has a path of hallpass: choose another'
const OWN_PATHS: readonly string[] = Object.values(PATHS)

const partsRule = optional(
  shape<ServerParts>('{ mcp: () => createMcpEndpoint(site, options) }', PART_RULES),
)

const isOwn = (path: string): boolean =>
  OWN_PATHS.includes(path) || path.startsWith(`${PATHS.interaction}/`)

const routesRule = optional(
  custom<Routes>("{ 'POST /sign-in': (request) => response }", (value, name) =>
    isObject(value)
      ? Object.entries(value).flatMap(([route, respond]) => {
          const at = `${name}[${quoted(route)}]`
          const [, path] = ROUTE.exec(route) ?? []
          if (path === undefined)
            return [`${at} must be a method and an exact path, such as "POST /sign-in"`]
          if (isOwn(path)) return [`${at} ${OF_HALLPASS}`]
          return typeof respond === 'function'
            ? []
            : unlike(at, 'a function from a Request to a Response', respond)
        })
      : unlike(name, "an object such as { 'POST /sign-in': (request) => response }", value),
  ),
)
