import type { Client } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { MOST_PEOPLE_COUNTED } from '../../../pages/words/counted.js'

/** Counts the people who have connected an app, up to {@link MOST_PEOPLE_COUNTED}. */
export type PeopleOfApp = (client: Pick<Client, 'clientId'>) => Promise<number>

/** Creates the count of people that a consent page shows. */
export const createPeopleOfApp =
  ({ store, now }: { store: Pick<Store, 'listGrants'>; now: () => number }): PeopleOfApp =>
  async ({ clientId }) => {
    const newest = { of: { clientId }, after: null, limit: MOST_PEOPLE_COUNTED }
    const grants = await store.listGrants({ ...newest, now: now() })
    return new Set(grants.map(({ grant }) => grant.subject)).size
  }
