import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { guardStorage } from '../http/respond.js'
import { shielded } from '../http/shielded.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import { vendorFaults } from '../policy/define-client.js'
import { documentPolicyOf } from '../policy/document-url.js'
import { clientOfPinnedDocument, type PinnedDocument } from '../policy/document-lifecycle.js'
import type { Person } from '../policy/person.js'
import { LOOPBACK_HOSTS } from '../policy/redirect-uri.js'
import { defineResource, type ResourceNames } from '../policy/resource.js'
import { foldName, type Vendor } from '../policy/vendor.js'
import { createClientFinder } from '../resource/clients.js'
import { siteFaults, unknownOptions, unknownScopes } from '../resource/option-faults.js'
import type { ScopeRegistry } from '../scope/registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Store } from '../store/store.js'
import type { KeySource } from '../token/key-ring.js'
import type { DocumentOptions } from './documents.js'
import { readErrorUris } from './error-uri.js'
import type { AuthorizationEvent, FaultNotice, RefusalNotice } from './events.js'
import type { Interact } from './interact.js'

/** Options of an authorization server: one site, one origin. */
export interface AuthorizationServerOptions<Scope extends string = string> {
  /**
   * The site's origin, such as `https://school.example`: issuer, resource and prefix of every URL.
   * https, or http on a loopback host; no path, no trailing slash.
   */
  readonly issuer: string
  /** The site's name, for consent texts. */
  readonly siteName: string
  readonly store: Store
  readonly keys: KeySource
  readonly scopes: ScopeRegistry<Scope>
  readonly roles: RoleTable<NoInfer<Scope>>
  /** The person with this `sub` as the host's tables know them now; `null` = gone or suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly interact: Interact
  /** Known vendor platforms. */
  readonly vendors?: readonly Vendor<NoInfer<Scope>>[]
  /** Client ID metadata documents; none are resolved where this is left out. */
  readonly documents?: DocumentOptions
  /** Documents kept in configuration. They are never fetched. */
  readonly pinnedDocuments?: readonly PinnedDocument<NoInfer<Scope>>[]
  /** Whether the site lets member clients in now. While it does not, they all are as disabled. */
  readonly memberClients?: () => boolean | Promise<boolean>
  /** Further claims for the ID token and UserInfo; cannot override protocol or identity claims. */
  readonly extraClaims?: (question: {
    person: Person
    scopes: readonly string[]
  }) => Readonly<Record<string, unknown>>
  /** Client ids of resource servers that may introspect every token of the site. */
  readonly introspectionClientIds?: readonly string[]
  /** Scopes that the resource metadata recommends to start with; identity scopes by default. */
  readonly baselineScopes?: readonly NoInfer<Scope>[]
  /** Whether `state` must be sent at the authorization endpoint. Default `true`. */
  readonly requireState?: boolean
  /** Asked for where `scope` is missing. Default `null`: `scope` must be sent. */
  readonly defaultScopes?: readonly NoInfer<Scope>[] | null
  /** Names that mean "this computer" in redirect URIs. */
  readonly loopbackHosts?: readonly string[]
  /** Default 60, at most 600. */
  readonly codeSeconds?: number
  /** Default 3600. */
  readonly accessTokenSeconds?: number
  /** How long a refresh token may lie unused. Default 30 days. */
  readonly refreshIdleSeconds?: number
  /** How long a grant may live however it is used. Default 180 days. */
  readonly grantSeconds?: number
  /** How long a lost refresh answer can be asked for again; 0 = never. Default 60. */
  readonly refreshRetrySeconds?: number
  /** How long a person may take to sign in and decide. Default 600. */
  readonly interactionSeconds?: number
  /**
   * The page about an error, sent as `error_uri`: an absolute http(s) URI. Asked for every code once,
   * at start-up. Default `null`: none is sent. A site that serves `/auth.md` has a place for each there:
   * ``(error) => `${issuer}/auth.md#error-${error}` ``.
   */
  readonly errorUri?: ((error: OAuthErrorCode) => string) | null
  /** Hears of everything that happened: registrations, grants, refreshes, revocations. */
  readonly onEvent?: (event: AuthorizationEvent) => void
  /** Hears of every refusal with its exact reason, secrets excluded. */
  readonly onRefusal?: (notice: RefusalNotice) => void
  /** Hears of whatever threw behind a 500 or 503. */
  readonly onFault?: (notice: FaultNotice) => void
  /** Epoch seconds. */
  readonly now?: () => number
  /** As many cryptographically random bytes as asked for. Default: the platform's generator. */
  readonly randomBytes?: RandomBytes
}

/** Checked options with every default in place. Made by {@link configureAuthorizationServer}. */
export interface AuthorizationServerConfiguration extends Required<
  Omit<
    AuthorizationServerOptions,
    'onRefusal' | 'onFault' | 'documents' | 'memberClients' | 'errorUri'
  >
> {
  /** `null` = no documents are resolved. */
  readonly documents: Required<DocumentOptions> | null
  readonly resource: ResourceNames
  /** The page about each error; `null` = none is sent. */
  readonly errorUris: Readonly<Record<OAuthErrorCode, string>> | null
  /** Those of the configuration first, then the store's. */
  readonly findClient: (clientId: string) => Promise<Client | null>
  /** Reports a refusal to `onRefusal`, with what may be said of it. */
  readonly notifyRefusal: (endpoint: string, refusal: Refusal, clientId: string | null) => void
  /** Makes the function that reports an endpoint's faults to `onFault`. */
  readonly notifyFault: (endpoint: string) => (fault: unknown) => void
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof AuthorizationServerOptions>([
  'issuer', 'siteName', 'store', 'keys', 'scopes', 'roles', 'findPerson', 'interact', 'vendors',
  'documents', 'pinnedDocuments', 'memberClients', 'extraClaims', 'introspectionClientIds', 'baselineScopes', 'requireState', 'defaultScopes',
  'loopbackHosts', 'codeSeconds', 'accessTokenSeconds', 'refreshIdleSeconds', 'grantSeconds',
  'refreshRetrySeconds', 'interactionSeconds', 'errorUri', 'onEvent', 'onRefusal', 'onFault', 'now', 'randomBytes',
]) // prettier-ignore

/**
 * Checks the options of an authorization server and puts every default in place.
 *
 * @throws TypeError - naming every fault at once: unknown options, an issuer that is not an https
 *   origin (or http on loopback), scopes that the registry lacks, lifetimes out of range, vendors that
 *   are at fault by themselves or share a name or identifier, an `errorUri` that gives no absolute http(s) URI
 */
export function configureAuthorizationServer<Scope extends string>(
  options: AuthorizationServerOptions<Scope>,
): AuthorizationServerConfiguration {
  const { errorUris, faults: errorUriFaults } = readErrorUris(options)
  const faults = [
    ...unknownOptions(options, OPTION_NAMES),
    ...siteFaults(options),
    ...unknownScopes('baselineScopes', options.baselineScopes ?? [], options.scopes),
    ...unknownScopes('defaultScopes', options.defaultScopes ?? [], options.scopes),
    ...unknownScopes(
      'vendors',
      (options.vendors ?? []).flatMap((one) => one.scopes ?? []),
      options.scopes,
    ),
    ...unknownScopes(
      'pinnedDocuments',
      (options.pinnedDocuments ?? []).flatMap((one) => one.scopes ?? []),
      options.scopes,
    ),
    ...vendorFaults(options.vendors ?? [], options.loopbackHosts),
    ...pinnedFaults(options),
    ...lifetimeFaults(options),
    ...errorUriFaults,
  ]
  const vendors = options.vendors ?? []
  if (new Set(vendors.map(({ clientId }) => clientId)).size < vendors.length)
    faults.push('vendors share a clientId')
  if (new Set(vendors.map(({ name }) => foldName(name))).size < vendors.length)
    faults.push('vendors share a name')
  if (faults.length > 0) throw new TypeError(`authorization server: ${faults.join('; ')}`)

  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const store = guardStorage(options.store)
  const { onRefusal, onFault, onEvent, documents, memberClients, errorUri: _, ...rest } = options
  const pinnedDocuments = options.pinnedDocuments ?? []
  // A log that fails is no reason to lose tokens.
  const tellFault = shielded(onFault, () => {})
  const notifyFault = (endpoint: string) => (fault: unknown) =>
    tellFault({ at: now(), endpoint, fault })
  const tellRefusal = shielded(onRefusal, notifyFault('onRefusal'))
  return {
    ...rest,
    vendors,
    documents: documents === undefined ? null : { ...documents, ...documentPolicyOf(documents) },
    pinnedDocuments,
    store,
    keys: guardStorage(options.keys),
    findPerson: guardStorage({ findPerson: options.findPerson }).findPerson,
    extraClaims: options.extraClaims ?? (() => ({})),
    introspectionClientIds: options.introspectionClientIds ?? [],
    baselineScopes:
      options.baselineScopes ??
      options.scopes.names.filter((scope) => options.scopes.get(scope)?.access === 'identity'),
    requireState: options.requireState ?? true,
    defaultScopes: options.defaultScopes ?? null,
    loopbackHosts: options.loopbackHosts ?? LOOPBACK_HOSTS,
    codeSeconds: options.codeSeconds ?? 60,
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
    refreshIdleSeconds: options.refreshIdleSeconds ?? 30 * 86_400,
    grantSeconds: options.grantSeconds ?? 180 * 86_400,
    refreshRetrySeconds: options.refreshRetrySeconds ?? 60,
    interactionSeconds: options.interactionSeconds ?? 600,
    onEvent: shielded(onEvent, notifyFault('onEvent')),
    now,
    randomBytes: options.randomBytes ?? randomBytes,
    resource: defineResource(options.issuer),
    errorUris,
    findClient: createClientFinder(store, {
      vendors,
      pinnedDocuments,
      memberClients:
        memberClients === undefined ? null : guardStorage({ memberClients }).memberClients,
    }),
    notifyRefusal: (endpoint, { error, reason }, clientId) =>
      tellRefusal({
        at: now(),
        endpoint,
        error,
        reason,
        clientId: clientId?.slice(0, 256) ?? null,
      }),
    notifyFault,
  }
}

function pinnedFaults({ pinnedDocuments = [] }: AuthorizationServerOptions): readonly string[] {
  return pinnedDocuments.flatMap((pinned, index) => {
    const decided = clientOfPinnedDocument(pinned)
    return decided.ok ? [] : [`pinnedDocuments[${index}]: ${decided.description}`]
  })
}

function lifetimeFaults(options: AuthorizationServerOptions): readonly string[] {
  const ranges: readonly (readonly [keyof AuthorizationServerOptions, number, number])[] = [
    ['codeSeconds', 1, 600],
    ['accessTokenSeconds', 1, 86_400],
    ['refreshIdleSeconds', 1, 365 * 86_400],
    ['grantSeconds', 1, 3650 * 86_400],
    ['refreshRetrySeconds', 0, 600],
    ['interactionSeconds', 30, 3600],
  ]
  return ranges.flatMap(([name, least, most]) => {
    const value = options[name]
    if (value === undefined) return []
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? []
      : [`${name} must be a whole number from ${least} to ${most}`]
  })
}
