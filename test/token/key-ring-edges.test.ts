import { OptionsError } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'

const DAY = 86_400

describe('a key ring', () => {
  it('does not begin with a secret of fewer than 32 characters', () => {
    const sealingSecret = 's'.repeat(31)
    expect(() => createKeyRing(testSite().site, { sealingSecret })).toThrow(
      new OptionsError('key ring', ['sealingSecret must be a secret of at least 32 characters']),
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
    const ring = createKeyRing(testSite({ store }).site, { sealingSecret: 's'.repeat(32) })
    const early = ring.jwks()
    await ring.maintain()
    release()
    expect((await early).keys).toEqual([])
    expect((await ring.jwks()).keys).toHaveLength(1)
  })

  it('creates no key while the clock of the process disagrees with that of the store', async () => {
    const memory = createMemoryStore()
    const store = { ...memory, findClock: async () => ({ now: 1, mark: null }) }
    await createKeyRing(testSite({ store }).site, { sealingSecret: 's'.repeat(32) }).maintain()
    expect(await memory.listKeys()).toEqual([])
  })

  it('ends its maintenance where another process is faster at every move', async () => {
    const memory = createMemoryStore()
    let lost = 0
    const store: typeof memory = {
      ...memory,
      moveKey: async () => {
        if (++lost > 100) throw new Error('it does not end')
        return 'conflict'
      },
    }
    const ring = createKeyRing(testSite({ store }).site, { sealingSecret: 's'.repeat(32) })
    await ring.maintain()
    expect(lost).toBe(63)
    expect(await ring.signer()).toBeNull()
  })

  it('tells of a key that is published, signs or is gone, and of nothing between', async () => {
    const { site, events, clock } = testSite()
    const ring = createKeyRing(site, { sealingSecret: 's'.repeat(32), reloadAfterSeconds: 0 })
    for (let day = 0; day < 94; day++) {
      await ring.maintain()
      clock.advance(DAY)
    }
    const [first, second] = await site.store.listKeys()
    expect(
      events.map((event) => [
        event.type,
        'kid' in event ? (event.kid === first!.kid ? 1 : event.kid === second!.kid ? 2 : 0) : null,
      ]),
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
