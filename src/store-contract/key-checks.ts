import { type Promised, race, same, tally } from './check.js'
import { keySample, T } from './samples.js'

/** The checks of signing keys. */
export const keyChecks: readonly Promised[] = [
  {
    name: 'returns keys oldest first, with every field as it was stored',
    async check(store) {
      const young = keySample({ kid: 'young', createdAt: T + 5 })
      const old = keySample({
        kid: 'old',
        state: 'retired',
        sealedPrivateKey: null,
        createdAt: T,
        publishedAt: T + 1,
        activatedAt: T + 2,
        retiringAt: T + 3,
        retiredAt: T + 4,
      })
      same(await store.listKeys(), [], 'listKeys at first')
      same(await store.insertKey(young), 'inserted', 'insertKey')
      same(await store.insertKey(old), 'inserted', 'insertKey')
      same(await store.listKeys(), [old, young], 'listKeys')
    },
  },
  {
    name: 'does not overwrite a key whose identifier is taken',
    async check(store) {
      await store.insertKey(keySample())
      same(await store.insertKey(keySample({ publicJwk: '{}' })), 'exists', 'insertKey')
      same(await store.listKeys(), [keySample()], 'listKeys')
    },
  },
  {
    name: 'moves a key only from its current state, and stores every field of the move',
    async check(store) {
      await store.insertKey(keySample())
      const published = keySample({ state: 'published', publishedAt: T + 1 })
      same(await store.moveKey({ key: published, from: 'published' }), 'conflict', 'wrong state')
      const unknown = { key: keySample({ kid: 'none' }), from: 'generated' } as const
      same(await store.moveKey(unknown), 'conflict', 'no key')
      same(await store.listKeys(), [keySample()], 'listKeys before')
      same(await store.moveKey({ key: published, from: 'generated' }), 'moved', 'moveKey')
      same(await store.listKeys(), [published], 'listKeys after')
      const destroyed = { ...published, sealedPrivateKey: null, state: 'retired' as const }
      same(await store.moveKey({ key: destroyed, from: 'published' }), 'moved', 'moveKey')
      same(await store.listKeys(), [destroyed], 'listKeys at last')
    },
  },
  {
    name: 'seals a key again in its state, only while it is sealed as it was read',
    async check(store) {
      const active = keySample({ state: 'active', sealedPrivateKey: 'old' })
      await store.insertKey(active)
      const again = { ...active, sealedPrivateKey: 'new' }
      const seal = { key: again, from: 'active', sealed: 'old' } as const
      same(await store.moveKey({ ...seal, sealed: 'other' }), 'conflict', 'another seal')
      same(await store.listKeys(), [active], 'listKeys before')
      same(await store.moveKey(seal), 'moved', 'moveKey')
      const retiring = { ...active, state: 'retiring' } as const
      const late = { key: retiring, from: 'active', sealed: 'old' } as const
      same(await store.moveKey(late), 'conflict', 'a move that read the old seal')
      same(await store.listKeys(), [again], 'listKeys after')
    },
  },
  {
    name: 'moves a key once when several callers try at the same time',
    isRace: true,
    async check(store) {
      await store.insertKey(keySample())
      const key = keySample({ state: 'published', publishedAt: T })
      const outcomes = await race(10, () => store.moveKey({ key, from: 'generated' }))
      same(tally(outcomes), { conflict: 9, moved: 1 }, 'outcomes')
    },
  },
  {
    name: 'activates one key when several callers try at the same time',
    isRace: true,
    async check(store) {
      const keys = Array.from({ length: 6 }, (_, index) =>
        keySample({ kid: `key_${index}`, state: 'published', publishedAt: T }),
      )
      for (const key of keys) await store.insertKey(key)
      const outcomes = await race(6, (index) =>
        store.moveKey({ key: { ...keys[index]!, state: 'active' }, from: 'published' }),
      )
      same(tally(outcomes), { conflict: 5, moved: 1 }, 'outcomes')
      const states = (await store.listKeys()).map((key) => key.state)
      same(tally(states), { active: 1, published: 5 }, 'states')
    },
  },
]
