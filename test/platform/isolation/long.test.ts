import { createMemoryStorage } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { rounds } from '../../support/run/rounds.js'
import { liveAsTwins, liveBeside } from './acts.js'
import { playAtAnother, sumOf } from './run.js'
import { createWatchedStorage, openPglite } from './storages.js'

describe('what one school of a platform gave out', () => {
  it.each([
    ['in memory', () => ({ storage: createMemoryStorage() }), 20_000, 800_000],
    ['in memory, whose rows are watched', createWatchedStorage, 4000, 160_000],
    ['on PGlite', openPglite, 1000, 40_000],
  ] as const)('is refused by another one, %s', async (_, open, usual, soak) => {
    const requests = rounds(usual, { soak })
    const report = await playAtAnother(await open(), { seed: 55, requests, controls: 0.25 })
    expect(sumOf(report.requests)).toBe(requests)
  })

  it('lasts whatever happens at another one, on PGlite', async () => {
    await liveBeside(await openPglite())
  })

  it('lasts when another one ends what has the same identifiers', async () => {
    expect(await liveAsTwins(await openPglite(), 1)).toBe(27)
    for (let seed = 2; seed < rounds(12, { soak: 500 }); seed++)
      expect(await liveAsTwins(createWatchedStorage(), seed)).toBe(27)
  })
})
