import { auditServer, CHECKS } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { createBrokenServer, type Fault } from './broken-server.js'
import { answers, both, json, received, replaced } from './faults.js'

const TOKEN = '/api/oauth/token'
const REFUSED = { error: 'invalid_request' }
const refuse = () => Response.json(REFUSED, { status: 400 })
const fail = () => new Response('Internal Server Error', { status: 500 })

const people = (subject: string): readonly string[] =>
  CHECKS.filter(({ id, depth }) => id.startsWith(`${subject}/`) && depth === 'people').map(
    ({ id }) => id,
  )

/** Servers that refuse a right request too, so that their refusal of a wrong one says nothing. */
const SERVERS: readonly { name: string; fault: Fault; only: readonly string[] }[] = [
  {
    name: 'no tokens are issued',
    fault: replaced(TOKEN, refuse),
    only: ['pkce', 'private-key-jwt', 'refresh', 'resource', 'scope', 'userinfo'].flatMap(people),
  },
  {
    name: 'the token endpoint fails',
    fault: replaced(TOKEN, fail),
    only: [...['pkce', 'refresh', 'resource', 'scope'].flatMap(people), 'token/post-only', 'token/form-only', 'token/no-password', 'refresh/unknown'],
  },
  {
    name: 'no refresh works',
    fault: received(TOKEN, (form) => {
      if (form.get('grant_type') === 'refresh_token') form.delete('refresh_token')
    }),
    only: ['refresh/access-token', 'refresh/of-another-client', 'refresh/wider-scope', 'refresh/stale', 'refresh/stale-ends-family', 'revocation/refresh-token', 'revocation/wrong-hint', 'revocation/other-client', 'revocation/get', 'resource/refresh-for-other'],
  },
  {
    name: 'no request is authorized',
    fault: replaced('/oauth/authorize', refuse),
    only: [...['pkce', 'resource', 'scope', 'metadata-document'].flatMap(people), 'metadata-document/special-addresses', 'pushed-requests/query-ignored', 'pushed-requests/used-once'],
  },
  {
    name: 'a wrong request ends at a page that says nothing',
    fault: {
      wrap: (next) => (request) =>
        /authorize\?(?!.*code_challenge_method=S256)/.test(request.url) ? new Response('<h1>Welcome</h1>') : next(request),
    },
    only: ['plain', 'method-omitted', 'unknown-method', 'challenge-required', 'verifier-without-challenge'].map((name) => `pkce/${name}`),
  },
  {
    name: 'no request can be pushed',
    fault: answers('/api/oauth/par', refuse),
    only: ['errors', 'redirect-uri', 'nested', 'post-only', 'query-ignored'].map((name) => `pushed-requests/${name}`),
  },
  {
    name: 'no revocation is answered',
    fault: answers('/api/oauth/revoke', fail),
    only: ['unknown-hint', 'other-client', 'get'].map((name) => `revocation/${name}`),
  },
  {
    name: 'nothing is revoked, and access tokens are all there is',
    fault: both(
      json(TOKEN, ({ refresh_token: _token, ...body }) => body),
      replaced('/api/oauth/revoke', () => Response.json({})),
    ),
    only: ['other-client', 'get'].map((name) => `revocation/${name}`),
  },
  {
    name: 'no client is registered but the first',
    fault: (() => {
      let count = 0
      return answers('/api/oauth/register', (answer) => (count++ === 0 ? answer : fail()))
    })(),
    only: ['reflected', 'uris-registered', 'not-counted', 'client-id-assigned', 'redirect-uris-required', 'fragment', 'inconsistent-types'].map((name) => `registration/${name}`),
  },
  {
    name: 'UserInfo refuses every token',
    fault: answers('/api/oauth/userinfo', () => new Response(null, { status: 401 })),
    only: ['userinfo/without-openid', 'userinfo/claims-of-scopes'],
  },
  {
    name: 'no document is there for a query',
    fault: {
      wrap: (next) => (request) =>
        /well-known.*\?/.test(request.url) ? new Response(null, { status: 404 }) : next(request),
    },
    only: ['metadata/forwarded-host', 'resource-metadata/forwarded-host'],
  },
] // prettier-ignore

describe('a server that refuses or fails what is right', () => {
  it.each(SERVERS)('holds nothing of it: $name', async ({ fault, only }) => {
    const { handler, options } = await createBrokenServer(fault)
    const { rows } = await auditServer(handler, { ...options, only })
    const held = rows.filter(({ verdict }) => verdict === 'held')
    expect(held.map(({ check, found }) => `${check}: ${found}`)).toEqual([])
  })
})
