import { createDeadline } from '../store/deadline.js'
import { guarded } from '../store/guard.js'
import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'

const CALL_MILLISECONDS = 1500
/** How long a call over all sites may take. */
const BULK_MILLISECONDS = 30_000

/** The part of a storage that maintenance and delivery call: each call ends in bounded time. */
export interface TimedStorage extends Pick<SiteStorage, 'ofAll' | 'purge' | 'listSites'> {
  readonly eventsOf: (site: string) => Pick<Store, 'listEvents' | 'deleteEvents'>
}

export function inTime({ ofAll, purge, listSites, storeOf }: SiteStorage): TimedStorage {
  const call = timed(CALL_MILLISECONDS)
  const bulk = timed(BULK_MILLISECONDS)
  return {
    ofAll: {
      findClock: call('findClock', ofAll.findClock),
      moveClock: call('moveClock', ofAll.moveClock),
      useOnce: call('useOnce', ofAll.useOnce),
    },
    purge: bulk('purge', purge),
    listSites: bulk('listSites', listSites),
    eventsOf(site) {
      const store = storeOf(site)
      return {
        listEvents: call('listEvents', (asked) => store.listEvents(asked)),
        deleteEvents: call('deleteEvents', (ids) => store.deleteEvents(ids)),
      }
    },
  }
}

function timed(milliseconds: number) {
  const deadline = createDeadline(milliseconds)
  return <Taken extends readonly unknown[], Result>(
    name: string,
    ask: (...taken: Taken) => Promise<Result>,
  ): ((...taken: Taken) => Promise<Result>) => guarded(name, ask, deadline(name))
}
