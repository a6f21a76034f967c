import { defineResource } from 'hallpass/policy'
import { schoolRoles as roles, schoolScopes as registry } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { decideWidening } from '../../src/policy/widening.js'
import { grantSample, T } from '../../src/store-contract/samples.js'
import { DESK_CLI, NOTES } from '../support/school/policy-samples.js'
import { OWNER } from '../support/school/school.js'

const request = {
  found: { grant: grantSample({ subject: OWNER.subject }), client: DESK_CLI },
  person: OWNER,
  scopes: ['courses:write'],
  names: defineResource('https://school.example'),
  registry,
  roles,
  now: T + 1,
}

/** The reason of a refusal, or `ok`. */
function reasonOf(changes: Partial<Parameters<typeof decideWidening>[0]>): string {
  const decided = decideWidening({ ...request, ...changes })
  return decided.ok ? 'ok' : decided.reason
}
const ofGrant = (fields: Parameters<typeof grantSample>[0]): string =>
  reasonOf({ found: { ...request.found, grant: { ...request.found.grant, ...fields } } })
const ofClient = (client: typeof DESK_CLI | null): string =>
  reasonOf({ found: { ...request.found, client } })

describe('decideWidening', () => {
  it('lets the person who gave a grant add what the client and the role allow [STEP-07]', () => {
    expect(decideWidening(request)).toEqual({ ok: true, ...request.found })
  })

  it('treats every grant that is not alive, or not theirs, like one that does not exist [STEP-03]', () => {
    const { expiresAt } = request.found.grant
    expect(decideWidening({ ...request, found: null })).toEqual({
      ok: false,
      error: 'access_denied',
      reason: 'grant_not_of_person',
      description:
        'this link is for the person who connected the app, as long as the app is connected',
    })
    expect([
      reasonOf({ found: null }),
      reasonOf({ person: { ...OWNER, subject: 'mem_other' } }),
      reasonOf({ names: defineResource('https://kiln.example') }),
      ofGrant({ revokedAt: T, revokedReason: 'person' }),
      ofGrant({ expiresAt: T + 1 }),
      // No person gave it on a page: a block opened it, as an identity provider or a manager decided.
      ofGrant({ redirectUri: '' }),
      ofClient(null),
      ofClient({ ...DESK_CLI, disabled: true }),
      ofClient({ ...DESK_CLI, endsAt: T + 1 }),
    ]).toEqual(Array.from({ length: 9 }, () => 'grant_not_of_person'))
    expect(reasonOf({ now: expiresAt - 1 })).toBe('ok')
    expect(ofClient({ ...DESK_CLI, endsAt: T + 2 })).toBe('ok')
  })

  it('adds nothing beyond the client, the audience or the role [STEP-07]', () => {
    expect(ofClient(NOTES)).toBe('scope_not_allowed_for_client')
    expect(ofClient({ ...NOTES, scopes: ['courses:write'] })).toBe('ok')
    expect(reasonOf({ scopes: ['account:read'] })).toBe('scope_of_other_audience')
    expect(reasonOf({ scopes: ['courses:write', 'x:y'] })).toBe('scope_unknown')
    expect(reasonOf({ scopes: [] })).toBe('scope_missing')
    const assistant = { ...OWNER, roles: ['assistant'] }
    expect(decideWidening({ ...request, person: assistant })).toEqual({
      ok: false,
      error: 'insufficient_scope',
      reason: 'scope_beyond_role',
      description: 'your role does not include every permission that the app needs',
    })
    const student = { ...OWNER, roles: ['student'] }
    expect(reasonOf({ person: student })).toBe('person_not_staff')
    expect(reasonOf({ person: { ...OWNER, roles: [] } })).toBe('person_has_no_role')
  })
})
