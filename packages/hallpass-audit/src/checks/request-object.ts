import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, oidcCore, rfc6749 } from '../clause.js'
import { held, judge, notApplicable, notReached } from '../finding.js'
import { type Audit, describe } from '../engine/audit.js'
import { encodePart } from '../engine/proof.js'
import { challengeOf, newSecret } from '../engine/random.js'
import { ask, ASKS, isAt, refusedAs } from './asking.js'
import { hasTokens } from './expect.js'

// prettier-ignore
const TEXT = {
  request: oidcCore('6.1', MUST, AS, 'Should an OP not support this parameter and an RP uses it, the OP MUST return the "request_not_supported" error.'),
  requestUri: oidcCore('6.2', MUST, AS, 'Should an OP not support this parameter and an RP uses it, the OP MUST return the "request_uri_not_supported" error.'),
  notThere: rfc6749('4.1.2.1', MUST_NOT, AS, 'If the request fails due to a missing, invalid, or mismatching redirection URI, or if the client identifier is missing or invalid, the authorization server SHOULD inform the resource owner of the error and MUST NOT automatically redirect the user-agent to the invalid redirection URI.'),
  unsigned: oidcCore('6.1', ADVICE, AS, 'A request object may be unsigned, and is then worth no more than the query. A server that takes signed ones only, as RFC 9101 requires, leaves an attacker no second place to change the code_challenge.'),
}
const ELSEWHERE = 'https://audit.invalid/callback'

/** Builds a request object without a signature, of the first client. */
async function unsigned(on: Audit, claims: Readonly<Record<string, string>>): Promise<string> {
  const { clientId } = await on.client()
  const whole = { iss: clientId, aud: on.issuer, client_id: clientId, response_type: 'code', ...claims } // prettier-ignore
  return [{ alg: 'none' }, whole].map((part) => `${encodePart(part)}.`).join('')
}

/** Request objects: a second place for the parameters of a request. */
export const requestObject: readonly Check[] = [
  {
    id: 'authorization/request-object',
    clause: TEXT.request,
    depth: 'anonymous',
    creates: ASKS,
    change: 'Answer request_not_supported to any request with the parameter "request".',
    async run(on) {
      if ((await on.openid())['request_parameter_supported'] === true)
        return notApplicable('the server supports request objects', await on.openidAnswer())
      const asked = await ask(on, { request: await unsigned(on, {}) })
      return refusedAs(asked, ['request_not_supported'], 'a request object')
    },
  },
  {
    id: 'authorization/request-uri',
    clause: TEXT.requestUri,
    depth: 'anonymous',
    creates: ASKS,
    change:
      'Answer request_uri_not_supported to a request_uri that you have not issued. Never fetch it: it may be an address of your own network.',
    async run(on) {
      // The default of this member is true.
      if ((await on.openid())['request_uri_parameter_supported'] !== false)
        return notApplicable('request_uri_parameter_supported is not false', await on.openidAnswer()) // prettier-ignore
      const asked = await ask(on, { request_uri: 'https://audit.invalid/request.jwt' })
      return refusedAs(asked, ['request_uri_not_supported', 'invalid_request_uri'], 'the request_uri of a document') // prettier-ignore
    },
  },
  {
    id: 'authorization/request-object-redirect-uri',
    clause: TEXT.notThere,
    depth: 'anonymous',
    creates: ASKS,
    change:
      'Validate the parameters after you have read the request object, redirect_uri first, and use no others.',
    async run(on) {
      const asked = await ask(on, { request: await unsigned(on, { redirect_uri: ELSEWHERE }) })
      const where = `a request object whose redirect_uri is ${ELSEWHERE}: ${describe(asked)}`
      const { left, status } = asked.page
      if (left === null && status >= 500) return notReached(where, asked)
      return judge(asked, left === null || !isAt(left, ELSEWHERE), where, where)
    },
  },
  {
    id: 'authorization/unsigned-request-object',
    clause: TEXT.unsigned,
    depth: 'people',
    creates: ASKS,
    change: 'Refuse a request object with alg "none" with invalid_request_object.',
    async run(on) {
      await on.sharedTokens()
      const verifier = newSecret()
      const request = await unsigned(on, { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }) // prettier-ignore
      const ended = await on.authorize({ changes: { request } })
      const code = ended.parameters?.get('code') ?? null
      if (code === null) return held(ended, `an unsigned request object: ${describe(ended)}`)
      const answer = await on.redeem({ ...ended, code }, { code_verifier: verifier })
      return judge(answer, !hasTokens(answer), 'an unsigned request object is ignored', 'an unsigned request object has replaced the code_challenge of the query') // prettier-ignore
    },
  },
]
