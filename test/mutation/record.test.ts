import { describe, expect, it } from 'vitest'
import {
  afterTrying,
  complaintsOf,
  EMPTY,
  type FileRecord,
  fromText,
  type MutationRecord,
  scoresOf,
  shareOf,
  staleOf,
  type Survivor,
  toText,
} from '../../scripts/mutation/record.js'

const PKCE = 'src/policy/pkce.ts'
const TEST = 'test/policy/pkce.test.ts'
const OTHER = 'test/policy/other.test.ts'
const SURVIVOR: Survivor = {
  index: 6,
  line: 12,
  text: "if (list.length === 0) return ''",
  original: 'list.length === 0',
  replacement: 'false',
  mutator: 'ConditionalExpression',
  why: 'equivalent: the caller has already refused an empty list',
}
const FILE: FileRecord = {
  source: 's1',
  mutants: 8,
  kills: {
    [OTHER]: { test: 'o1', indexes: [3, 7] },
    [TEST]: { test: 't1', indexes: [0, 1, 2, 4] },
  },
  survivors: [{ ...SURVIVOR, index: 5, why: null }, SURVIVOR],
}
const recordOf = (file: FileRecord): MutationRecord => ({
  node: 'v20.19.0',
  date: '2026-11-22',
  files: { [PKCE]: file },
})
const RECORD = recordOf(FILE)
const TESTS = { [TEST]: 't1', [OTHER]: 'o1' }

describe('what is tried again', () => {
  const stale = (changes: Partial<Parameters<typeof staleOf>[1]>): unknown =>
    staleOf(PKCE, { record: RECORD, source: 's1', tests: TESTS, unnamed: false, ...changes })

  it('is nothing where neither the file nor a test that killed changed', () => {
    expect(stale({ tests: { ...TESTS, 'test/policy/new.test.ts': 'n1' } })).toEqual([])
  })

  it.each([
    ['that nobody tried', { record: EMPTY }],
    ['that changed', { source: 's2' }],
  ])('is the whole of a file %s', (_, changes) => {
    expect(stale(changes)).toBe('all')
  })

  it.each([
    ['changed', { [TEST]: 't1', [OTHER]: 'o2' }],
    ['is gone', { [TEST]: 't1' }],
  ])('is what a test file killed that %s', (_, tests) => {
    expect(stale({ tests })).toEqual([3, 7])
  })

  it('is a survivor without a reason, where that is asked for', () => {
    expect(stale({ unnamed: true })).toEqual([5])
  })
})

describe('the record of a file', () => {
  const { why, ...mutant } = SURVIVOR

  it('keeps what was not tried, and says who kills now', () => {
    const tried = [
      { mutant: { ...mutant, index: 3 }, killedBy: TEST },
      { mutant: { ...mutant, index: 5 }, killedBy: 'test/policy/new.test.ts' },
    ]
    const tests = { ...TESTS, 'test/policy/new.test.ts': 'n1' }
    expect(afterTrying(FILE, { source: 's1', tests, mutants: 8, tried })).toEqual({
      source: 's1',
      mutants: 8,
      kills: {
        'test/policy/new.test.ts': { test: 'n1', indexes: [5] },
        [OTHER]: { test: 'o1', indexes: [7] },
        [TEST]: { test: 't1', indexes: [0, 1, 2, 3, 4] },
      },
      survivors: [SURVIVOR],
    })
  })

  it('keeps a reason for as long as the same change to the same line survives', () => {
    const tried = [
      { mutant: { ...mutant, index: 1, line: 40 }, killedBy: null },
      { mutant: { ...mutant, index: 2, line: 41 }, killedBy: null },
      { mutant: { ...mutant, index: 3, replacement: 'true' }, killedBy: null },
    ]
    const known = { ...FILE, survivors: [SURVIVOR] }
    expect(afterTrying(known, { source: 's2', tests: TESTS, mutants: 9, tried })).toEqual({
      source: 's2',
      mutants: 9,
      kills: {},
      survivors: [
        { ...SURVIVOR, index: 1, line: 40, why },
        { ...SURVIVOR, index: 2, line: 41, why: null },
        { ...SURVIVOR, index: 3, replacement: 'true', why: null },
      ],
    })
  })

  it('is read as it was written, kills as ranges', () => {
    const text = toText(RECORD)
    expect(text).toContain(`"${TEST}": "t1 0-2 4"`)
    expect(fromText(text)).toEqual(RECORD)
  })
})

describe('a score', () => {
  const parts = [{ name: 'src/policy', threshold: 0.75, files: [PKCE] }]
  const named = { ...FILE, survivors: [SURVIVOR, { ...SURVIVOR, index: 5 }] }

  it('counts what was killed, what survived, and what nobody gave a reason for', () => {
    expect(scoresOf(RECORD, parts)).toEqual([
      { name: 'src/policy', threshold: 0.75, mutants: 8, killed: 6, survived: 2, unnamed: 1 },
    ])
  })

  it('is of a share of the source', () => {
    const code = new Map([
      [PKCE, { lines: 30 }],
      ['src/policy/other.ts', { lines: 70 }],
    ])
    expect(shareOf(RECORD, code)).toBe(30)
  })

  it('is enough at its threshold, with a reason for every survivor', () => {
    expect(complaintsOf(recordOf(named), { parts, untried: 0 })).toEqual([])
  })

  it.each([null, '', ' '])('is not enough where the reason of a survivor is %j', (why) => {
    const file = { ...FILE, survivors: [SURVIVOR, { ...SURVIVOR, why }] }
    expect(complaintsOf(recordOf(file), { parts, untried: 0 })).toEqual([
      `${PKCE}:12 no test notices when \`list.length === 0\` becomes \`false\`, and no reason is recorded.`,
    ])
  })

  it('is not enough below its threshold', () => {
    const high = [{ ...parts[0]!, threshold: 0.8 }]
    expect(complaintsOf(recordOf(named), { parts: high, untried: 0 })).toEqual([
      'src/policy: 6 of 8 mutants are killed, which is less than 80 %.',
    ])
  })

  it('is not enough where a file was never tried', () => {
    const more = [{ ...parts[0]!, files: [PKCE, 'src/policy/new.ts'] }]
    expect(complaintsOf(recordOf(named), { parts: more, untried: 0 })).toEqual([
      'src/policy/new.ts was never tried.',
    ])
  })

  it('is not enough where the time ended first', () => {
    expect(complaintsOf(recordOf(named), { parts, untried: 3 })).toEqual([
      '3 mutants of what changed could not be tried in time: run `npm run mutate` and commit test/mutants.json.',
    ])
  })
})
