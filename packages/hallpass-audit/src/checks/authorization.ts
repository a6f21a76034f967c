import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, MUST_NOT, oidcCore, rfc6749, rfc8414, rfc9110, rfc9700, SHOULD } from '../clause.js' // prettier-ignore
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Changes, describe } from '../engine/audit.js'
import { hasPassword } from '../engine/form.js'
import { newSecret } from '../engine/random.js'
import { acceptedAs, ask, ASKS, isLike, open, refusedAs, refusedAt, signInAged, usualPage, wordsOf, WRONG_TYPE } from './asking.js' // prettier-ignore
import { firstNotHeld } from './expect.js'

// prettier-ignore
const TEXT = {
  notThere: rfc6749('4.1.2.1', MUST_NOT, AS, 'If the request fails due to a missing, invalid, or mismatching redirection URI, or if the client identifier is missing or invalid, the authorization server SHOULD inform the resource owner of the error and MUST NOT automatically redirect the user-agent to the invalid redirection URI.'),
  responseType: rfc6749('3.1.1', MUST, AS, 'If an authorization request is missing the "response_type" parameter, or if the response type is not understood, the authorization server MUST return an error response as described in Section 4.1.2.1.'),
  listed: rfc8414('2', MUST, AS, 'response_types_supported REQUIRED. JSON array containing a list of the OAuth 2.0 "response_type" values that this authorization server supports.'),
  implicit: rfc9700('2.1.2', ADVICE, AS, 'Clients should not use the implicit grant: an access token in an authorization response leaks and can be injected. A server without it keeps them from doing so.'),
  unknown: rfc6749('3.1', MUST, AS, 'The authorization server MUST ignore unrecognized request parameters.'),
  empty: rfc6749('3.1', MUST, AS, 'Parameters sent without a value MUST be treated as if they were omitted from the request.'),
  repeated: rfc6749('3.1', ADVICE, AS, 'Clients must not send a parameter twice. A server that refuses it leaves no choice between two values, of which one could be checked and the other one be used.'),
  withoutState: rfc6749('4.1.1', ADVICE, AS, 'Clients may leave state out, and some do: PKCE and nonce protect them as well (RFC 9700, section 2.1). A server that takes their requests works with all of them.'),
  post: oidcCore('3.1.2.1', MUST, AS, 'Authorization Servers MUST support the use of the HTTP "GET" and "POST" methods defined in RFC 7231 [RFC7231] at the Authorization Endpoint.'),
  silent: oidcCore('3.1.2.3', MUST, AS, 'The Authentication Request contains the "prompt" parameter with the value "none". In this case, the Authorization Server MUST return an error if an End-User is not already Authenticated or could not be silently Authenticated.'),
  noPages: oidcCore('3.1.2.1', MUST_NOT, AS, 'none The Authorization Server MUST NOT display any authentication or consent user interface pages. … If this parameter contains "none" with any other value, an error is returned.'),
  login: oidcCore('3.1.2.1', SHOULD, AS, 'login The Authorization Server SHOULD prompt the End-User for reauthentication.'),
  maxAge: oidcCore('3.1.2.1', MUST, AS, 'If the elapsed time is greater than this value, the OP MUST attempt to actively re-authenticate the End-User.'),
  responseMode: oidcCore('3.1.2.6', ADVICE, AS, 'A response_mode that the server does not support is answered by an error, so that no response comes where the client does not read it.'),
  length: rfc9110('4.1', SHOULD, AS, 'It is RECOMMENDED that all senders and recipients support, at a minimum, URIs with lengths of 8000 octets in protocol elements.'),
}

const TYPES = ['unsupported_response_type', 'unauthorized_client', 'invalid_request']
/** Errors in place of a sign-in page or a question. */
const SILENT = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'] // prettier-ignore

/** A request that is refused with one of these errors, in each of its shapes. */
const refused = (
  name: string,
  clause: Clause,
  change: string,
  errors: readonly string[],
  shapesOf: (on: Audit) => Promise<readonly Changes[]>,
): Check => ({
  id: `authorization/${name}`,
  clause,
  depth: 'anonymous',
  creates: { authorizations: 2 },
  change,
  run: async (on) =>
    firstNotHeld(await shapesOf(on), async (changes) =>
      refusedAs(await ask(on, changes), errors, wordsOf(changes)),
    ),
})

/** A request that leads to a code, although it is unusual. */
const accepted = (name: string, clause: Clause, change: string, changes: Changes): Check => ({
  id: `authorization/${name}`,
  clause,
  depth: 'people',
  creates: ASKS,
  change,
  run: async (on) => acceptedAs(await on.authorize({ changes }), wordsOf(changes)),
})

/**
 * A parameter that comes with two values. Each of them comes first once: so that one of the requests is taken by a server
 * that reads the first value only, or the last one.
 */
const repeated = (
  name: string,
  harm: string,
  valuesOf: (on: Audit) => Promise<readonly [string, string]>,
): Check => ({
  id: `authorization/repeated-${name.replaceAll('_', '-')}`,
  clause: TEXT.repeated,
  depth: 'anonymous',
  creates: { authorizations: 2 },
  change: `Refuse a request in which ${name} comes twice with invalid_request. ${harm}`,
  async run(on) {
    const [one, other] = await valuesOf(on)
    return firstNotHeld([[one, other], [other, one]], async (values) =>
      refusedAs(await ask(on, { [name]: values }), ['invalid_request'], `${name} with two values`))
  },
}) // prettier-ignore

/** Held if a person who is signed in has to sign in again. */
async function signsInAgain(on: Audit, changes: Changes): Promise<Finding> {
  await on.openid()
  const signIn = await usualPage(on, null)
  await signInAged(on)
  const asked = await open(on, 0, changes)
  const where = `${wordsOf(changes)} of a person who is signed in: ${describe(asked)}` // prettier-ignore
  const isSignIn = asked.page.forms.some(hasPassword)
  const isError = SILENT.includes(asked.parameters?.get('error') ?? '')
  if (isSignIn || isError || isLike(asked.page, signIn)) return held(asked, where)
  return asked.isTaken ? violated(asked, `${where}, without a sign-in`) : notReached(where, asked)
}

/** Authorization requests: what a server takes, and what it refuses. */
export const authorization: readonly Check[] = [
  {
    id: 'authorization/missing-client',
    clause: TEXT.notThere,
    depth: 'anonymous',
    creates: ASKS,
    change: 'Without client_id, show the person a page with the error, whatever redirect_uri says.',
    async run(on) {
      const asked = await ask(on, { client_id: null })
      return refusedAt(asked.client.redirectUri, asked, 'no client_id')
    },
  },
  {
    id: 'authorization/unknown-client',
    clause: TEXT.notThere,
    depth: 'anonymous',
    creates: { authorizations: 2 },
    change:
      'Look the client up before anything else. If it is unknown, show the person a page with the error.',
    async run(on) {
      const { clientId } = await on.client()
      return firstNotHeld([newSecret(), `${clientId}x`], async (client_id) => {
        const asked = await ask(on, { client_id })
        return refusedAt(asked.client.redirectUri, asked, 'an unknown client_id')
      })
    },
  },
  refused(
    'missing-response-type',
    TEXT.responseType,
    'Require response_type, and answer invalid_request without it: do not assume "code".',
    TYPES,
    async () => [{ response_type: null }],
  ),
  refused(
    'unknown-response-type',
    TEXT.responseType,
    'Compare response_type with the ones you support, as whole values, and answer unsupported_response_type.',
    TYPES,
    async () => [{ response_type: WRONG_TYPE }, { response_type: 'CODE' }],
  ),
  refused(
    'unlisted-response-type',
    TEXT.listed,
    'Answer unsupported_response_type to every response_type that response_types_supported does not list.',
    TYPES,
    async (on) => {
      const listed = (await on.listOf('response_types_supported')).map(inOrder)
      const type = ['id_token', 'code id_token', 'id_token token'].find((one) => !listed.includes(inOrder(one))) // prettier-ignore
      if (type === undefined)
        throw new Stop(notApplicable('the metadata lists every response type'))
      return [{ response_type: type }]
    },
  ),
  refused(
    'implicit',
    TEXT.implicit,
    'Remove the implicit grant: answer unsupported_response_type to response_type=token, and let clients use codes with PKCE.',
    TYPES,
    async () => [{ response_type: 'token' }],
  ),
  accepted(
    'unknown-parameter',
    TEXT.unknown,
    'Read the parameters you know, and let a request have others.',
    { hallpass_audit: '1' },
  ),
  accepted(
    'empty-parameter',
    TEXT.empty,
    'Take an empty value of any parameter as if the parameter was not there.',
    { prompt: '', max_age: '', login_hint: '', response_mode: '', request: '', request_uri: '' },
  ),
  accepted(
    'without-state',
    TEXT.withoutState,
    'Take a request without state. Require a code_challenge instead.',
    { state: null },
  ),
  repeated('client_id', 'Otherwise two layers may each read another client.', async (on) => [
    (await on.client()).clientId,
    (await on.client('second')).clientId,
  ]),
  repeated(
    'redirect_uri',
    'Otherwise one value may be checked, and the other one be used.',
    async (on) => [(await on.client()).redirectUri, 'https://audit.invalid/callback'],
  ),
  repeated('state', 'Otherwise the client may receive a state that it did not send.', async () => [
    newSecret(),
    newSecret(),
  ]),
  repeated(
    'scope',
    'Otherwise one value may be shown to the person, and the other one be granted.',
    async (on) => {
      const { scope } = await on.client()
      return [scope, scope.split(' ')[0]!]
    },
  ),
  repeated(
    'code_challenge',
    'Otherwise an attacker who can add to the request may add their own challenge.',
    async () => [newSecret(), newSecret()],
  ),
  {
    id: 'authorization/post',
    clause: TEXT.post,
    depth: 'anonymous',
    change:
      'Read the parameters of a POST from its form. Cookies with SameSite=Lax do not come with it: redirect to the GET with the same parameters.',
    async run(on) {
      await on.openid()
      const asked = await open(on, null, {}, undefined, 'POST')
      const where = `a form by POST: ${describe(asked)}`
      return judge(asked, asked.isTaken, where, `${where}, which is not what the same query shows`) // prettier-ignore
    },
  },
  {
    id: 'authorization/prompt-none',
    clause: TEXT.silent,
    depth: 'anonymous',
    change:
      'With prompt=none, redirect to the client with error=login_required if no one is signed in, before any page.',
    async run(on) {
      await on.openid()
      const asked = await open(on, null, { prompt: 'none' })
      const where = `prompt=none while no one is signed in: ${describe(asked)}`
      return judge(asked, asked.parameters?.has('error') ?? false, where, `${where}, and the client receives no error`) // prettier-ignore
    },
  },
  refused(
    'prompt-none-with-others',
    TEXT.noPages,
    'Answer invalid_request if prompt has "none" and anything else.',
    ['invalid_request', ...SILENT],
    async (on) => {
      await on.openid()
      return [{ prompt: 'none login' }, { prompt: 'consent none' }]
    },
  ),
  {
    id: 'authorization/prompt-login',
    clause: TEXT.login,
    depth: 'people',
    change:
      'With prompt=login, show the sign-in page unless the person has signed in since the request came.',
    run: (on) => signsInAgain(on, { prompt: 'login' }),
  },
  {
    id: 'authorization/max-age',
    clause: TEXT.maxAge,
    depth: 'people',
    change:
      'Keep when each person signed in, and show the sign-in page if that is more than max_age seconds ago. Zero is an age too.',
    run: (on) => signsInAgain(on, { max_age: '0' }),
  },
  refused(
    'response-mode',
    TEXT.responseMode,
    'Answer invalid_request to every response_mode that response_modes_supported does not list.',
    ['invalid_request', 'unsupported_response_mode'],
    async (on) => {
      if ((await on.listOf('response_modes_supported')).length > 0) return [{ response_mode: WRONG_TYPE }] // prettier-ignore
      throw new Stop(notApplicable('the metadata lists no response_modes_supported'))
    },
  ),
  {
    id: 'authorization/long-request',
    clause: TEXT.length,
    depth: 'anonymous',
    change:
      'Limit the length of each parameter before you store it, and answer invalid_request to a longer one.',
    async run(on) {
      const asked = await open(on, null, { state: 'a'.repeat(5000) })
      const { left, status } = asked.page
      const isRead = left !== null || (status < 500 && status !== 414 && status !== 431)
      return judge(asked, isRead, `a state of 5000 characters: ${describe(asked)}`, `a state of 5000 characters fails: ${describe(asked)}`) // prettier-ignore
    },
  },
]

/** A response type without the order of its values, which has no meaning. */
const inOrder = (type: string): string => type.split(' ').toSorted().join(' ')
