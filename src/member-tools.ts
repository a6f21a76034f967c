/**
 * Thirteen tools for `/mcp` with which an agent reads and changes a member's own data: profile, courses, orders,
 * event bookings, memberships and downloads. They run the operations of `hallpass/account-api`. Fields of your own become
 * tools as well.
 *
 * Start with {@link accountTools}. It takes an {@link AccountExecutor}, which `createAccountApi` returns.
 *
 * @example
 * ```ts
 * import { createMcpEndpoint } from 'hallpass/mcp'
 * import { serverAdapter } from 'hallpass/mcp-sdk-v2'
 * import { accountTools } from 'hallpass/member-tools'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * // In your server: createAccountApi(site, { source }).
 * const account = { execute: async () => ({ data: { viewer: null } }) }
 * const mcp = createMcpEndpoint(site, { tools: accountTools(account), adapter: serverAdapter })
 * mcp.registry.tools.length // => 14
 * ```
 * @module
 */
export type { AccountExecutor, ExecutionError } from './member-tools/executor.js'
export { accountTools } from './member-tools/member-tools.js'
