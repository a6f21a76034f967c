import { createAccountApi } from 'hallpass/account-api'
import { createAuthorizationServer } from 'hallpass'
import { createMcpEndpoint } from 'hallpass/mcp'
import { sdkAdapter } from 'hallpass/mcp-sdk'
import { createOperatorApi } from 'hallpass/operator'
import { createProtectedResource } from 'hallpass/resource'
import { defineScopes, type RoleTable, rolesFor, schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/account.js'
import { ISSUER, T } from '../support/school.js'

const SITE = {
  issuer: ISSUER,
  store: createMemoryStore(),
  findPerson: async () => null,
  scopes: schoolScopes,
  roles: schoolRoles,
  now: () => T,
}
const page = (): Response => new Response()
const { source } = createSource(new Map())

/** What a site is made of, each by the name that its messages begin with. */
const PARTS: readonly (readonly [string, (changes: object) => unknown])[] = [
  [
    'authorization server',
    (changes) =>
      createAuthorizationServer({
        ...SITE,
        siteName: 'Lantern Street',
        keys: createKeyRing({
          store: SITE.store,
          sealingSecret: 'a sealing secret of thirty-two characters',
          now: SITE.now,
        }),
        interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
        ...changes,
      }),
  ],
  ['protected resource', (changes) => createProtectedResource({ ...SITE, ...changes })],
  ['account API', (changes) => createAccountApi({ ...SITE, source, ...changes })],
  ['operator API', (changes) => createOperatorApi({ ...SITE, operations: [], ...changes })],
  [
    'mcp',
    (changes) =>
      createMcpEndpoint({
        ...SITE,
        site: { id: 'site', name: 'Lantern Street' },
        tools: [],
        adapter: sdkAdapter,
        ...changes,
      }),
  ],
]

const WRONG_ISSUERS = [
  `${ISSUER}/`,
  `${ISSUER}/oauth`,
  'http://lantern.example',
  'https://LANTERN.example',
  'https://lantern.example:443',
  'lantern.example',
  '',
  undefined,
]

describe.each(PARTS)('the %s', (name, create) => {
  it('starts with a site that is well', () => {
    expect(() => create({})).not.toThrow()
    expect(() => create({ issuer: 'http://127.0.0.1:3000' })).not.toThrow()
  })

  it.each(WRONG_ISSUERS)('does not start with the issuer %j', (issuer) => {
    expect(() => create({ issuer })).toThrow(
      new TypeError(
        `${name}: issuer "${issuer}" is not an origin such as https://school.example (http on loopback alone)`,
      ),
    )
  })

  it('does not start with a role that names a scope which the registry lacks', () => {
    const roles: RoleTable = {
      ...schoolRoles,
      helper: { staff: true, scopes: ['courses:read', 'coruses:write'] },
    }
    expect(() => create({ roles })).toThrow(
      new TypeError(
        `${name}: roles.helper names the unknown scope "coruses:write": rolesFor(scopes, roles) leaves such out`,
      ),
    )
  })

  it('names every fault at once', () => {
    const roles: RoleTable = { helper: { staff: true, scopes: ['x'] } }
    expect(() => create({ issuer: 'x', roles, vendros: [] })).toThrow(
      new RegExp(`^${name}: unknown option "vendros"; issuer "x" .*; roles\\.helper names`),
    )
  })
})

describe('rolesFor', () => {
  it('leaves out what the registry lacks, and nothing else', () => {
    const scopes = defineScopes({
      'courses:read': { audience: 'operator', access: 'read', group: 'Courses', consent: 'See' },
    })
    const roles: RoleTable = {
      owner: { staff: true, scopes: 'all', managesClients: true },
      helper: { staff: true, scopes: ['events:read', 'courses:read'] },
      student: { staff: false, scopes: [] },
    }
    expect(rolesFor(scopes, roles)).toEqual({
      ...roles,
      helper: { staff: true, scopes: ['courses:read'] },
    })
  })
})
