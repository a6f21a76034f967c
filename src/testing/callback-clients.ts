import { AS_OF, CODE_GRANT, type RealClient, SDK_TOKEN } from './real-client.js'

/** Perplexity. */
export const perplexity: RealClient = {
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
}

/** Mistral. */
export const mistral: RealClient = {
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
  notes: ['the name it registers with is not published', 'adds a slash to the resource'],
}

/** Devin. */
export const devin: RealClient = {
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
  notes: ['the name it registers with is not published'],
}
