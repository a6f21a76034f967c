import type { SchoolScope } from 'hallpass/scope'
import {
  defineScopes,
  schoolRoles as roles,
  schoolScopes as scopes,
  schoolScopeTable,
} from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { type Access, type AccessRefusal, decideAccess } from '../../src/policy/bearer.js'
import type { Client, Person } from 'hallpass/policy'
import { addableScopes, explainMissing, reachOf } from '../../src/protected-resource/step-up.js'
import { DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { ISSUER, OWNER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const site = { issuer: ISSUER, scopes, roles, stepUpLinks: true }
const ASSISTANT = { ...OWNER, roles: ['assistant'] }

/** The access of a token that was issued to this client for this person. */
function accessOf({
  client = DESK_CLI,
  person = OWNER,
  tokenScopes = ['openid', 'courses:read'],
}: { client?: Client; person?: Person; tokenScopes?: readonly string[] } = {}): Access {
  const grant = {
    ...GRANT,
    clientId: client.clientId,
    subject: person.subject,
    scopes: tokenScopes,
  }
  const times = { issuedAt: T, expiresAt: T + 3600, revokedAt: null }
  const { grantId } = grant
  const accessToken = { tokenHash: 'hash', grantId, scopes: tokenScopes, ...times }
  const decided = decideAccess({
    found: { accessToken, grant },
    client,
    person,
    resource: ISSUER,
    required: [],
    registry: scopes,
    roles,
    now: T,
  })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.access
}

/** The sentence of the refusal for these scopes. */
function sentence(
  required: readonly SchoolScope[],
  access: Parameters<typeof accessOf>[0] = {},
  source: Partial<typeof site> = {},
): string | undefined {
  const reach = reachOf({ ...site, ...source }, accessOf(access), { required })
  if (reach.ok) throw new Error('the access is enough')
  return reach.description
}

describe('the sentence of a 403', () => {
  it('names what is missing, and one link for all of it [STEP-01]', () => {
    expect(sentence(['courses:read', 'courses:write'])).toBe(
      `This needs the permission courses:write. Open ${ISSUER}/oauth/interaction/grant_1?add=courses:write to allow it, then try again.`,
    )
    expect(sentence(['courses:write', 'events:read'])).toBe(
      `This needs the permissions courses:write, events:read. Open ${ISSUER}/oauth/interaction/grant_1?add=courses:write+events:read to allow it, then try again.`,
    )
  })

  it('has no link at a site without the page, which is the default [STEP-02]', () => {
    const wanted = 'This needs the permission courses:write. Connect the app again to allow it.'
    expect(sentence(['courses:write'], {}, { stepUpLinks: false })).toBe(wanted)
    const { stepUpLinks: _, ...bare } = site
    expect(reachOf(bare, accessOf(), { required: ['courses:write'] })).toMatchObject({
      description: wanted,
    })
  })

  it('says that the role is in the way, whether the token has the scope or not [STEP-02]', () => {
    const wanted =
      "This needs the permission orders:read, which the person's role does not include. Someone who manages the roles of this site can change that."
    expect(sentence(['orders:read'], { person: ASSISTANT })).toBe(wanted)
    const tokenScopes = ['courses:read', 'orders:read']
    expect(sentence(['orders:read'], { person: ASSISTANT, tokenScopes })).toBe(wanted)
  })

  it('says whether the app may not use the scope, or no app of its kind [STEP-02]', () => {
    const capped = { client: { ...DESK_CLI, scopes: ['courses:read'] } }
    expect(sentence(['courses:write'], capped)).toBe(
      'This needs the permission courses:write, which this app may not use. Someone who manages the apps of this site can change that.',
    )
    const kind = ', which apps of this kind cannot get. Use another app.'
    expect(sentence(['account:read'])).toBe(`This needs the permission account:read${kind}`)
    expect(sentence(['courses:write', 'account:read'], capped)).toBe(
      `This needs the permissions courses:write, account:read${kind}`,
    )
    const member = { client: STUDY_BUDDY, person: STUDENT }
    expect(sentence(['courses:write'], member)).toBe(
      `This needs the permission courses:write${kind}`,
    )
  })

  it('links to nothing that the client may not request, where that is implied [STEP-02]', () => {
    const row = { ...schoolScopeTable['courses:write'], implies: ['courses:read'] as const }
    const table = defineScopes({ ...schoolScopeTable, 'courses:write': row })
    const client = { ...DESK_CLI, scopes: ['courses:write'] }
    const access = accessOf({ client, tokenScopes: ['openid'] })
    const required = ['courses:read', 'courses:write']
    expect(reachOf({ ...site, scopes: table }, access, { required })).toMatchObject({
      description: expect.stringContaining('?add=courses:write to allow it'),
    })
  })

  it('leaves a refusal alone that lacks no scope [STEP-01]', () => {
    const refusal: AccessRefusal = {
      ok: false,
      error: 'invalid_token',
      reason: 'access_token_unknown',
    }
    expect(explainMissing(site, refusal, accessOf())).toBe(refusal)
    expect(reachOf(site, accessOf(), { required: ['courses:read'] })).toEqual({ ok: true })
  })
})

describe('addableScopes', () => {
  it('has what the client, its kind and the role permit, without what is held and identity scopes [STEP-02]', () => {
    const addable = addableScopes(site, accessOf())
    expect(addable).toContain('courses:write')
    expect(addable).not.toContain('courses:read')
    expect(addable.filter((scope) => scope.startsWith('account:') || !scope.includes(':'))).toEqual(
      [],
    )
    expect(addableScopes(site, accessOf({ person: ASSISTANT }))).not.toContain('orders:read')
    const client = { ...DESK_CLI, scopes: ['courses:read', 'events:read'] }
    expect(addableScopes(site, accessOf({ client }))).toEqual(['events:read'])
    expect(addableScopes(site, accessOf({ client: STUDY_BUDDY, person: STUDENT }))).toEqual([
      'account:read',
    ])
  })
})
