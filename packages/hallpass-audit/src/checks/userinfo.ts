import { decodeJwt } from 'jose'
import { type Check, judge, notApplicable, notReached, Stop, violated } from '../check.js'
import type { Audit } from '../engine/audit.js'
import type { Answer, SendOptions } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { grantedScopes, leakedClaims, NARROW, narrowTokens } from './expect.js'

/** Scopes of OpenID Connect, which say nothing of a resource. */
const OPENID = /^(?:openid|profile|email|address|phone|offline_access)$/

/** Asks UserInfo, with the token if there is one. */
async function ask(on: Audit, token: string | null, options: SendOptions = {}): Promise<Answer> {
  const { headers = {}, ...rest } = options
  return on.send(await on.endpoint('userinfo_endpoint'), {
    ...rest,
    headers: {
      accept: 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
}

/** The answer to the token that all checks share. Stops if the grant does not include openid. */
async function answerOf(on: Audit, options: SendOptions = {}): Promise<Answer> {
  await on.endpoint('userinfo_endpoint')
  const tokens = await on.sharedTokens()
  if (!grantedScopes(tokens).includes('openid'))
    throw new Stop(notApplicable('openid was not granted'))
  return ask(on, tokens.accessToken, options)
}

/** The claims of an answer, also of one that is a signed JWT. */
function claimsOf({ status, headers, json, text }: Answer): Readonly<Record<string, unknown>> {
  if (status !== 200) throw new Stop(notReached(`UserInfo answers ${status}`))
  try {
    return /^application\/jwt/i.test(headers.get('content-type') ?? '') ? decodeJwt(text) : json
  } catch {
    throw new Stop(notReached('the answer of UserInfo is a JWT that the audit cannot read'))
  }
}

const challengeOf = ({ headers }: Answer): string => headers.get('www-authenticate') ?? ''

const CORE = 'OpenID Connect Core 1.0'

/** UserInfo: the claims of the person. */
export const userinfo: readonly Check[] = [
  {
    id: 'userinfo/subject',
    clause: {
      document: CORE,
      section: '5.3.2',
      level: 'MUST',
      says: 'The answer has the claim sub, and it is that of the ID token.',
    },
    depth: 'people',
    change: 'Take sub of UserInfo and of ID tokens from the same function.',
    async run(on) {
      const { sub } = claimsOf(await answerOf(on))
      if (typeof sub !== 'string' || sub === '')
        return violated(`sub is ${JSON.stringify(sub) ?? 'missing'}`)
      const { idToken } = await on.sharedTokens()
      if (idToken === null) return notApplicable('the server issued no ID token')
      const other = decodeJwt(idToken).sub
      return judge(sub === other, 'sub is that of the ID token', `sub is ${sub}, and that of the ID token ${other}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/json',
    clause: {
      document: CORE,
      section: '5.3.2',
      level: 'MUST',
      says: 'The claims come as JSON with the type application/json, unless the client asked for a JWT.',
    },
    depth: 'people',
    change: 'Answer with Content-Type: application/json.',
    async run(on) {
      const answer = await answerOf(on)
      claimsOf(answer)
      const type = answer.headers.get('content-type') ?? ''
      return judge(/^application\/(?:json|jwt)\s*(?:;|$)/i.test(type), `the type is ${type}`, `the type is ${type || 'missing'}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/post',
    clause: {
      document: CORE,
      section: '5.3',
      level: 'MUST',
      says: 'UserInfo supports POST as well as GET.',
    },
    depth: 'people',
    change: 'Serve POST like GET: the token is in the Authorization header of both.',
    async run(on) {
      const byGet = claimsOf(await answerOf(on))['sub']
      const answer = await answerOf(on, { method: 'POST' })
      const isSame = answer.status === 200 && claimsOf(answer)['sub'] === byGet
      return judge(isSame, 'POST is answered like GET', `POST is answered by ${answer.status}`)
    },
  },
  {
    id: 'userinfo/without-token',
    clause: {
      document: 'RFC 6750',
      section: '3',
      level: 'MUST',
      says: 'A request without a token is refused with a WWW-Authenticate header for the scheme Bearer.',
    },
    depth: 'anonymous',
    change: 'Answer 401 with WWW-Authenticate: Bearer.',
    async run(on) {
      const answer = await ask(on, null)
      const isChallenged = /\b(?:bearer|dpop)\b/i.test(challengeOf(answer))
      return judge(answer.status === 401 && isChallenged, `it is answered by 401 with ${challengeOf(answer)}`, `it is answered by ${answer.status} ${isChallenged ? 'with' : 'without'} a challenge for Bearer`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/challenge-without-error',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD NOT',
      says: 'The challenge to a request that had no token has no error code, because nothing was wrong with it.',
    },
    depth: 'anonymous',
    change: 'Leave error out of the challenge if the request has no Authorization header.',
    async run(on) {
      const answer = await ask(on, null)
      if (challengeOf(answer) === '') return notReached(`no challenge came, but ${answer.status}`)
      const error = /\berror="?([^",]+)/.exec(challengeOf(answer))?.[1]
      return judge(error === undefined, 'the challenge has no error', `the challenge has the error ${error}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/wrong-token',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'A token that is not valid is refused with 401 and the error invalid_token.',
    },
    depth: 'anonymous',
    change: 'Answer 401 with WWW-Authenticate: Bearer error="invalid_token": clients then refresh.',
    async run(on) {
      const answer = await ask(on, newSecret())
      const isNamed = /\berror="?invalid_token/.test(challengeOf(answer))
      return judge(answer.status === 401 && isNamed, 'it is answered by 401 invalid_token', `it is answered by ${answer.status} ${isNamed ? 'and' : 'without'} invalid_token in WWW-Authenticate`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/token-in-query',
    clause: {
      document: 'OAuth 2.1',
      section: '5.1',
      level: 'MUST',
      says: 'A token in the query of the URL is ignored, because URLs end up in logs and histories.',
    },
    depth: 'people',
    change: 'Read the access token from the Authorization header only.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const url = new URL(await on.endpoint('userinfo_endpoint'))
      url.searchParams.set('access_token', accessToken)
      const answer = await on.send(url)
      const isTaken = answer.status === 200 && answer.json['sub'] !== undefined
      return judge(!isTaken, `it is answered by ${answer.status}`, 'the token in the query is accepted') // prettier-ignore
    },
  },
  {
    id: 'userinfo/without-openid',
    clause: {
      document: 'RFC 6749',
      section: '7',
      level: 'MUST',
      says: 'A token opens what its scope covers, and UserInfo is covered by openid.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Require the scope openid at UserInfo, and answer 403 with insufficient_scope without it.',
    async run(on) {
      await on.endpoint('userinfo_endpoint')
      const client = await on.client()
      const scope = client.scope.split(' ').filter((one) => !OPENID.test(one)).join(' ') // prettier-ignore
      if (scope === '') return notApplicable('the client has no scope but those of OpenID Connect')
      const tokens = await on.tokens({ client, person: 0, changes: { scope } })
      if (grantedScopes(tokens).includes('openid'))
        return notApplicable('the server granted openid, which was not requested')
      const { status } = await ask(on, tokens.accessToken)
      return judge(status >= 400, `a token without openid is answered by ${status}`, `a token without openid is answered by ${status}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/claims-of-scopes',
    clause: {
      document: CORE,
      section: '5.4',
      level: 'SHOULD NOT',
      says: 'Claims such as email belong to scopes, and a client without the scope does not receive them.',
    },
    depth: 'people',
    shares: [{ name: NARROW, authorizations: 1 }],
    change: 'Return email only if the token has the scope email; likewise for profile.',
    async run(on) {
      await on.endpoint('userinfo_endpoint')
      const tokens = await narrowTokens(on)
      const leaked = await leakedClaims(on, tokens, claimsOf(await ask(on, tokens.accessToken)))
      return judge(leaked.length === 0, 'a token with openid only has no claims of other scopes', `a token with openid only has ${leaked.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/no-empty-claims',
    clause: {
      document: CORE,
      section: '5.3.2',
      level: 'SHOULD NOT',
      says: 'A claim without a value is left out: it is neither null nor an empty text.',
    },
    depth: 'people',
    change: 'Leave out claims whose value you do not know.',
    async run(on) {
      const claims = claimsOf(await answerOf(on))
      const empty = Object.keys(claims).filter((name) => claims[name] === null || claims[name] === '') // prettier-ignore
      return judge(empty.length === 0, `all ${Object.keys(claims).length} claims have a value`, `${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} no value`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/not-shared',
    clause: {
      document: 'RFC 9111',
      section: '3.5',
      level: 'SHOULD NOT',
      says: 'Shared caches keep no answer to a request with Authorization, unless the answer says so: this one does not.',
    },
    depth: 'people',
    change: 'Answer with Cache-Control: no-store, and never with public or s-maxage.',
    async run(on) {
      const control = (await answerOf(on)).headers.get('cache-control') ?? ''
      const isShared = /\bpublic\b|\bs-maxage\s*=\s*"?[1-9]/i.test(control) && !/\bno-store\b/i.test(control) // prettier-ignore
      return judge(!isShared, `Cache-Control is ${control || 'missing'}`, `Cache-Control is ${control}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/browsers',
    clause: {
      document: CORE,
      section: '5.3',
      level: 'SHOULD',
      says: 'A client that runs in a browser can read UserInfo, which takes CORS.',
    },
    depth: 'people',
    change:
      'Answer OPTIONS with Access-Control-Allow-Origin and Access-Control-Allow-Headers: Authorization, and GET with Access-Control-Allow-Origin.',
    async run(on) {
      // A server may allow each client the origins of its own redirect URIs only.
      const { origin } = new URL((await on.client()).redirectUri)
      const isOpen = ({ headers }: Answer): boolean =>
        ['*', origin].includes(headers.get('access-control-allow-origin') ?? '')
      const isRead = isOpen(await answerOf(on, { headers: { origin } }))
      const preflight = await ask(on, null, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
      const allowed = preflight.headers.get('access-control-allow-headers') ?? ''
      // A star does not include Authorization.
      const isAllowed = isOpen(preflight) && preflight.status < 300 && /\bauthorization\b/i.test(allowed) // prettier-ignore
      return judge(
        isRead && isAllowed,
        'another origin may send Authorization and read the answer',
        isRead
          ? `the preflight is answered by ${preflight.status}, with ${allowed || 'no'} headers allowed`
          : 'the answer allows no other origin to read it',
      )
    },
  },
]
