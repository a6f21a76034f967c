import { type Check, judge, violated } from '../../check.js'
import { refusalOf, refusedRequest } from '../../checks/expect.js'
import { describe } from '../../engine/audit.js'
import { anonymous, memberTokens, shared, slug, statement } from './statement.js'

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
      const ended = await on.knock(await on.client('member'), { [name]: value })
      return refusedRequest(ended, errors, value === null ? `no ${name}` : `${name}=${value}`)
    },
  )

/** A code exchange of the member that lacks a field, or has another value. */
const field = (name: string, value: string | null): Check =>
  statement(
    'Endpoints: token request',
    `exchange-${slug(name)}`,
    {
      creates: { authorizations: 1 },
      says:
        value === null
          ? `A code is exchanged with ${name}.`
          : `${name} repeats the value of the authorization request.`,
      change: `Refuse a code exchange ${value === null ? 'without' : 'with another'} ${name}.`,
    },
    async (on) => {
      const code = await on.code({ client: await on.client('member'), person: 'member' })
      const answer = await on.redeem(code, { [name]: value })
      const errors = ['invalid_request', 'invalid_grant', 'invalid_client', 'invalid_target']
      return refusalOf(answer, errors, value === null ? `no ${name}` : `another ${name}`)
    },
  )

/** Statements of the description about authorization requests and of the token endpoint. */
export const flow: readonly Check[] = [
  parameter('response_type', null, ['invalid_request', 'unsupported_response_type'], 'response_type is required.'), // prettier-ignore
  parameter('response_type', 'token', ['unsupported_response_type', 'unauthorized_client'], 'The only response_type is code.'), // prettier-ignore
  parameter('client_id', null, [], 'client_id is required.'),
  parameter('redirect_uri', null, [], 'redirect_uri is required.'),
  parameter('scope', null, ['invalid_scope', 'invalid_request'], 'scope is required.'),
  parameter('code_challenge', null, ['invalid_request'], 'code_challenge is required.'),
  parameter('code_challenge_method', 'plain', ['invalid_request'], 'The only code_challenge_method is S256.'), // prettier-ignore
  parameter('state', null, ['invalid_request'], 'state is required.'),
  parameter('resource', 'https://elsewhere.example', ['invalid_target'], 'resource is the origin of the service.'), // prettier-ignore
  statement(
    'Endpoints',
    'request-answer',
    {
      ...shared,
      says: 'Approval sends the browser to redirect_uri with code, state and iss.',
      change: 'Send all three: the state as it came, and the origin as iss.',
    },
    async (on) => {
      const { code } = await memberTokens(on)
      const [state, iss] = ['state', 'iss'].map((name) => code.parameters?.get(name))
      return judge(state === code.state && iss === on.origin, describe(code), `${describe(code)}; iss is ${String(iss)}`) // prettier-ignore
    },
  ),
  field('code', null),
  field('redirect_uri', null),
  field('client_id', null),
  field('code_verifier', null),
  field('resource', 'https://elsewhere.example'),
  statement(
    'Endpoints: token request',
    'exchange-tokens',
    {
      ...shared,
      says: 'A code exchange returns an access token, a refresh token and, with openid, an ID token.',
      change: 'Issue all three.',
    },
    async (on) => {
      const { refreshToken, idToken } = await memberTokens(on)
      const missing = Object.entries({ refresh_token: refreshToken, id_token: idToken }).flatMap(([name, token]) => (token === null ? [name] : [])) // prettier-ignore
      return judge(missing.length === 0, 'all three are there', `${missing.join(' and ')} is missing`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints: token request',
    'refresh',
    {
      creates: { authorizations: 1 },
      says: 'A refresh returns a new access token and no ID token, and asks no one.',
      change: 'Answer a refresh with an access token, and leave out id_token.',
    },
    async (on) => {
      const first = await on.tokens({ client: await on.client('member'), person: 'member' })
      const { status, json } = await on.refresh(first)
      const { access_token: token, id_token: idToken } = json
      const isNew = status === 200 && typeof token === 'string' && token !== first.accessToken
      return judge(isNew && idToken === undefined, 'a new access token, and no ID token', `${status}; id_token is ${idToken === undefined ? 'not ' : ''}there`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 3',
    'secret-in-form',
    {
      creates: { authorizations: 1 },
      says: 'A confidential client sends its secret in the form, and is refused without it.',
      change: 'Answer invalid_client to a confidential client without its secret.',
    },
    async (on) => {
      const code = await on.code({ client: await on.client('confidential') })
      const refused = await on.redeem(code, { client_secret: null })
      if (refused.json['error'] !== 'invalid_client')
        return violated(`without its secret: ${refused.status} ${String(refused.json['error'])}`)
      const { status } = await on.redeem(code)
      return judge(status === 200, 'refused without its secret', `with its secret: ${status}`)
    },
  ),
  statement(
    'Authentication 4',
    'no-agent-auth',
    {
      ...anonymous,
      says: 'No extension for agents is supported: no claim step exists.',
      change: 'Answer unsupported_grant_type to grant types that the metadata does not list, and publish no agent_auth.', // prettier-ignore
    },
    async (on) => {
      const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:agent-claim', client_id: (await on.client()).clientId } // prettier-ignore
      const { status, json } = await on.form(await on.endpoint('token_endpoint'), fields)
      const { agent_auth: published } = await on.server()
      const isRefused = status === 400 && json['error'] === 'unsupported_grant_type'
      return judge(isRefused && published === undefined, 'unsupported_grant_type', `${status} ${String(json['error'])}; agent_auth is ${String(published)}`) // prettier-ignore
    },
  ),
]
