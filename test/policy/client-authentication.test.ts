import fc from 'fast-check'
import { type Client, decideClientAuthentication } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { PORTFOLIO_HUB, PORTFOLIO_SECRET, STUDY_BUDDY, T } from '../support/school/school.js'

const ask = (
  client: Client | null,
  clientSecret: string | null = null,
  authorization: string | null = null,
): unknown => decideClientAuthentication({ client, clientSecret, authorization, now: T })

describe('decideClientAuthentication', () => {
  it('takes a public client at its name', () => {
    expect(ask(STUDY_BUDDY)).toEqual({ ok: true, client: STUDY_BUDDY })
  })

  it('takes a confidential client with its secret', () => {
    expect(ask(PORTFOLIO_HUB, PORTFOLIO_SECRET)).toEqual({ ok: true, client: PORTFOLIO_HUB })
  })

  it.each([
    ['an unknown client', null, null, null, 'invalid_client', 'client_unknown'],
    ['an unknown client with a secret', null, 'x', null, 'invalid_client', 'client_unknown'],
    ['no secret', PORTFOLIO_HUB, null, null, 'invalid_client', 'client_secret_missing'],
    ['a wrong secret', PORTFOLIO_HUB, 'wrong', null, 'invalid_client', 'client_secret_mismatch'],
    [
      'the hash as secret',
      PORTFOLIO_HUB,
      hashToken(PORTFOLIO_SECRET),
      null,
      'invalid_client',
      'client_secret_mismatch',
    ],
    [
      'a secret for a public client',
      STUDY_BUDDY,
      'x',
      null,
      'invalid_client',
      'client_secret_unexpected',
    ],
    [
      'a secret in the header',
      PORTFOLIO_HUB,
      null,
      'Basic eDp5',
      'invalid_client',
      'client_auth_method_not_supported',
    ],
    [
      'two methods',
      PORTFOLIO_HUB,
      PORTFOLIO_SECRET,
      'Basic eDp5',
      'invalid_request',
      'client_auth_ambiguous',
    ],
    [
      'a disabled client',
      { ...STUDY_BUDDY, disabled: true },
      null,
      null,
      'invalid_client',
      'client_disabled',
    ],
    [
      'a disabled client with its secret',
      { ...PORTFOLIO_HUB, disabled: true },
      PORTFOLIO_SECRET,
      null,
      'invalid_client',
      'client_disabled',
    ],
    [
      'a confidential client whose store lost the secrets',
      { ...PORTFOLIO_HUB, secrets: [] },
      PORTFOLIO_SECRET,
      null,
      'invalid_client',
      'client_secret_mismatch',
    ],
  ] as const)('refuses %s', (_, client, secret, authorization, error, reason) => {
    expect(ask(client, secret, authorization)).toMatchObject({ ok: false, error, reason })
  })

  it('says nothing to an unknown client but that it failed', () => {
    expect(ask(null)).toStrictEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'client_unknown',
    })
  })

  it('takes either secret while a rotation overlaps, and the old one not a second longer', () => {
    const rotated: Client = {
      ...PORTFOLIO_HUB,
      secrets: [
        { hash: hashToken('new'), expiresAt: null },
        { hash: hashToken('old'), expiresAt: T + 1 },
      ],
    }
    expect(ask(rotated, 'new')).toMatchObject({ ok: true })
    expect(ask(rotated, 'old')).toMatchObject({ ok: true })
    const later = decideClientAuthentication({
      client: rotated,
      clientSecret: 'old',
      authorization: null,
      now: T + 1,
    })
    expect(later).toMatchObject({ ok: false, reason: 'client_secret_mismatch' })
  })

  it('takes no secret but the right one', () => {
    fc.assert(
      fc.property(fc.string(), (secret) => {
        fc.pre(secret !== PORTFOLIO_SECRET)
        expect(ask(PORTFOLIO_HUB, secret)).toMatchObject({ ok: false })
      }),
    )
  })
})
