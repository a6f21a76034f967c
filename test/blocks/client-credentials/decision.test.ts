import { defineResource } from 'hallpass/policy'
import { defineScopes, schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { decideClientCredentials } from '../../../src/policy/client-credentials.js'

type Request = Parameters<typeof decideClientCredentials>[0]

const service = (...roles: readonly string[]) => ({
  subject: 'srv_payroll',
  orgId: 'school.example',
  roles,
  name: 'service: Payroll sync',
  email: null,
  picture: null,
})
const request: Request = {
  client: {
    kind: 'vendor',
    scopes: ['orders:read', 'courses:read', 'courses:write'],
    tokenEndpointAuthMethod: 'client_secret_post',
  },
  service: service('owner'),
  scope: 'orders:read',
  resources: [],
  recommended: [],
  registry: schoolScopes,
  roles: schoolRoles,
  names: defineResource('https://school.example'),
}
const client = (fields: Partial<Request['client']>) => ({
  client: { ...request.client, ...fields },
})
const decide = (fields: Partial<Request> = {}) => decideClientCredentials({ ...request, ...fields })
const NO_SERVICE = 'this client is not a service of this site: ask a manager of the site'
const BEYOND_ROLE = 'the role of this service does not allow that: ask for less'

describe('decideClientCredentials', () => {
  it.each<[string, Partial<Request>, unknown]>([
    [
      'a public client, whatever its service is [SVC-02]',
      client({ tokenEndpointAuthMethod: 'none' }),
      {
        error: 'unauthorized_client',
        reason: 'service_client_public',
        description: 'client_credentials is for clients with a secret or a key',
      },
    ],
    [
      'a member client [SVC-03]',
      client({ kind: 'member', scopes: ['account:read'] }),
      {
        error: 'unauthorized_client',
        reason: 'service_client_of_members',
        description: 'this client is for members: use authorization_code',
      },
    ],
    [
      'a client without a service [SVC-04]',
      { service: undefined },
      { error: 'unauthorized_client', reason: 'client_not_a_service', description: NO_SERVICE },
    ],
    [
      'a client whose scopes no manager gave, even if it asks for one [SVC-05]',
      client({ scopes: null }),
      { error: 'unauthorized_client', reason: 'service_unlimited', description: NO_SERVICE },
    ],
    [
      'a service that is gone [SVC-06]',
      { service: null },
      { error: 'unauthorized_client', reason: 'service_gone', description: NO_SERVICE },
    ],
    [
      'a service without a role [SVC-07]',
      { service: service() },
      { error: 'unauthorized_client', reason: 'service_has_no_role', description: NO_SERVICE },
    ],
    [
      'a service with a role that no table has, such as a name of every object [SVC-07]',
      { service: service('constructor') },
      { error: 'unauthorized_client', reason: 'service_has_no_role', description: NO_SERVICE },
    ],
    [
      'the resource of another site [SVC-12]',
      { resources: ['https://school.example', 'https://other.example'] },
      {
        error: 'invalid_target',
        reason: 'resource_unknown',
        description: 'resource must be one of the metadata, such as https://school.example',
      },
    ],
    [
      'a scope beyond the list of the client [SVC-08]',
      { scope: 'orders:read members:read' },
      {
        error: 'invalid_scope',
        reason: 'scope_not_allowed_for_client',
        description: 'scope contains a scope that this client may not request',
      },
    ],
    [
      'a read scope of a reviewed document that its list does not have [SVC-08]',
      { ...client({ kind: 'document', scopes: ['courses:write'] }), scope: 'orders:read' },
      {
        error: 'invalid_scope',
        reason: 'scope_not_allowed_for_client',
        description: 'scope contains a scope that this client may not request',
      },
    ],
    [
      'a scope beyond the role of the service [SVC-09]',
      { scope: 'courses:read courses:write', service: service('assistant') },
      { error: 'invalid_scope', reason: 'scope_beyond_service', description: BEYOND_ROLE },
    ],
    [
      'no scope, if the role allows none of the list [SVC-09]',
      { scope: null, service: service('student') },
      { error: 'invalid_scope', reason: 'scope_beyond_service', description: BEYOND_ROLE },
    ],
    [
      'a scope of members, even if the list has it [SVC-11]',
      { ...client({ scopes: ['orders:read', 'account:read'] }), scope: 'orders:read account:read' },
      {
        error: 'invalid_scope',
        reason: 'scope_of_other_audience',
        description:
          'scope contains a scope of the other audience: account scopes are for member clients, all other scopes except the identity scopes for operator clients',
      },
    ],
    [
      'an unknown scope',
      { scope: 'orders:burn' },
      {
        error: 'invalid_scope',
        reason: 'scope_unknown',
        description: 'scope contains an unknown scope: see scopes_supported in the metadata',
      },
    ],
    [
      'a malformed scope',
      { scope: 'orders:read "x"' },
      {
        error: 'invalid_scope',
        reason: 'scope_malformed',
        description: 'scope must be scope names separated by spaces',
      },
    ],
    [
      'a scope of spaces',
      { scope: ' ' },
      {
        error: 'invalid_scope',
        reason: 'scope_missing',
        description: 'scope must name at least one scope',
      },
    ],
  ])('refuses %s', (_, fields, refusal) => {
    expect(decide(fields)).toEqual({ ok: false, ...(refusal as object) })
  })

  it.each(['openid', 'profile', 'email', 'offline_access'])(
    'refuses the scope %s by its name, with others or alone [SVC-10]',
    (scope) => {
      const refusal = {
        ok: false,
        error: 'invalid_scope',
        reason: 'scope_of_person',
        description: `scope ${scope} is about a person who signed in: leave it out, because a service has no person`,
      }
      expect(decide({ scope })).toEqual(refusal)
      expect(decide({ scope: `orders:read ${scope}` })).toEqual(refusal)
    },
  )

  it('gives what was asked for, in that order and once [SVC-01]', () => {
    const scope = 'courses:read orders:read courses:read'
    expect(decide({ scope })).toEqual({
      ok: true,
      subject: 'srv_payroll',
      scopes: ['courses:read', 'orders:read'],
      resource: 'https://school.example',
    })
  })

  it('gives every scope that list and role have in common, if none is asked for [SVC-01]', () => {
    const scopesFor = (role: string) => {
      const decided = decide({ scope: null, service: service(role) })
      return decided.ok ? decided.scopes : decided.reason
    }
    expect(scopesFor('owner')).toEqual(['courses:read', 'courses:write', 'orders:read'])
    expect(scopesFor('assistant')).toEqual(['courses:read'])
  })

  it('leaves out what it cannot have of the scopes that the site recommends to everyone [SVC-20]', () => {
    const recommended = ['openid', 'profile', 'courses:read', 'members:read', 'account:read']
    const assistant = { recommended, service: service('assistant') }
    expect(decide({ ...assistant, scope: recommended.join(' ') })).toMatchObject({
      ok: true,
      scopes: ['courses:read'],
    })
    expect(decide({ ...assistant, scope: 'openid profile' })).toMatchObject({
      reason: 'scope_of_person',
    })
    expect(decide({ ...assistant, scope: 'courses:read email' })).toMatchObject({
      reason: 'scope_of_person',
    })
    expect(decide({ ...assistant, scope: 'courses:read orders:read' })).toMatchObject({
      reason: 'scope_beyond_service',
    })
    const offline = ['offline_access', 'courses:read']
    expect(decide({ recommended: offline, scope: offline.join(' ') })).toMatchObject({
      reason: 'scope_of_person',
    })
  })

  it('gives no scope of members and of identity, if none is asked for and the list has them [SVC-10, SVC-11]', () => {
    const scopes = ['openid', 'account:read', 'orders:read']
    expect(decide({ scope: null, ...client({ scopes }) })).toMatchObject({
      ok: true,
      scopes: ['orders:read'],
    })
  })

  it('takes every spelling of the resource of its own site, and stores one [SVC-12]', () => {
    const resources = ['https://school.example/mcp', 'https://school.example']
    expect(decide({ resources })).toMatchObject({ ok: true, resource: 'https://school.example' })
  })

  it('asks the tables of the site, and no others', () => {
    const row = { consent: 'Reads the till.', group: 'Till' }
    const registry = defineScopes({
      till: { ...row, audience: 'operator', access: 'read' },
      me: { ...row, audience: 'any', access: 'identity' },
    })
    const own = { registry, roles: { clerk: { staff: true, scopes: ['till'] } } } as const
    const fields = { ...own, ...client({ scopes: ['till'] }), service: service('clerk') }
    expect(decide({ ...fields, scope: 'till' })).toMatchObject({ ok: true, scopes: ['till'] })
    expect(decide({ ...fields, scope: 'me' })).toMatchObject({ reason: 'scope_of_person' })
  })
})
