import { describe, expect, it } from 'vitest'
import { entityTagOf, isKnownVersion, parseEntityTags } from '../../src/http/entity-tag.js'

describe('an entity tag', () => {
  it('is the same for the same text, and says nothing of it', () => {
    expect(entityTagOf('a')).toBe('"ypeBEsobvcr6wjGzmiPcTa"')
    expect(entityTagOf('b')).not.toBe(entityTagOf('a'))
  })

  it.each([
    ['"a"', ['"a"']],
    [' "a" ', ['"a"']],
    ['W/"a", "b!"', ['W/"a"', '"b!"']],
    ['"a","b"', ['"a"', '"b"']],
    ['"a" \t,\t "b"', ['"a"', '"b"']],
    ['""', ['""']],
    ['"a", ""', ['"a"', '""']],
    ['a', null],
    ['"a', null],
    ['x"a"', null],
    ['"a"x', null],
    ['"a" "b"', null],
    ['"a"x,"b"', null],
    ['"a",x"b"', null],
    ['"a b"', null],
    ['"a","b c"', null],
    ['', null],
  ])('is read of the header %j as %j', (header, tags) => {
    expect(parseEntityTags(header)).toEqual(tags)
  })

  it.each([
    [null, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['"W/a"', false],
    ['*', true],
    [' * ', true],
    ['a', false],
    ['', false],
  ])('is known to a caller who sends %j: %j', (ifNoneMatch, known) => {
    expect(isKnownVersion({ ifNoneMatch, etag: '"a"' })).toBe(known)
  })
})
