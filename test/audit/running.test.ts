import { auditServer, type AuditRow, SCHOOL } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import demo from '../../packages/hallpass-audit/sign-in/demo.mjs'
import { BLOCK_NAMES } from '../../examples/school/src/blocks/names.js'
import { startExample } from '../support/processes/example.js'

/** All but those that ask of every client what the others leave open. */
const BLOCKS = BLOCK_NAMES.filter((name) => !['fapi2', 'dpop-nonces'].includes(name))
const PROVIDER = 'https://idp.example https://idp.example/jwks'

/** A code that is sent again within five seconds ends nothing: its client may have lost the response. */
const VIOLATED = ['code/used-twice-revokes']
/** A file of sign-in cannot give these: documents on a host of their own, clients that staff creates, and hours. */
const UNREACHED = [
  // Who refuses a large body may close the connection before all of it is sent, and then the answer is lost.
  /^mcp\/large-body$/,
  /^token\/large-form$/,
  /^metadata-document\//,
  /^school\/(?:unreviewed|document)-/,
  /^private-key-jwt\//,
  /^client-credentials\//,
  /^refresh\/stale-ends-family$/,
]

/** The rows that are violated or were not reached, but for those above. */
const faultsOf = (rows: readonly AuditRow[]): readonly string[] =>
  rows
    .filter(({ check, verdict }) =>
      verdict === 'violated'
        ? !VIOLATED.includes(check)
        : verdict === 'not reached' && !UNREACHED.some((one) => one.test(check)),
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
      const { rows } = await auditServer(school.origin, {
        signIn: demo,
        checks: SCHOOL,
      })
      expect(faultsOf(rows)).toEqual([])
      expect(rows.length).toBeGreaterThan(300)
    } finally {
      await school.stop()
    }
  })
})
