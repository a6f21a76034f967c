import { GraphQLError } from 'graphql'
import { accountScalars } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'

const read = (name: string, value: unknown): unknown => {
  try {
    return accountScalars[name]!.parseValue(value)
  } catch (error) {
    const { message, extensions } = error as GraphQLError
    return [message, extensions]
  }
}

const fault = (message: string): unknown => [message, { code: 'BAD_USER_INPUT' }]

describe('a DateTime that comes in', () => {
  it.each([
    ['2026-11-20T09:00:00Z', 1_795_165_200],
    ['2026-11-20t09:00:00z', 1_795_165_200],
    ['2026-11-20T11:00:00+02:00', 1_795_165_200],
    ['2026-11-20T09:00:00.999999999Z', 1_795_165_200],
    ['2026-11-20T09:00:00-00:00', 1_795_165_200],
    ['1969-12-31T23:59:59.5Z', -1],
    ['2024-02-29T00:00:00Z', 1_709_164_800],
    ['2000-02-29T00:00:00Z', 951_782_400],
    ['2026-12-31T23:59:59Z', 1_798_761_599],
  ])('is whole seconds: %s', (text, seconds) => {
    expect(read('DateTime', text)).toBe(seconds)
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:61Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '20260101T000000Z',
    'yesterday',
    '',
    1_795_165_200,
    null,
    ['2026-01-01T00:00:00Z'],
  ])('is refused where there is no such moment: %j', (value) => {
    expect(read('DateTime', value)).toEqual(
      fault('DateTime must be an RFC 3339 date-time such as 2026-11-20T09:00:00Z'),
    )
  })

  const QUERY = 'query ($f: OrderFilter) { viewer { orders(filter: $f) { totalCount } } }'
  const answered = async (query: string, more: object): Promise<unknown> => {
    const { ask, tokenFor, calls } = await openAccount()
    const answer = await ask(await tokenFor('account:read'), query, { ...more })
    return { ...((await answer.json()) as object), calls }
  }

  it('is refused in a variable before anything runs', async () => {
    const variables = { f: { placedAfter: '2026-02-30T00:00:00Z' } }
    expect(await answered(QUERY, { variables })).toEqual({
      errors: [
        {
          message: expect.stringMatching(
            /\$f.*\.placedAfter.*DateTime must be an RFC 3339 date-time/,
          ),
          locations: [{ line: 1, column: 8 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
      calls: [],
    })
  })

  it('is refused in the document with the same code, and with its place', async () => {
    const query = `{ viewer { orders(filter: { placedAfter: "2026-02-30T00:00:00Z" }) {
      totalCount } } }`
    expect(await answered(query, {})).toEqual({
      errors: [
        {
          message: 'DateTime must be an RFC 3339 date-time such as 2026-11-20T09:00:00Z',
          locations: [{ line: 1, column: 42 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
      calls: [],
    })
  })
})

describe('the other scalars that come in', () => {
  it.each([
    ['URL', 'https://a.example/x y', 'https://a.example/x%20y'],
    ['URL', 'http://a.example', fault('URL must be an absolute https URL')],
    ['URL', '/a', fault('URL must be an absolute https URL')],
    ['URL', 1, fault('URL must be an absolute https URL')],
    ['Decimal', '1.00', fault('Decimal cannot be used as an input')],
    ['CurrencyCode', 'EUR', fault('CurrencyCode cannot be used as an input')],
  ])('%s, of %j', (name, value, outcome) => {
    expect(read(name, value)).toEqual(outcome)
  })
})
