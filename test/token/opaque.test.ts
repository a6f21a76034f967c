import fc from 'fast-check'
import { deriveSuccessors, hashToken, newToken, TOKEN_PREFIX } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { randomBytes } from '../../src/encoding/random.js'
import { ABC } from '../vectors/fips180.js'

const KINDS = Object.keys(TOKEN_PREFIX) as (keyof typeof TOKEN_PREFIX)[]
const toHex = (text: string): string => Buffer.from(text, 'base64url').toString('hex')
const secret = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'))

describe('newToken', () => {
  it.each([
    ['code', /^hpc_[A-Za-z0-9_-]{43}$/],
    ['accessToken', /^hpa_[A-Za-z0-9_-]{43}$/],
    ['refreshToken', /^hpr_[A-Za-z0-9_-]{43}$/],
    ['clientSecret', /^hps_[A-Za-z0-9_-]{43}$/],
  ] as const)('marks a %s with its own prefix', (kind, shape) => {
    expect(newToken(kind, randomBytes)).toMatch(shape)
  })

  it('carries all 256 bits that it was given, and asks for no more', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (kind, bytes) => {
          const asked: number[] = []
          const token = newToken(kind, (length) => {
            asked.push(length)
            return bytes
          })
          expect(asked).toEqual([32])
          expect(toHex(token.slice(4))).toBe(Buffer.from(bytes).toString('hex'))
        },
      ),
    )
  })

  it('gives every kind a prefix that no other kind begins with', () => {
    const prefixes = Object.values(TOKEN_PREFIX)
    for (const prefix of prefixes)
      expect(prefixes.filter((other) => other.startsWith(prefix))).toEqual([prefix])
  })
})

describe('hashToken', () => {
  it('is SHA-256 in base64url (FIPS 180-4)', () => {
    expect(toHex(hashToken(ABC.text))).toBe(ABC.hex)
  })

  it('holds nothing of the token, and differs as soon as one character does', () => {
    fc.assert(
      fc.property(secret, fc.nat(42), (text, at) => {
        const token = TOKEN_PREFIX.refreshToken + text
        const other = `${text.slice(0, at)}${text[at] === 'hpa_oMwhTGmxV91TjQxNwVdIZCiOFyVErrGk5L9hrJVSxaY' ? 'B' : 'hpa_oMwhTGmxV91TjQxNwVdIZCiOFyVErrGk5L9hrJVSxaY'}${text.slice(at + 1)}`
        expect(hashToken(token)).toMatch(/^[A-Za-z0-9_-]{43}$/)
        expect(hashToken(token)).not.toContain(text.slice(0, 8))
        expect(hashToken(token)).not.toBe(hashToken(TOKEN_PREFIX.refreshToken + other))
      }),
    )
  })
})

describe('deriveSuccessors', () => {
  it.each(['presented', 'salt', 'secret'])('derives nothing without %s, and names it', (name) => {
    const source = { presented: 'hpr_token', salt: 'salt', secret: 'secret' }
    const { [name as 'salt']: value, ...rest } = source
    const message = new RegExp(`^deriveSuccessors: .*\\b${name} is missing`)
    expect(() => deriveSuccessors(rest as typeof source)).toThrow(message)
    expect(() => deriveSuccessors(undefined as never)).toThrow(message)
    expect(() => deriveSuccessors({ ...rest, [`${name}s`]: value } as never)).toThrow(message)
    expect(() => deriveSuccessors({ ...source, [name]: '' })).toThrow(
      `${name} must be a string that is not empty`,
    )
  })

  const presented = 'Jefe'
  const salt = 'salt'

  it('is the HMAC of kind, salt and secret under the presented token, so that it may never change', () => {
    expect(deriveSuccessors({ presented, salt, secret: 'secret' })).toEqual({
      accessToken: 'hpa_WsQ3CIQsjRiItNJSCr3bvwdkU00YCJq1eksAZYTnqFY',
      refreshToken: 'hpr_fs-UaVwvNzyAjmuBDwmvV9k92yVhXAuwtl22Pm-4u4g',
    })
  })

  it('gives the same pair for the same input, a pair shaped like any other', () => {
    fc.assert(
      fc.property(secret, secret, secret, (presented, salt, secret) => {
        const pair = deriveSuccessors({ presented, salt, secret })
        expect(deriveSuccessors({ presented, salt, secret })).toEqual(pair)
        expect(pair.accessToken).toMatch(/^hpa_[A-Za-z0-9_-]{43}$/)
        expect(pair.refreshToken).toMatch(/^hpr_[A-Za-z0-9_-]{43}$/)
        expect(pair.accessToken.slice(4)).not.toBe(pair.refreshToken.slice(4))
      }),
    )
  })

  it('gives another pair for another token, salt or secret, in both members', () => {
    fc.assert(
      fc.property(secret, secret, secret, secret, (presented, salt, secret, other) => {
        fc.pre(new Set([presented, salt, secret, other]).size === 4)
        const tokens = [
          deriveSuccessors({ presented, salt, secret }),
          deriveSuccessors({ presented: other, salt, secret }),
          deriveSuccessors({ presented, salt: other, secret }),
          deriveSuccessors({ presented, salt, secret: other }),
          deriveSuccessors({ presented: salt, salt: presented, secret }),
          deriveSuccessors({ presented, salt: secret, secret: salt }),
        ].flatMap((pair) => [pair.accessToken.slice(4), pair.refreshToken.slice(4)])
        expect(new Set(tokens).size).toBe(12)
      }),
    )
  })
})
