import { createMemoryStore } from 'hallpass/store'
import { createKeyRing, type KeyEvent } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school.js'

const DAY = 86_400

describe('a key ring', () => {
  it('takes its time from the clock of the machine where none is given', async () => {
    const store = createMemoryStore()
    await createKeyRing({ store, sealingSecret: 's'.repeat(32) }).maintain()
    const [key] = await store.listKeys()
    expect(Number.isInteger(key!.createdAt)).toBe(true)
    expect(Math.abs(key!.createdAt - Date.now() / 1000)).toBeLessThan(60)
  })

  it('does not begin with a secret of fewer than 32 characters', () => {
    const sealingSecret = 's'.repeat(31)
    expect(() => createKeyRing({ store: createMemoryStore(), sealingSecret })).toThrow(
      new TypeError('sealingSecret must have at least 32 characters'),
    )
  })

  it('keeps what it read last, not what came last', async () => {
    const memory = createMemoryStore()
    let release = (): void => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    let reads = 0
    const store = {
      ...memory,
      async listKeys() {
        const keys = await memory.listKeys()
        if (++reads === 1) await slow
        return keys
      },
    }
    const ring = createKeyRing({ store, sealingSecret: 's'.repeat(32), now: () => T })
    const early = ring.jwks()
    await ring.maintain()
    release()
    expect((await early).keys).toEqual([])
    expect((await ring.jwks()).keys).toHaveLength(1)
  })

  it('tells of a key that is published, signs or is gone, and of nothing between', async () => {
    const events: KeyEvent[] = []
    const clock = { now: T }
    const store = createMemoryStore()
    const ring = createKeyRing({
      store,
      sealingSecret: 's'.repeat(32),
      reloadAfterSeconds: 0,
      now: () => clock.now,
      onEvent: (event) => events.push(event),
    })
    for (let day = 0; day < 94; day++) {
      await ring.maintain()
      clock.now += DAY
    }
    const [first, second] = await store.listKeys()
    expect(
      events.map(({ type, kid }) => [type, kid === first!.kid ? 1 : kid === second!.kid ? 2 : 0]),
    ).toEqual([
      ['oauth.key.published', 1],
      ['oauth.key.activated', 1],
      ['oauth.key.published', 2],
      ['oauth.key.activated', 2],
      ['oauth.key.retired', 1],
    ])
    const published = (await ring.jwks()).keys.map(({ kid }) => kid)
    expect(published).toEqual([second!.kid])
  })
})
