import { auditServer, type AuditRow } from 'hallpass-audit'
import type { BLOCK_NAMES } from '../../../examples/school/testing.js'
import demo from '../../../packages/hallpass-audit/sign-in/demo.mjs'
import { startExample } from '../../support/processes/example.js'
import { SCHOOL } from './index.js'

const PROVIDER = 'https://idp.example https://idp.example/jwks'

/** Audits the school of the example with these blocks, by every check and those of the school. */
export async function auditOfSchool(
  blocks: readonly (typeof BLOCK_NAMES)[number][],
): Promise<readonly AuditRow[]> {
  const school = await startExample({
    environment: {
      HALLPASS_RATE_LIMITS: 'off',
      SCHOOL_BLOCKS: blocks.join(),
      SCHOOL_IDENTITY_PROVIDER: PROVIDER,
    },
  })
  try {
    return (await auditServer(school.origin, { signIn: demo, checks: SCHOOL })).rows
  } finally {
    await school.stop()
  }
}

/** The rows that are violated or were not reached, but for those whose reason the sign-in has. */
export const faultsOf = (rows: readonly AuditRow[]): readonly string[] =>
  rows
    .filter(({ check, verdict }) =>
      verdict === 'violated' ? !(check in demo.accepts!) : verdict === 'not reached',
    )
    .map(({ check, verdict, found }) => `${check}: ${verdict}: ${found}`)
