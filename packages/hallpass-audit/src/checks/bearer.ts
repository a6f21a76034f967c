import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, rfc6749, rfc6750, rfc9110, RS, SHOULD, SHOULD_NOT } from '../clause.js' // prettier-ignore
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isTaken, type Place } from '../engine/audit.js'
import { asksForToken, type Challenge, challenged, challengesOf } from '../engine/challenge.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { firstNotHeld, NARROW, narrowTokens } from './expect.js'

// prettier-ignore
const TEXT = {
  challenge: rfc6750('3', MUST, RS, 'If the protected resource request does not include authentication credentials or does not contain an access token that enables access to the protected resource, the resource server MUST include the HTTP "WWW-Authenticate" response header field'),
  noError: rfc6750('3.1', SHOULD_NOT, RS, 'If the request lacks any authentication information (e.g., the client was unaware that authentication is necessary or attempted using an unsupported authentication method), the resource server SHOULD NOT include an error code or other error information.'),
  header: rfc6750('2.1', MUST, RS, 'Clients SHOULD make authenticated requests with a bearer token using the "Authorization" request header field with the "Bearer" HTTP authorization scheme. Resource servers MUST support this method.'),
  scheme: rfc9110('2.4', MUST, RS, 'A recipient MUST interpret a received protocol element according to the semantics defined for it by this specification … It uses a case-insensitive token to identify the authentication scheme'),
  validate: rfc6749('7', MUST, RS, 'The resource server MUST validate the access token and ensure that it has not expired and that its scope covers the requested resource.'),
  every401: rfc9110('11.6.1', MUST, RS, 'A server generating a 401 (Unauthorized) response MUST send a WWW-Authenticate header field containing at least one challenge.'),
  invalid: rfc6750('3.1', SHOULD, RS, 'invalid_token The access token provided is expired, revoked, malformed, or invalid for other reasons. The resource SHOULD respond with the HTTP 401 (Unauthorized) status code.'),
  syntax: rfc6750('3', MUST_NOT, RS, 'The "error", "error_description", and "error_uri" attributes MUST NOT appear more than once. … Values for the "error" and "error_description" attributes (specified in Appendixes A.7 and A.8 of [RFC6749]) MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E.'),
  repeated: rfc6749('10.3', ADVICE, RS, 'Errors are logged and shown, so that a token in them comes to others.'),
  modified: rfc6749('10.3', MUST, AS, 'The authorization server MUST ensure that access tokens cannot be generated, modified, or guessed to produce valid access tokens by unauthorized parties.'),
  malformed: rfc6750('3.1', SHOULD, RS, 'invalid_request The request is missing a required parameter, includes an unsupported parameter or parameter value, repeats the same parameter, uses more than one method for including an access token, or is otherwise malformed. The resource server SHOULD respond with the HTTP 400 (Bad Request) status code.'),
  otherScheme: rfc6750('2', ADVICE, RS, 'Clients send a bearer token with the scheme Bearer. Whatever else a server takes is one more way that no one looks at.'),
  query: rfc6750('2.3', ADVICE, RS, 'RFC 6750 allows tokens in the query, and OAuth 2.1 forbids it: addresses end up in logs, histories and Referer headers.'),
  scope: rfc6750('3.1', SHOULD, RS, 'insufficient_scope The request requires higher privileges than provided by the access token. The resource server SHOULD respond with the HTTP 403 (Forbidden) status code'),
}

/** An answer of a place. */
interface Tried {
  readonly place: Place
  readonly answer: Answer
  /** Whether the token was taken as valid. */
  readonly isRead: boolean
}

/** The places at which access tokens are tried. Stops if there are none. */
async function placesOf(on: Audit): Promise<readonly Place[]> {
  const places = await on.places()
  if (places.length > 0) return places
  throw new Stop(notApplicable('no path is known that requires a token: give `surfaces` in the file of --sign-in'))
} // prettier-ignore

async function tryAt(
  places: readonly Place[],
  request: Parameters<Place['send']>[0],
): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const place of places) {
    const answer = await place.send(request)
    tried.push({ place, answer, isRead: await place.isRead(answer) })
  }
  return tried
}

const bearing = (token: string) => ({
  headers: { authorization: `Bearer ${token}` },
  session: token,
})

/** Returns how each place answers a request without a token. */
const strangers = (on: Audit): Promise<readonly Tried[]> =>
  on.once('strangers', async () => tryAt(await placesOf(on), {}))

/** The answers to a token that the server never issued. */
const invented = (on: Audit): Promise<readonly Tried[]> =>
  on.once('invented token', async () => tryAt(await placesOf(on), bearing(newSecret())))

/** The answers to a valid token. A token of one resource may be refused by another, so one that accepts it is enough. */
const holders = (on: Audit): Promise<readonly Tried[]> =>
  on.once('holders', async () => {
    const { accessToken } = await on.sharedTokens()
    return tryAt(await placesOf(on), bearing(accessToken))
  })

/** The places that take the shared token: there a refusal says something. */
async function guarded(on: Audit): Promise<readonly Place[]> {
  const tried = await holders(on)
  const places = tried.filter(({ isRead }) => isRead).map(({ place }) => place)
  if (places.length > 0) return places
  throw new Stop(notReached('no path takes the token of the audit', tried[0]?.answer))
}

const statuses = (tried: readonly Tried[]): string =>
  tried.map(({ place, answer }) => `${place.surface} ${answer.status}`).join(', ')

/** Held if every answer is right. The first one that is not decides. */
function all(tried: readonly Tried[], isRight: (answer: Answer, tried: Tried) => boolean, good: string, bad: string): Finding {
  const wrong = tried.filter((one) => !isRight(one.answer, one))
  // A path that fails has neither accepted nor refused.
  const failed = tried.filter(({ answer }) => answer.status >= 500)
  if (wrong[0] !== undefined) return violated(wrong[0].answer, `${bad}: ${statuses(wrong)}`)
  if (failed[0] !== undefined) return notReached(statuses(failed), failed[0].answer)
  return held(tried.at(-1)!.answer, `${good}: ${statuses(tried)}`)
} // prettier-ignore

const refused = (tried: readonly Tried[], what: string): Finding =>
  all(tried, (_, { isRead }) => !isRead, `${what} is refused`, `${what} is accepted`)

/** Held if every place that takes the token refuses each of these headers, which are made of it. */
const refuses = (variants: (token: string) => Readonly<Record<string, string>>): Check['run'] => async (on) => {
  const { accessToken: session } = await on.sharedTokens()
  const places = await guarded(on)
  return firstNotHeld(Object.entries(variants(session)), async ([what, authorization]) =>
    refused(await tryAt(places, { headers: { authorization }, session }), what),
  )
} // prettier-ignore

/** Whether a challenge names each attribute once, and its texts have only the characters that they may have. */
const isWellFormed = ({ parameters }: Challenge): boolean =>
  new Set(parameters.map(([name]) => name)).size === parameters.length &&
  parameters.every(([name, value]) => !name.startsWith('error') || /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(value)) // prettier-ignore

const basic = (credentials: string): string =>
  `Basic ${Buffer.from(credentials).toString('base64')}`

/** Access tokens at the paths that require one. */
export const bearer: readonly Check[] = [
  {
    id: 'bearer/challenge', clause: TEXT.challenge, depth: 'anonymous',
    change: 'Answer 401 with WWW-Authenticate: Bearer at every path that requires a token. A redirect to a page helps no API client.',
    async run(on) {
      // An MCP endpoint may have public tools. Every other place was named because it requires a token.
      const tried = (await strangers(on)).filter(({ place, answer }) => place.surface !== '/mcp' || !isTaken(answer))
      if (tried.length === 0) return notApplicable('no path requires a token')
      const isRight = (answer: Answer): boolean =>
        !isTaken(answer) && answer.status >= 400 && asksForToken(answer.headers)
      return all(tried, isRight, 'each refuses, and asks for a token', 'a request without a token is not refused with a challenge')
    },
  },
  {
    id: 'bearer/no-error-without-token', clause: TEXT.noError, depth: 'anonymous',
    change: 'Leave error and error_description out of the challenge if there is no Authorization header.',
    async run(on) {
      const asked = (await strangers(on)).filter(({ answer }) => asksForToken(answer.headers))
      if (asked.length === 0) return notApplicable('no path answers with a challenge')
      return all(asked, ({ headers }) => challenged(headers, 'error') === null, 'no challenge has an error', 'the challenge has an error although no token was sent')
    },
  },
  {
    id: 'bearer/header', clause: TEXT.header, depth: 'people',
    change: 'Read the token from Authorization: Bearer at every path that requires one.',
    async run(on) {
      const tried = await holders(on)
      const read = tried.filter(({ isRead }) => isRead)
      const [first] = [...read, ...tried]
      return judge(first!.answer, read.length > 0, `a valid token is accepted: ${statuses(read)}`, `a valid token is refused: ${statuses(tried)}`)
    },
  },
  {
    id: 'bearer/scheme-case', clause: TEXT.scheme, depth: 'people',
    change: 'Compare the scheme without regard to case (RFC 9110, section 11.1): bearer, Bearer and BEARER are one.',
    async run(on) {
      const { accessToken: session } = await on.sharedTokens()
      const tried = await tryAt(await guarded(on), { headers: { authorization: `bEARER ${session}` }, session })
      return all(tried, (_, { isRead }) => isRead, 'bEARER is accepted', 'bEARER is refused')
    },
  },
  {
    id: 'bearer/unknown-token', clause: TEXT.validate, depth: 'anonymous',
    change: 'If there is an Authorization header, verify the token and answer 401 unless it is valid. Serve as anonymous only a request without the header.',
    run: async (on) => all(await invented(on), (answer) => !isTaken(answer), 'an invented token is refused', 'an invented token is accepted'),
  },
  {
    id: 'bearer/refusal-challenge', clause: TEXT.every401, depth: 'anonymous',
    change: 'Send WWW-Authenticate with every 401, also if a token was sent.',
    async run(on) {
      const answers = (await invented(on)).filter(({ answer }) => answer.status === 401)
      if (answers.length === 0) return notReached('no path answers an invented token with 401')
      return all(answers, ({ headers }) => challengesOf(headers).length > 0, 'each 401 to a token has a challenge', 'a 401 to a token has no challenge')
    },
  },
  {
    id: 'bearer/invalid-token-error', clause: TEXT.invalid, depth: 'anonymous',
    change: 'Answer an unknown, expired or revoked token by 401 with error="invalid_token" in the challenge.',
    async run(on) {
      const answers = (await invented(on)).filter(({ answer }) => !isTaken(answer))
      if (answers.length === 0) return notReached('no path refuses an invented token')
      const isRight = ({ status, headers }: Answer): boolean =>
        status === 401 && (!asksForToken(headers) || challenged(headers, 'error') === 'invalid_token')
      return all(answers, isRight, 'each answers invalid_token', 'the answer is not 401 with invalid_token')
    },
  },
  {
    id: 'bearer/challenge-syntax', clause: TEXT.syntax, depth: 'anonymous',
    change: 'Write fixed texts into the challenge, and nothing that the request contains.',
    async run(on) {
      const tried = await tryAt(await placesOf(on), bearing('x",error="none",scope="everything'))
      if (tried.every(({ answer }) => challengesOf(answer.headers).length === 0)) return notReached('no answer has a challenge')
      return all(tried, ({ headers }) => challengesOf(headers).every(isWellFormed), 'each challenge is well formed', 'the challenge repeats an attribute, or has a character that it may not have')
    },
  },
  {
    id: 'bearer/token-not-repeated', clause: TEXT.repeated, depth: 'anonymous',
    change: 'Leave the token out of the texts of errors and of logs.',
    async run(on) {
      const token = `audit-${newSecret()}`
      const tried = await tryAt(await placesOf(on), bearing(token))
      return all(tried, ({ text, headers }) => !`${text}${[...headers].join(' ')}`.includes(token), 'no answer repeats the token', 'the answer repeats the token')
    },
  },
  {
    id: 'bearer/damaged-token', clause: TEXT.modified, depth: 'people',
    change: 'Compare the whole token, or verify its whole signature.',
    run: refuses((token) => ({
      'a token without its end': `Bearer ${token.slice(0, -6)}`,
      'a token with more after it': `Bearer ${token}audit`,
    })),
  },
  {
    id: 'bearer/malformed-header', clause: TEXT.malformed, depth: 'people',
    change: 'Parse the header by its grammar: `Bearer`, spaces, and one token of letters, digits and -._~+/ with = at its end.',
    run: refuses((token) => ({
      'a token without a scheme': token,
      'a token right after the scheme': `Bearer${token}`,
      'a token in quotes': `Bearer "${token}"`,
    })),
  },
  {
    id: 'bearer/two-tokens', clause: TEXT.malformed, depth: 'people',
    change: 'Refuse a request with more than one Authorization header, also if they were joined by a comma.',
    run: refuses((token) => ({
      'a second token before the valid one': `Bearer ${newSecret()}, Bearer ${token}`,
      'a second token after the valid one': `Bearer ${token}, Bearer ${newSecret()}`,
    })),
  },
  {
    id: 'bearer/other-scheme', clause: TEXT.otherScheme, depth: 'people',
    change: 'Accept a token with the scheme Bearer only, or DPoP if it is bound to a key.',
    run: refuses((token) => ({
      'a token as the name of Basic': basic(`${token}:`),
      'a token as the password of Basic': basic(`audit:${token}`),
      'a token with the scheme Token': `Token ${token}`,
    })),
  },
  {
    id: 'bearer/query', clause: TEXT.query, depth: 'people',
    change: 'Read the token from the Authorization header only.',
    async run(on) {
      const { accessToken: session } = await on.sharedTokens()
      return refused(await tryAt(await guarded(on), { query: { access_token: session }, session }), 'a token in the query')
    },
  },
  {
    id: 'bearer/two-methods', clause: TEXT.malformed, depth: 'people',
    change: 'If you read tokens from forms, answer 400 and invalid_request to a request that has one in the header too.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const userinfo = await on.endpoint('userinfo_endpoint')
      const form = { access_token: accessToken }
      const both = await on.form(userinfo, form, { authorization: `Bearer ${accessToken}` })
      const found = `a token in the header and in the form is answered by ${both.status}`
      if ([404, 405, 415, 501].includes(both.status)) return notApplicable(`UserInfo takes no form (${both.status})`, both)
      if (!isTaken(both)) return held(both, found)
      const alone = await on.form(userinfo, form)
      return isTaken(alone) ? violated(both, found) : notApplicable('UserInfo reads no token from a form', alone)
    },
  },
  {
    id: 'bearer/insufficient-scope', clause: TEXT.scope, depth: 'people', shares: [NARROW],
    change: 'Answer 403 with WWW-Authenticate: Bearer error="insufficient_scope", scope="…" to a valid token that lacks a scope.',
    async run(on) {
      const scoped = new Set((on.signIn?.surfaces ?? []).flatMap(({ path, scope }) => (scope === undefined ? [] : [path])))
      const places = (await guarded(on)).filter(({ surface }) => scoped.has(surface))
      if (places.length === 0) return notApplicable('no surface names the scope that it needs: give `scope` of it in the file of --sign-in')
      const { accessToken } = await narrowTokens(on)
      const answers = (await tryAt(places, bearing(accessToken))).filter(({ answer }) => answer.status >= 400)
      if (answers.length === 0) return notReached('no surface refused a token without its scope')
      const isRight = ({ status, headers }: Answer): boolean =>
        status === 403 && challenged(headers, 'error') === 'insufficient_scope'
      return all(answers, isRight, 'each answers insufficient_scope', 'the answer is not 403 with insufficient_scope')
    },
  },
] // prettier-ignore
