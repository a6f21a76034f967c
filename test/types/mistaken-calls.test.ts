import * as policy from 'hallpass/policy'
import * as token from 'hallpass/token'
import { describe, expect, it } from 'vitest'

/** Those that take a value: a text, a client, or metadata. */
const OF_VALUES = new Set([
  'audienceOf',
  'bearerChallenge',
  'clientOfVendor',
  'defineResource',
  'mayRedirectUnasked',
  'mayRememberConsent',
  'parseFormParameters',
  'refuse',
])
type Call = (options: object) => unknown
const functions = Object.entries<unknown>({ ...policy, ...token }).filter(
  (entry): entry is [string, Call] => typeof entry[1] === 'function' && !OF_VALUES.has(entry[0]),
)

describe('a call in JavaScript whose options are misspelt', () => {
  it.each(functions)('of %s is refused or throws', async (_, call) => {
    const made = await (async () => call({ misspelt: 1 }))().catch(() => 'thrown')
    expect(made === 'thrown' || made === false || (made as { ok?: unknown }).ok === false).toBe(
      true,
    )
  })
})
