import { describe, expect, it } from 'vitest'
import { decideGrantEnd, endedConsentKey } from '../../src/policy/consent.js'
import { T } from '../support/school/school.js'

describe('decideGrantEnd', () => {
  const offered = [
    { id: 'day', endsAt: T + 86_400 },
    { id: 'term', endsAt: T + 1000 },
  ]

  it.each<[readonly string[], number | null]>([
    [[], null],
    [[''], null],
    [['term'], T + 1000],
    [['', 'day', ''], T + 86_400],
  ])('reads the fields %j as the end %s [END-08]', (until, grantEndsAt) => {
    expect(decideGrantEnd({ until, offered })).toEqual({ ok: true, grantEndsAt })
  })

  it.each([[['always']], [['day', 'term']], [['term', 'term']], [['term', 'always']]])(
    'refuses %j, which is not one of the ends that are offered [END-08]',
    (until) => {
      expect(decideGrantEnd({ until, offered })).toEqual({
        ok: false,
        error: 'invalid_request',
        reason: 'consent_end_unknown',
        description:
          'the end that you chose is no longer offered: go back to the app and start again',
      })
    },
  )
})

describe('endedConsentKey', () => {
  it('is another one for each person and each client [END-09]', () => {
    const pairs = [
      { subject: 'mem_mei', clientId: 'notes' },
      { subject: 'mem_ines', clientId: 'notes' },
      { subject: 'mem_mei', clientId: 'diary' },
      { subject: 'notes', clientId: 'mem_mei' },
    ]
    const keys = pairs.map(endedConsentKey)
    expect(new Set(keys).size).toBe(pairs.length)
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  })
})
