import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { startWorker } from '../workerd.mjs'
import { ofProtocol, ofSignIn, PEOPLE } from './common.mjs'

export const name = 'Cloudflare workers-oauth-provider'
export const packages = ['@cloudflare/workers-oauth-provider']
/** Parts that the documentation leaves to a host, and that are written here. */
export const host = {
  what: 'the sign-in, and the MCP server behind it',
  checks: (check) => ofSignIn(check) || ofProtocol(check),
}
export const setUp =
  'OAuthProvider as one Worker on workerd, with registration, metadata documents and token exchange, the consent page of its documentation, and the MCP SDK behind it'

const WORKER = (origin) => `
  import { AuthorizationError, CimdFetchError, OAuthProvider } from '@cloudflare/workers-oauth-provider'
  import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
  import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  // Its own one compiles code, which workerd forbids. Nothing here has a schema.
  const jsonSchemaValidator = { getValidator: () => (data) => ({ valid: true, data }) }
  const people = ${JSON.stringify(PEOPLE)}
  const safe = (text) => text.replace(/[&<>"']/g, (one) => '&#' + one.charCodeAt(0) + ';')
  const personOf = (request) => people.find(({ email }) => (request.headers.get('cookie') ?? '').includes('session=' + encodeURIComponent(email)))
  // The sign-in is of the host.
  const signIn = (here) => new Response('<!doctype html><form method="post" action="/sign-in?to=' + safe(encodeURIComponent(here)) + '"><input name="email"><input name="password" type="password"><button>Sign in</button></form>', { headers: { 'content-type': 'text/html', 'content-security-policy': "frame-ancestors 'none'", 'x-frame-options': 'DENY' } })
  async function signedIn(request, to) {
    const sent = await request.formData()
    const person = people.find(({ email, password }) => email === sent.get('email') && password === sent.get('password'))
    return new Response(null, { status: 303, headers: { location: to, ...(person && { 'set-cookie': 'session=' + encodeURIComponent(person.email) + '; Path=/; HttpOnly; SameSite=Lax' }) } })
  }
  // The consent page is that of its documentation.
  const page = (details, handle) => '<!doctype html><meta charset="utf-8"><title>Authorize</title><h1>Allow ' + safe(details.clientName) + '?</h1><p>' + safe(details.clientDomain ?? 'not verified') + ' Access will be sent to <strong>' + safe(details.redirectHost) + '</strong>.</p><form method="post"><input type="hidden" name="handle" value="' + safe(handle) + '">' + details.scope.map((scope) => '<label><input type="checkbox" name="scope" value="' + safe(scope) + '" checked> ' + safe(scope) + '</label>').join('') + '<button name="decision" value="approve">Allow</button> <button name="decision" value="deny">Deny</button></form>'
  async function authorize(request, oauth, here) {
    const person = personOf(request)
    if (request.method !== 'POST') {
      const asked = await oauth.parseAuthRequest(request)
      if (!person) return signIn(here)
      const details = await oauth.describeConsent(asked)
      const consent = await oauth.beginConsent(asked)
      consent.headers.set('content-type', 'text/html; charset=utf-8')
      return new Response(page(details, consent.handle), { headers: consent.headers })
    }
    if (!person) return signIn(here)
    const form = await request.formData()
    const handle = String(form.get('handle'))
    if (form.get('decision') !== 'approve') {
      const denied = await oauth.denyConsent(request, handle)
      return new Response(null, { status: 302, headers: denied.headers })
    }
    const approved = await oauth.approveConsent(request, handle, { scope: form.getAll('scope').map(String) })
    const { redirectTo } = await oauth.completeAuthorization({ request: approved.request, userId: person.email, metadata: {}, scope: approved.request.scope, props: { userId: person.email } })
    approved.headers.set('location', redirectTo)
    return new Response(null, { status: 302, headers: approved.headers })
  }
  const defaultHandler = {
    async fetch(request, env) {
      const url = new URL(request.url)
      if (url.pathname === '/sign-in') return signedIn(request, url.searchParams.get('to'))
      if (url.pathname !== '/authorize') return new Response('none', { status: 404 })
      try {
        return await authorize(request, env.OAUTH_PROVIDER, url.pathname + url.search)
      } catch (error) {
        if (error instanceof AuthorizationError && error.redirectTo) return Response.redirect(error.redirectTo, 302)
        if (error instanceof AuthorizationError || error instanceof CimdFetchError)
          return new Response(error instanceof AuthorizationError ? error.description : 'not verified', { status: 400 })
        throw error
      }
    },
  }
  export default new OAuthProvider({
    apiRoute: '/mcp',
    apiHandler: {
      async fetch(request) {
        const mcp = new McpServer({ name: 'peer', version: '1.0.0' }, { jsonSchemaValidator })
        mcp.registerTool('hello', { description: 'Says hello.' }, async () => ({ content: [{ type: 'text', text: 'hello' }] }))
        const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
        await mcp.connect(transport)
        return request.method === 'POST' ? transport.handleRequest(request) : new Response(null, { status: 405 })
      },
    },
    defaultHandler,
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientRegistrationEndpoint: '/oauth/register',
    scopesSupported: ['mcp:read', 'mcp:write', 'offline_access'],
    resourceMetadata: { resource: '${origin}/mcp', authorization_servers: ['${origin}'] },
    requiredScopes: ['mcp:read'],
    clientIdMetadataDocumentEnabled: true,
    allowTokenExchangeGrant: true,
  })`

export async function start() {
  const { origin, stop } = await startWorker({ build, Miniflare }, import.meta.url, WORKER)
  return { issuer: origin, signIn: { people: PEOPLE, scope: 'mcp:read offline_access' }, stop }
}
