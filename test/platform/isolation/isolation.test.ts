import { createMemoryStorage } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { liveAsTwins, liveBeside } from './acts.js'
import { playAtAnother, sumOf } from './run.js'
import { createWatchedStorage } from './storages.js'

// The same with 100,000 requests, and on PGlite: long.test.ts.
describe('what one school of a platform gave out', () => {
  it.each([
    ['', () => ({ storage: createMemoryStorage() }), 1],
    [', and changes no row there', createWatchedStorage, 2],
  ] as const)('is refused by another one%s', async (_, open, seed) => {
    const { requests } = await playAtAnother(open(), { seed, requests: 1000 })
    expect(sumOf(requests)).toBe(1000)
    expect(Object.keys(requests)).toHaveLength(32)
  })

  it('lasts whatever happens at another one', async () => {
    await liveBeside(createWatchedStorage())
  })

  it('lasts when another one ends what has the same identifiers', async () => {
    expect(await liveAsTwins(createWatchedStorage(), 1)).toBe(27)
  })
})
