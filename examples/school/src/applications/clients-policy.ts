import type { PinnedDocument } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** Hosts whose client ID metadata documents are resolved. `/auth.md` names these. */
export const documentHosts: readonly string[] = [
  'claude.ai',
  'chatgpt.com',
  'vscode.dev',
  'zed.dev',
  'opencode.ai',
  'grok.com',
  'goose-docs.ai',
]

/**
 * Made-up hosts of the demo, which are resolved as well: an app that is not reviewed yet, a reviewed one, a blocked
 * one, and one that never responds. The last one has the documents of an audit.
 */
export const demoDocumentHosts: readonly string[] = [
  'notes.example',
  'desk.example',
  'bad.example',
  'slow.example',
  'audit.example',
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
  {
    // Anyone can publish files at github.com, so that host is not in the list above.
    metadata: {
      client_id: 'https://github.com/copilot/cli/client-metadata.json',
      client_name: 'GitHub Copilot CLI',
      redirect_uris: ['http://127.0.0.1:33418/'],
      token_endpoint_auth_method: 'none',
    },
    scopes: null,
    checkedOn: '2026-11-23',
  },
]
