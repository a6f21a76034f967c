import { createMemoryStorage } from 'hallpass/store'
import { storageContract, storeContract, withLatency } from 'hallpass/testing'
import { describe, it } from 'vitest'

describe('the memory storage', () => {
  for (const check of storageContract(() => createMemoryStorage())) it(check.name, check.run)

  const storage = createMemoryStorage()
  for (const check of storeContract((site) => storage.storeOf(site)))
    it(`${check.name}, in a store of a storage`, check.run)
})

describe('the memory storage, over a slow network', () => {
  const storage = createMemoryStorage()
  const checks = storeContract((site) => withLatency(storage.storeOf(site)))
  for (const check of checks.filter(({ isRace }) => isRace)) it(check.name, check.run)
})
