/**
 * The adapter that runs `/mcp` on `@modelcontextprotocol/sdk` 1.x, for applications that use this SDK already.
 * For clients of protocol version 2026-07-28, use `hallpass/mcp-sdk-v2`.
 *
 * Start with {@link sdkAdapter}, and pass it to `createMcpEndpoint` from `hallpass/mcp`.
 *
 * @example
 * ```ts
 * import { createMcpEndpoint } from 'hallpass/mcp'
 * import { sdkAdapter } from 'hallpass/mcp-sdk-v1'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const { endpoint } = createMcpEndpoint(site, { tools: [], adapter: sdkAdapter })
 * const response = await endpoint(new Request('https://school.example/mcp'))
 * response.headers.get('allow') // => 'POST, OPTIONS'
 * ```
 * @module
 */
export { sdkAdapter } from './mcp-sdk-v1/adapter.js'
