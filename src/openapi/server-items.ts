import {
  closed,
  type ErrorStatus,
  errorResponses,
  headerRefs,
  IF_NONE_MATCH,
  JSON_TYPE,
  jsonBody,
  listOf,
  type OpenapiPart,
  responseOf,
  type Schema,
  schemaRef,
  text,
  URI_SCHEMA,
} from './parts.js'
import type { ClientAuthenticationMethod } from '../authorization-server/client-authentication-method.js'
import type { AuthorizationServerConfiguration } from '../authorization-server/block.js'
import { DEVICE_GRANT } from '../policy/device-authorization.js'
import { type exampleBodies, REGISTRATION } from './server-examples.js'
import { type BodyName, scopesSchema, SECONDS } from './server-schemas.js'
import { BLOCK_PATHS, type EndpointName } from '../site/paths.js'

/**
 * The options on which a description depends.
 *
 * @inline
 */
export type DescribedOptions = Pick<
  AuthorizationServerConfiguration,
  'issuer' | 'requireState' | 'defaultScopes'
> &
  Partial<
    Pick<
      AuthorizationServerConfiguration,
      'clientAuthentication' | 'grants' | 'pushedRequests' | 'senderConstraint'
    >
  >

/** The tags of the operations. The identifier of an operation begins with its tag. */
export const TAGS: OpenapiPart['tags'] = [
  { name: 'discovery', description: 'Metadata and keys, for clients.' },
  {
    name: 'oauth',
    description: 'OAuth 2.1 and OpenID Connect: registration, authorization and tokens.',
  },
]

/** The path item of an endpoint, with the tag of its operations. */
interface Item {
  readonly tag: 'discovery' | 'oauth'
  readonly item: Schema
}

/** Describes every endpoint. */
export function itemsOf(
  options: DescribedOptions,
  examples: ReturnType<typeof exampleBodies>,
): Readonly<Record<EndpointName, Item>> {
  const { clientAuthentication = [] } = options
  return {
    protectedResourceMetadata: documentItem('resource', {
      summary: 'Get the metadata of the site as a resource',
      body: 'ProtectedResourceMetadata',
      example: examples.protectedResourceMetadata,
    }),
    mcpResourceMetadata: documentItem('mcp_resource', {
      summary: 'Get the metadata of the MCP endpoint',
      body: 'ProtectedResourceMetadata',
      example: examples.mcpResourceMetadata,
    }),
    signedInResourceMetadata: documentItem('mcp_signed_in_resource', {
      summary: 'Get the metadata of the MCP endpoint that always asks',
      body: 'ProtectedResourceMetadata',
      example: examples.signedInResourceMetadata,
    }),
    memberResourceMetadata: documentItem('mcp_member_resource', {
      summary: 'Get the metadata of the MCP endpoint for members',
      body: 'ProtectedResourceMetadata',
      example: examples.memberResourceMetadata,
    }),
    accountResourceMetadata: documentItem('account_resource', {
      summary: 'Get the metadata of the Account API',
      body: 'ProtectedResourceMetadata',
      example: examples.accountResourceMetadata,
    }),
    authorizationServerMetadata: documentItem('authorization_server', {
      summary: 'Get the metadata of the authorization server',
      body: 'AuthorizationServerMetadata',
      example: examples.authorizationServerMetadata,
    }),
    openidConfiguration: documentItem('openid_configuration', {
      summary: 'Get the metadata for OpenID Connect',
      body: 'AuthorizationServerMetadata',
      example: examples.openidConfiguration,
    }),
    jwks: documentItem('jwks', {
      summary: 'Get the keys that sign ID tokens',
      body: 'JsonWebKeySet',
      example: examples.jwks,
    }),
    register: oauthItem({ post: register(examples.register) }),
    authorize: oauthItem(authorize(options)),
    interaction: oauthItem(interaction()),
    token: oauthItem({ post: token(options, examples.token) }),
    userinfo: oauthItem({
      get: userinfo('', examples.userinfo),
      post: userinfo('_post', examples.userinfo),
    }),
    revoke: oauthItem({ post: revoke(clientAuthentication) }),
    introspect: oauthItem({ post: introspect(clientAuthentication, examples.introspect) }),
  }
}

const oauthItem = (item: Schema): Item => ({ tag: 'oauth', item })

/** An operation with its description, of which `more` are the sentences after the summary. */
const operation = (
  operationId: string,
  { summary, more, ...rest }: Schema & { readonly summary: string; readonly more?: string },
): Schema => ({
  operationId,
  summary,
  description: more === undefined ? `${summary}.` : `${summary}. ${more}`,
  tags: [operationId.slice(0, operationId.indexOf('.'))],
  ...rest,
})

const errorBody = (): Readonly<Record<string, Schema>> => ({ [JSON_TYPE]: schemaRef('OAuthError') })
// A failure of HTTP or of the service is JSON, because then no page of the host application is called.
const pageBody = (): Readonly<Record<string, Schema>> => ({ 'text/html': text(1_000_000) })

/** Any endpoint may be limited, and may fail. */
const ALWAYS = [429, 500, 503] as const satisfies readonly ErrorStatus[]

const errors = (
  statuses: readonly ErrorStatus[],
  challenged: readonly ErrorStatus[] = [],
): Schema => errorResponses([...statuses, ...ALWAYS], errorBody(), challenged)

const pageErrors = (statuses: readonly ErrorStatus[]): Schema =>
  errorResponses([...statuses, ...ALWAYS], { ...pageBody(), ...errorBody() })

function documentItem(
  name: string,
  {
    summary,
    body,
    example,
  }: { readonly summary: string; readonly body: BodyName; readonly example: Schema },
): Item {
  // The library leaves the identifier out, because the response may come from a cache. A host may add one.
  const headers = headerRefs('ETag', 'X-Request-Id')
  const get = operation(`discovery.${name}`, {
    summary,
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The document.',
        headers,
        content: { [JSON_TYPE]: { schema: schemaRef(body), example } },
      },
      304: { description: 'Not modified: the document still has this ETag.', headers },
      ...errors([]),
    },
  })
  return { tag: 'discovery', item: { get } }
}

const answerOf = (description: string, body: BodyName, example: Schema): Schema =>
  responseOf(description, { [JSON_TYPE]: schemaRef(body) }, {}, example)

const register = (example: Schema): Schema =>
  operation('oauth.register', {
    summary: 'Register a client',
    more: 'Programs on a computer can register, and integrations that the school knows.',
    security: [],
    requestBody: jsonBody('ClientMetadata', REGISTRATION),
    responses: {
      201: answerOf('The client is registered.', 'RegisteredClient', example),
      ...errors([400, 413, 415]),
    },
  })

/** Parameters of a query or of a form, by name. Their schemas have descriptions. */
interface Fields {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, Schema>>
}

const formOf = ({ required, properties }: Fields): Schema => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required } },
  },
})

const queryOf = ({ required, properties }: Fields): readonly Schema[] =>
  Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }))

const resource = (): Schema => ({
  ...listOf(URI_SCHEMA, 10),
  description: 'The `resource` of the protected resource metadata. Required for member clients.',
})

const requestFields = ({
  requireState,
  defaultScopes,
  senderConstraint,
}: DescribedOptions): Fields => ({
  required: [
    'response_type',
    'client_id',
    'redirect_uri',
    ...(defaultScopes === null ? ['scope'] : []),
    ...(requireState ? ['state'] : []),
    'code_challenge',
    'code_challenge_method',
  ],
  properties: {
    response_type: { type: 'string', enum: ['code'], description: 'Always `code`.' },
    client_id: text(2048, {
      description: 'A registered identifier, or the URL of a client ID metadata document.',
    }),
    redirect_uri: { ...URI_SCHEMA, description: 'A redirect URI of the client.' },
    scope: scopesSchema(),
    state: text(2048, { description: 'A random value, which the redirect repeats.' }),
    code_challenge: text(43, {
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'The SHA-256 of the `code_verifier`, in base64url (RFC 7636).',
    }),
    code_challenge_method: { type: 'string', enum: ['S256'], description: 'Always `S256`.' },
    resource: resource(),
    nonce: text(512, { description: 'A random value, which the ID token repeats.' }),
    prompt: text(200, {
      description: '`none`, or some of `login`, `consent`, `select_account`, separated by spaces.',
    }),
    max_age: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      maximum: 999_999_999,
      description: 'Greatest age of the sign-in, in seconds.',
    },
    login_hint: text(254, { description: 'Who is going to sign in, usually an email address.' }),
    ui_locales: text(287, {
      description: 'Languages of the pages, separated by spaces, the preferred one first.',
    }),
    response_mode: { type: 'string', enum: ['query'], description: 'Always `query`.' },
    ...senderConstraint?.parameters,
  },
})

const redirect = (description: string): Schema => ({
  303: responseOf(description, {}, headerRefs('Location')),
})
const ignored = (): Schema => ({
  204: responseOf('A prefetch by the browser, which changes nothing.'),
})

/** The parameters of a browser, which has `request_uri` in place of most of them after a push. */
function browserFields(options: DescribedOptions): Fields {
  const fields = requestFields(options)
  if (!options.pushedRequests) return fields
  const description = 'Of a pushed request, in place of every other parameter but `client_id`.'
  return {
    required: ['client_id'],
    properties: { ...fields.properties, request_uri: text(2048, { description }) },
  }
}

/** The header with which a request proves a key. */
const proof = ({ senderConstraint }: DescribedOptions): Schema =>
  senderConstraint
    ? {
        parameters: [
          {
            name: senderConstraint.scheme,
            in: 'header',
            required: false,
            description: 'A proof of the key to which the tokens are bound (RFC 9449, section 4).',
            schema: text(8192),
          },
        ],
      }
    : {}

function authorize(options: DescribedOptions): Schema {
  const fields = browserFields(options)
  return {
    get: operation('oauth.authorize', {
      summary: 'Ask a person for access',
      more: 'Send the browser here. A request that cannot be redirected ends on a page.',
      security: [],
      parameters: queryOf(fields),
      responses: {
        ...redirect('To the sign-in, or to the client with `code` or `error`, `state` and `iss`.'),
        ...ignored(),
        ...pageErrors([400, 414]),
      },
    }),
    post: operation('oauth.authorize_post', {
      summary: 'Ask a person for access, with a form',
      security: [],
      requestBody: formOf(fields),
      responses: {
        ...redirect('To the same request by GET.'),
        ...ignored(),
        ...pageErrors([400, 413, 414, 415]),
      },
    }),
  }
}

/** Describes the endpoints of the blocks that are switched on, by their paths. */
export const blockItems = (options: DescribedOptions): Readonly<Record<string, Schema>> => ({
  ...(options.pushedRequests && { [BLOCK_PATHS.pushedRequest]: pushItem(options) }),
  ...((options.grants ?? []).some(({ name }) => name === DEVICE_GRANT) && deviceItems(options)),
})

const deviceItems = ({
  defaultScopes,
  clientAuthentication = [],
}: DescribedOptions): Readonly<Record<string, Schema>> => ({
  [BLOCK_PATHS.deviceRequest]: {
    post: operation('oauth.device_authorization', {
      summary: 'Ask for the codes of a device',
      more: 'Show its person the user code, and poll the token endpoint with the device code.',
      security: [],
      requestBody: formOf({
        required: [
          ...always(clientAuthentication, 'client_id'),
          ...(defaultScopes === null ? ['scope'] : []),
        ],
        properties: {
          ...client(clientAuthentication),
          scope: scopesSchema(),
          resource: resource(),
        },
      }),
      responses: {
        200: responseOf('The codes.', {
          [JSON_TYPE]: closed('The codes of a device (RFC 8628, section 3.2).', {
            device_code: text(200),
            user_code: text(20, { description: 'For the person, who enters it.' }),
            verification_uri: URI_SCHEMA,
            verification_uri_complete: { ...URI_SCHEMA, description: 'With the user code.' },
            expires_in: { ...SECONDS, description: 'Lifetime of the codes, in seconds.' },
            interval: { ...SECONDS, description: 'Seconds between two polls.' },
          }),
        }),
        ...errors([400, 401, 403, 413, 415], [401]),
      },
    }),
  },
  [BLOCK_PATHS.device]: {
    get: operation('oauth.device', {
      summary: 'Show the page for the code of a device',
      security: [{ browser: [] }],
      parameters: queryOf({
        required: [],
        properties: { user_code: text(200, { description: 'Fills in the form.' }) },
      }),
      responses: { ...devicePage(), ...pageErrors([400, 403]) },
    }),
    post: operation('oauth.decide_device', {
      summary: 'Enter the code of a device, and allow or deny its request',
      security: [{ browser: [] }],
      requestBody: formOf({
        required: ['csrf_token', 'user_code'],
        properties: {
          csrf_token: text(200, { description: 'As on the page.' }),
          user_code: text(200, { description: 'As on the device.' }),
          decision: { type: 'string', enum: ['allow', 'deny'], description: 'The decision.' },
          ...narrowed(),
        },
      }),
      responses: { ...devicePage(), ...pageErrors([400, 403, 413, 415]) },
    }),
  },
})

const devicePage = (): Schema => ({
  200: responseOf('The page for the code, the consent or the end.', pageBody()),
  ...redirect('To the sign-in.'),
  ...ignored(),
})

/** The parameters of an authorization request, together with what authenticates its client. */
function pushItem(options: DescribedOptions): Schema {
  const { required, properties } = requestFields(options)
  const post = operation('oauth.push', {
    summary: 'Push an authorization request',
    more: 'Then send the browser to the authorization endpoint with `client_id` and `request_uri`.',
    security: [],
    ...proof(options),
    requestBody: formOf({
      required,
      properties: { ...properties, ...client(options.clientAuthentication ?? []) },
    }),
    responses: {
      201: responseOf('The request is stored.', {
        [JSON_TYPE]: {
          type: 'object',
          required: ['request_uri', 'expires_in'],
          properties: {
            request_uri: text(100, { description: 'Takes the place of the request, once.' }),
            expires_in: {
              type: 'integer',
              format: 'int32',
              minimum: 5,
              maximum: 599,
              description: 'Seconds in which a browser has to present it.',
            },
          },
        },
      }),
      ...clientErrors(),
    },
  })
  return { post }
}

function interaction(): Schema {
  const parameters = [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The identifier of the pending request.',
      schema: text(200),
    },
  ]
  const security = [{ browser: [] }]
  const responses = {
    200: responseOf('The page for the sign-in or the consent.', pageBody()),
    ...redirect('To the client with `code` or `error`, `state` and `iss`, or to the sign-in.'),
    ...ignored(),
  }
  return {
    get: operation('oauth.interaction', {
      summary: 'Continue a pending request',
      more: 'The authorization endpoint redirects here.',
      security,
      parameters,
      responses: { ...responses, ...pageErrors([400, 403]) },
    }),
    post: operation('oauth.decide', {
      summary: 'Allow or deny a pending request',
      more: 'The form of the consent page.',
      security,
      parameters,
      requestBody: formOf({
        required: ['csrf_token', 'decision'],
        properties: {
          csrf_token: text(200, { description: 'As on the page.' }),
          decision: {
            type: 'string',
            enum: ['allow', 'allow_and_paste', 'deny'],
            description: 'The decision.',
          },
          ...narrowed(),
        },
      }),
      responses: { ...responses, ...pageErrors([400, 403, 413, 415]) },
    }),
  }
}

/** The fields with which a person allows less than was requested. */
const narrowed = (): Fields['properties'] => ({
  access: {
    type: 'string',
    enum: ['all', 'read', 'choose'],
    description: 'How much of the request is allowed.',
  },
  scope: { ...listOf(text(200)), description: 'With `choose`: the scopes.' },
})

type Methods = readonly Pick<ClientAuthenticationMethod, 'parameters'>[]

const client = (methods: Methods): Fields['properties'] => ({
  client_id: text(2048, { description: 'The client.' }),
  client_secret: text(200, { description: 'Required for a client with `client_secret_post`.' }),
  ...Object.fromEntries(methods.flatMap(({ parameters }) => Object.entries(parameters))),
})

/** Returns the names that every client sends: none if a further method may name the client by its own. */
const always = (methods: Methods, ...names: readonly string[]): readonly string[] =>
  methods.length === 0 ? names : []

/** A request of a client that authenticates with the form. Only a client that sends the header gets a challenge. */
const clientErrors = (): Schema => errors([400, 401, 413, 415], [401])

function token(options: DescribedOptions, example: Schema): Schema {
  const { clientAuthentication: methods = [], grants = [] } = options
  return operation('oauth.token', {
    summary: 'Exchange a code or a refresh token',
    security: [],
    ...proof(options),
    requestBody: formOf({
      required: ['grant_type', ...always(methods, 'client_id')],
      properties: {
        grant_type: {
          type: 'string',
          enum: ['authorization_code', 'refresh_token', ...grants.map(({ name }) => name)],
          description: 'What is exchanged: a code or a refresh token.',
        },
        ...client(methods),
        code: text(200, { description: 'The code. Required with `authorization_code`.' }),
        redirect_uri: {
          ...URI_SCHEMA,
          description: 'As in the authorization request. Required with `authorization_code`.',
        },
        code_verifier: text(128, {
          pattern: '^[A-Za-z0-9._~-]{43,128}$',
          description: 'The verifier of PKCE. Required with `authorization_code`.',
        }),
        refresh_token: text(200, {
          description: 'The refresh token. Required with `refresh_token`.',
        }),
        scope: { ...scopesSchema(), description: 'With `refresh_token`: fewer scopes.' },
        resource: resource(),
        ...Object.assign({}, ...grants.map(({ parameters }) => parameters)),
      },
    }),
    responses: {
      200: answerOf('The tokens.', 'TokenResponse', example),
      ...clientErrors(),
    },
  })
}

const tokenFields = (methods: Methods, ...required: readonly string[]): Fields => ({
  required: ['token', ...always(methods, 'client_id', ...required)],
  properties: {
    token: text(8192, { description: 'An access token or a refresh token.' }),
    token_type_hint: text(200, { description: 'Ignored: both kinds are looked up.' }),
    ...client(methods),
  },
})

const revoke = (methods: Methods): Schema =>
  operation('oauth.revoke', {
    summary: 'Revoke a token',
    more: 'A refresh token is revoked with all tokens of its grant.',
    security: [],
    requestBody: formOf(tokenFields(methods)),
    responses: {
      200: responseOf(
        'The token is not valid, or not any more.',
        { [JSON_TYPE]: { type: 'object', additionalProperties: false } },
        {},
        {},
      ),
      ...clientErrors(),
    },
  })

const introspect = (methods: Methods, example: Schema): Schema =>
  operation('oauth.introspect', {
    summary: 'Get the state of a token',
    more: 'For confidential clients.',
    security: [],
    requestBody: formOf(tokenFields(methods, 'client_secret')),
    responses: {
      200: answerOf('The state.', 'Introspection', example),
      ...clientErrors(),
    },
  })

const userinfo = (suffix: '' | '_post', example: Schema): Schema =>
  operation(`oauth.userinfo${suffix}`, {
    summary: suffix === '' ? 'Get the claims about the person' : 'Get the claims by POST',
    more: 'The token needs the scope `openid`.',
    security: [{ accessToken: [] }],
    responses: {
      200: answerOf('The claims.', 'UserInfo', example),
      ...errors([400, 401, 403], [400, 401, 403]),
    },
  })
