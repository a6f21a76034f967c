/**
 * The adapter that runs `/mcp` on `@modelcontextprotocol/server` 2.x. It serves clients of protocol version
 * 2026-07-28 and of older versions.
 *
 * Start with {@link serverAdapter}, and pass it to `createMcpEndpoint` from `hallpass/mcp`.
 *
 * @example
 * ```ts
 * import { createMcpEndpoint } from 'hallpass/mcp'
 * import { serverAdapter } from 'hallpass/mcp-sdk-v2'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const { endpoint } = createMcpEndpoint(site, { tools: [], adapter: serverAdapter })
 * const response = await endpoint(new Request('https://school.example/mcp'))
 * response.headers.get('allow') // => 'POST, OPTIONS'
 * ```
 * @module
 */
export { serverAdapter } from './mcp-sdk-v2/adapter.js'
