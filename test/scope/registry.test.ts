import fc from 'fast-check'
import { OptionsError } from 'hallpass'
import { defineScopes, omitScopes, type ScopeDefinition, type ScopeTable } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'

const READ: ScopeDefinition<never> = {
  audience: 'operator',
  access: 'read',
  group: 'Courses',
  consent: 'See courses',
}
const OWN: ScopeDefinition<never> = {
  ...READ,
  audience: 'member',
  group: 'You',
  consent: 'See yourself',
}
/** Of names that no compiler has seen, as where a table is read from a file. */
const defineRead = (table: ScopeTable) => defineScopes(table)
const fault = (...faults: string[]): OptionsError => new OptionsError('scope table', faults)

describe('defineScopes', () => {
  it('keeps the order of the table, and each row as it was written', () => {
    const registry = defineScopes({ 'courses:read': READ, 'account:read': OWN, 'a:read': READ })
    expect(registry.names).toEqual(['courses:read', 'account:read', 'a:read'])
    expect(registry.get('account:read')).toBe(OWN)
  })

  it('accepts a scope that implies a narrower one of its audience, wherever that stands', () => {
    const registry = defineScopes({
      'courses:write': { ...READ, access: 'write', implies: ['courses:read'] },
      'courses:read': READ,
    })
    expect(registry.get('courses:write')?.implies).toEqual(['courses:read'])
  })

  it('accepts an empty table', () => {
    expect(defineScopes({}).names).toEqual([])
  })

  it.each(['', 'two words', 'quo"te', 'back\\slash', 'tab\t', 'umläut', 'line\nbreak', '\x7f'])(
    'refuses the name %j, which RFC 6749 §3.3 does not allow',
    (name) => {
      expect(() => defineScopes({ [name]: READ })).toThrow(
        fault(`"${name}" is not a valid scope name, such as courses:read`),
      )
    },
  )

  it('accepts every other printable ASCII name', () => {
    const character = fc
      .integer({ min: 0x21, max: 0x7e })
      .map((code) => String.fromCharCode(code))
      .filter((text) => text !== '"' && text !== '\\')
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1 }), (name) => {
        const table = Object.fromEntries([[name, READ]])
        expect(defineScopes(table).names).toEqual([name])
      }),
    )
  })

  it('names every mistake in the members of every row at once', () => {
    expect(() =>
      defineRead({
        'courses:read': { ...READ, consent: ' ', concent: 'See courses' } as ScopeDefinition,
        'courses:write': { ...READ, access: 'all', group: '' } as never,
      }),
    ).toThrow(
      fault(
        'courses:read.concent is not an option: did you mean consent?',
        'courses:read.consent must be a string such as "See books", not a blank one',
        'courses:write.access must be identity or read or write, not "all"',
        'courses:write.group must be a string such as "Library", not a blank one',
      ),
    )
  })

  it('names every contradiction of every row at once', () => {
    expect(() =>
      defineRead({
        'courses read': READ,
        'courses:write': { ...READ, implies: ['courses:all', 'account:read'] },
        'account:read': OWN,
      }),
    ).toThrow(
      fault(
        '"courses read" is not a valid scope name, such as courses:read',
        '"courses:write" implies "courses:all", which is not in the table',
        '"courses:write" implies "account:read" of another audience',
      ),
    )
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'knows no %s, neither to ask for nor to imply',
    (name) => {
      expect(defineScopes({ 'courses:read': READ }).get(name)).toBeUndefined()
      expect(() => defineRead({ 'courses:read': { ...READ, implies: [name] } })).toThrow(
        fault(`"courses:read" implies "${name}", which is not in the table`),
      )
    },
  )

  it('compares names exactly', () => {
    const registry = defineScopes({ 'courses:read': READ })
    for (const name of ['Courses:read', 'courses:read ', 'courses:', 'courses'])
      expect(registry.get(name)).toBeUndefined()
  })

  it('is not changed by a table that changes afterwards', () => {
    const table: Record<string, ScopeDefinition> = { 'courses:read': READ }
    const registry = defineScopes(table)
    table['courses:write'] = READ
    expect(registry.names).toEqual(['courses:read'])
    expect(registry.get('courses:write')).toBeUndefined()
  })
})

describe('omitScopes', () => {
  const TABLE = {
    'courses:write': { ...READ, access: 'write', implies: ['courses:read', 'pages:read'] },
    'courses:read': READ,
    'pages:read': READ,
  } as const

  it('leaves rows out, also of what the others imply, and the rest as it was written', () => {
    expect(Object.entries(omitScopes(TABLE, ['pages:read']))).toEqual([
      ['courses:write', { ...READ, access: 'write', implies: ['courses:read'] }],
      ['courses:read', READ],
    ])
    expect(TABLE['courses:write'].implies).toEqual(['courses:read', 'pages:read'])
  })

  it('gives a table that stands by itself', () => {
    expect(defineScopes(omitScopes(TABLE, ['pages:read'])).names).toEqual([
      'courses:write',
      'courses:read',
    ])
    expect(omitScopes(TABLE, [])).toEqual(TABLE)
  })

  it('refuses names that are not in the table, all of them at once', () => {
    const table: ScopeTable = TABLE
    expect(() => omitScopes(table, ['page:read', 'pages:read', 'toString'])).toThrow(
      new OptionsError('omitScopes', [
        '"page:read" is not in the table: did you mean "pages:read"?',
        '"toString" is not in the table',
      ]),
    )
  })
})
