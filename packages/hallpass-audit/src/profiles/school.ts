import type { Check } from '../check.js'
import { apis } from './school/apis.js'
import { clients } from './school/clients.js'
import { discovery } from './school/discovery.js'
import { errors } from './school/errors.js'
import { flow } from './school/flow.js'
import { identity } from './school/identity.js'

/**
 * The service description of a school, statement by statement.
 *
 * @group Checks
 */
export const SCHOOL: readonly Check[] = [
  ...discovery,
  ...clients,
  ...flow,
  ...identity,
  ...apis,
  ...errors,
]
