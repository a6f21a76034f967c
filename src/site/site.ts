import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { checkOptions, isObject, kindOf, OptionsError, type Rules } from '../options/check.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { PinnedDocument } from '../policy/cimd-lifecycle.js'
import { documentPolicyOf } from '../policy/cimd-url.js'
import type { Person } from '../policy/person.js'
import { LOOPBACK_HOSTS } from '../policy/loopback-redirect.js'
import { defineResource, type ResourceNames } from '../policy/resource-indicator.js'
import type { Vendor } from '../policy/vendor-match.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { guarded, guardStorage, STORE_VERBS } from '../store/guard.js'
import type { Store } from '../store/store.js'
import { createClientFinder } from './client-finder.js'
import type { SiteEvent } from './events.js'
import { shielded } from './hooks.js'
import type { DocumentOptions, SiteOptions } from './options.js'
import { contradictionsOf, SITE_RULES } from './rules.js'

// On what `{ ...site }` makes as well: an endpoint's configuration is its site and more.
const CHECKED: unique symbol = Symbol('checked site')

/** One school, checked. Made by {@link defineSite}; every factory takes it. */
export interface Site<out Scope extends string = string> {
  readonly [CHECKED]: true
  readonly issuer: string
  readonly name: string
  readonly id: string
  /** What it throws is known as a `StorageFailure`, which is answered with 503. */
  readonly store: Store
  readonly scopes: ScopeRegistry<Scope>
  readonly roles: RoleTable<Scope>
  /** The person with this `sub` as the host's tables know them now; `null` = gone or suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly vendors: readonly Vendor<Scope>[]
  /** `null` = no documents are resolved. */
  readonly documents: Required<DocumentOptions> | null
  readonly pinnedDocuments: readonly PinnedDocument<Scope>[]
  /** Whether the site allows member clients now. */
  readonly memberClients: () => Promise<boolean>
  readonly loopbackHosts: readonly string[]
  /** Never throws. */
  readonly onEvent: (event: SiteEvent) => void
  /** Whole epoch seconds. */
  readonly now: () => number
  readonly randomBytes: RandomBytes
  readonly resource: ResourceNames
  /** A client as it is now: one of the configuration, else one of the store. */
  readonly findClient: (clientId: string) => Promise<Client | null>
  /** Hands a refusal to `onRefusal`, with what may be said of it. */
  readonly notifyRefusal: (
    endpoint: string,
    refusal: Refusal,
    about?: { readonly clientId?: string | null; readonly requestId?: string },
  ) => void
  /** Hands what was thrown to `onFault`. */
  readonly notifyFault: (endpoint: string, fault: unknown, requestId?: string) => void
}

/**
 * Checks what a site is, once, for every factory that is handed it.
 *
 * ```ts
 * const site = defineSite({
 *   issuer: 'https://school.example',
 *   name: 'My School',
 *   store: createMemoryStore(),
 *   scopes: schoolScopes,
 *   roles: schoolRoles,
 *   findPerson: async (subject) => people.get(subject) ?? null,
 * })
 * ```
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, missing or of a wrong
 *   kind, an issuer that is no origin, roles, vendors and pinned documents with scopes that the registry
 *   lacks, vendors that share a name or an identifier, a clock that gives milliseconds
 */
export function defineSite<Scope extends string>(options: SiteOptions<Scope>): Site<Scope> {
  checkOptions('site', options, SITE_RULES, contradictionsOf)
  const { issuer, documents, memberClients } = options
  const { vendors = [], pinnedDocuments = [], now = () => Math.floor(Date.now() / 1000) } = options
  const store = guardStorage(options.store, STORE_VERBS)
  const allowsMembers = guarded(async () => memberClients?.() ?? true)
  // A log that fails is no reason to lose tokens.
  const onFault = shielded(options.onFault, () => {})
  const notifyFault = (endpoint: string, fault: unknown, requestId: string | null = null): void =>
    onFault({ at: timeOf(now), endpoint, fault, requestId })
  const onRefusal = shielded(options.onRefusal, (fault) => notifyFault('onRefusal', fault))
  return Object.freeze<Site<Scope>>({
    [CHECKED]: true,
    issuer,
    name: options.name,
    id: options.id ?? new URL(issuer).host,
    store,
    scopes: options.scopes,
    roles: options.roles,
    findPerson: guarded(options.findPerson),
    vendors,
    documents: documents === undefined ? null : { ...documents, ...documentPolicyOf(documents) },
    pinnedDocuments,
    memberClients: allowsMembers,
    loopbackHosts: options.loopbackHosts ?? LOOPBACK_HOSTS,
    onEvent: shielded(options.onEvent, (fault) => notifyFault('onEvent', fault)),
    now,
    randomBytes: options.randomBytes ?? randomBytes,
    resource: defineResource(issuer),
    findClient: createClientFinder(store, {
      vendors,
      pinnedDocuments,
      memberClients: memberClients === undefined ? null : allowsMembers,
    }),
    notifyRefusal: (endpoint, { error, reason }, { clientId = null, requestId = null } = {}) =>
      onRefusal({
        at: now(),
        endpoint,
        error,
        reason,
        clientId: clientId?.slice(0, 256) ?? null,
        requestId,
      }),
    notifyFault,
  })
}

function timeOf(now: () => number): number {
  try {
    return now()
  } catch {
    return 0
  }
}

/**
 * Checks the options that a factory takes beside its site.
 *
 * @throws OptionsError - for a site that `defineSite` did not make, and as `checkOptions` does
 */
export function checkOwnOptions<Options extends object>(
  what: string,
  site: Site,
  options: Options,
  rules: Rules<NoInfer<Options>>,
  beyond?: (options: Options) => readonly string[],
): Options {
  if (!(isObject(site) && CHECKED in site))
    throw new OptionsError(what, [
      `the first argument must be a site created by defineSite, not ${kindOf(site)}`,
    ])
  return checkOptions(what, options, rules, beyond)
}
