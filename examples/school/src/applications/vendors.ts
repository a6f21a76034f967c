import type { Vendor } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** Returns the client of the page at `/docs`, on which staff try the admin API. */
export const apiReference = (origin: string): Vendor<SchoolScope> => ({
  clientId: 'api-reference',
  name: 'API reference',
  redirectUris: [`${origin}/docs`],
  scopes: null,
  reviewedOn: '2026-11-20',
})

/**
 * Platforms that register by name and receive the client ID given here. Each list contains all redirect
 * URIs of the vendor. Check it against the vendor's documentation, then update `reviewedOn`.
 */
export const vendors: readonly Vendor<SchoolScope>[] = [
  {
    clientId: 'claude',
    name: 'Claude',
    redirectUris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
    ],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    clientId: 'chatgpt',
    name: 'ChatGPT',
    redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    clientId: 'vscode',
    name: 'Visual Studio Code',
    redirectUris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    clientId: 'cursor',
    name: 'Cursor',
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    clientId: 'perplexity',
    name: 'Perplexity',
    redirectUris: ['https://www.perplexity.ai/rest/connections/oauth_callback'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    // The name is a guess, because Mistral publishes only its redirect URI.
    clientId: 'mistral',
    name: 'Mistral',
    redirectUris: ['https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    // This name is also a guess.
    clientId: 'devin',
    name: 'Devin',
    redirectUris: ['https://api.devin.ai/mcp/oauth/callback'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    clientId: 'warp',
    name: 'Warp',
    redirectUris: ['warp://mcp/oauth2callback'],
    scopes: null,
    reviewedOn: '2026-11-23',
  },
  {
    // People enter this client ID at n8n Cloud, where they choose the scopes.
    clientId: 'n8n',
    name: 'n8n',
    redirectUris: ['https://oauth.n8n.cloud/oauth2/callback'],
    scopes: null,
    reviewedOn: '2026-11-23',
  },
  {
    // This name is a guess, too.
    clientId: 'make',
    name: 'Make',
    redirectUris: ['https://www.make.com/oauth/cb/mcp'],
    scopes: null,
    reviewedOn: '2026-11-23',
  },
  {
    // Made up, with a fixed callback, to try out the registration of a vendor.
    clientId: 'acme-agents',
    name: 'Acme Agents',
    redirectUris: ['https://agents.acme.example/oauth/callback'],
    scopes: ['courses:read', 'courses:write', 'curriculum:read'],
    reviewedOn: '2026-11-20',
  },
]
