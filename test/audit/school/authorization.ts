import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge } from '../../../packages/hallpass-audit/src/finding.js'
import { refusedRequest } from '../../../packages/hallpass-audit/src/checks/expect.js'
import {
  type Audit,
  describe,
  type Ended,
} from '../../../packages/hallpass-audit/src/engine/audit.js'
import {
  anonymous,
  isAsked,
  memberRequest,
  refusalAt,
  shared,
  slug,
  statement,
} from './statement.js'

/** An authorization request of the member client that lacks a parameter, or has another value. */
const parameter = (
  name: string,
  value: string | null,
  errors: readonly string[],
  says: string,
): Check =>
  statement(
    'Endpoints: authorization request',
    `request-${slug(name)}${value === null ? '' : '-value'}`,
    {
      says,
      change: value === null ? `Refuse a request without ${name}.` : `Refuse ${name}=${value}.`,
    },
    async (on) => {
      const ended = await refusalAt(on, await on.client('member'), { [name]: value }, 'member')
      return refusedRequest(ended, errors, value === null ? `no ${name}` : `${name}=${value}`)
    },
  )

/** A parameter that the client receives on approval. */
const received = (name: string, says: string, right: (on: Audit, ended: Ended) => boolean): Check =>
  statement(
    'Endpoints',
    `answer-${name}`,
    { ...shared, says, change: `Send ${name} to redirect_uri: ${says}` },
    async (on) => {
      const ended = await memberRequest(on)
      const value = ended.parameters?.get(name) ?? 'missing'
      return judge(
        ended,
        right(on, ended),
        `${name} is right`,
        `${describe(ended)}; ${name} is ${value}`,
      )
    },
  )

/** A state in which characters of URLs and of HTML are. */
const OPAQUE = 'a+b&c=d%2F"~<é>'
const denied = (on: Audit): Promise<Ended> =>
  on.once(
    'school denied',
    async () =>
    on.authorize({ client: await on.client('member'), person: 'member', allow: false, changes: { state: OPAQUE } }), // prettier-ignore
  )

/** Statements of the description about authorization requests. */
export const authorization: readonly Check[] = [
  parameter('response_type', null, ['invalid_request', 'unsupported_response_type'], 'response_type is required.'), // prettier-ignore
  parameter('response_type', 'token', ['unsupported_response_type', 'unauthorized_client'], 'The only response_type is code.'), // prettier-ignore
  parameter('client_id', null, [], 'client_id is required.'),
  parameter('client_id', 'no-such-client', [], 'client_id is a registered identifier, or the URL of a document.'), // prettier-ignore
  parameter('redirect_uri', null, [], 'redirect_uri is required.'),
  parameter('redirect_uri', 'http://127.0.0.1:47317/not-registered', [], 'redirect_uri is a registered one.'), // prettier-ignore
  parameter('scope', null, ['invalid_scope', 'invalid_request'], 'scope is required.'),
  parameter('scope', 'openid,account:read', ['invalid_scope', 'invalid_request'], 'Scopes are separated by spaces.'), // prettier-ignore
  parameter('resource', null, ['invalid_target', 'invalid_request'], 'resource is required for tokens of members.'), // prettier-ignore
  parameter('resource', 'https://elsewhere.example', ['invalid_target'], 'resource is the origin of the service.'), // prettier-ignore
  parameter('code_challenge', null, ['invalid_request'], 'code_challenge is required.'),
  parameter('code_challenge', 'too-short', ['invalid_request'], 'code_challenge is an S256 challenge.'), // prettier-ignore
  parameter('code_challenge_method', null, ['invalid_request'], 'code_challenge_method is required.'), // prettier-ignore
  parameter('code_challenge_method', 'plain', ['invalid_request'], 'The only code_challenge_method is S256.'), // prettier-ignore
  parameter('state', null, ['invalid_request'], 'state is required.'),
  statement(
    'Endpoints: authorization request',
    'request-encoding',
    {
      ...anonymous,
      says: 'scope is encoded for a URL, so a space may be sent as %20.',
      change: 'Decode the query before you read it.',
    },
    async (on) => {
      const { url } = on.request(await on.client('member'))
      const page = await on.browser(null).open(url.href.replaceAll('+', '%20'))
      const error = page.left?.searchParams.get('error') ?? null
      return judge(page, error === null && page.status < 400, `it leads to ${page.url.pathname}`, `it leads to ${error ?? page.status}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints: authorization request',
    'request-without-nonce',
    {
      ...anonymous,
      says: 'nonce is only for clients that verify an ID token: a request without it is right.',
      change: 'Do not require nonce.',
    },
    async (on) => {
      const ended = await on.knock(await on.client('member'), { nonce: null })
      const isRight = isAsked(ended) || ended.parameters?.has('code') === true
      return judge(ended, isRight, describe(ended), describe(ended))
    },
  ),
  received('code', 'Approval sends the browser to redirect_uri with a code.', (_, { parameters }) => parameters?.has('code') === true), // prettier-ignore
  received('state', 'Approval returns the state as it came.', (_, { parameters, state }) => parameters?.get('state') === state), // prettier-ignore
  received('iss', 'Approval returns the origin as iss.', (on, { parameters }) => parameters?.get('iss') === on.origin), // prettier-ignore
  statement(
    'Endpoints',
    'answer-denied',
    {
      says: 'A code is for approval: a person who denies sends none.',
      change: 'Redirect with access_denied, and issue nothing.',
    },
    async (on) => {
      const ended = await denied(on)
      const isDenied = ended.parameters?.has('code') !== true
      return judge(ended, isDenied, describe(ended), describe(ended))
    },
  ),
  statement(
    'Endpoints: authorization request',
    'state-opaque',
    {
      says: 'state is opaque: it comes back with every character.',
      change: 'Keep the text of state, and encode it once where you write the redirect.',
    },
    async (on) => {
      const ended = await denied(on)
      const state = ended.parameters?.get('state') ?? null
      return judge(
        ended,
        state === OPAQUE,
        `it is ${OPAQUE}`,
        `${OPAQUE} comes back as ${String(state)}`,
      )
    },
  ),
]
