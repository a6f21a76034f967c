import * as policy from 'hallpass/policy'
import { decideReach } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { endedConsentKey } from '../../src/policy/consent.js'
import { decideKeyMove } from 'hallpass/token'

const DOCUMENT = { clientId: 'https://notes.example/client.json', name: 'Notes', redirectUris: ['https://notes.example/cb'], tokenEndpointAuthMethod: 'none' } // prettier-ignore
const CONSENT = { subject: 'mem_1', clientId: 'notes', redirectUri: 'https://notes.example/cb', resource: 'https://school.example' } // prettier-ignore
const CALLS: readonly (readonly [name: string, call: (facts: never) => unknown, facts: object])[] = [
  ['consentKey', policy.consentKey, CONSENT],
  ['endedConsentKey', endedConsentKey, { subject: 'mem_1', clientId: 'notes' }],
  ['mayRememberConsent', policy.mayRememberConsent, { kind: 'member', tokenEndpointAuthMethod: 'none' }],
  ['mayRedirectUnasked', policy.mayRedirectUnasked, { kind: 'member', scopes: null }],
  ['bearerChallenge', policy.bearerChallenge, { resourceMetadata: 'https://school.example/.well-known/x', error: null }],
  ['documentDigest', policy.documentDigest, { name: 'Notes', tokenEndpointAuthMethod: 'none' }],
  ['clientOfVendor', policy.clientOfVendor, { clientId: 'notes', name: 'Notes', redirectUris: [], scopes: null }],
  ['clientOfPinnedDocument', policy.clientOfPinnedDocument, { scopes: [] }],
  ['clientOfDocument', policy.clientOfDocument, { known: null, now: 1, freshUntil: 2 }],
  ['documentFreshUntil', policy.documentFreshUntil, { now: 1 }],
  ['decideRepeatedResource', policy.decideRepeatedResource, { bound: 'https://school.example', required: true }],
  ['decideKeyMove', decideKeyMove, { now: 1 }],
] // prettier-ignore
/** What they need besides. */
const BESIDE: Readonly<Record<string, object>> = {
  consentKey: { scopes: ['courses:read'] },
  documentDigest: { redirectUris: DOCUMENT.redirectUris },
  clientOfPinnedDocument: { metadata: null },
  clientOfDocument: { document: DOCUMENT },
  documentFreshUntil: { headers: new Headers() },
  decideRepeatedResource: { resources: [], names: policy.defineResource('https://school.example') },
  decideKeyMove: { key: { state: 'generated' }, keys: [], jwksMaxAgeSeconds: 60 },
}

describe('a call that lacks a fact', () => {
  it.each(
    CALLS.flatMap(([name, call, facts]) =>
      Object.keys(facts).map((fact) => [name, fact, call, facts] as const),
    ),
  )('says so: %s without %s', (name, fact, call, facts) => {
    const whole: Readonly<Record<string, unknown>> = { ...BESIDE[name], ...facts }
    expect(() => call(whole as never)).not.toThrow()
    expect(() => call({ ...whole, [fact]: undefined } as never)).toThrow(
      new TypeError(`${fact} is missing`),
    )
  })
})

it('one of the roles that a request needs is enough', () => {
  const reach = (roles: readonly string[]) =>
    decideReach({
      access: {
        scopes: ['courses:read'],
        client: { kind: 'loopback', scopes: null },
        person: { roles },
      },
      required: ['courses:read'],
      requiredRoles: ['owner', 'manager'],
      registry: schoolScopes,
      roles: schoolRoles,
    }).ok
  expect([reach(['owner']), reach(['manager']), reach(['lecturer'])]).toEqual([true, true, false])
})
