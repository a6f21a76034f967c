import type { Handler } from 'hallpass-audit'
import type { Fault } from '../broken-server.js'
import { answers, both, type Broken, headers, json, received, requested } from '../faults.js'

const TOKEN = '/api/oauth/token'
const KNOWN = new Set(['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'code_verifier', 'refresh_token', 'resource', 'scope']) // prettier-ignore

/** Answers some token requests by itself. */
const before = (
  answer: (request: Request, body: string) => Request | Response | null | Promise<Response>,
): Fault => ({
  wrap:
    (next): Handler =>
    async (request) => {
      if (new URL(request.url).pathname !== TOKEN) return next(request)
      const own = await answer(request, await request.clone().text())
      return own instanceof Response ? own : next(own ?? request)
    },
})

const posted = (request: Request, body: string): Request =>
  new Request(request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

const failed = (): Response => new Response('Internal Server Error', { status: 500 })

/** A JWT that nobody has signed. */
const unsigned = (id: number): string =>
  [
    { alg: 'none', typ: 'JWT' },
    { sub: 'per_ines', jti: `${id}`.padStart(64, '0') },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('')
    .join('.')

/** Names the access tokens by their number. */
function numbered(name: (number: number) => string): Fault {
  let count = 0
  return json(TOKEN, (body) => ({ ...body, access_token: name(++count) }))
}

export const token: readonly Broken[] = [
  {
    name: 'a GET is as good as a POST',
    fault: before((request) =>
      request.method === 'GET' ? posted(request, new URL(request.url).search.slice(1)) : null,
    ),
    violates: ['token/post-only'],
  },
  {
    name: 'a body may be JSON',
    fault: before((request, body) =>
      request.headers.get('content-type') === 'application/json'
        ? posted(
            request,
            new URLSearchParams(JSON.parse(body) as Record<string, string>).toString(),
          )
        : null,
    ),
    violates: ['token/form-only'],
  },
  {
    name: 'no grant type means a code',
    fault: received(TOKEN, (form) => {
      if (!form.has('grant_type')) form.set('grant_type', 'authorization_code')
    }),
    violates: ['token/grant-type-required'],
  },
  {
    name: 'an unknown grant type is no grant type',
    fault: received(TOKEN, (form) => {
      if (form.get('grant_type')?.startsWith('urn:hallpass:') === true) form.delete('grant_type')
    }),
    violates: ['token/unsupported-grant-type'],
  },
  {
    name: 'the last of several values counts',
    fault: received(TOKEN, (form) => {
      for (const name of new Set(form.keys())) form.set(name, form.getAll(name).at(-1)!)
    }),
    violates: ['token/repeated-parameter'],
  },
  {
    name: 'an empty code is a code',
    fault: received(TOKEN, (form) => {
      if (form.get('code') === '') form.set('code', 'empty')
    }),
    violates: ['token/empty-parameter'],
  },
  {
    name: 'unknown parameters are refused',
    fault: before((_, body) =>
      [...new URLSearchParams(body).keys()].every((name) => KNOWN.has(name))
        ? null
        : Response.json({ error: 'invalid_request' }, { status: 400 }),
    ),
    violates: ['token/unknown-parameter'],
  },
  {
    name: 'errors are texts',
    fault: answers(TOKEN, (answer) =>
      answer.status === 200 ? answer : new Response('Bad Request', { status: answer.status }),
    ),
    violates: [
      'token/grant-type-required',
      'token/unsupported-grant-type',
      'token/repeated-parameter',
      'token/error-format',
    ],
  },
  {
    name: 'errors are described in Portuguese',
    fault: json(TOKEN, (body) => ({ ...body, error_description: 'o código não é válido' }), 400),
    violates: ['token/error-format'],
  },
  {
    name: 'an invalid code is not authorized',
    fault: answers(TOKEN, async (answer) => {
      const text = await answer.text()
      const status = text.includes('invalid_grant') ? 401 : answer.status
      return new Response(text, { status, headers: answer.headers })
    }),
    violates: ['token/error-status'],
  },
  {
    name: 'a form that cannot be decoded is an exception',
    fault: before((_, body) => {
      try {
        decodeURIComponent(body)
        return null
      } catch {
        return failed()
      }
    }),
    violates: ['token/malformed-form'],
  },
  {
    name: 'a large form is an exception',
    fault: before((_, body) => (body.length > 102_400 ? failed() : null)),
    violates: ['token/large-form'],
  },
  {
    name: 'passwords are a grant that nobody published',
    fault: before((_, body) =>
      new URLSearchParams(body).get('grant_type') === 'password'
        ? Response.json({ error: 'invalid_grant' }, { status: 400 })
        : null,
    ),
    violates: ['token/no-password'],
  },
  {
    name: 'passwords are a grant',
    fault: before((_, body) =>
      new URLSearchParams(body).get('grant_type') === 'password'
        ? Response.json({ access_token: 'of-anyone', token_type: 'Bearer' })
        : null,
    ),
    violates: ['token/no-password'],
  },
  {
    name: 'tokens are a page',
    fault: headers(TOKEN, (all, { status }) => {
      if (status === 200) all.set('content-type', 'text/html; charset=utf-8')
    }),
    violates: ['token/media-type'],
  },
  {
    name: 'tokens have no type',
    fault: json(TOKEN, (body) => ({ ...body, token_type: undefined })),
    violates: ['token/token-type'],
  },
  {
    name: 'expires_in is a text',
    fault: json(TOKEN, (body) => ({ ...body, expires_in: String(body['expires_in']) })),
    violates: ['token/expires-in'],
  },
  {
    name: 'the scope is a list of JSON',
    fault: json(TOKEN, (body) => ({ ...body, scope: String(body['scope']).split(' ') })),
    violates: ['token/scope-told'],
  },
  {
    name: 'fewer scopes are granted, and nobody says so',
    fault: both(
      requested((query) => {
        query.set('scope', query.get('scope')?.replace(' courses:read', '') ?? '')
      }),
      json(TOKEN, (body) => ({ ...body, scope: undefined })),
    ),
    violates: ['token/scope-told'],
  },
  {
    name: 'nothing but answers without the scope that was requested',
    fault: json(TOKEN, (body) => ({ ...body, scope: undefined })),
    violates: [],
  },
  {
    name: 'more scopes are granted, and nobody says so',
    fault: both(
      requested((query) => query.set('scope', `${query.get('scope')} events:read`)),
      json(TOKEN, (body) => ({ ...body, scope: undefined })),
    ),
    violates: ['token/scope-told'],
  },
  {
    name: 'access tokens are counted',
    fault: numbered((number) => `token-of-the-example-school-number-${10_000 + number}`),
    violates: ['token/unguessable'],
  },
  {
    name: 'access tokens are not signed',
    fault: numbered(unsigned),
    violates: ['token/unguessable'],
  },
]
