import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64url, portableBase64url } from '../../src/encoding/base64url.js'
import { equalText } from '../../src/encoding/equal-text.js'
import {
  hmacSha256Base64url,
  portableHmacSha256,
  portableSha256,
  sha256Base64url,
} from '../../src/encoding/hash.js'
import { randomBase64url, randomBytes, randomFraction } from '../../src/encoding/random.js'
import { anyCharacter } from '../support/http/characters.js'
import { ABC } from '../vectors/fips180.js'
import { CASE_2 } from '../vectors/rfc4231.js'
import { BASE64 } from '../vectors/rfc4648.js'

const hexToBase64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')

describe('base64url', () => {
  it.each(BASE64)('encodes %j as %j (RFC 4648 §10)', (text, encoded) => {
    for (const encode of [base64url, portableBase64url])
      expect(encode(new TextEncoder().encode(text))).toBe(encoded)
  })

  it('encodes any bytes, also a part of an array, as Buffer does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(10), (array, from) => {
        const bytes = array.subarray(from)
        for (const encode of [base64url, portableBase64url])
          expect(encode(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
      }),
    )
  })
})

describe('hashes', () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 90 })

  it('gives the SHA-256 of the standard example (FIPS 180-4)', () => {
    for (const sha256 of [sha256Base64url, portableSha256])
      expect(sha256(ABC.text)).toBe(hexToBase64url(ABC.hex))
  })

  it('gives the HMAC of RFC 4231 §4.3', () => {
    for (const hmac of [hmacSha256Base64url, portableHmacSha256])
      expect(hmac(CASE_2)).toBe(hexToBase64url(CASE_2.hex))
  })

  it('are the same with and without the runtime, whatever the text is', () => {
    fc.assert(
      fc.property(anyText, anyText, (message, key) => {
        expect(sha256Base64url(message)).toBe(portableSha256(message))
        expect(hmacSha256Base64url({ key, message })).toBe(portableHmacSha256({ key, message }))
      }),
    )
    for (const length of [63, 64, 65]) {
      const text = { key: 'k'.repeat(length), message: 'of a key about as long as a block' }
      expect(hmacSha256Base64url(text)).toBe(portableHmacSha256(text))
    }
    expect(sha256Base64url('\ud800')).toBe(portableSha256('\ud800'))
  })
})

describe('equalText', () => {
  it('says what === says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(equalText(one, other)).toBe(one === other)
        expect(equalText(one, one)).toBe(true)
      }),
    )
  })
})

describe('random bytes', () => {
  it('repeat nothing in 100,000 draws, over many refills of the pool', () => {
    const seen = new Set<string>()
    for (let draw = 0; draw < 100_000; draw++) seen.add(randomBase64url(randomBytes))
    expect(seen.size).toBe(100_000)
    for (const value of [...seen].slice(0, 100)) expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  it('are as many as asked for, and each draw has an array of its own', () => {
    const one = randomBytes(16)
    const copy = Uint8Array.from(one)
    randomBytes(16).fill(0)
    expect(one).toEqual(copy)
    expect(randomBytes(0)).toHaveLength(0)
    expect(randomBytes(4096)).toHaveLength(4096)
    expect(() => randomBytes(4097)).toThrow(RangeError)
  })

  it('make numbers from 0 to below 1, in every tenth of it', () => {
    const tenths = new Set<number>()
    for (let draw = 0; draw < 1000; draw++) tenths.add(Math.floor(randomFraction() * 10))
    expect([...tenths].sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})
