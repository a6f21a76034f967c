import { decodeJwt } from 'jose'
import { type Check } from '../check.js'
import { ADVICE, MUST, oidcCore, rfc6749, rfc6750, RS, SHOULD_NOT } from '../clause.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Answer, SendOptions } from '../engine/http.js'
import { CLAIMS, grantedScopes, leakedClaims, mediaTypeOf, NARROW, narrowTokens } from './expect.js'

// prettier-ignore
const TEXT = {
  subject: oidcCore('5.3.2', MUST, RS, 'The "sub" (subject) Claim MUST always be returned in the UserInfo Response. … The "sub" Claim in the UserInfo Response MUST be verified to exactly match the "sub" Claim in the ID Token; if they do not match, the UserInfo Response values MUST NOT be used.'),
  type: oidcCore('5.3.2', MUST, RS, 'The content-type of the HTTP response MUST be "application/json" if the response body is a text JSON object; the response body SHOULD be encoded using UTF-8. … If the UserInfo Response is signed and/or encrypted, then the Claims are returned in a JWT and the content-type MUST be "application/jwt".'),
  post: oidcCore('5.3', MUST, RS, 'The UserInfo Endpoint MUST support the use of the HTTP "GET" and HTTP "POST" methods defined in RFC 7231 [RFC7231].'),
  body: rfc6750('2.2', ADVICE, RS, 'A resource server may take a token in the body of a form. If it does, the answer is the same as to one in the header.'),
  covered: rfc6749('7', MUST, RS, 'The resource server MUST validate the access token and ensure that it has not expired and that its scope covers the requested resource.'),
  scopes: oidcCore('5.4', ADVICE, RS, 'Claims such as email belong to scopes. A client without the scope does not need them, and the person has not been asked.'),
  granted: oidcCore('5.4', ADVICE, RS, 'A scope such as email requests claims, and a client that was granted it expects one of them. A server may leave them out.'),
  empty: oidcCore('5.3.2', SHOULD_NOT, RS, 'If a Claim is not returned, that Claim Name SHOULD be omitted from the JSON object representing the Claims; it SHOULD NOT be present with a null or empty string value.'),
}
/** Scopes of OpenID Connect, which say nothing of a resource. */
const OPENID = /^(?:openid|profile|email|address|phone|offline_access)$/
/** Tokens with each scope that claims belong to. */
const ALL = { name: 'tokens of all scopes with claims', authorizations: 1 } as const

/** Asks UserInfo with a token. */
async function ask(on: Audit, token: string, options: SendOptions = {}): Promise<Answer> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  return on.send(await on.endpoint('userinfo_endpoint'), { headers, ...options })
}

/** The answer to the token that all checks share. Stops if the grant does not include openid. */
async function answerOf(on: Audit, options?: SendOptions): Promise<Answer> {
  await on.endpoint('userinfo_endpoint')
  const tokens = await on.sharedTokens()
  if (!grantedScopes(tokens).includes('openid'))
    throw new Stop(notApplicable('openid was not granted', tokens))
  return ask(on, tokens.accessToken, options)
}

/** The claims of an answer, also of one that is a signed JWT. */
function claimsOf(answer: Answer): Readonly<Record<string, unknown>> {
  const { status, json, text } = answer
  if (status !== 200) throw new Stop(notReached(`UserInfo answers ${status}`, answer))
  try {
    return mediaTypeOf(answer) === 'application/jwt' ? decodeJwt(text) : json
  } catch {
    throw new Stop(notReached('the answer of UserInfo is a JWT that the audit cannot read', answer))
  }
}

/** A token of a scope opens its claims. */
const ofScope = (scope: string): Check => ({
  id: `userinfo/${scope}`,
  clause: TEXT.granted,
  depth: 'people',
  shares: [ALL],
  change: `Return the claims of the scope ${scope}, such as ${CLAIMS[scope]![0]}, if it was granted and you know them.`,
  async run(on) {
    await on.endpoint('userinfo_endpoint')
    const named = await on.listOf('scopes_supported')
    if (!named.includes(scope)) return notApplicable(`the server names no scope ${scope}`, await on.serverAnswer()) // prettier-ignore
    const all = ['openid', ...Object.keys(CLAIMS).filter((one) => named.includes(one))].join(' ')
    const tokens = await on.once(ALL.name, () => on.tokens({ person: 0, changes: { scope: all } }))
    if (!grantedScopes(tokens).includes(scope)) return notApplicable(`${scope} was not granted`, tokens) // prettier-ignore
    const answer = await ask(on, tokens.accessToken)
    const found = Object.keys(claimsOf(answer)).filter((name) => CLAIMS[scope]!.includes(name))
    return judge(answer, found.length > 0, `the claims of ${scope} are ${found.join(', ')}`, `no claim of ${scope} is there`) // prettier-ignore
  },
})

/** UserInfo: the claims of the person. */
export const userinfo: readonly Check[] = [
  {
    id: 'userinfo/subject',
    clause: TEXT.subject,
    depth: 'people',
    change: 'Take sub of UserInfo and of ID tokens from the same function.',
    async run(on) {
      const answer = await answerOf(on)
      const { sub } = claimsOf(answer)
      if (typeof sub !== 'string' || sub === '')
        return violated(answer, `sub is ${JSON.stringify(sub) ?? 'missing'}`)
      const { idToken } = await on.sharedTokens()
      if (idToken === null) return notApplicable('the server issued no ID token')
      const other = decodeJwt(idToken).sub
      return judge(answer, sub === other, 'sub is that of the ID token', `sub is ${sub}, and that of the ID token ${other}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/json',
    clause: TEXT.type,
    depth: 'people',
    change: 'Answer with Content-Type: application/json.',
    async run(on) {
      const answer = await answerOf(on)
      claimsOf(answer)
      const type = mediaTypeOf(answer)
      return judge(answer, /^application\/(?:json|jwt)$/.test(type), `the type is ${type}`, `the type is ${type || 'missing'}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/post',
    clause: TEXT.post,
    depth: 'people',
    change: 'Serve POST like GET: the token is in the Authorization header of both.',
    async run(on) {
      const byGet = claimsOf(await answerOf(on))['sub']
      const answer = await answerOf(on, { method: 'POST' })
      const isSame = answer.status === 200 && claimsOf(answer)['sub'] === byGet
      return judge(answer, isSame, 'POST is answered like GET', `POST is answered by ${answer.status}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/post-body',
    clause: TEXT.body,
    depth: 'people',
    change: 'Read access_token of a form like the Authorization header, or refuse it.',
    async run(on) {
      const byHeader = claimsOf(await answerOf(on))['sub']
      const { accessToken } = await on.sharedTokens()
      const answer = await on.form(await on.endpoint('userinfo_endpoint'), { access_token: accessToken }) // prettier-ignore
      const { status } = answer
      if (status >= 400 && status < 500) return held(answer, `a token in the body is answered by ${status}, as it may be`) // prettier-ignore
      const isSame = status === 200 && claimsOf(answer)['sub'] === byHeader
      return judge(answer, isSame, 'a token in the body is answered like one in the header', `a token in the body is answered otherwise, by ${status}`) // prettier-ignore
    },
  },
  {
    id: 'userinfo/without-openid',
    clause: TEXT.covered,
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
        return notApplicable('the server granted openid, which was not requested', tokens)
      const answer = await ask(on, tokens.accessToken)
      const where = `a token without openid is answered by ${answer.status}`
      if (answer.status >= 500) return notReached(where, answer)
      return judge(answer, answer.status >= 400, where, where)
    },
  },
  {
    id: 'userinfo/claims-of-scopes',
    clause: TEXT.scopes,
    depth: 'people',
    shares: [NARROW],
    change: 'Return email only if the token has the scope email; likewise for profile.',
    async run(on) {
      await on.endpoint('userinfo_endpoint')
      const tokens = await narrowTokens(on)
      const answer = await ask(on, tokens.accessToken)
      const leaked = await leakedClaims(on, tokens, claimsOf(answer))
      return judge(answer, leaked.length === 0, 'a token with openid only has no claims of other scopes', `a token with openid only has ${leaked.join(', ')}`) // prettier-ignore
    },
  },
  ...Object.keys(CLAIMS).map(ofScope),
  {
    id: 'userinfo/no-empty-claims',
    clause: TEXT.empty,
    depth: 'people',
    change: 'Leave out claims whose value you do not know.',
    async run(on) {
      const answer = await answerOf(on)
      const claims = claimsOf(answer)
      const empty = Object.keys(claims).filter((name) => claims[name] === null || claims[name] === '') // prettier-ignore
      return judge(answer, empty.length === 0, `all ${Object.keys(claims).length} claims have a value`, `${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} no value`) // prettier-ignore
    },
  },
]
