import { defineScopes, schoolRoles, schoolScopes, schoolScopeTable } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { PERSONAL_DATA, SCHOOL_SCOPES } from '../vectors/school-scopes.js'

const namesOf = (audience: string): string[] =>
  SCHOOL_SCOPES.filter((row) => row[1] === audience).map(([scope]) => scope)
const OPERATOR = namesOf('operator')
/** `events` = each operator scope of events; `students:read` = itself. */
const expand = (...names: string[]): string[] =>
  OPERATOR.filter((scope) => names.includes(scope) || names.includes(scope.split(':')[0]!))

describe('schoolScopes', () => {
  it('holds the 38 scopes of the service in their order, and no other', () => {
    expect(SCHOOL_SCOPES).toHaveLength(38)
    expect(schoolScopes.names).toEqual(SCHOOL_SCOPES.map(([scope]) => scope))
  })

  it.each(SCHOOL_SCOPES)('%s is for %s, its access is %s', (scope, audience, access, consent) => {
    expect(schoolScopes.get(scope)).toMatchObject({ audience, access, consent })
  })

  it('gives three scopes to every audience, and to members two of their own', () => {
    expect(namesOf('any')).toEqual(['openid', 'profile', 'email'])
    expect(namesOf('member')).toEqual(['account:read', 'account:write'])
    expect(OPERATOR).toHaveLength(33)
  })

  it('lets no scope stand for another', () => {
    for (const scope of schoolScopes.names)
      expect(schoolScopes.get(scope)).not.toHaveProperty('implies')
  })

  it('marks every scope that shows personal data of others, and no identity or account scope', () => {
    for (const scope of PERSONAL_DATA) expect(schoolScopes.get(scope)?.personalData).toBe(true)
    for (const scope of [...namesOf('any'), ...namesOf('member')])
      expect(schoolScopes.get(scope)).not.toHaveProperty('personalData')
  })

  it('marks what can lock people out, close the school or end payments as sensitive', () => {
    const isSensitive = (scope: string): boolean => schoolScopes.get(scope)?.sensitive === true
    expect(schoolScopes.names.filter(isSensitive)).toEqual([
      'members:write',
      'school:write',
      'subscriptions:write',
    ])
  })

  it('can be extended by a table of ones own', () => {
    const own = { audience: 'operator', access: 'read', group: 'Kiln', consent: 'See it' } as const
    const registry = defineScopes({ ...schoolScopeTable, 'kiln:read': own })
    expect(registry.names).toEqual([...schoolScopes.names, 'kiln:read'])
  })
})

describe('schoolRoles', () => {
  it('knows five roles, the first four of them staff', () => {
    expect(Object.entries(schoolRoles).map(([role, { staff }]) => [role, staff])).toEqual([
      ['owner', true],
      ['manager', true],
      ['lecturer', true],
      ['assistant', true],
      ['student', false],
    ])
  })

  it.each(['owner', 'manager'])('gives the %s every operator scope', (role) => {
    expect(schoolRoles[role]?.scopes).toBe('all')
  })

  it.each<[string, string[]]>([
    [
      'lecturer',
      expand(
        'courses',
        'curriculum',
        'students:read',
        'analytics',
        'events',
        'posts',
        'comments',
        'lecturers',
        'digital_products',
        'storage',
      ),
    ],
    [
      'assistant',
      expand('courses:read', 'curriculum:read', 'students:read', 'events', 'comments', 'forms'),
    ],
    ['student', []],
  ])('gives the %s exactly the scopes of the ceiling', (role, expected) => {
    const { scopes } = schoolRoles[role]!
    expect([...scopes].sort()).toEqual([...expected].sort())
  })
})
