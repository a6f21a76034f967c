import type { Check } from '../check.js'
import { account } from './school/account.js'
import { apis } from './school/apis.js'
import { authorization } from './school/authorization.js'
import { clients } from './school/clients.js'
import { discovery } from './school/discovery.js'
import { errors } from './school/errors.js'
import { identity } from './school/identity.js'
import { registration } from './school/registration.js'
import { revocation } from './school/revocation.js'
import { tokens } from './school/tokens.js'

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
