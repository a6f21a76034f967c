import { beforeAll, describe, expect, it } from 'vitest'
import type { Form } from './form.js'
import { FORMS } from './forms.js'
import { type Json, membersReadOf, withMember } from './watch.js'

const COLUMNS: readonly (readonly [name: string, value: unknown])[] = [
  ['absent', undefined],
  ['null', null],
  ['""', ''],
  ['[]', []],
  ['[""]', ['']],
  ['{}', {}],
  ['7', 7],
]

/** Where a member that says nothing is not an absent one, and why. The columns are those of the values that differ. */
const DIFFERENCES: readonly (readonly [place: string, columns: string, why: string])[] = [
  ...['client assertion', 'identity assertion', 'DPoP proof'].map(
    (form) =>
      [
        `${form}: 0.crit`,
        'null "" [] [""]',
        'RFC 7515 §4.1.11 forbids an empty list, and this member is never to be ignored',
      ] as const,
  ),
  [
    'identity assertion: 1.scope',
    '"" [] [""]',
    'a provider that allows nothing says so, and defaultScopes would be more',
  ],
  ['keys of a provider: keys', '[] [""]', 'the provider has withdrawn every key'],
  ...['scope', 'token_scope', 'client_scope', 'client_name'].map(
    (member) =>
      [`introspection: ${member}`, '""', 'a set without scopes, and a name that is empty'] as const,
  ),
  [
    'introspection: client_scope',
    '[] [""]',
    'absent is every scope, so another form of none is refused',
  ],
  ['introspection: roles', '[] [""]', 'a person without a role'],
  ['introspection: roles.0', 'null []', 'no role is left out that might not be understood'],
]

interface Row {
  /** The form, and the names on the way to the member; with the part of a JWT. */
  readonly place: string
  /** What is decided about the example as it is. */
  readonly plain: string
  /** What is decided, by the name of a column. */
  readonly decided: Readonly<Record<string, string>>
}

/** Asks about every member that the readers of a form look for, with each value. */
async function rowsOf({ name, examples, ask }: Form): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const example of examples) {
    const texts = example.map((one) => JSON.stringify(one))
    const plain = await ask(texts)
    let watched = ''
    const paths = await membersReadOf(texts, async () => void (watched = await ask(texts)))
    // A reader that hands on what it was given, as it is, would hide which members are read.
    expect(watched, name).toBe(plain)
    for (const path of paths) {
      const place = `${name}: ${path.slice(example.length === 1 ? 1 : 0).join('.')}`
      const decided: Record<string, string> = {}
      for (const [column, value] of COLUMNS) {
        const changed = withMember(example, path, value) as readonly Json[]
        decided[column] = await ask(changed.map((one) => JSON.stringify(one)))
      }
      rows.push({ place, plain, decided })
    }
  }
  return rows
}

/** The columns of values that say nothing. An item of a list is no list of nothing. */
const emptyColumns = (place: string): readonly string[] =>
  ['null', '""', '[]', '[""]'].slice(0, /\.\d+$/.test(place) ? 3 : 4)

describe('what others serialize', () => {
  const rows: Row[] = []
  beforeAll(async () => {
    for (const make of FORMS) rows.push(...(await rowsOf(await make())))
  }, 60_000)

  it('decides alike about a member that says nothing and one that is absent [READ-01]', () => {
    const found = rows.flatMap(({ place, decided }) =>
      emptyColumns(place)
        .filter((column) => decided[column] !== decided['absent'])
        .map((column) => `${place} ${column}`),
    )
    const known = DIFFERENCES.flatMap(([place, columns]) =>
      columns.split(' ').map((column) => `${place} ${column}`),
    )
    expect([...new Set(found)].toSorted()).toEqual(known.toSorted())
  })

  it('decides about each member that is absent or of a wrong type', async () => {
    const first = new Map(rows.toReversed().map((row) => [row.place, row]))
    const short = ({ plain }: Row, decided: string): string =>
      decided === plain ? 'as it was' : decided.slice(0, 60)
    const table = [...first.values()].toReversed().map((row) => {
      const [absent, object, number] = ['absent', '{}', '7'].map((column) =>
        short(row, row.decided[column]!),
      )
      return `${row.place} | absent: ${absent} | {}: ${object} | 7: ${number}\n`
    })
    await expect(table.join('')).toMatchFileSnapshot('outcomes.txt')
  })
})
