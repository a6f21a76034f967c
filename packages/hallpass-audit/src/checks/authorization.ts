import { setTimeout as wait } from 'node:timers/promises'
import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, violated } from '../finding.js'
import { type Audit, describe } from '../engine/audit.js'
import { readObject } from '../engine/http.js'
import { encodePart } from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import {
  acceptedAs,
  ask,
  askWrongly,
  errorOf,
  isLike,
  open,
  post,
  refusedAs,
  refusedAt,
  signedInAt,
  usualPage,
  WRONG_TYPE,
} from './asking.js'

/** Every kind of character that a `state` may have, for RFC 6749, appendix A.5, allows all that can be printed. */
const ODD_STATE = `audit +%2B&x=1;y="'<>/\\~`
const TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** A parameter that comes twice. Both values are right, so that a server which takes any of them continues. */
const repeated = (
  name: string,
  harm: string,
  valuesOf: (on: Audit) => Promise<readonly string[]>,
): Check => ({
  id: `authorization/repeated-${name.replaceAll('_', '-')}`,
  clause: {
    document: 'RFC 6749',
    section: '3.1',
    level: 'MUST NOT',
    says: `No parameter comes more than once: a request with two values of ${name} is refused.`,
  },
  depth: 'anonymous',
  change: `Refuse a request in which ${name} comes twice with invalid_request. ${harm}`,
  async run(on) {
    return refusedAs(await ask(on, { [name]: await valuesOf(on) }), ['invalid_request'], `${name} twice`) // prettier-ignore
  },
})

/** Errors in place of a sign-in page or a question. */
const SILENT = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'] // prettier-ignore

/** Waits until the sign-in of the first person is over a second ago, because servers count whole seconds. */
async function isSignInAged(on: Audit): Promise<void> {
  const since = performance.now() - (await signedInAt(on))
  if (since < 1100) await wait(1100 - since)
}

/** Held if a person who is signed in has to sign in again. */
async function signsInAgain(on: Audit, changes: Readonly<Record<string, string>>) {
  const [[name, value] = []] = Object.entries(changes)
  await on.openid()
  const signIn = await usualPage(on, null)
  await isSignInAged(on)
  const asked = await open(on, 0, changes)
  const where = `${name}=${value} of a person who is signed in: ${describe(asked)}`
  const isSignIn = asked.page.forms.some(({ passwords }) => passwords.length > 0)
  const isError = SILENT.includes(asked.parameters?.get('error') ?? '')
  if (isSignIn || isError || isLike(asked.page, signIn)) return held(where)
  return asked.isTaken ? violated(`${where}, without a sign-in`) : notReached(where)
}

/** Authorization requests: what a server takes, what it refuses, and where it says so. */
export const authorization: readonly Check[] = [
  {
    id: 'authorization/missing-client',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST NOT',
      says: 'A request without client_id redirects nowhere, because its redirect URI is registered for no client.',
    },
    depth: 'anonymous',
    change: 'Without client_id, show the person a page with the error, whatever redirect_uri says.',
    async run(on) {
      const asked = await ask(on, { client_id: null })
      return refusedAt(asked.client.redirectUri, asked, 'no client_id')
    },
  },
  {
    id: 'authorization/unknown-client',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST NOT',
      says: 'A request with an unknown client_id redirects nowhere, because its redirect URI is registered for no client.',
    },
    depth: 'anonymous',
    change:
      'Look the client up before anything else. If it is unknown, show the person a page with the error.',
    async run(on) {
      const asked = await ask(on, { client_id: newSecret() })
      return refusedAt(asked.client.redirectUri, asked, 'an unknown client_id')
    },
  },
  {
    id: 'authorization/missing-response-type',
    clause: {
      document: 'RFC 6749',
      section: '3.1.1',
      level: 'MUST',
      says: 'A request without response_type is answered by an error.',
    },
    depth: 'anonymous',
    change: 'Require response_type, and answer invalid_request without it: do not assume "code".',
    async run(on) {
      const asked = await ask(on, { response_type: null })
      return refusedAs(asked, ['invalid_request', 'unsupported_response_type'], 'no response_type')
    },
  },
  {
    id: 'authorization/unknown-response-type',
    clause: {
      document: 'RFC 6749',
      section: '3.1.1',
      level: 'MUST',
      says: 'A response_type that the server does not know is answered by an error.',
    },
    depth: 'anonymous',
    change:
      'Compare response_type with the ones you support, as whole values, and answer unsupported_response_type.',
    async run(on) {
      const asked = await ask(on, { response_type: WRONG_TYPE })
      return refusedAs(asked, ['unsupported_response_type', 'invalid_request'], 'an unknown response_type') // prettier-ignore
    },
  },
  {
    id: 'authorization/unlisted-response-type',
    clause: {
      document: 'RFC 8414',
      section: '2',
      level: 'MUST',
      says: 'The metadata lists every response_type that the server supports, so that no other one works.',
    },
    depth: 'anonymous',
    change:
      'Answer unsupported_response_type to every response_type that response_types_supported does not list.',
    async run(on) {
      const listed = await on.listOf('response_types_supported')
      const isListed = (type: string): boolean => listed.some((one) => inOrder(one) === inOrder(type)) // prettier-ignore
      const type = ['id_token', 'code id_token', 'id_token token'].find((one) => !isListed(one))
      if (type === undefined) return notApplicable('the metadata lists every response type')
      const asked = await ask(on, { response_type: type })
      return refusedAs(asked, ['unsupported_response_type', 'unauthorized_client', 'invalid_request'], `response_type=${type}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/implicit',
    clause: {
      document: 'RFC 9700',
      section: '2.1.2',
      level: 'SHOULD NOT',
      says: 'No access token is issued in the authorization response, where it leaks and can be injected.',
    },
    depth: 'anonymous',
    change:
      'Remove the implicit grant: answer unsupported_response_type to response_type=token, and let clients use codes with PKCE.',
    async run(on) {
      const asked = await ask(on, { response_type: 'token' })
      return refusedAs(asked, ['unsupported_response_type', 'unauthorized_client', 'invalid_request'], 'response_type=token') // prettier-ignore
    },
  },
  {
    id: 'authorization/unknown-parameter',
    clause: {
      document: 'RFC 6749',
      section: '3.1',
      level: 'MUST',
      says: 'Parameters that the server does not know are ignored, so that extensions can be added.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Read the parameters you know, and let a request have others.',
    async run(on) {
      const ended = await on.authorize({ changes: { hallpass_audit: '1' } })
      return acceptedAs(ended, 'an unknown parameter')
    },
  },
  {
    id: 'authorization/empty-parameter',
    clause: {
      document: 'RFC 6749',
      section: '3.1',
      level: 'MUST',
      says: 'A parameter without a value is treated as left out.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Take an empty value of any parameter as if the parameter was not there.',
    async run(on) {
      const empty = { prompt: '', max_age: '', login_hint: '', response_mode: '', request: '', request_uri: '' } // prettier-ignore
      const ended = await on.authorize({ changes: empty })
      return acceptedAs(ended, 'optional parameters without a value')
    },
  },
  repeated('client_id', 'Otherwise two layers may each read another client.', async (on) => {
    const { clientId } = await on.client()
    return [clientId, clientId]
  }),
  repeated(
    'redirect_uri',
    'Otherwise one value may be checked, and the other one be used.',
    async (on) => {
      const { redirectUri } = await on.client()
      return [redirectUri, redirectUri]
    },
  ),
  repeated('state', 'Otherwise the client may receive a state that it did not send.', async () => {
    const state = newSecret()
    return [state, state]
  }),
  repeated(
    'scope',
    'Otherwise one value may be shown to the person, and the other one be granted.',
    async (on) => {
      const { scope } = await on.client()
      return [scope, scope]
    },
  ),
  repeated(
    'code_challenge',
    'Otherwise an attacker who can add to the request may add their own challenge.',
    async () => {
      const challenge = newSecret()
      return [challenge, challenge]
    },
  ),
  {
    id: 'authorization/post',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '3.1.2.1',
      level: 'MUST',
      says: 'The authorization endpoint takes a form by POST as it takes a query by GET.',
    },
    depth: 'people',
    change:
      'Read the parameters of a POST from its form. Cookies with SameSite=Lax do not come with it: redirect to the GET with the same parameters.',
    async run(on) {
      await on.openid()
      const asked = await post(on, {})
      const where = `a form by POST: ${describe(asked)}`
      return judge(asked.isTaken, where, `${where}, which is not what the same query shows`)
    },
  },
  {
    id: 'authorization/code-in-query',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2',
      level: 'MUST',
      says: 'The code comes in the query of the redirect URI, and not in its fragment, unless the client asks for that.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Add code to the query of the redirect URI. Scripts of the page read a fragment, and no server does.', // prettier-ignore
    async run(on) {
      const ended = await on.authorize()
      const { left } = ended.page
      if (left !== null && /[#&]code=/.test(left.hash))
        return violated('the code is in the fragment of the redirect URI')
      return ended.parameters?.has('code')
        ? held('the code is in the query of the redirect URI')
        : notReached(`no code came: ${describe(ended)}`)
    },
  },
  {
    id: 'authorization/state',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2',
      level: 'MUST',
      says: 'The client receives the state that it sent, character by character.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Keep state as the decoded text, and encode it once, with URLSearchParams, for the redirect. Do not escape, trim or decode it.',
    async run(on) {
      const ended = await on.code({ changes: { state: ODD_STATE } })
      const state = ended.parameters?.get('state') ?? null
      return judge(state === ODD_STATE, 'state comes back as it was sent', `${ODD_STATE} comes back as ${state}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/state-in-error',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST',
      says: 'An error has the state of the request too, character by character.',
    },
    depth: 'anonymous',
    change:
      'Add state to every error that you redirect, as it was sent. Read it before you validate anything else.',
    async run(on) {
      const state = errorOf(await askWrongly(on, { state: ODD_STATE })).get('state')
      return judge(state === ODD_STATE, 'an error has the state that was sent', `${ODD_STATE} comes back with the error as ${state}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/error-characters',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST NOT',
      says: 'error and error_description are printable ASCII without quotes and backslashes, whatever the request had.',
    },
    depth: 'anonymous',
    change:
      'Do not repeat values of the request in error_description. Send ASCII sentences without " and \\.',
    async run(on) {
      const asked = await ask(on, { response_type: `${WRONG_TYPE} "é\\` })
      // A pushed request is refused in JSON, for which section 5.2 says the same.
      const { error, error_description: text } = readObject(asked.page.text)
      const received =
        typeof error === 'string'
          ? new URLSearchParams({ error, error_description: typeof text === 'string' ? text : '' })
          : errorOf(asked)
      const texts = [received.get('error') ?? '', received.get('error_description') ?? '']
      return judge(texts.every((text) => TEXT.test(text)), `the client receives ${texts.join(': ')}`, `the client receives ${JSON.stringify(texts)}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/prompt-none',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '3.1.2.1',
      level: 'MUST NOT',
      says: 'With prompt=none no page is shown: the client receives an error if no one is signed in.',
    },
    depth: 'anonymous',
    change:
      'With prompt=none, redirect to the client with error=login_required if no one is signed in, before any page.',
    async run(on) {
      await on.openid()
      const asked = await open(on, null, { prompt: 'none' })
      const error = asked.parameters?.get('error') ?? ''
      const where = `prompt=none while no one is signed in: ${describe(asked)}`
      return judge(SILENT.includes(error), where, `${where}, not login_required at the client`)
    },
  },
  {
    id: 'authorization/prompt-none-with-others',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '3.1.2.1',
      level: 'MUST',
      says: 'prompt=none together with another value is an error.',
    },
    depth: 'anonymous',
    change: 'Answer invalid_request if prompt has "none" and anything else.',
    async run(on) {
      await on.openid()
      const asked = await ask(on, { prompt: 'none login' })
      return refusedAs(asked, ['invalid_request', ...SILENT], 'prompt=none login')
    },
  },
  {
    id: 'authorization/prompt-login',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '3.1.2.1',
      level: 'SHOULD',
      says: 'With prompt=login a person who is signed in has to sign in again.',
    },
    depth: 'people',
    change:
      'With prompt=login, show the sign-in page unless the person has signed in since the request came.',
    run: (on) => signsInAgain(on, { prompt: 'login' }),
  },
  {
    id: 'authorization/max-age',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '3.1.2.1',
      level: 'MUST',
      says: 'A person whose sign-in is older than max_age has to sign in again.',
    },
    depth: 'people',
    change:
      'Keep when each person signed in, and show the sign-in page if that is more than max_age seconds ago. Zero is an age too.',
    run: (on) => signsInAgain(on, { max_age: '0' }),
  },
  {
    id: 'authorization/response-mode',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'SHOULD',
      says: 'A response_mode that the server does not know is answered by invalid_request, not by another mode.',
    },
    depth: 'anonymous',
    change:
      'Answer invalid_request to every response_mode that response_modes_supported does not list.',
    async run(on) {
      const modes = await on.listOf('response_modes_supported')
      if (modes.length === 0) return notApplicable('the metadata lists no response_modes_supported')
      const asked = await ask(on, { response_mode: WRONG_TYPE })
      return refusedAs(asked, ['invalid_request', 'unsupported_response_mode'], 'an unknown response_mode') // prettier-ignore
    },
  },
  {
    id: 'authorization/request-object',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '6.1',
      level: 'MUST',
      says: 'A server without request objects answers request_not_supported, because it cannot see what is asked in them.',
    },
    depth: 'anonymous',
    change: 'Answer request_not_supported to any request with the parameter "request".',
    async run(on) {
      if ((await on.openid())['request_parameter_supported'] === true)
        return notApplicable('the server supports request objects')
      const { clientId } = await on.client()
      const asked = await ask(on, { request: unsigned({ client_id: clientId, response_type: 'code' }) }) // prettier-ignore
      return refusedAs(asked, ['request_not_supported'], 'a request object')
    },
  },
  {
    id: 'authorization/request-uri',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '6.2',
      level: 'MUST',
      says: 'A server that fetches no request objects answers request_uri_not_supported.',
    },
    depth: 'anonymous',
    change:
      'Answer request_uri_not_supported to a request_uri that you have not issued. Never fetch it: it may be an address of your own network.',
    async run(on) {
      // The default of this member is true.
      if ((await on.openid())['request_uri_parameter_supported'] !== false)
        return notApplicable('request_uri_parameter_supported is not false')
      const asked = await ask(on, { request_uri: 'https://audit.invalid/request.jwt' })
      return refusedAs(asked, ['request_uri_not_supported', 'invalid_request_uri'], 'the request_uri of a document') // prettier-ignore
    },
  },
  {
    id: 'authorization/long-request',
    clause: {
      document: 'RFC 9110',
      section: '4.1',
      level: 'SHOULD',
      says: 'URIs of up to 8000 octets are read, so that a long parameter is served or refused, and does not fail.',
    },
    depth: 'anonymous',
    change:
      'Limit the length of each parameter before you store it, and answer invalid_request to a longer one.',
    async run(on) {
      const asked = await open(on, null, { state: 'a'.repeat(5000) })
      return judge(asked.page.left !== null || asked.page.status < 500, `a state of 5000 characters: ${describe(asked)}`, `a state of 5000 characters fails: ${describe(asked)}`) // prettier-ignore
    },
  },
]

/** A response type without the order of its values, which has no meaning. */
const inOrder = (type: string): string => type.split(' ').toSorted().join(' ')

/** Builds a request object without a signature. */
const unsigned = (claims: object): string =>
  [{ alg: 'none' }, claims].map((part) => `${encodePart(part)}.`).join('') // prettier-ignore
