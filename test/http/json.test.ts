import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../src/http/json.js'

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
    ['a depth bomb', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['a depth bomb of objects', '{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)],
  ])('refuses %s [CIMD-20]', (_, text) => {
    expect(parseStrictJson(text)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'json_malformed',
      description: 'the body must be one JSON object',
    })
  })

  it.each([
    ['names', '{"client_id":"https://evil.example/c","client_id":"https://notes.example/c"}'],
    ['names of which one is escaped', '{"client_id":"a","client\\u005fid":"b"}'],
    ['names further in', '{"a":[{"b":1,"c":2,"b":3}]}'],
    ['objects', '{"a":{"b":1},"a":{"b":1,"c":2}}'],
    ['numbers that are one number', '{"a":1,"a":1.0}'],
  ])('refuses two values of one name: %s [CIMD-20]', (_, text) => {
    expect(parseStrictJson(text)).toEqual({
      ok: false,
      error: 'invalid_client_metadata',
      reason: 'json_key_repeated',
      description: 'the body gives one name two values',
    })
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
})
