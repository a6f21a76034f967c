import type { PinnedDocument } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/**
 * Hosts whose client ID metadata documents are resolved. The last four are made up: an app that is not
 * reviewed yet, a reviewed one, a blocked one, and one that never responds.
 */
export const documentHosts: readonly string[] = [
  'claude.ai',
  'chatgpt.com',
  'vscode.dev',
  'zed.dev',
  'opencode.ai',
  'grok.com',
  'notes.example',
  'desk.example',
  'bad.example',
  'slow.example',
]

/** Copies of client metadata documents that cannot be used as they are published. */
export const pinnedDocuments: readonly PinnedDocument<SchoolScope>[] = [
  {
    // The published document also contains a redirect URI at console.x.ai, which is another host.
    metadata: {
      client_id: 'https://grok.com/oauth/mcp-client.json',
      client_name: 'Grok',
      redirect_uris: ['https://grok.com/connectors-oauth-exchange-code/'],
      token_endpoint_auth_method: 'none',
    },
    scopes: null,
    checkedOn: '2026-11-20',
  },
]
