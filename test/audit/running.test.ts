import { auditServer } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { BLOCK_NAMES } from '../../examples/school/testing.js'
import { sharedExample } from '../support/processes/example.js'
import { auditOfSchool, faultsOf } from './school/running.js'

/** All but the profile, which refuses clients of no block: packages/hallpass-audit/test/fapi2.test.ts has it. */
const BLOCKS = BLOCK_NAMES.filter((name) => name !== 'fapi2')

describe('an audit of the running school', () => {
  // Without a block, before a release: test/audit/plain.test.ts.
  it('with every block violates nothing and reaches everything', async () => {
    const rows = await auditOfSchool(BLOCKS)
    expect(faultsOf(rows)).toEqual([])
    expect(rows.length).toBeGreaterThan(300)
  })

  it('applies what a school decides that lets no programs share a token', async () => {
    const school = await sharedExample()
    const owner = { email: 'hao-yu.lin@example.com', password: 'hallpass-demo' }
    const { rows } = await auditServer(school.kiln, {
      signIn: { people: [owner], scope: 'courses:read students:read' },
      only: ['refresh/stale-ends-family'],
    })
    expect(rows.map(({ verdict }) => verdict)).toEqual(['held'])
  })
})
