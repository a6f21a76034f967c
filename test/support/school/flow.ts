import type { Person } from 'hallpass/policy'
import { sha256Base64url } from '../../../src/encoding/hash.js'
import { DESK_CLI } from './policy-samples.js'
import {
  createBrowser,
  ISSUER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
} from './school.js'

export { DESK_CLI }

export const REDIRECT = 'http://127.0.0.1:7777/callback'
export const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
export const STATE = 'af0ifjsldkj'

/** Fields of a query or form; `null` leaves one out, an array repeats it. */
export type Fields = Readonly<Record<string, string | readonly string[] | null>>

export interface Tokens {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
  readonly id_token?: string
}

export function encode(fields: Fields): URLSearchParams {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of value === null ? [] : [value].flat()) encoded.append(name, one)
  return encoded
}

/** A valid authorization request of Study Buddy, with changes. */
export function authorizationUrl(changes: Fields = {}): URL {
  const url = new URL(`${ISSUER}/oauth/authorize`)
  url.search = encode({
    response_type: 'code',
    client_id: 'study-buddy',
    redirect_uri: REDIRECT,
    scope: 'openid account:read',
    resource: ISSUER,
    code_challenge: sha256Base64url(VERIFIER),
    code_challenge_method: 'S256',
    state: STATE,
    ...changes,
  }).toString()
  return url
}

/** What an operator client asks, over {@link authorizationUrl}. */
export const DESK_REQUEST: Fields = {
  client_id: DESK_CLI.clientId,
  redirect_uri: DESK_CLI.redirectUris[0]!,
  scope: 'openid courses:read courses:write',
}

/** How the confidential client names itself, what it asks for, and what it shows at the token endpoint. */
export const PORTFOLIO = { client_id: PORTFOLIO_HUB.clientId }
export const PORTFOLIO_REQUEST = { ...PORTFOLIO, scope: 'openid account:read account:write' }
export const PORTFOLIO_FORM = { ...PORTFOLIO, client_secret: PORTFOLIO_SECRET }

export const post = (
  school: School,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  school.fetch(`${ISSUER}${path}`, { method: 'POST', body: encode(fields), headers })

/** Signs a person in and presses Allow. */
export async function approve(
  school: School,
  changes: Fields = {},
  person: Person = STUDENT,
): Promise<string> {
  school.signedIn = { subject: person.subject, authTime: school.clock.now }
  const callback = await createBrowser(school).authorize(authorizationUrl(changes))
  const code = callback.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${callback.href}`)
  return code
}

/** The form that redeems a code of {@link approve}. */
export const codeForm = (code: string, changes: Fields = {}): Fields => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT,
  client_id: 'study-buddy',
  code_verifier: VERIFIER,
  resource: ISSUER,
  ...changes,
})

export const redeem = (school: School, code: string, changes: Fields = {}): Promise<Response> =>
  post(school, '/api/oauth/token', codeForm(code, changes))

export const refresh = (
  school: School,
  refreshToken: string,
  changes: Fields = {},
): Promise<Response> =>
  post(school, '/api/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: 'study-buddy',
    ...changes,
  })

export async function tokensOf(response: Response): Promise<Tokens> {
  if (response.status !== 200)
    throw new Error(`no tokens: ${response.status} ${await response.text()}`)
  return (await response.json()) as Tokens
}

/** Approval and exchange in one go. `form`: what the exchange sends beside the request's own fields. */
export async function signIn(
  school: School,
  request: Fields = {},
  { person = STUDENT, form = {} }: { person?: Person; form?: Fields } = {},
): Promise<Tokens> {
  const code = await approve(school, request, person)
  const { client_id, redirect_uri } = {
    client_id: 'study-buddy',
    redirect_uri: REDIRECT,
    ...request,
  }
  return tokensOf(await redeem(school, code, { client_id, redirect_uri, ...form }))
}

export const userinfo = (school: School, accessToken: string): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })

/** Whether an access token opens UserInfo. It must hold `openid`. */
export async function isAlive(school: School, accessToken: string): Promise<boolean> {
  const { status } = await userinfo(school, accessToken)
  if (status !== 200 && status !== 401) throw new Error(`UserInfo answered ${status}`)
  return status === 200
}

/** Why a school refused, each time so far. */
export const reasonsOf = (school: School): readonly string[] =>
  school.refusals.map(({ reason }) => reason)

export async function refusalOf(response: Response): Promise<readonly [number, unknown]> {
  return [response.status, await response.json()]
}

/** The texts that a guesser reads. */
export const GENERIC = {
  invalid_grant:
    'the grant is invalid, expired, revoked or was issued for another request: sign in again',
  invalid_token:
    'the access token is missing, malformed, expired, revoked or was issued for another resource',
} as const

/** A refusal that says no more than its code. */
export const generic = (
  error: keyof typeof GENERIC,
): readonly [number, { error: string; error_description: string }] => [
  error === 'invalid_grant' ? 400 : 401,
  { error, error_description: GENERIC[error] },
]

/** What a client is told that is not authenticated: it follows from what the request has, and from nothing else. */
export const TOLD = {
  header:
    'HTTP Basic is not accepted, nor another Authorization header: send client_id and client_secret in the form',
  'no secret':
    'the client is unknown, or it has a secret, which is missing: send client_id, and client_secret if it has one',
  secret:
    'the client is unknown, or client_secret is not its own: send its current client_secret, and none for a public client',
} as const

/** The refusal of a client by a request that has this. */
export const notAuthenticated = (
  sent: keyof typeof TOLD,
): readonly [number, { error: string; error_description: string }] => [
  401,
  { error: 'invalid_client', error_description: TOLD[sent] },
]
