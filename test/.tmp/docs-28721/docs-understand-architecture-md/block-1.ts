import { deepEqual, ok } from 'node:assert/strict'
import { decideApprover } from 'hallpass/policy'
import { schoolRoles } from 'hallpass/scope'

const decided = decideApprover({
  roles: ['student'],
  client: { kind: 'loopback' },
  table: schoolRoles,
})
ok(!decided.ok)
deepEqual([decided.error, decided.reason], ['access_denied', 'person_not_staff'])
