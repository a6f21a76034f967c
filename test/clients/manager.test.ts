import { decideManager } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import { type RoleTable, schoolRoles } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { OWNER, STUDENT } from '../support/school/school.js'

const REFUSED = {
  ok: false,
  error: 'access_denied',
  reason: 'person_may_not_manage',
  description: 'none of your roles may manage apps',
}

const withRoles = (...roles: readonly string[]): Person => ({ ...STUDENT, roles })

describe('decideManager', () => {
  it('grants the very person whose role manages clients', () => {
    expect(decideManager({ person: OWNER, table: schoolRoles })).toEqual({
      ok: true,
      manager: OWNER,
    })
  })

  it.each([
    ['owner', true],
    ['manager', true],
    ['lecturer', false],
    ['assistant', false],
    ['student', false],
  ])('lets a school %s manage clients: %s', (role, may) => {
    expect(decideManager({ person: withRoles(role), table: schoolRoles }).ok).toBe(may)
  })

  it('asks for one managing role among several, wherever it stands', () => {
    expect(decideManager({ person: withRoles('student', 'manager'), table: schoolRoles }).ok).toBe(
      true,
    )
  })

  it.each([
    ['no role', []],
    ['a role of staff that does not manage', ['lecturer']],
    ['a role that is not in the table', ['principal']],
    ['a role named as something every object has', ['constructor', 'toString', '__proto__']],
    ['a managing role in other letters', ['Owner', ' owner']],
  ])('refuses a person with %s', (_what, roles) => {
    expect(decideManager({ person: withRoles(...roles), table: schoolRoles })).toEqual(REFUSED)
  })

  it('takes a role for a managing one only where the table says so', () => {
    const table: RoleTable = {
      head: { staff: true, scopes: 'all' },
      keeper: { staff: false, scopes: [], managesClients: true },
      guest: { staff: true, scopes: 'all', managesClients: false },
    }
    expect(decideManager({ person: withRoles('head', 'guest'), table })).toEqual(REFUSED)
    expect(decideManager({ person: withRoles('keeper'), table }).ok).toBe(true)
  })

  it('counts only roles of the table itself, not what the table inherits', () => {
    const table = Object.create({ owner: schoolRoles['owner'] }) as RoleTable
    expect(decideManager({ person: OWNER, table })).toEqual(REFUSED)
  })
})
