import { describe, expect, it } from 'vitest'
import { MOST_FLAKY, outcomeOf, verdictOn } from '../scripts/verdict.mjs'

const report = (...statuses: readonly string[]) => ({
  testResults: [
    { assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })) },
  ],
})

describe('a part of a run', () => {
  it.each([
    ['passed', { ended: 0, report: report('passed', 'passed'), hasTests: true }, null, 2, 0],
    ['passed without tests', { ended: 0, report: null, hasTests: false }, null, 0, 0],
    [
      'is red',
      { ended: 1, report: report('passed', 'failed'), hasTests: true },
      'it ended with 1',
      1,
      1,
    ],
    [
      'was ended',
      { ended: 'SIGKILL', report: null, hasTests: true },
      'it ended with SIGKILL',
      0,
      0,
    ],
    ['ran no test', { ended: 0, report: report(), hasTests: true }, 'no test ran', 0, 0],
    ['wrote no report', { ended: 0, report: null, hasTests: true }, 'no test ran', 0, 0],
    [
      'skipped',
      { ended: 0, report: report('passed', 'skipped'), hasTests: true },
      'not every test ran: test 1',
      1,
      1,
    ],
  ] as const)('that %s has its outcome', (_, part, fault, passed, failed) => {
    expect(outcomeOf(part)).toEqual({ fault, passed, failed })
  })
})

describe('a run', () => {
  const green = { name: 'test', seconds: 9, fault: null, passed: 5, failed: 0 }
  const again = { name: 'faults: a > b', error: 'Error: once' }

  it('is good if each part is, and names what passed only the second time', () => {
    expect(verdictOn([green], { flaky: [again, again], seconds: 12 })).toEqual({
      isGood: true,
      lines: [
        '    9 s  test',
        '   12 s  by the clock',
        'flaky: faults: a > b\nError: once',
        'flaky: faults: a > b\nError: once',
        '5 passed, 0 failed',
      ],
    })
  })

  it('is not good with more of those than may be', () => {
    const flaky = Array.from({ length: MOST_FLAKY + 1 }, () => again)
    const { isGood, lines } = verdictOn([green], { flaky, seconds: 12 })
    expect(isGood).toBe(false)
    expect(lines).toContain('FAIL 3 passed only the second time; 2 may')
  })

  it('is not good with a part that is not', () => {
    const red = { ...green, name: 'rest', fault: 'it ended with 1', failed: 1 }
    const { isGood, lines } = verdictOn([green, red], { flaky: [], seconds: 12 })
    expect(isGood).toBe(false)
    expect(lines.slice(-2)).toEqual(['FAIL rest: it ended with 1', '10 passed, 1 failed'])
  })
})
