import { deepEqual, equal } from 'node:assert/strict'
import { testSite } from 'hallpass/testing'
import { createApi } from './api.js'
import type { Certificate } from './certificates.js'
import { scopes } from './scopes.js'

const { site, tokenFor } = testSite({ scopes })
const token = await tokenFor({ roles: ['owner'] }, 'certificates:read', 'certificates:write')
const rows: Certificate[] = []
const api = createApi(site, {
  list: async ({ limit }) => rows.slice(0, limit),
  hasCompleted: async (memberId) => memberId === 'mem_mei',
  async issue(member_id, course_id, at) {
    const created_at = new Date(at * 1000).toISOString()
    rows.push({ id: `crt_${rows.length + 1}`, member_id, course_id, created_at })
    return rows.at(-1)!
  },
})
const call = (method: string, path: string, body?: object) =>
  api.endpoint(
    new Request(`${site.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )

const foundations = { course_id: 'crs_foundations' }
const issued = await call('POST', '/certificates', { member_id: 'mem_mei', ...foundations })
equal(issued.status, 201)
const early = await call('POST', '/certificates', { member_id: 'mem_priya', ...foundations })
const problem = (await early.json()) as Record<string, unknown>
deepEqual(
  [early.status, problem['code'], problem['detail']],
  [409, 'conflict', 'the member has not completed this course'],
)
const listed = await call('GET', '/certificates?fields=id')
deepEqual(await listed.json(), {
  data: [{ id: 'crt_1' }],
  page: { next_cursor: null, has_more: false },
})
deepEqual(Object.keys(api.description['paths'] as object), ['/api/v1/certificates'])
