import { defineSite, OptionsError } from 'hallpass'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ISSUER, T } from '../support/school/school.js'

const options = {
  issuer: ISSUER,
  name: 'School',
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null,
}

describe('the deadline of a site', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is twenty times as long where the number of rows decides [F-30]', async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const store: Store = { ...createMemoryStore(), purge: never, revokeGrantsOfClient: never }
    const site = defineSite({ ...options, store })
    const calls = [
      site.store.purge({ now: T, limit: 1 }),
      site.store.revokeGrantsOfClient({
        clientId: 'a',
        revokedAt: T,
        revokedReason: 'by_client',
      }),
    ]
    const ends = Promise.allSettled(calls)
    await vi.advanceTimersByTimeAsync(29_999)
    expect(await Promise.race([ends, Promise.resolve('waits')])).toBe('waits')
    await vi.advanceTimersByTimeAsync(2)
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it.each([0, 60_001, 1.5, '1500'])('is refused as %s', (callDeadlineMilliseconds) => {
    expect(() =>
      defineSite({ ...options, store: createMemoryStore(), callDeadlineMilliseconds } as never),
    ).toThrow(OptionsError)
  })
})
