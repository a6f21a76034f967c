import { type Check } from '../check.js'
import { type Finding, judge, notApplicable, notReached, violated } from '../finding.js'
import type { Audit, Changes } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import {
  errorOf,
  isRefused,
  isSelfContained,
  LEAST_BITS,
  madeUpExchange,
  mostBits,
  partOf,
  refusalOf,
} from './expect.js'

/** The characters that an error and its description may have. */
const TEXT = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/
/** A list of scopes as section 3.3 of RFC 6749 writes it. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/
/** Scopes that ask for claims or for a refresh token, which introspection need not repeat. */
const OF_OPENID = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])

/** The token endpoint: its method, its form, its answers and its errors. */
export const token: readonly Check[] = [
  {
    id: 'token/post-only',
    clause: {
      document: 'RFC 6749',
      section: '3.2',
      level: 'MUST',
      says: 'Requests to the token endpoint are POST: a GET would leave the code in logs and histories.',
    },
    depth: 'anonymous',
    change: 'Answer every other method than POST with 405, before anything of the request is read.',
    async run(on) {
      const url = new URL(await on.endpoint('token_endpoint'))
      for (const [name, value] of Object.entries(await madeUpExchange(on)))
        url.searchParams.append(name, value)
      return isNotRead(await on.send(url), 'a GET')
    },
  },
  {
    id: 'token/form-only',
    clause: {
      document: 'RFC 6749',
      section: '4.1.3',
      level: 'SHOULD',
      says: 'The body of a token request is a form: that is the one format that all servers and clients share.',
    },
    depth: 'anonymous',
    change: 'Read only application/x-www-form-urlencoded, and answer other media types with 415.',
    async run(on) {
      const answer = await on.send(await on.endpoint('token_endpoint'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(await madeUpExchange(on)),
      })
      return isNotRead(answer, 'a body of JSON')
    },
  },
  {
    id: 'token/grant-type-required',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A request without a parameter that is required, such as grant_type, is answered by invalid_request.',
    },
    depth: 'anonymous',
    change: 'Answer a request without grant_type with invalid_request.',
    async run(on) {
      const answer = await ofKnownClient(on, { grant_type: null })
      return refusalOf(answer, ['invalid_request'], 'no grant_type')
    },
  },
  {
    id: 'token/unsupported-grant-type',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A grant type that the server does not support is answered by unsupported_grant_type.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown grant_type with unsupported_grant_type.',
    async run(on) {
      const answer = await ofKnownClient(on, { grant_type: 'urn:hallpass:audit' })
      return refusalOf(answer, ['unsupported_grant_type'], 'an unknown grant type')
    },
  },
  {
    id: 'token/repeated-parameter',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A request that has a parameter twice is answered by invalid_request, so that two programs cannot read different values.',
    },
    depth: 'anonymous',
    change:
      'Refuse a form in which a parameter other than resource or audience occurs more than once with invalid_request.',
    async run(on) {
      const answer = await exchange(on, { code: ['one-made-up-code', 'another-made-up-code'] })
      return refusalOf(answer, ['invalid_request'], 'a code that is sent twice')
    },
  },
  {
    id: 'token/empty-parameter',
    clause: {
      document: 'RFC 6749',
      section: '3.2',
      level: 'MUST',
      says: 'A parameter without a value means the same as one that was left out.',
    },
    depth: 'anonymous',
    change: 'Drop the parameters of the form that have no value, before anything else reads it.',
    async run(on) {
      const omitted = await exchange(on, { code: null })
      const empty = await exchange(on, { code: '' })
      return alike(omitted, empty, 'a code that is left out', 'an empty one')
    },
  },
  {
    id: 'token/unknown-parameter',
    clause: {
      document: 'RFC 6749',
      section: '3.2',
      level: 'MUST',
      says: 'The server ignores parameters that it does not know, so that clients may send those of an extension.',
    },
    depth: 'anonymous',
    change: 'Let the schema of the form accept further members, and ignore them.',
    async run(on) {
      const usual = await exchange(on, {})
      const further = await exchange(on, { hallpass_audit: 'further' })
      return alike(usual, further, 'a request', 'the same with an unknown parameter')
    },
  },
  {
    id: 'token/error-format',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'An error is a JSON object with error, whose texts have no quotes, no backslashes and nothing but ASCII.',
    },
    depth: 'anonymous',
    change:
      'Answer errors with Content-Type: application/json and {"error": "…", "error_description": "…"}. Keep the description in English, or leave it out.',
    async run(on) {
      const answer = await exchange(on, {})
      const { error_description: description = '' } = answer.json
      const error = errorOf(answer)
      if (!isJson(answer) || error === '')
        return violated(`an unknown code is answered by ${answer.status} ${mediaTypeOf(answer)} without an error`) // prettier-ignore
      return judge(
        TEXT.test(error) && typeof description === 'string' && TEXT.test(description),
        `the error is JSON: ${error}`,
        `the error is ${JSON.stringify(error)}, and error_description is ${JSON.stringify(description)}`,
      )
    },
  },
  {
    id: 'token/error-status',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'The status of an error is 400, and 401 if the client could not authenticate.',
    },
    depth: 'anonymous',
    change: 'Answer invalid_grant, and every error but invalid_client, with the status 400.',
    async run(on) {
      const answer = await exchange(on, {})
      const { status } = answer
      const isRight = status === 400 || (status === 401 && errorOf(answer) === 'invalid_client')
      return judge(isRight, `the status is ${status}`, `the status of ${errorOf(answer)} is ${status}`) // prettier-ignore
    },
  },
  {
    id: 'token/malformed-form',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A form that cannot be decoded is a mistake of the client, and answered by 400.',
    },
    depth: 'anonymous',
    change: 'Catch what the parser of the form throws, and answer 400 and invalid_request.',
    async run(on) {
      const { code: _, ...fields } = await madeUpExchange(on)
      const answer = await on.send(await on.endpoint('token_endpoint'), {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: `code=%zz%ff%&&=&%&${new URLSearchParams(fields).toString()}`,
      })
      return isClientError(answer, 'a form with broken percent encoding')
    },
  },
  {
    id: 'token/large-form',
    clause: {
      document: 'RFC 9110',
      section: '15.5.14',
      level: 'SHOULD',
      says: 'A body that is larger than the server reads is answered by 413 or another 4xx.',
    },
    depth: 'anonymous',
    change: 'Limit the body to some kilobytes, and answer a larger one with 413.',
    async run(on) {
      return isClientError(await exchange(on, { code: 'x'.repeat(1024 * 1024) }), 'a form of 1 MB')
    },
  },
  {
    id: 'token/no-password',
    clause: {
      document: 'RFC 9700',
      section: '2.4',
      level: 'MUST NOT',
      says: 'No server has the password grant, which lets apps see the passwords of people.',
    },
    depth: 'anonymous',
    change: 'Remove the grant type password, and answer it with unsupported_grant_type.',
    async run(on) {
      const { clientId, secret } = await on.client()
      const answer = await on.form(await on.endpoint('token_endpoint'), {
        grant_type: 'password',
        username: 'no-one@hallpass-audit.invalid',
        password: 'a password that no one has',
        client_id: clientId,
        client_secret: secret,
      })
      return isNotRead(answer, 'a name with a password')
    },
  },
  {
    id: 'token/media-type',
    clause: {
      document: 'RFC 6749',
      section: '5.1',
      level: 'MUST',
      says: 'The media type of tokens is application/json.',
    },
    depth: 'people',
    change: 'Answer with Content-Type: application/json.',
    async run(on) {
      const { answer } = await on.sharedTokens()
      return judged(isJson(answer), `Content-Type is ${mediaTypeOf(answer)}`)
    },
  },
  {
    id: 'token/token-type',
    clause: {
      document: 'RFC 6749',
      section: '5.1',
      level: 'MUST',
      says: 'The answer says how the client uses the token: as a bearer token, if the request proved no key.',
    },
    depth: 'people',
    change: 'Add "token_type": "Bearer" to the answer.',
    async run(on) {
      const { answer, code } = await on.sharedTokens()
      const { token_type: type } = answer.json
      const isRight = code.client.proof === undefined ? /^bearer$/i : /^(?:bearer|dpop)$/i
      return judge(
        typeof type === 'string' && isRight.test(type),
        `token_type is ${String(type)}`,
        `token_type is ${JSON.stringify(type) ?? 'missing'}`,
      )
    },
  },
  {
    id: 'token/expires-in',
    clause: {
      document: 'RFC 6749',
      section: '5.1',
      level: 'MUST',
      says: 'The lifetime of an access token, if the answer tells it, is a JSON number of seconds.',
    },
    depth: 'people',
    change:
      'Make expires_in a number, such as 3600: the seconds that are left, and no time or text.',
    async run(on) {
      const { expires_in: seconds } = (await on.sharedTokens()).answer.json
      if (seconds === undefined) return notApplicable('the answer has no expires_in')
      const isNumber = typeof seconds === 'number' && seconds > 0 && seconds < TEN_YEARS
      return judged(isNumber, `expires_in is ${JSON.stringify(seconds)}`)
    },
  },
  {
    id: 'token/scope-told',
    clause: {
      document: 'RFC 6749',
      section: '5.1',
      level: 'MUST',
      says: 'If the token has other scopes than the client requested, the answer lists them, separated by spaces.',
    },
    depth: 'people',
    change: 'Add scope to the answer, as a text such as "courses:read courses:write".',
    async run(on) {
      const tokens = await on.sharedTokens()
      const told = tokens.answer.json['scope']
      if (told !== undefined)
        return judged(
          typeof told === 'string' && SCOPE.test(told),
          `scope is ${JSON.stringify(told)}`,
        )
      const { scope } = (await on.introspect(tokens.accessToken).catch(() => tokens.answer)).json
      if (typeof scope !== 'string')
        return notReached('neither the answer nor introspection tells the scope')
      const scopes = scope.split(' ')
      const asked = tokens.code.url.searchParams.get('scope')?.split(' ') ?? []
      const differs = [...scopes.filter((one) => !asked.includes(one)), ...asked.filter((one) => !scopes.includes(one))].filter((one) => !OF_OPENID.has(one)) // prettier-ignore
      return judge(
        differs.length === 0,
        'the token has the scopes that the client requested',
        `the answer has no scope, and introspection differs from the request in ${differs.join(', ')}`,
      )
    },
  },
  {
    id: 'token/unguessable',
    clause: {
      document: 'RFC 6749',
      section: '10.10',
      level: 'MUST',
      says: 'No one can guess or make a token: the chance is at most one in 2 to the power of 128.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Create each token from 256 bits of crypto.randomBytes, in base64url, or sign it with a key.',
    async run(on) {
      const pair = [await on.sharedTokens(), await on.tokens({ person: 1 })]
      const access = pair.map(({ accessToken }) => accessToken)
      const refresh = pair.flatMap(({ refreshToken }) => refreshToken ?? [])
      if (
        access.some((one) => isSelfContained(one) && /^none$/i.test(String(partOf(one, 0)['alg'])))
      )
        return violated('an access token is a JWT with the algorithm "none", which anyone can make')
      const bits = [access, ...(refresh.length === 2 ? [refresh] : [])].map(mostBits)
      return judge(
        Math.min(...bits) >= LEAST_BITS,
        `two access tokens differ in about ${bits[0]} bits`,
        `two tokens of ${access[0]!.length} characters differ in at most ${Math.min(...bits)} bits`,
      )
    },
  },
]

const TEN_YEARS = 315_360_000

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
  // A server that fails may have failed at the code, which it has read then.
  if (answer.status >= 500) return notReached(`${what} is answered by ${answer.status}`)
  const isRead = errorOf(answer) === 'invalid_grant' || 'access_token' in answer.json
  const answered = `is answered by ${answer.status} ${errorOf(answer)}`.trim()
  if (answer.status >= 500) return notReached(`${what} ${answered}`)
  return judge(!isRead, `${what} ${answered}`, `${what} ${answered}: the server has read it`)
}

/** One sentence says what was found, whether that is right or wrong. */
const judged = (isHeld: boolean, found: string): Finding => judge(isHeld, found, found)

const isClientError = ({ status }: Answer, what: string): Finding =>
  judged(status >= 400 && status < 500, `${what} is answered by ${status}`)

/** Held if two requests are answered by the same error. */
function alike(one: Answer, other: Answer, first: string, second: string): Finding {
  const answered = ({ status }: Answer, error: string): string => `${status} ${error}`.trim()
  const [before, after] = [answered(one, errorOf(one)), answered(other, errorOf(other))]
  if (!isRefused(one)) return notReached(`${first} is answered by ${before}`)
  return judge(
    before === after,
    `both are answered by ${before}`,
    `${first} is answered by ${before}, and ${second} by ${after}`,
  )
}

const mediaTypeOf = ({ headers }: Answer): string => headers.get('content-type') ?? 'missing'

const isJson = (answer: Answer): boolean =>
  /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(mediaTypeOf(answer))
