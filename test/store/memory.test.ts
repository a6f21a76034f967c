import { createMemoryStore } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/store-contract'
import { describe, expect, it } from 'vitest'
import { DESK_CLI } from '../support/policy.js'
import { T } from '../support/school.js'

describe('the memory store [ST-02]', () => {
  for (const check of storeContract(() => createMemoryStore())) it(check.name, check.run)
})

describe('the memory store, over a slow network', () => {
  const checks = storeContract(() => withLatency(createMemoryStore()))
  for (const check of checks.filter(({ isRace }) => isRace)) it(check.name, check.run)
})

describe('a client that was deleted before anybody used it', () => {
  it('leaves an identifier that nobody gets again, however often the memory store is purged', async () => {
    const store = createMemoryStore()
    await store.insertClient(DESK_CLI)
    await store.replaceClient({ ...DESK_CLI, revision: 2, deletedAt: T })
    await store.purge({ now: T + 400 * 86_400, limit: 100 })
    expect(await store.insertClient(DESK_CLI)).toBe('exists')
  })
})
