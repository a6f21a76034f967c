import { describe, expect, it } from 'vitest'
import { describeFault } from '../../../examples/school/src/platform/hooks.js'

describe('what is said of a fault [LOG-13]', () => {
  const refused = (address: string): Error => new Error(`connect ECONNREFUSED ${address}`)
  const both = new AggregateError([refused('::1:1'), refused('127.0.0.1:1')], '')
  const circle = new Error('outer')
  circle.cause = new Error('inner', { cause: circle })

  it.each([
    [new Error('the storage failed', { cause: new Error('EROFS') }), 'the storage failed: EROFS'],
    [new Error('a', { cause: new Error('b', { cause: 'c' }) }), 'a: b: c'],
    ['what a driver throws', 'what a driver throws'],
    [both, 'connect ECONNREFUSED ::1:1: connect ECONNREFUSED 127.0.0.1:1'],
    [
      new Error('at home', { cause: both }),
      `at home: ${both.errors.map((one: Error) => one.message).join(': ')}`,
    ],
    [
      new Error('x cannot be read: EACCES', { cause: new Error('EACCES') }),
      'x cannot be read: EACCES',
    ],
    [circle, 'outer: inner'],
    [{ name: 'ErrnoError', errno: 51 }, 'ErrnoError 51'],
    [Object.assign(new Error(''), { code: 'ENOSPC' }), 'Error ENOSPC'],
    [null, 'null'],
  ])('%o', (fault, said) => {
    expect(describeFault(fault)).toBe(said)
  })
})
