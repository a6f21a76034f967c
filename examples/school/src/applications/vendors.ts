import type { Vendor } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** The page at `/docs`, on which staff try the admin API. */
export const apiReference = (origin: string): Vendor<SchoolScope> => ({
  clientId: 'api-reference',
  name: 'API reference',
  redirectUris: [`${origin}/docs`],
  scopes: null,
  reviewedOn: '2026-11-20',
})

/**
 * Platforms that register by name and get the identifier written here. Each list is the vendor's
 * whole list; check it against the vendor's documentation and move the date when you did.
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
    // The name is a guess: Mistral publishes its address alone.
    clientId: 'mistral',
    name: 'Mistral',
    redirectUris: ['https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    // The name is a guess here too.
    clientId: 'devin',
    name: 'Devin',
    redirectUris: ['https://api.devin.ai/mcp/oauth/callback'],
    scopes: null,
    reviewedOn: '2026-11-20',
  },
  {
    // Nobody's product: a fixed callback to try a vendor's registration with.
    clientId: 'acme-agents',
    name: 'Acme Agents',
    redirectUris: ['https://agents.acme.example/oauth/callback'],
    scopes: ['courses:read', 'courses:write', 'curriculum:read'],
    reviewedOn: '2026-11-20',
  },
]
