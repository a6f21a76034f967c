import fc from 'fast-check'
import type { KeyRecord } from 'hallpass/store'
import { decideKeyMove } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'
import { isPublished } from '../../src/token/key-lifecycle.js'

const MAX_AGE = 600
const ID_TOKEN = 600

const GENERATED: KeyRecord = {
  kid: 'one',
  state: 'generated',
  publicJwk: '{}',
  sealedPrivateKey: 'sealed',
  createdAt: T,
  publishedAt: null,
  activatedAt: null,
  retiringAt: null,
  retiredAt: null,
}
const PUBLISHED: KeyRecord = { ...GENERATED, state: 'published', publishedAt: T }
const ACTIVE: KeyRecord = { ...PUBLISHED, state: 'active', activatedAt: T + 1000 }
const RETIRING: KeyRecord = { ...ACTIVE, state: 'retiring', retiringAt: T + 5000 }
const RETIRED: KeyRecord = { ...RETIRING, state: 'retired', retiredAt: T + 9000 }
const other = (key: KeyRecord): KeyRecord => ({ ...key, kid: 'two' })

const decide = (
  key: KeyRecord,
  now: number,
  others: readonly KeyRecord[] = [],
): ReturnType<typeof decideKeyMove> =>
  decideKeyMove({ key, keys: [key, ...others], jwksMaxAgeSeconds: MAX_AGE, now })
const refused = (reason: string): object => ({ ok: false, error: 'server_error', reason })

describe('decideKeyMove', () => {
  it.each<[string, KeyRecord, number, KeyRecord[], Partial<KeyRecord>]>([
    [
      'publishes a new key at any time',
      GENERATED,
      T + 7,
      [],
      { state: 'published', publishedAt: T + 7 },
    ],
    [
      'publishes a new key beside an active one',
      GENERATED,
      T + 7,
      [other(ACTIVE)],
      { state: 'published', publishedAt: T + 7 },
    ],
    [
      'lets the first key of a site sign at once',
      PUBLISHED,
      T,
      [],
      { state: 'active', activatedAt: T },
    ],
    [
      'lets the first key sign at once beside one that nobody has seen',
      PUBLISHED,
      T,
      [other(GENERATED)],
      { state: 'active', activatedAt: T },
    ],
    [
      'lets the lowest of several first keys sign at once',
      PUBLISHED,
      T,
      [other(PUBLISHED), { ...GENERATED, kid: 'a' }],
      { state: 'active', activatedAt: T },
    ],
    [
      'lets a later key sign once every old JWKS is gone',
      PUBLISHED,
      T + MAX_AGE + 1,
      [other(RETIRING)],
      { state: 'active', activatedAt: T + MAX_AGE + 1 },
    ],
    [
      'stops a signing key at any time',
      ACTIVE,
      T + 1001,
      [other(PUBLISHED)],
      { state: 'retiring', retiringAt: T + 1001 },
    ],
    [
      'takes a key away, and destroys its private half, once nothing it signed counts',
      RETIRING,
      T + 5000 + ID_TOKEN + MAX_AGE + 1,
      [other(ACTIVE)],
      {
        state: 'retired',
        retiredAt: T + 5000 + ID_TOKEN + MAX_AGE + 1,
        sealedPrivateKey: null,
      },
    ],
  ])('%s', (_, key, now, others, changes) => {
    expect(decide(key, now, others)).toEqual({ ok: true, key: { ...key, ...changes } })
  })

  it.each<[string, KeyRecord, number, KeyRecord[], string]>([
    ['a retired key', RETIRED, T + 99_999, [], 'key_state_final'],
    [
      'a second signing key',
      PUBLISHED,
      T + 99_999,
      [other(RETIRED), { ...ACTIVE, kid: 'three' }],
      'key_other_active',
    ],
    [
      'a second signing key, whatever else is wrong',
      PUBLISHED,
      T,
      [other(ACTIVE)],
      'key_other_active',
    ],
    [
      'a key that some verifier has not seen',
      PUBLISHED,
      T + MAX_AGE,
      [other(RETIRING)],
      'key_not_published_long_enough',
    ],
    [
      'a key that came after one which is gone',
      PUBLISHED,
      T + MAX_AGE,
      [other(RETIRED)],
      'key_not_published_long_enough',
    ],
    [
      'a first key beside another with a lower identifier',
      other(PUBLISHED),
      T + MAX_AGE,
      [PUBLISHED],
      'key_not_published_long_enough',
    ],
    [
      'the lowest of several published keys, after another signed',
      PUBLISHED,
      T + MAX_AGE,
      [other(PUBLISHED), { ...RETIRED, kid: 'three' }],
      'key_not_published_long_enough',
    ],
    [
      'a published key without the time of its publication',
      { ...PUBLISHED, publishedAt: null },
      T + 99_999,
      [other(RETIRED)],
      'key_not_published_long_enough',
    ],
    [
      'to take away a key whose last ID token may still be read',
      RETIRING,
      T + 5000 + ID_TOKEN + MAX_AGE,
      [other(ACTIVE)],
      'key_still_verifies',
    ],
    [
      'to take away a key without the time at which it stopped',
      { ...RETIRING, retiringAt: null },
      T + 99_999,
      [],
      'key_still_verifies',
    ],
  ])('refuses %s', (_, key, now, others, reason) => {
    expect(decide(key, now, others)).toEqual(refused(reason))
  })

  it('waits as long as the site lets verifiers keep the JWKS', () => {
    const keys = [PUBLISHED, other(RETIRING)]
    const ask = (now: number): ReturnType<typeof decideKeyMove> =>
      decideKeyMove({ key: PUBLISHED, keys, jwksMaxAgeSeconds: 10, now })
    expect(ask(T + 10)).toEqual(refused('key_not_published_long_enough'))
    expect(ask(T + 11).ok).toBe(true)
  })
})

describe('isPublished', () => {
  it.each<[KeyRecord['state'], boolean]>([
    ['generated', false],
    ['published', true],
    ['active', true],
    ['retiring', true],
    ['retired', false],
  ])('a %s key stands in the JWKS: %s', (state, published) => {
    expect(isPublished(state)).toBe(published)
  })
})

describe('any walk of moves', () => {
  const steps = fc.array(
    fc.record({ kid: fc.nat(3), after: fc.oneof(fc.nat(3), fc.nat(2 * MAX_AGE)) }),
    { minLength: 40, maxLength: 80 },
  )

  it('never has two signing keys, and none signs before every verifier can know it', () => {
    let activations = 0
    let retirements = 0
    fc.assert(
      fc.property(steps, (steps) => {
        const keys: KeyRecord[] = [0, 1, 2, 3].map((kid) => ({ ...GENERATED, kid: String(kid) }))
        let first: string | null = null
        let now = T
        for (const { kid, after } of steps) {
          now += after
          const before = keys[kid]!
          const decided = decideKeyMove({ key: before, keys, jwksMaxAgeSeconds: MAX_AGE, now })
          if (!decided.ok) continue
          const { key } = decided
          keys[kid] = key
          expect(keys.filter(({ state }) => state === 'active').length).toBeLessThan(2)
          if (key.state === 'active') {
            activations++
            first ??= key.kid
            if (first !== key.kid) expect(now - key.publishedAt!).toBeGreaterThan(MAX_AGE)
          }
          if (key.state === 'retired') {
            retirements++
            expect(now - key.retiringAt!).toBeGreaterThan(ID_TOKEN + MAX_AGE)
            expect(key.sealedPrivateKey).toBeNull()
          }
        }
      }),
      { numRuns: 500 },
    )
    expect(activations).toBeGreaterThan(500)
    expect(retirements).toBeGreaterThan(100)
  })
})
