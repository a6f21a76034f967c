import { deepEqual, equal } from 'node:assert/strict'
import { createAccountApi } from 'hallpass/account-api'
import { testSite } from 'hallpass/testing'
import { source } from './source.js'
import { db } from './tables.js'

const { site, tokenFor } = testSite()
const api = createAccountApi(site, { source })
await db.exec(`insert into purchases values
  ('p1', 'mem_mei', 'Glazing', 1280.00, to_timestamp(${site.now() - 9000}), null),
  ('p2', 'mem_mei', 'Throwing', 90.00, to_timestamp(${site.now() - 8000}), null),
  ('p3', 'mem_tom', 'Glazing', 1280.00, to_timestamp(${site.now() - 7000}), null)`)

const token = await tokenFor({ subject: 'mem_mei', roles: ['student'] }, 'account:read')
const ask = async (query: string, variables: object = {}) => {
  const response = await api.graphql(
    new Request(`${site.issuer}/account/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    }),
  )
  return (await response.json()).data
}

// The second page begins after the last row of the first.
const PAGE = `query ($after: String) { viewer { orders(first: 1, after: $after) {
  totalCount nodes { number total { amount } } pageInfo { hasNextPage endCursor }
} } }`
const first = (await ask(PAGE)).viewer.orders
deepEqual([first.totalCount, first.nodes], [2, [{ number: 'K-p2', total: { amount: '90.00' } }]])
const { endCursor } = first.pageInfo
const second = (await ask(PAGE, { after: endCursor })).viewer.orders
deepEqual(second.nodes, [{ number: 'K-p1', total: { amount: '1280.00' } }])
equal(second.pageInfo.hasNextPage, false)

const last = await ask('{ viewer { orders(last: 1) { nodes { number } } } }')
deepEqual(last.viewer.orders.nodes, [{ number: 'K-p1' }])

// The order of another member does not exist.
deepEqual(await ask('{ node(id: "ord_p3") { id } }'), { node: null })
