import {
  createMemoryStore,
  createProtectedResource,
  defineSite,
  schoolRoles,
  schoolScopes,
  type Site,
} from 'hallpass'
import {
  type AuthorizationServerConfiguration,
  configureAuthorizationServer,
  type ConsentView,
  createAuthorizationEndpoint,
  createInteractionEndpoint,
  createRevocationEndpoint,
  createTokenEndpoint,
  type Endpoint,
  type Incoming,
  PATHS,
  type TokenResponse,
} from 'hallpass/authorization-server'
import { createConnectedApps, defineClient } from 'hallpass/clients'
import { ALLOWANCES, deliverEvents, erasePerson, maintain } from 'hallpass/operations'
import type { Client } from 'hallpass/policy'
import { StorageFailure, type Store, type StoredEvent } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { LIFETIMES, REPEATING } from './ledger.js'
import { type BlockAnswer, type BlockRequest, createBlockSite, SIGNER, signer } from './simulated-blocks.js' // prettier-ignore

/** The people, clients and origins of the simulated sites. Both sites have the same people and clients. */
export const PEOPLE = ['per_ada', 'per_ben', 'per_cleo'] as const
const CLIENT_IDS = ['app_1', 'app_2'] as const
/** The first client is confidential, so that its consents are remembered. */
const SECRETS: Readonly<Record<string, string>> = { app_1: 'the secret of app_1' }
export const ISSUERS = ['https://one.example', 'https://two.example'] as const
const SCOPE = 'account:read'
const VERIFIER = 'the-code-verifier-of-every-client-of-a-simulation'

/** Returns the clients that every site has. */
export const simulatedClients = (createdAt: number): readonly Client[] => [
  signer(createdAt),
  ...CLIENT_IDS.map((clientId) =>
    defineClient({
      ...(clientId in SECRETS && {
        tokenEndpointAuthMethod: 'client_secret_post',
        secrets: [{ hash: hashToken(SECRETS[clientId]!), expiresAt: null }],
      }),
      clientId,
      kind: 'member',
      name: clientId,
      redirectUris: [redirectUriOf(clientId)],
      scopes: [SCOPE],
      createdAt,
    }),
  ),
]

const redirectUriOf = (clientId: string): string =>
  `https://${clientId.replace('_', '-')}.example/callback`

/** One site as one process serves it, for one request. `null` is a response that shows nothing. */
export interface SimulatedSite {
  /** Sends an authorization request, and follows it to the page or back to the client. */
  readonly authorize: (request: {
    clientId: string
    subject: string
    isSilent: boolean
  }) => Promise<Visit | null>
  /** Opens the consent page of a pending request. */
  readonly open: (visit: Visit) => Promise<Visit | null>
  /** Presses Allow. */
  readonly allow: (visit: Visit) => Promise<Visit | null>
  /** `owner`: the client that the code was issued to. */
  readonly exchange: (form: {
    clientId: string
    owner: string
    kind: 'code' | 'access token' | 'refresh token'
    value: string
  }) => Promise<TokenResponse | 'refused' | null>
  /** @returns whether the revocation was acknowledged */
  readonly revoke: (form: { clientId: string; value: string }) => Promise<boolean>
  /** @returns who has access; `refused`; `null` if the storage failed */
  readonly use: (
    accessToken: string,
  ) => Promise<{ clientId: string; subject: string } | 'refused' | null>
  readonly disconnect: (who: { clientId: string; subject: string }) => Promise<boolean>
  readonly erase: (subject: string) => Promise<boolean>
  readonly maintain: () => Promise<boolean>
  /** Calls `purge` of the store, as a host application may do in addition to `maintain`. */
  readonly purge: () => Promise<boolean>
  /** Sends a request to the same site with blocks. */
  readonly send: (request: BlockRequest) => Promise<BlockAnswer>
  /** @returns how many grants of the client that signs a person has; `null` if the storage failed */
  readonly grantsOf: (subject: string) => Promise<number | null>
  /** Delivers the events of the site to its audit log. */
  readonly deliver: (append: (events: readonly StoredEvent[]) => Promise<void>) => Promise<boolean>
}

/** How far an authorization request came in a browser. */
export interface Visit {
  readonly clientId: string
  readonly subject: string
  readonly cookie: string
  /** The URL that the browser opens next. */
  readonly location: string
  /** The code that the client received; `null` if it did not. */
  readonly code: string | null
  readonly csrfToken: string | null
}

/**
 * Creates the sites. They keep no state between requests, so the processes can share them: a process is its clock
 * and its requests.
 */
export function createSimulatedSites({
  now: rightTime,
  randomBytes,
  onServerError,
}: {
  now: () => number
  randomBytes: (length: number) => Uint8Array
  onServerError: (fault: unknown) => void
}): (site: number, request: { store: Store; now: () => number }) => SimulatedSite {
  const page = (): Response => new Response(null)
  const request = new Request(ISSUERS[0])
  const { signal } = new AbortController()
  const encoder = new TextEncoder()
  const allowances = Object.fromEntries(Object.keys(ALLOWANCES).map((name) => [name, null]))
  const siteOf = (issuer: string, { store, now }: { store: Store; now: () => number }): Site =>
    defineSite({
      issuer,
      name: 'Simulated School',
      store,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async (subject) => ({
        subject,
        orgId: issuer,
        roles: ['student'],
        name: null,
        email: null,
        picture: null,
      }),
      allowances,
      onFault: ({ fault }) => {
        if (!(fault instanceof StorageFailure)) onServerError(fault)
      },
      outbox: true,
      now,
      randomBytes,
      // The scheduler decides how long a call takes.
      callDeadlineMilliseconds: 60_000,
    })
  const blocks = ISSUERS.map((issuer) => createBlockSite(issuer, { randomBytes, onServerError }))
  const configurations = ISSUERS.map((issuer) =>
    configureAuthorizationServer(siteOf(issuer, { store: createMemoryStore(), now: rightTime }), {
      keys: KEYS,
      interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
      ...LIFETIMES,
      refreshPolicies: { confidential: REPEATING, native: REPEATING, public: REPEATING },
    }),
  )

  const incoming = (
    method: 'GET' | 'POST',
    target: string,
    { form = {}, cookie = null }: { form?: Record<string, string>; cookie?: string | null } = {},
  ): Incoming => ({
    method,
    target,
    header: (name) =>
      name === 'cookie'
        ? cookie
        : name === 'content-type'
          ? 'application/x-www-form-urlencoded'
          : null,
    body: async () => encoder.encode(new URLSearchParams(form).toString()),
    signal,
    request: () => request,
  })

  return (index, { store, now }) => {
    const site: AuthorizationServerConfiguration & { readonly store: Store } = {
      ...configurations[index]!,
      store,
      now,
      clock: siteOf(ISSUERS[index]!, { store, now }).clock,
      findClient: (clientId) => store.findClient(clientId),
    }
    const { issuer } = site

    const post = async (
      create: (configuration: AuthorizationServerConfiguration) => Endpoint,
      path: string,
      form: Record<string, string>,
    ): Promise<{ status: number; body: unknown }> => {
      const secret = SECRETS[form['client_id']!]
      const sent = { ...form, ...(secret !== undefined && { client_secret: secret }) }
      const { status, body } = await create(site).handle(incoming('POST', path, { form: sent }))
      return { status, body: body === null ? null : JSON.parse(body as string) }
    }

    const visit = async (
      before: Visit,
      create: (configuration: AuthorizationServerConfiguration) => Endpoint,
      method: 'GET' | 'POST',
      form: Record<string, string> = {},
    ): Promise<Visit | null> => {
      const { subject } = before
      let view: ConsentView | null = null
      const endpoint = create({
        ...site,
        interact: {
          ...site.interact,
          currentPerson: async () => ({ subject, authTime: site.now() }),
          consent(_request, shown) {
            view = shown
            return page()
          },
        },
      })
      const { headers } = await endpoint.handle(
        incoming(method, before.location, { form, cookie: before.cookie }),
      )
      const shown = view as ConsentView | null
      if (shown !== null) return { ...before, location: shown.action, csrfToken: shown.csrfToken }
      const header = (name: string): string | null =>
        Array.isArray(headers) ? (headers[headers.indexOf(name) + 1] ?? null) : null
      if (!Array.isArray(headers) || !headers.includes('location')) return null
      const location = header('location')!
      return {
        ...before,
        location,
        cookie: headers.includes('set-cookie')
          ? header('set-cookie')!.split(';', 1)[0]!
          : before.cookie,
        code: new URL(location, issuer).searchParams.get('code'),
      }
    }

    return {
      authorize({ clientId, subject, isSilent }) {
        const query = new URLSearchParams({
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUriOf(clientId),
          scope: SCOPE,
          resource: issuer,
          state: 'state',
          code_challenge: hashToken(VERIFIER),
          code_challenge_method: 'S256',
          ...(isSilent && { prompt: 'none' }),
        })
        const location = `${PATHS.authorize}?${query}`
        const start = { clientId, subject, cookie: '', location, code: null, csrfToken: null }
        return visit(start, createAuthorizationEndpoint, 'GET')
      },
      open: (before) => visit(before, createInteractionEndpoint, 'GET'),
      allow: (before) =>
        visit(before, createInteractionEndpoint, 'POST', {
          csrf_token: before.csrfToken ?? '',
          decision: 'allow',
        }),

      async exchange({ clientId, owner, kind, value }) {
        const { status, body } = await post(createTokenEndpoint, PATHS.token, {
          client_id: clientId,
          ...(kind === 'code'
            ? {
                grant_type: 'authorization_code',
                code: value,
                redirect_uri: redirectUriOf(owner),
                code_verifier: VERIFIER,
                resource: issuer,
              }
            : { grant_type: 'refresh_token', refresh_token: value }),
        })
        if (status === 200) return body as TokenResponse
        return status < 500 ? 'refused' : null
      },
      async revoke({ clientId, value }) {
        const form = { client_id: clientId, token: value }
        return (await post(createRevocationEndpoint, PATHS.revoke, form)).status === 200
      },
      use: (accessToken) =>
        unlessStorageFails(null, async () => {
          const headers = new Map([['authorization', `Bearer ${accessToken}`]])
          const access = await createProtectedResource(site).gate(SCOPE)({ headers })
          if (!(access instanceof Response))
            return { clientId: access.client.clientId, subject: access.person.subject }
          return access.status < 500 ? 'refused' : null
        }),
      send: (sent) => blocks[index]!(sent, { store, now }),
      grantsOf: (subject) =>
        unlessStorageFails(null, async () => {
          const query = { of: { clientId: SIGNER, subject }, after: null, limit: 2, now: 0 }
          return (await store.listGrants(query)).length
        }),
      disconnect: (who) =>
        unlessStorageFails(false, async () => {
          await createConnectedApps(site).disconnect(who)
          return true
        }),
      erase: (subject) =>
        unlessStorageFails(false, async () => {
          await erasePerson(site, { subject })
          return true
        }),
      maintain: () =>
        unlessStorageFails(false, async () => {
          await maintain(site, { keys: KEYS })
          return true
        }),
      purge: () =>
        unlessStorageFails(false, async () => {
          await store.purge({ now: now(), limit: 1000 })
          return true
        }),
      deliver: (append) =>
        unlessStorageFails(false, async () => {
          // All in one list: of events that were stored at the same time, each store returns others first.
          await deliverEvents(site, { deliver: append, limit: 1000 })
          return true
        }),
    }
  }
}

// Signing keys are made by WebCrypto, which has no seed. No token has the scope `openid`.
const KEYS = {
  maintain: async () => {},
  jwks: async () => ({ keys: [] }),
  signer: async () => null,
  refreshSecrets: () => ['use at least 32 random characters here'],
}

async function unlessStorageFails<Result>(
  otherwise: Result,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (fault) {
    if (fault instanceof StorageFailure) return otherwise
    throw fault
  }
}
