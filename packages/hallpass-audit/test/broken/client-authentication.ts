import { hashToken } from 'hallpass/token'
import { CLIENT_SECRET, type Fault } from '../broken-server.js'
import { answers, both, type Broken, headers, json, received } from '../faults.js'

const TOKEN = '/api/oauth/token'
const REVOKE = '/api/oauth/revoke'
const INTROSPECT = '/api/oauth/introspect'

/** Takes what the client sent for its secret, if it is such as this; `null` is none. */
const takes = (
  path: string,
  isTaken: (secret: string | null, form: URLSearchParams) => boolean,
): Fault =>
  received(path, (form, { headers: sent }) => {
    const isOfDesk = form.get('client_id') === 'desk' && !sent.has('authorization')
    if (isOfDesk && isTaken(form.get('client_secret'), form))
      form.set('client_secret', CLIENT_SECRET)
  })

/** The pair of HTTP Basic as it was sent, without decoding. */
const pairOf = (authorization: string): readonly [id: string, secret: string] => {
  const pair = Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
  const colon = pair.indexOf(':')
  return [pair.slice(0, colon), pair.slice(colon + 1)]
}

/** Changes the header of HTTP Basic, or leaves it out, before the server reads it. */
const authorized = (change: (header: string, form: URLSearchParams) => string | null): Fault => ({
  wrap: (next) => async (request) => {
    const header = request.headers.get('authorization')
    if (!header?.startsWith('Basic ')) return next(request)
    const body = await request.text()
    const sent = new Headers(request.headers)
    const changed = change(header, new URLSearchParams(body))
    if (changed === null) sent.delete('authorization')
    else sent.set('authorization', changed)
    return next(new Request(request.url, { method: 'POST', headers: sent, body }))
  },
})

/** Gives every 401 a challenge. */
const challenging: Required<Pick<Fault, 'wrap'>> = {
  wrap: (next) => async (request) => {
    const answer = await next(request)
    const headers = new Headers(answer.headers)
    if (answer.status === 401 && !headers.has('www-authenticate'))
      headers.set('www-authenticate', 'Basic')
    return new Response(answer.body, { status: answer.status, headers })
  },
}

export const clientAuthentication: readonly Broken[] = [
  {
    name: 'the secret is not checked',
    fault: both(takes(TOKEN, () => true), takes(REVOKE, () => true), takes(INTROSPECT, () => true)),
    violates: [
      'client-authentication/wrong-secret',
      'client-authentication/missing-secret',
      'client-authentication/empty-secret',
      'client-authentication/other-case',
      'client-authentication/secret-of-another-client',
      'client-authentication/secret-in-query',
      'client-authentication/at-refresh', 'revocation/client-authentication', 'introspection/public-client', 'introspection/wrong-secret'],
    whole: true,
  },
  {
    name: 'a wrong secret is answered by access_denied',
    fault: answers(TOKEN, async (answer) =>
      answer.status === 401 ? Response.json({ error: 'access_denied' }, { status: 403 }) : answer,
    ),
    violates: [
      'client-authentication/wrong-secret',
      'client-authentication/secret-of-another-client',
      'client-authentication/unknown-client',
      'client-authentication/basic-challenge',
    ],
  },
  {
    name: 'the secret is compared if there is one',
    fault: takes(TOKEN, (secret) => secret === null),
    violates: [
      'client-authentication/missing-secret',
      'client-authentication/secret-in-query',
      'client-authentication/at-refresh',
    ],
  },
  {
    name: 'the secret is compared unless it is empty',
    fault: takes(TOKEN, (secret) => secret === ''),
    violates: ['client-authentication/empty-secret'],
  },
  {
    name: 'secrets are in a column that ignores case',
    fault: takes(TOKEN, (secret) => secret?.toLowerCase() === CLIENT_SECRET.toLowerCase()),
    violates: ['client-authentication/other-case'],
  },
  {
    name: 'a secret is looked up without its client',
    fault: {
      wrap: (next, { store }) => {
        const issued = new Map<string, string>()
        const kept = answers('/api/oauth/register', async (answer) => {
          const client = (await answer.clone().json()) as Record<string, string>
          if (client['client_secret']) issued.set(hashToken(client['client_secret']), client['client_id']!)
          return answer
        }).wrap(next, { store, sessionOf: () => null })
        return takes(TOKEN, (secret) => issued.has(hashToken(secret ?? ''))).wrap!(kept, { store, sessionOf: () => null })
      },
    },
    violates: ['client-authentication/secret-of-another-client'],
  },
  {
    name: 'an unknown client is an exception',
    fault: answers(TOKEN, async (answer, request) =>
      /client_id=hallpass-audit-/.test(await request.text()) ? new Response('Internal Server Error', { status: 500 }) : answer,
    ),
    violates: ['client-authentication/unknown-client'],
  },
  {
    name: 'parameters are read from the query as well',
    fault: received(TOKEN, (form, { url }) => {
      for (const [name, value] of new URL(url).searchParams) form.set(name, value)
    }),
    violates: ['client-authentication/secret-in-query'],
  },
  {
    name: 'the header wins over the body',
    fault: authorized((header, form) => (form.has('client_secret') ? null : header)),
    violates: ['client-authentication/two-methods'],
  },
  {
    name: 'HTTP Basic is not decoded',
    fault: authorized((header) => {
      const [id, secret] = pairOf(header).map(encodeURIComponent)
      return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    }),
    violates: ['client-authentication/basic'],
  },
  {
    name: 'a wrong header has no challenge',
    fault: headers(TOKEN, (all) => all.delete('www-authenticate')),
    violates: ['client-authentication/basic-challenge'],
  },
  {
    name: 'nothing, and every 401 has a challenge',
    fault: challenging,
    violates: [],
    holds: ['client-authentication/challenge'],
  },
  {
    name: 'every 401 but that of introspection has a challenge',
    fault: both(challenging, headers(INTROSPECT, (all) => all.delete('www-authenticate'))),
    violates: ['client-authentication/challenge'],
  },
  {
    name: 'a secret comes in the body only',
    fault: json('/.well-known/oauth-authorization-server', (metadata) => ({
      ...metadata,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'private_key_jwt'],
    })),
    violates: ['client-authentication/basic-named'],
  },
  {
    name: 'a wrong header is answered by 400',
    fault: answers(TOKEN, (answer) => answer.status === 401 ? new Response(answer.body, { status: 400, headers: answer.headers }) : answer),
    violates: ['client-authentication/basic-challenge'],
  },
  {
    name: 'a refresh needs no secret',
    fault: takes(TOKEN, (_secret, form) => form.get('grant_type') === 'refresh_token'),
    violates: ['client-authentication/at-refresh'],
  },
  {
    name: 'no refresh works',
    fault: received(TOKEN, (form) => {
      if (form.get('grant_type') === 'refresh_token') form.set('refresh_token', 'unknown')
    }),
    violates: [],
    unknown: ['client-authentication/at-refresh'],
  },
] // prettier-ignore
