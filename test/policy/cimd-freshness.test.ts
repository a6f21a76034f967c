import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentFreshUntil } from '../../src/policy/cimd-freshness.js'
import { T } from '../support/school/school.js'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MIN = 30
const at = (time: number): string => new Date(time * 1000).toUTCString()

/** Seconds from the answer until the document is stale. */
const secondsOf = (headers: [string, string][]): number =>
  documentFreshUntil({ headers: new Headers(headers), now: T }) - T
const cached = (...values: string[]): [string, string][] =>
  values.map((value) => ['cache-control', value])

describe('documentFreshUntil', () => {
  it.each<[string, [string, string][], number]>([
    ['no headers: an hour', [], HOUR],
    ['headers that say nothing', cached('public, must-revalidate, x="y"'), HOUR],
    ['an empty Cache-Control', cached(''), HOUR],
    ['commas alone', cached(' , ,'), HOUR],
    ['max-age', cached('max-age=600'), 600],
    ['max-age in capitals', cached('Public, MAX-AGE=600'), 600],
    ['max-age in quotes', cached('max-age="600"'), 600],
    ['max-age with a zero in front', cached('max-age=0600'), 600],
    ['max-age of 30', cached('max-age=30'), MIN],
    ['max-age of 29', cached('max-age=29'), MIN],
    ['max-age of 31', cached('max-age=31'), 31],
    ['max-age of a day', cached('max-age=86400'), DAY],
    ['max-age of a day and a second', cached('max-age=86401'), DAY],
    ['max-age of 400 digits', cached(`max-age=${'9'.repeat(400)}`), DAY],
    ['max-age of nothing', cached('max-age=0'), MIN],
    [
      'max-age beside other directives',
      cached('max-age=600, stale-if-error=86400, immutable'),
      600,
    ],
    ['max-age in two fields with others', cached('public', 'max-age=600'), 600],
    ['s-maxage, as one copy serves everybody', cached('max-age=600, s-maxage=1200'), 1200],
    ['s-maxage in front', cached('s-maxage=90, max-age=1200'), 90],
    ['s-maxage of nothing', cached('s-maxage=0, max-age=1200'), MIN],
  ])('goes by %s [CIMD-30]', (_, headers, expected) => {
    expect(secondsOf(headers)).toBe(expected)
  })

  it.each<[string, [string, string][]]>([
    ['no-store', cached('no-store')],
    ['no-store beside max-age', cached('max-age=600, no-store')],
    ['no-store in a field of its own', cached('max-age=600', 'No-Store')],
    ['no-cache', cached('no-cache, max-age=600')],
    ['no-cache for some fields', cached('max-age=600, no-cache="Set-Cookie, X"')],
    ['private', cached('private, max-age=600')],
    ['private for some fields', cached('private="x", max-age=600')],
    ['private and public', cached('public, private, max-age=600')],
    ['max-age twice', cached('max-age=600, max-age=1200')],
    ['max-age twice, the same', cached('max-age=600, Max-Age=600')],
    ['max-age in two fields', cached('max-age=600', 'max-age=600')],
    ['s-maxage twice', cached('s-maxage=600, s-maxage=1200')],
    ['a negative max-age', cached('max-age=-1')],
    ['a fraction', cached('max-age=600.5')],
    ['an exponent', cached('max-age=6e2')],
    ['letters', cached('max-age=abc')],
    ['max-age with nothing behind', cached('max-age=')],
    ['max-age alone', cached('max-age')],
    ['a space around the sign', cached('max-age = 600')],
    ['a semicolon', cached('max-age=600; public')],
    ['a quote that stays open', cached('max-age="600')],
    ['a directive of two words', cached('public always, max-age=600')],
    ['an Expires behind a word', [['expires', `On ${at(T + 600)}`]]],
    ['an Expires in another zone', [['expires', `${at(T + 600)}-0100`]]],
    ['a directive that is none', cached('max-age=600, @')],
    ['Vary: *', [...cached('max-age=600'), ['vary', '*']]],
    ['Vary: * among others', [...cached('max-age=600'), ['vary', 'Accept, *']]],
    ['Vary: * alone', [['vary', '*']]],
    ['an Age that cannot be read', [...cached('max-age=600'), ['age', 'x']]],
    ['a negative Age', [...cached('max-age=600'), ['age', '-5']]],
    ['Age twice', [...cached('max-age=600'), ['age', '5'], ['age', '6']]],
    ['Expires: 0', [['expires', '0']]],
    ['Expires: -1', [['expires', '-1']]],
    ['Expires in the past', [['expires', at(T - HOUR)]]],
    ['Expires now', [['expires', at(T)]]],
    ['Expires in another form', [['expires', new Date((T + DAY) * 1000).toISOString()]]],
    ['Expires in another time zone', [['expires', at(T + DAY).replace('GMT', '+0000')]]],
    ['Expires on no day', [['expires', 'Mon, 99 Nov 2026 10:00:00 GMT']]],
    ['Expires twice', [['expires', at(T + HOUR)], ['expires', at(T + DAY)]]],
    ['a Date that cannot be read', [['expires', at(T + DAY)], ['date', 'today']]],
  ])('takes %s for stale, and keeps the document for 30 seconds [CIMD-30]', (_, headers) => {
    expect(secondsOf(headers)).toBe(MIN)
  }) // prettier-ignore

  it.each<[string, [string, string][], number]>([
    ['Expires', [['expires', at(T + 10 * MINUTE)]], 10 * MINUTE],
    [
      'Expires against the clock of the host',
      [
        ['expires', at(T + 10 * MINUTE + HOUR)],
        ['date', at(T + HOUR)],
      ],
      10 * MINUTE,
    ],
    [
      'max-age before Expires',
      [...cached('max-age=600'), ['expires', at(T + DAY)], ['date', at(T)]],
      600,
    ],
    ['max-age before an Expires that cannot be read', [...cached('max-age=600'), ['expires', '0']], 600],
    ['Age taken from max-age', [...cached('max-age=600'), ['age', '200']], 400],
    ['Age taken from Expires', [['expires', at(T + 600)], ['age', '200']], 400],
    ['Age taken from the hour', [['age', '600']], HOUR - 600],
    ['Age over max-age', [...cached('max-age=600'), ['age', '601']], MIN],
    ['Age of 400 digits', [...cached(`max-age=${'9'.repeat(400)}`), ['age', '9'.repeat(400)]], MIN],
    ['Age before the limit of a day', [...cached('max-age=172800'), ['age', '90000']], 82_800],
    ['Vary by what never varies', [...cached('max-age=600'), ['vary', 'Accept, Origin']], 600],
    ['Expires in a year', [['expires', at(T + 365 * DAY)]], DAY],
  ])('goes by %s', (_, headers, expected) => {
    expect(secondsOf(headers)).toBe(expected)
  }) // prettier-ignore

  it('promises 30 seconds to a day, whatever the headers say', () => {
    const value = fc.oneof(
      fc.constantFrom('max-age=600', 's-maxage=9', 'no-store', '*', '0', at(T), at(T + DAY), '"', '=', ',', 'x=1'),
      fc.stringMatching(/^[\x21-\x7e]{0,12}$/),
      fc.integer().map(String),
    ) // prettier-ignore
    const name = fc.constantFrom('cache-control', 'age', 'expires', 'date', 'vary', 'pragma')
    const seen = new Set<number>()
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (headers) => {
        const seconds = secondsOf(headers)
        expect(Number.isInteger(seconds)).toBe(true)
        expect(seconds).toBeGreaterThanOrEqual(MIN)
        expect(seconds).toBeLessThanOrEqual(DAY)
        seen.add(seconds)
      }),
      { seed: 20_261_120, numRuns: 3000 },
    )
    expect(seen.size).toBeGreaterThan(5)
  })
})
