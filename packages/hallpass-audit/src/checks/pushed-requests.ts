import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, rfc6749, rfc9126 } from '../clause.js'
import { type Finding, judge, notApplicable, notReached, type Shown, Stop } from '../finding.js' // prettier-ignore
import { type Audit, type Changes, type Client, isPublic } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { wordsOf, WRONG_TYPE } from './asking.js'
import { firstNotHeld, isRefused, LEAST_BITS, mostBits, refusalOf } from './expect.js'

// prettier-ignore
const TEXT = {
  created: rfc9126('2.2', MUST, AS, 'If the verification is successful, the server MUST generate a request URI and provide it in the response with a "201" HTTP status code. … expires_in A JSON number that represents the lifetime of the request URI in seconds as a positive integer.'),
  post: rfc9126('2.3', ADVICE, AS, 'A request is pushed by POST. One in a query, which logs keep, is answered by 405.'),
  validated: rfc9126('2.1', MUST, AS, 'The authorization server MUST process the request as follows: … 3. Validate the pushed request as it would an authorization request sent to the authorization endpoint.'),
  error: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following:'),
  redirectUri: rfc9126('7.2', MUST, AS, 'The authorization server MUST only accept new redirect URIs in the pushed authorization request from authenticated clients.'),
  nested: rfc9126('2.1', MUST, AS, 'The authorization server MUST process the request as follows: … 2. Reject the request if the "request_uri" authorization request parameter is provided.'),
  authenticated: rfc9126('2.1', MUST, AS, 'The authorization server MUST process the request as follows: … 1. Authenticate the client in the same way as at the token endpoint (Section 2.3 of [RFC6749]).'),
  unguessable: rfc9126('2.2', MUST, AS, 'The format of the "request_uri" value is at the discretion of the authorization server, but it MUST contain some part generated using a cryptographically strong pseudorandom algorithm such that it is computationally infeasible to predict or guess a valid value'),
}

export const ELSEWHERE = 'https://audit.invalid/callback'
/** The parameters of a request that a `request_uri` takes the place of. */
const INSTEAD: Changes = Object.fromEntries(
  ['response_type', 'redirect_uri', 'scope', 'code_challenge', 'code_challenge_method', 'resource', 'state', 'nonce'].map((name) => [name, null]),
) // prettier-ignore

/** A request that was pushed. */
interface Pushed extends Shown {
  readonly state: string
  readonly uri: string
  readonly presented: Changes
}

/** Pushes a request that is right but for the changes, as its client. */
export async function push(
  on: Audit,
  changes: Changes = {},
  of?: Client,
): Promise<{ readonly state: string; readonly answer: Answer }> {
  const endpoint = await on.endpoint('pushed_authorization_request_endpoint')
  const client = of ?? (await on.client())
  const { url, state } = on.request(client, changes)
  const secret = client.secret === null ? {} : { client_secret: client.secret }
  const answer = await on.form(endpoint, { ...secret, ...Object.fromEntries(url.searchParams) })
  return { state, answer }
}

/** Returns the parameters that a browser presents for a request that was pushed. */
export const presenting = (request_uri: string): Changes => ({ ...INSTEAD, request_uri })

/** Pushes a right request, and returns what a browser then presents. */
export async function pushed(on: Audit, of?: Client): Promise<Pushed> {
  const { answer, state } = await push(on, {}, of)
  const { request_uri: uri } = answer.json
  if (answer.status >= 300 || typeof uri !== 'string')
    throw new Stop(notReached(`no request_uri was issued: ${describeError(answer)}`, answer))
  return { state, uri, presented: presenting(uri), exchange: answer.exchange }
}

/** Stops unless a right request can be pushed: without that, a refusal says nothing. */
export const works = (on: Audit): Promise<Pushed> => on.once('a pushed request', () => pushed(on))

export const describeError = ({ status, json }: Answer): string =>
  `${status} ${typeof json['error'] === 'string' ? json['error'] : 'without an error'}`

/** Makes the check of a request that no server accepts when it is pushed, in each of its shapes. */
const refused = (
  name: string,
  clause: Clause,
  change: string,
  shapesOf: (on: Audit) => Promise<readonly Changes[]>,
): Check => ({
  id: `pushed-requests/${name}`,
  clause,
  depth: 'anonymous',
  change,
  async run(on) {
    await works(on)
    return firstNotHeld(await shapesOf(on), async (changes): Promise<Finding> => {
      const { answer } = await push(on, changes)
      const where = `${wordsOf(changes)} is answered by ${describeError(answer)}`
      const isUnaccepted = isRefused(answer) && answer.json['request_uri'] === undefined
      return judge(answer, isUnaccepted, where, where)
    })
  },
})

/** Pushed authorization requests: parameters that no browser carries. */
export const pushedRequests: readonly Check[] = [
  {
    id: 'pushed-requests/created',
    clause: TEXT.created,
    depth: 'anonymous',
    change:
      'Answer 201 with {"request_uri": "urn:ietf:params:oauth:request_uri:…", "expires_in": 60}. The number is not a string.',
    async run(on) {
      const { answer } = await push(on)
      if (answer.status >= 400) return notReached(`the push is refused: ${describeError(answer)}`, answer) // prettier-ignore
      const { request_uri: uri, expires_in: seconds } = answer.json
      const isRight = typeof uri === 'string' && Number.isInteger(seconds) && Number(seconds) > 0
      return judge(answer, answer.status === 201 && isRight, `201 with expires_in ${JSON.stringify(seconds)}`, `${describeError(answer)}, request_uri ${typeof uri}, expires_in ${JSON.stringify(seconds)}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/post-only',
    clause: TEXT.post,
    depth: 'anonymous',
    change: 'Route POST only, and answer 405 to every other method.',
    async run(on) {
      await works(on)
      const { url } = on.request(await on.client())
      const endpoint = await on.endpoint('pushed_authorization_request_endpoint')
      const answer = await on.send(endpoint + url.search)
      const where = `GET is answered by ${answer.status}`
      if (answer.status >= 500) return notReached(where, answer)
      return judge(answer, answer.status >= 400 && answer.json['request_uri'] === undefined, where, where) // prettier-ignore
    },
  },
  refused('errors', TEXT.validated, 'Validate the whole request when it is pushed.', async () => [
    { response_type: WRONG_TYPE },
  ]),
  {
    id: 'pushed-requests/error-format',
    clause: TEXT.error,
    depth: 'anonymous',
    change:
      'Answer 400 with {"error": …} as JSON: there is no browser to redirect or to show a page to.',
    async run(on) {
      await works(on)
      const { answer } = await push(on, { response_type: WRONG_TYPE })
      const type = answer.headers.get('content-type') ?? ''
      if (answer.status < 400) return notReached(`nothing is refused: ${answer.status}`, answer)
      const finding = refusalOf(answer, ['unsupported_response_type', 'invalid_request'], 'an unknown response_type') // prettier-ignore
      const isJson = /^application\/json/i.test(type)
      return judge(answer, finding.verdict === 'held' && isJson, finding.found, `${finding.found}, as ${type}`) // prettier-ignore
    },
  },
  refused(
    'redirect-uri',
    TEXT.redirectUri,
    'Compare redirect_uri with the registered ones when the request is pushed, as the authorization endpoint does.',
    async (on) => {
      const client = await on.client()
      if (!isPublic(client)) throw new Stop(notApplicable('the client authenticates'))
      const { redirectUri } = client
      const near = [`${redirectUri}x`, `${redirectUri}/../other`, redirectUri.replace('://', '://audit.invalid\\@')] // prettier-ignore
      return [ELSEWHERE, ...near].map((redirect_uri) => ({ redirect_uri }))
    },
  ),
  refused(
    'nested',
    TEXT.nested,
    'Refuse request_uri at this endpoint, before anything reads it: it may be an address to fetch.',
    async (on) => [
      { request_uri: `urn:ietf:params:oauth:request_uri:${newSecret()}` },
      { request_uri: (await works(on)).uri },
    ],
  ),
  {
    id: 'pushed-requests/client-authentication',
    clause: TEXT.authenticated,
    depth: 'anonymous',
    change: 'Authenticate the client as at the token endpoint, before you read the request.',
    async run(on) {
      const client = { ...(await on.client('confidential')), secret: newSecret() }
      const { answer } = await push(on, {}, client)
      return refusalOf(answer, ['invalid_client'], 'a wrong client secret')
    },
  },
  {
    id: 'pushed-requests/unguessable',
    clause: TEXT.unguessable,
    depth: 'anonymous',
    change: 'Make request_uri of at least 128 random bits, from a cryptographic source.',
    async run(on) {
      const [first, second] = [await pushed(on), await pushed(on)]
      const bits = mostBits([first.uri, second.uri])
      return judge(second, bits >= LEAST_BITS, `two of them differ in up to ${bits} bits`, `two of them differ in at most ${bits} bits`) // prettier-ignore
    },
  },
]
