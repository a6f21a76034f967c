import { describe, expect, it } from 'vitest'
import { compile } from '../../support/compile.js'

const listing = (search: string): string => `
import type { ListRequest } from 'hallpass/operator'
import type { Kit } from '../../../examples/school/src/operator/kit.js'
declare const kit: Kit
declare const request: ListRequest<Record<string, unknown>>
void kit.list({ table: 'coupon', select: 'select 1', ${search} }, request)
`

describe('a list', () => {
  it('does not compile without a field in which its words are looked for', () => {
    const [some, none, absent] = ['some', 'none', 'absent'].map(
      (name) => `test/example/operator/listing-${name}.ts`,
    ) as [string, string, string]
    const said = compile({
      [some]: listing("search: ['code']"),
      [none]: listing('search: []'),
      [absent]: listing(''),
    })
    expect(said.get(some)).toEqual([])
    expect(said.get(none)).toEqual([
      expect.stringMatching(/^TS2322: Type '\[\]' is not assignable to type 'readonly \[string, /),
    ])
    expect(said.get(absent)).toEqual([expect.stringMatching(/Property 'search' is missing/)])
  })
})
