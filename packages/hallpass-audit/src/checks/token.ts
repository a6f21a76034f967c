import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, rfc6749, rfc9110, rfc9700, SHOULD } from '../clause.js'
import { type Finding, judge, notApplicable, notReached, violated } from '../finding.js'
import type { Audit, Changes, Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import {
  checksOf,
  errorOf,
  isRefused,
  isSelfContained,
  LEAST_BITS,
  madeUpExchange,
  mostBits,
  partOf,
  refusalOf,
} from './expect.js'

// prettier-ignore
const TEXT = {
  get: rfc9110('9.2.1', MUST, AS, 'If the purpose of such a resource is to perform an unsafe action, then the resource owner MUST disable or disallow that action when it is accessed using a safe request method.'),
  form: rfc6749('4.1.3', ADVICE, AS, 'A token request is a form: the one format that all clients send. In JSON a code can be an object, and not only a text.'),
  missing: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_request The request is missing a required parameter'),
  grantType: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … unsupported_grant_type The authorization grant type is not supported by the authorization server.'),
  repeated: rfc6749('5.2', ADVICE, AS, 'A parameter that comes twice is answered by invalid_request, so that two programs cannot read different values. The text binds who sends it.'),
  empty: rfc6749('3.2', MUST, AS, 'Parameters sent without a value MUST be treated as if they were omitted from the request.'),
  unknown: rfc6749('3.2', MUST, AS, 'The authorization server MUST ignore unrecognized request parameters.'),
  error: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … Values for the "error_description" parameter MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E.'),
  status: rfc6749('5.2', ADVICE, AS, 'The status of an error is 400, or 401 if the client could not authenticate: the text says so without a word of RFC 2119.'),
  malformed: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_request The request … is otherwise malformed.'),
  large: rfc9110('15.5.14', ADVICE, AS, 'A body that is larger than the server reads is answered by 413, or by another 4xx: a failure of the server would be sent again.'),
  password: rfc9700('2.4', MUST_NOT, AS, 'The resource owner password credentials grant [RFC6749] MUST NOT be used.'),
  json: rfc6749('5.1', MUST, AS, 'access_token REQUIRED. The access token issued by the authorization server. … The parameters are included in the entity-body of the HTTP response using the "application/json" media type'),
  type: rfc6749('5.1', MUST, AS, 'token_type REQUIRED. The type of the token issued as described in Section 7.1.'),
  lifetime: rfc6749('5.1', SHOULD, AS, 'expires_in RECOMMENDED. The lifetime in seconds of the access token. … Numerical values are included as JSON numbers.'),
  scope: rfc6749('3.3', MUST, AS, 'If the issued access token scope is different from the one requested by the client, the authorization server MUST include the "scope" response parameter to inform the client of the actual scope granted.'),
  guessing: rfc6749('10.10', MUST, AS, 'The probability of an attacker guessing generated tokens (and other credentials not intended for handling by end-users) MUST be less than or equal to 2^(-128)'),
}

/** The characters that an error and its description may have. */
const ERROR_TEXT = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/

/** Sends a code that no server issued, in a request that is right but for the changes. */
const exchange = async (on: Audit, changes: Changes): Promise<Answer> =>
  on.form(await on.endpoint('token_endpoint'), { ...(await madeUpExchange(on)), ...changes })

/**
 * The same, with the secret of a confidential client where a client without one is refused first: which of two mistakes
 * a server finds first is its own choice.
 */
async function ofKnownClient(on: Audit, changes: Changes): Promise<Answer> {
  const answer = await exchange(on, changes)
  if (errorOf(answer) !== 'invalid_client') return answer
  const client = await on.client('confidential').catch(() => null)
  if (client === null) return answer
  return exchange(on, { ...changes, client_id: client.clientId, client_secret: client.secret })
}

/** Held unless the server has looked for what such a request brings: `invalid_grant` says that it did. */
function isNotRead(answer: Answer, what: string): Finding {
  const found = `${what} is answered by ${said(answer)}`
  // A server that fails may have failed at the code, which it has read then.
  if (answer.status >= 500) return notReached(found, answer)
  const isRead = errorOf(answer) === 'invalid_grant' || 'access_token' in answer.json
  return judge(answer, !isRead, found, `${found}: the server has read it`)
}

const isClientError = (answer: Answer, what: string): Finding =>
  judge(
    answer,
    answer.status >= 400 && answer.status < 500,
    `${what} is answered by ${answer.status}`,
  )

const said = (answer: Answer): string => `${answer.status} ${errorOf(answer)}`.trim()

/** Held if two requests are answered by the same error. */
async function alike(on: Audit, changes: readonly [Changes, Changes], what: readonly string[]): Promise<Finding> {
  const [one, other] = [await exchange(on, changes[0]), await exchange(on, changes[1])]
  const found = `${what[0]} is answered by ${said(one)}, and ${what[1]} by ${said(other)}`
  return isRefused(one) ? judge(other, said(one) === said(other), found) : notReached(found, one)
} // prettier-ignore

/** A list of scopes as section 3.3 of RFC 6749 writes it. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/
/** Scopes that ask for claims or for a refresh token, which introspection need not repeat. */
const OF_OPENID = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])
const TEN_YEARS = 315_360_000

const typeOf = ({ headers }: Answer): string => headers.get('content-type') ?? 'missing'

const isJson = (answer: Answer): boolean =>
  /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(typeOf(answer))

/** Held if an answer with tokens says how the client uses them. */
export function typed(answer: Answer, { code }: Tokens): Finding {
  const { token_type: type } = answer.json
  const isRight = code.client.proof === undefined ? /^bearer$/i : /^(?:bearer|dpop)$/i
  const found = `token_type is ${JSON.stringify(type) ?? 'missing'}`
  return judge(answer, typeof type === 'string' && isRight.test(type), found)
}

const anonymous = checksOf('token', { depth: 'anonymous' })
const people = checksOf('token', { depth: 'people' })
const withOne = checksOf('token', { depth: 'people', creates: { authorizations: 1 } })

/** The token endpoint: its method, its form, its answers and its errors. */
export const token: readonly Check[] = [
  anonymous('post-only', TEXT.get, 'Answer every other method than POST with 405, before anything of the request is read.', async (on) => {
    const url = new URL(await on.endpoint('token_endpoint'))
    for (const [name, value] of Object.entries(await madeUpExchange(on)))
      url.searchParams.append(name, value)
    return isNotRead(await on.send(url), 'a GET')
  }),
  anonymous('form-only', TEXT.form, 'Read only application/x-www-form-urlencoded, and answer other media types with 415.', async (on) => {
    const answer = await on.send(await on.endpoint('token_endpoint'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(await madeUpExchange(on)),
    })
    return isNotRead(answer, 'a body of JSON')
  }),
  anonymous('grant-type-required', TEXT.missing, 'Answer a request without grant_type with invalid_request.', async (on) => {
    const answer = await ofKnownClient(on, { grant_type: null })
    return refusalOf(answer, ['invalid_request'], 'no grant_type')
  }),
  anonymous('unsupported-grant-type', TEXT.grantType, 'Answer an unknown grant_type with unsupported_grant_type.', async (on) => {
    const answer = await ofKnownClient(on, { grant_type: 'urn:hallpass:audit' })
    return refusalOf(answer, ['unsupported_grant_type'], 'an unknown grant type')
  }),
  anonymous('repeated-parameter', TEXT.repeated, 'Refuse a form in which a parameter other than resource or audience occurs more than once with invalid_request.', async (on) => {
    const answer = await exchange(on, { code: ['one-made-up-code', 'another-made-up-code'] })
    return refusalOf(answer, ['invalid_request'], 'a code that is sent twice')
  }),
  anonymous('empty-parameter', TEXT.empty, 'Drop the parameters of the form that have no value, before anything else reads it.',
    (on) => alike(on, [{ code: null }, { code: '' }], ['no code', 'an empty one'])),
  anonymous('unknown-parameter', TEXT.unknown, 'Let the schema of the form accept further members, and ignore them.', 
    (on) => alike(on, [{}, { hallpass_audit: 'further' }], ['a request', 'one with an unknown parameter'])),
  anonymous('error-format', TEXT.error, 'Answer errors with Content-Type: application/json and {"error": "…", "error_description": "…"}. Keep the description in English, or leave it out.', async (on) => {
    const answer = await exchange(on, {})
    const { error_description: description = '' } = answer.json
    const error = errorOf(answer)
    if (!isJson(answer) || error === '')
      return violated(answer, `an unknown code is answered by ${answer.status} ${typeOf(answer)} without an error`)
    return judge(
      answer,
      [error, description].every((one) => typeof one === 'string' && ERROR_TEXT.test(one)),
      `the error is JSON: ${error}`,
      `the error is ${JSON.stringify(error)}, and error_description is ${JSON.stringify(description)}`,
    )
  }),
  anonymous('error-status', TEXT.status, 'Answer invalid_grant, and every error but invalid_client, with the status 400.', async (on) => {
    const answer = await exchange(on, {})
    const { status } = answer
    const isRight = status === 400 || (status === 401 && errorOf(answer) === 'invalid_client')
    return judge(answer, isRight, `the status of ${errorOf(answer)} is ${status}`)
  }),
  anonymous('malformed-form', TEXT.malformed, 'Catch what the parser of the form throws, and answer 400 and invalid_request.', async (on) => {
    const { code: _, ...fields } = await madeUpExchange(on)
    const answer = await on.send(await on.endpoint('token_endpoint'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: `code=%zz%ff%&&=&%&${new URLSearchParams(fields).toString()}`,
    })
    return isClientError(answer, 'a form with broken percent encoding')
  }),
  anonymous('large-form', TEXT.large, 'Limit the body to some kilobytes, and answer a larger one with 413.',
    async (on) => isClientError(await exchange(on, { code: 'x'.repeat(1024 * 1024) }), 'a form of 1 MB')),
  anonymous('no-password', TEXT.password, 'Remove the grant type password, and answer it with unsupported_grant_type.', async (on) => {
    const { clientId, secret } = await on.client()
    const answer = await on.form(await on.endpoint('token_endpoint'), {
      grant_type: 'password',
      username: 'no-one@hallpass-audit.invalid',
      password: 'a password that no one has',
      client_id: clientId,
      client_secret: secret,
    })
    return isNotRead(answer, 'a name with a password')
  }),
  people('media-type', TEXT.json, 'Answer with Content-Type: application/json.', async (on) => {
    const { answer } = await on.sharedTokens()
    return judge(answer, isJson(answer), `Content-Type is ${typeOf(answer)}`)
  }),
  people('token-type', TEXT.type, 'Add "token_type": "Bearer" to the answer.', async (on) => {
    const tokens = await on.sharedTokens()
    return typed(tokens.answer, tokens)
  }),
  people('expires-in', TEXT.lifetime, 'Make expires_in a number, such as 3600: the seconds that are left, and no time or text.', async (on) => {
    const { answer } = await on.sharedTokens()
    const { expires_in: seconds } = answer.json
    if (seconds === undefined) return notApplicable('the answer has no expires_in', answer)
    const isNumber = typeof seconds === 'number' && seconds > 0 && seconds < TEN_YEARS
    return judge(answer, isNumber, `expires_in is ${JSON.stringify(seconds)}`)
  }),
  people('scope-told', TEXT.scope, 'Add scope to the answer, as a text such as "courses:read courses:write".', async (on) => {
    const { answer, accessToken, code } = await on.sharedTokens()
    const { scope: told } = answer.json
    if (told !== undefined)
      return judge(answer, typeof told === 'string' && SCOPE.test(told), `scope is ${JSON.stringify(told)}`)
    const described = await on.introspect(accessToken).catch(() => answer)
    const { scope } = described.json
    if (typeof scope !== 'string')
      return notReached('neither the answer nor introspection tells the scope', answer)
    const lists = [scope, code.url.searchParams.get('scope') ?? ''].map((one) => one.split(' '))
    const differs = lists.flat().filter((one) => !OF_OPENID.has(one) && !lists.every((list) => list.includes(one)))
    return judge(
      described,
      differs.length === 0,
      'the token has the scopes that the client requested',
      `the answer has no scope, and introspection differs from the request in ${differs.join(', ')}`,
    )
  }),
  withOne('unguessable', TEXT.guessing, 'Create each token from 256 bits of crypto.randomBytes, in base64url, or sign it with a key.',
    async (on) => unguessable([await on.sharedTokens(), await on.tokens({ person: 1 })])),
] // prettier-ignore

/** Held if tokens of each kind differ enough from each other, and none is a JWT that no key has signed. */
export function unguessable(all: readonly Pick<Tokens, 'accessToken' | 'refreshToken' | 'exchange'>[]): Finding {
  const at = all.at(-1)!
  const access = all.map(({ accessToken }) => accessToken)
  const refresh = all.flatMap(({ refreshToken }) => refreshToken ?? [])
  if (access.some((one) => isSelfContained(one) && /^none$/i.test(String(partOf(one, 0)['alg']))))
    return violated(at, 'an access token is a JWT with the algorithm "none", which anyone can make')
  const bits = [access, ...(refresh.length > 1 ? [refresh] : [])].map(mostBits)
  return judge(
    at,
    Math.min(...bits) >= LEAST_BITS,
    `${all.length} access tokens differ in about ${bits[0]} bits`,
    `${all.length} tokens of ${access[0]!.length} characters differ in at most ${Math.min(...bits)} bits`,
  )
} // prettier-ignore
