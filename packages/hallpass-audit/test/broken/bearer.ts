import type { Fault } from '../broken-server.js'
import { answers, type Broken, failing, headers, json } from '../faults.js'

const COURSES = '/courses'
const USERINFO = '/api/oauth/userinfo'
const USERINFO_URL = `http://127.0.0.1:3000${USERINFO}`
const PLACES = [USERINFO, COURSES, '/mcp']

/** Changes the Authorization header of each request for a resource, before the server reads it. */
const authorized = (change: (authorization: string | null, url: URL) => string | null): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => (request) => {
    const url = new URL(request.url)
    if (!PLACES.includes(url.pathname)) return next(request)
    const authorization = change(request.headers.get('authorization'), url)
    const changed = new Headers(request.headers)
    changed.delete('authorization')
    if (authorization !== null) changed.set('authorization', authorization)
    return next(new Request(request, { headers: changed }))
  },
}) // prettier-ignore

/** Changes the challenge of `/courses`, to requests with or without a token. */
const challenges = (
  hasToken: boolean,
  change: (challenge: string, request: Request) => string | null,
): Required<Pick<Fault, 'wrap'>> =>
  answers(COURSES, (answer, request) => {
    const challenge = answer.headers.get('www-authenticate')
    if (
      answer.status !== 401 ||
      challenge === null ||
      request.headers.has('authorization') !== hasToken
    )
      return answer
    const changed = new Headers(answer.headers)
    const value = change(challenge, request)
    if (value === null) changed.delete('www-authenticate')
    else changed.set('www-authenticate', value)
    return new Response(answer.body, { status: answer.status, headers: changed })
  })

/** Reads what the server issues, so that a fault knows which tokens are valid. */
function issuing(change: (presented: string, issued: readonly Issued[]) => string): Fault {
  const issued: Issued[] = []
  const reads = json('/api/oauth/token', (body) => {
    issued.push(body as unknown as Issued)
    return body
  })
  const { wrap } = authorized((authorization) => {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
    return token === undefined ? authorization : `Bearer ${change(token, issued)}`
  })
  return { wrap: (next, parts) => wrap(reads.wrap(next, parts), parts) }
}

interface Issued {
  readonly access_token: string
  readonly id_token?: string
}

/** Ends a grant when its person allows the same client again. */
const replacing: Fault = {
  store: (store) => ({
    async redeemCode(redemption, events) {
      const { clientId, subject } = redemption.grant
      const query = {
        of: { clientId, subject },
        after: null,
        limit: 10,
        now: redemption.redeemedAt,
      }
      for (const { grant: { grantId } } of await store.listGrants(query))
        await store.revokeGrant({ grantId, revokedAt: redemption.redeemedAt, revokedReason: 'replaced' }) // prettier-ignore
      return store.redeemCode(redemption, events)
    },
  }),
}

export const bearer: readonly Broken[] = [
  { name: 'nothing but one grant of a person and client', fault: replacing, violates: [] },
  {
    name: 'a path answers 401 and nothing more',
    fault: challenges(false, () => null),
    violates: ['bearer/challenge'],
  },
  {
    name: 'a path sends who has no token to the page for signing in',
    fault: answers(COURSES, (answer, request) =>
      request.headers.has('authorization') ? answer : new Response(null, { status: 302, headers: { location: '/sign-in', 'www-authenticate': 'Bearer' } })),
    violates: ['bearer/challenge'],
  },
  {
    name: 'the challenge calls a missing token invalid',
    fault: challenges(false, (challenge) => challenge.replace('Bearer ', 'Bearer error="invalid_token", ')),
    violates: ['bearer/no-error-without-token'],
  },
  {
    name: 'the scheme is Token',
    fault: authorized((authorization) => authorization && authorization.replace(/^Bearer /i, 'Bare ').replace(/^Token /i, 'Bearer ')),
    violates: ['bearer/header'],
  },
  {
    name: 'the scheme has to be spelled Bearer',
    fault: authorized((authorization) => (authorization === null || authorization.startsWith('Bearer ') ? authorization : 'None')),
    violates: ['bearer/scheme-case'],
  },
  {
    name: 'a bad token is served as anonymous',
    fault: {
      wrap: (next) => async (request) => {
        const again = request.clone()
        const answer = await next(request)
        if (answer.status !== 401 || new URL(again.url).pathname !== '/mcp') return answer
        const without = new Headers(again.headers)
        without.delete('authorization')
        return next(new Request(again, { headers: without }))
      },
    },
    violates: ['bearer/unknown-token', 'mcp/bad-token', 'code/used-twice-revokes', 'refresh/is-no-access-token'],
    whole: true,
  },
  {
    name: 'a bad token is answered without a challenge',
    fault: challenges(true, () => null),
    violates: ['bearer/refusal-challenge'],
  },
  {
    name: 'a bad token is answered by 403',
    fault: answers(COURSES, (answer, request) =>
      answer.status === 401 && request.headers.has('authorization')
        ? new Response(answer.body, { status: 403, headers: answer.headers })
        : answer),
    violates: ['bearer/invalid-token-error'],
  },
  {
    name: 'the challenge repeats the token',
    fault: challenges(true, (challenge, { headers: sent }) =>
      challenge.replace(/error_description="[^"]*"/, `error_description="${sent.get('authorization')} is invalid"`)),
    violates: ['bearer/challenge-syntax', 'bearer/token-not-repeated'],
  },
  {
    name: 'the challenge is in the language of the school',
    fault: challenges(true, (challenge) => challenge.replace(/error_description="[^"]*"/, 'error_description="ungültig"')),
    violates: ['bearer/challenge-syntax'],
  },
  {
    name: 'the body of an error repeats the token',
    fault: answers(COURSES, (answer, request) =>
      answer.status === 401
        ? Response.json({ error: `${request.headers.get('authorization')} is invalid` }, { status: 401, headers: { 'www-authenticate': answer.headers.get('www-authenticate')! } })
        : answer),
    violates: ['bearer/token-not-repeated'],
  },
  {
    name: 'a token is found by its beginning',
    fault: issuing((presented, issued) =>
      (presented.length < 30 ? undefined : issued.find((one) => one.access_token.startsWith(presented))?.access_token) ?? presented),
    violates: ['bearer/damaged-token'],
  },
  {
    name: 'a token is cut to the width of its column',
    fault: issuing((presented, issued) => issued.find((one) => presented.startsWith(one.access_token))?.access_token ?? presented),
    violates: ['bearer/damaged-token'],
  },
  {
    name: 'the scheme may be missing',
    fault: authorized((authorization) => authorization && authorization.replace(/^(?!bearer)\S+$/i, 'Bearer $&')),
    violates: ['bearer/malformed-header'],
  },
  {
    name: 'the first six characters are cut off',
    fault: authorized((authorization) => authorization && authorization.replace(/^bearer(?=\S)/i, 'Bearer ')),
    violates: ['bearer/malformed-header'],
  },
  {
    name: 'quotes around a token are removed',
    fault: authorized((authorization) => authorization && authorization.replace(/^Bearer "(.*)"$/, 'Bearer $1')),
    violates: ['bearer/malformed-header'],
  },
  {
    name: 'the first of two tokens counts',
    fault: authorized((authorization) => authorization && authorization.split(',')[0]!),
    violates: ['bearer/two-tokens'],
  },
  {
    name: 'the password of Basic is a token',
    fault: authorized((authorization) => {
      const [, credentials] = /^Basic (\S+)$/.exec(authorization ?? '') ?? []
      if (credentials === undefined) return authorization
      return `Bearer ${Buffer.from(credentials, 'base64').toString().split(':')[1]}`
    }),
    violates: ['bearer/other-scheme'],
  },
  {
    name: 'a token in the query is accepted',
    fault: authorized((authorization, url) => {
      const token = url.searchParams.get('access_token')
      return authorization === null && token !== null ? `Bearer ${token}` : authorization
    }),
    violates: ['bearer/query'],
  },
  {
    name: 'UserInfo reads a token from a form too',
    fault: {
      wrap: (next) => async (request) => {
        if (new URL(request.url).pathname !== USERINFO || request.method !== 'POST') return next(request)
        const token = new URLSearchParams(await request.clone().text()).get('access_token')
        if (token === null) return next(request)
        return next(new Request(USERINFO_URL, { method: 'POST', headers: { authorization: `Bearer ${token}` } }))
      },
    },
    violates: ['bearer/two-methods'],
  },
  {
    name: 'a missing scope is answered without a challenge',
    fault: headers(COURSES, (all, { status }) => {
      if (status === 403) all.delete('www-authenticate')
    }),
    violates: ['bearer/insufficient-scope'],
  },
  {
    name: 'a token that is refused is an exception',
    fault: failing(COURSES),
    violates: ['bearer/challenge', 'bearer/insufficient-scope', 'bearer/invalid-token-error'],
    unknown: ['bearer/challenge-syntax', 'bearer/damaged-token', 'bearer/malformed-header', 'bearer/other-scheme', 'bearer/query', 'bearer/token-not-repeated', 'bearer/two-tokens', 'bearer/unknown-token'],
  },
  {
    name: 'a bad token is a bad request',
    fault: challenges(true, (challenge) => challenge.replace('invalid_token', 'invalid_request')),
    violates: ['bearer/invalid-token-error'],
  },
  {
    name: 'the last of two tokens counts',
    fault: authorized((authorization) => authorization && authorization.split(', ').at(-1)!),
    violates: ['bearer/two-tokens'],
  },
  {
    name: 'the name of Basic is a token',
    fault: authorized((authorization) => {
      const [, credentials] = /^Basic (\S+)$/.exec(authorization ?? '') ?? []
      if (credentials === undefined) return authorization
      return `Bearer ${Buffer.from(credentials, 'base64').toString().split(':')[0]}`
    }),
    violates: ['bearer/other-scheme'],
  },
  {
    name: 'any scheme may carry a token',
    fault: authorized((authorization) => authorization && authorization.replace(/^(?!basic|dpop)\w+ /i, 'Bearer ')),
    violates: ['bearer/other-scheme'],
  },
  {
    name: 'a missing scope is answered by 401',
    fault: answers(COURSES, (answer) =>
      answer.status === 403 ? new Response(answer.body, { status: 401, headers: answer.headers }) : answer),
    violates: ['bearer/insufficient-scope'],
  },
] // prettier-ignore
