import { deepEqual } from 'node:assert/strict'
import { whoCanConnect } from 'hallpass-lab'
import { createDocumentFetcher } from 'hallpass/node'
import { testSite } from 'hallpass/testing'

const { site } = testSite({
  vendors: [
    {
      clientId: 'perplexity',
      name: 'Perplexity',
      redirectUris: ['https://www.perplexity.ai/rest/connections/oauth_callback'],
      scopes: ['courses:read'],
      reviewedOn: '2026-11-20',
    },
  ],
  documents: {
    allowedHosts: ['claude.ai', 'vscode.dev'],
    fetchDocument: createDocumentFetcher(),
  },
})

const connections = whoCanConnect(site)
deepEqual(
  connections.filter(({ connects }) => connects).map(({ client, by }) => `${client}: ${by}`),
  [
    'Claude: document',
    'Claude Code: document',
    'Visual Studio Code: document',
    'MCP Inspector: registration',
    'mcp-remote: registration',
    'Perplexity: vendor',
    'Kiro: registration',
    'LM Studio: registration',
    'Amp: registration',
  ],
)
deepEqual(
  connections.find(({ client }) => client === 'Zed'),
  {
    client: 'Zed',
    connects: false,
    by: null,
    clientId: null,
    scopes: [],
    reason: 'document_host_not_allowed',
    advice: `add 'zed.dev' to documents.allowedHosts`,
  },
)
