import { deepEqual, ok } from 'node:assert/strict'
import { createProtectedResource } from 'hallpass'
import { testSite } from 'hallpass/testing'

const { site, tokenFor } = testSite()
const gate = createProtectedResource(site).gate('courses:read')
const token = await tokenFor({ roles: ['owner'] }, 'courses:read')

const access = await gate({ headers: new Headers({ authorization: `Bearer ${token}` }) })
ok(!(access instanceof Response))
deepEqual(access.scopes, ['courses:read'])
