// site.ts
import { defineSite } from 'hallpass'
import { LOOKALIKES } from 'hallpass/clients'
import { createDocumentFetcher } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { findPerson, record, settings, store } from './yours.js'

export const site = defineSite({
  issuer: 'https://school.example',
  name: 'My School',
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson,
  vendors: [
    {
      clientId: 'cursor',
      name: 'Cursor',
      redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      scopes: ['courses:read', 'courses:write'],
      reviewedOn: '2026-11-20',
    },
  ],
  lookalikes: LOOKALIKES, // a name that could be taken for a vendor's is not shown
  documents: {
    // Exactly as in the URL. A subdomain is another host.
    allowedHosts: ['claude.ai', 'vscode.dev', 'zed.dev'],
    fetchDocument: createDocumentFetcher(),
  },
  pinnedDocuments: [
    {
      metadata: {
        client_id: 'https://notes.example/oauth/client.json',
        client_name: 'Margin Notes',
        redirect_uris: ['https://notes.example/oauth/callback'],
        token_endpoint_auth_method: 'none',
      },
      scopes: ['comments:read', 'posts:write'],
      checkedOn: '2026-11-20',
    },
  ],
  memberClients: () => settings.isOn('member-clients'), // called for each request of one
  onEvent: record,
  onRefusal: record,
  onFault: (notice) => console.error(notice),
})
