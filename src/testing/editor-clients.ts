import { AS_OF, CODE_GRANT, type RealClient, SDK_TOKEN, WHEN_SUPPORTED } from './real-client.js'

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Visual Studio Code. */
export const visualStudioCode: RealClient = {
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
    'registers all four redirect URIs at once',
    'asks for the device_code grant too',
    'wants the resource metadata to name the MCP address or its origin',
  ],
}

/** Cursor, at the desk and in the cloud. */
export const cursor: RealClient = {
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
    'registers all three redirect URIs at once',
    'sends neither token_endpoint_auth_method nor response_types',
    'gives its model at most 40 tools',
  ],
}

/** Zed. */
export const zed: RealClient = {
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
}
