import {
  createAuthorizationServer,
  createProtectedResource,
  defineSite,
  OptionsError,
} from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createAccountApi } from 'hallpass/account'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import { schoolRoles, schoolScopes, schoolScopeTable } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { whoCanConnect } from 'hallpass-lab'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createSource } from '../support/school/account.js'
import { BARE_SERVER } from '../support/school/bare-server.js'
import { coreOf } from '../support/school/stores.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

const { site } = testSite()
const STORE = createMemoryStore()
const { keys: KEYS, interact: PAGES } = BARE_SERVER
const SECRET = { sealingSecret: 'a sealing secret of thirty-two characters' }
const RING = createKeyRing(site, SECRET)
const { source: SOURCE } = createSource(new Map())
const fetchDocument = async (): Promise<Response> => new Response()
const VENDOR = {
  clientId: 'acme',
  name: 'Acme',
  redirectUris: ['https://acme.example/cb'],
  scopes: null,
  reviewedOn: '2026-11-20',
}
const OPERATION = defineOperation({
  id: 'courses.list',
  summary: 'List courses',
  scope: 'courses:read',
  effect: 'read',
  method: 'GET',
  path: '/courses',
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => ({}),
})
const LEAST = {
  defineSite: {
    issuer: 'https://school.example',
    name: 'My School',
    store: STORE,
    scopes: schoolScopes,
    roles: schoolRoles,
    lookalikes: {},
    findPerson: async () => null,
  },
  testSite: {},
  createKeyRing: SECRET,
  createAuthorizationServer: BARE_SERVER,
  createAccountApi: { source: SOURCE },
  createAdminApi: { operations: [OPERATION] },
  createMcpEndpoint: { tools: [], adapter: sdkAdapter(SDK_1) },
  createClientManagement: {},
  maintain: { keys: RING },
  whoCanConnect: {},
}

const ORIGIN =
  'an origin such as https://school.example, without a path or a trailing slash, and with http only on a loopback host'
const NO_GUARANTEES =
  'store lacks guarantees: say what the store promises, such as { acknowledged: "survives a power failure", reads: "latest", clock: "own", processes: "many" }. docs/do/store.md has the words'
const A_STORE = 'createMemoryStore() or createPostgresStore({ execute, site })'
const EVERY_FUNCTION =
  'findClient, insertClient, replaceClient, savePending, findPending, endPending, hasConsent, issueCode, findCode, redeemCode, findRefreshToken, rotateRefreshToken, findAccessToken, revokeAccessToken, revokeGrant, listGrants, listKeys, insertKey, moveKey, purge'
const WEB_ADDRESS =
  "an https URI, an http URI on a loopback host or a URI with a scheme of the app's own, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback"

type Factory = (...parameters: never[]) => unknown
/** Those that are handed options alone, and those that are handed a site first. */
const MAKERS = { defineSite, testSite }
const FACTORIES = {
  createKeyRing,
  createAuthorizationServer,
  createAccountApi,
  createAdminApi,
  createMcpEndpoint,
  createClientManagement,
  maintain,
  whoCanConnect,
}
const WITHOUT_OPTIONS = { createProtectedResource, createConnectedApps }

const make = (name: keyof typeof LEAST, changes: object): unknown => {
  const options = { ...LEAST[name], ...changes }
  const factories: Readonly<Record<string, Factory>> = { ...MAKERS, ...FACTORIES }
  return factories[name]!(...((name in MAKERS ? [options] : [site, options]) as never[]))
}

/** What a factory says is wrong. Whatever else it throws is thrown on. */
async function mistakesOf(call: () => unknown): Promise<readonly string[]> {
  try {
    await call()
    return []
  } catch (fault) {
    if (fault instanceof OptionsError) return fault.mistakes
    throw fault
  }
}

/** What is wrong, the options that are, and every mistake that is named. */
type Row = readonly [what: string, changes: object, ...mistakes: string[]]

const MISTAKES: Readonly<Record<keyof typeof LEAST, readonly Row[]>> = {
  defineSite: [
    ['no issuer', { issuer: undefined }, `issuer is missing: ${ORIGIN}`],
    [
      'an issuer with a slash at the end',
      { issuer: 'https://school.example/' },
      `issuer must be ${ORIGIN}, not "https://school.example/"`,
    ],
    [
      'an issuer with a path',
      { issuer: 'https://school.example/base' },
      `issuer must be ${ORIGIN}, not "https://school.example/base"`,
    ],
    [
      'an issuer without TLS',
      { issuer: 'http://school.example' },
      `issuer must be ${ORIGIN}, not "http://school.example"`,
    ],
    [
      'an issuer in upper case',
      { issuer: 'https://School.example' },
      `issuer must be ${ORIGIN}, not "https://School.example"`,
    ],
    [
      'an issuer with the port that https has anyway',
      { issuer: 'https://school.example:443' },
      `issuer must be ${ORIGIN}, not "https://school.example:443"`,
    ],
    [
      'a URL object as issuer',
      { issuer: new URL('https://school.example') },
      `issuer must be ${ORIGIN}, not a URL`,
    ],
    ['no name', { name: undefined }, 'name is missing: a string such as "My School"'],
    ['an empty name', { name: ' ' }, 'name must be a string such as "My School", not a blank one'],
    [
      'the name that an option had elsewhere',
      { siteName: 'My School' },
      'siteName is not an option',
    ],
    ['an empty id', { id: '' }, 'id must be a string such as "my-school", not a blank one'],
    ['no store', { store: undefined }, `store is missing: ${A_STORE}`],
    [
      'a store of nothing',
      { store: {} },
      `store lacks the function ${EVERY_FUNCTION}: ${A_STORE}`,
      NO_GUARANTEES,
    ],
    [
      'a store with a misspelt function',
      { store: { ...STORE, purge: undefined, purg: () => {} } },
      `store lacks the function purge: ${A_STORE}`,
      'store.purg: did you mean purge?',
    ],
    [
      'a store with half of two groups, one of them misspelt [ST-11]',
      {
        store: { ...STORE, deleteEvents: undefined, moveClock: undefined, moveClok: () => {} },
      },
      'store lacks the function deleteEvents: the group "outbox" is whole or absent',
      'store lacks the function moveClock: the group "clock" is whole or absent',
      'store.moveClok: did you mean moveClock?',
    ],
    [
      'an outbox and links, with a store of the core [ST-11]',
      { store: coreOf(STORE), outbox: true, stepUpLinks: true },
      'outbox needs the group "outbox" of the store: it lacks listEvents, deleteEvents',
      'stepUpLinks needs the group "stepUp" of the store: it lacks findGrant, widenGrant',
    ],
    [
      'a promise of a store',
      { store: Promise.resolve(STORE) },
      `store lacks the function ${EVERY_FUNCTION}: ${A_STORE}`,
      NO_GUARANTEES,
    ],
    [
      'no scopes',
      { scopes: undefined },
      'scopes is missing: a registry of scopes such as defineScopes({ … })',
    ],
    [
      'a table where its registry is wanted',
      { scopes: schoolScopeTable },
      'scopes lacks names, get: a registry of scopes such as defineScopes({ … })',
    ],
    [
      'a map of scopes',
      { scopes: new Map() },
      'scopes lacks names: a registry of scopes such as defineScopes({ … })',
    ],
    [
      'no roles',
      { roles: undefined },
      'roles is missing: a table of roles such as { owner: { staff: true, scopes: "all" } }',
    ],
    ['an array of roles', { roles: ['owner'] }, 'roles must be a table of roles, not an array'],
    [
      'a role that is a list of scopes',
      { roles: { owner: ['courses:read'] } },
      'roles.owner must be { staff, scopes }, not an array',
    ],
    [
      'a role without staff',
      { roles: { owner: { scopes: 'all' } } },
      'roles.owner.staff is missing: true or false',
    ],
    [
      'a role with one scope in place of a list',
      { roles: { owner: { staff: true, scopes: 'courses:read' } } },
      'roles.owner.scopes must be an array in which each item is a string such as "courses:read", not a string',
    ],
    [
      'a role with a misspelt scope',
      { roles: { helper: { staff: true, scopes: ['coruses:read'] } } },
      'roles.helper names the scope "coruses:read", which is not in the scope registry: rolesFor(scopes, roles) leaves out such scopes',
    ],
    [
      'a role with a misspelt option',
      { roles: { owner: { staff: true, scopes: 'all', manageClients: true } } },
      'roles.owner.manageClients is not an option: did you mean managesClients?',
    ],
    [
      'nobody who finds people',
      { findPerson: undefined },
      'findPerson is missing: a function such as (subject) => people.find(subject)',
    ],
    [
      'the people themselves in place of who finds them',
      { findPerson: new Map() },
      'findPerson must be a function such as (subject) => people.find(subject), not a Map',
    ],
    [
      'findPerson in other letters',
      { findperson: async () => null },
      'findperson is not an option: did you mean findPerson?',
    ],
    [
      'one vendor in place of a list',
      { vendors: VENDOR },
      'vendors must be an array in which each item is a vendor { clientId, name, redirectUris, scopes, reviewedOn }, not an object',
    ],
    [
      'vendors that are null',
      { vendors: null },
      'vendors must be an array in which each item is a vendor { clientId, name, redirectUris, scopes, reviewedOn }, not null',
    ],
    [
      'a vendor of nothing',
      { vendors: [{}] },
      'vendors[0].clientId is missing: printable ASCII such as "study-app"',
      'vendors[0].name is missing: 1 to 100 printable characters such as "Study App"',
      'vendors[0].redirectUris is missing: 1 to 10 redirect URIs such as ["https://app.example/callback"]',
      'vendors[0].scopes is missing: an array in which each item is a string such as "account:read", or null',
      'vendors[0].reviewedOn is missing: a date such as "2026-11-20"',
    ],
    [
      'a vendor that is a text',
      { vendors: ['acme'] },
      'vendors[0] must be a vendor { clientId, name, redirectUris, scopes, reviewedOn }, not a string',
    ],
    [
      'a vendor with a misspelt field',
      { vendors: [{ ...VENDOR, scope: ['courses:read'] }] },
      'vendors[0].scope is not an option: did you mean scopes?',
    ],
    [
      'a vendor with one scope in place of a list',
      { vendors: [{ ...VENDOR, scopes: 'courses:read' }] },
      'vendors[0].scopes must be an array in which each item is a string such as "account:read", not a string',
    ],
    [
      'a vendor with an unknown scope',
      { vendors: [{ ...VENDOR, scopes: ['coruses:read'] }] },
      'vendors: Acme names the scope "coruses:read", which is not in the scope registry',
    ],
    [
      'a vendor on http',
      { vendors: [{ ...VENDOR, redirectUris: ['http://acme.example/cb'] }] },
      `vendors[0].redirectUris[0] must be ${WEB_ADDRESS}, not "http://acme.example/cb"`,
    ],
    [
      'a vendor that runs a script',
      { vendors: [{ ...VENDOR, redirectUris: ['javascript:alert(1)'] }] },
      `vendors[0].redirectUris[0] must be ${WEB_ADDRESS}, not "javascript:alert(1)"`,
    ],
    [
      'a vendor that stands twice',
      { vendors: [VENDOR, VENDOR] },
      'two vendors have the same clientId',
      'two vendors have the same name',
    ],
    [
      'documents that nobody fetches',
      { documents: { allowedHosts: ['claude.ai'] } },
      'documents.fetchDocument is missing: a function such as createDocumentFetcher() from hallpass/node',
    ],
    [
      'allowedHosts without its s',
      { documents: { fetchDocument, allowedHost: ['claude.ai'] } },
      'documents.allowedHost is not an option: did you mean allowedHosts?',
    ],
    [
      'a URL where a host is wanted',
      { documents: { fetchDocument, allowedHosts: ['https://claude.ai'] } },
      'documents.allowedHosts[0] must be a host such as school.example, not a URL, not "https://claude.ai"',
    ],
    [
      'one host in place of a list',
      { documents: { fetchDocument, allowedHosts: 'claude.ai' } },
      'documents.allowedHosts must be an array in which each item is a host such as school.example, not a URL, not a string',
    ],
    [
      'open registration in words',
      { documents: { fetchDocument, openRegistration: 'yes' } },
      'documents.openRegistration must be true or false, not "yes"',
    ],
    [
      'a port in words',
      { documents: { fetchDocument, ports: ['443'] } },
      'documents.ports[0] must be a whole number from 1 to 65535, not "443"',
    ],
    [
      'documents that are true',
      { documents: true },
      'documents must be { fetchDocument, allowedHosts }, not a boolean',
    ],
    [
      'a pinned document without its day',
      { pinnedDocuments: [{ metadata: {}, scopes: null }] },
      'pinnedDocuments[0].checkedOn is missing: a date such as "2026-11-22"',
    ],
    [
      'a pinned document that is none',
      { pinnedDocuments: [{ metadata: {}, scopes: null, checkedOn: '2026-11-20' }] },
      'pinnedDocuments[0]: a client_id URL must be https with a lower-case host and a path, and without fragment, user information, dot segments, :443, or characters that need escaping',
    ],
    [
      'a pinned document with the date of a country',
      { pinnedDocuments: [{ metadata: {}, scopes: null, checkedOn: '20.11.2026' }] },
      'pinnedDocuments[0].checkedOn must be a date such as "2026-11-22", not "20.11.2026"',
    ],
    [
      'a switch that is a value',
      { memberClients: false },
      'memberClients must be a function such as () => settings.memberClients, not a boolean',
    ],
    [
      'one loopback host in place of a list',
      { loopbackHosts: 'localhost' },
      'loopbackHosts must be an array in which each item is a string such as "localhost", not a string',
    ],
    [
      'look-alikes as a list',
      { lookalikes: ['a'] },
      'lookalikes must be a table such as { ...LOOKALIKES, "ɑ": "a" }, not an array',
    ],
    [
      'look-alikes that are numbers',
      { lookalikes: { ɑ: 1 } },
      'lookalikes must be a table such as { ...LOOKALIKES, "ɑ": "a" }, not an object',
    ],
    [
      'a collection in place of a hook',
      { onEvent: new Map() },
      'onEvent must be a function such as (event) => audit.record(event), not a Map',
    ],
    [
      'a hook that is null',
      { onRefusal: null },
      'onRefusal must be a function such as (notice) => console.warn(notice), not null',
    ],
    ['a misspelt hook', { onFalt: () => {} }, 'onFalt is not an option: did you mean onFault?'],
    [
      'the clock of JavaScript, in milliseconds',
      { now: () => 1_795_165_200_000 },
      'now must return seconds, not milliseconds: it returned 1795165200000',
    ],
    [
      'a clock with fractions',
      { now: () => 1_795_165_200.5 },
      'now must return whole seconds: it returned 1795165200.5',
    ],
    [
      'a clock that gives a date',
      { now: () => new Date(0) },
      'now must be a function such as () => Math.floor(Date.now() / 1000): it returned a Date',
    ],
    [
      'a time in place of a clock',
      { now: 1_795_165_200 },
      'now must be a function such as () => Math.floor(Date.now() / 1000), not a number',
    ],
    [
      'random bytes in place of who makes them',
      { randomBytes: new Uint8Array(32) },
      'randomBytes must be a function such as (length) => crypto.getRandomValues(new Uint8Array(length)), not a Uint8Array',
    ],
    ['the keys, which are the authorization server’s', { keys: KEYS }, 'keys is not an option'],
    [
      'several mistakes at once',
      { issuer: 'school.example', nam: 'x', findPerson: 'x', documents: { allowedHost: [] } },
      'nam is not an option: did you mean name?',
      `issuer must be ${ORIGIN}, not "school.example"`,
      'findPerson must be a function such as (subject) => people.find(subject), not a string',
      'documents.allowedHost is not an option: did you mean allowedHosts?',
      'documents.fetchDocument is missing: a function such as createDocumentFetcher() from hallpass/node',
    ],
  ],
  testSite: [
    ['a misspelt option', { vendros: [] }, 'vendros is not an option: did you mean vendors?'],
    [
      'an issuer with a path',
      { issuer: 'https://school.example/base' },
      `issuer must be ${ORIGIN}, not "https://school.example/base"`,
    ],
    [
      'a store of nothing',
      { store: {} },
      `store lacks the function ${EVERY_FUNCTION}: ${A_STORE}`,
      NO_GUARANTEES,
    ],
  ],
  createKeyRing: [
    [
      'no secret',
      { sealingSecret: undefined },
      'sealingSecret is missing: a secret of at least 32 characters',
    ],
    [
      'a short secret',
      { sealingSecret: 'hunter2' },
      'sealingSecret must be a secret of at least 32 characters',
    ],
    [
      'a secret of bytes',
      { sealingSecret: new Uint8Array(32) },
      'sealingSecret must be a secret of at least 32 characters',
    ],
    ['rotateDays', { rotateDays: 3 }, 'rotateDays is not an option'],
    [
      'a rotation in words',
      { rotateAfterSeconds: '90 days' },
      'rotateAfterSeconds must be a whole number from 1 to 315360000, not "90 days"',
    ],
    [
      'a rotation that never ends',
      { rotateAfterSeconds: Infinity },
      'rotateAfterSeconds must be a whole number from 1 to 315360000, not Infinity',
    ],
    ['signing in words', { signing: 'no' }, 'signing must be true or false, not "no"'],
    [
      'a signer that is made already',
      { createSigner: {} },
      'createSigner must be a function such as createNodeSigner from hallpass/node, not an object',
    ],
    ['the store, which is the site’s', { store: STORE }, 'store is not an option'],
  ],
  createAuthorizationServer: [
    ['no keys', { keys: undefined }, 'keys is missing: createKeyRing(site, { sealingSecret })'],
    [
      'keys of nothing',
      { keys: {} },
      'keys lacks the function jwks, signer, refreshSecrets: createKeyRing(site, { sealingSecret })',
    ],
    [
      'the secret in place of a key ring',
      { keys: 'a secret of thirty-two characters' },
      'keys must be createKeyRing(site, { sealingSecret }), not a string',
    ],
    [
      'no pages',
      { interact: undefined },
      'interact is missing: { currentPerson, signIn, consent, error }',
    ],
    [
      'singIn',
      { interact: { ...PAGES, signIn: undefined, singIn: () => {} } },
      'interact lacks the function signIn: { currentPerson, signIn, consent, error }',
      'interact.singIn is not an option: did you mean signIn?',
    ],
    [
      'an optional page that is misspelt',
      { interact: { ...PAGES, pasteAdress: () => {} } },
      'interact.pasteAdress is not an option: did you mean pasteAddress?',
    ],
    [
      'a page that does not exist',
      { interact: { ...PAGES, devicce: () => {} } },
      'interact.devicce is not an option',
    ],
    [
      'a step-up that is a switch',
      { interact: { ...PAGES, stepUp: true } },
      'interact.stepUp must be an object, not a boolean',
    ],
    [
      'an optional page that is a path',
      { interact: { ...PAGES, pasteAddress: '/paste' } },
      'interact.pasteAddress must be a function, not a string',
    ],
    [
      'no consent page',
      { interact: { ...PAGES, consent: undefined } },
      'interact lacks the function consent: { currentPerson, signIn, consent, error }',
    ],
    [
      'a page that is a path',
      { interact: { ...PAGES, error: '/error' } },
      'interact lacks the function error: { currentPerson, signIn, consent, error }',
    ],
    ['an option that nobody reads', { skipPkce: true }, 'skipPkce is not an option'],
    [
      'requireState in words',
      { requireState: 'false' },
      'requireState must be true or false, not "false"',
    ],
    [
      'a default scope that is unknown',
      { defaultScopes: ['coruses:read'] },
      'defaultScopes names the scope "coruses:read", which is not in the scope registry',
    ],
    [
      'a default scope that writes [AUTH-41]',
      { defaultScopes: ['openid', 'courses:write'] },
      'defaultScopes names the scope "courses:write", which writes: a client that requests nothing gets identity and read scopes only',
    ],
    [
      'default scopes in one text',
      { defaultScopes: 'openid profile' },
      'defaultScopes must be an array in which each item is a string such as "openid", not a string',
    ],
    [
      'a baseline scope that is unknown',
      { baselineScopes: ['opnid'] },
      'baselineScopes names the scope "opnid", which is not in the scope registry',
    ],
    [
      'a code of an hour',
      { codeSeconds: 3600 },
      'codeSeconds must be a whole number from 1 to 600, not 3600',
    ],
    [
      'an access token of milliseconds',
      { accessTokenSeconds: 3_600_000 },
      'accessTokenSeconds must be a whole number from 1 to 86400, not 3600000',
    ],
    [
      'a lifetime in words',
      { refreshIdleSeconds: '30d' },
      'refreshIdleSeconds must be a whole number from 1 to 31536000, not "30d"',
    ],
    ['a lifetime in the wrong unit', { grantDays: 180 }, 'grantDays is not an option'],
    [
      'a page about errors that is a text',
      { errorUri: 'https://school.example/errors' },
      'errorUri must be a function such as (error) => `https://school.example/errors/${error}`, not a string',
    ],
    [
      'a page about errors that is a path',
      { errorUri: () => '/errors' },
      'errorUri does not return an absolute http(s) URI in ASCII for access_denied, consent_required, insufficient_scope, invalid_client, invalid_client_metadata, invalid_grant, invalid_redirect_uri, invalid_request, invalid_scope, invalid_target, invalid_token, login_required, request_not_supported, request_uri_not_supported, server_error, temporarily_unavailable, unsupported_grant_type, unsupported_response_type',
    ],
    [
      'claims in place of who makes them',
      { extraClaims: { locale: 'en' } },
      'extraClaims must be a function such as ({ person }) => ({ locale: person.locale }), not an object',
    ],
    [
      'the issuer, which is the site’s',
      { issuer: 'https://school.example' },
      'issuer is not an option',
    ],
  ],
  createAccountApi: [
    ['no source', { source: undefined }, 'source is missing: an AccountSource on your tables'],
    [
      'a source of nothing',
      { source: {} },
      'source lacks the function profile, site, enrollments, orders, eventRegistrations, subscriptions, digitalProducts, courseOutlines, lecture, savePlayback, markLecture, updateProfile, cancelEventRegistration: an AccountSource on your tables',
    ],
    [
      'a source without a method',
      { source: { ...SOURCE, orders: undefined } },
      'source lacks the function orders: an AccountSource on your tables',
    ],
    [
      'a source with a misspelt method',
      { source: { ...SOURCE, profile: undefined, profil: () => {} } },
      'source lacks the function profile: an AccountSource on your tables',
      'source.profil: did you mean profile?',
    ],
    [
      'a misspelt limit',
      { limits: { dept: 5 } },
      'limits.dept is not an option: did you mean depth?',
    ],
    [
      'a limit in words',
      { limits: { depth: '5' } },
      'limits.depth must be a whole number of at least 1, not "5"',
    ],
    [
      'a bucket that never fills',
      { bucket: { capacity: 2000, restoreRate: 0 } },
      'bucket.restoreRate must be a number above 0, not 0',
    ],
    [
      'half a bucket',
      { bucket: { capacity: 2000 } },
      'bucket.restoreRate is missing: a number above 0',
    ],
    [
      'a bucket smaller than a request',
      { bucket: { capacity: 10, restoreRate: 1 } },
      'limits.cost (1000) must not exceed bucket.capacity (10)',
    ],
    [
      'a deadline in seconds that is no whole number',
      { deadlineMilliseconds: 0.5 },
      'deadlineMilliseconds must be a whole number from 1 to 60000, not 0.5',
    ],
    [
      'a picture host that is a URL',
      { pictureHosts: ['https://images.example'] },
      'pictureHosts[0] must be a host such as school.example, not a URL, not "https://images.example"',
    ],
  ],
  createAdminApi: [
    [
      'no operations',
      { operations: undefined },
      'operations is missing: an array in which each item is an operation of defineOperation',
    ],
    [
      'operations by their names',
      { operations: { list: OPERATION } },
      'operations must be an array in which each item is an operation of defineOperation, not an object',
    ],
    [
      'an operation that is null',
      { operations: [null] },
      'operations[0] must be an operation of defineOperation, not null',
    ],
    [
      'an operation of nothing',
      { operations: [{}] },
      'operations[0] lacks id, summary, scope, path, input, output, run: an operation of defineOperation',
    ],
    [
      'an operation without a summary',
      { operations: [OPERATION, { ...OPERATION, summary: undefined }] },
      'operations[1] lacks summary: an operation of defineOperation',
    ],
    [
      'a base path with a slash at the end',
      { basePath: '/api/v1/' },
      'basePath must be a path such as /api/v1, not "/api/v1/"',
    ],
    [
      'a rate limit that is a number',
      { rateLimit: 100 },
      'rateLimit must be a function such as ({ access }) => counters.take(access.grantId), not a number',
    ],
    [
      'a store of keys of nothing',
      { idempotency: {} },
      'idempotency lacks the function begin, finish, abandon: createPostgresIdempotency({ execute, site })',
    ],
    [
      'rateLimit in the plural',
      { rateLimits: async () => null },
      'rateLimits is not an option: did you mean rateLimit?',
    ],
  ],
  createMcpEndpoint: [
    [
      'no tools',
      { tools: undefined },
      'tools is missing: an array in which each item is a tool of defineTool',
    ],
    ['a tool that is null', { tools: [null] }, 'tools[0] must be a tool of defineTool, not null'],
    [
      'a tool of nothing',
      { tools: [{}] },
      'tools[0] lacks name, title, description, actions: a tool of defineTool',
    ],
    [
      'no adapter',
      { adapter: undefined },
      'adapter is missing: a function such as serverAdapter(sdk) from hallpass/mcp',
    ],
    [
      'an adapter by its name',
      { adapter: 'sdk' },
      'adapter must be a function such as serverAdapter(sdk) from hallpass/mcp, not a string',
    ],
    [
      'the site in place of its options',
      { site: { id: 'school', name: 'School' } },
      'site is not an option',
    ],
    ['anonymous as a flag', { anonymous: true }, 'anonymous must be serve or challenge, not true'],
    [
      'a toolset of a name that is taken',
      { toolsets: { all: [] } },
      'toolsets: "all" must be a name of 1 to 40 characters, such as sales, but not all',
    ],
    [
      'a toolset with an unknown tool',
      { toolsets: { courses: ['list_corses'] } },
      'toolsets.courses has the unknown tool "list_corses"',
    ],
    [
      'a toolset with one tool in place of a list',
      { toolsets: { courses: 'list_courses' } },
      'toolsets.courses must be an array in which each item is a string such as "list_courses", not a string',
    ],
    [
      'no tool at all to list',
      { maxListedTools: 0 },
      'maxListedTools must be a whole number of at least 1, not 0',
    ],
    [
      'an origin with a path',
      { allowedOrigins: ['https://app.example/'] },
      'allowedOrigins[0] must be an origin such as https://app.example, or *, not "https://app.example/"',
    ],
    [
      'a host that is a URL',
      { allowedHosts: ['https://school.example'] },
      'allowedHosts[0] must be a host such as school.example, not a URL, not "https://school.example"',
    ],
  ],
  createClientManagement: [
    [
      'a scheme of the browser',
      { appSchemes: ['javascript'] },
      'appSchemes[0] must be the scheme of an app, such as obsidian',
    ],
    [
      'a scheme with its colon',
      { appSchemes: ['obsidian:'] },
      'appSchemes[0] must be the scheme of an app, such as obsidian',
    ],
    [
      'one scheme in place of a list',
      { appSchemes: 'obsidian' },
      'appSchemes must be an array in which each item is the scheme of an app, such as obsidian, not a string',
    ],
    [
      'appSchemes without its s',
      { appScheme: ['obsidian'] },
      'appScheme is not an option: did you mean appSchemes?',
    ],
  ],
  maintain: [
    ['no keys', { keys: undefined }, 'keys is missing: createKeyRing(site, { sealingSecret })'],
    [
      'keys that nobody maintains',
      { keys: KEYS },
      'keys lacks the function maintain: createKeyRing(site, { sealingSecret })',
    ],
    ['an option that nobody reads', { keyRing: RING }, 'keyRing is not an option'],
  ],
  whoCanConnect: [
    [
      'a misspelt option',
      { requirestate: false },
      'requirestate is not an option: did you mean requireState?',
    ],
    [
      'a default scope that is unknown',
      { defaultScopes: ['coruses:read'] },
      'defaultScopes names the scope "coruses:read", which is not in the scope registry',
    ],
    [
      'a default scope that writes [AUTH-41]',
      { defaultScopes: ['openid', 'courses:write'] },
      'defaultScopes names the scope "courses:write", which writes: a client that requests nothing gets identity and read scopes only',
    ],
    ['vendors, which are the site’s', { vendors: [] }, 'vendors is not an option'],
    [
      'a lifetime out of range',
      { codeSeconds: 0 },
      'codeSeconds must be a whole number from 1 to 600, not 0',
    ],
  ],
}

const ROWS = Object.entries(MISTAKES).flatMap(([name, rows]) =>
  rows.map(([what, changes, ...mistakes]) => ({
    name: name as keyof typeof LEAST,
    what,
    changes,
    mistakes,
  })),
)
const NO_SITE: readonly (readonly [what: string, site: unknown, kind: string])[] = [
  ['nothing', undefined, 'undefined'],
  ['the options of a site', LEAST.defineSite, 'an object'],
  ['a promise of a site', Promise.resolve(site), 'a Promise'],
]

describe('a mistake in the options', () => {
  it.each(ROWS)('of $name: $what', async ({ name, changes, mistakes }) => {
    expect(await mistakesOf(() => make(name, changes))).toEqual(mistakes)
    const named = Object.keys(changes).filter((option) => mistakes.join().includes(option))
    expect(named).toEqual(Object.keys(changes))
  })

  it.each(Object.keys(LEAST) as (keyof typeof LEAST)[])(
    'is none of %s where all is right',
    async (name) => {
      expect(await mistakesOf(() => make(name, {}))).toEqual([])
    },
  )

  it('is named where plain JavaScript leaves the options out', async () => {
    expect(await mistakesOf(() => (createKeyRing as Factory)(site as never))).toEqual([
      'sealingSecret is missing: a secret of at least 32 characters',
    ])
    expect(await mistakesOf(() => (createKeyRing as Factory)(site as never, 'x' as never))).toEqual(
      ['options must be an object, not a string'],
    )
  })

  it.each(
    Object.entries<Factory>({ ...FACTORIES, ...WITHOUT_OPTIONS }).flatMap(([name, factory]) =>
      NO_SITE.map(([what, given, kind]) => ({ name, factory, what, given, kind })),
    ),
  )('of $name: $what in place of a site', async ({ name, factory, given, kind }) => {
    const options = (LEAST as Readonly<Record<string, object>>)[name]
    expect(await mistakesOf(() => factory(given as never, options as never))).toEqual([
      `the first argument must be a site created by defineSite, not ${kind}`,
    ])
  })
})
