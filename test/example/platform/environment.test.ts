import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../examples/school/src/platform/environment.js'

const [ONE, OTHER] = ['o'.repeat(32), 'p'.repeat(44)]

describe('HALLPASS_PREVIOUS_SECRETS', () => {
  it.each([
    [undefined, []],
    ['', []],
    [ONE, [ONE]],
    [`${ONE} ${OTHER}`, [ONE, OTHER]],
    [`  ${ONE}\n${OTHER}\n`, [ONE, OTHER]],
  ])('is a list of secrets between spaces or lines: %j [KEY-06]', (value, secrets) => {
    const { previousSecrets } = readEnvironment({ HALLPASS_PREVIOUS_SECRETS: value })
    expect(previousSecrets).toEqual(secrets)
  })

  it.each([['short'], [`${ONE} short`], [`${ONE},short ${OTHER} x`], [`${ONE} `.repeat(5)]])(
    'does not start with %j, and shows no secret',
    (value) => {
      expect(() => readEnvironment({ HALLPASS_PREVIOUS_SECRETS: value })).toThrow(
        new Error(
          'Invalid environment variables:\n  HALLPASS_PREVIOUS_SECRETS must be at most 4 secrets of 32 characters or more, separated by spaces',
        ),
      )
    },
  )
})
