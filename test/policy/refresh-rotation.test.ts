import fc from 'fast-check'
import { decideRefresh, defineResource, type RefreshToken } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { authenticated, DESK_CLI, GRANT } from '../support/policy.js'
import { ISSUER, STUDY_BUDDY, T } from '../support/school.js'

const DAY = 86_400
const CURRENT: RefreshToken = {
  tokenHash: 'hash',
  grantId: GRANT.grantId,
  issuedAt: T,
  expiresAt: T + 30 * DAY,
  rotation: null,
}
const ROTATED: RefreshToken = {
  ...CURRENT,
  rotation: {
    rotatedAt: T + 100,
    salt: 'salt',
    scopes: GRANT.scopes,
    successorHash: 'next',
    accessTokenExpiresAt: T + 3700,
  },
}
const found = (
  refreshToken: RefreshToken,
  changes: object = {},
): Parameters<typeof decideRefresh>[0]['found'] => ({
  refreshToken,
  grant: { ...GRANT, ...changes },
  successorUsed: false,
})
const VALID: Parameters<typeof decideRefresh>[0] = {
  found: found(CURRENT),
  client: authenticated(STUDY_BUDDY),
  scopes: null,
  resources: [],
  names: defineResource(ISSUER),
  registry: schoolScopes,
  retrySeconds: 60,
  now: T + 100,
}
const ask = (changes: Partial<typeof VALID>): ReturnType<typeof decideRefresh> =>
  decideRefresh({ ...VALID, ...changes })

describe('decideRefresh', () => {
  it('rotates a current token with the scopes of the grant', () => {
    expect(ask({})).toEqual({
      ok: true,
      outcome: 'rotate',
      refreshToken: CURRENT,
      grant: GRANT,
      scopes: GRANT.scopes,
    })
  })

  it('gives no more than the client may have now', () => {
    const client = authenticated({ ...STUDY_BUDDY, scopes: [] })
    expect(ask({ client })).toMatchObject({ ok: true, scopes: ['openid', 'email'] })
    expect(ask({ client, scopes: ['account:read'] })).toMatchObject({
      ok: false,
      error: 'invalid_scope',
      reason: 'scope_widened',
    })
  })

  it('refuses a client that may use nothing of what was granted any more', () => {
    expect(
      ask({
        found: found(CURRENT, { scopes: ['account:read'] }),
        client: authenticated({ ...STUDY_BUDDY, scopes: [] }),
      }),
    ).toEqual({
      ok: false,
      error: 'invalid_scope',
      reason: 'scope_beyond_client',
      description: 'this client may no longer use any of the granted scopes',
    })
  })

  it('narrows the access token and names the bound resource in any spelling', () => {
    expect(ask({ scopes: ['account:read'], resources: [`${ISSUER}/mcp`] })).toMatchObject({
      ok: true,
      outcome: 'rotate',
      scopes: ['account:read'],
    })
  })

  it.each([
    ['an unknown token', { found: null }, 'invalid_grant', 'refresh_token_unknown'],
    [
      'another client',
      { client: authenticated(DESK_CLI) },
      'invalid_grant',
      'refresh_token_of_other_client',
    ],
    [
      'a revoked grant',
      { found: found(CURRENT, { revokedAt: T, revokedReason: 'x' }) },
      'invalid_grant',
      'grant_revoked',
    ],
    [
      'a grant at its absolute end',
      { found: found(CURRENT, { expiresAt: T + 100 }) },
      'invalid_grant',
      'grant_expired',
    ],
    ['a token idle too long', { now: T + 30 * DAY }, 'invalid_grant', 'refresh_token_expired'],
    ['a wider scope', { scopes: ['openid', 'account:write'] }, 'invalid_scope', 'scope_widened'],
    ['an empty scope', { scopes: [] }, 'invalid_scope', 'scope_missing'],
    [
      'a foreign resource',
      { resources: ['https://kiln.example'] },
      'invalid_grant',
      'resource_mismatch',
    ],
  ])('refuses %s and ends nothing', (_, changes, error, reason) => {
    const decided = ask(changes)
    expect(decided).toMatchObject({ ok: false, error, reason })
    expect(decided).not.toHaveProperty('revokeGrantId')
  })

  it('gives the lost answer again within the window, and not a second longer', () => {
    for (const now of [T + 100, T + 159])
      expect(ask({ found: found(ROTATED), now })).toEqual({
        ok: true,
        outcome: 'repeat',
        rotation: ROTATED.rotation,
        grant: GRANT,
        scopes: GRANT.scopes,
      })
    expect(ask({ found: found(ROTATED), now: T + 160 })).toEqual({
      ok: false,
      error: 'invalid_grant',
      reason: 'refresh_token_reused',
      revokeGrantId: GRANT.grantId,
    })
  })

  it('ends the grant once the successor was used, even within the window', () => {
    expect(ask({ found: { ...found(ROTATED)!, successorUsed: true } })).toMatchObject({
      reason: 'refresh_token_reused',
      revokeGrantId: GRANT.grantId,
    })
  })

  it('has no window where it is switched off', () => {
    expect(ask({ found: found(ROTATED), retrySeconds: 0 })).toMatchObject({
      reason: 'refresh_token_reused',
    })
  })

  it.each([
    ['other scopes', { scopes: ['openid'] }, 'refresh_retry_differs'],
    ['another client', { client: authenticated(DESK_CLI) }, 'refresh_token_of_other_client'],
    ['another resource', { resources: ['https://kiln.example'] }, 'resource_mismatch'],
  ])('gives nothing again for %s, and ends nothing', (_, changes, reason) => {
    const decided = ask({ found: found(ROTATED), ...changes })
    expect(decided).toMatchObject({ ok: false, error: 'invalid_grant', reason })
    expect(decided).not.toHaveProperty('revokeGrantId')
  })

  it.each([
    ['more scopes', ['openid'], ['openid', 'email']],
    ['as many scopes, one of them another', ['openid', 'email'], ['openid', 'account:read']],
  ])('gives nothing again for %s than the lost answer had', (_, had, scopes) => {
    const rotated = { ...ROTATED, rotation: { ...ROTATED.rotation!, scopes: had } }
    expect(ask({ found: found(rotated), scopes })).toEqual({
      ok: false,
      error: 'invalid_grant',
      reason: 'refresh_retry_differs',
    })
  })

  it('rotates only current tokens, repeats only unused ones, and widens never', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(CURRENT, ROTATED),
        fc.boolean(),
        fc.nat(200 * DAY),
        fc.option(fc.subarray([...GRANT.scopes, 'account:write'], { minLength: 1 })),
        fc.nat(120),
        (refreshToken, successorUsed, age, scopes, retrySeconds) => {
          const now = T + age
          const decided = ask({
            found: { ...found(refreshToken)!, successorUsed },
            scopes,
            retrySeconds,
            now,
          })
          if (!decided.ok) return
          for (const scope of decided.scopes) expect(GRANT.scopes).toContain(scope)
          expect(now).toBeLessThan(refreshToken.expiresAt)
          if (decided.outcome === 'rotate') expect(refreshToken).toBe(CURRENT)
          else {
            expect(successorUsed).toBe(false)
            expect(now - ROTATED.rotation!.rotatedAt).toBeLessThan(retrySeconds)
          }
        },
      ),
    )
  })
})
