import { equal } from 'node:assert/strict'
import { defineClient } from 'hallpass/clients'
import { decideApprover, decideScopes, effectiveScopes } from 'hallpass/policy'
import { schoolRoles as table, schoolScopes as registry } from 'hallpass/scope'

const [clientId, redirectUris, createdAt] = ['planner', ['http://127.0.0.1/cb'], 1_795_165_200]
const client = (kind: 'loopback' | 'member') =>
  defineClient({ clientId, kind, name: 'Planner', redirectUris, createdAt })

// 1. What the client may request: a member client never gets an operator scope.
const requested = decideScopes({ scopes: ['courses:write'], client: client('member'), registry })
equal(requested.ok || requested.reason, 'scope_of_other_audience')

// 2. Who may authorize the client: an operator client needs a staff role.
const approved = decideApprover({ roles: ['student'], client: client('loopback'), table })
equal(approved.ok || approved.reason, 'person_not_staff')

// 3. What a token opens now: the lecturer's role does not hold orders:read.
const scopes = ['courses:write', 'orders:read']
const opened = effectiveScopes({
  scopes,
  clientScopes: scopes,
  roles: ['lecturer'],
  table,
  registry,
})
equal(opened.join(' '), 'courses:write')
