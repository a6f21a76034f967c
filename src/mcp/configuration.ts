import {
  callback,
  custom,
  flag,
  host,
  isObject,
  list,
  oneOf,
  optional,
  pattern,
  type Rules,
  text,
  unlike,
  whole,
} from '../options/check.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import type { McpAdapter } from './adapter.js'
import { connectionTool } from './connection-tool.js'
import { createGuard, type Guard } from './guard.js'
import { ALL_TOOLS, callableTools, type ListPolicy } from './list.js'
import { defineTools, type ToolRegistry, toolsRule } from './tool-registry.js'
import { FREE_TEXT_NOTICE } from './run.js'
import type { Tool } from './tool.js'

/**
 * Options of {@link createMcpEndpoint}.
 *
 * @group Endpoint
 */
export interface McpEndpointOptions<Scope extends string = string> {
  /** The tools, in the order in which they are listed. The endpoint adds `check_connection` in front. */
  readonly tools: readonly Tool<NoInfer<Scope>>[]
  /**
   * Implementation of the protocol: `serverAdapter` or `sdkAdapter` with your SDK, or `directAdapter` in front of one.
   */
  readonly adapter: McpAdapter
  /** Version of the tools, for the logs of clients. Default: `'1.0.0'`. */
  readonly version?: string
  /**
   * Additional instructions for agents, in plain text. They are sent after those of the library, which
   * explain refusals and how to treat text that people wrote. Default: none.
   */
  readonly instructions?: string
  /**
   * How to treat a request to `/mcp` without an access token: `'serve'` offers the public tools, `'challenge'`
   * responds with 401, as `/mcp/signed-in` and `/mcp/member` always do. Default: `'serve'`.
   */
  readonly anonymous?: 'serve' | 'challenge'
  /**
   * Whether `tools/list` shows anonymous callers the tools that need an access token as well.
   * Default: `false`.
   */
  readonly showProtectedTools?: boolean
  /**
   * Named subsets of the operator tools. A client selects one with `?toolset=<name>`; public and member
   * tools are always listed. `all` is reserved. Default: none.
   */
  readonly toolsets?: Readonly<Record<string, readonly string[]>>
  /**
   * Length of `tools/list` when the URL names no toolset. Operator tools beyond it are not listed but can
   * still be called. An integer above 0. Default: 40.
   */
  readonly maxListedTools?: number
  /**
   * Origins whose web pages may call the endpoint, such as `https://app.example`. The origin of the site and
   * loopback origins are always allowed; `*` allows any. Default: none.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Values of `Host` that the endpoint accepts. Default: any, except that a loopback issuer accepts only the
   * loopback hosts with its port.
   */
  readonly allowedHosts?: readonly string[]
}

/** A site with the validated options of its `/mcp`, in which every default is filled in. */
export interface McpConfiguration extends Site {
  readonly registry: ToolRegistry
  readonly list: ListPolicy
  /** Responds to one exchange by means of the SDK. */
  readonly speak: ReturnType<McpAdapter>
  readonly challengeAnonymous: boolean
  readonly guard: Guard
}

const ORIGIN = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^/\s]+)$/

const RULES: Rules<McpEndpointOptions> = {
  tools: toolsRule,
  adapter: callback('serverAdapter(sdk) from hallpass/mcp'),
  version: optional(text('"1.0.0"')),
  instructions: optional(text('"Ask before you cancel anything."')),
  anonymous: optional(oneOf('serve', 'challenge')),
  showProtectedTools: optional(flag),
  toolsets: optional(
    custom('a table such as { courses: ["list_courses"] }', (value, name) =>
      isObject(value)
        ? Object.entries(value).flatMap(([toolset, members]) =>
            TOOL_NAMES.mistakes(members, `${name}.${toolset}`),
          )
        : unlike(name, 'a table such as { courses: ["list_courses"] }', value),
    ),
  ),
  maxListedTools: optional(whole(1)),
  allowedOrigins: optional(list(pattern('an origin such as https://app.example, or *', ORIGIN))),
  allowedHosts: optional(list(host)),
}

const DEFAULT_MAX_LISTED = 40

/**
 * Validates the options of `/mcp` and fills in the defaults.
 *
 * @throws OptionsError that lists every mistake: options that are unknown, missing or of a wrong type, and
 *   toolsets that name unknown tools. If there are none, it lists those that `defineTools` finds.
 */
export function configureMcp(site: Site, options: McpEndpointOptions): McpConfiguration {
  const own = checkOwnOptions('mcp', site, options, RULES, toolsetMistakes)
  const { adapter, toolsets = {}, version = '1.0.0', instructions } = own
  const connection = connectionTool({
    site,
    toolsets: [...Object.keys(toolsets), ALL_TOOLS],
    countFor: (caller) => callableTools(registry, caller),
  })
  const registry = defineTools([{ ...connection, source: 'createMcpEndpoint' }, ...own.tools], site)
  return {
    ...site,
    registry,
    list: {
      showProtectedTools: own.showProtectedTools ?? false,
      toolsets: new Map(Object.entries(toolsets).map(([name, tools]) => [name, new Set(tools)])),
      maxListedTools: own.maxListedTools ?? DEFAULT_MAX_LISTED,
    },
    speak: adapter({
      name: site.id,
      title: site.name,
      version,
      websiteUrl: site.issuer,
      instructions: [
        site.stepUpLinks ? INSTRUCTIONS_WITH_LINK : INSTRUCTIONS,
        ...(instructions === undefined ? [] : [instructions]),
      ].join('\n\n'),
    }),
    challengeAnonymous: own.anonymous === 'challenge',
    guard: createGuard({ ...own, origin: site.resource.canonical }),
  }
}

function toolsetMistakes({ tools, toolsets = {} }: McpEndpointOptions): readonly string[] {
  const names = new Set(tools.map(({ name }) => name))
  return Object.entries(toolsets).flatMap(([toolset, members]) => [
    ...(/^[a-z][a-z0-9_-]{0,39}$/.test(toolset) && toolset !== ALL_TOOLS
      ? []
      : [
          `toolsets: "${toolset}" must be a name of 1 to 40 characters, such as sales, but not all`,
        ]),
    ...members
      .filter((name) => !names.has(name))
      .map((name) => `toolsets.${toolset} has the unknown tool "${name}"`),
  ])
}

const TOOL_NAMES = list(text('"list_courses"'))

const instructionsWith = (link: string): string =>
  `Call check_connection to learn who is calling and what the access token allows. If a call is refused with 401 or 403, sign in and request the scopes that the challenge names.${link} Do not repeat a call that failed with FORBIDDEN_ROLE. ${FREE_TEXT_NOTICE}`
const INSTRUCTIONS = instructionsWith('')
const INSTRUCTIONS_WITH_LINK = instructionsWith(
  ' If you cannot sign in again, call check_connection with the scopes that you need, and show the person its allow_url.',
)
