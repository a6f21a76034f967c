import type { Fault } from '../broken-server.js'
import { answers, type Broken, headers as change } from '../faults.js'

const SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const KEYS = '/.well-known/jwks.json'
const AUTHORIZE = '/oauth/authorize'
const TOKEN = '/api/oauth/token'
const REGISTER = '/api/oauth/register'
const USERINFO = '/api/oauth/userinfo'
const ORIGIN_FIELD = 'access-control-allow-origin'

/** Changes the answers to preflight requests of one path. */
const preflights = (path: string, edit: (of: Headers) => Response | void): Fault =>
  answers(path, (answer, request) => {
    if (request.method !== 'OPTIONS') return answer
    const of = new Headers(answer.headers)
    return edit(of) ?? new Response(null, { status: answer.status, headers: of })
  })

/** Repeats the origin of the request, as middleware does that should allow any. */
const reflecting = (path: string, more: Readonly<Record<string, string>> = {}): Fault =>
  answers(path, (answer, request) => {
    const of = new Headers({ ...Object.fromEntries(answer.headers), ...more })
    of.set(ORIGIN_FIELD, request.headers.get('origin') ?? '*')
    return new Response(answer.body, { status: answer.status, headers: of })
  })
const CREDENTIALS = { 'access-control-allow-credentials': 'true' }

export const headers: readonly Broken[] = [
  {
    name: 'no-store is missing in answers with tokens',
    fault: change(TOKEN, (of) => of.delete('cache-control')),
    violates: ['headers/tokens-not-stored'],
    whole: true,
  },
  {
    name: 'no-store is missing in answers to a refresh',
    fault: answers(TOKEN, async (answer, request) => {
      const form = await request.clone().text()
      const of = new Headers(answer.headers)
      if (form.includes('grant_type=refresh_token')) of.delete('cache-control')
      return new Response(answer.body, { status: answer.status, headers: of })
    }),
    violates: ['headers/tokens-not-stored'],
  },
  {
    name: 'Pragma is missing in answers with tokens',
    fault: change(TOKEN, (of) => of.delete('pragma')),
    violates: ['headers/tokens-not-stored-by-old-caches'],
  },
  {
    name: 'a rule of the web server lets caches keep errors',
    fault: change(TOKEN, (of, { status }) => status >= 400 && of.set('cache-control', 'public, max-age=300')),
    violates: ['headers/errors-not-stored'],
  },
  {
    name: 'a proxy may share what the API answers to one person',
    fault: change('/courses', (of) => of.set('cache-control', 'public, max-age=60')),
    violates: ['headers/personal-not-shared'],
  },
  {
    name: 'no page may read the OpenID configuration',
    fault: change(OPENID, (of) => of.delete(ORIGIN_FIELD)),
    violates: ['headers/metadata-readable'],
  },
  {
    name: 'no page may read the keys',
    fault: change(KEYS, (of) => of.delete(ORIGIN_FIELD)),
    violates: ['headers/keys-readable'],
  },
  {
    name: 'pages may read tokens, and no errors',
    fault: change(TOKEN, (of, { status }) => status >= 400 && of.delete(ORIGIN_FIELD)),
    violates: ['headers/token-readable'],
  },
  {
    name: 'pages may send no proof of their key',
    fault: preflights(TOKEN, (of) => of.set('access-control-allow-headers', 'Authorization, Content-Type')),
    violates: ['headers/dpop-preflight'],
  },
  {
    name: 'the registration endpoint answers to nothing but POST',
    fault: preflights(REGISTER, (of) => new Response('Not found', { status: 404, headers: of })),
    violates: ['headers/registration-preflight'],
  },
  {
    name: 'the asterisk should allow Authorization',
    fault: preflights(USERINFO, (of) => of.set('access-control-allow-headers', '*')),
    violates: ['headers/userinfo-preflight'],
  },
  {
    name: 'pages may send a token to UserInfo, and read no error',
    fault: change(USERINFO, (of, { status }) => status === 401 && of.delete(ORIGIN_FIELD)),
    violates: ['headers/userinfo-preflight'],
  },
  {
    name: 'the MCP endpoint asks preflight requests for a token',
    fault: preflights('/mcp', () => new Response(null, { status: 401 })),
    violates: ['headers/mcp-preflight'],
  },
  {
    name: 'pages may not read the challenge of the MCP endpoint',
    fault: change('/mcp', (of) => of.delete('access-control-expose-headers')),
    violates: ['headers/challenge-readable'],
  },
  {
    name: 'one rule of CORS is for the whole server',
    fault: change(AUTHORIZE, (of) => of.set(ORIGIN_FIELD, '*')),
    violates: ['headers/authorization-not-readable'],
  },
  {
    name: 'pages of any origin read UserInfo with cookies',
    fault: reflecting(USERINFO, CREDENTIALS),
    violates: ['headers/no-credentials'],
  },
  {
    name: 'pages of any origin read the authorization endpoint with cookies',
    fault: reflecting(AUTHORIZE, CREDENTIALS),
    violates: ['headers/authorization-not-readable', 'headers/no-credentials'],
  },
  {
    name: 'a cache gives the metadata to pages of one origin only',
    fault: reflecting(SERVER),
    violates: ['headers/vary-origin'],
  },
  {
    name: 'no authorization request works',
    fault: answers(AUTHORIZE, () => new Response('TypeError: undefined is not an object', { status: 500 })),
    violates: [],
    unknown: ['headers/authorization-not-readable', 'headers/personal-not-shared', 'headers/tokens-not-stored', 'headers/tokens-not-stored-by-old-caches'],
  },
  {
    name: 'an error has an age, which says nothing next to no-store',
    fault: change(TOKEN, (of, { status }) => status >= 400 && of.set('cache-control', 'no-store, max-age=300')),
    violates: [],
  },
  {
    name: 'an error expired long ago, as old frameworks write it',
    fault: change(TOKEN, (of, { status }) => {
      if (status < 400) return
      of.delete('cache-control')
      of.set('expires', 'Thu, 01 Jan 1970 00:00:00 GMT')
    }),
    violates: [],
  },
  { name: 'the keys are for the origin that asks', fault: reflecting(KEYS), violates: [] },
  {
    name: 'the metadata is for the origin that asks, and caches know',
    fault: reflecting(SERVER, { vary: 'Origin' }),
    violates: [],
  },
  {
    name: 'credentials are allowed to all, which no browser takes',
    fault: change(USERINFO, (of) => of.set('access-control-allow-credentials', 'true')),
    violates: [],
  },
] // prettier-ignore
