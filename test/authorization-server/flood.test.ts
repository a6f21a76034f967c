import { createMemoryStore, type Store } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { authorize, networkOf, register } from '../support/school/networks.js'
import { createSchool, T } from '../support/school/school.js'

describe('a flood of ten times the allowance', () => {
  const HOUR = 3600
  const DAY = 24 * HOUR

  /** A store that counts the rows of one kind that are not purged. */
  function counting(): {
    readonly store: Store
    readonly rows: { clients: number; pendings: number }
  } {
    const memory = createMemoryStore()
    const rows = { clients: 0, pendings: 0 }
    const store: Store = {
      ...memory,
      async insertClient(client) {
        const outcome = await memory.insertClient(client)
        if (outcome === 'inserted') rows.clients++
        return outcome
      },
      async savePending(pending) {
        await memory.savePending(pending)
        rows.pendings++
      },
    }
    return { store, rows }
  }

  it('of registrations stores at most what a day allows, and as many a day [LIM-09]', async () => {
    const { store, rows } = counting()
    const allowances = { registrationsOfNetwork: { amount: 200, seconds: DAY } }
    const school = await createSchool({ store, options: { networkOf, allowances } })
    const before = rows.clients
    for (let second = 0; second < 2 * DAY; second += DAY / 2000) {
      school.clock.now = T + Math.floor(second)
      await register(school, 'a')
    }
    expect(rows.clients - before).toBeLessThanOrEqual(600)
    expect(rows.clients - before).toBeGreaterThan(590)
    // Seven days later none is left that was not used.
    expect((await store.purge({ now: T + 9 * DAY, limit: 10_000 })).rows).toBe(
      rows.clients - before,
    )
  })

  it('of authorization requests stores at most what ten minutes allow, and as many in ten minutes [LIM-09]', async () => {
    const { store, rows } = counting()
    const allowances = { requestsOfNetwork: { amount: 600, seconds: 600 } }
    const school = await createSchool({ store, options: { networkOf, allowances } })
    let others = 0
    for (let second = 0; second < 600; second++) {
      school.clock.now = T + second
      for (let round = 0; round < 10; round++) await authorize(school, 'a')
      if (second % 10 === 0 && (await authorize(school, 'b')).status === 303) others++
    }
    expect(rows.pendings - others).toBeLessThanOrEqual(1200)
    expect(rows.pendings - others).toBeGreaterThan(1190)
    expect(others).toBe(60)
    expect((await store.purge({ now: T + 1200, limit: 10_000 })).rows).toBe(rows.pendings)
  })
})
