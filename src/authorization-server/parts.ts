import { type Endpoint, endpointFrom } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { callback, isObject, optional, OptionsError, type Rules } from '../options/check.js'
import {
  ACCOUNT_PATH,
  ACCOUNT_SCHEMA_PATH,
  ADMIN_PATH,
  ASKING_PATHS,
  AUTH_MD_PATH,
  MCP_PATH,
  OPENAPI_PATH,
  PATHS,
} from '../site/paths.js'
import type { AuthMdParts } from './auth-md/source.js'
import type { AuthorizationServerConfiguration } from './block.js'
import type { Server } from './whole-server.js'
import { clientErrors } from './error-format.js'
import { createRouter, NOT_FOUND } from './server.js'

/**
 * Functions that create the other parts of a site.
 *
 * @inline
 */
export interface ServerParts {
  /** Returns the result of `createMcpEndpoint`. Default: the site has no tools. */
  readonly mcp?: () => Part
  /** Returns the result of `createAccountApi`. Default: the site has no Account API. */
  readonly account?: () => Part
  /** Returns the result of `createAdminApi`, with its default base path. Default: the site has no admin API. */
  readonly admin?: () => Part & NonNullable<AuthMdParts['admin']>
  /** Returns the result of `createOpenapiEndpoint`. Default: the site has no OpenAPI description. */
  readonly openapi?: () => Part
  /** `createAuthMdEndpoint`, which receives the server and the parts above. Default: the site has no `/auth.md`. */
  readonly authMd?: (server: Server, parts: AuthMdParts) => Part
}

/** @inline */
interface Part {
  readonly routes: Readonly<Record<string, Endpoint>>
  /** The endpoint of all its paths, if it is one. */
  readonly endpoint?: Endpoint
}

type Name = keyof ServerParts

const FACTORIES: Readonly<Record<Name, string>> = {
  mcp: 'createMcpEndpoint',
  account: 'createAccountApi',
  admin: 'createAdminApi',
  openapi: 'createOpenapiEndpoint',
  authMd: 'createAuthMdEndpoint',
}

/** The part of each path. Those of the admin API are below its base path. */
const NAMES: ReadonlyMap<string, Name> = new Map<string, Name>([
  ...[MCP_PATH, ...ASKING_PATHS].map((path) => [path, 'mcp'] as const),
  [ACCOUNT_PATH, 'account'],
  [ACCOUNT_SCHEMA_PATH, 'account'],
  [OPENAPI_PATH, 'openapi'],
  [AUTH_MD_PATH, 'authMd'],
])
const OF_ADMIN = `${ADMIN_PATH}/`
const OF_ADDRESS = `${PATHS.protectedResourceMetadata}/`

export const PART_RULES = Object.fromEntries(
  Object.entries(FACTORIES).map(([name, factory]) => [name, optional(callback(factory))]),
) as unknown as Rules<ServerParts>

/** Whether one of the parts has this path. */
export function hasPath(parts: ServerParts, path: string): boolean {
  const name = NAMES.get(path)
  return name !== undefined && parts[name] !== undefined
}

/**
 * Returns a function that finds the endpoint of a path, and creates its part at the first request.
 *
 * @param given - `hasRoute`: whether a route of the host application has a path
 */
export function createPartFinder(
  configuration: AuthorizationServerConfiguration,
  given: { parts: ServerParts; hasRoute: (path: string) => boolean; serverOf: () => Server },
): (path: string) => Endpoint | undefined {
  const { parts, hasRoute, serverOf } = given
  const made = new Map<Name, { readonly part: Part; readonly endpoint: Endpoint }>()
  function partOf(name: Name) {
    const known = made.get(name)
    if (known !== undefined) return known
    const part = name === 'authMd' ? guide() : parts[name]!()
    check(name, part)
    const own = { part, endpoint: part.endpoint ?? createRouter(part) }
    made.set(name, own)
    return own
  }
  function guide(): Part {
    const { authMd, admin, ...others } = parts
    // The guide says no more of these than that they are there.
    const present = Object.entries(others).filter(([, create]) => create !== undefined)
    const described: AuthMdParts = Object.fromEntries(present.map(([name]) => [name, PRESENT]))
    return authMd!(serverOf(), {
      ...described,
      ...(admin && { admin: partOf('admin').part as Part & NonNullable<AuthMdParts['admin']> }),
    })
  }
  return (path) => {
    if (path.startsWith(OF_ADDRESS)) {
      const address = path.slice(OF_ADDRESS.length - 1)
      return hasPath(parts, address) || hasRoute(address) ? undefined : ABSENT
    }
    const name = NAMES.get(path) ?? (path.startsWith(OF_ADMIN) ? 'admin' : undefined)
    if (name === undefined || parts[name] === undefined) return undefined
    try {
      return partOf(name).endpoint
    } catch (fault) {
      const errors = clientErrors(configuration)
      const frame = { name, methods: 'routed', cors: OPEN, errors } as const
      return createEndpoint(configuration, frame, () => Promise.reject(fault))
    }
  }
}

const PRESENT = { routes: {} }
const ABSENT = endpointFrom(() => Promise.resolve(NOT_FOUND))

/** @throws OptionsError */
function check(name: Name, part: unknown): void {
  const isMade = (typeof part === 'function' || isObject(part)) && 'routes' in part
  if (!isMade)
    throw new OptionsError('server', [`parts.${name} must return the result of ${FACTORIES[name]}`])
  if ('basePath' in part && part.basePath !== ADMIN_PATH)
    throw new OptionsError('server', [`parts.${name} must have the base path ${ADMIN_PATH}`])
}
