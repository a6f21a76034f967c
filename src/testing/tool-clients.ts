import { AS_OF, CODE_GRANT, type RealClient, SDK_TOKEN } from './real-client.js'

/** MCP Inspector, in the browser. */
export const mcpInspector: RealClient = {
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
    scopeSetting: 'the field Scope beside the address',
  },
  token: SDK_TOKEN,
  needsCors: true,
  notes: [
    'calls metadata, registration, token, revocation and /mcp from a browser, and reads WWW-Authenticate there',
    'registers with an empty scope',
  ],
}

/** mcp-remote, which gives clients without HTTP a connection. */
export const mcpRemote: RealClient = {
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
  notes: ['puts whatever client it serves behind its own name'],
}
