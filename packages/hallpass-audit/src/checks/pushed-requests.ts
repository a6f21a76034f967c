import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type AuthorizationRequest, type Changes, type Client, describe, isPublic } from '../engine/audit.js' // prettier-ignore
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { type Asked, ask, deny, isAt, open, receivedBy, whereOf, WRONG_TYPE } from './asking.js'
import { refusalOf } from './expect.js'

const STOLEN = 'a request_uri with the client_id of another client'
const ELSEWHERE = 'https://audit.invalid/callback'
/** The parameters of a request that a `request_uri` takes the place of. */
const INSTEAD: Changes = Object.fromEntries(
  ['response_type', 'redirect_uri', 'scope', 'code_challenge', 'code_challenge_method', 'resource', 'state', 'nonce'].map((name) => [name, null]),
) // prettier-ignore

/** Pushes a request that is right but for the changes, as its client. */
async function push(
  on: Audit,
  changes: Changes = {},
  of?: Client,
): Promise<AuthorizationRequest & { readonly answer: Answer }> {
  const endpoint = await on.endpoint('pushed_authorization_request_endpoint')
  const client = of ?? (await on.client())
  const request = on.request(client, changes)
  const form = new Map<string, string[]>()
  for (const [name, value] of request.url.searchParams)
    form.set(name, [...(form.get(name) ?? []), value])
  const answer = await on.form(endpoint, {
    ...(client.secret !== null && { client_secret: client.secret }),
    ...Object.fromEntries(form),
  })
  return { ...request, answer }
}

/** Pushes a request, and returns what a browser then presents. */
async function pushed(on: Audit, of?: Client) {
  const { answer, state } = await push(on, {}, of)
  const { request_uri: uri } = answer.json
  if (answer.status >= 300 || typeof uri !== 'string')
    throw new Stop(notReached(`no request_uri was issued: ${describeError(answer)}`))
  return { state, uri, presented: { ...INSTEAD, request_uri: uri } satisfies Changes }
}

/** Stops unless a right request can be pushed: without that, a refusal says nothing. */
const works = (on: Audit) => on.once('a pushed request', () => pushed(on))

const describeError = ({ status, json }: Answer): string =>
  `${status} ${typeof json['error'] === 'string' ? json['error'] : 'without an error'}`

/** A person who answers the request that was pushed. Its redirect URI is not in the address any more. */
async function answered(on: Audit, changes: Changes) {
  const ended = await on.authorize({ person: 1, changes })
  return { ...ended, parameters: receivedBy(ended, ended.page) }
}

const PRESENTED = {
  shares: [{ name: 'a pushed request that is answered', authorizations: 1 }],
} as const
const presentedOnce = (on: Audit) =>
  on.once(PRESENTED.shares[0].name, async () => {
    const { presented, state } = await pushed(on)
    return { state, ended: await answered(on, presented) }
  })

/** Held if a presented request is refused, wherever the error goes. */
function refusedPresented(asked: Asked, what: string) {
  const where = `${what}: ${whereOf(asked)}`
  const { page, parameters, isTaken, isUnclear } = asked
  if (isUnclear) return notReached(where)
  if (isTaken || (page.left === null && page.status >= 500)) return violated(where)
  return page.left === null || parameters?.has('error') ? held(where) : notReached(where)
}

/** Pushed authorization requests: parameters that no browser carries. */
export const pushedRequests: readonly Check[] = [
  {
    id: 'pushed-requests/created',
    clause: {
      document: 'RFC 9126',
      section: '2.2',
      level: 'MUST',
      says: 'A request that was pushed is answered by 201 with request_uri, and expires_in as a positive whole number.',
    },
    depth: 'anonymous',
    change:
      'Answer 201 with {"request_uri": "urn:ietf:params:oauth:request_uri:…", "expires_in": 60}. The number is not a string.',
    async run(on) {
      const { answer } = await push(on)
      if (answer.status >= 400) return notReached(`the push is refused: ${describeError(answer)}`)
      const { request_uri: uri, expires_in: seconds } = answer.json
      const isRight = typeof uri === 'string' && Number.isInteger(seconds) && Number(seconds) > 0
      return judge(answer.status === 201 && isRight, `201 with expires_in ${JSON.stringify(seconds)}`, `${describeError(answer)}, request_uri ${typeof uri}, expires_in ${JSON.stringify(seconds)}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/post-only',
    clause: {
      document: 'RFC 9126',
      section: '2.3',
      level: 'MUST',
      says: 'A request is pushed by POST: one in a query, which logs keep, is not taken.',
    },
    depth: 'anonymous',
    change: 'Route POST only, and answer 405 to every other method.',
    async run(on) {
      await works(on)
      const { url } = on.request(await on.client())
      const endpoint = await on.endpoint('pushed_authorization_request_endpoint')
      const { status, json } = await on.send(endpoint + url.search)
      if (status >= 500) return notReached(`GET is answered by ${status}`)
      return judge(status >= 400 && json['request_uri'] === undefined, `GET is answered by ${status}`, `GET is answered by ${status}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/errors',
    clause: {
      document: 'RFC 9126',
      section: '2.3',
      level: 'MUST',
      says: 'A request that is wrong is refused when it is pushed, in JSON as at the token endpoint.',
    },
    depth: 'anonymous',
    change:
      'Validate the whole request when it is pushed. Answer 400 with {"error": …} as JSON: there is no browser to redirect or to show a page to.',
    async run(on) {
      await works(on)
      const { answer } = await push(on, { response_type: WRONG_TYPE })
      const isJson = /^application\/json/i.test(answer.headers.get('content-type') ?? '')
      const finding = refusalOf(answer, ['unsupported_response_type', 'invalid_request'], 'an unknown response_type') // prettier-ignore
      return judge(finding.verdict === 'held' && isJson, finding.found, `${finding.found}, as ${answer.headers.get('content-type')}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/redirect-uri',
    clause: {
      document: 'RFC 9126',
      section: '2.1',
      level: 'MUST',
      says: 'A redirect URI that is not registered is refused when it is pushed, unless the client has proved who it is.',
    },
    depth: 'anonymous',
    change:
      'Compare redirect_uri with the registered ones when the request is pushed, as the authorization endpoint does.',
    async run(on) {
      if (!isPublic(await on.client())) return notApplicable('the client authenticates')
      await works(on)
      const { answer } = await push(on, { redirect_uri: ELSEWHERE })
      return refusalOf(answer, ['invalid_request', 'invalid_redirect_uri'], `the redirect URI ${ELSEWHERE}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/nested',
    clause: {
      document: 'RFC 9126',
      section: '2.1',
      level: 'MUST',
      says: 'A request that is pushed has no request_uri itself.',
    },
    depth: 'anonymous',
    change:
      'Refuse request_uri at this endpoint, before anything reads it: it may be an address to fetch.',
    async run(on) {
      await works(on)
      const uri = `urn:ietf:params:oauth:request_uri:${newSecret()}`
      const { answer } = await push(on, { request_uri: uri })
      return refusalOf(answer, ['invalid_request', 'request_uri_not_supported', 'invalid_request_uri'], 'request_uri in the pushed request') // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/client-authentication',
    clause: {
      document: 'RFC 9126',
      section: '2.1',
      level: 'MUST',
      says: 'A client authenticates here as at the token endpoint, so that only it pushes requests in its name.',
    },
    depth: 'anonymous',
    change: 'Authenticate the client as at the token endpoint, before you read the request.',
    async run(on) {
      const client = { ...(await on.client('confidential')), secret: newSecret() }
      const { answer } = await push(on, {}, client)
      return refusalOf(answer, ['invalid_client'], 'a wrong client secret')
    },
  },
  {
    id: 'pushed-requests/presented',
    clause: {
      document: 'RFC 9126',
      section: '4',
      level: 'MUST',
      says: 'With client_id and request_uri alone, the browser continues the request that was pushed.',
    },
    depth: 'people',
    ...PRESENTED,
    change:
      'Look the request up by request_uri at the authorization endpoint, and take all its parameters from there: state and redirect_uri too.',
    async run(on) {
      const { state, ended } = await presentedOnce(on)
      const received = ended.parameters
      return judge(received?.has('code') === true && received.get('state') === state, 'the client received a code and its state', `the request that was pushed did not lead to a code and its state: ${describe(ended)}`) // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/query-ignored',
    clause: {
      document: 'RFC 9126',
      section: '4',
      level: 'MUST',
      says: 'What was pushed counts: the query next to request_uri changes none of it (RFC 9101, section 6.3).',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    ...PRESENTED,
    change:
      'If there is a request_uri, read nothing but client_id in addition. Do not merge the query into the pushed parameters.',
    async run(on) {
      const alone = await presentedOnce(on)
      if (!alone.ended.parameters?.has('code'))
        return notReached(`no code came without them: ${describe(alone.ended)}`)
      const { presented, state } = await pushed(on)
      const others = { state: newSecret(), redirect_uri: ELSEWHERE }
      const ended = await answered(on, { ...presented, ...others })
      const { page, parameters } = ended
      const where = `a query with another state and redirect URI: ${describe(ended)}`
      if (page.left !== null && isAt(page.left, ELSEWHERE)) return violated(where)
      const isRefused = parameters?.has('error') || (page.left === null && page.status >= 400)
      if (!parameters?.has('code')) return isRefused ? held(where) : notReached(where)
      return judge(parameters.get('state') === state, 'the state that was pushed came back', 'the state of the query came back, not the one that was pushed') // prettier-ignore
    },
  },
  {
    id: 'pushed-requests/unknown',
    clause: {
      document: 'RFC 9126',
      section: '4',
      level: 'MUST',
      says: 'A request_uri that was not issued, or is over, is refused, whatever else the query has.',
    },
    depth: 'anonymous',
    change:
      'Refuse a request_uri that you cannot find. Do not fall back to the parameters of the query.',
    async run(on) {
      await on.endpoint('pushed_authorization_request_endpoint')
      const uri = `urn:ietf:params:oauth:request_uri:${newSecret()}`
      return refusedPresented(await ask(on, { request_uri: uri }), 'an unknown request_uri')
    },
  },
  {
    id: 'pushed-requests/other-client',
    clause: {
      document: 'RFC 9126',
      section: '2.2',
      level: 'MUST',
      says: 'A request_uri is bound to the client that has pushed the request, and no other one can use it.',
    },
    depth: 'anonymous',
    change:
      'Keep the client with the pushed request, and compare it with client_id at the authorization endpoint.',
    async run(on) {
      const second = await on.client('second')
      const asked = await open(on, null, (await pushed(on)).presented, second)
      if (!asked.isTaken) return refusedPresented(asked, STOLEN)
      // The first one has been used.
      return refusedPresented(await deny(on, (await pushed(on)).presented, second), STOLEN)
    },
  },
  {
    id: 'pushed-requests/used-once',
    clause: {
      document: 'RFC 9126',
      section: '4',
      level: 'SHOULD',
      says: 'A request_uri is used once: after a code has been issued, another browser gets nothing for it.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Delete the pushed request when a browser presents it, and let only that browser load it again.',
    async run(on) {
      const { presented } = await pushed(on)
      const ended = await answered(on, presented)
      if (!ended.parameters?.has('code')) return notReached(`no code came: ${describe(ended)}`)
      return refusedPresented(await ask(on, presented), 'a request_uri that has been used')
    },
  },
  {
    id: 'pushed-requests/unguessable',
    clause: {
      document: 'RFC 9126',
      section: '2.2',
      level: 'MUST',
      says: 'A request_uri is made of random bits, so that it cannot be guessed.',
    },
    depth: 'anonymous',
    change: 'Make request_uri of at least 128 random bits, from a cryptographic source.',
    async run(on) {
      const [first, second] = [(await pushed(on)).uri, (await pushed(on)).uri]
      const shared = [...first].findIndex((one, index) => one !== second[index])
      const differs = first.slice(shared === -1 ? first.length : shared)
      return judge(differs.length >= 16, `two of them differ in ${differs.length} characters`, `two of them, ${first.length} characters long, differ in the last ${differs.length} only`) // prettier-ignore
    },
  },
]
