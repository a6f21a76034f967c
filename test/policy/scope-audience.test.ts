import fc from 'fast-check'
import {
  audienceOf,
  type Client,
  decideApprover,
  decideScopes,
  effectiveScopes,
  parseScope,
  scopesOfClient,
} from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { DESK_CLI, NOTES } from '../support/school/policy-samples.js'
import { PORTFOLIO_HUB, STUDY_BUDDY } from '../support/school/school.js'
import { decideNarrowedScopes } from '../../src/policy/scope-audience.js'

const registry = schoolScopes
const ask = (client: Client, ...scopes: string[]): unknown =>
  decideScopes({ scopes, client, registry })
const refusal = (reason: string): object => ({ ok: false, error: 'invalid_scope', reason })

describe('parseScope', () => {
  it('keeps the order, drops repeats and the scope without effect', () => {
    expect(parseScope('openid email openid offline_access')).toEqual({
      ok: true,
      scopes: ['openid', 'email'],
    })
  })

  it.each([' openid email', 'openid email ', 'openid  email', '   openid   email   '])(
    'reads %j as without the further spaces [AUTH-43]',
    (scope) => {
      expect(parseScope(scope)).toEqual({ ok: true, scopes: ['openid', 'email'] })
    },
  )

  it('finds no scope in spaces', () => {
    expect(parseScope('  ')).toEqual({ ok: true, scopes: [] })
  })

  it.each(['', 'open"id', 'open\\id', 'a\tb', 'é', 'a\u0000'])(
    'refuses %j (RFC 6749 §3.3)',
    (scope) => {
      expect(parseScope(scope)).toMatchObject(refusal('scope_malformed'))
    },
  )
})

describe('decideScopes', () => {
  it('lets each kind of client ask for what is its own', () => {
    expect(ask(STUDY_BUDDY, 'openid', 'profile', 'email', 'account:read')).toMatchObject({
      ok: true,
    })
    expect(ask(PORTFOLIO_HUB, 'account:write')).toMatchObject({ ok: true })
    expect(ask(DESK_CLI, 'openid', 'courses:write', 'orders:read')).toMatchObject({ ok: true })
    expect(ask(NOTES, 'openid', 'courses:read')).toMatchObject({ ok: true })
  })

  it.each([
    ['account:read from an operator client', DESK_CLI, 'account:read', 'scope_of_other_audience'],
    ['account:write from an operator client', DESK_CLI, 'account:write', 'scope_of_other_audience'],
    [
      'an operator scope from a member client',
      PORTFOLIO_HUB,
      'courses:read',
      'scope_of_other_audience',
    ],
    [
      'a scope the operator did not pick',
      STUDY_BUDDY,
      'account:write',
      'scope_not_allowed_for_client',
    ],
    ['writing from an unreviewed document', NOTES, 'courses:write', 'scope_not_allowed_for_client'],
    ['an unknown scope', DESK_CLI, 'courses:delete', 'scope_unknown'],
    ['a name of Object.prototype', DESK_CLI, 'constructor', 'scope_unknown'],
  ])('refuses %s', (_, client, scope, reason) => {
    expect(ask(client, 'openid', scope)).toMatchObject(refusal(reason))
  })

  it('refuses an empty list', () => {
    expect(ask(DESK_CLI)).toMatchObject(refusal('scope_missing'))
  })

  it('lets a reviewed document write what the reviewer ticked', () => {
    const reviewed: Client = { ...NOTES, scopes: ['courses:write'] }
    expect(ask(reviewed, 'courses:write')).toMatchObject({ ok: true })
    expect(ask(reviewed, 'events:write')).toMatchObject(refusal('scope_not_allowed_for_client'))
  })

  it('lets a document read, reviewed or not', () => {
    for (const scopes of [null, [], ['courses:write']])
      expect(ask({ ...NOTES, scopes }, 'courses:read', 'orders:read')).toMatchObject({ ok: true })
  })

  it('never grants a scope across audiences, nor one outside the cap', () => {
    const kind = fc.constantFrom('loopback', 'vendor', 'document', 'member') as fc.Arbitrary<
      Client['kind']
    >
    const someScopes = fc.subarray([...registry.names], { minLength: 1 })
    fc.assert(
      fc.property(kind, fc.option(someScopes), someScopes, (clientKind, cap, scopes) => {
        const client: Client = { ...DESK_CLI, kind: clientKind, scopes: cap }
        const decided = decideScopes({ scopes, client, registry })
        expect(decided.ok).toBe(
          scopes.every((scope) => scopesOfClient({ client, registry }).includes(scope)),
        )
        if (!decided.ok) return
        for (const scope of decided.scopes) {
          const row = registry.get(scope)!
          expect(['any', audienceOf(clientKind)]).toContain(row.audience)
          const isCapped = clientKind === 'document' ? row.access === 'write' : cap !== null
          if (isCapped && row.access !== 'identity') expect(cap ?? []).toContain(scope)
        }
      }),
    )
  })
})

describe('decideNarrowedScopes', () => {
  const granted = ['openid', 'account:read', 'account:write']

  it('gives what was granted, or fewer', () => {
    expect(decideNarrowedScopes({ asked: null, granted })).toEqual({ ok: true, scopes: granted })
    expect(decideNarrowedScopes({ asked: ['account:read'], granted })).toEqual({
      ok: true,
      scopes: ['account:read'],
    })
  })

  it('never widens', () => {
    expect(decideNarrowedScopes({ asked: ['openid', 'email'], granted })).toMatchObject(
      refusal('scope_widened'),
    )
    expect(decideNarrowedScopes({ asked: [], granted })).toMatchObject(refusal('scope_missing'))
    fc.assert(
      fc.property(
        fc.subarray([...registry.names]),
        fc.subarray([...registry.names]),
        (asked, held) => {
          const decided = decideNarrowedScopes({ asked, granted: held })
          if (decided.ok) for (const scope of decided.scopes) expect(held).toContain(scope)
        },
      ),
    )
  })
})

describe('the words of a refused scope', () => {
  it.each([
    [
      STUDY_BUDDY,
      'nonsense',
      'scope_unknown',
      'scope contains an unknown scope: see scopes_supported in the metadata',
    ],
    [
      STUDY_BUDDY,
      'courses:read',
      'scope_of_other_audience',
      'scope contains a scope of the other audience: account scopes are for member clients, all other scopes except the identity scopes for operator clients',
    ],
    [
      STUDY_BUDDY,
      'account:write',
      'scope_not_allowed_for_client',
      'scope contains a scope that this client may not request',
    ],
  ])('are those of its fault', (client, scope, reason, description) => {
    expect(ask(client, scope)).toEqual({ ok: false, error: 'invalid_scope', reason, description })
  })
})

describe('decideApprover', () => {
  const who = (roles: string[], client: Client): unknown =>
    decideApprover({ roles, client, table: schoolRoles })

  it.each(['owner', 'manager', 'lecturer', 'assistant'])('lets a %s approve any client', (role) => {
    for (const client of [DESK_CLI, NOTES, STUDY_BUDDY])
      expect(who([role], client)).toEqual({ ok: true })
  })

  it('lets a student approve member clients alone', () => {
    expect(who(['student'], STUDY_BUDDY)).toEqual({ ok: true })
    for (const client of [DESK_CLI, NOTES])
      expect(who(['student'], client)).toMatchObject({
        error: 'access_denied',
        reason: 'person_not_staff',
      })
  })

  it('lets somebody approve any client whose roles are staff in part', () => {
    expect(who(['student', 'owner'], DESK_CLI)).toEqual({ ok: true })
  })

  it.each([[[]], [['visitor']], [['constructor']], [['__proto__']]])(
    'lets nobody with the roles %j approve',
    (roles) => {
      expect(who(roles, STUDY_BUDDY)).toMatchObject({
        error: 'access_denied',
        reason: 'person_has_no_role',
      })
    },
  )
})

describe('effectiveScopes', () => {
  const effective = (
    roles: string[],
    scopes: readonly string[],
    client = DESK_CLI,
  ): readonly string[] =>
    effectiveScopes({
      scopes,
      clientScopes: scopesOfClient({ client, registry }),
      roles,
      table: schoolRoles,
      registry,
    })

  it.each([
    [
      'owner',
      ['orders:read', 'courses:write', 'openid'],
      ['orders:read', 'courses:write', 'openid'],
    ],
    [
      'lecturer',
      [
        'orders:read',
        'courses:write',
        'students:read',
        'students:write',
        'comments:read',
        'storage:write',
      ],
      ['courses:write', 'students:read', 'comments:read', 'storage:write'],
    ],
    [
      'assistant',
      ['courses:read', 'courses:write', 'events:write', 'forms:read', 'orders:read'],
      ['courses:read', 'events:write', 'forms:read'],
    ],
    ['student', ['courses:read', 'openid'], ['openid']],
    ['visitor', ['courses:read', 'openid'], []],
  ])('leaves a %s with what the role allows', (role, scopes, expected) => {
    expect(effective([role], scopes)).toEqual(expected)
  })

  it('adds up several roles', () => {
    expect(effective(['student', 'assistant'], ['forms:read'])).toEqual(['forms:read'])
  })

  it('is never more than the token, the client or the person may', () => {
    const someScopes = fc.subarray([...registry.names])
    fc.assert(
      fc.property(
        someScopes,
        someScopes,
        fc.subarray(Object.keys(schoolRoles)),
        (scopes, cap, roles) => {
          const client: Client = { ...DESK_CLI, scopes: cap }
          for (const scope of effective(roles, scopes, client)) {
            expect(scopes).toContain(scope)
            expect(scopesOfClient({ client, registry })).toContain(scope)
            expect(roles.length).toBeGreaterThan(0)
          }
        },
      ),
    )
  })
})
