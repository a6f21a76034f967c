import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { packedText } from '../scripts/packed.js'
import { REQUIREMENTS, type Requirement } from '../scripts/requirements.js'
import { PAGES, rowsOf, sectionOf } from './support/docs/pages.js'
import { idsInTitles, readTestIds } from './support/docs/requirements.js'
import { ROOT } from './support/source/root.js'
import { findingsIn } from './support/docs/words.js'

const rows = Object.entries(REQUIREMENTS)
const broken = rows.filter(([, { file }]) => file !== undefined)
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')
const files = readTestIds()
const used = new Set(files.flatMap(({ inTitles }) => [...inTitles]))
const page = PAGES.find(({ path }) => path === 'docs/requirements.md')!
const packed = packedText(page)
const begins = rowsOf(sectionOf(page, '## Ids')).map(([begin]) => begin!)
const beginOf = (id: string): string => id.split('-', 1)[0]!

/** The ids of the rows of which something does not hold. */
const without = (isRight: (row: Requirement, id: string) => boolean): readonly string[] =>
  rows.filter(([id, row]) => !isRight(row, id)).map(([id]) => id)

describe('the requirements', () => {
  it('have an id each, in order, whose beginning the page explains', () => {
    const ids = rows.map(([id]) => id)
    expect(ids).toEqual(ids.toSorted())
    // Of a row that is there twice, JSON.parse takes the second.
    expect(read('test/mutation/requirements.json').match(/^ {2}"/gm)).toHaveLength(ids.length)
    expect(ids.filter((id) => !/^[A-Z]+-\d+$/.test(id))).toEqual([])
    expect([...new Set(ids.map(beginOf))].toSorted()).toEqual(begins.toSorted())
  })

  it('have a sentence and sources that the page explains', () => {
    const names = [...sectionOf(page, '## Sources').matchAll(/\*\*(.+?)\*\*/g)]
    const isKnown = (one: string): boolean =>
      names.some(([, name]) => one === name || one.startsWith(`${name} `))
    expect(without(({ requirement }) => /^[A-Z`].{20,}\.$/.test(requirement))).toEqual([])
    expect(without(({ source }) => source.split('; ').every(isKnown))).toEqual([])
  })

  it('have a mutant if a title names them, and say what is missing if no title does', () => {
    expect([...used].filter((id) => REQUIREMENTS[id]?.file === undefined).sort()).toEqual([])
    expect(without(({ file }, id) => file === undefined || used.has(id))).toEqual([])
    expect(without(({ file, missing }) => file !== undefined || missing !== undefined)).toEqual([])
    const says = /^[A-Z].{20,}\.$/
    expect(without(({ missing }) => missing === undefined || says.test(missing))).toEqual([])
  })

  it.each(broken)('%s changes one place of a file of ours', (_, { file, find, replace }) => {
    expect(file).toMatch(/^(?:src|examples|packages)\/.+\.(?:ts|mjs|yaml)$/)
    expect(read(file!).split(find!)).toHaveLength(2)
    expect(replace).not.toBe(find)
  })

  it.each(broken.filter(([, { tests }]) => tests !== undefined))(
    '%s runs some of the test files that name it, not all',
    (id, { tests = [] }) => {
      expect(tests.length).toBeGreaterThan(0)
      for (const path of tests) expect(read(path)).toContain(id)
      const all = files.filter(({ inTitles }) => inTitles.has(id)).map(({ path }) => path)
      expect(all.filter((path) => !tests.includes(path))).not.toEqual([])
    },
  )

  it('have a mutant of a line of their own if one section demands them of a block', () => {
    const blocks = ['DEV', 'DPOP', 'IDJ', 'PAR', 'PKJ', 'SVC']
    const demanded = rows.filter(
      ([id, { source }]) => blocks.includes(beginOf(id)) && /^[^;]* §[^;]*$/.test(source),
    )
    const twins = demanded.flatMap(([id, { file, find }]) =>
      rows
        .filter(([other, row]) => other !== id && row.file === file && row.find === find)
        .map(([other]) => `${id} and ${other}`),
    )
    expect(twins).toEqual([])
    expect(demanded.length).toBeGreaterThan(140)
  })

  it('are on their page where it is published, and not in the repository', () => {
    expect(rowsOf(page.text)).toHaveLength(begins.length)
    expect(packed).not.toContain('<!--')
    const cells = new Set(rowsOf(packed).map((row) => row.join(' | ')))
    const isThere = ({ requirement, source, file }: Requirement, id: string): boolean =>
      cells.has(
        `${id} | ${requirement.replaceAll('|', '\\|')} | ${source} | ${file ? `\`${file}\`` : ''}`,
      )
    expect(without(isThere)).toEqual([])
    expect(without(({ missing }, id) => !missing || cells.has(`${id} | ${missing}`))).toEqual([])
    expect(findingsIn(page.path, packed).map(({ what }) => what)).toEqual([])
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
