import { maintain, OptionsError } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'

/** A site that says how often it was purged, with a store that has something to remove so many times. */
function siteWithRows(times: number) {
  const purges: unknown[] = []
  const store = {
    ...createMemoryStore(),
    purge: async (purge: object) => (purges.push(purge) <= times ? 1000 : 0),
  }
  return { ...testSite({ store }), purges }
}

const noKeys: KeyRing = {
  maintain: async () => {},
  jwks: async () => ({ keys: [] }),
  signer: async () => null,
}

describe('maintain', () => {
  it('moves the keys on and purges until nothing is due', async () => {
    const { site, clock, purges } = siteWithRows(2)
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    await maintain(site, { keys })
    expect((await keys.signer())?.kid).toEqual(expect.any(String))
    const purge = { now: clock.now(), limit: 1000 }
    expect(purges).toEqual([purge, purge, purge])
  })

  it('ends where there is always more to purge', async () => {
    const { site, purges } = siteWithRows(Infinity)
    await maintain(site, { keys: noKeys })
    expect(purges).toHaveLength(1000)
  })

  it('needs a key ring', async () => {
    const { site } = testSite()
    await expect(maintain(site, { keys: {} as KeyRing })).rejects.toThrow(
      new OptionsError('maintain', [
        'keys lacks the function maintain, jwks, signer: createKeyRing(site, { sealingSecret })',
      ]),
    )
  })
})
