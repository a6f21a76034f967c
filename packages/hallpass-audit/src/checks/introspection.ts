import { type Check, type Clause } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Changes, Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { encodePart } from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import { errorOf, grantedScopes } from './expect.js'
import { revokedAccess } from './revocation.js'

const clause = (section: string, level: Clause['level'], says: string): Clause => ({
  document: 'RFC 7662',
  section,
  level,
  says,
})

/** Tokens of the confidential client, which so has the most right to ask about them. */
export const ownTokens = (on: Audit): Promise<Tokens> =>
  on.once('tokens to introspect', async () => {
    await on.endpoint('introspection_endpoint')
    return on.tokens({ client: await on.client('confidential') })
  })
export const OWN = { shares: [{ name: 'tokens to introspect', authorizations: 1 }] } as const

/** Asks as the confidential client, which a server need not allow to ask at all. */
async function ask(on: Audit, token: string, changes: Changes = {}): Promise<Answer> {
  const answer = await on.introspect(token, changes)
  if (answer.status === 401 || answer.status === 403)
    throw new Stop(notReached(`the confidential client may not ask: ${answer.status}`))
  return answer
}

/** Returns the answer about a valid access token. */
async function described(on: Audit): Promise<{ readonly tokens: Tokens; readonly answer: Answer }> {
  const tokens = await ownTokens(on)
  const answer = await ask(on, tokens.accessToken)
  if (errorOf(answer) === UNSUPPORTED) throw new Stop(NOT_DESCRIBED)
  if (answer.json['active'] !== true)
    throw new Stop(notReached(`the client learns nothing of its own token: ${shown(answer)}`))
  return { tokens, answer }
}

/** The error of servers that describe some tokens only, such as opaque ones. */
const UNSUPPORTED = 'unsupported_token_type'
const NOT_DESCRIBED = notApplicable('the server describes no access tokens of this kind')

const shown = (answer: Answer): string =>
  `${answer.status} ${errorOf(answer) || `with active ${JSON.stringify(answer.json['active'])}`}`

/** Held if an answer tells nothing of a token. */
const learnsNothing = (answer: Answer, who: string): Finding =>
  answer.status < 500
    ? judge(!('active' in answer.json), `${who} learns nothing: ${shown(answer)}`, `${who} learns of a token: ${shown(answer)}`)
    : notReached(`${who} is answered by ${answer.status}`) // prettier-ignore

/** A forged token, which a server believes that does not check signatures. */
function unsigned(issuer: string): string {
  return `${encodePart({ alg: 'none', typ: 'at+jwt' })}.${encodePart({ iss: issuer, sub: 'hallpass-audit', exp: 4_000_000_000 })}.`
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value)
/** The members of RFC 7662, section 2.2, and what they are. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  active: (value) => typeof value === 'boolean',
  scope: isText,
  client_id: isText,
  username: isText,
  token_type: isText,
  exp: isSeconds,
  iat: isSeconds,
  nbf: isSeconds,
  sub: isText,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  iss: isText,
  jti: isText,
}

/** Introspection: what a resource server learns of a token. */
export const introspection: readonly Check[] = [
  {
    id: 'introspection/authorization-required',
    clause: clause(
      '2.1',
      'MUST',
      'A caller needs authorization, so that no one else can find out which tokens are valid.',
    ),
    depth: 'anonymous',
    change: 'Authenticate the caller, and answer 401 without credentials, whatever the token is.',
    async run(on) {
      const answer = await on.form(await on.endpoint('introspection_endpoint'), {
        token: newSecret(),
      })
      return learnsNothing(answer, 'a caller without credentials')
    },
  },
  {
    id: 'introspection/public-client',
    clause: clause(
      '4',
      'MUST',
      'The caller is authenticated, and the identifier of a client, public or not, proves nothing.',
    ),
    depth: 'people',
    change: 'Answer 401 invalid_client to clients that send no secret and sign nothing.',
    async run(on) {
      const endpoint = await on.endpoint('introspection_endpoint')
      const confidential = await on.client('confidential').catch(() => null)
      const { accessToken } = await on.sharedTokens()
      const ask = async (clientId: string, who: string): Promise<Finding> => {
        const fields = { token: accessToken, client_id: clientId, client_assertion: null }
        const answer = await on.form(endpoint, fields)
        // That no token is active tells a caller nothing.
        return answer.json['active'] === false
          ? held(`${who} learns nothing: ${shown(answer)}`)
          : learnsNothing(answer, who)
      }
      const first = await ask((await on.client()).clientId, 'a public client')
      if (first.verdict !== 'held' || confidential === null) return first
      return ask(confidential.clientId, 'a client without its secret')
    },
  },
  {
    id: 'introspection/wrong-secret',
    clause: clause('2.3', 'MUST', 'Wrong credentials of a client are answered with 401.'),
    depth: 'anonymous',
    change: 'Answer 401 with the error invalid_client, as the token endpoint does.',
    async run(on) {
      const answer = await on.introspect(newSecret(), { client_secret: newSecret() })
      return judge(
        answer.status === 401,
        `a wrong secret is answered by 401 ${errorOf(answer)}`,
        `a wrong secret is answered by ${shown(answer)}`,
      )
    },
  },
  {
    id: 'introspection/secret-in-query',
    clause: {
      document: 'RFC 6749',
      section: '2.3.1',
      level: 'MUST NOT',
      says: 'A client secret is sent in the body or in a header, and never in the address of a request.',
    },
    depth: 'anonymous',
    change:
      'Read client_secret and token from the form only, and answer 405 to GET: addresses end up in logs.',
    async run(on) {
      const url = new URL(await on.endpoint('introspection_endpoint'))
      const { clientId, secret } = await on.client('confidential')
      if (secret === null) return notApplicable('there is no client with a secret')
      const fields = { token: newSecret(), client_id: clientId, client_secret: secret }
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
      return learnsNothing(await on.send(url), 'a client with its secret in the query')
    },
  },
  {
    id: 'introspection/unknown-token',
    clause: clause('2.2', 'MUST', 'An unknown token is not active, which is not an error.'),
    depth: 'anonymous',
    change: 'Answer 200 with {"active":false} if there is no such token.',
    async run(on) {
      const answer = await ask(on, newSecret())
      return judge(
        answer.status === 200 && answer.json['active'] === false,
        'an unknown token is not active',
        `an unknown token is answered by ${shown(answer)}`,
      )
    },
  },
  {
    id: 'introspection/malformed-token',
    clause: clause(
      '2.3',
      'MUST',
      'A text that cannot be a token is not active, which is not an error either.',
    ),
    depth: 'anonymous',
    change:
      'Answer 200 with {"active":false} if a token cannot be parsed or its signature is not yours.',
    async run(on) {
      const texts = { 'a text with a space': 'no token', 'a.b.c': 'a.b.c', 'an unsigned JSON Web Token': unsigned(on.origin) } // prettier-ignore
      for (const [name, token] of Object.entries(texts)) {
        const answer = await ask(on, token)
        const isInactive = answer.status === 200 && answer.json['active'] === false
        if (!isInactive && errorOf(answer) !== UNSUPPORTED)
          return violated(`${name} is answered by ${shown(answer)}`)
      }
      return held('three texts that cannot be tokens are not active')
    },
  },
  {
    id: 'introspection/active',
    clause: clause(
      '2.2',
      'MUST',
      'The answer has the boolean active, which is true for a valid access token.',
    ),
    depth: 'people',
    ...OWN,
    change: 'Send active as true or false: a text such as "true" is not a boolean.',
    async run(on) {
      const answer = await ask(on, (await ownTokens(on)).accessToken)
      const { active } = answer.json
      if (errorOf(answer) === UNSUPPORTED) throw new Stop(NOT_DESCRIBED)
      // A server may decide that the client is not allowed to know.
      if (active === false) throw new Stop(notReached('the client learns nothing of its own token'))
      return judge(
        active === true,
        'a valid access token is active',
        `a valid access token is answered by ${shown(answer)}`,
      )
    },
  },
  {
    id: 'introspection/media-type',
    clause: clause('2.2', 'MUST', 'The answer is application/json.'),
    depth: 'people',
    ...OWN,
    change: 'Send the header Content-Type: application/json.',
    async run(on) {
      const { headers } = (await described(on)).answer
      const type = headers.get('content-type') ?? 'nothing'
      return judge(/^application\/json\b/i.test(type), `its type is ${type}`, `its type is ${type}`)
    },
  },
  {
    id: 'introspection/members',
    clause: clause(
      '2.2',
      'MUST',
      'Members have their types: times are integers, a scope is a text with spaces, an audience a text or a list.',
    ),
    depth: 'people',
    ...OWN,
    change: 'Send exp, iat and nbf as seconds in whole numbers, and scope as one text.',
    async run(on) {
      const { json } = (await described(on)).answer
      const wrong = Object.entries(json).filter(([name, value]) => MEMBERS[name]?.(value) === false)
      return judge(
        wrong.length === 0,
        `it has ${Object.keys(json).join(', ')}`,
        `of another type ${wrong.length > 1 ? 'are' : 'is'} ${wrong.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}`,
      )
    },
  },
  {
    id: 'introspection/expiry',
    clause: clause(
      '2.2',
      'MUST',
      'The member exp is when the token ends, as the token response has said.',
    ),
    depth: 'people',
    ...OWN,
    change: 'Send exp in seconds since 1970: the time of issue and expires_in.',
    async run(on) {
      const { tokens, answer } = await described(on)
      const { exp, iat } = answer.json
      const seconds = tokens.answer.json['expires_in']
      if (typeof exp !== 'number') throw new Stop(notApplicable('the answer has no exp'))
      if (typeof seconds !== 'number')
        throw new Stop(notApplicable('the token response has no expires_in'))
      const from = typeof iat === 'number' ? iat : secondsOf(answer)
      // The clocks of two machines differ, and a token may end earlier with what it belongs to.
      return judge(
        exp > from && exp <= from + seconds + 60,
        `exp is ${exp - from} seconds after ${from}, and expires_in was ${seconds}`,
        `exp is ${exp}, at ${from}, although expires_in was ${seconds}`,
      )
    },
  },
  {
    id: 'introspection/scope',
    clause: clause(
      '2.2',
      'MUST',
      'The member scope has the scopes of this token, and none that it was not granted.',
    ),
    depth: 'people',
    ...OWN,
    change: 'Send the scopes of the token itself: not those that the client may request.',
    async run(on) {
      const { tokens, answer } = await described(on)
      const { scope } = answer.json
      if (typeof scope !== 'string') throw new Stop(notApplicable('the answer has no scope'))
      const granted = grantedScopes(tokens)
      const further = scope.split(' ').filter((one) => !granted.includes(one))
      return judge(
        further.length === 0,
        `scope is ${scope}`,
        `scope has ${further.join(' ')}, which was not granted`,
      )
    },
  },
  {
    id: 'introspection/client',
    clause: clause('2.2', 'MUST', 'The member client_id is the client that requested the token.'),
    depth: 'people',
    ...OWN,
    change: 'Send the identifier of the client to which the token was issued.',
    async run(on) {
      const { tokens, answer } = await described(on)
      const { client_id: clientId } = answer.json
      if (clientId === undefined) throw new Stop(notApplicable('the answer has no client_id'))
      return judge(
        clientId === tokens.code.client.clientId,
        'client_id is that of the client',
        `client_id is ${JSON.stringify(clientId)}`,
      )
    },
  },
  {
    id: 'introspection/token-type',
    clause: clause(
      '2.2',
      'MUST',
      'The member token_type is that of the token response, such as Bearer.',
    ),
    depth: 'people',
    ...OWN,
    change:
      'Send "token_type":"Bearer". The words access_token and refresh_token are hints of requests.',
    async run(on) {
      const { tokens, answer } = await described(on)
      const { token_type: type } = answer.json
      if (type === undefined) throw new Stop(notApplicable('the answer has no token_type'))
      const issued = tokens.answer.json['token_type']
      const [said, issuedAs] = [type, issued].map((one) => JSON.stringify(one))
      return judge(
        said?.toLowerCase() === issuedAs?.toLowerCase(),
        `token_type is ${said}`,
        `token_type is ${said}, and ${issuedAs} in the token response`,
      )
    },
  },
  {
    id: 'introspection/issuer',
    clause: clause('2.2', 'MUST', 'The member iss is the issuer of the token.'),
    depth: 'people',
    ...OWN,
    change: 'Send the issuer as the metadata names it, letter by letter.',
    async run(on) {
      const { iss } = (await described(on)).answer.json
      if (iss === undefined) throw new Stop(notApplicable('the answer has no iss'))
      const issuer = (await on.server())['issuer'] ?? on.issuer
      return judge(
        iss === issuer,
        'iss is the issuer of the server',
        `iss is ${JSON.stringify(iss)}, and the issuer ${JSON.stringify(issuer)}`,
      )
    },
  },
  {
    id: 'introspection/wrong-hint',
    clause: clause(
      '2.1',
      'MUST',
      'A token that is not of the hinted type is searched among all other types.',
    ),
    depth: 'people',
    ...OWN,
    change: 'If the hint leads to no token, look among the tokens of every other type.',
    async run(on) {
      const { tokens } = await described(on)
      const { json } = await ask(on, tokens.accessToken, { token_type_hint: 'refresh_token' })
      return judge(
        json['active'] === true,
        'an access token is found with the hint refresh_token',
        'an access token is not found with the hint refresh_token',
      )
    },
  },
  {
    id: 'introspection/refresh-token',
    clause: {
      document: 'RFC 6749',
      section: '1.5',
      level: 'SHOULD NOT',
      says: 'A refresh token is only for the authorization server, so no resource server learns that it can accept it.',
    },
    depth: 'people',
    ...OWN,
    change: 'Describe a refresh token without token_type, or as not active.',
    async run(on) {
      const { refreshToken } = await ownTokens(on)
      if (refreshToken === null) throw new Stop(notApplicable('the server issued no refresh token'))
      const { active, token_type: type } = (await ask(on, refreshToken)).json
      return judge(
        active !== true || typeof type !== 'string' || !/^(?:bearer|dpop)$/i.test(type),
        `a refresh token is ${active === true ? 'active' : 'not active'}, and no access token`,
        `a refresh token is active, with the token_type ${String(type)} of an access token`,
      )
    },
  },
  {
    id: 'introspection/says-no-more',
    clause: clause(
      '2.2',
      'SHOULD NOT',
      'Of a token that is not active the answer says nothing else, not even why.',
    ),
    depth: 'people',
    shares: [{ name: 'a revoked access token', authorizations: 1 }],
    change: 'Answer {"active":false} and no other member.',
    async run(on) {
      const made = await ask(on, newSecret())
      const revoked = await revokedAccess(on).catch(() => null)
      const all = [made]
      if (revoked?.answer.status === 200) all.push(await ask(on, revoked.tokens.accessToken))
      const inactive = all.filter(({ json }) => json['active'] === false)
      if (inactive.length === 0)
        throw new Stop(notReached(`no token is not active: ${shown(made)}`))
      const further = inactive.flatMap(({ json }) =>
        Object.keys(json).filter((name) => name !== 'active'),
      )
      return judge(
        further.length === 0,
        'the answer has no other member than active',
        `the answer also has ${further.join(', ')}`,
      )
    },
  },
  {
    id: 'introspection/other-client',
    clause: clause(
      '4',
      'SHOULD',
      'The caller is authorized to ask: a client that anyone can register learns nothing of the tokens of others.',
    ),
    depth: 'people',
    creates: { clients: 1 },
    change:
      'Let a client ask about its own tokens, and only the resource servers that you name about all.',
    async run(on) {
      await on.endpoint('introspection_endpoint')
      await on.requires('token_endpoint_auth_methods_supported', 'client_secret_post')
      const { accessToken } = await on.sharedTokens()
      const { json } = await on.register({ token_endpoint_auth_method: 'client_secret_post' })
      const { client_id: id, client_secret: secret } = json
      if (typeof id !== 'string' || typeof secret !== 'string')
        throw new Stop(notApplicable('a registration leads to no client with a secret'))
      const answer = await on.introspect(accessToken, { client_id: id, client_secret: secret })
      return judge(
        answer.json['active'] !== true,
        `a new client learns nothing of the token of another: ${shown(answer)}`,
        `a new client learns of the token of another: ${Object.keys(answer.json).join(', ')}`,
      )
    },
  },
]

/** When an answer came, by the clock of the server if it says. */
const secondsOf = ({ headers }: Answer): number => {
  const at = Date.parse(headers.get('date') ?? '')
  return Math.floor((Number.isNaN(at) ? Date.now() : at) / 1000)
}
