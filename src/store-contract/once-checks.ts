import type { StoreWith } from '../store/groups.js'
import { type Promised, race, same, tally } from './check.js'
import { hash, T } from './samples.js'

const KEY = hash('used')

/** The checks of keys that may be used once. */
export const onceChecks: readonly Promised<StoreWith<'once'>>[] = [
  {
    name: 'lets a key be used once, and every other key too, each at its own site',
    async check(store, other) {
      same(await store.useOnce({ key: KEY, until: T }), 'first', 'the first use')
      same(await store.useOnce({ key: KEY, until: T + 9 }), 'again', 'the second use')
      same(await store.useOnce({ key: hash('another'), until: T }), 'first', 'another key')
      same(await other.useOnce({ key: KEY, until: T }), 'first', 'the key at another site')
    },
  },
  {
    name: 'lets a key be used once when several callers try at the same time',
    isRace: true,
    async check(store) {
      const used = await race(50, () => store.useOnce({ key: KEY, until: T }))
      same(tally(used), { again: 49, first: 1 }, 'outcomes')
    },
  },
  {
    name: 'remembers a key until its time, to the second, and purges it then',
    async check(store) {
      await store.useOnce({ key: KEY, until: T })
      await store.purge({ now: T - 1, limit: 100 })
      same(await store.useOnce({ key: KEY, until: T }), 'again', 'a use a second before')
      same((await store.purge({ now: T, limit: 100 })).rows, 1, 'rows that the purge deleted')
      same(await store.useOnce({ key: KEY, until: T }), 'first', 'a use after the purge')
    },
  },
]
