import {
  AS_OF,
  CODE_GRANT,
  OFTEN_403,
  type RealClient,
  SDK_TOKEN,
  WHEN_SUPPORTED,
} from './real-client.js'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Claude on the web, the desktop and the phone: one service, one client. */
export const claude: RealClient = {
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
    'registration sometimes asks for client_secret_post',
    'its requests time out after about 10 seconds',
    'adds offline_access where the authorization server metadata lists it',
  ],
}

/** ChatGPT. */
export const chatgpt: RealClient = {
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
    'document and redirect URI are these only where iss is advertised and returned; else it has one of each per connection',
    'starts sign-in from a tool result with _meta["mcp/www_authenticate"] too, and reads securitySchemes of each tool',
  ],
}

/** Grok. */
export const grok: RealClient = {
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
    'the name it registers with is not published',
  ],
}
