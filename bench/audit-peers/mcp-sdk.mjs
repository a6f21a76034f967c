import { createServer } from 'node:http'
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { HOST_PAGES, listening, PEOPLE } from './common.mjs'

export const name = 'MCP SDK'
export const packages = ['@modelcontextprotocol/sdk']
/** Parts of the provider of its examples, which it calls a demonstration and not a product. */
export const host = {
  what: 'its example provider, which stores codes and tokens and asks no one, or what OAuth 2.1 leaves out',
  checks: (check) =>
    HOST_PAGES.checks(check) ||
    /^(?:code|refresh|resource|scope|introspection|revocation|consent)\//.test(check) ||
    // Its verifier fails with a token that it does not know.
    /^bearer\/(?:unknown-token|damaged-token|invalid-token-error|refusal-challenge|malformed-header|two-tokens|token-not-repeated)$/.test(check) ||
    ['token/error-status', 'token/empty-parameter', 'token/malformed-form', 'token/unguessable', 'mcp/bad-token', 'headers/tokens-not-stored-by-old-caches'].includes(check), // prettier-ignore
}
export const setUp =
  'createMcpExpressApp with mcpAuthRouter, registration and revocation where its provider has it. The provider is that of its examples, a demonstration: it admits anyone without a question, and issues no refresh tokens'

/** Its router, the provider of its example, and an MCP endpoint behind `requireBearerAuth`. */
export async function start() {
  const app = createMcpExpressApp()
  const server = createServer(app)
  const { origin, stop } = await listening(server)
  const resource = new URL(`${origin}/mcp`)
  const provider = new DemoInMemoryAuthProvider()
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(origin),
      resourceServerUrl: resource,
      scopesSupported: ['mcp:tools'],
      // Its limits would end the audit: 20 registrations in an hour.
      ...Object.fromEntries(
        [
          'authorizationOptions',
          'clientRegistrationOptions',
          'revocationOptions',
          'tokenOptions',
        ].map((option) => [option, { rateLimit: false }]),
      ),
    }),
  )
  app.use(
    '/mcp',
    requireBearerAuth({
      verifier: provider,
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    }),
  )
  app.post('/mcp', async (request, response) => {
    const mcp = new McpServer({ name: 'peer', version: '1.0.0' })
    mcp.registerTool('hello', { description: 'Says hello.' }, async () => ({
      content: [{ type: 'text', text: 'hello' }],
    }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    await mcp.connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  app.all('/mcp', (_, response) => response.status(405).end())
  return { issuer: origin, signIn: { people: PEOPLE, scope: 'mcp:tools' }, stop }
}
