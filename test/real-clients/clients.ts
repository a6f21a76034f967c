// The clients that others wrote, each with what it has to be told and how its life goes. `npm run test:clients` holds
// each row against the client itself; `docs/do/connect-a-library.md` and the tables of `docs/look-up/clients.md` are
// written from here. A row that is wrong is changed here, and nowhere else.

/** The day of the run that these rows describe. */
export const RAN_ON = '2026-11-26'

/** The same of those in Java, which only `-- --java` runs. */
export const JAVA_RAN_ON = '2026-11-29'

/** The steps of the life of what signs people in, in their order, and how a page names them. */
export const STEPS = {
  discovery: 'discovery',
  registration: 'registration',
  signIn: 'sign-in',
  idToken: 'ID token',
  userInfo: 'UserInfo',
  refresh: 'refresh',
  call: 'call',
  revocation: 'revocation',
  refusal: 'refusal',
  // An agent is a client of operators. With the client ID of an app of members, it is theirs.
  member: 'for a member',
} as const

/** Those of what calls an API. */
export const API_STEPS = {
  discovery: 'description',
  generates: 'code',
  compiles: 'compiles',
  signIn: 'sign-in',
  call: 'call',
  refusal: 'refusal',
  persistedQueries: 'persisted queries',
} as const

export type Step = keyof typeof STEPS | keyof typeof API_STEPS

/**
 * How a step goes: as the client does it by itself, once the settings are named, by the code of its user, or not, with
 * words that the client says.
 */
export type Outcome = 'ok' | 'setting' | 'by hand' | { readonly fails: string }

/** The group of a client. Its drivers are in `drivers/<family>.*`. */
export type Family = 'oauth' | 'sites' | 'browser' | 'debian' | 'java' | 'mcp' | 'agents' | 'api'

interface Package {
  readonly name: string
  readonly version: string
}

/** A client that others wrote. */
export interface RealLibrary {
  /** Unique, and that of its driver. */
  readonly name: string
  readonly family: Family
  /** Whose version is in the lock file. Default: `name` */
  readonly npm?: string
  /** The package of Debian instead, and the version that was run. */
  readonly debian?: Package
  /** That of Maven instead, by the name of its jar. */
  readonly maven?: Package
  /** The path of its address to return to. Default: `/callback` */
  readonly callback?: string
  /** Where an agent connects. Default: `/mcp` */
  readonly path?: string
  /** Its app has no secret. Default: false */
  readonly isPublic?: true
  /** A driver that is no program of Node. */
  readonly driver?: readonly string[]
  /** What it has to be told, as clauses. */
  readonly settings?: readonly string[]
  /** What it says without them. */
  readonly untold?: string
  /** Where it stops, and what helps. */
  readonly remark?: string
  /** How it is told: lines of its driver, or text. */
  readonly snippet?: { readonly of: string; readonly as: string } | { readonly text: string }
  /** A step that is not named here is none of it. */
  readonly steps: Partial<Readonly<Record<Step, Outcome>>>
  /** How many tools of `/mcp` it sees without a sign-in, and after one that it began by itself. */
  readonly tools?: Readonly<Partial<Record<'anonymous' | 'owner' | 'student', number>>>
}

const RESOURCE_TWICE = '`resource` with both requests'
const ES256 = 'ES256 for ID tokens'
const BASIC = 'HTTP Basic is not accepted'

/** A member's app, whose sign-in needs settings. */
const TOLD = {
  signIn: 'setting',
  idToken: 'ok',
  userInfo: 'ok',
  refresh: 'ok',
  call: 'ok',
  revocation: 'ok',
  refusal: 'ok',
} as const

const AGENT = {
  discovery: 'ok',
  registration: 'ok',
  signIn: 'ok',
  refresh: 'ok',
  call: 'ok',
  revocation: 'by hand',
  refusal: 'ok',
  member: 'ok',
} as const

/** It asks for the scopes that the metadata of the resource recommends. */
const BASELINE = { anonymous: 11, owner: 43, student: 20 }

const js = (of: string) => ({ of, as: 'js' }) as const

export const LIBRARIES: readonly RealLibrary[] = [
  {
    name: 'openid-client',
    family: 'oauth',
    settings: [RESOURCE_TWICE],
    untold: 'resource is required: send resource=',
    snippet: js('openid-client'),
    steps: { discovery: 'ok', registration: 'ok', ...TOLD },
  },
  {
    name: 'openid-client 5',
    npm: 'openid-client-5',
    family: 'oauth',
    settings: [RESOURCE_TWICE, `${ES256}: \`id_token_signed_response_alg\``],
    untold: 'unexpected JWT alg received, expected RS256, got: ES256',
    snippet: js('openid-client 5'),
    steps: {
      discovery: 'ok',
      registration: 'ok',
      ...TOLD,
      idToken: 'setting',
    },
  },
  {
    name: 'oauth4webapi',
    family: 'oauth',
    isPublic: true,
    snippet: js('oauth4webapi'),
    steps: { discovery: 'ok', registration: 'ok', ...TOLD, signIn: 'ok' },
  },
  {
    name: 'simple-oauth2',
    family: 'oauth',
    settings: [
      "the secret in the form: `authorizationMethod: 'body'`",
      RESOURCE_TWICE,
      'PKCE by your own code',
    ],
    untold: BASIC,
    snippet: js('simple-oauth2'),
    steps: {
      ...TOLD,
      idToken: 'by hand',
      userInfo: 'by hand',
    },
  },
  {
    name: 'arctic',
    family: 'oauth',
    isPublic: true,
    settings: ['an app of operators without a secret: it cannot send `resource` with the code'],
    untold: 'resource is required: repeat resource=',
    snippet: js('arctic'),
    steps: {
      registration: 'by hand',
      ...TOLD,
      idToken: 'by hand',
      userInfo: 'by hand',
    },
  },
  {
    name: '@badgateway/oauth2-client',
    family: 'oauth',
    settings: [`${RESOURCE_TWICE}; \`getTokenFromCodeRedirect\` leaves it out`],
    untold: 'resource is required: send resource=',
    snippet: js('@badgateway/oauth2-client'),
    steps: { discovery: 'ok', ...without(TOLD, 'idToken'), userInfo: 'by hand' },
  },
  {
    name: 'passport-oauth2',
    family: 'sites',
    settings: ['`pkce: true` and `state: true`', `${RESOURCE_TWICE}, by a subclass`],
    untold: 'resource is required: send resource=',
    snippet: js('passport-oauth2'),
    steps: { ...TOLD, idToken: 'by hand', userInfo: 'setting', revocation: 'by hand' },
  },
  {
    name: 'express-openid-connect',
    family: 'sites',
    settings: [
      "the secret in the form: `clientAuthMethod: 'client_secret_post'`",
      `${ES256}: \`idTokenSigningAlg\``,
      "`response_type: 'code'`",
      RESOURCE_TWICE,
    ],
    untold: 'server responded with a challenge in the WWW-Authenticate HTTP Header',
    snippet: js('express-openid-connect'),
    steps: { discovery: 'ok', ...TOLD, idToken: 'setting', revocation: 'by hand' },
  },
  {
    name: '@fastify/oauth2',
    family: 'sites',
    settings: [
      "the secret in the form: `authorizationMethod: 'body'`",
      "`pkce: 'S256'`",
      `${RESOURCE_TWICE}: \`callbackUriParams\`, \`tokenRequestParams\``,
    ],
    untold: BASIC,
    snippet: js('@fastify/oauth2'),
    steps: {
      discovery: 'ok',
      ...TOLD,
      idToken: 'by hand',
    },
  },
  {
    name: '@auth/core',
    family: 'sites',
    callback: '/auth/callback/school',
    settings: [
      'the secret in the form: `token_endpoint_auth_method`',
      `${ES256}: \`id_token_signed_response_alg\``,
      `${RESOURCE_TWICE}, there by \`[customFetch]\``,
    ],
    untold: 'server responded with a challenge in the WWW-Authenticate HTTP Header',
    snippet: js('@auth/core'),
    steps: {
      discovery: 'ok',
      ...without(TOLD, 'refresh'),
      idToken: 'setting',
      userInfo: 'by hand',
      revocation: 'by hand',
    },
  },
  {
    name: 'better-auth',
    family: 'sites',
    callback: '/api/auth/callback/school',
    settings: [`${RESOURCE_TWICE}: \`authorizationUrlParams\`, \`tokenUrlParams\``],
    untold: 'resource is required: send resource=',
    snippet: js('better-auth'),
    steps: { discovery: 'ok', ...TOLD, revocation: 'by hand' },
  },
  {
    name: 'oidc-client-ts',
    family: 'browser',
    isPublic: true,
    settings: [`${RESOURCE_TWICE}: \`extraQueryParams\`, \`extraTokenParams\``],
    snippet: js('oidc-client-ts'),
    steps: { discovery: 'ok', ...TOLD },
  },
  {
    name: 'oidc-client-ts (popup)',
    npm: 'oidc-client-ts',
    family: 'browser',
    callback: '/callback?popup',
    isPublic: true,
    settings: [`${RESOURCE_TWICE}: \`extraQueryParams\`, \`extraTokenParams\``],
    steps: { signIn: 'setting' },
  },
  {
    name: 'mod_auth_openidc',
    family: 'debian',
    debian: { name: 'libapache2-mod-auth-openidc', version: '2.4.12.3' },
    callback: '/protected/redirect_uri',
    settings: [
      '`OIDCPKCEMethod S256`',
      `${RESOURCE_TWICE}: \`OIDCAuthRequestParams\`, \`OIDCProviderTokenEndpointParams\``,
    ],
    snippet: {
      text: `OIDCProviderMetadataURL https://school.example/.well-known/openid-configuration
OIDCPKCEMethod S256
OIDCAuthRequestParams resource=https%3A%2F%2Fschool.example
OIDCProviderTokenEndpointParams resource=https%3A%2F%2Fschool.example`,
    },
    steps: { discovery: 'ok', ...TOLD },
  },
  {
    name: 'Authlib',
    family: 'debian',
    debian: { name: 'python3-authlib', version: '1.2.0' },
    driver: ['/usr/bin/python3', 'drivers/debian.py', 'Authlib'],
    settings: [
      'the secret in the form: `token_endpoint_auth_method` and `revocation_endpoint_auth_method`',
      RESOURCE_TWICE,
    ],
    untold: BASIC,
    snippet: { of: 'Authlib', as: 'python' },
    steps: { ...TOLD, revocation: 'setting' },
  },
  {
    name: 'requests-oauthlib',
    family: 'debian',
    debian: { name: 'python3-requests-oauthlib', version: '1.3.0' },
    driver: ['/usr/bin/python3', 'drivers/debian.py', 'requests-oauthlib'],
    settings: ['the secret in the form: `include_client_id=True`', RESOURCE_TWICE],
    untold: BASIC,
    snippet: { of: 'requests-oauthlib', as: 'python' },
    steps: { ...without(TOLD, 'idToken'), revocation: 'by hand' },
  },
  {
    name: "Go's x/oauth2 and go-oidc",
    family: 'debian',
    debian: { name: 'golang-github-coreos-go-oidc-dev', version: '2.1.0' },
    driver: ['go', 'run', 'drivers/debian.go'],
    settings: [RESOURCE_TWICE, `${ES256}: \`SupportedSigningAlgs\``],
    untold: 'resource is required: send resource=',
    snippet: { of: "Go's x/oauth2 and go-oidc", as: 'go' },
    steps: { discovery: 'ok', ...TOLD, idToken: 'setting', revocation: 'by hand' },
  },
  {
    name: 'openid_connect',
    family: 'debian',
    debian: { name: 'ruby-openid-connect', version: '1.2.0' },
    driver: ['ruby', 'drivers/debian.rb'],
    settings: ['the secret in the form: `access_token!(:body, …)`', RESOURCE_TWICE],
    untold: BASIC,
    snippet: { of: 'openid_connect', as: 'ruby' },
    steps: { discovery: 'ok', ...TOLD, revocation: 'by hand' },
  },
  {
    name: 'Spring Security',
    family: 'java',
    maven: { name: 'spring-security-oauth2-client', version: '7.0.6' },
    driver: ['java', 'SpringLogin'],
    callback: '/login/oauth2/code/school',
    settings: [RESOURCE_TWICE, `${ES256}: \`setJwsAlgorithmResolver\``],
    untold: 'resource is required: send resource=',
    snippet: { of: 'Spring Security', as: 'java' },
    steps: { discovery: 'ok', ...TOLD, idToken: 'setting', revocation: 'by hand' },
  },
  {
    name: 'Nimbus',
    family: 'java',
    maven: { name: 'oauth2-oidc-sdk', version: '11.26.1' },
    driver: ['java', 'NimbusSdk'],
    settings: [
      'the secret in the form: `ClientSecretPost`',
      RESOURCE_TWICE,
      `${ES256}: an argument of \`IDTokenValidator\``,
    ],
    untold: BASIC,
    snippet: { of: 'Nimbus', as: 'java' },
    steps: { discovery: 'ok', registration: 'ok', ...TOLD, idToken: 'setting' },
  },
  {
    name: "Google's oauth client",
    family: 'java',
    maven: { name: 'google-oauth-client', version: '1.39.0' },
    driver: ['java', 'GoogleClient'],
    settings: [
      'the secret in the form: `ClientParametersAuthentication`',
      '`enablePKCE()`',
      RESOURCE_TWICE,
    ],
    untold: '401 Unauthorized',
    snippet: { of: "Google's oauth client", as: 'java' },
    steps: { ...TOLD, userInfo: 'by hand', revocation: 'by hand' },
  },
  {
    name: 'MCP SDK for Java',
    family: 'java',
    maven: { name: 'mcp-core', version: '2.1.0' },
    driver: ['java', 'McpSdk'],
    isPublic: true,
    settings: ['a sign-in of yours, called at a challenge: it has no OAuth of its own'],
    snippet: { of: 'MCP SDK for Java', as: 'java' },
    steps: {
      discovery: 'ok',
      signIn: 'by hand',
      call: 'ok',
      refresh: 'by hand',
      revocation: 'by hand',
      refusal: 'ok',
    },
    tools: { anonymous: 11, owner: 13 },
  },
  {
    name: 'Claude Code',
    npm: '@anthropic-ai/claude-code-linux-x64',
    family: 'agents',
    isPublic: true,
    settings: ['for a member: `--client-id` of an app with `http://localhost:PORT/callback`'],
    snippet: {
      text: `claude mcp add --transport http school https://school.example/mcp
claude mcp login school
# For a member:
claude mcp add --transport http --client-id CLIENT_ID --callback-port PORT school https://school.example/mcp/member`,
    },
    steps: { ...AGENT, revocation: 'ok', member: 'setting' },
    tools: BASELINE,
  },
  {
    name: 'Codex',
    npm: '@openai/codex',
    family: 'agents',
    isPublic: true,
    settings: ['for a member: `oauth.client_id` of an app with `http://127.0.0.1/callback`'],
    snippet: {
      text: `codex mcp add school --url https://school.example/mcp
codex mcp login school
# For a member:
codex mcp add school --url https://school.example/mcp/member --oauth-client-id CLIENT_ID`,
    },
    steps: { ...AGENT, member: 'setting' },
    tools: BASELINE,
  },
  {
    name: 'OpenCode',
    npm: 'opencode-linux-x64',
    family: 'agents',
    isPublic: true,
    callback: '/mcp/oauth/callback',
    path: '/mcp/signed-in',
    settings: [
      'the address `/mcp/signed-in`, which asks for a sign-in',
      'for a member: `oauth.clientId` of an app with `http://127.0.0.1/mcp/oauth/callback`',
    ],
    remark:
      'It waits for a challenge: at `/mcp`, which serves without a token, its `mcp auth` signs no one in.',
    snippet: { text: 'opencode mcp auth school' },
    steps: { ...without(AGENT, 'discovery'), member: 'setting' },
    tools: { owner: 43, student: 20 },
  },
  {
    name: 'Gemini CLI',
    npm: '@google/gemini-cli',
    family: 'agents',
    isPublic: true,
    callback: '/oauth/callback',
    settings: [
      '`oauth.scopes` of the server, because it asks for every scope of the school',
      'for a member: `oauth.clientId` and `oauth.redirectUri` of an app with `http://localhost:PORT/oauth/callback`',
    ],
    untold: 'scope contains a scope of the other audience',
    remark:
      'The address is `/mcp`, also for a member: a sign-in that it begins by itself, after a 401, ignores these settings.',
    snippet: {
      text: `"school": {
  "httpUrl": "https://school.example/mcp",
  "oauth": { "enabled": true, "scopes": ["openid", "courses:read"] }
}`,
    },
    steps: { ...AGENT, signIn: 'setting', member: 'setting' },
    tools: { anonymous: 11, owner: 13, student: 20 },
  },
  {
    name: 'mcp-remote',
    family: 'agents',
    callback: '/oauth/callback',
    isPublic: true,
    settings: [
      'for a member: `--static-oauth-client-info` of an app with `http://localhost:PORT/oauth/callback`',
    ],
    remark: 'It signs in at the first call that needs it, and asks for the scopes of that call.',
    snippet: {
      text: `npx mcp-remote https://school.example/mcp
# For a member:
npx mcp-remote https://school.example/mcp/member PORT --static-oauth-client-info '{"client_id":"CLIENT_ID"}'`,
    },
    steps: {
      discovery: 'ok',
      registration: 'ok',
      signIn: 'ok',
      call: 'ok',
      refusal: 'ok',
      member: 'setting',
    },
    tools: { anonymous: 11, owner: 13, student: 20 },
  },
  {
    name: 'MCP Inspector',
    npm: '@modelcontextprotocol/inspector',
    family: 'browser',
    callback: '/oauth/callback',
    path: '/mcp/signed-in',
    isPublic: true,
    settings: [
      'the address `/mcp/signed-in`, which asks for a sign-in',
      'for a member: `oauth.clientId` of an app with `http://127.0.0.1:6274/oauth/callback`, in `--config`',
    ],
    remark:
      'It waits for a challenge: at `/mcp` it shows what needs no sign-in. “Clear OAuth state” ends its own memory, and not the access.',
    snippet: {
      text: `npx @modelcontextprotocol/inspector --transport http --server-url https://school.example/mcp/signed-in`,
    },
    steps: { ...without(AGENT, 'discovery'), member: 'setting' },
    tools: { owner: 43, student: 20 },
  },
  {
    name: 'MCP Inspector (CLI)',
    npm: '@modelcontextprotocol/inspector',
    family: 'agents',
    isPublic: true,
    settings: ['an access token in `--header`: its CLI calls only what it has seen in a list'],
    snippet: {
      text: `npx @modelcontextprotocol/inspector --cli https://school.example/mcp --transport http \\
  --header 'Authorization: Bearer TOKEN' --method tools/list`,
    },
    steps: {
      discovery: 'ok',
      signIn: { fails: "Tool 'list_orders' not found on server" },
      call: 'setting',
      revocation: 'by hand',
      refusal: 'ok',
    },
    tools: { anonymous: 11, owner: 11 },
  },
  {
    name: '@modelcontextprotocol/sdk',
    family: 'mcp',
    isPublic: true,
    snippet: js('@modelcontextprotocol/sdk'),
    steps: AGENT,
    tools: BASELINE,
  },
  {
    name: '@modelcontextprotocol/client',
    family: 'mcp',
    isPublic: true,
    snippet: js('@modelcontextprotocol/client'),
    steps: AGENT,
    tools: BASELINE,
  },
  {
    name: '@ai-sdk/mcp',
    family: 'mcp',
    isPublic: true,
    snippet: js('@ai-sdk/mcp'),
    steps: AGENT,
    tools: BASELINE,
  },
  {
    name: '@openai/agents',
    family: 'mcp',
    isPublic: true,
    snippet: js('@openai/agents'),
    steps: AGENT,
    tools: BASELINE,
  },
  {
    name: '@langchain/mcp-adapters',
    family: 'mcp',
    isPublic: true,
    snippet: js('@langchain/mcp-adapters'),
    steps: AGENT,
    tools: BASELINE,
  },
  {
    name: 'use-mcp',
    family: 'browser',
    callback: '/oauth/callback',
    isPublic: true,
    remark: 'It signs in by a popup.',
    steps: { discovery: 'ok', registration: 'ok', signIn: 'ok', call: 'ok' },
    tools: { anonymous: 11, owner: 43 },
  },
  {
    name: '@apollo/client',
    family: 'api',
    isPublic: true,
    snippet: js('@apollo/client'),
    steps: {
      signIn: 'by hand',
      call: 'ok',
      refusal: 'ok',
      persistedQueries: 'ok',
    },
  },
  {
    name: '@urql/core',
    family: 'api',
    isPublic: true,
    settings: ['`preferGetMethod: false`'],
    untold: 'use POST',
    snippet: js('@urql/core'),
    steps: { signIn: 'by hand', call: 'setting', refusal: 'ok' },
  },
  {
    name: 'relay-compiler',
    family: 'api',
    isPublic: true,
    snippet: {
      text: `curl -o schema.graphql https://school.example/account/schema.graphql
npx relay-compiler`,
    },
    steps: { discovery: 'ok', generates: 'ok', compiles: 'ok', signIn: 'by hand', call: 'ok' },
  },
  {
    name: 'openapi-typescript',
    family: 'api',
    isPublic: true,
    snippet: { text: 'npx openapi-typescript https://school.example/openapi.json -o school.d.ts' },
    steps: { discovery: 'ok', generates: 'ok', compiles: 'ok', call: 'ok', refusal: 'ok' },
  },
  {
    name: '@hey-api/openapi-ts',
    family: 'api',
    isPublic: true,
    snippet: { text: 'npx openapi-ts -i https://school.example/openapi.json -o school' },
    steps: { discovery: 'ok', generates: 'ok', compiles: 'ok', call: 'ok' },
  },
  {
    name: 'orval',
    family: 'api',
    isPublic: true,
    snippet: { text: 'npx orval --input https://school.example/openapi.json --output school.ts' },
    steps: { discovery: 'ok', generates: 'ok', compiles: 'ok', call: 'ok' },
  },
]

/** Others in Java, which `test/java` runs: no clients of the school. */
export const OTHERS_IN_JAVA = [
  {
    name: 'Spring Security (resource server)',
    maven: { name: 'spring-security-oauth2-resource-server', version: '7.0.6' },
    settings: [
      'the client and the option of [A second service](second-service.md)',
      'the secret in the form: `setRequestEntityConverter`',
      'a check of `aud`: Spring has none',
    ],
    snippet: { of: 'Spring Security (resource server)', as: 'java' },
    did: 'introspects each token, and refuses one that lacks a scope, is for another resource, or was revoked',
  },
  {
    name: 'Nimbus, with blocks',
    maven: { name: 'oauth2-oidc-sdk', version: '11.26.1' },
    did: 'pushes its request, signs its assertions and proves its tokens, with nonces',
  },
  {
    name: 'Keycloak',
    maven: { name: 'keycloak-quarkus-dist', version: '26.7.3' },
    did: 'signs people in, again for `prompt=login`, and they consent at the school; it issues no ID-JAG',
  },
] as const satisfies readonly (Pick<RealLibrary, 'name' | 'maven' | 'settings' | 'snippet'> & {
  readonly did: string
})[]

/** A client of an opt-in block, which `blocks.test.ts` runs under the name of its row. */
export interface BlockClient {
  /** Its command, which is that of its driver. */
  readonly name: string
  /** The package, whose version is in the lock file. */
  readonly npm: string
  /** The block, and the page that says how it is switched on. */
  readonly block: string
  readonly page: string
  /** What it did in the run. */
  readonly did: string
}

/** The day of the run of {@link BLOCK_CLIENTS}. */
export const BLOCKS_RAN_ON = '2026-11-27'

export const BLOCK_CLIENTS = [
  {
    name: 'mcp-remote --device-code',
    npm: 'mcp-remote',
    block: '`deviceGrant`',
    page: '../do/device.md',
    did: 'registers, shows a link with the code, and calls a tool once its person has allowed it',
  },
  {
    name: 'mcp-remote --client-credentials',
    npm: 'mcp-remote',
    block: '`clientCredentials`, `clientSecretBasic`',
    page: '../do/client-credentials.md',
    did: 'calls a tool as a service, by client ID and secret',
  },
  {
    name: 'Claude Code --xaa',
    npm: '@anthropic-ai/claude-code-linux-x64',
    block: '`identityAssertion`, `clientSecretBasic`',
    page: '../do/enterprise-sign-in.md',
    did: 'signs in at an identity provider, exchanges its ID token for an ID-JAG, and calls a tool',
  },
] as const satisfies readonly BlockClient[]

/** The steps without one that a client does not have. */
function without<Steps extends object, Name extends keyof Steps>(
  steps: Steps,
  name: Name,
): Omit<Steps, Name> {
  const { [name]: _, ...rest } = steps
  return rest
}
