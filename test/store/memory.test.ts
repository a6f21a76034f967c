import { createMemoryStore } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/testing'
import { describe, it } from 'vitest'

describe('the memory store', () => {
  for (const check of storeContract(() => createMemoryStore())) it(check.name, check.run)
})

describe('the memory store, over a slow network', () => {
  for (const check of storeContract(() => withLatency(createMemoryStore())))
    it(check.name, check.run)
})
