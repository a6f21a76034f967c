import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CHECKS } from '../src/checks/index.js'
import { deviations } from '../sign-in/deviations.mjs'

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const { notes } = JSON.parse(read('bench/audit-peers/about.json')) as {
  readonly notes: Readonly<Record<string, Readonly<Record<string, string>>>>
}
const clauses = new Map(CHECKS.map(({ id, clause }) => [id, clause]))
const known = (ids: readonly string[]): readonly string[] => ids.filter((id) => clauses.has(id))

it('notes on the servers of others are about checks that there are', () => {
  const noted = Object.values(notes).flatMap((of) => Object.keys(of))
  expect(noted).toEqual(known(noted))
  expect(noted.length).toBeGreaterThan(0)
})

// `npm run audit:peers -- --write` writes both.
describe('the page of audited servers', () => {
  const [, own = '', ...others] = read('docs/look-up/audited-servers.md').split(/^## .+$/m)
  const rowsOf = (section: string) =>
    [...section.matchAll(/^- `([a-z-]+\/[a-z0-9-]+)`: ([A-Z ]+),/gm)].map(([, id, level]) => [id!, level!] as const) // prettier-ignore

  it('shows every deviation of hallpass, with its reason, before what others violate', () => {
    const rows = rowsOf(own).map(([id]) => id)
    expect(rows.toSorted()).toEqual(Object.keys(deviations).toSorted())
    expect(Object.values(deviations).filter((reason) => !own.includes(reason))).toEqual([])
    expect(others).toHaveLength(6)
  })

  it('names clauses as they are now, and none that is advice', () => {
    const rows = [own, ...others].flatMap(rowsOf)
    expect(rows.filter(([id, level]) => clauses.get(id)?.level !== level)).toEqual([])
    expect(rows.length).toBeGreaterThan(40)
  })

  it('has a note to its maintainer for each row: the sentence, the request and the answer', () => {
    const [, ...sections] = read('bench/audit-peers/MAINTAINERS.txt').split(/^={3,}$/m)
    expect(sections).toHaveLength(6)
    for (const [index, section] of others.entries())
      for (const [id] of rowsOf(section)) {
        const { quote } = clauses.get(id)!
        const [, note = ''] = sections[index]!.split(`\n${id} (`)
        expect(note).toContain(`"${quote}"`)
        expect(note).toMatch(/^ {4}(?:GET|POST|OPTIONS|DELETE) .+(?:\n.*)*?\n\n {4}\d{3}$/m)
      }
  })
})
