import fc from 'fast-check'
import {
  type AccessToken,
  bearerChallenge,
  type Client,
  decideAccess,
  parseBearer,
} from 'hallpass/policy'
import {
  defineScopes,
  type RoleTable,
  schoolRoles,
  schoolScopes,
  schoolScopeTable,
} from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../support/http/characters.js'
import { DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { ISSUER, OWNER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'
import { SECTION_2_1 } from '../vectors/rfc6750.js'

describe('parseBearer', () => {
  it('reads the example of RFC 6750 §2.1', () => {
    expect(parseBearer(SECTION_2_1.authorization)).toEqual({
      ok: true,
      accessToken: SECTION_2_1.accessToken,
    })
  })

  it.each(['bearer abc', 'BEARER abc', 'Bearer abc=='])('reads %j', (header) => {
    expect(parseBearer(header).ok).toBe(true)
  })

  it('knows an absent header from a broken one', () => {
    expect(parseBearer(null)).toEqual({
      ok: false,
      error: 'invalid_token',
      reason: 'access_token_missing',
    })
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer\tabc',
    'Bearer abc def',
    'Bearer abc, Bearer def',
    'Basic YTpi',
    'DPoP abc',
    'abc',
    'Bearer abc\u0000',
    'Bearer é',
    ' Bearer abc',
  ])('refuses %j', (header) => {
    expect(parseBearer(header)).toEqual({
      ok: false,
      error: 'invalid_token',
      reason: 'authorization_malformed',
    })
  })

  it('reads a header of 100 kB in no time (RFC 6750 §2.1 without backtracking)', () => {
    const header = `Bearer ${'a='.repeat(50_000)}`
    expect(parseBearer(header).ok).toBe(false)
  })
})

const TOKEN: AccessToken = {
  tokenHash: 'hash',
  grantId: GRANT.grantId,
  scopes: GRANT.scopes,
  issuedAt: T,
  expiresAt: T + 3600,
  revokedAt: null,
}
const VALID: Parameters<typeof decideAccess>[0] = {
  found: { accessToken: TOKEN, grant: GRANT },
  client: STUDY_BUDDY,
  person: STUDENT,
  resource: ISSUER,
  required: ['account:read'],
  registry: schoolScopes,
  roles: schoolRoles,
  now: T + 3599,
}
const ask = (changes: Partial<typeof VALID>): ReturnType<typeof decideAccess> =>
  decideAccess({ ...VALID, ...changes })
const operator = (scopes: string[], person = OWNER): Partial<typeof VALID> => ({
  found: {
    accessToken: { ...TOKEN, scopes },
    grant: GRANT,
  },
  client: DESK_CLI,
  person,
})

describe('decideAccess', () => {
  it('refuses a token that is bound to a key without that key, and needs none for another', () => {
    const refused = { ok: false, error: 'invalid_token', reason: 'access_token_bound' }
    const bound = { found: { accessToken: { ...TOKEN, boundTo: 'jkt' }, grant: GRANT } }
    expect(ask(bound)).toEqual(refused)
    expect(ask({ ...bound, key: null })).toEqual(refused)
    expect(ask({ ...bound, key: 'other' })).toEqual(refused)
    expect(ask({ ...bound, key: 'jkt' })).toMatchObject({ ok: true })
    expect(ask({ key: 'jkt' })).toMatchObject({ ok: true })
  })

  it('grants what the token, the client and the person allow now', () => {
    expect(ask({})).toEqual({
      ok: true,
      access: {
        person: STUDENT,
        client: STUDY_BUDDY,
        grantId: GRANT.grantId,
        scopes: GRANT.scopes,
        tokenScopes: GRANT.scopes,
        resource: ISSUER,
        expiresAt: T + 3600,
        hasFixedScopes: false,
      },
    })
  })

  it.each([
    ['an unknown token', { found: null }, 'access_token_unknown'],
    [
      'a revoked token',
      { found: { accessToken: { ...TOKEN, revokedAt: T }, grant: GRANT } },
      'access_token_revoked',
    ],
    [
      'a revoked grant',
      { found: { accessToken: TOKEN, grant: { ...GRANT, revokedAt: T } } },
      'grant_revoked',
    ],
    [
      'a grant at its end',
      { found: { accessToken: TOKEN, grant: { ...GRANT, expiresAt: VALID.now } } },
      'grant_expired',
    ],
    ['an expired token', { now: T + 3600 }, 'access_token_expired'],
    ['a token of the future', { now: T - 300 }, 'access_token_of_future'],
    [
      'a token of another origin',
      { resource: 'https://kiln.example' },
      'access_token_for_other_resource',
    ],
    ['a client that is gone', { client: null }, 'client_gone'],
    ['a disabled client', { client: { ...STUDY_BUDDY, disabled: true } }, 'client_disabled'],
    ['a client at its end', { client: { ...STUDY_BUDDY, endsAt: VALID.now } }, 'client_ended'],
    ['a person who is gone', { person: null }, 'person_gone'],
    ['a person without a role', { person: { ...STUDENT, roles: ['x'] } }, 'person_has_no_role'],
  ])('refuses %s before it looks at scopes', (_, changes, reason) => {
    expect(ask({ ...changes, required: ['orders:read'] })).toEqual({
      ok: false,
      error: 'invalid_token',
      reason,
    })
  })

  it('says every scope that is missing, with what to do', () => {
    const refused = ask({ ...operator([]), required: ['courses:read', 'events:read'] })
    expect(refused.ok ? null : refused.description).toBe(
      'this request needs courses:read and events:read: authorize again to get more',
    )
  })

  it('names every scope the request needs', () => {
    const client = { ...STUDY_BUDDY, scopes: ['account:read', 'account:write'] }
    expect(ask({ client, required: ['account:read', 'account:write'] })).toEqual({
      ok: false,
      error: 'insufficient_scope',
      reason: 'scope_not_granted',
      description: 'this request needs account:write: authorize again to get more',
      requiredScopes: ['account:read', 'account:write'],
      missingScopes: ['account:write'],
    })
  })

  it('says when asking for the scope again would not help', () => {
    const scopes = ['courses:write', 'orders:read']
    expect(ask({ ...operator(scopes), required: ['orders:read'] }).ok).toBe(true)
    const demoted = { ...OWNER, roles: ['lecturer'] }
    expect(ask({ ...operator(scopes, demoted), required: ['orders:read'] })).toEqual({
      ok: false,
      error: 'insufficient_scope',
      reason: 'scope_beyond_role',
      description: "the person's role does not allow what this request needs",
      missingScopes: ['orders:read'],
    })
    const capped = { ...operator(scopes), client: { ...DESK_CLI, scopes: ['courses:write'] } }
    expect(ask({ ...capped, required: ['orders:read'] })).toEqual({
      ok: false,
      error: 'insufficient_scope',
      reason: 'scope_beyond_client',
      description: 'this client may not use a scope that this request needs',
      missingScopes: ['orders:read'],
    })
  })

  it.each<[string, Partial<Client>, readonly string[]]>([
    ['is of the other audience', { kind: 'member', scopes: ['account:read'] }, ['courses:read']],
    ['is beyond its cap', { scopes: ['courses:read'] }, ['courses:write']],
    [
      'is beyond its cap, beside one that is not',
      { scopes: ['events:read'] },
      ['events:read', 'orders:read'],
    ],
  ])('offers a client no scope where one that it needs %s [RS-04]', (_, changes, required) => {
    const client = { ...DESK_CLI, ...changes }
    expect(ask({ ...operator([]), client, required })).toEqual({
      ok: false,
      error: 'insufficient_scope',
      reason: 'scope_beyond_client',
      description: 'this client may not use a scope that this request needs',
      missingScopes: required,
    })
  })

  it('does not let writing stand for reading', () => {
    expect(ask({ ...operator(['courses:write']), required: ['courses:read'] })).toMatchObject({
      reason: 'scope_not_granted',
    })
  })

  it('never grants a scope that was not granted to the token', () => {
    const someScopes = fc.subarray([...schoolScopes.names])
    fc.assert(
      fc.property(someScopes, someScopes, (scopes, required) => {
        const decided = ask({ ...operator(scopes), required })
        if (!decided.ok) return
        for (const scope of required) expect(scopes).toContain(scope)
      }),
    )
  })
})

describe('decideAccess, where a scope implies another', () => {
  const registry = defineScopes({
    ...schoolScopeTable,
    'courses:write': { ...schoolScopeTable['courses:write'], implies: ['courses:read'] },
    'curriculum:write': { ...schoolScopeTable['curriculum:write'], implies: ['courses:write'] },
  })
  const decide = (scope: string, required: string, changes: Partial<typeof VALID> = {}) =>
    ask({ ...operator([scope]), registry, required: [required], ...changes })

  it('holds the narrower as well, however far that leads', () => {
    const decided = decide('curriculum:write', 'courses:read')
    if (!decided.ok) throw new Error(decided.reason)
    expect(decided.access.scopes).toEqual(['curriculum:write', 'courses:write', 'courses:read'])
    expect(decided.access.tokenScopes).toEqual(['curriculum:write'])
  })

  it('holds it beside scopes that imply nothing', () => {
    const both = { ...operator(['events:read', 'courses:write']), registry }
    expect(ask({ ...both, required: ['courses:read', 'events:read'] }).ok).toBe(true)
  })

  it('does not hold the wider', () => {
    expect(decide('courses:read', 'courses:write')).toMatchObject({ reason: 'scope_not_granted' })
  })

  it('takes no notice of a scope that the table has lost since', () => {
    const scopes = ['courses:write', 'certificates:read']
    const lost = { ...operator(scopes), required: ['events:read'] }
    for (const table of [registry, schoolScopes])
      expect(ask({ ...lost, registry: table })).toMatchObject({ reason: 'scope_not_granted' })
  })

  it('blames the role or the client where the token would do', () => {
    const roles: RoleTable = { ...schoolRoles, owner: { staff: true, scopes: ['events:read'] } }
    expect(decide('courses:write', 'courses:read', { roles })).toMatchObject({
      reason: 'scope_beyond_role',
    })
    const client = { ...DESK_CLI, scopes: ['events:read'] }
    expect(decide('courses:write', 'courses:read', { client })).toMatchObject({
      reason: 'scope_beyond_client',
    })
  })

  it('blames the role for one of two, although the token lacks the other [RS-04]', () => {
    const roles: RoleTable = { ...schoolRoles, owner: { staff: true, scopes: ['events:read'] } }
    const required = ['courses:write', 'events:read']
    expect(ask({ ...operator(['courses:write']), registry, roles, required })).toMatchObject({
      reason: 'scope_beyond_role',
    })
  })

  it('offers only what the client may request, where that implies the rest [RS-04]', () => {
    const client = { ...DESK_CLI, scopes: ['courses:write'] }
    const required = ['courses:read', 'courses:write']
    expect(ask({ ...operator([]), registry, client, required })).toMatchObject({
      reason: 'scope_not_granted',
      requiredScopes: ['courses:write'],
    })
  })

  it('blames the client where its cap holds the wider scope and the token the narrower', () => {
    const client = { ...DESK_CLI, scopes: ['courses:write'] }
    expect(decide('courses:read', 'courses:read', { client })).toMatchObject({
      reason: 'scope_beyond_client',
    })
  })

  it('blames the client where the role falls short as well, in whichever order they are needed', () => {
    const roles: RoleTable = { ...schoolRoles, owner: { staff: true, scopes: ['events:read'] } }
    const client = { ...DESK_CLI, scopes: ['courses:read'] }
    const both = { ...operator(['courses:read', 'events:read']), roles, client }
    for (const required of [
      ['courses:read', 'events:read'],
      ['events:read', 'courses:read'],
    ])
      expect(ask({ ...both, required })).toMatchObject({ reason: 'scope_beyond_client' })
  })
})

describe('bearerChallenge', () => {
  const resourceMetadata = `${ISSUER}/.well-known/oauth-protected-resource`

  it('says where to learn how to sign in, and no more, where no token came', () => {
    expect(bearerChallenge({ resourceMetadata, error: null })).toBe(
      `Bearer resource_metadata="${resourceMetadata}"`,
    )
  })

  it('names error and scopes', () => {
    expect(
      bearerChallenge({
        resourceMetadata,
        error: 'insufficient_scope',
        description: 'more is needed',
        scopes: ['account:read', 'account:write'],
      }),
    ).toBe(
      `Bearer error="insufficient_scope", error_description="more is needed", scope="account:read account:write", resource_metadata="${resourceMetadata}"`,
    )
  })

  it('puts an apostrophe where a description holds what no quoted string can', () => {
    const description = 'say "read" \\ é'
    expect(bearerChallenge({ resourceMetadata, error: null, description })).toBe(
      `Bearer error_description="say 'read' ' '", resource_metadata="${resourceMetadata}"`,
    )
  })

  it('stays one line of quoted strings whatever the description is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (description) => {
        const header = bearerChallenge({ resourceMetadata, error: 'invalid_token', description })
        expect(header).toMatch(/^Bearer (?:[a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:, |$))+$/)
      }),
    )
  })
})
