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
    name: 'gives a key back for the claim that used it, and for no other, however often it is asked',
    async check(store, other) {
      const use = { key: KEY, until: T, claim: 'mine' }
      same(await store.useOnce(use), 'first', 'the first use')
      for (const one of [store, other]) {
        await one.giveBack({ key: KEY, claim: 'another' })
        await one.giveBack({ key: hash('another'), claim: 'mine' })
      }
      await other.giveBack(use)
      same(
        await store.useOnce({ ...use, claim: 'second' }),
        'again',
        'a use before it was given back',
      )
      await store.giveBack(use)
      same(
        await store.useOnce({ ...use, claim: 'third' }),
        'first',
        'a use after it was given back',
      )
      await store.giveBack(use)
      same(await store.useOnce(use), 'again', 'a use after it was given back to who had it before')
      await store.useOnce({ key: hash('unclaimed'), until: T })
      for (const claim of ['', 'null', 'mine'])
        await store.giveBack({ key: hash('unclaimed'), claim })
      same(
        await store.useOnce({ key: hash('unclaimed'), until: T }),
        'again',
        'a use without a claim',
      )
    },
  },
  {
    name: 'lets a key that was given back be used once when several callers try at the same time',
    isRace: true,
    async check(store) {
      await store.useOnce({ key: KEY, until: T, claim: 'first' })
      const used = await race(50, async (index) => {
        await store.giveBack({ key: KEY, claim: 'first' })
        return store.useOnce({ key: KEY, until: T, claim: `claim ${index}` })
      })
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
