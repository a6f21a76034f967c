import fc from 'fast-check'
import {
  clientOfVendor,
  consentKey,
  decideSignInAge,
  identityClaims,
  mayRememberConsent,
} from 'hallpass/policy'
import { defineScopes, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { DESK_CLI, NOTES } from '../support/school/policy-samples.js'
import { ACME, OWNER, PORTFOLIO_HUB, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'
import { decideConsent } from '../../src/policy/consent.js'

describe('identityClaims', () => {
  it.each([
    [['openid'], { sub: 'mem_ines', org_id: 'site_lantern' }],
    [
      ['openid', 'profile'],
      {
        sub: 'mem_ines',
        org_id: 'site_lantern',
        name: 'Ines Duarte',
        picture: 'https://lantern.example/ines.png',
        roles: ['owner'],
      },
    ],
    [
      ['openid', 'email'],
      { sub: 'mem_ines', org_id: 'site_lantern', email: 'ines.duarte@example.com' },
    ],
  ])('opens with %j exactly this', (scopes, claims) => {
    expect(identityClaims({ person: OWNER, scopes })).toEqual(claims)
  })

  it('leaves out what the person does not have', () => {
    const person = { ...STUDENT, email: null, name: null }
    expect(identityClaims({ person, scopes: ['openid', 'profile', 'email'] })).toEqual({
      sub: 'mem_mei',
      org_id: 'site_lantern',
      roles: ['student'],
    })
  })

  it('opens e-mail and profile only with their scopes, whatever else is held', () => {
    fc.assert(
      fc.property(fc.subarray([...schoolScopes.names]), (scopes) => {
        const claims = identityClaims({ person: OWNER, scopes })
        expect('email' in claims).toBe(scopes.includes('email'))
        expect('name' in claims && 'roles' in claims).toBe(scopes.includes('profile'))
      }),
    )
  })
})

describe('consentKey', () => {
  const consent = {
    subject: 'mem_mei',
    clientId: 'portfolio-hub',
    redirectUri: 'https://hub.example/cb',
    scopes: ['openid', 'account:read'],
    resource: 'https://lantern.example',
  }

  it('stays what it was, so that consents in the store are found', () => {
    expect(consentKey(consent)).toBe('PZh3dgLTsen72PdR5i5MTqlMbst7wLzV887yD2gd9_c')
  })

  it('does not depend on the order of scopes', () => {
    expect(consentKey({ ...consent, scopes: ['account:read', 'openid'] })).toBe(consentKey(consent))
  })

  it.each(
    Object.entries({ ...consent, scopes: ['openid'] as string[] | string }).map(([name, value]) => [
      name,
      typeof value === 'string' ? `${value}x` : value,
    ]),
  )('changes with %s', (name, value) => {
    expect(consentKey({ ...consent, [name]: value })).not.toBe(consentKey(consent))
  })

  it('cannot be met by moving text from one field to another', () => {
    expect(consentKey({ ...consent, subject: 'a', clientId: 'bc' })).not.toBe(
      consentKey({ ...consent, subject: 'ab', clientId: 'c' }),
    )
  })
})

describe('decideConsent', () => {
  const decide = (
    asked: readonly string[],
    access: string | null,
    chosen: readonly string[] = [],
  ): unknown => decideConsent({ asked, access, chosen, registry: schoolScopes })

  it('refuses a choice that leaves nothing but who the person is', () => {
    expect(decide(['openid', 'courses:write'], 'read')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'consent_empty',
      description: 'no permission is selected: select at least one, or cancel',
    })
  })

  it('counts a scope that the registry no longer has as one to tick, never as one to read', () => {
    const asked = ['openid', 'courses:read', 'gone:read']
    expect(decide(asked, 'read')).toEqual({ ok: true, scopes: ['openid', 'courses:read'] })
    expect(decide(asked, 'choose', ['gone:read'])).toEqual({
      ok: true,
      scopes: ['openid', 'gone:read'],
    })
  })
})

describe('mayRememberConsent', () => {
  it.each([
    ['a self-registered client', DESK_CLI, false],
    [
      'a self-registered client with a secret',
      { ...DESK_CLI, tokenEndpointAuthMethod: 'client_secret_post' as const },
      false,
    ],
    ['an unreviewed document', NOTES, false],
    ['a reviewed document', { ...NOTES, scopes: ['courses:read'] }, false],
    ['a vendor', clientOfVendor(ACME), false],
    ['a public member client', STUDY_BUDDY, false],
    ['a confidential member client', PORTFOLIO_HUB, true],
  ])('decides for %s [UX-08]', (_, client, expected) => {
    expect(mayRememberConsent(client)).toBe(expected)
  })
})

describe('decideSignInAge', () => {
  it('knows what a scope implies [AUTH-42]', () => {
    const row = { audience: 'operator', access: 'write', group: 'Kiln', consent: 'Do it' } as const
    const registry = defineScopes({
      'kiln:all': { ...row, implies: ['kiln:lock'] },
      'kiln:lock': { ...row, sensitive: true },
    })
    const question = { authTime: T - 301, requestedAt: T, prompt: [], maxAge: null }
    const decision = decideSignInAge({ ...question, scopes: ['kiln:all'], registry })
    expect(decision).toMatchObject({ ok: false, reason: 'scope_needs_sign_in' })
  })

  const CHANGE = ['openid', 'members:write']
  it.each([
    ['nothing asked', [], null, ['courses:write'], T - 86_400, null],
    ['prompt=login, signed in before', ['login'], null, [], T - 1, 'sign_in_not_fresh'],
    ['prompt=login, signed in since', ['login'], null, CHANGE, T + 5, null],
    ['select_account, signed in before', ['select_account'], null, [], T - 1, 'sign_in_not_fresh'],
    ['max_age=60, 60 seconds ago', [], 60, CHANGE, T - 60, null],
    ['max_age=60, 61 seconds ago', [], 60, CHANGE, T - 61, 'sign_in_not_fresh'],
    ['max_age=0, a second ago', [], 0, [], T - 1, 'sign_in_not_fresh'],
    ['a sensitive scope, five minutes ago', [], null, CHANGE, T - 300, null],
    ['a sensitive scope, a second more', [], null, CHANGE, T - 301, 'scope_needs_sign_in'],
    ['a sensitive scope and a long max_age', [], 86_400, CHANGE, T - 301, 'scope_needs_sign_in'],
    ['a scope that is unknown', [], null, ['members:erase'], T - 301, null],
  ] as const)('with %s [AUTH-42]', (_, prompt, maxAge, scopes, authTime, reason) => {
    const question = { authTime, requestedAt: T, prompt, maxAge, scopes }
    const decision = decideSignInAge({ ...question, registry: schoolScopes })
    expect(decision).toEqual(
      reason === null
        ? { ok: true }
        : {
            ok: false,
            error: 'login_required',
            reason,
            description: 'the person must sign in again',
          },
    )
  })
})
