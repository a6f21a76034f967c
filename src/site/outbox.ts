import { type RandomBytes, randomBase64url } from '../encoding/random.js'
import type { StoredEvent } from '../store/records.js'
import type { SiteEvent } from './events.js'

/**
 * The events of a change that is about to be stored. Created by `announce` of a site.
 */
export interface Announcement {
  /** The events that the store keeps along with the change; none if the site has no outbox. */
  readonly events: readonly StoredEvent[]
  /**
   * Reports the events to `onEvent`. Call it when the change is stored.
   *
   * @param found - a member that only the store could know
   */
  readonly tell: (found?: { readonly grants: number }) => void
}

/**
 * Creates the function that announces the events of a change.
 *
 * @param outbox - whether the events get an identifier, and are kept by the store
 */
export const createAnnounce =
  ({
    outbox,
    onEvent,
    randomBytes,
  }: {
    outbox: boolean
    onEvent: (event: SiteEvent) => void
    randomBytes: RandomBytes
  }) =>
  (...events: readonly SiteEvent[]): Announcement => {
    const named = outbox
      ? events.map((event) => ({ id: `event_${randomBase64url(randomBytes)}`, ...event }))
      : events
    return {
      events: outbox ? (named as readonly StoredEvent[]) : [],
      tell(found) {
        for (const event of named) onEvent({ ...event, ...found })
      },
    }
  }
