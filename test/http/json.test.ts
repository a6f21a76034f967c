import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../src/http/json.js'
import { rounds } from '../support/run/rounds.js'

describe('parseStrictJson', () => {
  it.each(['{}', ' {"a":{"b":[1,-0.5e3,true,null,"\\u0041"]}} ', '[]', '1', '"x"', 'null'])(
    'reads %s',
    (text) => {
      expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown })
    },
  )

  it.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['two values', '{}{}'],
    ['a comma behind', '{"a":1,}'],
    ['a comment', '{"a":1/**/}'],
    ['a name without quotes', '{a:1}'],
    ['an end too soon', '{"a":'],
    ['NaN', 'NaN'],
    ['a control character', '"\u0001"'],
    ['65 levels', '['.repeat(65) + ']'.repeat(65)],
    ['65 levels of objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65)],
    ['a depth bomb', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['a depth bomb of objects', '{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)],
  ])('refuses %s [CIMD-20]', (_, text) => {
    expect(parseStrictJson(text)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'json_malformed',
      description: 'the body must be valid JSON, nested at most 64 levels deep',
    })
  })

  it.each([
    ['names', '{"client_id":"https://evil.example/c","client_id":"https://notes.example/c"}'],
    ['names of which one is escaped', '{"client_id":"a","client\\u005fid":"b"}'],
    ['names further in', '{"a":[{"b":1,"c":2,"b":3}]}'],
    ['objects', '{"a":{"b":1},"a":{"b":1,"c":2}}'],
    ['numbers that are one number', '{"a":1,"a":1.0}'],
    ['one value', '{"a":1,"a":1}'],
    ['names with white space before the colon', '{"a" :1,"a"\n\t: 2}'],
    ['names with a quote and a backslash', '{"\\"\\\\":1,"\\u0022\\u005c":2}'],
    ['names around an array', '{"a":[{}],"a":[]}'],
    ['names of prototypes', '{"__proto__":1,"__proto__":2}'],
    ['names that are empty', '{"":1,"":2}'],
  ])('refuses one name twice: %s [CIMD-20]', (_, text) => {
    expect(parseStrictJson(text)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'json_key_repeated',
      description: 'the body repeats a name within a JSON object',
    })
  })

  it.each([
    ['64 levels', '['.repeat(64) + ']'.repeat(64)],
    ['one name in two objects', '{"a":[{"a":1},{"a":2}],"b":{"a":{"a":3}}}'],
    ['a value like a name', '{"a":"b","b":"a","c":"\\"a\\":","d":["a","a"]}'],
    ['brackets in strings', '{"]}":"[[{{","a":"}"}'],
    ['names in two cases', '{"a":1,"A":2}'],
  ])('reads %s', (_, text) => {
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown })
  })

  it('leaves prototypes alone', () => {
    const parsed = parseStrictJson('{"__proto__":{"polluted":true},"a":1}')
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__', 'a'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('reads whatever JSON the platform writes, and the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown })
      }),
      { seed: 20_261_120 },
    )
  })

  it('finds a name that is there twice wherever it is, however it is written', () => {
    fc.assert(
      fc.property(written(), ({ text, isRepeated }) => {
        expect(parseStrictJson(text)).toEqual(
          isRepeated
            ? {
                ok: false,
                error: 'invalid_client_metadata',
                reason: 'json_key_repeated',
                description: 'the body repeats a name within a JSON object',
              }
            : { ok: true, value: JSON.parse(text) as unknown },
        )
      }),
      { seed: 20_261_122, numRuns: rounds(1000, { soak: 100_000 }) },
    )
  })
})

interface Written {
  readonly text: string
  /** Whether an object in it has a name twice. */
  readonly isRepeated: boolean
}

/** JSON as others write it: with white space, escapes, and names of which some are there twice. */
function written(): fc.Arbitrary<Written> {
  const space = fc.constantFrom('', '', ' ', '\n', '\t\r')
  const string = fc.constantFrom('', 'a', 'b', '"', '\\', 'a":', '{', ']', '__proto__')
  const escaped = (value: string): string =>
    [...value].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const quoted = fc
    .tuple(string, fc.boolean())
    .map(([value, isEscaped]) => [value, isEscaped ? `"${escaped(value)}"` : JSON.stringify(value)])
  const plain = fc
    .oneof(
      quoted.map(([, text]) => text!),
      fc.constantFrom('1', '-0.5e3', 'true', 'null'),
    )
    .map((text): Written => ({ text, isRepeated: false }))
  const { value } = fc.letrec<{ value: Written }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      plain,
      fc.tuple(space, fc.array(tie('value'), { maxLength: 3 })).map(([gap, items]) => ({
        text: `[${gap}${items.map(({ text }) => text).join(`${gap},`)}]`,
        isRepeated: items.some(({ isRepeated }) => isRepeated),
      })),
      fc
        .tuple(space, fc.array(fc.tuple(quoted, tie('value')), { maxLength: 3 }))
        .map(([gap, members]) => ({
          text: `{${gap}${members.map(([[, name], { text }]) => `${name}${gap}:${gap}${text}`).join(`${gap},${gap}`)}}`,
          isRepeated:
            new Set(members.map(([[name]]) => name)).size < members.length ||
            members.some(([, { isRepeated }]) => isRepeated),
        })),
    ),
  }))
  return value
}
