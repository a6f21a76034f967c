import fc from 'fast-check'
import { decideRefresh, defineResource, REFRESH_POLICY, type RefreshToken } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { authenticated, DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { ISSUER, STUDY_BUDDY, T } from '../support/school/school.js'
import { refreshHolderOf } from '../../src/policy/refresh-policy.js'
import type { Rotation } from '../../src/policy/grant.js'

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
  policy: REFRESH_POLICY.lostResponse,
  now: T + 100,
}
const ask = (changes: Partial<typeof VALID>): ReturnType<typeof decideRefresh> =>
  decideRefresh({ ...VALID, ...changes })

describe('decideRefresh', () => {
  it('takes a client without a method for a public one, which needs the key of its grant', () => {
    const { tokenEndpointAuthMethod: _, ...unnamed } = authenticated(STUDY_BUDDY)
    expect(
      ask({ client: unnamed, found: found(CURRENT, { boundTo: 'jkt' }), key: 'other' }),
    ).toEqual({
      ok: false,
      error: 'invalid_grant',
      reason: 'refresh_token_bound',
    })
  })

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

  it('gives no time that the policy does not have to a token that was used by a later clock', () => {
    const used = { ...found(ROTATED)!, successorUsed: true }
    expect(ask({ found: used, now: T + 99 })).toMatchObject({ reason: 'refresh_token_reused' })
    expect(
      ask({ found: found(ROTATED), policy: REFRESH_POLICY.strict, now: T + 99 }),
    ).toMatchObject({ reason: 'refresh_token_reused' })
  })

  it('has no window where it is switched off', () => {
    expect(ask({ found: found(ROTATED), policy: REFRESH_POLICY.strict })).toMatchObject({
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

  it('repeats for who named no scopes then and now, also after a person added some [STEP-05]', () => {
    const omitted = { ...ROTATED.rotation!, scopes: ['openid'], scopesOmitted: true } as const
    const again = (
      grantScopes: readonly string[],
      scopes: readonly string[] | null,
      rotation: Rotation = omitted,
    ): unknown => {
      const token = found({ ...ROTATED, rotation })!
      const decided = ask({
        found: { ...token, grant: { ...GRANT, scopes: grantScopes } },
        scopes,
      })
      return decided.ok ? decided.scopes : decided.reason
    }
    const { scopesOmitted: _, ...named } = omitted
    expect([
      again(['openid', 'account:read'], null),
      again(['openid', 'account:read'], ['openid']),
      again(['openid', 'account:read'], ['openid', 'account:read']),
      again(['openid', 'account:read'], ['account:read']),
      again(['account:read'], null),
      again(['openid'], null, { ...omitted, scopes: ['openid', 'account:read'] }),
      again(['openid', 'account:read'], null, named),
      again(['openid', 'account:read'], ['openid'], named),
    ]).toEqual([
      ['openid'],
      ['openid'],
      'refresh_retry_differs',
      'refresh_retry_differs',
      'refresh_retry_differs',
      'refresh_retry_differs',
      'refresh_retry_differs',
      ['openid'],
    ])
  })

  describe('with a policy for several processes', () => {
    const policy = { repeatSeconds: 3000, catchUpSeconds: 2000, forgiveSeconds: 0 }
    const used = { ...found(ROTATED)!, successorUsed: true }
    const replay = {
      ok: false,
      error: 'invalid_grant',
      reason: 'refresh_token_reused',
      revokeGrantId: GRANT.grantId,
    }

    it('repeats while the successor is unused, for as long as it says', () => {
      expect(ask({ found: found(ROTATED), policy, now: T + 3099 })).toMatchObject({
        outcome: 'repeat',
      })
      expect(ask({ found: found(ROTATED), policy, now: T + 3100 })).toEqual(replay)
    })

    it('follows a successor that was used, for as long as it says, and repeats none', () => {
      for (const now of [T + 100, T + 2099])
        expect(ask({ found: used, policy, now })).toEqual({
          ok: true,
          outcome: 'follow',
          rotation: ROTATED.rotation,
          grant: GRANT,
          scopes: GRANT.scopes,
        })
      expect(ask({ found: used, policy, now: T + 2100 })).toEqual(replay)
    })

    it('follows an unused successor whose access token has expired', () => {
      const long = { ...policy, repeatSeconds: 4000 }
      expect(ask({ found: found(ROTATED), policy: long, now: T + 3699 })).toMatchObject({
        outcome: 'repeat',
      })
      expect(ask({ found: found(ROTATED), policy: long, now: T + 3700 })).toMatchObject({
        outcome: 'follow',
      })
    })

    it('refuses what it forgives without a word about the grant, and ends it afterwards', () => {
      const forgiving = { ...policy, forgiveSeconds: 5000 }
      for (const now of [T + 2100, T + 5099])
        expect(ask({ found: used, policy: forgiving, now })).toEqual({
          ok: false,
          error: 'invalid_grant',
          reason: 'refresh_token_stale',
        })
      expect(ask({ found: used, policy: forgiving, now: T + 5100 })).toEqual(replay)
    })
  })

  it('rotates only current tokens, repeats only unused ones, and widens never', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(CURRENT, ROTATED),
        fc.boolean(),
        fc.nat(200 * DAY),
        fc.option(fc.subarray([...GRANT.scopes, 'account:write'], { minLength: 1 })),
        fc.record({
          repeatSeconds: fc.nat(120),
          catchUpSeconds: fc.nat(120),
          forgiveSeconds: fc.nat(120),
        }),
        (refreshToken, successorUsed, age, scopes, policy) => {
          const now = T + age
          const decided = ask({
            found: { ...found(refreshToken)!, successorUsed },
            scopes,
            policy,
            now,
          })
          // The clock of another process may be ahead.
          const usedFor = Math.max(0, now - ROTATED.rotation!.rotatedAt)
          const { repeatSeconds, catchUpSeconds, forgiveSeconds } = policy
          if (!decided.ok) {
            if (decided.revokeGrantId === undefined) return
            expect(refreshToken).toBe(ROTATED)
            expect(usedFor).toBeGreaterThanOrEqual(forgiveSeconds)
            return
          }
          for (const scope of decided.scopes) expect(GRANT.scopes).toContain(scope)
          expect(now).toBeLessThan(refreshToken.expiresAt)
          expect(refreshToken).toBe(decided.outcome === 'rotate' ? CURRENT : ROTATED)
          if (decided.outcome === 'rotate') return
          expect(usedFor).toBeLessThan(successorUsed ? catchUpSeconds : repeatSeconds)
          if (decided.outcome === 'repeat') expect(successorUsed).toBe(false)
        },
      ),
    )
  })
})

describe('refreshHolderOf', () => {
  it.each([
    ['none', ['https://app.example/callback'], 'public'],
    ['none', ['com.example.app:/callback'], 'public'],
    ['none', ['https://editor.example/redirect', 'http://127.0.0.1:33418/'], 'native'],
    ['none', ['http://localhost/callback'], 'native'],
    ['none', ['http://127.0.0.1.evil.example/callback'], 'public'],
    ['client_secret_post', ['http://127.0.0.1/callback'], 'confidential'],
  ] as const)('of %s and %j is %s', (tokenEndpointAuthMethod, redirectUris, holder) => {
    expect(refreshHolderOf({ tokenEndpointAuthMethod, redirectUris })).toBe(holder)
  })

  it('knows the loopback hosts of the site', () => {
    const client = {
      tokenEndpointAuthMethod: 'none',
      redirectUris: ['http://localhost/cb'],
    } as const
    expect(refreshHolderOf(client, ['127.0.0.1'])).toBe('public')
  })
})
