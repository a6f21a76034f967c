import { describe, expect, it } from 'vitest'
import { readSource } from './support/source/compile.js'
import { idsInTitles, readClauses, readRequirements, readTestIds } from './support/docs/requirements.js' // prettier-ignore

const { sources, rows, notYetHeld, heldInPart } = readRequirements()
const files = readTestIds()
const idsOf = (rows: readonly (readonly string[])[]): readonly string[] =>
  rows.map(([id = '']) => id)
const clauses = readClauses().map(({ id }) => id)
const listed = new Set([...idsOf(rows), ...clauses])
const open = new Set(idsOf(notYetHeld))
const used = new Set(files.flatMap(({ inTitles }) => [...inTitles]))

describe('docs/requirements.md', () => {
  it('lists every requirement once, with a sentence and sources that it explains', () => {
    expect(idsOf(rows).filter((id) => !/^[A-Z]+-\d+$/.test(id))).toEqual([])
    expect([...listed]).toEqual([...idsOf(rows), ...clauses])
    expect(rows.filter((row) => row.length !== 3)).toEqual([])
    expect(rows.filter(([, sentence]) => !/^[A-Z`].{20,}\.$/.test(sentence!))).toEqual([])
    const isKnown = (one: string): boolean =>
      sources.some((name) => one === name || one.startsWith(`${name} `))
    const unknown = rows.filter(([, , source]) => !source!.split('; ').every(isKnown))
    expect(unknown).toEqual([])
  })

  it('lists every id that a title names', () => {
    expect([...used].filter((id) => !listed.has(id)).sort()).toEqual([])
  })

  it('lists no id that no title names, but under "Not yet held"', () => {
    expect([...listed].filter((id) => !used.has(id) && !open.has(id)).sort()).toEqual([])
  })

  it('has nothing under "Not yet held" that a title names', () => {
    const naming = [...open].map((id) => ({
      id,
      paths: files.filter(({ inTitles }) => inTitles.has(id)).map(({ path }) => path),
    }))
    expect(naming.filter(({ paths }) => paths.length > 0)).toEqual([])
  })

  it('has nothing under "Held in part" that no title names', () => {
    expect(idsOf(heldInPart).filter((id) => !used.has(id))).toEqual([])
  })

  it.each([
    ['Not yet held', notYetHeld],
    ['Held in part', heldInPart],
  ])('says of each requirement under "%s", once, what is missing', (_, gaps) => {
    expect(idsOf(gaps).filter((id) => !listed.has(id))).toEqual([])
    expect(idsOf(gaps)).toEqual([...new Set(idsOf(gaps))])
    expect(gaps.filter((row) => row.length !== 2)).toEqual([])
    expect(gaps.filter(([, missing]) => !/^[A-Z].{20,}\.$/.test(missing!))).toEqual([])
  })
})

describe('the ids in test files', () => {
  it('all stand in titles', () => {
    const strays = files.map(({ path, inTitles, anywhere }) => ({
      path,
      ids: [...anywhere].filter((id) => !inTitles.has(id)),
    }))
    expect(strays.filter(({ ids }) => ids.length > 0)).toEqual([])
    expect(used.size).toBeGreaterThan(250)
  })

  it('are found in every form of a title, and in nothing else', () => {
    const id = (number: number): string => `[X-${number}]`
    const source = `
      // ${id(1)}
      const text = '${id(2)}'
      const ROWS = [['a ${id(3)}'], ...MORE.map((one) => [\`\${one} ${id(4)}\`])]
      const MORE = ['b ${id(5)}']
      describe('a ${id(6)}', () => {
        it(\`b \${1} ${id(7)}\`, () => expect('${id(8)}').toBe(text))
        it.each(ROWS as [string][])('%s [${['X-9', 'X-10'].join(', ')}]', () => {})
        test.each([['c', 'X-11']])('%s [%s]', () => {})
        it.each([['d', 'X-12']])('%s and %s', () => {})
      })`
    expect([...idsInTitles(source)]).toEqual(
      [6, 7, 9, 10, 3, 5, 4, 11].map((number) => `X-${number}`),
    )
  })
})

describe('the mutants', () => {
  it('are one for each id that a title names, and for no other', () => {
    const mutants = JSON.parse(readSource('test/mutation/requirements.json')) as object
    const ids = Object.keys(mutants)
    expect([...used].filter((id) => !ids.includes(id)).sort()).toEqual([])
    expect(ids.filter((id) => !listed.has(id))).toEqual([])
  })
})
