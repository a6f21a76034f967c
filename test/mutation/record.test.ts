import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  afterTrying,
  type Book,
  changedLines,
  complaintsOf,
  type FileRecord,
  type Reason,
  rowsOf,
  sampled,
  scoresOf,
  shareOf,
  staleOf,
  type Survivor,
  textOf,
  unexplained,
} from '../../scripts/mutation/record.js'
import { ROOT } from '../support/source/root.js'

const PKCE = 'src/policy/pkce.ts'
const TEST = 'test/policy/pkce.test.ts'
const OTHER = 'test/policy/other.test.ts'
const CHANGE = {
  text: "if (list.length === 0) return ''",
  original: 'list.length === 0',
  replacement: 'false',
  mutator: 'ConditionalExpression',
}
const SURVIVOR: Survivor = { index: 6, line: 12, ...CHANGE }
const REASON: Reason = {
  ...CHANGE,
  why: 'equivalent: the caller has already refused an empty list',
}
const OPEN: Survivor = { ...SURVIVOR, index: 5, replacement: 'true' }
const FILE: FileRecord = {
  source: 's1',
  mutants: 8,
  kills: {
    [OTHER]: { test: 'o1', indexes: [3, 7] },
    [TEST]: { test: 't1', indexes: [0, 1, 2, 4] },
  },
  survivors: [OPEN, SURVIVOR],
}
const TESTS = { [TEST]: 't1', [OTHER]: 'o1' }

describe('what is tried again', () => {
  const stale = (changes: Partial<Parameters<typeof staleOf>[1]>, known = FILE): unknown =>
    staleOf(known, { source: 's1', tests: TESTS, reasons: [REASON], ...changes })

  it('is nothing but what has no reason, where neither the file nor a test that killed changed', () => {
    expect(stale({ tests: { ...TESTS, 'test/policy/new.test.ts': 'n1' } })).toEqual([5])
    expect(stale({}, { ...FILE, survivors: [SURVIVOR] })).toEqual([])
    expect(stale({ reasons: null })).toEqual([])
  })

  it('is the whole of a file that nobody tried, or that changed', () => {
    expect(staleOf(undefined, { source: 's1', tests: TESTS, reasons: [] })).toBe('all')
    expect(stale({ source: 's2' })).toBe('all')
  })

  it.each([
    ['changed', { [TEST]: 't1', [OTHER]: 'o2' }],
    ['is gone', { [TEST]: 't1' }],
  ])('is what a test file killed that %s', (_, tests) => {
    expect(stale({ tests })).toEqual([3, 5, 7])
  })
})

it('what was not tried is kept, with who kills now', () => {
  const tried = [
    { mutant: { ...SURVIVOR, index: 3 }, killedBy: TEST },
    { mutant: OPEN, killedBy: 'test/policy/new.test.ts' },
    { mutant: { ...SURVIVOR, index: 7 }, killedBy: null },
  ]
  const tests = { ...TESTS, 'test/policy/new.test.ts': 'n1' }
  expect(afterTrying(FILE, { source: 's1', tests, mutants: 8, tried })).toEqual({
    source: 's1',
    mutants: 8,
    kills: {
      [TEST]: { test: 't1', indexes: [0, 1, 2, 3, 4] },
      'test/policy/new.test.ts': { test: 'n1', indexes: [5] },
    },
    survivors: [SURVIVOR, { ...SURVIVOR, index: 7 }],
  })
})

describe('a reason', () => {
  it('holds for one survivor, for as long as the same change to the same line survives', () => {
    const twice = [SURVIVOR, { ...SURVIVOR, index: 7, line: 41 }]
    expect(unexplained(twice, [REASON])).toEqual([twice[1]])
    expect(unexplained(twice, [REASON, REASON])).toEqual([])
    expect(unexplained([OPEN], [REASON])).toEqual([OPEN])
    expect(unexplained([SURVIVOR], [{ ...REASON, why: ' ' }])).toEqual([SURVIVOR])
  })

  it('goes with its survivor, and a new survivor has a row without one', () => {
    expect(rowsOf([OPEN], [REASON])).toEqual([{ ...REASON, replacement: 'true', why: '' }])
    expect(rowsOf([SURVIVOR], [REASON])).toEqual([REASON])
  })

  it('is of a line that is there, and has a line in the book', () => {
    const text = readFileSync(`${ROOT}test/mutants.json`, 'utf8')
    const { scores, survivors } = JSON.parse(text) as Book
    expect(textOf({ scores, survivors })).toBe(text)
    expect(Object.keys(survivors).length).toBeGreaterThan(50)
    const gone = Object.entries(survivors).flatMap(([file, rows]) => {
      const lines = existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8').split('\n') : []
      const texts = new Set(lines.map((line) => line.trim()))
      return rows.filter(({ text, why }) => !texts.has(text) || why.trim() === '')
    })
    expect(gone).toEqual([])
  })
})

describe('a score', () => {
  const parts = [{ name: 'src/policy', threshold: 0.75, reasons: 'each' as const, files: [PKCE] }]

  it('counts what was killed, and is not enough below its threshold', () => {
    const scores = scoresOf({ [PKCE]: FILE }, parts)
    expect(scores).toEqual({ 'src/policy': { mutants: 8, tried: 8, killed: 6 } })
    expect(scoresOf({ [PKCE]: { ...FILE, tried: 5 } }, parts)).toEqual({
      'src/policy': { mutants: 8, tried: 5, killed: 3 },
    })
    expect(complaintsOf(scores, parts)).toEqual([])
    expect(complaintsOf(scores, [{ ...parts[0]!, threshold: 0.8 }])).toEqual([
      'src/policy: 6 of 8 mutants are killed, which is less than 80 %.',
    ])
    expect(complaintsOf({}, parts)).toHaveLength(1)
  })

  it('is of a share of the source', () => {
    const code = new Map([
      [PKCE, { lines: 30 }],
      ['src/policy/other.ts', { lines: 70 }],
    ])
    expect(shareOf([PKCE], code)).toBe(30)
  })
})

describe('a sample', () => {
  const DIFF = `diff --git a/${PKCE} b/${PKCE}
--- a/${PKCE}
+++ b/${PKCE}
@@ -3 +3 @@ function of(
-a
+b
@@ -10,2 +11,3 @@
@@ -20,2 +20,0 @@
--- a/src/policy/gone.ts
+++ /dev/null
@@ -1,2 +0,0 @@
`
  it('begins with the lines that a diff changed', () => {
    const changed = changedLines(DIFF)
    expect([...changed]).toEqual([[PKCE, new Set([3, 11, 12, 13])]])
    const mutants = [1, 3, 12, 20].map((line) => ({ file: PKCE, line }))
    const lines = (random: () => number): number[] =>
      sampled(mutants, { changed, random }).map(({ line }) => line)
    let count = 0
    expect(lines(() => count++)).toEqual([3, 12, 1, 20])
    expect(lines(() => count--)).toEqual([12, 3, 20, 1])
  })
})
