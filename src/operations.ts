/**
 * Functions that keep a site running: maintenance, health, delivery of events, the erasure of a person, the end of all grants,
 * budgets, tries of passwords, and watchers of requests.
 *
 * Start with {@link maintain}, which rotates keys and deletes what is due, and {@link createHealthEndpoints} for a load
 * balancer. {@link deliverEvents} empties the outbox. {@link erasePerson} deletes what is stored about a person, and
 * {@link createPasswordThrottle} is for the sign-in form of a host, and {@link revokeAllGrants} for a database that was restored from a backup.
 *
 * @example
 * ```ts
 * import { createHealthEndpoints, maintain } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const { readyz } = createHealthEndpoints(site, { keys })
 * await maintain(site, { keys }) // every five minutes
 * const response = await readyz(new Request('https://school.example/readyz'))
 * await response.json() // => { status: 'ready', failing: [] }
 * ```
 * @module
 */
export { deliverEvents, deliveryLagSeconds } from './operations/deliver-events.js'
export { erasePerson } from './operations/erase-person.js'
export { createHealthEndpoints, type HealthEndpoints } from './operations/health.js'
export { maintain, type Maintained } from './operations/maintain.js'
export { createPasswordThrottle, type PasswordThrottle } from './operations/password-throttle.js'
export { revokeAllGrants } from './operations/revoke-all-grants.js'
export {
  ALLOWANCES,
  type Budget,
  createMemoryBudget,
  decideExpense,
  type Expense,
  isSentByPage,
  type Sender,
  type Spent,
} from './site/budget.js'
export type { SessionEvent, Step } from './site/events.js'
export type { Labels, Moment, Visit, Watch, Watcher } from './site/watcher.js'
