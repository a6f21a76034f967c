import type { Check } from '../../../packages/hallpass-audit/src/check.js'
import { account } from './account.js'
import { apis } from './apis.js'
import { authorization } from './authorization.js'
import { clients } from './clients.js'
import { discovery } from './discovery.js'
import { errors } from './errors.js'
import { identity } from './identity.js'
import { registration } from './registration.js'
import { revocation } from './revocation.js'
import { tokens } from './tokens.js'

/**
 * The service description of a school, statement by statement.
 *
 * @group Checks
 */
export const SCHOOL: readonly Check[] = [
  ...discovery,
  ...registration,
  ...clients,
  ...authorization,
  ...tokens,
  ...revocation,
  ...identity,
  ...account,
  ...apis,
  ...errors,
]
