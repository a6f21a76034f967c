import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import mutants from './requirements.json' with { type: 'json' }
import { ROOT } from '../support/source/root.js'

interface Mutant {
  readonly file: string
  readonly find: string
  readonly replace: string
  /** The files whose tests are run; without them, all that name the requirement. */
  readonly tests?: readonly string[]
}

const entries = Object.entries(mutants as Readonly<Record<string, Mutant>>)
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')

describe('the mutants of requirements', () => {
  it('are in the order of their identifiers', () => {
    const ids = entries.map(([id]) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(ids.length).toBeGreaterThan(250)
  })

  it.each(entries)('%s changes one place of a file of ours', (_, { file, find, replace }) => {
    expect(file).toMatch(/^(?:src|examples|packages)\/.+\.(?:ts|mjs|yaml)$/)
    expect(read(file).split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
  })

  it.each(entries.filter(([, { tests }]) => tests !== undefined))(
    '%s names test files that name it',
    (id, { tests = [] }) => {
      expect(tests.length).toBeGreaterThan(0)
      for (const path of tests) {
        expect(existsSync(ROOT + path)).toBe(true)
        expect(read(path)).toContain(id)
      }
    },
  )
})
