import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import type { Store, StoredEvent } from 'hallpass/store'
import { type Broken, pause } from './broken-client-stores.js'

const KEEPS = 'keeps the events of each change that is made, in order, and none of one that is not'
const RETURNS = 'returns an event with every member as it was kept, at its own site only'

const clientOf = (clientId: string): Client =>
  defineClient({ clientId, kind: 'member', name: 'Any app', redirectUris: [], createdAt: 0 })

/** A store that keeps the events of `insertClient` as `keep` says. */
const keepingAs =
  (keep: (events: readonly StoredEvent[]) => readonly StoredEvent[]) =>
  (store: Store): Partial<Store> => ({
    insertClient: (client, events = []) => store.insertClient(client, keep(events)),
  })

/** Keeps events in a list of its own, in place of those of the store. */
function listed(store: Store, kept: StoredEvent[]): Partial<Store> {
  return {
    listEvents: async ({ limit }) => kept.slice(0, limit),
    async deleteEvents(ids) {
      for (const id of ids) {
        const index = kept.findIndex((event) => event.id === id)
        if (index >= 0) kept.splice(index, 1)
      }
      await store.deleteEvents(ids)
    },
  }
}

/** Stores that break a promise about events. */
export const BROKEN_EVENTS: readonly Broken[] = [
  [
    'keeps no event of a rotation',
    KEEPS,
    (store) => ({ rotateRefreshToken: (rotation) => store.rotateRefreshToken(rotation) }),
  ],
  [
    'has a moveKey without the parameter for events',
    KEEPS,
    (store) => ({ moveKey: (move) => store.moveKey(move) }),
  ],
  [
    'keeps the event of a redemption that lost',
    KEEPS,
    (store) => ({
      async redeemCode(redemption, events = []) {
        const outcome = await store.redeemCode(redemption, events)
        if (outcome === 'spent')
          await store.erasePerson({ subject: '', loginHints: [], erasedAt: 0 }, events)
        return outcome
      },
    }),
  ],
  [
    'sorts events by their text',
    KEEPS,
    (store) => ({
      listEvents: async (query) =>
        (await store.listEvents(query)).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    }),
  ],
  [
    'cuts the texts of events',
    RETURNS,
    keepingAs((events) =>
      events.map((event) => ({ ...event, clientName: String(event['clientName']).slice(0, 255) })),
    ),
  ],
  [
    'returns all events, whatever the limit',
    'returns no more events than the limit, and deletes only those that are named',
    (store) => ({ listEvents: () => store.listEvents({ limit: Infinity }) }),
  ],
  [
    'deletes every event, whatever is named',
    'returns no more events than the limit, and deletes only those that are named',
    (store) => ({
      deleteEvents: async () =>
        store.deleteEvents((await store.listEvents({ limit: Infinity })).map(({ id }) => id)),
    }),
  ],
  [
    'keeps an event as often as it is passed',
    'keeps an event once, although it is passed with two changes',
    (store) => {
      const kept: StoredEvent[] = []
      return {
        ...listed(store, kept),
        async insertClient(client, events = []) {
          const outcome = await store.insertClient(client)
          if (outcome === 'inserted') kept.push(...events)
          return outcome
        },
      }
    },
  ],
  [
    'refuses a change whose event it has kept before',
    'keeps an event once, although it is passed with two changes',
    (store) => ({
      async insertClient(client, events = []) {
        const kept = await store.listEvents({ limit: Infinity })
        if (events.some(({ id }) => kept.some((event) => event.id === id)))
          throw new Error('duplicate key')
        return store.insertClient(client, events)
      },
    }),
  ],
  [
    'keeps the events of every redemption that began',
    'keeps the event of the one caller that redeems a code, and of no other',
    (store) => {
      const kept: StoredEvent[] = []
      return {
        ...listed(store, kept),
        async redeemCode(redemption, events = []) {
          const code = await store.findCode(redemption.codeHash)
          if (code === null || code.redeemedAt !== null) return 'missing'
          kept.push(...events)
          await pause()
          return store.redeemCode(redemption)
        },
      }
    },
  ],
  [
    'keeps the event before the change, and the change fails',
    'makes no change whose event cannot be kept, and keeps no event of a change that fails',
    (store) => {
      const kept: StoredEvent[] = []
      return {
        ...listed(store, kept),
        async redeemCode(redemption, events = []) {
          kept.push(...events)
          if ((await store.findRefreshToken(redemption.refreshToken.tokenHash)) !== null)
            throw new Error('duplicate key')
          return store.redeemCode(redemption)
        },
      }
    },
  ],
  [
    'makes the change, and then fails to keep the event',
    'makes no change whose event cannot be kept, and keeps no event of a change that fails',
    (store) => ({
      async redeemCode(redemption) {
        await store.redeemCode(redemption)
        throw new Error('no space left')
      },
    }),
  ],
  [
    'leaves the number of grants to its caller',
    'adds the number of grants to the events of revokeGrants and revokeGrantsOfClient',
    (store) => ({
      async revokeGrants(revocation, events = []) {
        const grants = await store.revokeGrants(revocation)
        for (const event of events) await store.insertClient(clientOf(event.id), [event])
        return grants
      },
    }),
  ],
  [
    'leaves the number of grants that it erased to its caller',
    'adds the number of grants to the events of erasePerson',
    (store) => ({
      async erasePerson(erasure, events = []) {
        const erased = await store.erasePerson(erasure)
        for (const event of events) await store.insertClient(clientOf(event.id), [event])
        return erased
      },
    }),
  ],
  [
    'keeps no event of a wider grant',
    'keeps the events of a widenGrant that is made, and none of one that is not',
    (store) => ({ widenGrant: (widening) => store.widenGrant(widening) }),
  ],
  [
    'keeps no event of a clock that moved',
    'keeps the events of a moveClock that is made, and none of one that is not',
    (store) => ({ moveClock: (move) => store.moveClock(move) }),
  ],
  [
    'keeps the events of revokeAllGrants with each call',
    'keeps the events of the call of revokeAllGrants that finds nothing more',
    (store) => ({
      async revokeAllGrants(revocation, events = []) {
        for (const event of events) await store.insertClient(clientOf(event.id), [event])
        return store.revokeAllGrants(revocation)
      },
    }),
  ],
  [
    'keeps the names of erased people in events',
    'leaves no identifier of an erased person in an event, and every other member',
    (store) => {
      const kept: StoredEvent[] = []
      return {
        ...listed(store, kept),
        async insertClient(client, events = []) {
          kept.push(...events)
          return store.insertClient(client)
        },
      }
    },
  ],
  [
    'keeps the event of a change behind it, when the person may be erased',
    'leaves no identifier of a person in the event of a change that is made at the same time as erasePerson',
    (store) => {
      const kept: StoredEvent[] = []
      return {
        ...listed(store, kept),
        async revokeAccessToken(revoked, events = []) {
          const outcome = await store.revokeAccessToken(revoked)
          if (outcome === 'revoked') kept.push(...events)
          return outcome
        },
      }
    },
  ],
  [
    'deletes the events of erased people',
    'leaves no identifier of an erased person in an event, and every other member',
    (store) => ({
      async erasePerson(erasure) {
        const erased = await store.erasePerson(erasure)
        const events = await store.listEvents({ limit: Infinity })
        const nameless = events.filter(({ subject, actor }) => subject === null || actor === null)
        await store.deleteEvents(nameless.map(({ id }) => id))
        return erased
      },
    }),
  ],
  [
    'purges events a second early',
    'purges events that were not delivered for thirty days, to the second',
    (store) => ({ purge: ({ now, limit }) => store.purge({ now: now + 1, limit }) }),
  ],
]

/** Of stores that know no sites. */
export const SHARED_EVENTS: readonly Broken[] = [
  ['lists and deletes the events of every site', RETURNS, () => ({})],
  [
    'erases a person at every site',
    'leaves the events of another site as they are when a person is erased',
    () => ({}),
  ],
]
