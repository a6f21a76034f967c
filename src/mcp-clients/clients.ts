import type { RealClient } from './real-client.js'

/** The month in which an entry without another month was last compared with public sources. */
const AS_OF = '2026-11'

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

/** The caution for documents whose host blocks automated requests. */
const OFTEN_403 =
  'its host often responds with 403 to data centers: keep a copy of its document in pinnedDocuments'

/**
 * The MCP clients that `whoCanConnect` knows, with what each of them registers and sends. Sources are the
 * publications of their vendors and observed requests; `asOf` is the month of the last comparison. Clients
 * change: if one behaves differently by now, pass a corrected copy to `whoCanConnect`.
 *
 * @example
 * ```ts
 * import { realClients } from 'hallpass/mcp-clients'
 *
 * const inspector = realClients.find(({ name }) => name === 'MCP Inspector')
 * inspector?.needsCors // => true
 * inspector?.authorize.redirectUri // => 'http://localhost:6274/oauth/callback'
 * ```
 *
 * @group Known clients
 */
export const realClients: readonly RealClient[] = [
  // Claude on the web, on the desktop and on phones: one service, one client.
  {
    name: 'Claude',
    asOf: AS_OF,
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
    asOf: AS_OF,
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
    notes: ['its document lists loopback addresses without a port, and no application_type'],
  },
  {
    name: 'ChatGPT',
    asOf: AS_OF,
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
    asOf: AS_OF,
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
      scopes: ['everything', 'nothing'],
      scopeSetting: 'codex mcp login --scopes',
    },
    token: {
      exchange: SDK_TOKEN.exchange,
      refresh: ['grant_type', 'refresh_token', 'client_id'],
    },
    needsCors: false,
    notes: [
      'requests every scope of the authorization server metadata and, if they are refused, tries again without scope',
      'omits resource in refresh requests',
    ],
  },
  {
    name: 'Visual Studio Code',
    asOf: AS_OF,
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
    asOf: AS_OF,
    registrations: [
      {
        client_name: 'MCP Inspector',
        client_uri: 'https://github.com/modelcontextprotocol/inspector',
        redirect_uris: [
          'http://localhost:6274/oauth/callback',
          'http://127.0.0.1:6276/oauth/callback',
          'http://localhost:6274/oauth/callback/debug',
        ],
        token_endpoint_auth_method: 'none',
        scope: '',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:6274/oauth/callback',
      resource: '/',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'the Scope field next to the URL',
    },
    token: SDK_TOKEN,
    needsCors: true,
    notes: [
      'calls the metadata, registration, token and revocation endpoints and /mcp from a browser, and reads WWW-Authenticate there',
      'registers with an empty scope',
    ],
  },
  // mcp-remote, which connects clients that have no HTTP transport.
  {
    name: 'mcp-remote',
    asOf: AS_OF,
    registrations: [
      {
        client_name: 'MCP CLI Proxy',
        client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
        redirect_uris: ['http://localhost:52290/oauth/callback'],
        token_endpoint_auth_method: 'none',
        scope: 'openid email profile',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:52290/oauth/callback',
      resource: '/',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'scope in --static-oauth-client-metadata',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: ['connects other clients under its own name'],
  },
  {
    name: 'Gemini CLI',
    asOf: AS_OF,
    registrations: [
      {
        client_name: 'Gemini CLI MCP Client',
        redirect_uris: ['http://localhost:7777/oauth/callback'],
        token_endpoint_auth_method: 'none',
        scope: '',
        ...CODE_GRANT,
      },
    ],
    document: null,
    authorize: {
      redirectUri: 'http://localhost:7777/oauth/callback',
      resource: '/mcp',
      state: true,
      scopes: ['everything'],
      scopeSetting: 'oauth.scopes of the server in settings.json',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [
      'sends a HEAD request first',
      'requests every scope of the authorization server metadata',
      'refuses a server whose resource metadata does not name the configured URL',
    ],
  },
  {
    name: 'Zed',
    asOf: AS_OF,
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
    asOf: AS_OF,
    registrations: [
      {
        client_name: 'OpenCode',
        client_uri: 'https://opencode.ai',
        redirect_uris: ['http://127.0.0.1:51904/callback'],
        token_endpoint_auth_method: 'none',
        ...CODE_GRANT,
      },
    ],
    document: {
      url: 'https://opencode.ai/oauth/opencode/client.json',
      content: {
        client_id: 'https://opencode.ai/oauth/opencode/client.json',
        client_name: 'opencode',
        client_uri: 'https://opencode.ai',
        logo_uri: 'https://opencode.ai/web-app-manifest-512x512.png',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        ...CODE_GRANT,
        token_endpoint_auth_method: 'none',
        token_endpoint_auth_methods_supported: ['none'],
      },
      usedWhen: WHEN_SUPPORTED,
      caution: null,
    },
    authorize: {
      redirectUri: 'http://127.0.0.1:51904/callback',
      resource: '',
      state: true,
      scopes: ['recommended'],
      scopeSetting: 'oauth.scope of the server in opencode.json',
    },
    token: SDK_TOKEN,
    needsCors: false,
    notes: [],
  },
  {
    name: 'Grok',
    asOf: AS_OF,
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
]
