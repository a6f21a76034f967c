import type { AuthorizationServerConfiguration } from '../authorization-server/configuration.js'
import { PATHS } from '../authorization-server/paths.js'
import type { OperationRegistry } from './operation-registry.js'

/** What `/auth.md` is filled from. `configureAuthorizationServer` has most of it. */
export interface AuthMdSource extends Pick<
  AuthorizationServerConfiguration,
  | 'issuer'
  | 'name'
  | 'scopes'
  | 'vendors'
  | 'requireState'
  | 'codeSeconds'
  | 'accessTokenSeconds'
  | 'refreshIdleSeconds'
  | 'refreshRetrySeconds'
  | 'grantSeconds'
> {
  /** Of which hosts a URL may be a `client_id`. `null` = no document is resolved. */
  readonly documents: {
    readonly allowedHosts: readonly string[]
    readonly openRegistration: boolean
  } | null
  readonly registry: OperationRegistry
  /** As the admin API has it. Default `/api/v1`. */
  readonly basePath?: string
  /** Requests of one grant in a window. Absent = the admin API has no limit. */
  readonly rate?: { readonly limit: number; readonly windowSeconds: number }
}

type Lines = readonly string[]

const http = (...lines: Lines): Lines => ['```http', ...lines, '```']
const form = (issuer: string, path: string, ...fields: Lines): Lines =>
  http(`POST ${issuer}${path}`, 'Content-Type: application/x-www-form-urlencoded', '', ...fields)

export const discover = ({ issuer }: AuthMdSource): Lines => [
  'Read these first; they are the truth where this page is older.',
  '',
  `- \`${issuer}${PATHS.protectedResourceMetadata}\`: what the resource is called`,
  `- \`${issuer}${PATHS.mcpResourceMetadata}\`: the same for \`${issuer}/mcp\``,
  `- \`${issuer}${PATHS.accountResourceMetadata}\`: the same for \`${issuer}/account/graphql\``,
  `- \`${issuer}${PATHS.authorizationServerMetadata}\`: every endpoint, grant type and scope`,
  `- \`${issuer}${PATHS.openidConfiguration}\`: the same for OpenID Connect`,
  `- \`${issuer}/openapi.json\`: the operations of the admin API`,
]

export const register = ({ issuer, vendors, documents }: AuthMdSource): Lines => [
  'Which `client_id` is yours depends on what you are:',
  '',
  `- An application on a person's own computer registers with loopback addresses. Any port will do later.`,
  ...(vendors.length === 0
    ? []
    : [
        `- A known platform sends its name and gets its fixed \`client_id\`: ${vendors.map(({ name }) => name).join(', ')}.`,
      ]),
  `- ${documentRule(documents)}`,
  '- An application for members is made by the school, under OAuth applications in its admin area. There',
  '  is no way to register one from outside.',
  '',
  ...http(
    `POST ${issuer}${PATHS.register}`,
    'Content-Type: application/json',
    '',
    '{',
    '  "client_name": "Desk CLI",',
    '  "application_type": "native",',
    '  "redirect_uris": ["http://127.0.0.1:3000/callback"],',
    '  "token_endpoint_auth_method": "none"',
    '}',
  ),
  '',
  'The answer has `client_id`, and for `client_secret_post` in the place of `none` a `client_secret`. A',
  'fixed https address is refused with `invalid_redirect_uri`, an unknown platform with',
  '`invalid_client_metadata`.',
]

function documentRule(documents: AuthMdSource['documents']): string {
  if (documents === null) return 'The URL of a client ID metadata document is no `client_id` here.'
  const hosts = documents.openRegistration
    ? 'of any host'
    : `of one of these hosts: ${documents.allowedHosts.join(', ')}`
  return `Anybody else takes the URL of a client ID metadata document ${hosts}. Until the school has reviewed it, it may read and not write.`
}

export const authorize = ({ issuer, requireState, codeSeconds }: AuthMdSource): Lines => [
  'Open this in the browser of the person, with the values of the query encoded:',
  '',
  ...http(
    `GET ${issuer}${PATHS.authorize}`,
    '  ?response_type=code',
    '  &client_id=<CLIENT_ID>',
    '  &redirect_uri=http://127.0.0.1:3000/callback',
    '  &scope=openid courses:read',
    `  &resource=${issuer}`,
    '  &code_challenge=<BASE64URL_SHA256_OF_VERIFIER>',
    '  &code_challenge_method=S256',
    '  &state=<RANDOM>',
    '  &nonce=<RANDOM>',
  ),
  '',
  `\`S256\` is the only method. \`state\` ${requireState ? 'is required' : 'is recommended'}, \`resource\` is required for member applications, \`nonce\``,
  'wherever an ID token is going to be verified.',
  '',
  '`prompt` may be left out. `login` and `select_account` have the person sign in again, `consent` has them',
  'asked again, and `none` shows nothing: what would need a page comes back as an error.',
  '',
  'The person signs in, sees what is asked for and may allow less. The browser comes back to the redirect',
  `URI with \`code\`, \`state\` and \`iss\`: check that \`state\` is yours and \`iss\` is \`${issuer}\`. The code lives`,
  `${duration(codeSeconds)} and works once.`,
]

export const exchange = ({ issuer, accessTokenSeconds }: AuthMdSource): Lines => [
  ...form(
    issuer,
    PATHS.token,
    'grant_type=authorization_code',
    '&code=<CODE>',
    '&redirect_uri=http://127.0.0.1:3000/callback',
    '&client_id=<CLIENT_ID>',
    '&code_verifier=<VERIFIER>',
    `&resource=${issuer}`,
  ),
  '',
  'A confidential client adds `client_secret`; nothing else authenticates a client. The answer has',
  `\`access_token\`, \`expires_in\` (${duration(accessTokenSeconds)}), \`refresh_token\` and \`scope\`, which may be less than`,
  'you asked for.',
  '',
  'With `openid` granted there may be an `id_token`, signed with ES256, valid for 10 minutes. Verify `iss`,',
  `\`aud\`, \`exp\`, \`nonce\` and the signature, by the key that \`kid\` names at \`${issuer}${PATHS.jwks}\`. Where`,
  'discovery does not list `id_token_signing_alg_values_supported`, none comes: ask UserInfo instead.',
]

export const use = ({ issuer, basePath = '/api/v1' }: AuthMdSource): Lines => [
  ...http(`GET ${issuer}${PATHS.userinfo}`, 'Authorization: Bearer <ACCESS_TOKEN>'),
  '',
  'The token stands in this header and nowhere else. It opens',
  '',
  `- \`${issuer}${PATHS.userinfo}\`: who the person is, as far as the identity scopes say`,
  `- \`${issuer}${basePath}\`: the admin API, for staff applications, operation by operation by its scope`,
  `- \`${issuer}/account/graphql\`: the member's own data, for member applications`,
  `- \`${issuer}/mcp\`: tools; without a token, the public ones alone`,
  '',
  'What a token allows is worked out anew for each request: its scopes, as far as the client and the role',
  'of the person allow them now.',
  '',
  `A resource server of the school may ask about tokens at \`${issuer}${PATHS.introspect}\`.`,
]

export const refresh = ({
  issuer,
  refreshIdleSeconds,
  refreshRetrySeconds,
  grantSeconds,
}: AuthMdSource): Lines => [
  ...form(
    issuer,
    PATHS.token,
    'grant_type=refresh_token',
    '&refresh_token=<REFRESH_TOKEN>',
    '&client_id=<CLIENT_ID>',
  ),
  '',
  'No person is asked, and no ID token comes. Each answer has a new refresh token: keep it and forget the',
  'one you sent, which ends the whole grant if it is used again later. ' +
    (refreshRetrySeconds === 0
      ? 'There is no second try.'
      : `An answer that got lost can be asked for once more within ${duration(refreshRetrySeconds)}.`),
  `A refresh token that lies unused for ${duration(refreshIdleSeconds)} is over, and so is every grant after`,
  `${duration(grantSeconds)}. Then start from step 3.`,
]

export const revoke = ({ issuer }: AuthMdSource): Lines => [
  ...form(issuer, PATHS.revoke, 'token=<TOKEN>', '&client_id=<CLIENT_ID>'),
  '',
  'A refresh token ends the grant with every token of it, an access token ends alone. The person can end',
  'the grant too, at any time, in their account.',
]

export const limits = ({ rate, accessTokenSeconds, codeSeconds }: AuthMdSource): Lines => [
  `- A code: ${duration(codeSeconds)}. An access token: ${duration(accessTokenSeconds)}. An ID token: ${duration(600)}.`,
  '- A page of a list: 20 items, or 1 to 100 with `limit`; more is refused, not cut.',
  '- A body of the admin API: 256 KiB. A form: 16 KiB. A registration: 32 KiB.',
  '- An `Idempotency-Key` of a POST: remembered for 24 hours.',
  ...(rate === undefined
    ? []
    : [
        `- The admin API: ${rate.limit} requests in ${duration(rate.windowSeconds)} for each grant. \`RateLimit\` says what is left; at 429, wait as long as \`Retry-After\` says.`,
      ]),
]

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Seconds in the largest unit that fits, `90` as 90 seconds. */
function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= one && seconds % one === 0) ?? UNITS[3]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
