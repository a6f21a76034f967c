// store.test.ts
import { createMemoryStore, type StoreWith } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/testing'
import { describe, it } from 'vitest'

// Replace this with your store. It reads and writes the rows of this site only.
function createStore(_site: string): StoreWith<'outbox' | 'clock' | 'stepUp' | 'restore'> {
  const { listClients, revokeGrants, erasePerson, ...mine } = createMemoryStore()
  return mine
}
const groups = ['outbox', 'clock', 'stepUp', 'restore'] as const
const contracts = {
  'my store': storeContract(createStore, { groups }),
  'my store, over a slow network': storeContract((site) => withLatency(createStore(site)), {
    groups,
  }),
}

for (const [title, checks] of Object.entries(contracts))
  describe(title, () => {
    for (const { name, run, isSkipped } of checks) (isSkipped ? it.skip : it)(name, run)
  })
