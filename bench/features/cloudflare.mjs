import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { startWorker } from '../workerd.mjs'
import { CLIENT } from './common.mjs'

export const packages = ['@cloudflare/workers-oauth-provider']

const WORKER = (origin) => `
  import { OAuthProvider } from '@cloudflare/workers-oauth-provider'
  const api = { fetch: async () => new Response('api') }
  const pages = {
    async fetch(request, env) {
      const { pathname } = new URL(request.url)
      if (pathname === '/client')
        return Response.json(await env.OAUTH_PROVIDER.createClient(await request.json()))
      if (pathname !== '/authorize') return new Response('none', { status: 404 })
      const asked = await env.OAUTH_PROVIDER.parseAuthRequest(request).catch((error) => error)
      return asked instanceof Error
        ? new Response(asked.code + ' ' + asked.message + ' ' + (asked.redirectTo ?? ''), { status: 400 })
        : Response.json(asked)
    },
  }
  export default new OAuthProvider({
    apiRoute: '/mcp',
    apiHandler: api,
    defaultHandler: pages,
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientRegistrationEndpoint: '/oauth/register',
    scopesSupported: ['mcp:read', 'offline_access'],
    resourceMetadata: { resource: '${origin}/mcp', authorization_servers: ['${origin}'] },
    requiredScopes: ['mcp:read'],
    clientIdMetadataDocumentEnabled: true,
    allowTokenExchangeGrant: true,
    enterpriseManagedAuthorization: {
      trustedIssuers: async () => null,
      mapClaims: async () => null,
    },
  })`

/** Starts it as one Worker on workerd, with every endpoint and grant that has an option. */
export async function start() {
  const { origin, stop } = await startWorker({ build, Miniflare }, import.meta.url, WORKER)
  const created = await fetch(`${origin}/client`, {
    method: 'POST',
    body: JSON.stringify({
      redirectUris: [CLIENT.redirectUri],
      tokenEndpointAuthMethod: 'client_secret_post',
    }),
  })
  const { clientId, clientSecret } = await created.json()
  return {
    origin,
    client: { id: clientId, secret: clientSecret },
    scope: 'mcp:read',
    stop,
  }
}
