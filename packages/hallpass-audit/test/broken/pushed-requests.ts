import { sha256Base64url } from '../../../../src/encoding/hash.js'
import type { Fault } from '../broken-server.js'
import { CLIENT_SECRET } from '../broken-server.js'
import { answers, both, type Broken, received, requested, returned } from '../faults.js'

const PUSH = '/api/oauth/par'
const REGISTERED = 'http://127.0.0.1:47317/callback'

/** A field that comes once; empty if it does not. */
const single = (form: URLSearchParams, name: string): string => {
  const [value = '', ...others] = form.getAll(name)
  return others.length === 0 ? value : ''
}

/** A request_uri of a few digits, of which the server knows the long one. */
function counted(): Fault {
  const uris: string[] = []
  return both(
    answers(PUSH, async (answer) => {
      if (answer.status !== 201) return answer
      const body = (await answer.json()) as { readonly request_uri: string }
      uris.push(body.request_uri)
      const uri = `urn:ietf:params:oauth:request_uri:audit-${1000 + uris.length}`
      return Response.json({ ...body, request_uri: uri }, { status: 201 })
    }),
    requested((query) => {
      const index = Number(/:audit-(\d+)$/.exec(query.get('request_uri') ?? '')?.[1]) - 1001
      if (index >= 0) query.set('request_uri', uris[index] ?? '')
    }),
  )
}

/** Keeps what was pushed after it was used. */
function kept(): Fault {
  const pushed = new Map<string, object>()
  return {
    store: (store) => ({
      savePending: async (pending) => {
        if (pending.browserHash === 'pushed') pushed.set(pending.idHash, pending)
        return store.savePending(pending)
      },
      findPending: async (idHash) => (pushed.get(idHash) as never) ?? store.findPending(idHash),
      endPending: async (idHash, events, begun) => {
        const ended = await store.endPending(idHash, events, begun)
        if (ended === 'ended' || !pushed.has(idHash)) return ended
        if (begun) await store.savePending(begun)
        return 'ended'
      },
    }),
  }
}

/** The state of the query replaces that which was pushed. */
function merged(): Fault {
  let state: string | null = null
  return both(
    requested((query) => {
      state = query.has('request_uri') ? query.get('state') : null
    }),
    returned((to) => {
      if (state !== null) to.searchParams.set('state', state)
    }),
  )
}

/** The code goes where the query says. */
function redirected(): Fault {
  let uri: string | null = null
  return both(
    requested((query) => {
      uri = query.has('request_uri') ? query.get('redirect_uri') : null
    }),
    returned((to) => {
      if (uri !== null) to.href = uri + to.search
    }),
  )
}

/** The request is continued for whoever presents it. */
function unbound(): Fault {
  let clientId = ''
  return both(
    received(PUSH, (form) => {
      clientId = form.get('client_id') ?? ''
    }),
    requested((query) => {
      if (query.has('request_uri')) query.set('client_id', clientId)
    }),
  )
}

/** The code of a pushed request is redeemed with any verifier. */
function unverified(): Fault {
  const VERIFIER = 'v'.repeat(43)
  const challenges = new Set<string>()
  return both(
    received(PUSH, (form) => {
      if (single(form, 'code_challenge') === '') return
      challenges.add(form.get('state') ?? '')
      form.set('code_challenge', sha256Base64url(VERIFIER))
    }),
    returned((to) => {
      const code = to.searchParams.get('code')
      if (code !== null && challenges.has(to.searchParams.get('state') ?? '')) challenges.add(code)
    }),
    received('/api/oauth/token', (form) => {
      const hasVerifier = (form.get('code_verifier') ?? '') !== ''
      if (hasVerifier && challenges.has(form.get('code') ?? '')) form.set('code_verifier', VERIFIER)
    }),
  )
}

/** The query counts, and what was pushed where it says nothing. */
function completed(): Fault {
  const pushes = new Map<string, URLSearchParams>()
  let latest = new URLSearchParams()
  return both(
    received(PUSH, (form) => {
      latest = form
    }),
    answers(PUSH, async (answer) => {
      if (answer.status === 201)
        pushes.set(((await answer.clone().json()) as { request_uri: string }).request_uri, latest)
      return answer
    }),
    requested((query) => {
      const form = pushes.get(query.get('request_uri') ?? '')
      if (form === undefined || query.size <= 2) return
      query.delete('request_uri')
      for (const [name, value] of form) if (!query.has(name)) query.set(name, value)
    }),
  )
}

export const pushedRequests: readonly Broken[] = [
  {
    name: 'nothing but a request_uri without further parameters',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        const isMore = searchParams.has('request_uri') && searchParams.has('redirect_uri')
        return pathname === '/oauth/authorize' && isMore ? new Response('Not allowed next to request_uri', { status: 400 }) : next(request)
      },
    },
    violates: [],
  },
  {
    name: 'a pushed request is answered by 200',
    fault: answers(PUSH, (answer) => (answer.status === 201 ? new Response(answer.body, { status: 200, headers: answer.headers }) : answer)),
    violates: ['pushed-requests/created'],
  },
  {
    name: 'expires_in is a text',
    fault: answers(PUSH, async (answer) => {
      if (answer.status !== 201) return answer
      const body = (await answer.json()) as object
      return Response.json({ ...body, expires_in: '60' }, { status: 201 })
    }),
    violates: ['pushed-requests/created'],
  },
  {
    name: 'GET pushes too',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        if (pathname !== PUSH || request.method !== 'GET') return next(request)
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        return next(new Request(request.url.split('?')[0]!, { method: 'POST', headers, body: searchParams.toString() }))
      },
    },
    violates: ['pushed-requests/post-only'],
  },
  {
    name: 'errors are pages',
    fault: answers(PUSH, (answer) => (answer.status === 400 ? new Response('<h1>Bad Request</h1>', { status: 400, headers: { 'content-type': 'text/html' } }) : answer)),
    violates: ['pushed-requests/error-format'],
  },
  {
    name: 'a request is validated when a browser comes',
    fault: answers(PUSH, (answer) =>
      answer.status === 400 ? Response.json({ request_uri: 'urn:ietf:params:oauth:request_uri:later', expires_in: 60 }, { status: 201 }) : answer,
    ),
    violates: ['pushed-requests/errors', 'pushed-requests/redirect-uri', 'pushed-requests/nested'],
  },
  {
    name: 'what begins as a redirect URI can be pushed',
    fault: received(PUSH, (form) => {
      if (single(form, 'redirect_uri').startsWith(REGISTERED)) form.set('redirect_uri', REGISTERED)
    }),
    violates: ['pushed-requests/redirect-uri', 'pushed-requests/redirect-uri-spelling'],
  },
  {
    name: 'a pushed request needs no challenge',
    fault: received(PUSH, (form) => {
      if (form.has('code_challenge')) return
      form.set('code_challenge', 'c'.repeat(43))
      form.set('code_challenge_method', 'S256')
    }),
    violates: ['pushed-requests/same-rules'],
  },
  {
    name: 'a method is not read of a pushed request',
    fault: received(PUSH, (form) => form.set('code_challenge_method', 'S256')),
    violates: ['pushed-requests/same-rules'],
  },
  {
    name: 'any redirect URI can be pushed',
    fault: received(PUSH, (form) => form.set('redirect_uri', REGISTERED)),
    violates: ['pushed-requests/redirect-uri', 'pushed-requests/redirect-uri-spelling', 'pushed-requests/repeated'],
  },
  {
    name: 'a request_uri in a pushed request is ignored',
    fault: received(PUSH, (form) => form.delete('request_uri')),
    violates: ['pushed-requests/nested'],
  },
  {
    name: 'anyone pushes in the name of a client',
    fault: received(PUSH, (form) => {
      if (form.get('client_id') === 'desk') form.set('client_secret', CLIENT_SECRET)
    }),
    violates: ['pushed-requests/client-authentication'],
  },
  {
    name: 'the query has to repeat what was pushed',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        const isShort = searchParams.has('request_uri') && !searchParams.has('response_type')
        return pathname === '/oauth/authorize' && isShort ? new Response('response_type is required', { status: 400 }) : next(request)
      },
    },
    violates: ['pushed-requests/presented'],
  },
  {
    name: 'the query replaces what was pushed',
    fault: merged(),
    violates: ['pushed-requests/query-ignored'],
  },
  {
    name: 'what was pushed completes the query',
    fault: completed(),
    violates: ['pushed-requests/query-ignored'],
  },
  {
    name: 'iss ends with a slash where the request was pushed',
    fault: (() => {
      const states = new Set<string | null>()
      return both(
        received(PUSH, (form) => void states.add(form.get('state'))),
        returned((to) => {
          if (states.has(to.searchParams.get('state'))) to.searchParams.set('iss', `${to.searchParams.get('iss')}/`)
        }),
      )
    })(),
    violates: ['issuer/of-metadata'],
  },
  {
    name: 'a pushed redirect URI is compared without case',
    fault: received(PUSH, (form) => {
      if (single(form, 'redirect_uri').toLowerCase() === REGISTERED) form.set('redirect_uri', REGISTERED)
    }),
    violates: ['pushed-requests/redirect-uri-spelling'],
  },
  {
    name: 'the first of repeated parameters is pushed',
    fault: received(PUSH, (form) => {
      for (const name of new Set(form.keys())) form.set(name, form.get(name)!)
    }),
    violates: ['pushed-requests/repeated'],
  },
  {
    name: 'a pushed request needs no right verifier',
    fault: unverified(),
    violates: ['pushed-requests/verifier'],
  },
  {
    name: 'the code goes to the redirect URI of the query',
    fault: redirected(),
    violates: ['pushed-requests/query-ignored'],
  },
  {
    name: 'without a pushed request the query counts',
    fault: requested((query) => {
      if (query.has('response_type')) query.delete('request_uri')
    }),
    violates: ['pushed-requests/unknown'],
  },
  {
    name: 'any client continues a pushed request',
    fault: unbound(),
    violates: ['pushed-requests/other-client'],
  },
  {
    name: 'a pushed request is used again',
    fault: kept(),
    violates: ['pushed-requests/used-once'],
  },
  {
    name: 'a pushed request opens once',
    fault: (() => {
      const opened = new Set<string>()
      return requested((query) => {
        const uri = query.get('request_uri') ?? ''
        if (opened.has(uri) && uri !== '') query.set('request_uri', `${uri}x`)
        opened.add(uri)
      })
    })(),
    violates: ['pushed-requests/opened-again'],
  },
  {
    name: 'pushed requests are numbered',
    fault: counted(),
    violates: ['pushed-requests/unguessable'],
  },
] // prettier-ignore
