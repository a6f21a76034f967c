import * as policy from 'hallpass/policy'
import { schoolRoles as roles, schoolScopes as registry } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'

/** Notes which members of a value are read, by their paths. What lists hold has one path: `secrets.[].hash`. */
type Watch = <Value>(value: Value) => Value

interface Watched {
  readonly watch: Watch
  /** Returns the members that were given, and neither read nor in a result. */
  readonly unread: (results: readonly unknown[]) => readonly string[]
}

/** What is made from a table, and asked as a whole. */
const WHOLE: ReadonlySet<unknown> = new Set([registry, roles])

function createWatch(): Watched {
  const given = new Set<string>()
  const read = new Set<string>()
  const pathOf = new WeakMap<object, string>()
  function wrap<Value>(value: Value, path: string): Value {
    const isPlain =
      Array.isArray(value) ||
      (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) // prettier-ignore
    if (!isPlain || WHOLE.has(value)) return value
    const nameOf = (name: string): string => path + (Array.isArray(value) ? '[]' : name)
    const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
      given.add(nameOf(name))
      return [name, wrap(member, `${nameOf(name)}.`)]
    })
    const copy: object = Array.isArray(value)
      ? members.map(([, member]) => member)
      : Object.fromEntries(members)
    const proxy = new Proxy(copy, {
      get(target, name, receiver) {
        if (typeof name === 'string' && Object.hasOwn(target, name)) read.add(nameOf(name))
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    pathOf.set(proxy, path)
    return proxy as Value
  }
  return {
    watch: (value) => wrap(value, ''),
    unread(results) {
      const wasRead = new Set(read)
      const kept: string[] = []
      const collect = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return
        const path = pathOf.get(value)
        if (path !== undefined && path !== '') kept.push(path)
        else for (const member of Object.values(value)) collect(member)
      }
      for (const result of results) collect(result)
      return [...given].filter((path) => !wasRead.has(path) && !kept.some((of) => path.startsWith(of))).toSorted() // prettier-ignore
    },
  }
}

const ORIGIN = 'https://school.example'
const CALLBACK = 'https://notes.example/callback'
const DOCUMENT = 'https://notes.example/client.json'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const METADATA = { client_id: DOCUMENT, client_name: 'Notes', redirect_uris: [CALLBACK] }
const names = policy.defineResource(ORIGIN)
const { accepted } = names

/** The mark of a client that is authenticated, which only `decideClientAuthentication` gives. */
const authenticated = <const Client>(client: Client) => client as policy.AuthenticatedClient<Client>
/** The SHA-256 of "secret". */
const HASH = 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols'

type Policy = typeof policy
type FunctionName = {
  [Name in keyof Policy]: Policy[Name] extends (...parameters: never[]) => unknown ? Name : never
}[keyof Policy]

/**
 * Calls of each function with the smallest values that its types accept: one member fewer would not compile. Each
 * member has to be read by one of the calls, so a type that asks for more than the function needs fails.
 */
const CALLS: Readonly<Record<FunctionName, (watch: Watch) => readonly unknown[]>> = {
  audienceOf: () => [policy.audienceOf('member')],
  bearerChallenge: (watch) => [
    policy.bearerChallenge(
      watch({ resourceMetadata: `${ORIGIN}/metadata`, error: 'invalid_token' }),
    ),
  ],
  buildRedirect: (watch) => {
    const decided = policy.decideRedirectUri({ redirectUri: CALLBACK, registered: [CALLBACK] })
    return decided.ok ? [policy.buildRedirect(decided.redirectUri, watch({ state: 'af0i' }))] : []
  },
  clientOfDocument: (watch) => [
    policy.clientOfDocument(
      watch({
        known: null,
        document: { clientId: DOCUMENT, name: 'Notes', redirectUris: [CALLBACK], tokenEndpointAuthMethod: 'none' }, // prettier-ignore
        now: T,
        freshUntil: T + 60,
      }),
    ),
  ],
  clientOfPinnedDocument: (watch) => [
    policy.clientOfPinnedDocument(watch({ metadata: { ...METADATA }, scopes: null })),
  ],
  clientOfVendor: (watch) => [
    policy.clientOfVendor(watch({ clientId: 'notes', name: 'Notes', redirectUris: [CALLBACK], scopes: null })), // prettier-ignore
  ],
  consentKey: (watch) => [
    policy.consentKey(watch({ subject: 'mem_1', clientId: 'notes', redirectUri: CALLBACK, scopes: ['openid'], resource: ORIGIN })), // prettier-ignore
  ],
  decideAccess: (watch) => {
    const grant = { grantId: 'grant_1', resource: ORIGIN, expiresAt: T + 60, revokedAt: null }
    const accessToken = {
      scopes: ['courses:read'],
      issuedAt: T,
      expiresAt: T + 60,
      revokedAt: null,
    }
    const client = policy.clientOfVendor({ clientId: 'notes', name: 'Notes', redirectUris: [CALLBACK], scopes: null }) // prettier-ignore
    const person = { subject: 'mem_1', orgId: 'site_1', roles: ['owner'], name: null, email: null, picture: null } // prettier-ignore
    const request = { found: { accessToken, grant }, client, person, resource: ORIGIN, required: ['courses:read'], registry, roles, now: T } // prettier-ignore
    return [policy.decideAccess(watch(request))]
  },
  decideApprover: (watch) => [
    policy.decideApprover(watch({ roles: ['owner'], client: { kind: 'vendor' }, table: roles })),
  ],
  decideAuthorizationRequest: (watch) => {
    const query = `client_id=notes&redirect_uri=${CALLBACK}&response_type=code&code_challenge=${CHALLENGE}&code_challenge_method=S256` // prettier-ignore
    const parameters = policy.parseFormParameters(query)
    const client = { clientId: 'notes', kind: 'vendor', redirectUris: [CALLBACK], scopes: null, disabled: false } as const // prettier-ignore
    const { LOOPBACK_HOSTS: loopbackHosts } = policy
    const settings = { registry, resource: names, requireState: false, defaultScopes: ['openid'], loopbackHosts } // prettier-ignore
    return [
      policy.decideAuthorizationRequest({
        parameters,
        client: watch({ ...client, redirectUris: [...client.redirectUris] }),
        policy: settings,
      }),
    ]
  },
  decideClientAuthentication: (watch) => {
    const secrets = [{ hash: HASH, expiresAt: null }]
    const client = {
      kind: 'member',
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets,
    } as const
    return [true, false].map((disabled) => {
      const named = { ...client, disabled }
      return policy.decideClientAuthentication(
        watch({ client: named, clientSecret: 'secret', authorization: null, now: T }),
      )
    })
  },
  decideCodeChallenge: (watch) => [
    policy.decideCodeChallenge(watch({ codeChallenge: CHALLENGE, codeChallengeMethod: 'S256' })),
  ],
  decideConsent: (watch) => [
    policy.decideConsent(watch({ asked: ['courses:read'], access: 'choose', chosen: ['courses:read'], registry })), // prettier-ignore
  ],
  decideDocument: (watch) => {
    const limits = { allowedHosts: [], openRegistration: true, ports: [443] }
    const allowed = policy.decideDocumentUrl({ clientId: DOCUMENT, policy: limits })
    if (!allowed.ok) throw new Error(allowed.reason)
    const request = {
      url: allowed.url,
      metadata: METADATA,
      vendors: [{ name: 'Notes', redirectUris: ['https://acme.example/callback'] }],
    }
    const site = { name: 'School', issuer: ORIGIN }
    return [policy.decideDocument(watch({ ...request, site }))]
  },
  decideDocumentResponse: (watch) => [
    policy.decideDocumentResponse(watch({ status: 200, contentType: 'application/json', contentEncoding: null })), // prettier-ignore
  ],
  decideDocumentUrl: (watch) => [
    policy.decideDocumentUrl(watch({ clientId: DOCUMENT, policy: { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] } })), // prettier-ignore
  ],
  decideNarrowedScopes: (watch) => [
    policy.decideNarrowedScopes(watch({ asked: ['openid'], granted: ['openid'] })),
  ],
  decideReach: (watch) => {
    const access = {
      client: { kind: 'vendor', scopes: null } as const,
      person: { roles: ['lecturer'] },
      scopes: [],
    }
    return [null, ['owner']].map((requiredRoles) =>
      policy.decideReach(
        watch({ access, required: ['courses:read'], requiredRoles, registry, roles }),
      ),
    )
  },
  decideRedemption: (watch) => {
    const code = { grantId: 'grant_1', clientId: 'notes', redirectUri: CALLBACK, codeChallenge: CHALLENGE, resource: ORIGIN, resourceSent: false, expiresAt: T + 60, grantEndsAt: null, redeemedAt: null } // prettier-ignore
    const client = authenticated({ clientId: 'notes', kind: 'vendor' })
    const form = { redirectUri: CALLBACK, codeVerifier: VERIFIER, resources: [ORIGIN] }
    return [policy.decideRedemption(watch({ code, client, ...form, names: { accepted }, now: T }))]
  },
  decideRedirectUri: (watch) => [
    policy.decideRedirectUri(watch({ redirectUri: CALLBACK, registered: [CALLBACK] })),
  ],
  decideRefresh: (watch) => {
    const rotation = { rotatedAt: T, salt: 's', scopes: ['openid'], successorHash: 'hash', accessTokenExpiresAt: T + 60 } // prettier-ignore
    const grant = { grantId: 'grant_1', clientId: 'notes', scopes: ['openid'], resource: ORIGIN, expiresAt: T + 60, revokedAt: null } // prettier-ignore
    const found = { refreshToken: { expiresAt: T + 60, rotation }, grant, successorUsed: false }
    const client = authenticated({ clientId: 'notes', kind: 'vendor', scopes: null })
    const form = { scopes: null, resources: [ORIGIN], names: { accepted }, registry }
    return [policy.decideRefresh(watch({ found, client, ...form, policy: { ...policy.REFRESH_POLICY.oneHolder }, now: T }))] // prettier-ignore
  },
  decideRegistration: (watch) => {
    const vendors = [{ name: 'Notes', redirectUris: [CALLBACK] }]
    const site = { name: 'School' }
    return [CALLBACK, 'http://127.0.0.1/'].map((uri) => {
      const metadata = { client_name: uri === CALLBACK ? 'Notes' : 'Other', redirect_uris: [uri] }
      return policy.decideRegistration(watch({ metadata, vendors, site }))
    })
  },
  decideRepeatedResource: (watch) => [
    policy.decideRepeatedResource(watch({ resources: [ORIGIN], names: { accepted }, bound: ORIGIN, required: true })), // prettier-ignore
  ],
  decideResource: (watch) => [
    policy.decideResource(watch({ resources: [ORIGIN], names: { ...names }, required: true })),
  ],
  decideScopes: (watch) => [
    policy.decideScopes(watch({ scopes: ['courses:read'], client: { kind: 'vendor', scopes: null }, registry })), // prettier-ignore
  ],
  decideSignInAge: (watch) => [
    policy.decideSignInAge(watch({ authTime: T, requestedAt: T, prompt: [], maxAge: 60, scopes: ['openid'], registry })), // prettier-ignore
  ],
  defineResource: () => [policy.defineResource(ORIGIN)],
  documentDigest: (watch) => [
    policy.documentDigest(watch({ name: 'Notes', redirectUris: [CALLBACK], tokenEndpointAuthMethod: 'none' })), // prettier-ignore
  ],
  documentFreshUntil: (watch) => [
    policy.documentFreshUntil(watch({ headers: { get: () => null }, now: T })),
  ],
  effectiveScopes: (watch) => [
    policy.effectiveScopes(watch({ scopes: ['courses:read'], clientScopes: ['courses:read'], roles: ['owner'], table: roles, registry })), // prettier-ignore
  ],
  identityClaims: (watch) => [
    policy.identityClaims(watch({ person: { subject: 'mem_1', orgId: 'site_1', roles: ['owner'], name: null, email: null, picture: null }, scopes: ['openid', 'profile', 'email'] })), // prettier-ignore
  ],
  isRedirectUriText: () => [policy.isRedirectUriText(CALLBACK)],
  matchVendor: (watch) => [
    policy.matchVendor(watch({ name: 'notes', vendors: [{ name: 'Notes' }] })),
  ],
  mayRedirectUnasked: (watch) => [
    policy.mayRedirectUnasked(watch({ kind: 'document', scopes: null })),
  ],
  mayRememberConsent: (watch) => [
    policy.mayRememberConsent(watch({ kind: 'member', tokenEndpointAuthMethod: 'none' })),
  ],
  parseBearer: () => [policy.parseBearer('Bearer a')],
  parseFormParameters: () => [policy.parseFormParameters('a=b')],
  parseLoopbackUri: () => [policy.parseLoopbackUri('http://127.0.0.1/')],
  parseScope: () => [policy.parseScope('openid')],
  refuse: () => [policy.refuse('invalid_grant', 'code_expired')],
  scopesOfClient: (watch) => [
    policy.scopesOfClient(watch({ client: { kind: 'vendor', scopes: null }, registry })),
  ],
  verifyPkceS256: (watch) => [
    policy.verifyPkceS256(watch({ codeVerifier: VERIFIER, codeChallenge: CHALLENGE })),
  ],
}

describe('a function of hallpass/policy', () => {
  it.each(Object.entries(CALLS))('asks for no more than it reads: %s', (_, call) => {
    const { watch, unread } = createWatch()
    const results = call(watch)
    expect(results.length).toBeGreaterThan(0)
    expect(unread(results)).toEqual([])
  })
})
