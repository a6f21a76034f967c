import fc from 'fast-check'
import { type AuthorizationCode, decideRedemption, defineResource } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { authenticated, DESK_CLI } from '../support/school/policy-samples.js'
import { ISSUER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'
import { APPENDIX_B } from '../vectors/rfc7636.js'

const names = defineResource(ISSUER)
const REDIRECT = 'http://127.0.0.1:49152/callback'
const CODE: AuthorizationCode = {
  codeHash: 'hash',
  grantId: 'grant_1',
  clientId: 'study-buddy',
  subject: STUDENT.subject,
  scopes: ['openid', 'account:read'],
  resource: ISSUER,
  resourceSent: true,
  redirectUri: REDIRECT,
  codeChallenge: APPENDIX_B.codeChallenge,
  nonce: null,
  grantEndsAt: null,
  authTime: null,
  issuedAt: T,
  expiresAt: T + 60,
  redeemedAt: null,
}
const VALID = {
  code: CODE as AuthorizationCode | null,
  client: authenticated(STUDY_BUDDY),
  redirectUri: REDIRECT as string | null,
  codeVerifier: APPENDIX_B.codeVerifier as string | null,
  resources: [ISSUER],
  names,
  now: T + 59,
}
const ask = (changes: Partial<typeof VALID>): ReturnType<typeof decideRedemption> =>
  decideRedemption({ ...VALID, ...changes })
const used: AuthorizationCode = { ...CODE, redeemedAt: T + 1 }
const other = 'a'.repeat(43)

describe('decideRedemption', () => {
  it('grants the code to its client with the right verifier', () => {
    expect(ask({})).toEqual({ ok: true, code: CODE })
  })

  it('lets an operator client leave the resource out if it never sent one', () => {
    const client = authenticated(DESK_CLI)
    const code = { ...CODE, clientId: DESK_CLI.clientId, resourceSent: false }
    expect(ask({ code, client, resources: [] }).ok).toBe(true)
    expect(ask({ code: { ...code, resourceSent: true }, client, resources: [] })).toMatchObject({
      error: 'invalid_target',
      reason: 'resource_missing',
    })
  })

  it('lets no member client leave it out, even if the store has lost that it was sent', () => {
    const code = { ...CODE, resourceSent: false }
    expect(ask({ code, resources: [] })).toMatchObject({ reason: 'resource_missing' })
  })

  it.each([
    ['no redirect_uri', { redirectUri: null }, 'invalid_request', 'redirect_uri_missing'],
    ['no verifier', { codeVerifier: null }, 'invalid_grant', 'code_verifier_missing'],
    [
      'a malformed verifier',
      { codeVerifier: 'short' },
      'invalid_request',
      'code_verifier_malformed',
    ],
    ['an unknown code', { code: null }, 'invalid_grant', 'code_unknown'],
    [
      'another key',
      { code: { ...CODE, boundTo: 'jkt' }, key: 'other' },
      'invalid_grant',
      'code_bound',
    ],
    [
      'another client',
      { client: authenticated(DESK_CLI) },
      'invalid_grant',
      'code_of_other_client',
    ],
    [
      'another port',
      { redirectUri: 'http://127.0.0.1:7777/callback' },
      'invalid_grant',
      'redirect_uri_mismatch',
    ],
    ['a wrong verifier', { codeVerifier: other }, 'invalid_grant', 'code_verifier_mismatch'],
    [
      'the challenge as verifier',
      { codeVerifier: APPENDIX_B.codeChallenge },
      'invalid_grant',
      'code_verifier_mismatch',
    ],
    [
      'a code that lost its challenge',
      { code: { ...CODE, codeChallenge: '' } },
      'invalid_grant',
      'code_challenge_lost',
    ],
    ['no resource', { resources: [] }, 'invalid_target', 'resource_missing'],
    [
      'a foreign resource',
      { resources: ['https://kiln.example'] },
      'invalid_grant',
      'resource_mismatch',
    ],
    ['an expired code', { now: T + 60 }, 'invalid_grant', 'code_expired'],
    [
      'a code whose grant would have ended',
      { code: { ...CODE, grantEndsAt: VALID.now } },
      'invalid_grant',
      'grant_expired',
    ],
  ])('refuses %s and ends nothing', (_, changes, error, reason) => {
    const decided = ask(changes)
    expect(decided).toMatchObject({ ok: false, error, reason })
    expect(decided).not.toHaveProperty('revokeGrantId')
  })

  it('ends nothing when the rightful client shows a used code again within five seconds [TOKC-10]', () => {
    // T: the clock of another process is a second behind.
    for (const now of [T, T + 1, T + 5, T + 6])
      expect(ask({ code: used, now })).toEqual({
        ok: false,
        error: 'invalid_grant',
        reason: 'code_lost_race',
      })
  })

  it('forgives a second use also where the code has expired in between', () => {
    const late: AuthorizationCode = { ...CODE, redeemedAt: T + 59 }
    expect(ask({ code: late, now: T + 64 })).toMatchObject({ reason: 'code_lost_race' })
    expect(ask({ code: late, now: T + 65 })).toMatchObject({ reason: 'code_replayed' })
  })

  it('names the grant to end when the rightful client shows a used code again later [TOKC-10]', () => {
    for (const now of [T + 7, T + 59, T + 86_400])
      expect(ask({ code: used, now })).toEqual({
        ok: false,
        error: 'invalid_grant',
        reason: 'code_replayed',
        revokeGrantId: 'grant_1',
      })
  })

  it.each([
    ['another client', { client: authenticated(DESK_CLI) }],
    ['a wrong verifier', { codeVerifier: other }],
    ['a wrong redirect_uri', { redirectUri: 'http://127.0.0.1:1/callback' }],
    ['a wrong resource', { resources: ['https://kiln.example'] }],
  ])('ends nothing when %s shows a used code [TOKC-11]', (_, changes) => {
    for (const now of [T + 1, T + 6, T + 7, T + 86_400])
      expect(ask({ code: used, now, ...changes })).not.toHaveProperty('revokeGrantId')
  })

  it('grants nothing unless every part is right', () => {
    const maybe = <Value>(right: Value, wrong: Value): fc.Arbitrary<Value> =>
      fc.constantFrom(right, wrong)
    fc.assert(
      fc.property(
        maybe(VALID.client, authenticated(DESK_CLI)),
        maybe<string | null>(REDIRECT, 'http://127.0.0.1:1/callback'),
        maybe<string | null>(APPENDIX_B.codeVerifier, other),
        maybe([ISSUER], ['https://kiln.example']),
        maybe(T + 59, T + 60),
        maybe(CODE, used),
        (client, redirectUri, codeVerifier, resources, now, code) => {
          const right =
            client === VALID.client &&
            redirectUri === REDIRECT &&
            codeVerifier === APPENDIX_B.codeVerifier &&
            resources[0] === ISSUER &&
            now < CODE.expiresAt &&
            code === CODE
          expect(ask({ client, redirectUri, codeVerifier, resources, now, code }).ok).toBe(right)
        },
      ),
    )
  })
})
