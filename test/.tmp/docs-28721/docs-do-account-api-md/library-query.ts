// library-query.ts
import { deepEqual, equal } from 'node:assert/strict'
import { createAccountApi } from 'hallpass/account-api'
import { accountTools } from 'hallpass/mcp'
import { defineScopes, schoolScopeTable } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { library } from './library.js'
import { createSource } from './source.js'

const scopes = defineScopes({
  ...schoolScopeTable,
  'library:read': {
    audience: 'member',
    access: 'read',
    group: 'Your library',
    consent: 'See the books that you have borrowed',
    personalData: true,
  },
})
const { site, tokenFor } = testSite({ scopes })
const api = createAccountApi(site, { source: createSource(site.now), extend: library })

const ask = async (...granted: ('account:read' | 'library:read')[]) => {
  const token = await tokenFor({ subject: 'mem_mei', roles: ['student'] }, ...granted)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ query: '{ viewer { libraryLoans { title dueAt } } }' })
  return api.graphql(
    new Request(`${site.issuer}/account/graphql`, { method: 'POST', headers, body }),
  )
}
const { data } = await (await ask('account:read', 'library:read')).json()
deepEqual(data.viewer.libraryLoans, [{ title: 'Glazes', dueAt: '2026-11-30T00:53:20Z' }])
equal((await ask('account:read')).status, 403)
equal(accountTools(api).at(-1)?.name, 'list_my_library_loans')
