import { auditServer, type AuditRow } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import demo from '../../packages/hallpass-audit/sign-in/demo.mjs'
import { BLOCK_NAMES } from '../../examples/school/testing.js'
import { sharedExample, startExample } from '../support/processes/example.js'
import { SCHOOL } from './school/index.js'

/** All but the profile, which refuses clients of no block: packages/hallpass-audit/test/fapi2.test.ts has it. */
const BLOCKS = BLOCK_NAMES.filter((name) => name !== 'fapi2')
const PROVIDER = 'https://idp.example https://idp.example/jwks'

/** The rows that are violated or were not reached, but for those whose reason the sign-in has. */
const faultsOf = (rows: readonly AuditRow[]): readonly string[] =>
  rows
    .filter(({ check, verdict }) =>
      verdict === 'violated' ? !(check in demo.accepts!) : verdict === 'not reached',
    )
    .map(({ check, verdict, found }) => `${check}: ${verdict}: ${found}`)

describe('an audit of the running school', () => {
  it.each([
    { blocks: 'no block', names: '' },
    { blocks: 'every block', names: BLOCKS.join() },
  ])('with $blocks violates nothing and reaches everything', async ({ names }) => {
    const school = await startExample({
      environment: {
        HALLPASS_RATE_LIMITS: 'off',
        SCHOOL_BLOCKS: names,
        SCHOOL_IDENTITY_PROVIDER: PROVIDER,
      },
    })
    try {
      const { rows } = await auditServer(school.origin, { signIn: demo, checks: SCHOOL })
      expect(faultsOf(rows)).toEqual([])
      expect(rows.length).toBeGreaterThan(300)
    } finally {
      await school.stop()
    }
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
