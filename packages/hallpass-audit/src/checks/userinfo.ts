import { decodeJwt } from 'jose'
import { type Check } from '../check.js'
import { judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Answer, SendOptions } from '../engine/http.js'
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
      // Stops where UserInfo refuses every token.
      claimsOf(await answerOf(on))
      const tokens = await on.tokens({ client, person: 0, changes: { scope } })
      if (grantedScopes(tokens).includes('openid'))
        return notApplicable('the server granted openid, which was not requested')
      const { status } = await ask(on, tokens.accessToken)
      if (status >= 500) return notReached(`a token without openid is answered by ${status}`)
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
    shares: [NARROW],
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
]
