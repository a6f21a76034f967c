// cost.ts
import { deepEqual } from 'node:assert/strict'
import { createAccountApi } from 'hallpass/account-api'
import { testSite } from 'hallpass/testing'
import { source } from './source.js'
import { tighter } from './tighter.js'

const { site, tokenFor } = testSite()
const api = createAccountApi(site, { source, ...tighter })
const token = await tokenFor({ subject: 'mem_mei', roles: ['student'] }, 'account:read')

// 1 for viewer, 1 for the list, and for each of the 20 rows 1 and its last lecture.
const query = `{ viewer { name enrolledCourses(first: 20) { nodes {
  slug accessState lastWatchedLecture { lectureId positionSeconds }
} } } }`
const response = await api.graphql(
  new Request(`${site.issuer}/account/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, extensions: { cost: true } }),
  }),
)
const { extensions } = await response.json()
deepEqual(extensions, { cost: { requested: 42, available: 958, restoreRate: 20 } })
