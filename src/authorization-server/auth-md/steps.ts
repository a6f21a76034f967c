import { ACCOUNT_PATH, ASKING_PATHS, MCP_PATH, PATHS } from '../../site/paths.js'
import { type AuthMdSource, when } from './source.js'

type Lines = readonly string[]

const http = (...lines: Lines): Lines => ['```http', ...lines, '```']
const form = (issuer: string, path: string, ...fields: Lines): Lines =>
  http(`POST ${issuer}${path}`, 'Content-Type: application/x-www-form-urlencoded', '', ...fields)

export const discover = ({ issuer, mcp, account, openapi }: AuthMdSource): Lines => [
  'Read these documents first. Where they differ from this page, they are correct.',
  '',
  `- \`${issuer}${PATHS.protectedResourceMetadata}\`: metadata of the protected resource, such as its identifier`,
  ...when(
    mcp,
    `- \`${issuer}${PATHS.mcpResourceMetadata}\`: the same for \`${issuer}${MCP_PATH}\`. Its addresses below have their own:`,
    `  \`${issuer}${PATHS.signedInResourceMetadata}\` and \`${issuer}${PATHS.memberResourceMetadata}\``,
  ),
  ...when(
    account,
    `- \`${issuer}${PATHS.accountResourceMetadata}\`: the same for \`${issuer}${ACCOUNT_PATH}\``,
  ),
  `- \`${issuer}${PATHS.authorizationServerMetadata}\`: endpoints, grant types and scopes of the authorization server`,
  `- \`${issuer}${PATHS.openidConfiguration}\`: the same for OpenID Connect`,
  ...when(
    openapi,
    `- \`${issuer}/openapi.json\`: the operations of the admin API, and other endpoints (OpenAPI)`,
  ),
]

export const register = ({ issuer, vendors, documents, scopes }: AuthMdSource): Lines => [
  'How you get a `client_id` depends on the kind of client:',
  '',
  `- A client on its user's computer registers with loopback redirect URIs. Later requests may use any port.`,
  ...(vendors.length === 0
    ? []
    : [
        `- A known platform registers with its name and receives its fixed \`client_id\`: ${vendors.map(({ name }) => name).join(', ')}.`,
      ]),
  ...when(
    scopes.names.some((scope) => scopes.get(scope)?.audience === 'member'),
    '- A client for members is created by the staff of the school. It cannot be registered at the endpoint below.',
  ),
  `- ${documentRule(documents)}`,
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
  'The response contains `client_id`. With `client_secret_post` instead of `none` it also contains',
  '`client_secret`. An https redirect URI is refused with `invalid_redirect_uri`, unless it is one of a known',
  'platform. A name without redirect URIs that is not a known platform is refused with',
  '`invalid_client_metadata`.',
]

function documentRule(documents: AuthMdSource['documents']): string {
  if (documents === null)
    return 'The URL of a client ID metadata document is not accepted as `client_id`.'
  const hosts = documents.openRegistration
    ? 'on any host'
    : `on one of these hosts: ${documents.allowedHosts.join(', ')}`
  return `Any other client uses as its \`client_id\` the URL of a client ID metadata document ${hosts}. It can read but not write until the school has reviewed it.`
}

/** Returns scopes that a client of staff may request: who the person is, and the first that reads. */
function exampleScope(scopes: AuthMdSource['scopes']): string {
  const reads = scopes.names.find((scope) => {
    const { audience, access, sensitive = false } = scopes.get(scope)!
    return audience === 'operator' && access === 'read' && !sensitive
  })
  const wanted = scopes.get('openid') === undefined ? [reads] : ['openid', reads]
  return wanted.filter((scope) => scope !== undefined).join(' ') || scopes.names[0]!
}

export const authorize = ({ issuer, scopes, requireState, codeSeconds }: AuthMdSource): Lines => [
  'Open this URL in the browser of the person. Encode the values of the query.',
  '',
  ...http(
    `GET ${issuer}${PATHS.authorize}`,
    '  ?response_type=code',
    '  &client_id=<CLIENT_ID>',
    '  &redirect_uri=http://127.0.0.1:3000/callback',
    `  &scope=${exampleScope(scopes)}`,
    `  &resource=${issuer}`,
    '  &code_challenge=<BASE64URL_SHA256_OF_VERIFIER>',
    '  &code_challenge_method=S256',
    '  &state=<RANDOM>',
    '  &nonce=<RANDOM>',
  ),
  '',
  `\`S256\` is the only code challenge method. \`state\` ${requireState ? 'is required' : 'is recommended'}. \`resource\` is required for member`,
  'clients. Send `nonce` if you are going to verify an ID token.',
  '',
  '`prompt` is optional. With `login` or `select_account` the person has to sign in again, and with `consent`',
  'the consent page is shown again. With `none` no page is shown: if one is needed, you receive an error.',
  '',
  'The person signs in, sees what the client requests and may allow less. The browser returns to the redirect',
  `URI with \`code\`, \`state\` and \`iss\`. Check that \`state\` is the value you sent and that \`iss\` is`,
  `\`${issuer}\`. The code can be used once, within ${duration(codeSeconds)}.`,
]

export const exchange = ({
  issuer,
  accessTokenSeconds,
  clientAuthentication,
  grants,
}: AuthMdSource): Lines => [
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
  'If you sent `resource` to the authorization endpoint, repeat it here.',
  '',
  `A client with a secret adds \`&client_secret=<CLIENT_SECRET>\`, here and below. HTTP Basic is ${clientAuthentication.some(({ name }) => name === 'client_secret_basic') ? 'accepted too' : 'not accepted'}.`,
  '',
  `The response contains \`access_token\`, \`expires_in\` (${duration(accessTokenSeconds)}), \`refresh_token\` and \`scope\`. The granted scope can be`,
  'narrower than the requested one. It is what the person allowed: a scope that their role does not include has no',
  'effect until the role includes it. Introspection returns the scopes that have an effect now.',
  '',
  'If `openid` was granted, the response can contain an `id_token`, signed with ES256 and valid for 10 minutes.',
  `Verify \`iss\`, \`aud\`, \`exp\`, \`nonce\` and the signature, with the key named by \`kid\` at \`${issuer}${PATHS.jwks}\`.`,
  'If the metadata does not list `id_token_signing_alg_values_supported`, no ID token is issued: call UserInfo',
  'instead.',
  ...when(
    grants.length > 0,
    '',
    `The metadata lists further values of \`grant_type\`, whose steps their standards have: ${grants.map(({ name }) => `\`${name}\``).join(', ')}.`,
  ),
]

export const use = ({ issuer, admin, account, mcp }: AuthMdSource): Lines => [
  ...http(`GET ${issuer}${PATHS.userinfo}`, 'Authorization: Bearer <ACCESS_TOKEN>'),
  '',
  'Send the token in this header only. It gives access to',
  '',
  `- \`${issuer}${PATHS.userinfo}\`: the claims about the person that the identity scopes allow`,
  ...when(
    admin,
    `- \`${issuer}${admin?.basePath}\`: the admin API, for operator clients; each operation requires its scope`,
  ),
  ...when(
    account,
    `- \`${issuer}${ACCOUNT_PATH}\`: the member's own data, for member clients; each field requires its scope`,
  ),
  ...when(
    mcp,
    `- \`${issuer}${MCP_PATH}\`: tools; without a token, only the public ones`,
    `- \`${issuer}${ASKING_PATHS[0]}\`: the same tools; a request without a token gets 401, so that the client signs in`,
    `- \`${issuer}${ASKING_PATHS[1]}\`: the same for member clients; its metadata lists the scopes that they may request`,
  ),
  '- the other addresses of the school whose 401 response names the metadata above',
  '',
  'What a token allows is decided for each request: its scopes, limited to those that the client and the role',
  'of the person currently allow.',
  '',
  `A resource server of the school can introspect tokens at \`${issuer}${PATHS.introspect}\`.`,
]

export const refresh = ({
  issuer,
  refreshIdleSeconds,
  refreshPolicies,
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
  'The person is not involved, and no ID token is issued. Each response contains a new refresh token: store it',
  'where all of your processes read it, and discard the one you sent. Using that one again later can revoke the',
  'whole grant.',
  ...repeating(refreshPolicies),
  `A refresh token expires after ${duration(refreshIdleSeconds)} without use, and every grant expires after`,
  `${duration(grantSeconds)}. Then start again from step 3.`,
]

function repeating(policies: AuthMdSource['refreshPolicies']): Lines {
  const seconds = Math.min(...Object.values(policies).map(({ repeatSeconds }) => repeatSeconds))
  return [
    seconds === 0
      ? 'A lost response cannot be requested again.'
      : `If a response was lost, send the same request again within ${duration(seconds)}.`,
  ]
}

export const revoke = ({ issuer }: AuthMdSource): Lines => [
  ...form(issuer, PATHS.revoke, 'token=<TOKEN>', '&client_id=<CLIENT_ID>'),
  '',
  'Revoking a refresh token revokes the grant with all its tokens. Revoking an access token revokes only that',
  'token. The person can also revoke the grant in their account, at any time.',
]

export const limits = ({ admin, rate, accessTokenSeconds, codeSeconds }: AuthMdSource): Lines => [
  `- Lifetimes: a code ${duration(codeSeconds)}, an access token ${duration(accessTokenSeconds)}, an ID token ${duration(600)}.`,
  '- Request bodies: 16 KiB for a form, 32 KiB for a registration.',
  ...when(
    admin,
    '- The admin API: 256 KiB for a body. A page of a list has 20 items, or 1 to 100 with `limit`; a larger `limit` is refused.',
    '- The `Idempotency-Key` of a POST: stored for 24 hours.',
  ),
  ...when(
    rate,
    `- The admin API: ${rate?.limit} requests in ${duration(rate?.windowSeconds ?? 0)} for each grant. \`RateLimit\` reports how many are left. After a 429, wait as long as \`Retry-After\` says.`,
  ),
]

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Formats seconds in the largest unit that divides them, so 90 stays `90 seconds`. */
function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= one && seconds % one === 0) ?? UNITS[3]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
