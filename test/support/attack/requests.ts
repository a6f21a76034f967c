import { sha256Base64url } from '../../../src/encoding/hash.js'
import { encode, type Fields } from '../school/flow.js'
import { CALLBACK, FORM_HEADERS, JSON_HEADERS, MEMBER_SCOPES, VERIFIER } from './service.js'
import type { Sent } from './wire.js'

/** The fields of an authorization request of Study Buddy that is in order. */
const authorizeFields = (origin: string) => ({
  response_type: 'code',
  client_id: 'study-buddy',
  redirect_uri: CALLBACK,
  scope: MEMBER_SCOPES.join(' '),
  resource: origin,
  code_challenge: sha256Base64url(VERIFIER),
  code_challenge_method: 'S256',
  state: 'state-1',
})

/** The path of an authorization request with changes. */
export const authorizePath = (origin: string, changes: Fields = {}): string =>
  `/oauth/authorize?${encode({ ...authorizeFields(origin), ...changes })}`

/** The fields with which Study Buddy redeems a code. */
export const codeFields = (origin: string, code: string) => ({
  grant_type: 'authorization_code',
  code,
  client_id: 'study-buddy',
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  resource: origin,
})

/** A form that is posted. */
export const form = (
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Sent => ({ path, body: encode(fields).toString(), headers: { ...FORM_HEADERS, ...headers } })

const MCP_HEADERS = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' }
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** What a token opens: those of staff all but the Account API, which is for members. */
export const SURFACES: readonly (readonly [name: string, request: Sent])[] = [
  ['UserInfo', { path: '/api/oauth/userinfo' }],
  ['the Account API', { path: '/account/graphql', headers: JSON_HEADERS, body: '{"query":"{ viewer { id } }"}' }],
  ['the admin API', { path: '/api/v1/courses' }],
  ['/mcp', { path: '/mcp', headers: MCP_HEADERS, body: LIST_TOOLS }],
] // prettier-ignore
