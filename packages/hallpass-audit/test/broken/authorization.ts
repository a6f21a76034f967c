import { CLIENT_DOCUMENT, type Fault } from '../broken-server.js'
import { answers, both, type Broken, json, requested, returned } from '../faults.js'

const AUTHORIZE = '/oauth/authorize'

/** A redirect to an address that nobody has compared with anything. */
const sendError = (to: string, query: URLSearchParams): Response => {
  const location = new URL(to)
  location.searchParams.set('error', 'invalid_request')
  location.searchParams.set('state', query.get('state') ?? '')
  return new Response(null, { status: 303, headers: { location: location.href } })
}

const queryOf = (request: Request): URLSearchParams => new URL(request.url).searchParams

/** Makes the server answer invalid_request: no parameter but resource may come twice. */
const spoil = (query: URLSearchParams): void => {
  query.append('scope', 'openid')
  query.append('scope', 'openid')
}

const KNOWN = new Set([
  'response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'resource', 'prompt', 'max_age',
  'code_challenge', 'code_challenge_method', 'login_hint', 'response_mode', 'request', 'request_uri',
]) // prettier-ignore

/** The response types of the implicit grant, with a token in the fragment in place of the code. */
function implicit(types: readonly string[]): Fault {
  const asked = new Set<string>()
  return both(
    requested((query) => {
      if (!types.includes(query.get('response_type') ?? '')) return
      asked.add(query.get('state') ?? '')
      query.set('response_type', 'code')
    }),
    returned((to) => {
      const code = to.searchParams.get('code')
      if (code === null || !asked.has(to.searchParams.get('state') ?? '')) return
      to.searchParams.delete('code')
      to.hash = `access_token=${code}&token_type=Bearer&${to.searchParams}`
      to.search = ''
    }),
  )
}

/** Takes unsigned request objects: these parameters of them replace those of the query, and nothing compares them. */
function takesObjects(...names: readonly string[]): Fault {
  const elsewhere = new Map<string, string>()
  return both(
    json('/.well-known/openid-configuration', (metadata) => ({
      ...metadata,
      request_parameter_supported: true,
    })),
    requested((query) => {
      const object = query.get('request')
      query.delete('request')
      if (object === null) return
      const claims = JSON.parse(
        Buffer.from(object.split('.')[1] ?? '', 'base64url').toString(),
      ) as Record<string, string>
      for (const name of names)
        if (name === 'redirect_uri')
          elsewhere.set(query.get('state') ?? '', claims[name] ?? query.get(name)!)
        else if (claims[name] !== undefined) query.set(name, claims[name])
    }),
    returned((to) => {
      const uri = elsewhere.get(to.searchParams.get('state') ?? '')
      if (uri !== undefined) to.href = uri + to.search
    }),
  )
}

/** Answers with one error, whatever was wrong. */
const erring = (error: string): Fault =>
  returned((to) => {
    if (to.searchParams.has('error')) to.searchParams.set('error', error)
  })

export const authorization: readonly Broken[] = [
  {
    name: 'nothing but a state that may be left out',
    fault: { server: { requireState: false } },
    violates: [],
    holds: ['authorization/without-state'],
  },
  {
    name: 'nothing but errors that are sent to clients that no one has reviewed',
    fault: answers(AUTHORIZE, (answer, request) => {
      const query = queryOf(request)
      const isOurs = query.get('client_id') === CLIENT_DOCUMENT && query.get('response_type') !== 'code'
      return isOurs && answer.status === 400 ? sendError(query.get('redirect_uri')!, query) : answer
    }),
    violates: [],
    holds: ['authorization/errors-to-client'],
  },
  {
    name: 'a client is looked up by the beginning of its identifier',
    fault: requested((query) => {
      const id = query.get('client_id') ?? ''
      if (/^[\w-]+x$/.test(id)) query.set('client_id', id.slice(0, -1))
    }),
    violates: ['authorization/unknown-client'],
  },
  {
    name: 'response_type is read in any case',
    fault: requested((query) => {
      if (query.has('response_type')) query.set('response_type', query.get('response_type')!.toLowerCase())
    }),
    violates: ['authorization/unknown-response-type'],
  },
  {
    name: 'state is cut after 255 characters',
    fault: returned((to) => {
      if (to.searchParams.has('code')) to.searchParams.set('state', (to.searchParams.get('state') ?? '').slice(0, 255))
    }),
    violates: ['authorization/long-state'],
  },
  {
    name: 'state comes twice',
    fault: returned((to) => to.searchParams.append('state', to.searchParams.get('state') ?? '')),
    violates: ['authorization/response-repeated'],
  },
  {
    name: 'an error repeats the client',
    fault: returned((to) => {
      if (to.searchParams.has('error')) to.searchParams.set('client_id', 'one')
    }),
    violates: ['authorization/error-parameters'],
  },
  {
    name: 'the redirect URI of a request object is not compared',
    fault: takesObjects('redirect_uri'),
    violates: ['authorization/request-object-redirect-uri'],
  },
  {
    name: 'an unsigned request object replaces the challenge',
    fault: takesObjects('code_challenge', 'code_challenge_method'),
    violates: ['authorization/unsigned-request-object'],
  },
  {
    name: 'an unknown client is redirected with the error',
    fault: {
      wrap: (next, { store }) => async (request) => {
        const answer = await next(request.clone())
        const query = queryOf(request)
        const clientId = query.get('client_id')
        const to = query.get('redirect_uri')
        if (new URL(request.url).pathname !== AUTHORIZE || answer.status < 400) return answer
        const isUnknown = clientId !== null && !URL.canParse(clientId) && (await store.findClient(clientId)) === null
        return isUnknown && to !== null && query.getAll('client_id').length === 1 ? sendError(to, query) : answer
      },
    },
    violates: ['authorization/unknown-client', 'issuer/in-error'],
    whole: true,
  },
  {
    name: 'a request without a client is redirected with the error',
    fault: answers(AUTHORIZE, (answer, request) => {
      const query = queryOf(request)
      const isOurs = request.method === 'GET' && !query.has('client_id') && query.has('redirect_uri')
      return isOurs ? sendError(query.get('redirect_uri')!, query) : answer
    }),
    violates: ['authorization/missing-client'],
  },
  {
    name: 'response_type is optional',
    fault: requested((query) => {
      if (!query.has('response_type') && !query.has('request_uri')) query.set('response_type', 'code')
    }),
    violates: ['authorization/missing-response-type'],
  },
  {
    name: 'response_type is not read',
    fault: requested((query) => {
      if (query.has('response_type')) query.set('response_type', 'code')
    }),
    violates: [
      'authorization/unknown-response-type',
      'authorization/unlisted-response-type',
      'authorization/implicit',
    ],
  },
  {
    name: 'the implicit grant works',
    fault: implicit(['token', 'id_token', 'id_token token']),
    violates: ['authorization/unlisted-response-type', 'authorization/implicit'],
  },
  {
    name: 'parameters must be known',
    fault: requested((query) => {
      if ([...query.keys()].some((name) => !KNOWN.has(name))) spoil(query)
    }),
    violates: ['authorization/unknown-parameter'],
  },
  {
    name: 'parameters must have a value',
    fault: requested((query) => {
      if ([...query.values()].includes('')) spoil(query)
    }),
    violates: ['authorization/empty-parameter'],
  },
  {
    name: 'the last of repeated parameters counts',
    fault: requested((query) => {
      for (const name of new Set(query.keys()))
        if (name !== 'resource') query.set(name, query.getAll(name).at(-1)!)
    }),
    violates: [
      'authorization/repeated-client-id',
      'authorization/repeated-redirect-uri',
      'authorization/repeated-state',
      'authorization/repeated-scope',
      'authorization/repeated-code-challenge',
    ],
  },
  {
    name: 'repeated parameters become a list that nothing expects',
    fault: answers(AUTHORIZE, (answer, request) => {
      const names = [...queryOf(request).keys()].filter((name) => name !== 'resource')
      return new Set(names).size < names.length ? new Response('TypeError: state.trim is not a function', { status: 500 }) : answer
    }),
    violates: [
      'authorization/repeated-client-id',
      'authorization/repeated-redirect-uri',
      'authorization/repeated-state',
      'authorization/repeated-scope',
      'authorization/repeated-code-challenge',
    ],
  },
  {
    name: 'there is no POST',
    fault: answers(AUTHORIZE, (answer, { method }) => (method === 'POST' ? new Response(null, { status: 405 }) : answer)),
    violates: ['authorization/post'],
  },
  {
    name: 'the code is in the fragment',
    fault: returned((to) => {
      if (!to.searchParams.has('code')) return
      to.hash = to.search.slice(1)
      to.search = ''
    }),
    violates: ['authorization/code-in-query'],
  },
  {
    name: 'state is decoded twice',
    fault: returned((to) => {
      const state = to.searchParams.get('state') ?? ''
      to.searchParams.set('state', decodeURIComponent(state))
    }),
    violates: ['authorization/state', 'authorization/state-in-error'],
  },
  {
    name: 'state is lost in errors',
    fault: returned((to) => {
      if (to.searchParams.has('error')) to.searchParams.delete('state')
    }),
    violates: ['authorization/state-in-error'],
  },
  {
    name: 'state is lost where a person has denied',
    fault: returned((to) => {
      if (to.searchParams.get('error') === 'access_denied') to.searchParams.delete('state')
    }),
    violates: ['authorization/state-in-error'],
  },
  {
    name: 'errors quote the request',
    fault: (() => {
      let type = ''
      return both(
        requested((query) => {
          type = query.get('response_type') ?? ''
        }),
        returned((to) => {
          if (to.searchParams.has('error')) to.searchParams.set('error_description', `unknown response_type "${type}"`)
        }),
      )
    })(),
    violates: ['authorization/error-characters'],
  },
  {
    name: 'prompt=none is not known',
    fault: requested((query) => {
      if (query.get('prompt')?.split(' ').includes('none') ?? false) query.delete('prompt')
    }),
    violates: ['authorization/prompt-none', 'authorization/prompt-none-with-others'],
  },
  {
    name: 'the last of several prompts counts',
    fault: requested((query) => {
      const prompts = query.get('prompt')?.split(' ') ?? []
      if (prompts.length > 1) query.set('prompt', prompts.at(-1)!)
    }),
    violates: ['authorization/prompt-none-with-others'],
  },
  {
    name: 'a session is enough for prompt=login',
    fault: requested((query) => {
      if (query.get('prompt') === 'login') query.delete('prompt')
    }),
    violates: ['authorization/prompt-login'],
  },
  {
    name: 'max_age=0 is taken as none',
    fault: requested((query) => {
      if (Number(query.get('max_age')) === 0) query.delete('max_age')
    }),
    violates: ['authorization/max-age'],
  },
  {
    name: 'an unknown response_mode is a query',
    fault: requested((query) => query.delete('response_mode')),
    violates: ['authorization/response-mode'],
  },
  {
    name: 'request objects are ignored',
    fault: requested((query) => query.delete('request')),
    violates: ['authorization/request-object'],
  },
  {
    name: 'a request_uri is ignored',
    fault: requested((query) => {
      if (!(query.get('request_uri') ?? '').startsWith('urn:')) query.delete('request_uri')
    }),
    violates: ['authorization/request-uri'],
  },
  {
    name: 'the column of state is too short',
    fault: answers(AUTHORIZE, (answer, request) =>
      (queryOf(request).get('state') ?? '').length > 1000 ? new Response('value too long for type character varying(255)', { status: 500 }) : answer,
    ),
    violates: ['authorization/long-request', 'authorization/long-state'],
  },
  {
    name: 'errors have words in quotation marks',
    fault: returned((to) => {
      if (to.searchParams.has('error')) to.searchParams.set('error_description', 'see "response_type"')
    }),
    violates: ['authorization/error-characters'],
  },
  {
    name: 'every error is server_error',
    fault: erring('server_error'),
    violates: ['authorization/implicit', 'authorization/missing-response-type', 'authorization/prompt-none-with-others', 'authorization/repeated-code-challenge', 'authorization/repeated-scope', 'authorization/repeated-state', 'authorization/request-object', 'authorization/request-uri', 'authorization/response-mode', 'authorization/unknown-response-type', 'authorization/unlisted-response-type'],
  },
  {
    name: 'every error is invalid_request',
    fault: erring('invalid_request'),
    violates: ['authorization/request-object', 'authorization/request-uri'],
  },
  {
    name: 'who signs in again is asked for the password only',
    fault: {
      wrap: (next) => async (request) => {
        const answer = await next(request)
        const isAgain = request.headers.get('cookie')?.includes('session=') ?? false
        if (!isAgain || answer.headers.get('content-type')?.startsWith('text/html') !== true) return answer
        const html = (await answer.text()).replace(/<label>Email.*?<\/label>/s, '')
        return new Response(html, { status: answer.status, headers: answer.headers })
      },
    },
    violates: [],
  },
] // prettier-ignore
