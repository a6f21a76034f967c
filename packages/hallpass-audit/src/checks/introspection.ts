import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc6749, rfc7519, rfc7662, SHOULD, SHOULD_NOT } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop } from '../finding.js'
import type { Audit, Changes, Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { encodePart } from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import { checksOf, errorOf, firstNotHeld, grantedScopes } from './expect.js'
import { revokedAccess } from './revocation.js'

// prettier-ignore
const TEXT = {
  authorization: rfc7662('2.1', MUST, AS, 'To prevent token scanning attacks, the endpoint MUST also require some form of authorization to access this endpoint'),
  authentication: rfc7662('4', MUST, AS, 'To prevent this, the authorization server MUST require authentication of protected resources that need to access the introspection endpoint'),
  status: rfc7662('2.3', ADVICE, AS, 'Wrong credentials of a client are answered by 401. The text says so without a word of RFC 2119.'),
  query: rfc6749('2.3.1', ADVICE, AS, 'A client secret comes in the body or in a header, and never in the address of a request, which logs keep. A server that reads it there invites mistakes.'),
  inactive: rfc7662('2.2', MUST, AS, 'If the introspection call is properly authorized but the token is not active, does not exist on this server, or the protected resource is not allowed to introspect this particular token, then the authorization server MUST return an introspection response with the "active" field set to "false".'),
  malformed: rfc7662('2.3', MUST, AS, 'In these cases, the authorization server MUST instead respond with an introspection response with the "active" field set to "false" as described in Section 2.2.'),
  active: rfc7662('2.2', MUST, AS, 'active REQUIRED. Boolean indicator of whether or not the presented token is currently active.'),
  json: rfc7662('2.2', MUST, AS, 'The server responds with a JSON object [RFC7159] in "application/json" format with the following top-level members. … active REQUIRED.'),
  members: rfc7662('2.2', ADVICE, AS, 'A member that is optional has its type and its meaning where it is sent: resource servers decide by it.'),
  expiry: rfc7519('4.1.4', MUST, AS, 'Its value MUST be a number containing a NumericDate value.'),
  scope: rfc6749('3.3', MUST, AS, 'If the issued access token scope is different from the one requested by the client, the authorization server MUST include the "scope" response parameter to inform the client of the actual scope granted.'),
  hint: rfc7662('2.1', MUST, AS, 'If the server is unable to locate the token using the given hint, it MUST extend its search across all of its supported token types.'),
  noMore: rfc7662('2.2', SHOULD_NOT, AS, "Note that to avoid disclosing too much of the authorization server's state to a third party, the authorization server SHOULD NOT include any additional information about an inactive token, including why the token is inactive."),
  allowed: rfc7662('4', SHOULD, AS, 'To prevent this, the authorization server MUST require authentication of protected resources that need to access the introspection endpoint and SHOULD require protected resources to be specifically authorized to call the introspection endpoint.'),
}

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
    throw new Stop(notReached(`the confidential client may not ask: ${answer.status}`, answer))
  return answer
}

/** Asks about a valid access token. A server may describe some tokens only, such as opaque ones. */
async function asked(on: Audit): Promise<{ readonly tokens: Tokens; readonly answer: Answer }> {
  const tokens = await ownTokens(on)
  const answer = await ask(on, tokens.accessToken)
  if (errorOf(answer) === UNSUPPORTED)
    throw new Stop(notApplicable('the server describes no access tokens of this kind', answer))
  return { tokens, answer }
}

/** The same, for a check that needs the description. */
async function described(on: Audit): ReturnType<typeof asked> {
  const { tokens, answer } = await asked(on)
  if (answer.json['active'] === true) return { tokens, answer }
  throw new Stop(notReached(`the client learns nothing of its own token: ${shown(answer)}`, answer))
}

const UNSUPPORTED = 'unsupported_token_type'

const shown = (answer: Answer): string =>
  `${answer.status} ${errorOf(answer) || `with active ${JSON.stringify(answer.json['active'])}`}`

/** Held if an answer tells nothing of a token. */
function learnsNothing(answer: Answer, who: string): Finding {
  if (answer.status >= 500) return notReached(`${who} is answered by ${answer.status}`, answer)
  return judge(answer, !('active' in answer.json), `${who} learns nothing: ${shown(answer)}`, `${who} learns of a token: ${shown(answer)}`) // prettier-ignore
}

const isInactive = ({ status, json }: Answer): boolean => status === 200 && json['active'] === false

/** A forged token, which a server believes that does not check signatures. */
const unsigned = (issuer: string): string =>
  `${encodePart({ alg: 'none', typ: 'at+jwt' })}.${encodePart({ iss: issuer, sub: 'hallpass-audit', exp: 4_000_000_000 })}.`

const isText = (value: unknown): boolean => typeof value === 'string'
/** The members of RFC 7662, section 2.2, and what they are. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(['scope', 'client_id', 'username', 'token_type', 'sub', 'iss', 'jti'].map((name) => [name, isText])),
  iat: Number.isSafeInteger,
  nbf: Number.isSafeInteger,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
} // prettier-ignore

const people = checksOf('introspection', { depth: 'people' })
const anonymous = checksOf('introspection', { depth: 'anonymous' })
const ofOwn = checksOf('introspection', { depth: 'people', ...OWN })

/** A member that has to be what the audit knows already. */
const member = (
  name: string,
  claim: string,
  change: string,
  expected: (on: Audit, tokens: Tokens) => unknown,
): Check => ofOwn(name, TEXT.members, change, async (on) => {
  const { tokens, answer } = await described(on)
  const value = answer.json[claim]
  if (value === undefined) return notApplicable(`the answer has no ${claim}`, answer)
  const [told, wanted] = [value, await expected(on, tokens)].map((one) => JSON.stringify(one) ?? 'missing')
  const isSame = claim === 'token_type' ? told!.toLowerCase() === wanted!.toLowerCase() : told === wanted
  return judge(answer, isSame, `${claim} is ${told}, and has to be ${wanted}`)
}) // prettier-ignore

/** Introspection: what a resource server learns of a token. */
export const introspection: readonly Check[] = [
  anonymous('authorization-required', TEXT.authorization, 'Authenticate the caller, and answer 401 without credentials, whatever the token is.', async (on) => {
    const endpoint = await on.endpoint('introspection_endpoint')
    const answer = await on.form(endpoint, { token: newSecret() })
    return learnsNothing(answer, 'a caller without credentials')
  }),
  people('public-client', TEXT.authentication, 'Answer 401 invalid_client to clients that send no secret and sign nothing.', async (on) => {
    const endpoint = await on.endpoint('introspection_endpoint')
    const confidential = await on.client('confidential').catch(() => null)
    const { accessToken } = await on.sharedTokens()
    const clients = { 'a public client': await on.client(), ...(confidential !== null && { 'a client without its secret': confidential }) }
    return firstNotHeld(Object.entries(clients), async ([who, { clientId }]) => {
      const fields = { token: accessToken, client_id: clientId, client_assertion: null }
      const answer = await on.form(endpoint, fields)
      // That no token is active tells a caller nothing.
      return answer.json['active'] === false
        ? held(answer, `${who} learns nothing: ${shown(answer)}`)
        : learnsNothing(answer, who)
    })
  }),
  anonymous('wrong-secret', TEXT.status, 'Answer 401 with the error invalid_client, as the token endpoint does.', async (on) => {
    const answer = await on.introspect(newSecret(), { client_secret: newSecret() })
    return judge(answer, answer.status === 401, `a wrong secret is answered by ${shown(answer)}`)
  }),
  anonymous('secret-in-query', TEXT.query, 'Read client_secret and token from the form only, and answer 405 to GET: addresses end up in logs.', async (on) => {
    const url = new URL(await on.endpoint('introspection_endpoint'))
    const { clientId, secret } = await on.client('confidential')
    if (secret === null) return notApplicable('there is no client with a secret')
    const fields = { token: newSecret(), client_id: clientId, client_secret: secret }
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
    return learnsNothing(await on.send(url), 'a client with its secret in the query')
  }),
  anonymous('unknown-token', TEXT.inactive, 'Answer 200 with {"active":false} if there is no such token.', async (on) => {
    const answer = await ask(on, newSecret())
    return judge(answer, isInactive(answer), `an unknown token is answered by ${shown(answer)}`)
  }),
  anonymous('malformed-token', TEXT.malformed, 'Answer 200 with {"active":false} if a token cannot be parsed or its signature is not yours.', async (on) => {
    const texts = { 'a text with a space': 'no token', 'a.b.c': 'a.b.c', 'an unsigned JSON Web Token': unsigned(on.origin) }
    return firstNotHeld(Object.entries(texts), async ([name, token]) => {
      const answer = await ask(on, token)
      const isRight = isInactive(answer) || errorOf(answer) === UNSUPPORTED
      return judge(answer, isRight, `${name} is answered by ${shown(answer)}`)
    })
  }),
  ofOwn('active', TEXT.active, 'Send active as true or false: a text such as "true" is not a boolean.', async (on) => {
    const { answer } = await asked(on)
    const { active } = answer.json
    // A server may decide that the client is not allowed to know.
    if (active === false) return notReached('the client learns nothing of its own token', answer)
    return judge(answer, active === true, `a valid access token is answered by ${shown(answer)}`)
  }),
  ofOwn('media-type', TEXT.json, 'Send the header Content-Type: application/json.', async (on) => {
    const { answer } = await described(on)
    const type = answer.headers.get('content-type') ?? 'nothing'
    return judge(answer, /^application\/json\b/i.test(type), `its type is ${type}`)
  }),
  ofOwn('members', TEXT.members, 'Send iat and nbf as seconds in whole numbers, and scope as one text with spaces.', async (on) => {
    const { answer } = await described(on)
    const wrong = Object.entries(answer.json).filter(([name, value]) => MEMBERS[name]?.(value) === false)
    return judge(
      answer,
      wrong.length === 0,
      `it has ${Object.keys(answer.json).join(', ')}`,
      `of another type: ${wrong.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}`,
    )
  }),
  ofOwn('expiry', TEXT.expiry, 'Send exp as a whole number of seconds since 1970: the time of issue and expires_in.', async (on) => {
    const { tokens, answer } = await described(on)
    const { exp, iat } = answer.json
    const { expires_in: seconds = TEN_YEARS } = tokens.answer.json
    if (exp === undefined) return notApplicable('the answer has no exp', answer)
    const from = typeof iat === 'number' ? iat : secondsOf(answer)
    // The clocks of two machines differ, and a token may end earlier with what it belongs to.
    const isRight = typeof exp === 'number' && exp > from && exp <= from + Number(seconds) + 60
    return judge(answer, isRight, `exp is ${JSON.stringify(exp)}, at ${from}, and expires_in was ${JSON.stringify(seconds)}`)
  }),
  ofOwn('scope', TEXT.scope, 'Send the scopes of the token itself: not those that the client may request.', async (on) => {
    const { tokens, answer } = await described(on)
    const { scope } = answer.json
    if (typeof scope !== 'string') return notApplicable('the answer has no scope', answer)
    const granted = grantedScopes(tokens)
    const further = scope.split(' ').filter((one) => !granted.includes(one))
    return judge(answer, further.length === 0, `scope is ${scope}`, `scope has ${further.join(' ')}, and the token response does not`)
  }),
  member('client', 'client_id', 'Send the identifier of the client to which the token was issued.',
    (_, { code }) => code.client.clientId),
  member('token-type', 'token_type', 'Send "token_type":"Bearer". The words access_token and refresh_token are hints of requests.',
    (_, { answer }) => answer.json['token_type']),
  member('issuer', 'iss', 'Send the issuer as the metadata names it, letter by letter.',
    async (on) => (await on.server())['issuer'] ?? on.issuer),
  ofOwn('wrong-hint', TEXT.hint, 'If the hint leads to no token, look among the tokens of every other type.', async (on) => {
    const { tokens } = await described(on)
    const answer = await ask(on, tokens.accessToken, { token_type_hint: 'refresh_token' })
    const found = `with the hint refresh_token an access token is answered by ${shown(answer)}`
    return judge(answer, answer.json['active'] === true, found)
  }),
  {
    id: 'introspection/says-no-more',
    clause: TEXT.noMore,
    depth: 'people',
    shares: [{ name: 'a revoked access token', authorizations: 1 }],
    change: 'Answer {"active":false} and no other member.',
    async run(on) {
      const revoked = await revokedAccess(on).catch(() => null)
      const tokens = [newSecret(), ...(revoked?.answer.status === 200 ? [revoked.tokens.accessToken] : [])] // prettier-ignore
      return firstNotHeld(tokens, async (token) => {
        const answer = await ask(on, token)
        if (answer.json['active'] !== false) return notReached(`no token is not active: ${shown(answer)}`, answer) // prettier-ignore
        const names = Object.keys(answer.json)
        return judge(answer, names.length === 1, `of a token that is not active, the answer has ${names.join(', ')}`) // prettier-ignore
      })
    },
  },
  {
    id: 'introspection/other-client',
    clause: TEXT.allowed,
    depth: 'people',
    creates: { clients: 1 },
    change:
      'Let a client ask about its own tokens, and only the resource servers that you name about all.',
    async run(on) {
      await on.endpoint('introspection_endpoint')
      await on.requires('token_endpoint_auth_methods_supported', 'client_secret_post')
      const { accessToken } = await on.sharedTokens()
      const made = await on.register({ token_endpoint_auth_method: 'client_secret_post' })
      const { client_id: id, client_secret: secret } = made.json
      if (typeof id !== 'string' || typeof secret !== 'string')
        return notApplicable('a registration leads to no client with a secret', made)
      const answer = await on.introspect(accessToken, { client_id: id, client_secret: secret })
      const found = `a new client that asks about the token of another one is answered by ${shown(answer)}`
      return judge(answer, answer.json['active'] !== true, found)
    },
  },
] // prettier-ignore

const TEN_YEARS = 315_360_000

/** When an answer came, by the clock of the server if it says. */
const secondsOf = ({ headers }: Answer): number => {
  const at = Date.parse(headers.get('date') ?? '')
  return Math.floor((Number.isNaN(at) ? Date.now() : at) / 1000)
}
