import type { AuthorizationServerConfiguration } from '../block.js'
import type { Server } from '../whole-server.js'
import type { AuthorizationServer } from '../server.js'
import {
  checkOptions,
  custom,
  isObject,
  made,
  optional,
  OptionsError,
  positive,
  type RequiredRule,
  type Rules,
  shape,
  unlike,
} from '../../options/check.js'
import { FACTS } from '../../site/facts.js'

/**
 * The parts that a site serves in addition to its authorization server, as the factory of each returns it. `/auth.md`
 * describes nothing else.
 *
 * @group Metadata
 */
export interface AuthMdParts {
  /** The result of `createMcpEndpoint`. Default: the site has no tools. */
  readonly mcp?: Mounted
  /** The result of `createAccountApi`. Default: the site has no Account API. */
  readonly account?: Mounted
  /** The result of `createAdminApi`. Default: the site has no admin API. */
  readonly admin?: {
    readonly registry: {
      readonly byScope: ReadonlyMap<
        string,
        readonly { readonly id: string; readonly method: string; readonly path: string }[]
      >
    }
    readonly basePath: string
    readonly problems: Readonly<Record<string, { status: number; advice?: string }>>
  }
  /** The result of `createOpenapiEndpoint`. Default: the site has no OpenAPI description. */
  readonly openapi?: Mounted
  /** The rate limit of the admin API for each grant, in requests and seconds. Default: none is shown. */
  readonly rate?: { readonly limit: number; readonly windowSeconds: number }
}

/**
 * The result of a factory, whose endpoints are at these paths.
 *
 * @inline
 */
interface Mounted {
  readonly routes: Readonly<Record<string, unknown>>
}

/**
 * A server of which `/auth.md` can be made, or its configuration.
 *
 * @inline
 */
export type AuthMdServer = AuthorizationServer | Server | AuthorizationServerConfiguration

/** The source of `/auth.md`: a configuration and its parts. */
export interface AuthMdSource extends AuthorizationServerConfiguration, AuthMdParts {}

const mountedBy = (factory: string): RequiredRule<Mounted> =>
  custom(`the result of ${factory}`, (value, name) =>
    (typeof value === 'function' || isObject(value)) && 'routes' in value
      ? []
      : unlike(name, `the result of ${factory}`, value),
  )

const RULES: Rules<AuthMdParts> = {
  mcp: optional(mountedBy('createMcpEndpoint')),
  account: optional(mountedBy('createAccountApi')),
  admin: optional(
    made<NonNullable<AuthMdParts['admin']>>('the result of createAdminApi', {
      registry: 'object',
      basePath: 'string',
      problems: 'object',
    }),
  ),
  openapi: optional(mountedBy('createOpenapiEndpoint')),
  rate: optional(
    shape<NonNullable<AuthMdParts['rate']>>('{ limit, windowSeconds }', {
      limit: positive,
      windowSeconds: positive,
    }),
  ),
}

/** Reads the configuration of a server, and checks the parts. */
export function sourceOf(server: AuthMdServer, parts: AuthMdParts): AuthMdSource {
  const checked = checkOptions('auth.md', parts, RULES)
  const configuration =
    (server as { readonly [FACTS]?: AuthorizationServerConfiguration })[FACTS] ?? server
  if (!('codeSeconds' in configuration))
    throw new OptionsError('auth.md', [
      'the first argument must be the result of createAuthorizationServer or createServer itself, without functions around its endpoints',
    ])
  return { ...configuration, ...checked }
}

/** Returns these lines if something is there. */
export const when = (isThere: unknown, ...lines: readonly string[]): readonly string[] =>
  isThere === undefined || isThere === false ? [] : lines
