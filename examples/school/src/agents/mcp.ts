import type { Site } from 'hallpass'
import type { AccountApi } from 'hallpass/account'
import {
  accountTools,
  createMcpEndpoint,
  type McpAdapter,
  operationTools,
  type Tool,
} from 'hallpass/mcp'
import type { AdminApi } from 'hallpass/admin'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import { publicTools } from './public-tools.js'

/**
 * The toolsets that a client can select with `?toolset=`, each by the first parts of its scopes. The tools that
 * clients call most often come first.
 */
const TOOLSETS: Readonly<Record<string, readonly string[]>> = {
  teaching: ['courses', 'curriculum', 'students', 'events', 'analytics', 'lecturers', 'comments'],
  sales: [
    'orders',
    'members',
    'membership_plans',
    'subscriptions',
    'coupons',
    'digital_products',
    'analytics',
  ],
  site: ['school', 'appearance', 'posts', 'pages', 'storage', 'forms', 'lecturers'],
}

const WORDS = Object.values(TOOLSETS).flat()

const wordOf = (scope: string): string => scope.split(':', 1)[0]!

/** Returns the tools of staff, the most useful first. */
function operatorToolsOf({
  registry,
  call,
}: Pick<AdminApi<SchoolScope>, 'registry' | 'call'>): readonly Tool<SchoolScope>[] {
  const placeOf = (scope: string): number => WORDS.indexOf(wordOf(scope))
  const operations = registry.operations.toSorted(
    (one, other) => placeOf(one.scope) - placeOf(other.scope),
  )
  return operationTools({ registry: { ...registry, operations }, call })
}

/** Creates the `/mcp` endpoint of one site, with public tools, member tools and tools of staff. */
export function createMcp(
  site: Site<SchoolScope>,
  {
    execute,
    account,
    operator,
    adapter,
  }: {
    execute: Execute
    account: AccountApi
    operator: Pick<AdminApi<SchoolScope>, 'registry' | 'call'>
    adapter: McpAdapter
  },
): ReturnType<typeof createMcpEndpoint> {
  const { id, issuer, now } = site
  const operatorTools = operatorToolsOf(operator)
  return createMcpEndpoint(site, {
    adapter,
    tools: [
      ...publicTools({ execute, site: id, origin: issuer, now }),
      ...accountTools(account),
      ...operatorTools,
    ],
    // All that reads, and some that write. A client that accepts fewer names a toolset.
    maxListedTools: 48,
    toolsets: Object.fromEntries(
      Object.entries(TOOLSETS).map(([name, words]) => [name, namesIn(operatorTools, words)]),
    ),
  })
}

const namesIn = (tools: readonly Tool[], words: readonly string[]): readonly string[] =>
  tools
    .filter(({ actions }) =>
      actions.some(({ scopes }) => scopes.some((scope) => words.includes(wordOf(scope)))),
    )
    .map(({ name }) => name)
