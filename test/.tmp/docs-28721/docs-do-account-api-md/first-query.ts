// first-query.ts
import { deepEqual } from 'node:assert/strict'
import { testSite } from 'hallpass/testing'
import { createApi } from './api.js'
import { db } from './tables.js'

const { site, tokenFor } = testSite({ issuer: 'https://kiln.example' })
const api = createApi(site)
await db.exec(`insert into purchases values
  ('p1', 'mem_mei', 'glazing', to_timestamp(${site.now() - 9000}), null),
  ('p2', 'mem_mei', 'throwing', to_timestamp(${site.now() - 8000}), to_timestamp(${site.now() - 100})),
  ('p3', 'mem_tom', 'glazing', to_timestamp(${site.now() - 7000}), null)`)

const token = await tokenFor({ subject: 'mem_mei', roles: ['student'] }, 'account:read')
const query = `{ viewer { id enrolledCourses(first: 2, orderBy: ENROLLED_AT_DESC) { totalCount nodes {
  id slug expireDate hasLifetimeAccess accessState
} } } }`
const response = await api.graphql(
  new Request(`${site.issuer}/account/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }),
)
const { data } = await response.json()
deepEqual(data.viewer, {
  id: 'mem_mei',
  enrolledCourses: {
    totalCount: 2,
    nodes: [
      {
        id: 'enr_p2',
        slug: 'throwing',
        expireDate: '2021-03-01T08:58:20Z',
        hasLifetimeAccess: false,
        accessState: 'EXPIRED',
      },
      {
        id: 'enr_p1',
        slug: 'glazing',
        expireDate: null,
        hasLifetimeAccess: true,
        accessState: 'ACTIVE',
      },
    ],
  },
})
