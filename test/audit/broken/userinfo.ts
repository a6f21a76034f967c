import { type Broken, answers, headers, json } from '../faults.js'

const USERINFO = '/api/oauth/userinfo'

/** UserInfo that is asked in another way than the request is sent. */
const asked = (
  change: (request: Request) => Request | null,
): Required<Pick<Broken['fault'], 'wrap'>> => ({
  wrap: (next) => (request) =>
    next((new URL(request.url).pathname === USERINFO && change(request)) || request),
})

export const userinfo: readonly Broken[] = [
  {
    name: 'UserInfo names the person by their email address',
    fault: json(USERINFO, (claims) => ({ ...claims, sub: claims['email'] ?? 'unknown' })),
    violates: ['userinfo/subject'],
  },
  {
    name: 'UserInfo has the type of a page',
    fault: headers(USERINFO, (all) => all.set('content-type', 'text/html')),
    violates: ['userinfo/json'],
  },
  {
    name: 'UserInfo has no POST',
    fault: answers(USERINFO, (answer, { method }) =>
      method === 'POST' ? new Response(null, { status: 405 }) : answer,
    ),
    violates: ['userinfo/post'],
  },
  {
    name: 'UserInfo sends people without a token to the sign-in page',
    fault: answers(USERINFO, (answer, { method, headers: sent }) =>
      sent.has('authorization') || method === 'OPTIONS'
        ? answer
        : new Response(null, {
            status: 302,
            headers: { location: '/sign-in', 'www-authenticate': 'Bearer' },
          }),
    ),
    violates: ['userinfo/without-token'],
  },
  {
    name: 'UserInfo calls a token invalid that was not sent',
    fault: headers(USERINFO, (all, { status }) => {
      if (status === 401) all.set('www-authenticate', 'Bearer error="invalid_token"')
    }),
    violates: ['userinfo/challenge-without-error'],
  },
  {
    name: 'UserInfo answers 403 to a token that is not valid',
    fault: answers(USERINFO, (answer, { headers: sent }) =>
      answer.status === 401 && sent.has('authorization')
        ? new Response(null, { status: 403 })
        : answer,
    ),
    violates: ['userinfo/wrong-token'],
  },
  {
    name: 'UserInfo takes a token from the query',
    fault: asked((request) => {
      const token = new URL(request.url).searchParams.get('access_token')
      return token === null
        ? null
        : new Request(`${new URL(request.url).origin}${USERINFO}`, {
            headers: { authorization: `Bearer ${token}` },
          })
    }),
    violates: ['userinfo/token-in-query'],
  },
  {
    name: 'UserInfo requires no scope',
    fault: answers(USERINFO, (answer) =>
      answer.status === 403 ? Response.json({ sub: 'per_ines' }) : answer,
    ),
    violates: ['userinfo/without-openid'],
  },
  {
    name: 'UserInfo returns all claims to every client',
    fault: json(USERINFO, (claims) => ({ email: 'ines@school.example', ...claims })),
    violates: ['userinfo/claims-of-scopes'],
  },
  {
    name: 'UserInfo returns claims without a value',
    fault: json(USERINFO, (claims) => ('name' in claims ? { ...claims, family_name: '' } : claims)),
    violates: ['userinfo/no-empty-claims'],
  },
  {
    name: 'UserInfo may be kept by a shared cache',
    fault: headers(USERINFO, (all) => all.set('cache-control', 'public, max-age=300')),
    violates: ['userinfo/not-shared'],
  },
  {
    name: 'UserInfo allows all headers by a star',
    fault: headers(USERINFO, (all) => {
      if (all.has('access-control-allow-headers')) all.set('access-control-allow-headers', '*')
    }),
    violates: ['userinfo/browsers'],
  },
]
