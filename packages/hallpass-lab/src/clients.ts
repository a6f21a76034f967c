import type { RealClient } from './real-client.js'

/** The day up to which the sources of an entry without another day describe it. */
const AS_OF = '2026-11-20'

/** The day of the recordings: `npm run test:clients` compares these entries with what their clients send. */
const RECORDED_ON = '2026-11-26'
const recordedFrom = (version: string): string =>
  `recorded from version ${version} of its npm package`

/** A server that lists the redirect URIs of its clients, with the evidence for each. */
const OBSERVED = 'https://github.com/koala73/worldmonitor/pull/8305'

/** The form fields that clients of the MCP SDK send to the token endpoint. */
const SDK_TOKEN: RealClient['token'] = {
  exchange: ['grant_type', 'code', 'code_verifier', 'redirect_uri', 'client_id', 'resource'],
  refresh: ['grant_type', 'refresh_token', 'client_id', 'resource'],
}

/** The grant types and response types that most clients register. */
const CODE_GRANT = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The condition of a client that uses its document wherever the server supports documents. */
const WHEN_SUPPORTED = { client_id_metadata_document_supported: true }

const GEMINI_CLI =
  'https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2/packages/core/src'

/** The caution for documents whose host blocks automated requests. */
const OFTEN_403 =
  'its host often responds with 403 to data centers: keep a copy of its document in pinnedDocuments'

/**
 * The MCP clients that `whoCanConnect` knows, with what each of them registers and sends. `sources` of an
 * entry are publications of its vendor and observed requests, and `asOf` is the day up to which they describe
 * the client. Clients change: if one behaves differently by now, pass a corrected copy to `whoCanConnect`.
 *
 * @example
 * ```ts
 * import { realClients } from 'hallpass-lab'
 *
 * const inspector = realClients.find(({ name }) => name === 'MCP Inspector')
 * inspector?.needsCors // => false
 * inspector?.authorize?.redirectUri // => 'http://127.0.0.1:6274/oauth/callback'
 * ```
 *
 * @group Known clients
 */
export const realClients: readonly RealClient[] = [
  // Claude on the web, on the desktop and on phones: one service, one client.
  {
    name: 'Claude',
    asOf: AS_OF,
    sources: ['https://claude.ai/oauth/mcp-oauth-client-metadata'],
    registrations: [
      {
        client_name: 'Claude',
        redirect_uris: [
          'https://claude.ai/api/mcp/auth_callback',
          'https://claude.com/api/mcp/auth_callback',
        ],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
      {
        client_name: 'Claude',
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
        token_endpoint_auth_method: 'client_secret_post',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      content: {
        client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
        client_name: 'Claude',
        client_uri: 'https://claude.ai',
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
        grant_types: ['authorization_code', 'refresh_token', JWT_BEARER],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      usedWhen: { ...WHEN_SUPPORTED, token_endpoint_auth_methods_supported: 'none' },
      caution: OFTEN_403,
    },
    authorize: {
      redirectUri: 'https://claude.ai/api/mcp/auth_callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'sometimes registers with client_secret_post',
      'its requests time out after about 10 seconds',
      'adds offline_access if the authorization server metadata lists it',
    ],
  },
  {
    name: 'Claude Code',
    asOf: RECORDED_ON,
    sources: [
      'https://claude.ai/oauth/claude-code-client-metadata',
      'https://code.claude.com/docs/en/mcp',
    ],
    registrations: [
      {
        // The parentheses contain the name that the user gave to the server.
        client_name: 'Claude Code (lantern)',
        redirect_uris: ['http://localhost:53117/callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://claude.ai/oauth/claude-code-client-metadata',
      content: {
        client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
        client_name: 'Claude Code',
        client_uri: 'https://claude.ai',
        redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'none',
      },
      usedWhen: WHEN_SUPPORTED,
      caution: OFTEN_403,
    },
    authorize: {
      redirectUri: 'http://localhost:53117/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'oauth.scopes of the server in .mcp.json',
    },
    token: SDK_TOKEN,
    stepUp: {
      reconnect: 'choose the server in /mcp',
      source: 'https://github.com/anthropics/claude-code/issues/68720',
      asOf: '2026-06',
    },
    needsCors: false,
    notes: [
      recordedFrom('2.1.331'),
      'its document lists loopback addresses without a port, and no application_type',
    ],
  },
  {
    name: 'ChatGPT',
    asOf: AS_OF,
    sources: ['https://chatgpt.com/oauth/client.json', OBSERVED],
    registrations: [
      {
        client_name: 'ChatGPT',
        redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://chatgpt.com/oauth/client.json',
      content: {
        client_id: 'https://chatgpt.com/oauth/client.json',
        client_name: 'ChatGPT',
        client_uri: 'https://chatgpt.com/',
        redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'RS256',
        jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
      },
      usedWhen: { ...WHEN_SUPPORTED, authorization_response_iss_parameter_supported: true },
      caution: null,
    },
    authorize: {
      redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
      resource: '',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'uses this document and redirect URI only if the server advertises and returns iss; otherwise each connection has its own',
      'also starts sign-in from a tool result with _meta["mcp/www_authenticate"], and reads securitySchemes of each tool',
    ],
  },
  {
    name: 'Codex',
    asOf: RECORDED_ON,
    sources: [
      'https://chatgpt.com/oauth/codex/client.json',
      'https://github.com/openai/codex/blob/4e1d0ade6f3269b306dbb39de2d794709da6ab47/codex-rs/codex-mcp/src/mcp/auth.rs',
    ],
    registrations: [
      {
        client_name: 'Codex',
        redirect_uris: ['http://127.0.0.1:50841/callback', 'http://localhost/callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://chatgpt.com/oauth/codex/client.json',
      content: {
        client_id: 'https://chatgpt.com/oauth/codex/client.json',
        client_name: 'Codex',
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'none',
      },
      usedWhen: WHEN_SUPPORTED,
      caution: OFTEN_403,
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:50841/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'codex mcp login --scopes',
    },
    token: {
      exchange: SDK_TOKEN.exchange,
      refresh: ['grant_type', 'refresh_token', 'scope', 'client_id', 'resource'],
    },
    needsCors: false,
    notes: [
      recordedFrom('0.169.0'),
      'older versions requested every scope and then none, and omitted resource in refresh requests',
      'uses this document only if the server advertises and returns iss; otherwise it has another one for each server',
    ],
  },
  {
    name: 'Visual Studio Code',
    asOf: AS_OF,
    sources: ['https://vscode.dev/oauth/client-metadata.json', OBSERVED],
    registrations: [
      {
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.visualstudio.com',
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://127.0.0.1/',
          'http://127.0.0.1:33418/',
        ],
        grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
    ],
    document: {
      url: 'https://vscode.dev/oauth/client-metadata.json',
      content: {
        client_id: 'https://vscode.dev/oauth/client-metadata.json',
        client_name: 'Visual Studio Code',
        client_uri: 'https://vscode.dev/product',
        logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
        redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
        grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      usedWhen: WHEN_SUPPORTED,
      caution: null,
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:33418/',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'registers all four redirect URIs in one request',
      'also registers the device_code grant',
      'requires the resource metadata to name the URL of the MCP endpoint or its origin',
    ],
  },
  // Cursor, on the desktop and in the cloud.
  {
    name: 'Cursor',
    asOf: AS_OF,
    sources: ['https://cursor.com/docs/context/mcp', OBSERVED],
    registrations: [
      {
        client_name: 'Cursor',
        redirect_uris: [
          'cursor://anysphere.cursor-mcp/oauth/callback',
          'https://www.cursor.com/agents/mcp/oauth/callback',
          'http://localhost:8787/callback',
        ],
        grant_types: CODE_GRANT.grant_types,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:8787/callback',
      resource: '/',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'auth.scopes of the server in mcp.json',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'registers all three redirect URIs in one request',
      'sends neither token_endpoint_auth_method nor response_types',
      'passes at most 40 tools to its model',
    ],
  },
  // MCP Inspector, in the browser.
  {
    name: 'MCP Inspector',
    asOf: RECORDED_ON,
    sources: ['https://github.com/modelcontextprotocol/inspector'],
    registrations: [
      {
        client_name: 'MCP Inspector',
        client_uri: 'https://github.com/modelcontextprotocol/inspector',
        redirect_uris: ['http://127.0.0.1:6274/oauth/callback'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://127.0.0.1:6274/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'the Scope field next to the URL',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      recordedFrom('2.12.0'),
      'its page is in a browser, and its own server sends the requests; version 1 sent them from the page',
      'asks for a sign-in only when it is asked: at /mcp/signed-in',
      'registers with the scopes that it requests',
    ],
  },
  // mcp-remote, which connects clients that have no HTTP transport.
  {
    name: 'mcp-remote',
    asOf: RECORDED_ON,
    sources: ['https://github.com/geelen/mcp-remote'],
    registrations: [
      {
        client_name: 'MCP CLI Proxy',
        client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
        redirect_uris: ['http://localhost:52290/oauth/callback'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:52290/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'scope in --static-oauth-client-metadata',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      recordedFrom('0.15.1'),
      'connects other clients under its own name',
      'asks for the scopes of the call that was refused, and registers with them',
      'its refresh was not recorded',
    ],
  },
  {
    name: 'Gemini CLI',
    asOf: RECORDED_ON,
    sources: [
      `${GEMINI_CLI}/mcp/oauth-utils.ts`,
      `${GEMINI_CLI}/mcp/oauth-provider.ts`,
      `${GEMINI_CLI}/utils/oauth-flow.ts`,
    ],
    registrations: [
      {
        client_name: 'Gemini CLI MCP Client',
        redirect_uris: ['http://localhost:51733/oauth/callback'],
        token_endpoint_auth_method: 'none',
        // In full, every scope of the authorization server metadata.
        scope: 'openid profile email account:read',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:51733/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['everything'],
      scopeSetting: 'oauth.scopes of the server in settings.json, then /mcp auth',
    },
    token: {
      exchange: SDK_TOKEN.exchange,
      refresh: ['grant_type', 'refresh_token', 'client_id', 'resource', 'scope'],
    },
    needsCors: false,
    notes: [
      recordedFrom('0.61.0'),
      'sends a HEAD request first',
      'registers with every scope of the authorization server metadata and requests all of them, whatever the challenge or the resource metadata lists',
      'does not try again after invalid_scope, and shows error_description in the browser',
      'ignores oauth.scopes if a 401 starts its sign-in; only /mcp auth uses it, and then also sends scope in refresh requests',
      'registers as Gemini CLI (Stored OAuth), without an address, when its token is over, and continues when that is refused',
      'refuses a server whose resource metadata does not name the configured URL',
    ],
  },
  {
    name: 'Zed',
    asOf: AS_OF,
    sources: ['https://zed.dev/oauth/client-metadata.json'],
    registrations: [
      {
        client_name: 'Zed',
        redirect_uris: ['http://127.0.0.1:49517/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    document: {
      url: 'https://zed.dev/oauth/client-metadata.json',
      content: {
        client_id: 'https://zed.dev/oauth/client-metadata.json',
        client_name: 'Zed',
        client_uri: 'https://zed.dev',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      usedWhen: WHEN_SUPPORTED,
      caution: null,
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:49517/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [],
  },
  {
    name: 'OpenCode',
    asOf: RECORDED_ON,
    sources: [
      'https://opencode.ai/oauth/opencode/client.json',
      'https://github.com/anomalyco/opencode',
    ],
    registrations: [
      {
        client_name: 'OpenCode',
        client_uri: 'https://opencode.ai',
        redirect_uris: ['http://127.0.0.1:51904/mcp/oauth/callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://127.0.0.1:51904/mcp/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'oauth.scope of the server in opencode.json',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      recordedFrom('1.18.33'),
      'publishes a client metadata document, and registers all the same, with the scopes that it requests',
      'its `mcp auth` waits for a challenge: at /mcp/signed-in',
    ],
  },
  {
    name: 'Grok',
    asOf: AS_OF,
    sources: ['https://grok.com/oauth/mcp-client.json', OBSERVED],
    registrations: [
      {
        client_name: 'Grok',
        redirect_uris: [
          'https://grok.com/connectors-oauth-exchange-code/',
          'https://console.x.ai/connectors-oauth-exchange-code/',
        ],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://grok.com/oauth/mcp-client.json',
      content: {
        client_id: 'https://grok.com/oauth/mcp-client.json',
        client_name: 'Grok',
        redirect_uris: [
          'https://grok.com/connectors-oauth-exchange-code/',
          'https://console.x.ai/connectors-oauth-exchange-code/',
        ],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'none',
      },
      usedWhen: WHEN_SUPPORTED,
      caution: OFTEN_403,
    },
    authorize: {
      redirectUri: 'https://grok.com/connectors-oauth-exchange-code/',
      resource: '',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'its document names a redirect URI on another host than its own',
      'the client_name that it registers is not published',
    ],
  },
  {
    name: 'Perplexity',
    asOf: AS_OF,
    sources: [OBSERVED],
    registrations: [
      {
        client_name: 'Perplexity',
        redirect_uris: ['https://www.perplexity.ai/rest/connections/oauth_callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'https://www.perplexity.ai/rest/connections/oauth_callback',
      resource: '',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [],
  },
  {
    name: 'Mistral',
    asOf: AS_OF,
    sources: [OBSERVED],
    registrations: [
      {
        client_name: 'Mistral',
        redirect_uris: ['https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'https://callback.mistral.ai/v1/integrations_auth/oauth2_callback',
      resource: '/',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: ['the client_name that it registers is not published', 'adds a slash to resource'],
  },
  {
    name: 'Devin',
    asOf: AS_OF,
    sources: [OBSERVED],
    registrations: [
      {
        client_name: 'Devin',
        redirect_uris: ['https://api.devin.ai/mcp/oauth/callback'],
        grant_types: CODE_GRANT.grant_types,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'https://api.devin.ai/mcp/oauth/callback',
      resource: '',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: ['the client_name that it registers is not published'],
  },
  {
    name: 'Kiro',
    asOf: '2026-08-26',
    sources: [
      'https://github.com/kirodotdev/Kiro/issues/10927',
      'https://github.com/kirodotdev/Kiro/issues/11076',
      'https://kiro.dev/docs/mcp/configuration/',
    ],
    registrations: [
      { client_name: 'Kiro', redirect_uris: ['http://localhost:52118/oauth/callback'] },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:52118/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'oauthScopes of the server in mcp.json',
    },
    token: null,
    needsCors: false,
    notes: [
      'does not use client metadata documents',
      'version 1 sends redirect_uri and resource without percent-encoding, which some firewalls refuse',
      'the client_name that it registers is not published, nor whether it sends state or which scopes it requests by default: the prediction assumes what the MCP specification recommends',
    ],
  },
  {
    name: 'Warp',
    asOf: '2026-08-22',
    sources: [
      'https://github.com/warpdotdev/warp/blob/19548aec6285e82b1a4cde526e7ec7e04513c248/crates/mcp/src/oauth.rs',
      'https://github.com/warpdotdev/docs/pull/422',
    ],
    registrations: [
      {
        client_name: 'Warp',
        redirect_uris: ['warp://mcp/oauth2callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'warp://mcp/oauth2callback',
      resource: null,
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: null,
    needsCors: false,
    notes: [
      'its vendor says that it sends no resource to the authorization and token endpoints',
      'its terminal version listens on a loopback address, in place of the URI of its own scheme',
    ],
  },
  {
    name: 'LM Studio',
    asOf: '2026-09-18',
    sources: [
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2415',
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2361',
      'https://lmstudio.ai/docs/integrations/mcp-remote',
    ],
    registrations: [
      { client_name: 'LM Studio', redirect_uris: ['http://127.0.0.1:52661/callback'] },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://127.0.0.1:52661/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: null,
    needsCors: false,
    notes: [
      'registers neither grant_types nor response_types',
      'its redirect URI has the host 127.0.0.1; the path is not published, nor are the client_name, resource, state and scopes: the prediction assumes what the MCP specification recommends',
    ],
  },
  {
    name: 'Raycast',
    asOf: '2026-11-23',
    sources: [
      'https://github.com/appwrite/mcp/pull/77',
      'https://developers.raycast.com/api-reference/oauth',
    ],
    registrations: [],
    document: null,
    authorize: null,
    token: null,
    needsCors: false,
    notes: [
      'version 1.104 reads the authorization server metadata at the origin of the MCP server and ignores the resource metadata',
      'extensions of Raycast redirect to https://raycast.com/redirect; the redirect URI of its own MCP client is not published',
    ],
  },
  // n8n Cloud. An instance of your own has another host in its redirect URI.
  {
    name: 'n8n',
    asOf: '2026-09-11',
    sources: [
      'https://github.com/n8n-io/n8n/blob/001b24039a89322fc55ab21938101ac4e53235e7/packages/cli/src/oauth/oauth.service.ts',
      'https://github.com/n8n-io/n8n/pull/21808',
      'https://github.com/cdelmonte-zg/nanoidp/pull/336',
    ],
    registrations: [
      {
        client_name: 'n8n',
        client_uri: 'https://n8n.io/',
        redirect_uris: ['https://oauth.n8n.cloud/oauth2/callback'],
        token_endpoint_auth_method: 'none',
        // In full, every scope of the authorization server metadata.
        scope: 'openid profile email account:read',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'https://oauth.n8n.cloud/oauth2/callback',
      resource: '/mcp',
      state: true,
      scopes: ['everything'],
      scopeSetting: 'Scope of the MCP OAuth2 credential, with dynamic client registration off',
    },
    token: null,
    needsCors: false,
    notes: [
      'while dynamic client registration is on, it replaces its scopes with every scope of the authorization server metadata',
      'an instance of your own redirects to /rest/oauth2-credential/callback on its host',
    ],
  },
  {
    name: 'Zapier',
    asOf: '2026-11-23',
    sources: ['https://docs.zapier.com/mcp/overview/how-connections-work'],
    registrations: [],
    document: null,
    authorize: null,
    token: null,
    needsCors: false,
    notes: [
      'its documentation describes the MCP server of Zapier; what its MCP client registers and sends is not published',
    ],
  },
  {
    name: 'Make',
    asOf: '2026-11-23',
    sources: [
      'https://apps.make.com/c5ZhYquO55e90hoCJ0rzt',
      'https://github.com/browserless/browserless-mcp/blob/main/src/config.ts',
    ],
    registrations: [
      {
        client_name: 'Make',
        redirect_uris: ['https://www.make.com/oauth/cb/mcp'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'https://www.make.com/oauth/cb/mcp',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: null,
    needsCors: false,
    notes: [
      'its documentation says that its MCP Client app signs in with OAuth; several MCP servers list this redirect URI for it',
      'the client_name that it registers is not published, nor are resource, state and scopes: the prediction assumes what the MCP specification recommends',
    ],
  },
  {
    name: 'Copilot CLI',
    asOf: '2026-09-21',
    sources: [
      'https://github.com/copilot/cli/client-metadata.json',
      'https://github.com/github/copilot-cli/issues/4926',
      'https://github.com/github/copilot-cli/issues/4793',
      'https://github.com/dozigden/boardoil/issues/11',
    ],
    registrations: [
      {
        client_name: 'GitHub Copilot CLI',
        redirect_uris: ['http://127.0.0.1:56679/'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://github.com/copilot/cli/client-metadata.json',
      content: {
        client_id: 'https://github.com/copilot/cli/client-metadata.json',
        client_name: 'GitHub Copilot CLI',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1:33418/'],
      },
      usedWhen: WHEN_SUPPORTED,
      caution:
        'anyone can publish files on its host: keep a copy of its document in pinnedDocuments, and github.com out of allowedHosts',
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:56679/',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: null,
    needsCors: false,
    notes: [
      'its document names port 33418, and it listens on a random port',
      'the client_name that it registers is not published, nor are resource, state and scopes: the prediction assumes what the MCP specification recommends',
    ],
  },
  {
    name: 'Amp',
    asOf: '2026-10-05',
    sources: ['https://github.com/archestra-ai/archestra'],
    registrations: [
      {
        // The parentheses contain the name that the user gave to the server.
        client_name: 'Amp MCP Client (lantern)',
        redirect_uris: ['http://localhost:41592/oauth/callback'],
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:41592/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: null,
    },
    token: null,
    needsCors: false,
    notes: [
      'the name and the redirect URI were captured from a sign-in',
      'resource, state and scopes are not published: the prediction assumes what the MCP specification recommends',
    ],
  },
  {
    name: 'Goose',
    asOf: '2026-09-15',
    sources: [
      'https://goose-docs.ai/oauth/client-metadata.json',
      'https://github.com/block/goose/blob/abb47465996cd1041c4dbb83decf3f27216d3007/crates/goose/src/oauth/mod.rs',
      'https://github.com/modelcontextprotocol/rust-sdk/blob/4a738b9dd99eaca418b614afa433a0cbdaf8d056/crates/rmcp/src/transport/auth.rs',
    ],
    registrations: [
      {
        client_name: 'goose',
        redirect_uris: ['http://127.0.0.1:52940/oauth_callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://goose-docs.ai/oauth/client-metadata.json',
      content: {
        client_id: 'https://goose-docs.ai/oauth/client-metadata.json',
        client_name: 'goose',
        redirect_uris: ['http://127.0.0.1/oauth_callback', 'http://[::1]/oauth_callback'],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'none',
        code_challenge_methods_supported: ['S256'],
      },
      usedWhen: WHEN_SUPPORTED,
      caution: null,
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:52940/oauth_callback',
      resource: '/mcp',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'scopes of the extension in config.yaml',
    },
    token: {
      exchange: SDK_TOKEN.exchange,
      refresh: [...SDK_TOKEN.refresh, 'scope'],
    },
    needsCors: false,
    notes: ['starts sign-in only if its first request gets 401'],
  },
]
