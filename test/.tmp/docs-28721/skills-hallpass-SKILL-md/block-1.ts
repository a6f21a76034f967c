import { deepEqual } from 'node:assert/strict'
import { createProtectedResource } from 'hallpass'
import { testSite } from 'hallpass/testing'

const { site, tokenFor } = testSite()
const gate = createProtectedResource(site).gate('courses:read')
const ask = (token: string) =>
  gate(
    new Request('https://school.example/courses', {
      headers: { authorization: `Bearer ${token}` },
    }),
  )

const allowed = await ask(await tokenFor({ roles: ['owner'] }, 'courses:read'))
deepEqual(allowed instanceof Response, false)

const refused = await ask(await tokenFor({ roles: ['owner'] }, 'orders:read'))
deepEqual(refused instanceof Response && refused.status, 403)
