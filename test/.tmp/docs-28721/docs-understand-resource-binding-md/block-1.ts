import { deepEqual, equal, ok } from 'node:assert/strict'
import { createProtectedResource } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'

const store = createMemoryStore()
const lantern = testSite({ issuer: 'https://lantern.example', store })
const kiln = testSite({ issuer: 'https://kiln.example', store })

const token = await lantern.tokenFor({ roles: ['owner'] }, 'courses:read')
const headers = new Headers({ authorization: `Bearer ${token}` })

const atLantern = await createProtectedResource(lantern.site).gate('courses:read')({ headers })
ok(!(atLantern instanceof Response))

const atKiln = await createProtectedResource(kiln.site).gate('courses:read')({ headers })
ok(atKiln instanceof Response)
equal(atKiln.status, 401)
deepEqual(
  kiln.refusals.map(({ reason }) => reason),
  ['access_token_for_other_resource'],
)
