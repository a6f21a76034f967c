import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { listening, PEOPLE } from './common.mjs'

export const name = 'Cloudflare workers-oauth-provider'
export const packages = ['@cloudflare/workers-oauth-provider']
export const setUp =
  'OAuthProvider as one Worker on workerd, with registration and metadata documents, and its own consent example'

const WORKER = (origin) => `
  import { OAuthProvider } from '@cloudflare/workers-oauth-provider'
  const people = ${JSON.stringify(PEOPLE)}
  const html = (body) => new Response('<!doctype html>' + body, { headers: { 'content-type': 'text/html' } })
  const safe = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const personOf = (request) => people.find(({ email }) => (request.headers.get('cookie') ?? '').includes('session=' + encodeURIComponent(email)))
  const pages = {
    async fetch(request, env) {
      const url = new URL(request.url)
      if (url.pathname === '/sign-in') {
        const sent = await request.formData()
        const person = people.find(({ email, password }) => email === sent.get('email') && password === sent.get('password'))
        const to = url.searchParams.get('to')
        return new Response(null, { status: 303, headers: { location: to.startsWith('/authorize') ? to : '/', ...(person && { 'set-cookie': 'session=' + encodeURIComponent(person.email) + '; Path=/; HttpOnly; SameSite=Lax' }) } })
      }
      if (url.pathname !== '/authorize') return new Response('none', { status: 404 })
      const here = url.pathname + url.search
      let asked
      try {
        asked = await env.OAUTH_PROVIDER.parseAuthRequest(request.method === 'POST' ? new Request(url) : request)
      } catch (error) {
        if (error.redirectTo) return Response.redirect(error.redirectTo, 302)
        return new Response(error.message, { status: 400 })
      }
      const person = personOf(request)
      if (!person) return html('<form method="post" action="/sign-in?to=' + safe(encodeURIComponent(here)) + '"><input name="email"><input name="password" type="password"><button>Sign in</button></form>')
      if (request.method !== 'POST') return html('<form method="post" action="' + safe(here) + '"><button name="decision" value="allow">Allow</button><button name="decision" value="deny">Cancel</button></form>')
      if ((await request.formData()).get('decision') !== 'allow') {
        const denied = new URL(asked.redirectUri)
        denied.searchParams.set('error', 'access_denied')
        denied.searchParams.set('state', asked.state)
        denied.searchParams.set('iss', '${origin}')
        return Response.redirect(denied.href, 302)
      }
      const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({ request: asked, userId: person.email, metadata: {}, scope: asked.scope, props: { userId: person.email } })
      return Response.redirect(redirectTo, 302)
    },
  }
  export default new OAuthProvider({
    apiRoute: '/mcp',
    apiHandler: { fetch: async () => Response.json({ jsonrpc: '2.0', id: 1, result: { tools: [] } }) },
    defaultHandler: pages,
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientRegistrationEndpoint: '/oauth/register',
    scopesSupported: ['mcp:read', 'mcp:write', 'offline_access'],
    resourceMetadata: { resource: '${origin}/mcp', authorization_servers: ['${origin}'] },
    requiredScopes: ['mcp:read'],
    clientIdMetadataDocumentEnabled: true,
  })`

export async function start() {
  const { origin, stop: free } = await listening(createServer())
  await free()
  const { outputFiles } = await build({
    stdin: {
      contents: WORKER(origin),
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'js',
    },
    bundle: true,
    format: 'esm',
    external: ['cloudflare:workers', 'node:*'],
    conditions: ['workerd', 'worker'],
    write: false,
  })
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['global_fetch_strictly_public', 'nodejs_compat'],
    kvNamespaces: ['OAUTH_KV'],
    host: '127.0.0.1',
    port: Number(new URL(origin).port),
    // Nothing outside of this computer is asked.
    outboundService: () => new Response(null, { status: 502 }),
  })
  await worker.ready
  return {
    issuer: origin,
    signIn: { people: PEOPLE, scope: 'mcp:read offline_access' },
    stop: () => worker.dispose(),
  }
}
