import { describe, expect, it } from 'vitest'
import { compile, readSource } from '../support/source/compile.js'

/** What a snippet has at hand: values as a host or a handler would hold them. */
const AT_HAND = `
import { createAuthorizationServer, createProtectedResource, defineSite, type Site, type SiteOptions } from 'hallpass'
import { deliverEvents } from 'hallpass/operations'
import * as clients from 'hallpass/clients'
import * as operations from 'hallpass/operations'
import { type AuthorizationServerConfiguration, type AuthorizationServerOptions, type SignedIn } from 'hallpass/authorization-server'
import { privateKeyJwt } from 'hallpass/blocks'
import { createMcpEndpoint, defineTool, type McpEndpointOptions, operationTools, toolsFor } from 'hallpass/mcp'
import { createAdminApi, defineList, defineOperation, type Operation, type AdminApi, operationsFor } from 'hallpass/admin'
import * as policy from 'hallpass/policy'
import { defineScopes, omitScopes, rolesFor, type SchoolScope, schoolRoles, schoolScopes, schoolScopeTable, type ScopeTable } from 'hallpass/scope'
import { createMemoryStore, type Store, type StoreWith } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import * as z from 'zod'
import * as approval from '../../src/authorization-server/approval.js'
import type { Context } from '../../src/http/context.js'
import type { ClientRequest } from '../../src/authorization-server/block.js'
import { exchangeCode } from '../../src/authorization-server/code-grant.js'
import { exchangeRefreshToken } from '../../src/authorization-server/refresh-grant.js'
import { flag, methods, optional, type Rules, shape, text, whole } from '../../src/options/check.js'
declare const context: Context
declare const configuration: AuthorizationServerConfiguration
declare const client: policy.Client
declare const code: policy.AuthorizationCode
declare const grant: policy.Grant
declare const refreshToken: policy.RefreshToken
declare const asked: ClientRequest
declare const names: policy.ResourceNames
declare const signedIn: SignedIn
declare const request: policy.AuthorizationRequest
declare const accessQuestion: Parameters<typeof policy.decideAccess>[0]
declare const refreshQuestion: Parameters<typeof policy.decideRefresh<policy.RefreshToken, policy.Grant>>[0]
declare const administration: clients.ClientManagement
declare const managing: Parameters<typeof clients.decideManager>[0]
declare const draft: clients.MemberClientDraft
declare const review: Parameters<typeof clients.decideReview>[0]
declare const authorization: Parameters<typeof policy.decideAuthorizationRequest>[0]
declare const host: Omit<SiteOptions<SchoolScope>, 'scopes' | 'roles' | 'vendors' | 'pinnedDocuments'>
declare const server: AuthorizationServerOptions<SchoolScope>
declare const mcp: Omit<McpEndpointOptions<SchoolScope>, 'tools'>
declare const access: policy.Access<SchoolScope>
declare const otherApi: AdminApi<'courses:read' | 'kiln:read'>
const school = { ...host, scopes: schoolScopes, roles: schoolRoles }
const site = defineSite(school)
declare const own: StoreWith
const block = privateKeyJwt({ keysOf: async () => null, once: createMemoryStore() })
declare const least: Omit<typeof school, 'store' | 'outbox' | 'stepUpLinks'>
declare const small: Site<SchoolScope, StoreWith>
interface Limits { readonly depth?: number; readonly cost: number }
interface Wiring { readonly path: string; readonly most?: number; readonly limits?: Limits }
const path = text('"/api"')
const most = optional(whole(1))
const limits = optional(shape<Limits>('{ cost: 1 }', { depth: most, cost: whole(1) }))
const vendor = { clientId: 'a', name: 'A', redirectUris: [], reviewedOn: '2026-11-20' }
const row = { audience: 'operator', access: 'read', group: 'Kiln', consent: 'See it' } as const
const kiln = { id: 'kiln.get', summary: 'Get the kiln', effect: 'read', method: 'GET', path: '/kiln',
  input: z.strictObject({}), output: z.object({}), run: async () => ({}) } as const
const kilns = { id: 'kiln.list', summary: 'List kilns', path: '/kilns', item: z.object({ id: z.string() }),
  filters: {}, sorts: ['id'], rows: async () => [] } as const
const fire = { name: 'fire', title: 'Fire', description: 'Fires.', input: z.strictObject({}),
  output: z.object({}), run: async () => ({}) } as const
const redemption = { code, names, redirectUri: '', codeVerifier: '', resources: [], now: 0 }
const authenticated = policy.decideClientAuthentication({
  client,
  clientSecret: null,
  authorization: null,
  now: 0,
})
`

interface Pair {
  readonly title: string
  readonly wrong: string
  readonly right: string
  /** What the compiler must complain about. */
  readonly fault: RegExp
}

const SNIPPETS: readonly Pair[] = [
  {
    title: 'redirecting an error to an address as it was received',
    wrong: `approval.redirectRefusal(configuration, { redirectUri: 'https://x.example/cb', state: null },
      policy.refuse('access_denied', 'person_denied'))`,
    right: `const decided = policy.decideAuthorizationRequest(authorization)
      if (!decided.ok && decided.redirect !== null)
        approval.redirectRefusal(configuration, decided.redirect, decided)`,
    fault: /^TS2322: Type 'string' is not assignable to type 'TrustedRedirect'/,
  },
  {
    title: 'redirecting a refusal that must stay on a page',
    wrong: `const decided = policy.decideAuthorizationRequest(authorization)
      if (!decided.ok) approval.redirectRefusal(configuration, decided.redirect, decided)`,
    right: `const decided = policy.decideAuthorizationRequest(authorization)
      if (!decided.ok && decided.redirect !== null)
        approval.redirectRefusal(configuration, decided.redirect, decided)`,
    fault: /^TS2345: .*\| null' is not assignable/,
  },
  {
    title: 'building a redirect to a registered address that nobody decided',
    wrong: `policy.buildRedirect(client.redirectUris[0]!, { code: 'c' })`,
    right: `const decided = policy.decideRedirectUri({ redirectUri: 'https://x.example/cb',
        registered: client.redirectUris })
      if (decided.ok) policy.buildRedirect(decided.redirectUri, { code: 'c' })`,
    fault: /^TS2345: .*'string' is not assignable to parameter of type 'TrustedRedirect'/,
  },
  {
    title: 'using what a decision grants without asking whether it grants',
    wrong: `const decided = policy.decideRedirectUri({ redirectUri: null, registered: [] })
      policy.buildRedirect(decided.redirectUri, {})`,
    right: `const decided = policy.decideRedirectUri({ redirectUri: null, registered: [] })
      if (decided.ok) policy.buildRedirect(decided.redirectUri, {})`,
    fault: /^TS2339: Property 'redirectUri' does not exist/,
  },
  {
    title: 'deciding a redemption for a client that did not authenticate',
    wrong: `policy.decideRedemption({ ...redemption, client })`,
    right: `if (authenticated.ok)
        policy.decideRedemption({ ...redemption, client: authenticated.client })`,
    fault: /^TS2322: Type 'Client' is not assignable to type 'AuthenticatedClient</,
  },
  {
    title: 'deciding a refresh for a client that did not authenticate',
    wrong: `policy.decideRefresh({ ...refreshQuestion, client })`,
    right: `if (authenticated.ok)
        policy.decideRefresh({ ...refreshQuestion, client: authenticated.client })`,
    fault: /^TS2375: Type 'Client' is not assignable to type 'AuthenticatedClient</,
  },
  {
    title: 'exchanging a code for a client that did not authenticate',
    wrong: `void exchangeCode(asked, client, { now: 0, code: null })`,
    right: `if (authenticated.ok)
        void exchangeCode(asked, authenticated.client, { now: 0, code: null })`,
    fault: /^TS2379: .*'Client' is not assignable to parameter of type 'AuthenticatedClient'/,
  },
  {
    title: 'exchanging a refresh token for a client that did not authenticate',
    wrong: `void exchangeRefreshToken(asked, client, { now: 0, found: null })`,
    right: `if (authenticated.ok)
        void exchangeRefreshToken(asked, authenticated.client, { now: 0, found: null })`,
    fault: /^TS2379: .*'Client' is not assignable to parameter of type 'AuthenticatedClient'/,
  },
  {
    title: 'calling a stored code redeemable',
    wrong: `const redeemable: policy.RedeemableCode = code; void redeemable`,
    right: `if (!authenticated.ok) throw new Error(authenticated.reason)
      const decided = policy.decideRedemption({ ...redemption, client: authenticated.client })
      if (!decided.ok) throw new Error(decided.reason)
      const redeemable: policy.RedeemableCode = decided.code; void redeemable`,
    fault: /^TS2375: Type 'AuthorizationCode' is not assignable to type 'RedeemableCode'/,
  },
  {
    title: 'calling a stored refresh token rotatable',
    wrong: `const rotatable: policy.RotatableToken = refreshToken; void rotatable`,
    right: `const decided = policy.decideRefresh(refreshQuestion)
      if (!decided.ok || decided.outcome !== 'rotate') throw new Error('no')
      const rotatable: policy.RotatableToken = decided.refreshToken; void rotatable`,
    fault: /^TS2322: Type 'RefreshToken' is not assignable to type 'RotatableToken'/,
  },
  {
    title: 'rotating where a lost answer is only to be given again',
    wrong: `const decided = policy.decideRefresh(refreshQuestion)
      if (decided.ok) void decided.refreshToken`,
    right: `const decided = policy.decideRefresh(refreshQuestion)
      if (decided.ok && decided.outcome === 'rotate') void decided.refreshToken`,
    fault: /^TS2339: Property 'refreshToken' does not exist/,
  },
  {
    title: 'issuing a code for an approval that nobody gave',
    wrong: `void approval.issueCode(configuration, context,
        { request, signedIn, remembered: true, consentKey: null, grantEndsAt: null }, { grantId: 'grant_1', pendingIdHash: null })`,
    right: `void approval.issueCode(configuration, context,
        approval.decideApproval({ client, request, signedIn, grantEndsAt: null }), { grantId: 'grant_1', pendingIdHash: null })`,
    fault: /^TS2741: Property '\[APPROVED\]' is missing/,
  },
  {
    title: 'creating a client for a person of whom nobody asked whether they manage clients',
    wrong: `void administration.create(managing.person, draft)`,
    right: `const decided = clients.decideManager(managing)
      if (decided.ok) void administration.create(decided.manager, draft)`,
    fault: /^TS2345: .*'Person' is not assignable to parameter of type 'Manager'/,
  },
  {
    title: 'removing a client for whoever is signed in',
    wrong: `void administration.remove(signedIn, client.clientId)`,
    right: `const decided = clients.decideManager(managing)
      if (decided.ok) void administration.remove(decided.manager, client.clientId)`,
    fault: /^TS2345: .*'SignedIn' is not assignable to parameter of type 'Manager'/,
  },
  {
    title: 'reviewing a document as a person who does not manage clients',
    wrong: `clients.decideReview({ ...review, reviewer: managing.person })`,
    right: `const decided = clients.decideManager(managing)
      if (decided.ok) clients.decideReview({ ...review, reviewer: decided.manager })`,
    fault: /^TS2322: Type 'Person' is not assignable to type 'Manager'/,
  },
  {
    title: 'reading a secret of a client that may not have been created',
    wrong: `const decided = clients.decideManager(managing)
      if (decided.ok)
        void administration.create(decided.manager, draft).then((made) => made.clientSecret)`,
    right: `const decided = clients.decideManager(managing)
      if (decided.ok)
        void administration.create(decided.manager, draft)
          .then((made) => made.ok ? made.clientSecret : made.reason)`,
    fault: /^TS2339: Property 'clientSecret' does not exist/,
  },
  {
    title: 'writing down an access instead of deciding it',
    wrong: `const access: policy.Access = { person: accessQuestion.person!, client, grantId: '',
        scopes: ['courses:write'], tokenScopes: [], resource: '', expiresAt: 1, hasFixedScopes: false }; void access`,
    right: `const decided = policy.decideAccess(accessQuestion)
      if (!decided.ok) throw new Error(decided.reason)
      const access: policy.Access = decided.access; void access`,
    fault: /^TS2741: Property '\[granted\]' is missing/,
  },
  {
    title: 'refusing with a misspelt reason',
    wrong: `policy.refuse('invalid_grant', 'code_expird')`,
    right: `policy.refuse('invalid_grant', 'code_expired')`,
    fault: /^TS2345: Argument of type '"code_expird"' is not assignable/,
  },
  {
    title: 'refusing with a reason of another error',
    wrong: `policy.refuse('invalid_request', 'code_expired')`,
    right: `policy.refuse('invalid_grant', 'code_expired')`,
    fault: /^TS2345: Argument of type '"code_expired"' is not assignable/,
  },
  {
    title: 'comparing a reason with one that the decision never has',
    wrong: `const decided = policy.decideResource({ resources: [], names, required: true })
      if (!decided.ok && decided.reason === 'code_expired') throw new Error()`,
    right: `const decided = policy.decideResource({ resources: [], names, required: true })
      if (!decided.ok && decided.reason === 'resource_missing') throw new Error()`,
    fault: /^TS2367: /,
  },
  {
    title: 'leaving a reason out of a switch that says it has them all',
    wrong: `const decided = policy.decideResource({ resources: [], names, required: true })
      if (!decided.ok) switch (decided.reason) {
        case 'resource_missing': break
        default: decided.reason satisfies never
      }`,
    right: `const decided = policy.decideResource({ resources: [], names, required: true })
      if (!decided.ok) switch (decided.reason) {
        case 'resource_missing':
        case 'resource_unknown': break
        default: decided.reason satisfies never
      }`,
    fault: /^TS1360: Type '"resource_unknown"' does not satisfy/,
  },
]

const MEANT =
  /^TS2(?:820|322): .*'"coures:read"' is not assignable to type .*Did you mean '"courses:read"'\?/s

/** Scopes that the registry lacks. */
const SCOPES: readonly Pair[] = [
  {
    title: 'a gate for a misspelt scope',
    wrong: `createProtectedResource(site).gate('coures:read')`,
    right: `createProtectedResource(site).gate('courses:read')
      createProtectedResource(
        defineSite({ ...school, scopes: defineScopes({ ...schoolScopeTable, 'kiln:read': row }) }))
        .gate('courses:read', 'kiln:read')`,
    fault:
      /^TS2345: Argument of type '"coures:read"' is not assignable to parameter of type 'SchoolScope'/,
  },
  {
    title: 'asking an access for a misspelt scope',
    wrong: `access.scopes.includes('courses:wirte')`,
    right: `access.scopes.includes('courses:write')
      void createProtectedResource(site).gate()(new Request('https://x.example')).then((answer) =>
        answer instanceof Response || answer.scopes.includes('courses:write'))`,
    fault: /^TS2345: Argument of type '"courses:wirte"' is not assignable/,
  },
  {
    title: 'a role with a misspelt scope',
    wrong: `defineSite({ ...school, roles: { helper: { staff: true, scopes: ['coures:read'] } } })`,
    right: `defineSite({ ...school, roles: { helper: { staff: true, scopes: ['courses:read'] } } })`,
    fault: MEANT,
  },
  {
    title: 'a vendor with a misspelt scope',
    wrong: `defineSite({ ...school, vendors: [{ ...vendor, scopes: ['coures:read'] }] })`,
    right: `defineSite({ ...school, vendors: [{ ...vendor, scopes: ['courses:read'] }] })`,
    fault: MEANT,
  },
  {
    title: 'a pinned document with a misspelt scope',
    wrong: `defineSite({ ...school,
      pinnedDocuments: [{ metadata: {}, scopes: ['coures:read'], checkedOn: '2026-11-20' }] })`,
    right: `defineSite({ ...school,
      pinnedDocuments: [{ metadata: {}, scopes: ['courses:read'], checkedOn: '2026-11-20' }] })`,
    fault: MEANT,
  },
  {
    title: 'a default of misspelt scopes',
    wrong: `createAuthorizationServer(site, { ...server, defaultScopes: ['coures:read'] })`,
    right: `createAuthorizationServer(site, { ...server, defaultScopes: ['courses:read'] })`,
    fault: MEANT,
  },
  {
    title: 'a baseline of misspelt scopes',
    wrong: `createAuthorizationServer(site, { ...server, baselineScopes: ['coures:read'] })`,
    right: `createAuthorizationServer(site, { ...server, baselineScopes: ['courses:read'] })`,
    fault: MEANT,
  },
  {
    title: 'leaving a misspelt scope out of a table',
    wrong: `omitScopes(schoolScopeTable, ['coures:read'])`,
    right: `defineScopes(omitScopes(schoolScopeTable, ['courses:read'])).names satisfies
      readonly Exclude<SchoolScope, 'courses:read'>[]`,
    fault: MEANT,
  },
  {
    title: 'a bound operation behind a misspelt scope',
    wrong: `operationsFor(schoolScopes).defineOperation({ ...kiln, scope: 'coures:read' })`,
    right: `operationsFor(schoolScopes).defineOperation({ ...kiln, scope: 'courses:read' })`,
    fault: MEANT,
  },
  {
    title: 'a bound list behind a misspelt scope',
    wrong: `operationsFor(schoolScopes).defineList({ ...kilns, scope: 'coures:read' })`,
    right: `operationsFor(schoolScopes).defineList({ ...kilns, scope: 'courses:read' })`,
    fault: MEANT,
  },
  {
    title: 'the sort field of a list, read as of another type',
    wrong: `defineList({ ...kilns, scope: 'courses:read',
      rows: async (_, { after }) => (after?.key satisfies number | undefined, []) })`,
    right: `defineList({ ...kilns, scope: 'courses:read',
      rows: async (_, { after }) => (after?.key satisfies string | undefined, []) })`,
    fault:
      /^TS1360: Type 'string \| undefined' does not satisfy the expected type 'number \| undefined'/,
  },
  {
    title: 'a bound tool that needs a misspelt scope',
    wrong: `toolsFor(schoolScopes).defineTool({ ...fire, scopes: ['coures:read'] })`,
    right: `toolsFor(schoolScopes).defineTool({ ...fire, scopes: ['courses:read'] })
      toolsFor(schoolScopes).defineTool(fire)`,
    fault: MEANT,
  },
  {
    title: 'implying what is not in the table',
    wrong: `defineScopes({ a: { ...row, implies: ['aa'] }, b: row })`,
    right: `defineScopes({ a: { ...row, implies: ['b'] }, b: row }).names satisfies readonly ('a' | 'b')[]`,
    fault: /^TS2322: Type '"aa"' is not assignable to type '"a" \| "b"'/,
  },
  {
    title: 'an operation of another table',
    wrong: `const operation = defineOperation({ ...kiln, scope: 'kiln:read' })
      createAdminApi(site, { operations: [operation] })`,
    right: `const operation = defineOperation({ ...kiln, scope: 'courses:read' })
      createAdminApi(site, { operations: [operation] })`,
    fault: /^TS2375: .*Type '"kiln:read"' is not assignable to type 'SchoolScope'\.$/s,
  },
  {
    title: 'a tool of another table',
    wrong: `const tool = defineTool({ ...fire, scopes: ['kiln:read'] })
      createMcpEndpoint(site, { ...mcp, tools: [tool] })`,
    right: `const tool = defineTool({ ...fire, scopes: ['courses:read'] })
      createMcpEndpoint(site, { ...mcp, tools: [tool] })`,
    fault: /^TS2375: .*Type '"kiln:read"' is not assignable to type 'SchoolScope'\.$/s,
  },
  {
    title: 'operations and tools of another table, written in the list',
    wrong: `createAdminApi(site, { operations: [defineOperation({ ...kiln, scope: 'kiln:read' })] })`,
    right: `createAdminApi(site, { operations: [defineOperation({ ...kiln, scope: 'courses:read' }),
        defineList({ ...kilns, scope: 'courses:read' })] })
      createMcpEndpoint(site, { ...mcp,
        tools: [defineTool({ ...fire, scopes: ['courses:read'] }), defineTool(fire)] })`,
    fault: /^TS2375: .*Type '"kiln:read"' is not assignable to type 'SchoolScope'\.$/s,
  },
  {
    title: 'the tools of an admin API of another table',
    wrong: `createMcpEndpoint(site, { ...mcp,
        tools: operationTools(otherApi) })`,
    right: `createMcpEndpoint(site, { ...mcp,
        tools: operationTools(createAdminApi(site, { operations: [] })) })`,
    fault: /^TS2322: .*'"kiln:read"' is not assignable to type 'SchoolScope'\.$/s,
  },
  {
    title: 'the roles of a school beside a table that lacks some of its scopes',
    wrong: `const scopes = defineScopes(omitScopes(schoolScopeTable, ['coupons:read']))
      defineSite({ ...school, scopes, roles: schoolRoles })`,
    right: `const scopes = defineScopes(omitScopes(schoolScopeTable, ['coupons:read']))
      createProtectedResource(defineSite({ ...school, scopes, roles: rolesFor(scopes, schoolRoles) }))`,
    fault: /^TS2322: .*"coupons:read"/s,
  },
  {
    title: 'a list of operations that says nothing of its scopes',
    wrong: `const operations: readonly Operation[] = []; createAdminApi(site, { operations })`,
    right: `const operations: readonly Operation<SchoolScope>[] = []
      createAdminApi(site, { operations })
      const scopes = defineScopes(JSON.parse('{}') as ScopeTable)
      const loose = defineSite({ ...school, scopes })
      createAdminApi(loose, { operations: operations as readonly Operation[] })
      createProtectedResource(loose).gate('whatever')`,
    fault: /^TS2322: .*Type 'string' is not assignable to type 'SchoolScope'\.$/s,
  },
]

const RULES = `const rules: Rules<Wiring> = { path, most, limits }; void rules`

/** Sites that nobody defined, and tables of rules that say less or more than their options. */
const OPTIONS: readonly Pair[] = [
  {
    title: 'a plain object where a site is wanted',
    wrong: `createProtectedResource(school)`,
    right: `createProtectedResource(site)`,
    fault: /^TS2740: .*is missing the following properties from type 'Site</s,
  },
  {
    title: 'an object with all that a site has, which nobody checked',
    wrong: `const plain = {} as Omit<Site<SchoolScope>, symbol>; createProtectedResource(plain)`,
    right: `createProtectedResource({ ...site, now: () => 0 })`,
    fault: /^TS2741: Property '\[CHECKED\]' is missing/s,
  },
  {
    title: 'an option without a rule',
    wrong: `const rules: Rules<Wiring> = { path, limits }; void rules`,
    right: RULES,
    fault: /^TS2741: Property 'most' is missing/,
  },
  {
    title: 'a rule without an option',
    wrong: `const rules: Rules<Wiring> = { path, most, limits, cors: flag }; void rules`,
    right: RULES,
    fault: /^TS2353: .*'cors' does not exist in type 'Rules<Wiring>'/,
  },
  {
    title: 'a rule that lets a required option be left out',
    wrong: `const rules: Rules<Wiring> = { path: optional(path), most, limits }; void rules`,
    right: RULES,
    fault: /^TS2375: Type 'OptionalRule<string>' is not assignable to type 'RequiredRule<string>'/,
  },
  {
    title: 'a rule that requires an optional option',
    wrong: `const rules: Rules<Wiring> = { path, most: whole(1), limits }; void rules`,
    right: RULES,
    fault: /^TS2375: Type 'RequiredRule<number>' is not assignable to type 'OptionalRule<number>'/,
  },
  {
    title: 'a rule of another kind',
    wrong: `const rules: Rules<Wiring> = { path, most: optional(path), limits }; void rules`,
    right: RULES,
    fault: /^TS2375: Type 'OptionalRule<string>' is not assignable to type 'OptionalRule<number>'/,
  },
  {
    title: 'a nested option without a rule',
    wrong: `shape<Limits>('{ cost: 1 }', { cost: whole(1) })`,
    right: `shape<Limits>('{ cost: 1 }', { depth: most, cost: whole(1) })`,
    fault: /^TS2741: Property 'depth' is missing/s,
  },
  {
    title: 'an outbox with a store of the core [ST-11]',
    wrong: `defineSite({ ...least, store: own, outbox: true })`,
    right: `defineSite({ ...least, store: createMemoryStore(), outbox: true })
      defineSite({ ...least, store: own, outbox: false })`,
    fault: /^TS2322: Type 'true' is not assignable to type 'false'/,
  },
  {
    title: 'links for more scopes with a store of the core [ST-11]',
    wrong: `defineSite({ ...least, store: own, stepUpLinks: true })`,
    right: `defineSite({ ...least, store: own as StoreWith<'stepUp'>, stepUpLinks: true })`,
    fault: /^TS2322: Type 'true' is not assignable to type 'false'/,
  },
  {
    title: 'a reason of a block at a site that does not name it [BLK-05]',
    wrong: `defineSite({ ...school, onRefusal: ({ reason }) => reason === 'assertion_expired' })`,
    right: `defineSite({ ...school, blocks: [block], onRefusal: ({ reason }) => reason === 'assertion_expired' })`,
    fault: /^TS2367: This comparison appears to be unintentional/,
  },
  {
    title: 'an option of a block for a server [BLK-05]',
    wrong: 'createAuthorizationServer(site, { ...server, blocks: [block] })',
    right: `createAuthorizationServer(
      defineSite({ ...school, onRefusal: () => {}, blocks: [block] }),
      server,
    )`,
    fault: /^TS2353: Object literal may only specify known properties, and 'blocks' does not exist/,
  },
  {
    title: 'a block with a store that lacks single use [BLK-05]',
    wrong: 'privateKeyJwt({ keysOf: async () => null, once: own })',
    right: 'privateKeyJwt({ keysOf: async () => null, once: createMemoryStore() })',
    fault: /^TS2739: .* is missing the following properties .*: useOnce, giveBack$/,
  },
  {
    title: 'client management of a site with a store of the core [ST-11]',
    wrong: `clients.createClientManagement(defineSite({ ...least, store: own }))`,
    right: `clients.createClientManagement(site)`,
    fault:
      /^TS2345: .* is missing the following properties from type 'StoreWith<"management">': listClients, revokeGrants, revokeGrantsOfClient$/s,
  },
  {
    title: 'erasing a person at a site with a store of the core [ST-11]',
    wrong: `void operations.erasePerson(small, { subject: '' })`,
    right: `void operations.erasePerson(site, { subject: '' })`,
    fault: /^TS2345: .*Property 'erasePerson' is missing in type 'StoreWith' but required/s,
  },
  {
    title: 'revoking all grants of a site with a store of the core [ST-11]',
    wrong: `void operations.revokeAllGrants(small)`,
    right: `void operations.revokeAllGrants(site)`,
    fault: /^TS2345: .*Property 'revokeAllGrants' is missing in type 'StoreWith' but required/s,
  },
  {
    title: 'connected apps of a site with a store of the core [ST-11]',
    wrong: `clients.createConnectedApps(small)`,
    right: `clients.createConnectedApps(site)`,
    fault:
      /^TS2345: .*missing the following properties .*: listClients, revokeGrants, revokeGrantsOfClient$/s,
  },
  {
    title: 'delivering events of a site with a store of the core [ST-11]',
    wrong: `void deliverEvents(small, { deliver: async () => {} })`,
    right: `void deliverEvents(site, { deliver: async () => {} })`,
    fault: /^TS2345: .*missing the following properties .*: listEvents, deleteEvents$/s,
  },
  {
    title: 'a server of a site whose store lacks a method of the core [ST-11]',
    wrong: `defineSite({ ...least, store: {} as Omit<StoreWith, 'purge'> })`,
    right: `createAuthorizationServer(defineSite({ ...least, store: own }), server)`,
    fault:
      /^TS2741: Property 'purge' is missing in type 'Omit<StoreWith, "purge">' but required in type 'StoreWith'/s,
  },
  {
    title: 'the contract of a group that the store does not have [ST-12]',
    wrong: `storeContract(() => own, { groups: ['outbox'] })`,
    right: `storeContract(() => own, { groups: [] })`,
    fault:
      /^TS2322: .*missing the following properties .*StoreWith<"outbox">': listEvents, deleteEvents$/s,
  },
  {
    title: 'the contract of every group for a store of the core [ST-12]',
    wrong: `storeContract(() => own)`,
    right: `storeContract(() => createMemoryStore())`,
    fault: /^TS2322: .*missing the following properties .*StoreWith<.*listClients, revokeGrants, /s,
  },
  {
    title: 'a function of a store without a rule',
    wrong: `methods<Pick<Store, 'findClient' | 'purge'>>('a store', { findClient: true })`,
    right: `methods<Pick<Store, 'findClient' | 'purge'>>('a store', { findClient: true, purge: true })`,
    fault: /^TS2741: Property 'purge' is missing/s,
  },
]

/** Files of the library with a check taken out of them. */
const HANDLERS: readonly (Omit<Pair, 'right'> & {
  readonly file: string
  readonly right: string
})[] = [
  {
    title: 'issuing tokens for the code as the store has it',
    file: 'src/authorization-server/code-grant.ts',
    right: `const { code } = redemption\n`,
    wrong: `const code = (await store.findCode(hashToken(presented)))!\n`,
    fault: /^TS2375: .*'AuthorizationCode & [^]*' is not assignable to .*'RedeemableCode'/,
  },
  {
    title: 'rotating the refresh token as the store has it',
    file: 'src/authorization-server/refresh-grant.ts',
    right: `await rotate(request, decided, rotation)`,
    wrong: `await rotate(request,
        { ...decided, ...(await configuration.store.findRefreshToken(hashToken(token)))! }, rotation)`,
    fault: /^TS2345: .*'RefreshToken' is not assignable to type 'RotatableToken<RefreshToken>'/s,
  },
  {
    title: 'answering at the token endpoint to a client that was only found',
    file: 'src/authorization-server/token.ts',
    right: `await exchange(client)`,
    wrong: `await exchange((await configuration.findClient(''))!)`,
    fault: /^TS2379: .*'Client' is not assignable to parameter of type 'AuthenticatedClient'/,
  },
  {
    title: 'a site whose store may lack one of its functions',
    file: 'src/store/returned.ts',
    right: `  purge: value(record({ rows: COUNT, dueSince: END })),
`,
    wrong: ``,
    fault: /^TS2741: Property 'purge' is missing/s,
  },
]

const PAIRS = [...SNIPPETS, ...SCOPES, ...OPTIONS]
const besides = (file: string, name: string): string => file.replace(/[\w-]+\.ts$/, `${name}.ts`)
const files: Record<string, string> = {}
PAIRS.forEach(({ wrong, right }, index) => {
  files[`test/types/wrong-${index}.ts`] = `${AT_HAND}{ ${wrong} }`
  files[`test/types/right-${index}.ts`] = `${AT_HAND}{ ${right} }`
})
HANDLERS.forEach(({ file, right, wrong }, index) => {
  const source = readSource(file)
  files[besides(file, `wrong-${index}`)] = source.replace(right, wrong)
  files[besides(file, `right-${index}`)] = source
})
const said = await compile(files)

describe('does not compile', () => {
  it.each(PAIRS.map((pair, index) => ({ ...pair, index })))('$title', ({ fault, index }) => {
    expect(said.get(`test/types/wrong-${index}.ts`)).toEqual([expect.stringMatching(fault)])
    expect(said.get(`test/types/right-${index}.ts`)).toEqual([])
  })

  it.each(HANDLERS.map((pair, index) => ({ ...pair, index })))('$title', (pair) => {
    const { file, right, fault, index } = pair
    expect(readSource(file).split(right)).toHaveLength(2)
    const faults = said.get(besides(file, `wrong-${index}`))!
    expect(faults.length).toBeGreaterThan(0)
    for (const text of faults) expect(text).toMatch(fault)
    expect(said.get(besides(file, `right-${index}`))).toEqual([])
  })
})
