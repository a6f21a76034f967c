import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { shielded } from '../../src/site/hooks.js'

const FAULT = new Error('the log is full')

describe('a shielded hook', () => {
  it('gets what it is told', () => {
    const heard: unknown[] = []
    const tell = shielded(
      (...notices: readonly [string, number]) => heard.push(notices),
      () => {},
    )
    expect(tell('a', 1)).toBe(undefined)
    expect(heard).toEqual([['a', 1]])
  })

  it('need not be there', () => {
    expect(shielded(undefined, () => {})()).toBe(undefined)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw FAULT
      },
    ],
    ['rejects', () => Promise.reject(FAULT)],
    [
      'answers a promise of another make that rejects',
      () => runInNewContext('Promise.reject(fault)', { fault: FAULT }) as unknown,
    ],
  ])('that %s does so to onFault alone', async (_, hook) => {
    const faults: unknown[] = []
    const tell = shielded(hook, (fault) => faults.push(fault))
    expect(tell()).toBe(undefined)
    await new Promise(setImmediate)
    expect(faults).toEqual([FAULT])
  })
})
