import type { ClientOutcome } from 'hallpass/mcp-clients'
import { expect, it } from 'vitest'
import {
  documentHosts,
  pinnedDocuments,
} from '../../examples/school/src/applications/clients-policy.js'
import { vendors } from '../../examples/school/src/applications/vendors.js'
import { ask } from '../support/real-client.js'
import { PAGES, rowsOf } from '../support/pages.js'

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
    : [client, `no: \`${reason}\``, '', advice ?? '']
}

it('the README tells of the example what whoCanConnect tells', () => {
  const { text } = PAGES.find(({ path }) => path === 'README.md')!
  const section = text.split(/^## /m).find((one) => one.startsWith('Which clients connect\n'))!
  const connections = ask({
    issuer: 'http://127.0.0.1:3000',
    vendors,
    documents: { allowedHosts: documentHosts },
    pinnedDocuments,
  })
  expect(rowsOf(section)).toEqual(connections.map(cellsOf))
})
