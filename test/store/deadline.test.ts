import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadline } from '../../src/store/deadline.js'
import { guardStorage, StorageFailure } from '../../src/store/guard.js'

const never = (): Promise<never> => new Promise(() => {})

/** A promise that the test settles. */
function open(): { readonly promise: Promise<string>; readonly resolve: (value: string) => void } {
  let resolve!: (value: string) => void
  const promise = new Promise<string>((settle) => (resolve = settle))
  return { promise, resolve }
}

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.catch((fault: unknown) => (fault as StorageFailure).cause)

  it('passes on what comes in time, and leaves no timer [F-30]', async () => {
    const limit = createDeadline(1000)('findClient')
    expect(await limit(() => 'at once')).toBe('at once')
    expect(await limit(async () => 'later')).toBe('later')
    const fault = new TypeError('x')
    await expect(limit(() => Promise.reject(fault))).rejects.toBe(fault)
    await expect(limit(() => { throw fault })).rejects.toBe(fault) // prettier-ignore
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the wait for a call, and names it [F-30]', async () => {
    const late = failure(createDeadline(1000)('findClient')(never))
    await vi.advanceTimersByTimeAsync(999)
    expect(await Promise.race([late, Promise.resolve('waits')])).toBe('waits')
    await vi.advanceTimersByTimeAsync(2)
    expect(await Promise.race([late, Promise.resolve('waits')])).toEqual(
      new Error('findClient did not respond within 1000 ms'),
    )
    expect(vi.getTimerCount()).toBe(0)
  })

  it('reads what has arrived before it gives up after a blocked event loop', async () => {
    const { promise, resolve } = open()
    const found = createDeadline(1000)('findClient')(() => promise)
    // Due timers fire first, then the response is read, then the timers that were set meanwhile.
    vi.advanceTimersByTime(1000)
    resolve('found')
    await vi.advanceTimersByTimeAsync(1)
    expect(await found).toBe('found')
  })

  it('holds no more than so many overdue calls, and tries one at a time after that [F-30]', async () => {
    const deadline = createDeadline(1000, 3)
    const calls = Array.from({ length: 3 }, () => failure(deadline('findClient')(never)))
    await vi.advanceTimersByTimeAsync(1001)
    await Promise.all(calls)
    const trial = open()
    const tried = deadline('findCode')(() => trial.promise)
    let called = false
    const refused = new Error('findClient was not called: 3 earlier calls have not responded')
    expect(await failure(deadline('findClient')(() => { called = true }))).toEqual(refused) // prettier-ignore
    expect(called).toBe(false)
    trial.resolve('found')
    expect(await tried).toBe('found')
    const next = [deadline('a')(async () => 1), deadline('b')(async () => 2)]
    expect(await Promise.all(next)).toEqual([1, 2])
  })

  it('tries again after a trial that failed, and forgets calls that respond late [F-30]', async () => {
    const deadline = createDeadline(1000, 3)
    const slow = Array.from({ length: 3 }, open)
    const calls = slow.map(({ promise }) => failure(deadline('findClient')(() => promise)))
    await vi.advanceTimersByTimeAsync(1001)
    await Promise.all(calls)
    const fault = new Error('still away')
    for (let times = 0; times < 2; times++)
      await expect(deadline('findCode')(() => Promise.reject(fault))).rejects.toBe(fault)
    for (const { resolve } of slow) resolve('late')
    await vi.advanceTimersByTimeAsync(0)
    const next = [deadline('a')(async () => 1), deadline('b')(async () => 2)]
    expect(await Promise.all(next)).toEqual([1, 2])
  })

  it('holds for each method of a storage [F-30]', async () => {
    const storage = guardStorage({ find: never }, { find: [] }, { deadline: createDeadline(1000) })
    const late = storage.find().catch((fault: unknown) => fault)
    await vi.advanceTimersByTimeAsync(1001)
    expect(await late).toEqual(new StorageFailure(new Error('find did not respond within 1000 ms')))
  })
})
