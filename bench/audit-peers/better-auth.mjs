import { createServer } from 'node:http'
import { cimd } from '@better-auth/cimd'
import { mcp, requireMcpAuth } from '@better-auth/mcp'
import { oauthDeviceAuthorization } from '@better-auth/oauth-provider'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getAuthTables } from 'better-auth/db'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { listening, ofConsent, ofProtocol, ofSignIn, PEOPLE } from './common.mjs'

export const name = 'better-auth'
export const packages = [
  'better-auth',
  '@better-auth/oauth-provider',
  '@better-auth/mcp',
  '@better-auth/cimd',
]
/** Parts that the documentation leaves to a host, and that are written here. */
export const host = {
  what: 'the pages of sign-in and consent, which call its endpoints, CORS, and the MCP server behind it',
  checks: (check) =>
    ofSignIn(check) ||
    ofConsent(check) ||
    ofProtocol(check) ||
    /^headers\/.+-(?:readable|preflight)$/.test(check),
}
export const setUp =
  'With its plugins for JWT, MCP, the device flow and metadata documents, registration by anyone, accounts with passwords, and rows in memory with primary keys. The MCP SDK is behind its requireMcpAuth. DPoP, introspection and revocation are part of these'

/** Rows with a primary key, on which its use-once records depend, and which its rows in memory are without. */
class Table extends Array {
  push(row) {
    if (this.some(({ id }) => id === row.id)) throw new Error('the primary key exists')
    return super.push(row)
  }
}

export async function start() {
  const server = createServer()
  const { origin, stop } = await listening(server)
  const tables = {}
  const options = {
    baseURL: origin,
    secret: 'a secret of at least thirty-two characters',
    database(all) {
      const adapter = memoryAdapter(tables)(all)
      // A transaction works on a copy of the rows, which has no primary keys.
      return { ...adapter, transaction: (act) => act(adapter) }
    },
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    disabledPaths: ['/token'],
    plugins: [
      jwt(),
      mcp({
        loginPage: '/sign-in',
        consentPage: '/consent',
        resource: `${origin}/mcp`,
        scopes: ['openid', 'profile', 'email', 'offline_access', 'mcp:read'],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
      oauthDeviceAuthorization({ verificationUri: '/device' }),
      cimd({
        fetchClientMetadataResource: async () => new Response(null, { status: 404 }),
        metadataProfile: 'mcp-2026-07-28',
      }),
    ],
  }
  for (const { modelName } of Object.values(getAuthTables(options))) tables[modelName] = new Table()
  const auth = betterAuth(options)
  for (const { email, password } of PEOPLE)
    await auth.api.signUpEmail({ body: { email, password, name: email.split('@')[0] } })
  const handler = toNodeHandler(auth)
  const mcpHandler = toNodeHandler({
    handler: requireMcpAuth(
      auth,
      async (request) => {
        const server = new McpServer({ name: 'peer', version: '1.0.0' })
        server.registerTool('hello', { description: 'Says hello.' }, async () => ({
          content: [{ type: 'text', text: 'hello' }],
        }))
        const transport = new WebStandardStreamableHTTPServerTransport({
          sessionIdGenerator: undefined,
          enableJsonResponse: true,
        })
        await server.connect(transport)
        return transport.handleRequest(request)
      },
      { resource: `${origin}/mcp` },
    ),
  })
  // The metadata of an issuer with a path is at the root, where the documentation says to route it.
  server.on('request', (request, response) => {
    const [path, query] = request.url.split('?')
    const wellKnown = /^\/\.well-known\/(oauth-authorization-server)\/api\/auth$/.exec(path)
    if (wellKnown !== null) request.url = `/api/auth/.well-known/${wellKnown[1]}`
    if (path === '/mcp') {
      // Its page says to route POST only.
      if (request.method === 'POST')
        mcpHandler(request, response).catch(() => response.writeHead(500).end())
      else response.writeHead(405).end()
    } else if (path === '/device') response.end('Enter the code that your device shows.')
    else if (path === '/sign-in' || path === '/consent') {
      response.setHeader('content-type', 'text/html')
      response.end(
        `<!doctype html><form method="post" action="${path}?${query}"><button>Continue</button></form>`,
      )
    } else void handler(request, response)
  })
  return {
    issuer: `${origin}/api/auth`,
    signIn: {
      people: PEOPLE,
      scope: 'openid profile email offline_access',
      /** Its pages are the host's: they call its endpoints with JSON, and go where the answer says. */
      async answer({ browser, page, person, allow, userCode }) {
        const post = (path, body) => browser.post(`/api/auth${path}`, JSON.stringify(body))
        if (userCode !== undefined) {
          await post('/sign-in/email', person)
          await browser.open(`/api/auth/device?user_code=${userCode}`)
          return post(allow ? '/device/approve' : '/device/deny', { userCode })
        }
        const oauth_query = page.url.search.slice(1)
        const answer =
          page.url.pathname === '/sign-in'
            ? await post('/sign-in/email', { ...person, oauth_query })
            : await post('/oauth2/consent', { accept: allow, oauth_query })
        const { url, redirect_uri: redirectUri } = JSON.parse(answer.text)
        return browser.open(redirectUri ?? url)
      },
    },
    stop,
  }
}
