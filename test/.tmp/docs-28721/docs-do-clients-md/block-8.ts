import { deepEqual, equal } from 'node:assert/strict'
import { createClientManagement, decideManager } from 'hallpass/clients'
import { decideClientAuthentication, type Person } from 'hallpass/policy'
import { testSite } from 'hallpass/testing'

const ines: Person = {
  subject: 'mem_ines',
  orgId: 'my-school',
  roles: ['owner'],
  name: 'Ines Duarte',
  email: null,
  picture: null,
}
const { site, clock, events } = testSite()
const management = createClientManagement(site)

const student = decideManager({ person: { ...ines, roles: ['student'] }, table: site.roles })
equal(student.ok || student.reason, 'person_may_not_manage')
const decided = decideManager({ person: ines, table: site.roles })
if (!decided.ok) throw new Error(decided.reason)
const { manager } = decided

const draft = {
  name: 'Sketch Diary',
  description: null,
  icon: null,
  redirectUris: ['https://diary.example/callback'],
  tokenEndpointAuthMethod: 'client_secret_post',
  scopes: ['account:read'],
} as const
const refused = await management.create(manager, { ...draft, scopes: ['courses:write'] })
equal(refused.ok || refused.reason, 'scope_of_other_audience')

const created = await management.create(manager, draft)
if (!created.ok) throw new Error(created.reason)
const { clientId } = created.client
const rotated = await management.rotateSecret(manager, { clientId, overlapSeconds: 3600 })
if (!rotated.ok) throw new Error(rotated.reason)

const isValid = (clientSecret: string | null): boolean =>
  decideClientAuthentication({
    client: rotated.client,
    clientSecret,
    authorization: null,
    now: clock.now(),
  }).ok
deepEqual([isValid(created.clientSecret), isValid(rotated.clientSecret)], [true, true])
clock.advance(3600)
deepEqual([isValid(created.clientSecret), isValid(rotated.clientSecret)], [false, true])
deepEqual(
  events.map(({ type }) => type),
  ['oauth.client.created', 'oauth.client.secret_rotated'],
)
