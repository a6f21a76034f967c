import {
  AS_OF,
  CODE_GRANT,
  OFTEN_403,
  type RealClient,
  SDK_TOKEN,
  WHEN_SUPPORTED,
} from './real-client.js'

/** Claude Code. */
export const claudeCode: RealClient = {
  name: 'Claude Code',
  asOf: AS_OF,
  registrations: [
    {
      // The name that its user gave the server stands in parentheses.
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
  needsCors: false,
  notes: ['its document lists loopback addresses without a port, and no application_type'],
}

/** Codex. */
export const codex: RealClient = {
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
    'takes its scopes from the authorization server metadata, and asks once more without when they are refused',
    'leaves resource out when it refreshes',
  ],
}

/** Gemini CLI. */
export const geminiCli: RealClient = {
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
    'asks with HEAD first',
    'takes its scopes from the authorization server metadata',
    'refuses a server whose resource metadata does not name the address it was given',
  ],
}

/** OpenCode. */
export const openCode: RealClient = {
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
}
