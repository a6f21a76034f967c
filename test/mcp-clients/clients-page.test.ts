import type { ClientOutcome } from 'hallpass/mcp-clients'
import { expect, it } from 'vitest'
import {
  defaultScopes,
  documentHosts,
  pinnedDocuments,
} from '../../examples/school/src/applications/clients-policy.js'
import { vendors } from '../../examples/school/src/applications/vendors.js'
import { ask } from '../support/school/real-client.js'
import { PAGES, rowsOf } from '../support/docs/pages.js'

const WAYS = {
  vendor: 'vendor entry',
  registration: 'registration',
  document: 'its document',
  pinned_document: 'pinned document',
}

function cellsOf({
  client,
  connects,
  by,
  scopes,
  reason,
  advice,
}: ClientOutcome): readonly string[] {
  const writes = scopes.some((scope) => scope.endsWith(':write'))
  return connects
    ? [client, WAYS[by!], writes ? 'read, write' : 'read', advice ?? '']
    : [client, reason === null ? 'not public' : `no: \`${reason}\``, '', advice ?? '']
}

it('docs/look-up/clients.md shows what whoCanConnect returns for the demo school', () => {
  const { text } = PAGES.find(({ path }) => path === 'docs/look-up/clients.md')!
  const connections = ask({
    issuer: 'http://127.0.0.1:3000',
    vendors,
    documents: { allowedHosts: documentHosts },
    pinnedDocuments,
    defaultScopes,
  })
  expect(rowsOf(text)).toEqual(connections.map(cellsOf))
})
