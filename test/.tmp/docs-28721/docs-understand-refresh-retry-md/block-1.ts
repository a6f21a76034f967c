import { equal, ok } from 'node:assert/strict'
import { defineClient } from 'hallpass/clients'
import { decideClientAuthentication, decideRefresh, defineResource } from 'hallpass/policy'
import { REFRESH_POLICY, type RefreshPolicy } from 'hallpass/policy'
import { schoolScopes as registry } from 'hallpass/scope'

const [now, later] = [1_795_165_200, 1_795_251_600]
const [clientId, grantId, redirectUri] = ['planner', 'grant_1', 'http://127.0.0.1/callback']
const known = { clientId, kind: 'loopback', name: 'Planner', createdAt: now } as const
const planner = defineClient({ ...known, redirectUris: [redirectUri] })
const proof = { client: planner, clientSecret: null, authorization: null, now }
const authenticated = decideClientAuthentication(proof)
ok(authenticated.ok)
const { client } = authenticated
const names = defineResource('https://school.example')
const [scopes, resource, valid] = [
  ['courses:read'],
  names.canonical,
  { revokedAt: null, revokedReason: null },
]
const allowed = { grantId, clientId, subject: 'per_ines', scopes, resource, redirectUri }
const grant = { ...allowed, ...valid, createdAt: now, expiresAt: later }
const used = { salt: '', scopes, successorHash: '', accessTokenExpiresAt: later }
const rotation = { ...used, rotatedAt: now }
const refreshToken = { tokenHash: '', grantId, issuedAt: now, expiresAt: later, rotation }

function outcomeAfter(seconds: number, policy: RefreshPolicy, successorUsed = false): string {
  const found = { refreshToken, grant, successorUsed }
  const asked = { found, client, scopes: null, resources: [], names, registry, policy }
  const decided = decideRefresh({ ...asked, now: now + seconds })
  return decided.ok ? decided.outcome : decided.reason
}
const { lostResponse, severalProcesses, strict } = REFRESH_POLICY
equal(outcomeAfter(20, strict), 'refresh_token_reused')
equal(outcomeAfter(20, lostResponse), 'repeat')
equal(outcomeAfter(60, lostResponse), 'refresh_token_reused')
equal(outcomeAfter(20, lostResponse, true), 'refresh_token_reused')
equal(outcomeAfter(60, severalProcesses), 'repeat')
equal(outcomeAfter(60, severalProcesses, true), 'follow')
