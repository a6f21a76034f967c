import { endOfWait, whileWaiting } from '../store/deadline.js'
import { withTextKeys } from '../store/groups.js'
import type { Store, StoreMethod } from '../store/store.js'
import type { Database } from './batch.js'
import { findClient, insertClient, listClients, replaceClient } from './clients.js'
import {
  endPending,
  findCode,
  findPending,
  hasConsent,
  issueCode,
  redeemCode,
  savePending,
} from './codes.js'
import { deleteEvents, listEvents } from './events.js'
import { erasePerson, revokeAllGrants, revokeGrants, revokeGrantsOfClient } from './ends.js'
import { findGrant, listGrants, revokeGrant, widenGrant } from './grants.js'
import { findClock, giveBack, insertKey, listKeys, moveClock, moveKey, useOnce } from './keys.js'
import { purge } from './purge.js'
import type { Verb } from './rows.js'
import {
  findAccessToken,
  findRefreshToken,
  revokeAccessToken,
  rotateRefreshToken,
} from './tokens.js'

/** Each batch of a method belongs to the caller that waits for the method. */
export const forCaller = (database: Database): Database => {
  const until = endOfWait()
  return { ...database, run: (...batch) => whileWaiting(until, () => database.run(...batch)) }
}

/**
 * The methods. One with a winner is a single batch: a query that says the outcome, insertions, and at last the change of
 * the row that decides. Each insertion selects from that row while it is as it was. So no transaction has to stay open,
 * which D1 does not have.
 */
export const VERBS: { readonly [Name in StoreMethod]: Verb<Name> } = {
  findClient,
  insertClient,
  replaceClient,
  listClients,
  savePending,
  findPending,
  endPending,
  hasConsent,
  issueCode,
  findCode,
  redeemCode,
  findRefreshToken,
  rotateRefreshToken,
  findAccessToken,
  revokeAccessToken,
  revokeGrant,
  findGrant,
  widenGrant,
  revokeGrants,
  revokeGrantsOfClient,
  revokeAllGrants,
  listGrants,
  erasePerson,
  listKeys,
  insertKey,
  moveKey,
  findClock,
  moveClock,
  listEvents,
  deleteEvents,
  useOnce,
  giveBack,
  purge,
}

/**
 * @param databaseFor - returns the database for a method
 * @param own - methods of this database. Default: none
 */
export const createSqlStore = (
  databaseFor: (verb: StoreMethod) => Database,
  guarantees: Store['guarantees'],
  own: Partial<typeof VERBS> = {},
): Store => {
  const methods = Object.entries({ ...VERBS, ...own }).map(([name, verb]) => [
    name,
    (...parameters: never[]) =>
      (verb as (database: Database, ...parameters: never[]) => unknown)(
        forCaller(databaseFor(name as StoreMethod)),
        ...parameters,
      ),
  ])
  return withTextKeys<Store>({
    ...(Object.fromEntries(methods) as Omit<Store, 'guarantees'>),
    guarantees,
  })
}
