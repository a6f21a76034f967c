import type { OAuthErrorCode, RefusalReason } from 'hallpass/policy'

/** The steps of the flow, in order. */
export const STEPS = [
  'discover',
  'register',
  'authorize',
  'exchange',
  'use',
  'refresh',
  'revoke',
] as const

/** A step of the flow. */
export type StepId = (typeof STEPS)[number]

/** Who the client is: an app for staff, an app for a member, or an agent at `/mcp`. */
export type Track = 'operator' | 'member' | 'mcp'

/** A change to the request of a step. Text in braces is a variable, such as `{code}`. */
export interface Edit {
  readonly method?: 'GET' | 'POST'
  readonly url?: string
  /** Parameters to set, or for `null` to leave out. */
  readonly set?: Readonly<Record<string, string | null>>
  /** Parameters to add, also if the request has one of this name. */
  readonly add?: Readonly<Record<string, string>>
  /** Headers to set, or for `null` to leave out. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** The content, instead of parameters. */
  readonly body?: string
  /** Changes to the response of the authorization endpoint, as an attacker could make them. */
  readonly answer?: Readonly<Record<string, string>>
}

/** The facts on which conditions depend. Ages are in seconds, and `null` if there is nothing that has one. */
export interface Facts {
  /** The age of the code, unless it was exchanged. */
  readonly codeAge: number | null
  /** Since a code was exchanged for the tokens. */
  readonly exchangedAge: number | null
  /** Since the tokens were renewed. */
  readonly renewedAge: number | null
  readonly renewals: number
  /** Since a person allowed something. */
  readonly allowedAge: number | null
  /** Whether the grant of the tokens has ended. */
  readonly isEnded: boolean
  /** Whether the client has a metadata document. */
  readonly isDocument: boolean
}

/** A condition of a prepared request. */
interface Need {
  /** The condition, for the reader. */
  readonly says: string
  /** Says what leads to it next: a step, time, or something only the reader can do; `null` if it is met. */
  readonly next: (facts: Facts) => StepId | 'wait' | 'reader' | null
}

const CODE_SECONDS = 60
/** For so long, a code that is used twice was probably sent twice. */
const RACE_SECONDS = 5
/** A response is repeated for a minute, and the clock of a server may differ. */
const REPEAT_SECONDS = 50

/** A code is older at the server than here, and the next request takes time. */
const FRESH_SECONDS = 50

const isFresh = ({ codeAge }: Facts): boolean => codeAge !== null && codeAge < FRESH_SECONDS
const isBefore = (age: number | null, seconds: number): boolean => age !== null && age < seconds
const toTokens = (facts: Facts): StepId => (isFresh(facts) ? 'exchange' : 'authorize')

const NEEDS = {
  signedIn: {
    says: 'you are signed in, and have allowed something',
    next: ({ allowedAge }) => (allowedAge === null ? 'authorize' : null),
  },
  signedInBefore: {
    says: 'you signed in more than a second ago',
    next: ({ allowedAge }) => (allowedAge === null ? 'authorize' : allowedAge > 1 ? null : 'wait'),
  },
  signedOut: {
    says: 'you are signed out of the school',
    next: ({ allowedAge }) => (allowedAge === null ? null : 'reader'),
  },
  registered: {
    says: 'a client without a metadata document',
    next: ({ isDocument }) => (isDocument ? 'reader' : null),
  },
  oldCode: {
    says: 'a code that is older than 60 seconds, and was not exchanged',
    next: ({ codeAge }) =>
      codeAge === null ? 'authorize' : codeAge > CODE_SECONDS ? null : 'wait',
  },
  exchangedNow: {
    says: 'a code that was exchanged less than five seconds ago',
    next: (facts) => (isBefore(facts.exchangedAge, RACE_SECONDS - 1) ? null : toTokens(facts)),
  },
  exchangedBefore: {
    says: 'a code that was exchanged more than five seconds ago',
    next: (facts) =>
      facts.exchangedAge === null
        ? toTokens(facts)
        : facts.exchangedAge > RACE_SECONDS
          ? null
          : 'wait',
  },
  live: {
    says: 'tokens of a grant that has not ended',
    next: (facts) => (facts.isEnded ? toTokens(facts) : null),
  },
  renewedNow: {
    says: 'tokens that were renewed less than a minute ago',
    next: (facts) => {
      if (facts.isEnded) return toTokens(facts)
      return isBefore(facts.renewedAge, REPEAT_SECONDS) ? null : 'refresh'
    },
  },
  renewedTwice: {
    says: 'tokens that were renewed twice',
    next: (facts) => {
      if (facts.isEnded) return toTokens(facts)
      return facts.renewals >= 2 ? null : 'refresh'
    },
  },
  ended: {
    says: 'tokens of a grant that has ended',
    next: ({ isEnded }) => (isEnded ? null : 'revoke'),
  },
} as const satisfies Record<string, Need>

/** A prepared request: one that works, or one that breaks a rule on purpose. */
export interface Preset {
  /** Unique. It is part of links, so it stays as it is. */
  readonly id: string
  readonly step: StepId
  readonly label: string
  /** The refusal that it is for; absent if it works, or if the client itself refuses the response. */
  readonly refused?: { readonly error: OAuthErrorCode; readonly reason: RefusalReason }
  /** The school of the demo at which it is refused for this. Default: both */
  readonly at?: 'Lantern Street' | 'Kiln & Coil'
  /** The conditions for it, in addition to its variables. */
  readonly needs?: readonly Need[]
  /** An instruction to the reader. */
  readonly note?: string
  /** The tracks on which it makes sense. Default: all. */
  readonly tracks?: readonly Track[]
  readonly edit: Edit
}

type Made = Omit<Preset, 'step' | 'refused' | 'edit'>

/** Presets of one step that one error code refuses. */
const refusedWith =
  (step: StepId, error: OAuthErrorCode) =>
  (reason: RefusalReason, label: string, edit: Edit, more: Partial<Made> = {}): Preset => ({
    id: `${step}.${reason}`,
    step,
    label,
    refused: { error, reason },
    edit,
    ...more,
  })

const REGISTERED = {
  client_name: 'Playground',
  redirect_uris: ['{redirect_uri}'],
  application_type: 'native',
  token_endpoint_auth_method: 'none',
}

/** The metadata that the playground registers, as JSON with these changes. */
export const registrationOf = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ ...REGISTERED, ...changes }, null, 2)

const registering = (body: string): Edit => ({
  method: 'POST',
  url: '{registration_endpoint}',
  body,
})
const metadata = (changes: Readonly<Record<string, unknown>>): Edit =>
  registering(registrationOf(changes))

const register = refusedWith('register', 'invalid_client_metadata')
const registerUri = refusedWith('register', 'invalid_redirect_uri')
const REGISTER: readonly Preset[] = [
  register('json_malformed', 'A body that is not JSON', registering('{ "client_name": ')),
  register(
    'json_key_repeated',
    'A member name twice',
    registering('{ "client_name": "One", "client_name": "Two" }'),
  ),
  register('metadata_not_an_object', 'A list', registering('[]')),
  register(
    'client_name_malformed',
    'A name with 101 letters',
    metadata({ client_name: 'a'.repeat(101) }),
  ),
  register('client_name_not_a_vendor', 'No redirect URI', metadata({ redirect_uris: undefined })),
  register(
    'auth_method_not_supported',
    'A signed assertion',
    metadata({ token_endpoint_auth_method: 'private_key_jwt' }),
  ),
  register(
    'application_type_mismatch',
    'A web app on this computer',
    metadata({ application_type: 'web', redirect_uris: ['http://127.0.0.1/callback'] }),
  ),
  register(
    'grant_types_not_supported',
    'Only the implicit grant',
    metadata({ grant_types: ['implicit'] }),
  ),
  register(
    'response_types_not_supported',
    'Only the response type token',
    metadata({ response_types: ['token'] }),
  ),
  register(
    'metadata_value_not_supported',
    'ID tokens signed with RS256',
    metadata({ id_token_signed_response_alg: 'RS256' }),
  ),
  register(
    'link_malformed',
    'A link that runs a script',
    metadata({ client_uri: 'javascript:alert(1)' }),
  ),
  register('contacts_malformed', 'Contacts as a text', metadata({ contacts: 'me' })),
  registerUri(
    'redirect_uris_malformed',
    'Redirect URIs as a text',
    metadata({ redirect_uris: '{redirect_uri}' }),
  ),
  registerUri(
    'redirect_uri_malformed',
    'A fragment in the redirect URI',
    metadata({ redirect_uris: ['http://127.0.0.1/#top'] }),
  ),
  registerUri(
    'redirect_uri_not_loopback',
    'An address on the web',
    metadata({ redirect_uris: ['https://app.example/callback'] }),
  ),
]

const OTHER = 'https://another-school.example'
const set = (name: string, value: string | null): Edit => ({ set: { [name]: value } })
const twice = (name: string, value: string): Edit => ({ add: { [name]: value } })

const authorize = refusedWith('authorize', 'invalid_request')
const page = refusedWith('authorize', 'invalid_client')
const scoped = refusedWith('authorize', 'invalid_scope')
const quietly = refusedWith('authorize', 'login_required')
const AUTHORIZE: readonly Preset[] = [
  authorize('client_id_missing', 'No client_id', set('client_id', null)),
  page('client_unknown', 'A client that does not exist', set('client_id', 'app_{random}')),
  page('client_disabled', 'A client that is switched off', set('client_id', 'old-tracker'), {
    at: 'Lantern Street',
  }),
  page(
    'client_blocked',
    'A client that is blocked',
    set('client_id', 'https://bad.example/client.json'),
    { at: 'Lantern Street' },
  ),
  page(
    'document_url_malformed',
    'A document with a fragment',
    set('client_id', 'https://app.example/client.json#top'),
  ),
  page(
    'document_host_not_public',
    'A document inside a network',
    set('client_id', 'https://10.0.0.1/client.json'),
  ),
  page(
    'document_port_not_allowed',
    'A document on another port',
    set('client_id', 'https://app.example:8443/client.json'),
  ),
  page(
    'document_host_not_allowed',
    'A document of an unknown host',
    set('client_id', 'https://app.example/client.json'),
  ),
  page(
    'document_unavailable',
    'A document that never comes',
    set('client_id', 'https://slow.example/client.json'),
    { note: 'It takes five seconds.' },
  ),
  authorize('redirect_uri_missing', 'No redirect URI', set('redirect_uri', null)),
  authorize(
    'redirect_uri_not_registered',
    'Another redirect URI',
    set('redirect_uri', 'https://evil.example/callback'),
  ),
  authorize('parameter_repeated', 'A parameter twice', twice('state', '{state}')),
  authorize('request_too_long', 'A query of 9,000 characters', twice('note', 'x'.repeat(9000))),
  authorize('state_missing', 'No state', set('state', null)),
  authorize('state_malformed', 'A state with a line break', set('state', 'a\nb')),
  authorize('response_type_missing', 'No response type', set('response_type', null)),
  refusedWith('authorize', 'unsupported_response_type')(
    'response_type_not_supported',
    'The implicit grant',
    set('response_type', 'token'),
  ),
  authorize(
    'response_mode_not_supported',
    'A response as a form',
    set('response_mode', 'form_post'),
  ),
  authorize('code_challenge_missing', 'No challenge', set('code_challenge', null)),
  authorize(
    'code_challenge_malformed',
    'A challenge that is too short',
    set('code_challenge', 'short'),
  ),
  authorize(
    'code_challenge_method_missing',
    'No challenge method',
    set('code_challenge_method', null),
  ),
  authorize('code_challenge_method_not_supported', 'The verifier in the clear', {
    set: { code_challenge_method: 'plain', code_challenge: '{code_verifier}' },
  }),
  authorize('nonce_malformed', 'A nonce with a line break', set('nonce', 'a\nb')),
  authorize('prompt_malformed', 'Two prompts that contradict', set('prompt', 'none login')),
  authorize('max_age_malformed', 'An age in words', set('max_age', 'soon')),
  scoped('scope_missing', 'Only offline_access', set('scope', 'offline_access')),
  scoped('scope_malformed', 'A scope in quotation marks', set('scope', 'openid "profile"')),
  scoped('scope_unknown', 'An unknown scope', set('scope', 'openid report_cards:read')),
  scoped(
    'scope_of_other_audience',
    'A scope for members’ apps',
    set('scope', 'openid account:read'),
    { tracks: ['operator', 'mcp'] },
  ),
  scoped(
    'scope_of_other_audience',
    'A scope for staff’s apps',
    set('scope', 'openid courses:read'),
    { id: 'authorize.scope_for_staff', tracks: ['member'] },
  ),
  refusedWith('authorize', 'invalid_target')(
    'resource_missing',
    'No resource',
    set('resource', null),
    { tracks: ['member'] },
  ),
  refusedWith('authorize', 'invalid_target')(
    'resource_unknown',
    'Another school’s resource',
    set('resource', OTHER),
  ),
  refusedWith('authorize', 'request_not_supported')(
    'request_object_not_supported',
    'A request object',
    set('request', 'e30.e30.'),
  ),
  refusedWith('authorize', 'request_uri_not_supported')(
    'request_uri_not_supported',
    'A request by reference',
    set('request_uri', 'https://app.example/request'),
  ),
  quietly('person_signed_out', 'Without a question, signed out', set('prompt', 'none'), {
    needs: [NEEDS.signedOut],
  }),
  quietly(
    'sign_in_not_fresh',
    'Without a question, after a sign-in that is too old',
    { set: { prompt: 'none', max_age: '0' } },
    { needs: [NEEDS.signedInBefore] },
  ),
  refusedWith('authorize', 'consent_required')(
    'consent_missing',
    'Without a question, and without consent',
    { set: { prompt: 'none', scope: '{scope} school:read' } },
    { needs: [NEEDS.signedIn], tracks: ['operator', 'mcp'] },
  ),
  refusedWith('authorize', 'access_denied')(
    'person_denied',
    'Press Cancel',
    {},
    { note: 'Then press Cancel at the school.' },
  ),
  refusedWith('authorize', 'access_denied')(
    'person_not_staff',
    'Sign in as a student',
    {},
    { note: 'Then sign in as a student, and press Cancel.', tracks: ['operator', 'mcp'] },
  ),
  {
    id: 'authorize.wrong_state',
    step: 'authorize',
    label: 'A response to another request',
    edit: { answer: { state: '{random}' } },
  },
  {
    id: 'authorize.mixed_up_iss',
    step: 'authorize',
    label: 'A response of another server',
    edit: { answer: { iss: OTHER } },
  },
  {
    id: 'authorize.wrong_nonce',
    step: 'authorize',
    label: 'Another nonce, which the exchange finds',
    edit: set('nonce', '{random}'),
  },
]

const asClient = (reason: RefusalReason, label: string, edit: Edit, more?: Partial<Made>): Preset =>
  refusedWith('exchange', 'invalid_client')(reason, label, edit, more)
const exchange = refusedWith('exchange', 'invalid_request')
const grant = refusedWith('exchange', 'invalid_grant')
const SECRET_OF = { at: 'Lantern Street' } as const
const EXCHANGE: readonly Preset[] = [
  exchange('grant_type_missing', 'No grant type', set('grant_type', null)),
  refusedWith('exchange', 'unsupported_grant_type')(
    'grant_type_not_supported',
    'A password',
    set('grant_type', 'password'),
  ),
  exchange('parameter_repeated', 'The code twice', twice('code', '{code}')),
  exchange('client_id_missing', 'No client_id', set('client_id', null)),
  exchange('client_auth_ambiguous', 'A secret in two places', {
    set: { client_secret: 'one' },
    headers: { authorization: 'Basic YTpi' },
  }),
  asClient('client_unknown', 'A client that does not exist', set('client_id', 'app_{random}')),
  asClient('client_auth_method_not_supported', 'A password in the header', {
    set: { client_id: null },
    headers: { authorization: 'Basic YTpi' },
  }),
  asClient(
    'client_secret_unexpected',
    'A secret that the client does not have',
    set('client_secret', 'guessed'),
  ),
  asClient(
    'client_secret_missing',
    'A confidential client without its secret',
    set('client_id', 'portfolio-hub'),
    SECRET_OF,
  ),
  asClient(
    'client_secret_mismatch',
    'A wrong secret',
    { set: { client_id: 'portfolio-hub', client_secret: 'guessed' } },
    SECRET_OF,
  ),
  exchange('code_missing', 'No code', set('code', null)),
  exchange('redirect_uri_missing', 'No redirect URI', set('redirect_uri', null)),
  exchange(
    'code_verifier_malformed',
    'A verifier that is too short',
    set('code_verifier', 'short'),
  ),
  grant('code_unknown', 'A code that was guessed', set('code', 'hpc_{random}')),
  grant('code_of_other_client', 'The code of another client', set('client_id', 'graphiql'), {
    at: 'Lantern Street',
  }),
  grant(
    'redirect_uri_mismatch',
    'Another redirect URI',
    set('redirect_uri', 'http://127.0.0.1/other'),
  ),
  grant('code_verifier_missing', 'No verifier', set('code_verifier', null)),
  grant('code_verifier_mismatch', 'A verifier that was guessed', set('code_verifier', '{random}')),
  refusedWith('exchange', 'invalid_target')(
    'resource_missing',
    'No resource',
    set('resource', null),
  ),
  grant('resource_mismatch', 'Another school’s resource', set('resource', OTHER)),
  grant('code_expired', 'A code older than 60 seconds', {}, { needs: [NEEDS.oldCode] }),
  grant('code_lost_race', 'The same code immediately again', {}, { needs: [NEEDS.exchangedNow] }),
  grant('code_replayed', 'The same code later', {}, { needs: [NEEDS.exchangedBefore] }),
]

/** The requests of step 5 that work, per track. */
const rpc = (method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, null, 2)
const atMcp = (body: string): Edit => ({
  method: 'POST',
  url: '{mcp}',
  headers: { accept: 'application/json, text/event-stream' },
  body,
})
/** An agent asks for its tools. */
export const LIST_TOOLS: Edit = atMcp(rpc('tools/list'))
const USERINFO: Edit = { method: 'GET', url: '{userinfo_endpoint}' }
const QUERY = JSON.stringify(
  { query: '{ viewer { name enrolledCourses(first: 2) { nodes { title } } } }' },
  null,
  2,
)

const gate = refusedWith('use', 'invalid_token')
const USE: readonly Preset[] = [
  { id: 'use.userinfo', step: 'use', label: 'UserInfo', edit: USERINFO },
  {
    id: 'use.courses',
    step: 'use',
    label: 'Courses of the admin API',
    tracks: ['operator'],
    edit: { method: 'GET', url: '{issuer}/api/v1/courses?limit=2&fields=id,title,state' },
  },
  {
    id: 'use.account',
    step: 'use',
    label: 'Account API',
    tracks: ['member'],
    edit: { method: 'POST', url: '{issuer}/account/graphql', body: QUERY },
  },
  { id: 'use.tools', step: 'use', label: 'Tools of MCP', edit: LIST_TOOLS },
  {
    id: 'use.call',
    step: 'use',
    label: 'Call a tool',
    tracks: ['mcp', 'operator'],
    edit: atMcp(rpc('tools/call', { name: 'list_courses', arguments: { limit: 2 } })),
  },
  gate('access_token_missing', 'No token', { ...USERINFO, headers: { authorization: null } }),
  gate('authorization_malformed', 'Another scheme', {
    ...USERINFO,
    headers: { authorization: 'Token {access_token}' },
  }),
  gate('access_token_unknown', 'A token that this server did not issue', {
    ...USERINFO,
    headers: { authorization: 'Bearer hpa_{random}' },
  }),
  gate(
    'access_token_unknown',
    'The token of the other school',
    { ...USERINFO, headers: { authorization: 'Bearer {other_token}' } },
    { id: 'use.token_of_other_school' },
  ),
  refusedWith('use', 'invalid_request')('access_token_sent_twice', 'The token twice', {
    method: 'POST',
    url: '{userinfo_endpoint}',
    set: { access_token: '{access_token}' },
  }),
  gate('grant_revoked', 'The token of a grant that has ended', USERINFO, {
    needs: [NEEDS.ended],
  }),
  refusedWith('use', 'insufficient_scope')(
    'scope_not_granted',
    'A scope that was not allowed',
    { method: 'GET', url: '{issuer}/api/v1/orders?limit=1' },
    { tracks: ['operator', 'mcp'], needs: [NEEDS.registered, NEEDS.live] },
  ),
  refusedWith('use', 'insufficient_scope')(
    'scope_beyond_client',
    'An API that is not for members’ apps',
    { method: 'GET', url: '{issuer}/api/v1/courses?limit=1' },
    { tracks: ['member'], needs: [NEEDS.live] },
  ),
  refusedWith('use', 'insufficient_scope')(
    'tool_of_other_audience',
    'A tool that is not for members’ apps',
    atMcp(rpc('tools/call', { name: 'list_courses', arguments: {} })),
    { tracks: ['member'], needs: [NEEDS.live] },
  ),
]

const refresh = refusedWith('refresh', 'invalid_grant')
const REFRESH: readonly Preset[] = [
  refusedWith('refresh', 'invalid_request')(
    'refresh_token_missing',
    'No refresh token',
    set('refresh_token', null),
  ),
  refresh(
    'refresh_token_unknown',
    'A token that was guessed',
    set('refresh_token', 'hpr_{random}'),
  ),
  refresh(
    'refresh_token_of_other_client',
    'The token of another client',
    set('client_id', 'graphiql'),
    { at: 'Lantern Street' },
  ),
  refusedWith('refresh', 'invalid_scope')(
    'scope_widened',
    'More scopes than were allowed',
    set('scope', '{scope} orders:read'),
    { tracks: ['operator', 'mcp'], needs: [NEEDS.live] },
  ),
  refusedWith('refresh', 'invalid_scope')(
    'scope_malformed',
    'A scope in quotation marks',
    set('scope', 'openid "profile"'),
  ),
  refresh('resource_mismatch', 'Another school’s resource', set('resource', OTHER), {
    needs: [NEEDS.live],
  }),
  refresh(
    'refresh_retry_differs',
    'The same request with other scopes',
    { set: { refresh_token: '{previous_refresh_token}', scope: 'openid' } },
    { needs: [NEEDS.renewedNow] },
  ),
  refresh(
    'refresh_token_reused',
    'A refresh token that was used before',
    set('refresh_token', '{first_refresh_token}'),
    // No member of that school has apps.
    { at: 'Kiln & Coil', needs: [NEEDS.renewedTwice], tracks: ['operator', 'mcp'] },
  ),
  refresh(
    'grant_revoked',
    'The token of a grant that has ended',
    {},
    { needs: [NEEDS.ended], note: 'The log has it once an hour for each client.' },
  ),
]

const revoke = refusedWith('revoke', 'invalid_request')
const INTROSPECT = { url: '{introspection_endpoint}' }
const REVOKE: readonly Preset[] = [
  revoke('token_missing', 'No token', set('token', null)),
  revoke('client_id_missing', 'No client_id', set('client_id', null)),
  refusedWith('revoke', 'invalid_client')(
    'client_unknown',
    'A client that does not exist',
    set('client_id', 'app_{random}'),
  ),
  refusedWith('revoke', 'invalid_client')(
    'client_not_confidential',
    'Introspection by a public client',
    INTROSPECT,
  ),
]

const DISCOVER: readonly Preset[] = [
  { id: 'discover.again', step: 'discover', label: 'Only the metadata', edit: {} },
  { id: 'discover.post', step: 'discover', label: 'With POST', edit: { method: 'POST' } },
  {
    id: 'discover.nowhere',
    step: 'discover',
    label: 'At another path',
    edit: { url: '{issuer}/.well-known/oauth-authorization-server/nowhere' },
  },
]

/** Every prepared request, in the order of the steps. */
export const PRESETS: readonly Preset[] = [
  ...DISCOVER,
  ...REGISTER,
  ...AUTHORIZE,
  ...EXCHANGE,
  ...USE,
  ...REFRESH,
  ...REVOKE,
]
