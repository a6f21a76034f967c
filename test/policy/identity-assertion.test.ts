import { createHash } from 'node:crypto'
import { decideIdentityAssertion } from 'hallpass/blocks'
import { defineResource } from 'hallpass/policy'
import { schoolScopes as registry } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { agent, IDP, ISSUER } from '../support/school/asserting-client.js'
import { T } from '../support/school/school.js'

const GRADES = 'https://grades.example'

const decide = (claims: object): unknown =>
  decideIdentityAssertion({
    header: { typ: 'oauth-id-jag+jwt' },
    claims: {
      iss: IDP,
      sub: 'u-ines',
      aud: ISSUER,
      client_id: 'agent',
      jti: 'a',
      iat: T,
      exp: T + 300,
      scope: 'courses:read',
      ...claims,
    },
    client: agent(),
    providers: new Map([[IDP, { clients: new Map([['agent', 'agent']]), tenant: null }]]),
    issuer: ISSUER,
    names: {
      canonical: ISSUER,
      accepted: new Map([...defineResource(ISSUER).accepted, ...defineResource(GRADES).accepted]),
    },
    registry,
    scope: null,
    resources: [],
    defaultScopes: null,
    provenKey: null,
    now: T,
  })

/** Another key lets an assertion be used again while a site is updated, since both versions then keep their own. */
const keyOf = (jti: string): string =>
  createHash('sha256').update(`["identity_assertion","${IDP}","${jti}"]`).digest('base64url')

const LONGEST = 'x'.repeat(256)

describe('decideIdentityAssertion', () => {
  it.each([
    ['u-ines', 'a'],
    [LONGEST, 'a'],
    ['u-ines', LONGEST],
  ])('grants what an assertion of the subject %s with the jti %s says', (sub, jti) => {
    expect(decide({ sub, jti })).toEqual({
      ok: true,
      provider: IDP,
      providerSubject: sub,
      scopes: ['courses:read'],
      resource: ISSUER,
      once: { key: keyOf(jti), until: T + 330 },
    })
  })

  it.each([
    [undefined, ISSUER],
    [`${ISSUER}/mcp`, ISSUER],
    [[`${ISSUER}/mcp`, ISSUER], ISSUER],
    [`${GRADES}/mcp`, GRADES],
    [[`${GRADES}/`, `${GRADES}/mcp`], GRADES],
  ])('is for the origin that the resource %j names: %s [IDJ-23]', (resource, audience) => {
    expect(decide({ resource })).toMatchObject({ ok: true, resource: audience })
  })

  it('is not for two resources', () => {
    expect(decide({ resource: [ISSUER, GRADES] })).toMatchObject({
      reason: 'identity_assertion_for_other_resource',
    })
  })

  it.each([{ sub: `${LONGEST}x` }, { jti: `${LONGEST}x` }])('refuses %j', (claims) => {
    expect(decide(claims)).toEqual({
      ok: false,
      error: 'invalid_grant',
      reason: 'identity_assertion_malformed',
    })
  })
})
