// store.simulation.test.ts
import { createMemoryStore, type Store } from 'hallpass/store'
import { simulate } from 'hallpass-lab'
import { expect, it } from 'vitest'

// Replace this with your store, as above.
const createStore = (_site: string): Store => createMemoryStore()

it('keeps its promises, whatever happens', async () => {
  for (let seed = 0; seed < 300; seed++) {
    const report = await simulate({ createStore, seed })
    expect(report.violations, JSON.stringify(report, null, 2)).toEqual([])
  }
}, 600_000)
