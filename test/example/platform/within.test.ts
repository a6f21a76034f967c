import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TookTooLong, within } from '../../../examples/school/src/platform/within.js'

describe('waiting within a time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('returns the result, and leaves no timer', async () => {
    expect(await within(250, Promise.resolve('found'))).toBe('found')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('passes on a failure, and leaves no timer', async () => {
    const failing = Promise.reject(new Error('away'))
    await expect(within(250, failing)).rejects.toThrow(new Error('away'))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends after its time, in the round of the event loop after it', async () => {
    const waiting = within(250, new Promise(() => {}))
    const ended = expect(waiting).rejects.toThrow(new TookTooLong('no response within 250 ms'))
    await vi.advanceTimersByTimeAsync(249)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(2)
    await ended
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not mind a failure that comes later', async () => {
    let fail: (fault: Error) => void = () => {}
    const failing = new Promise<never>((_, reject) => (fail = reject))
    const ended = expect(within(250, failing)).rejects.toThrow(TookTooLong)
    await vi.advanceTimersByTimeAsync(251)
    await ended
    fail(new Error('away'))
  })
})
