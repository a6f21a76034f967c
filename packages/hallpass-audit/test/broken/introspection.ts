import { CLIENT_SECRET, type Fault } from '../broken-server.js'
import { answers, both, type Broken, failing, headers, json, received, storeAt } from '../faults.js'

const INTROSPECT = '/api/oauth/introspect'

/** Changes what is said of valid tokens. */
const active = (change: (body: Record<string, unknown>) => Record<string, unknown>): Fault =>
  json(INTROSPECT, (body) => (body['active'] === true ? { ...body, ...change(body) } : body))

/** Changes what is said of all other tokens. */
const inactive = (body: unknown, status = 200): Fault =>
  answers(INTROSPECT, async (answer) => {
    const said = (await answer.clone().json()) as Record<string, unknown>
    return said['active'] === false ? Response.json(body, { status }) : answer
  })

/** Takes whoever sends no secret for the client that may ask. */
const lets = (isLet: (form: URLSearchParams) => boolean): Fault =>
  received(INTROSPECT, (form) => {
    if (form.has('client_secret') || !isLet(form)) return
    form.set('client_id', 'desk')
    form.set('client_secret', CLIENT_SECRET)
  })

/** Says more of tokens that it has issued than of those that never were. */
function telling(): Fault {
  const issued = new Set<unknown>()
  return both(
    json('/api/oauth/token', (body) => {
      issued.add(body['access_token'])
      return body
    }),
    answers(INTROSPECT, async (answer, request) => {
      const isIssued = issued.has(new URLSearchParams(await request.text()).get('token'))
      const said = (await answer.clone().json()) as Record<string, unknown>
      return isIssued && said['active'] === false
        ? Response.json({ active: false, revoked: true })
        : answer
    }),
  )
}

export const introspection: readonly Broken[] = [
  {
    name: 'introspection is open to all',
    fault: lets(() => true),
    violates: ['introspection/authorization-required', 'introspection/public-client'],
    whole: true,
  },
  {
    name: 'public clients introspect',
    fault: lets((form) => form.has('client_id')),
    violates: ['introspection/public-client'],
  },
  {
    name: 'a wrong secret is a bad request',
    fault: answers(INTROSPECT, (answer) =>
      answer.status === 401
        ? new Response(answer.body, { status: 400, headers: answer.headers })
        : answer,
    ),
    violates: ['introspection/wrong-secret'],
  },
  {
    name: 'introspection reads the query too',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        if (pathname !== INTROSPECT || request.method !== 'GET') return next(request)
        return next(
          new Request(new URL(INTROSPECT, request.url), { method: 'POST', body: searchParams }),
        )
      },
    },
    violates: ['introspection/secret-in-query'],
  },
  {
    name: 'an unknown token is an error',
    fault: inactive({ error: 'invalid_token' }, 400),
    violates: ['introspection/unknown-token', 'introspection/malformed-token'],
  },
  {
    name: 'a signed token is read, and its signature is not',
    fault: {
      wrap: (next) => async (request) => {
        const form = new URLSearchParams(await request.clone().text())
        const [, claims, signature] = (form.get('token') ?? '').split('.')
        if (new URL(request.url).pathname !== INTROSPECT || signature === undefined)
          return next(request)
        try {
          const read: unknown = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())
          return Response.json({ active: true, ...(read as object) })
        } catch {
          return next(request)
        }
      },
    },
    violates: ['introspection/malformed-token'],
  },
  {
    name: 'active is a text',
    fault: active(() => ({ active: 'true' })),
    violates: ['introspection/active'],
  },
  {
    name: 'introspection answers with text',
    fault: headers(INTROSPECT, (all) => all.set('content-type', 'text/html')),
    violates: ['introspection/media-type'],
  },
  {
    name: 'scope is a list',
    fault: active(({ scope }) => ({ scope: String(scope).split(' ') })),
    violates: ['introspection/members'],
  },
  {
    name: 'exp is a text',
    fault: active(({ exp }) => ({ exp: new Date(Number(exp) * 1000).toISOString() })),
    violates: ['introspection/expiry'],
  },
  {
    name: 'aud is an object',
    fault: active(({ aud }) => ({ aud: { url: aud } })),
    violates: ['introspection/members'],
  },
  {
    name: 'clients introspect without their secret',
    fault: lets((form) => form.get('client_id') === 'desk'),
    violates: ['introspection/public-client'],
  },
  {
    name: 'introspection says that a token was revoked',
    fault: telling(),
    violates: ['introspection/says-no-more'],
  },
  {
    name: 'exp has milliseconds',
    fault: active(({ exp, iat }) => ({ exp: Number(exp) * 1000, iat: Number(iat) * 1000 })),
    violates: ['introspection/expiry'],
  },
  {
    name: 'scope is what the client may request',
    fault: active(({ scope }) => ({ scope: `${String(scope)} courses:write` })),
    violates: ['introspection/scope'],
  },
  {
    name: 'client_id is the name of the client',
    fault: active(({ client_name: name }) => ({ client_id: name })),
    violates: ['introspection/client'],
  },
  {
    name: 'token_type is a hint',
    fault: active(({ token_type: type }) =>
      type === undefined ? {} : { token_type: 'access_token' },
    ),
    violates: ['introspection/token-type'],
  },
  {
    name: 'iss has a slash at its end',
    fault: active(({ iss }) => ({ iss: `${String(iss)}/` })),
    violates: ['introspection/issuer'],
  },
  {
    name: 'the hint decides where introspection looks',
    fault: storeAt(INTROSPECT, (store, form) => ({
      findAccessToken: async (hash) =>
        form().get('token_type_hint') === 'refresh_token' ? null : store.findAccessToken(hash),
    })),
    violates: ['introspection/wrong-hint'],
  },
  {
    name: 'introspection says why a token is not active',
    fault: inactive({ active: false, error_description: 'the token is unknown or revoked' }),
    violates: ['introspection/says-no-more'],
  },
  {
    name: 'any client with a secret asks about all tokens',
    fault: storeAt(INTROSPECT, (store, form) => ({
      findAccessToken: async (hash) => {
        const found = await store.findAccessToken(hash)
        const clientId = form().get('client_id') ?? ''
        const client = await store.findClient(clientId)
        return found && { ...found, client, grant: { ...found.grant, clientId } }
      },
    })),
    violates: ['introspection/other-client'],
  },
  {
    name: 'a caller who is refused is an exception',
    fault: failing(INTROSPECT),
    violates: ['introspection/wrong-secret'],
    unknown: [
      'introspection/authorization-required',
      'introspection/public-client',
      'introspection/secret-in-query',
    ],
  },
  {
    name: 'an unknown token is not found',
    fault: inactive({ active: false }, 404),
    violates: ['introspection/unknown-token', 'introspection/malformed-token'],
  },
  {
    name: 'nothing is said of an unknown token',
    fault: inactive({}),
    violates: ['introspection/unknown-token', 'introspection/malformed-token'],
  },
  {
    name: 'exp is the number of seconds',
    fault: active(({ exp, iat }) => ({ exp: Number(exp) - Number(iat) })),
    violates: ['introspection/expiry'],
  },
]
