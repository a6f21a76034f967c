import { createServer } from 'node:http'
import { cimd } from '@better-auth/cimd'
import { mcp } from '@better-auth/mcp'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getAuthTables } from 'better-auth/db'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { listening, PEOPLE } from './common.mjs'

export const name = 'better-auth'
export const packages = [
  'better-auth',
  '@better-auth/oauth-provider',
  '@better-auth/mcp',
  '@better-auth/cimd',
]
export const setUp =
  'With its plugins for JWT, MCP and metadata documents, accounts with passwords, and rows in memory'

export async function start() {
  const server = createServer()
  const { origin, stop } = await listening(server)
  const tables = {}
  const options = {
    baseURL: origin,
    secret: 'a secret of at least thirty-two characters',
    database: memoryAdapter(tables),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    disabledPaths: ['/token'],
    plugins: [
      jwt({ jwks: { keyPairConfig: { alg: 'ES256' } } }),
      mcp({
        loginPage: '/sign-in',
        consentPage: '/consent',
        resource: `${origin}/mcp`,
        scopes: ['openid', 'profile', 'email', 'offline_access', 'mcp:read'],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
      cimd({
        fetchClientMetadataResource: async () => new Response(null, { status: 404 }),
        metadataProfile: 'mcp-2026-07-28',
      }),
    ],
  }
  for (const { modelName } of Object.values(getAuthTables(options))) tables[modelName] = []
  const auth = betterAuth(options)
  for (const { email, password } of PEOPLE)
    await auth.api.signUpEmail({ body: { email, password, name: email.split('@')[0] } })
  const handler = toNodeHandler(auth)
  // The metadata of an issuer with a path is at the root, where the documentation says to route it.
  server.on('request', (request, response) => {
    const [path, query] = request.url.split('?')
    const wellKnown = /^\/\.well-known\/(oauth-authorization-server)\/api\/auth$/.exec(path)
    if (wellKnown !== null) request.url = `/api/auth/.well-known/${wellKnown[1]}`
    if (path === '/.well-known/oauth-protected-resource/mcp')
      request.url = '/api/auth/.well-known/oauth-protected-resource/mcp'
    if (path === '/sign-in' || path === '/consent') {
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
      async answer({ browser, page, person, allow }) {
        const oauth_query = page.url.search.slice(1)
        const path =
          page.url.pathname === '/sign-in' ? '/api/auth/sign-in/email' : '/api/auth/oauth2/consent'
        const body =
          page.url.pathname === '/sign-in'
            ? { ...person, oauth_query }
            : { accept: allow, oauth_query }
        const answer = await browser.post(path, JSON.stringify(body))
        const { url, redirect_uri: redirectUri } = JSON.parse(answer.text)
        return browser.open(redirectUri ?? url)
      },
    },
    stop,
  }
}
