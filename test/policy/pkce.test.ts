import fc from 'fast-check'
import { decideCodeChallenge, verifyPkceS256 } from 'hallpass/policy'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { APPENDIX_B } from '../vectors/rfc7636.js'

const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~']
const verifier = fc.string({
  unit: fc.constantFrom(...UNRESERVED),
  minLength: 43,
  maxLength: 128,
})
const challengeOf = (codeVerifier: string): string =>
  createHash('sha256').update(codeVerifier).digest('base64url')

describe('verifyPkceS256', () => {
  it('accepts the pair of RFC 7636 Appendix B', () => {
    expect(verifyPkceS256(APPENDIX_B)).toEqual({ ok: true })
  })

  it('accepts every verifier with its own challenge, as another SHA-256 computes it', () => {
    fc.assert(
      fc.property(verifier, (codeVerifier) => {
        expect(verifyPkceS256({ codeVerifier, codeChallenge: challengeOf(codeVerifier) })).toEqual({
          ok: true,
        })
      }),
    )
  })

  it('refuses every other verifier', () => {
    fc.assert(
      fc.property(verifier, verifier, (codeVerifier, other) => {
        fc.pre(codeVerifier !== other)
        expect(verifyPkceS256({ codeVerifier, codeChallenge: challengeOf(other) })).toEqual({
          ok: false,
          error: 'invalid_grant',
          reason: 'code_verifier_mismatch',
        })
      }),
    )
  })

  it('refuses the challenge itself as its verifier', () => {
    const { codeChallenge } = APPENDIX_B
    expect(verifyPkceS256({ codeVerifier: codeChallenge, codeChallenge })).toMatchObject({
      reason: 'code_verifier_mismatch',
    })
  })

  it('refuses a missing verifier', () => {
    expect(verifyPkceS256({ ...APPENDIX_B, codeVerifier: null })).toEqual({
      ok: false,
      error: 'invalid_grant',
      reason: 'code_verifier_missing',
    })
  })

  it.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a space', `${'a'.repeat(43)} `],
    ['a line end', `${'a'.repeat(43)}\n`],
    ['a letter outside ASCII', `${'a'.repeat(43)}é`],
    ['nothing', ''],
  ])('refuses a verifier with %s', (_, codeVerifier) => {
    expect(verifyPkceS256({ ...APPENDIX_B, codeVerifier })).toMatchObject({
      error: 'invalid_request',
      reason: 'code_verifier_malformed',
    })
  })

  it.each(['', 'plain', 'a'.repeat(42), 'undefined'])(
    'fails closed where the store gives back %j for a challenge',
    (codeChallenge) => {
      expect(verifyPkceS256({ ...APPENDIX_B, codeChallenge })).toEqual({
        ok: false,
        error: 'invalid_grant',
        reason: 'code_challenge_lost',
      })
    },
  )
})

describe('decideCodeChallenge', () => {
  const { codeChallenge } = APPENDIX_B

  it('keeps a challenge with S256', () => {
    expect(decideCodeChallenge({ codeChallenge, codeChallengeMethod: 'S256' })).toEqual({
      ok: true,
      codeChallenge,
    })
  })

  it.each([
    ['no challenge', null, 'S256', 'code_challenge_missing'],
    ['no method, which would mean plain', codeChallenge, null, 'code_challenge_method_missing'],
    ['plain', codeChallenge, 'plain', 'code_challenge_method_not_supported'],
    ['s256', codeChallenge, 's256', 'code_challenge_method_not_supported'],
    ['S512', codeChallenge, 'S512', 'code_challenge_method_not_supported'],
    ['42 characters', codeChallenge.slice(1), 'S256', 'code_challenge_malformed'],
    ['44 characters', `${codeChallenge}A`, 'S256', 'code_challenge_malformed'],
    ['padding', `${codeChallenge.slice(1)}=`, 'S256', 'code_challenge_malformed'],
    ['base64 instead', codeChallenge.replace('-', '+'), 'S256', 'code_challenge_malformed'],
    ['bits behind the 256th', `${codeChallenge.slice(0, 42)}N`, 'S256', 'code_challenge_malformed'],
  ])('refuses %s', (_, challenge, method, reason) => {
    expect(
      decideCodeChallenge({ codeChallenge: challenge, codeChallengeMethod: method }),
    ).toMatchObject({ ok: false, error: 'invalid_request', reason })
  })
})
