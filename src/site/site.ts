import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { checkOptions, isObject, kindOf, OptionsError, type Rules } from '../options/check.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { PinnedDocument } from '../policy/cimd-lifecycle.js'
import { documentPolicyOf } from '../policy/cimd-url.js'
import type { Person } from '../policy/person.js'
import type { RefusalTable } from '../policy/refusals.js'
import { LOOPBACK_HOSTS } from '../policy/loopback-redirect.js'
import { defineResource, type ResourceNames } from '../policy/resource-indicator.js'
import { withSpellings } from '../policy/resource-spelling.js'
import type { Vendor } from '../policy/vendor-match.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { createDeadline, DEADLINE_MILLISECONDS } from '../store/deadline.js'
import {
  BULK_VERBS,
  createWriteWatch,
  guarded,
  guardStorage,
  refusingOthers,
} from '../store/guard.js'
import type { AnyGiven } from '../store/given.js'
import { argumentsOf, groupMistakes, type StoreGroup, type StoreWith } from '../store/groups.js'
import { STORE_RESULTS } from '../store/returned.js'
import type { Store } from '../store/store.js'
import { type Block, SENDER_CONSTRAINT } from './block.js'
import type { Sender } from './budget.js'
import { createClientFinder } from './client-finder.js'
import { createSiteClock, type SiteClock } from './clock.js'
import type { SiteEvent } from './events.js'
import { shielded } from './hooks.js'
import { readReturnTo } from './paths.js'
import type { SiteOptions } from './options.js'
import { type Announcement, createAnnounce } from './outbox.js'
import { createPayers, type Payer } from './payer.js'
import { readClock, readNetwork, readPerson, readRequestId, readSwitch } from './returned.js'
import { contradictionsOf, SITE_RULES } from './rules.js'
import type { KeyProofs, SenderConstraint } from './sender-constraint.js'
import { createWatchers, joinWatchers, type Labels, type Watcher } from './watcher.js'

// A symbol is also copied by `{ ...site }`, from which the configuration of an endpoint is made.
const CHECKED: unique symbol = Symbol('checked site')

/**
 * One issuer with its people, clients and store, with every option checked and every default set. Created
 * by {@link defineSite} and passed to every factory.
 *
 * `Kept` is the type of its store. A function that calls a group of the store names it:
 * `Site<string, StoreWith<'outbox'>>`.
 *
 * @group Sites
 */
export interface Site<out Scope extends string = string, out Kept extends StoreWith = StoreWith> {
  readonly [CHECKED]: true
  /** The origin, which is the issuer and the prefix of every URL of the authorization server. */
  readonly issuer: string
  /** The name for people. */
  readonly name: string
  /** The name for programs. */
  readonly id: string
  /** The core and the groups of the store of the options. An exception of it leads to a 503 response. */
  readonly store: Kept
  /** Returns why the last change that the store was asked for failed; `null` if it succeeded, or there was none. */
  readonly writeFault: () => unknown
  readonly scopes: ScopeRegistry<Scope>
  readonly roles: RoleTable<Scope>
  /** Returns the person with this `sub`; `null` if the person does not exist or is suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly vendors: readonly Vendor<Scope>[]
  /** How client ID metadata documents are fetched; `null` if none are. */
  readonly documents: Required<NonNullable<SiteOptions['documents']>> | null
  readonly pinnedDocuments: readonly PinnedDocument<Scope>[]
  /** Returns whether member clients may be used now. */
  readonly memberClients: () => Promise<boolean>
  readonly loopbackHosts: readonly string[]
  /** Characters that look like Latin letters, in addition to the most frequent ones of Greek and Cyrillic. */
  readonly lookalikes: () => Promise<Readonly<Record<string, string>>>
  /**
   * Returns who pays for a request, who then spends from budgets. It is the only function that makes a payer. `null` is a
   * call of the host application, which no network sent. Never throws.
   */
  readonly payerOf: (sender: Sender | null) => Payer
  /** Returns the network that sent a request; `null` if it is not known. Never throws. */
  readonly networkOf: (request: () => Request) => string | null
  /**
   * Reads what a sign-in form sent as `returnTo` of its view. Redirect to no other value: anyone can change a form.
   *
   * @param value - the field of the form, whatever its type
   * @returns the path on this origin; `null` if no sign-in view has it
   */
  readonly returnTo: (value: unknown) => string | null
  /** How long a request waits for one call of the host application, in milliseconds. */
  readonly callDeadlineMilliseconds: number
  /** Returns the identifier that the host application has for a request, or `null`. Never throws. */
  readonly requestIdOf: (header: (name: string) => string | null) => string | null
  /** Its opt-in parts. */
  readonly blocks: readonly Block[]
  /** The refusals of its blocks. */
  readonly refusals: readonly RefusalTable[]
  /**
   * The block that binds tokens to keys; `null` if there is none.
   *
   * @internal
   */
  readonly senderConstraint: KeyProofs | null
  /** Reports an event to the `onEvent` hook. Never throws. */
  readonly onEvent: (event: SiteEvent) => void
  /** Whether the store keeps events until `deliverEvents` delivers them. */
  readonly outbox: boolean
  /** Whether a 403 for a missing scope names the page on which the person can allow it. */
  readonly stepUpLinks: boolean
  /**
   * Announces the events of a change: pass `events` to the store with the change, and call `tell` once it is stored.
   *
   * @internal
   */
  readonly announce: (...events: readonly SiteEvent[]) => Announcement
  /** The watchers of the site, as each was created. */
  readonly watchers: readonly Watcher[]
  /** All of them as one, with the members that one of them has. */
  readonly watcher: Watcher
  /** The clock: whole epoch seconds. */
  readonly now: () => number
  /**
   * The clock compared with that of the store.
   *
   * @internal
   */
  readonly clock: SiteClock
  readonly randomBytes: RandomBytes
  /**
   * The names of its protected resources. The canonical one is that of the gates of this process: the issuer, or the
   * `resource` of `createRemoteGate`.
   */
  readonly resource: ResourceNames
  /**
   * Returns the current state of a client, from the configuration or else from the store. Pass `stored`, what
   * the store has, if it was loaded already.
   */
  readonly findClient: (clientId: string, stored?: Client | null) => Promise<Client | null>
  /**
   * Reports a refusal to the `onRefusal` hook, without its description. `clientId` and labels of the refusal
   * are those of an access token, and apply if the request has none itself.
   */
  readonly notifyRefusal: (
    endpoint: string,
    refusal: Refusal & { readonly clientId?: string } & Labels,
    about?: {
      readonly clientId?: string | null
      readonly requestId?: string
    } & Labels,
  ) => void
  /** Reports an exception to the `onFault` hook. Never throws. */
  readonly notifyFault: (endpoint: string, fault: unknown, requestId?: string) => void
}

/**
 * Defines a site: checks the options that every factory needs, and sets their defaults.
 *
 * @returns the site, frozen: pass it to `createAuthorizationServer`, {@link createProtectedResource} and
 *   the factories of other entries
 * @throws OptionsError that lists every mistake:
 *   - an option that is unknown, missing or of a wrong type
 *   - an issuer that is not an origin, or a clock that returns milliseconds
 *   - a role, vendor or pinned document with a scope that is not in the registry
 *   - two vendors with the same name or identifier
 * @group Sites
 * @example
 * ```ts
 * import { defineSite } from 'hallpass'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStore } from 'hallpass/store'
 *
 * const options = {
 *   issuer: 'https://school.example',
 *   name: 'My School',
 *   store: createMemoryStore(),
 *   scopes: schoolScopes,
 *   roles: schoolRoles,
 *   findPerson: async () => null, // look the person up in your own tables
 * }
 * const site = defineSite(options)
 * site.id // => 'school.example'
 *
 * defineSite({ ...options, issuer: 'https://school.example/' }) // throws OptionsError
 * ```
 */
export function defineSite<
  Scope extends string,
  Kept extends StoreWith = Store,
  const More extends string = never,
>(options: SiteOptions<Scope, Kept, More>): Site<Scope, Kept extends Store ? Store : Kept>
export function defineSite<Scope extends string>(
  options: SiteOptions<Scope, StoreWith, string>,
): Site<Scope> {
  return createSite(options)
}

/**
 * Creates a site, as {@link defineSite} does.
 *
 * @param resource - the origin of the gates of this process. Default: the issuer, and `resources` next to it
 */
export function createSite<Scope extends string, Kept extends StoreWith, More extends string>(
  options: SiteOptions<Scope, Kept, More>,
  resource?: string,
): Site<Scope>
export function createSite<Scope extends string>(
  options: SiteOptions<Scope, StoreWith, string>,
  resource?: string,
): Site<Scope> {
  checkOptions('site', options, SITE_RULES, contradictionsOf)
  const { issuer, documents, memberClients, resources = [] } = options
  const origin = resource ?? issuer
  const { vendors = [], pinnedDocuments = [], blocks = [] } = options
  const clock = options.now ?? (() => Math.floor(Date.now() / 1000))
  const now = (): number => readClock(clock())
  const { callDeadlineMilliseconds = DEADLINE_MILLISECONDS } = options
  const deadline = createDeadline(callDeadlineMilliseconds)
  const bulkDeadline = createDeadline(BULK_FACTOR * callDeadlineMilliseconds)
  const { watch, writeFault } = createWriteWatch()
  const verbs: Omit<StoreWith, 'guarantees'> = options.store
  const guards = guardStorage(verbs, argumentsOf(options.store), {
    results: STORE_RESULTS,
    deadline: (verb) => watch(verb, (BULK_VERBS.has(verb) ? bulkDeadline : deadline)(verb)),
  })
  const store = Object.assign(guards, { guarantees: { ...options.store.guarantees } })
  const allowsMembers = guarded(
    'memberClients',
    async () => memberClients === undefined || readSwitch(await memberClients()),
    deadline('memberClients'),
  )
  // An `onFault` that throws must not fail the request.
  const onFault = shielded(options.onFault, () => {})
  const notifyFault = (endpoint: string, fault: unknown, requestId: string | null = null): void =>
    onFault({ at: timeOf(now), endpoint, fault, requestId })
  const onEvent = shielded(options.onEvent, (fault) => notifyFault('onEvent', fault))
  const onRefusal = shielded(options.onRefusal, (fault) => notifyFault('onRefusal', fault))
  const networkOf = (request: () => Request): string | null => {
    try {
      return readNetwork(options.networkOf?.(request()))
    } catch (fault) {
      notifyFault('networkOf', fault)
      return null
    }
  }
  const { requestIdOf, outbox = false } = options
  const { randomBytes: random = randomBytes } = options
  const watchers = createWatchers(options.watchers ?? [], {
    now,
    randomBytes: random,
    callDeadlineMilliseconds,
    notifyFault,
  })
  return Object.freeze<Site<Scope>>({
    [CHECKED]: true,
    issuer,
    name: options.name,
    id: options.id ?? new URL(issuer).host,
    store,
    writeFault,
    scopes: options.scopes,
    roles: options.roles,
    findPerson: guarded(
      'findPerson',
      async (subject: string) => readPerson(await options.findPerson(subject), subject),
      deadline('findPerson'),
    ),
    vendors,
    documents: documents === undefined ? null : { ...documents, ...documentPolicyOf(documents) },
    pinnedDocuments,
    memberClients: allowsMembers,
    loopbackHosts: options.loopbackHosts ?? LOOPBACK_HOSTS,
    async lookalikes() {
      if (options.lookalikes !== undefined || vendors.length === 0) return options.lookalikes ?? {}
      // Thirteen kilobytes that a site without vendors does not load.
      return (await import('../policy/lookalikes.js')).LOOKALIKES
    },
    payerOf: createPayers(options, { issuer, now, networkOf, deadline, notifyFault }),
    networkOf,
    returnTo: (value) => readReturnTo(value, blocks),
    requestIdOf(header) {
      try {
        return readRequestId(requestIdOf?.(header))
      } catch (fault) {
        notifyFault('requestIdOf', fault)
        return null
      }
    },
    blocks,
    refusals: blocks.flatMap(({ refusals }) => refusals ?? []),
    senderConstraint:
      blocks.find(isSenderConstraint)?.create({ origin, store: options.store, now, deadline }) ??
      null,
    onEvent,
    outbox,
    stepUpLinks: options.stepUpLinks ?? false,
    announce: createAnnounce({ outbox, onEvent, randomBytes: random }),
    watchers,
    watcher: joinWatchers(watchers, {
      onFault: (fault) => notifyFault('watchers', fault),
      deadline: bulkDeadline,
    }),
    callDeadlineMilliseconds,
    now,
    clock: createSiteClock({ store, now, onEvent }),
    randomBytes: random,
    resource: withSpellings({
      canonical: origin,
      accepted: new Map([origin, ...resources].flatMap((one) => [...defineResource(one).accepted])),
    }),
    findClient: createClientFinder(store, {
      vendors,
      pinnedDocuments,
      memberClients: memberClients === undefined ? null : allowsMembers,
      now,
    }),
    notifyRefusal: (
      endpoint,
      { error, reason, clientId: found, attemptId },
      { clientId, requestId = null, ...labels } = {},
    ) => {
      onRefusal({
        at: now(),
        endpoint,
        error,
        reason,
        clientId: (clientId ?? found)?.slice(0, 256) ?? null,
        requestId,
        ...(attemptId !== undefined && { attemptId }),
        ...labels,
      })
    },
    notifyFault,
  })
}

/**
 * Returns the identifier of the request within which the host application calls, or `null` if it has none, or
 * knows it only by a header.
 */
export const currentRequestId = ({ requestIdOf }: Pick<Site, 'requestIdOf'>): string | null =>
  requestIdOf(() => null)

const isSenderConstraint = (block: Block): block is SenderConstraint =>
  block.kind === SENDER_CONSTRAINT

/** How many times as long as other methods those of {@link BULK_VERBS} may take. */
const BULK_FACTOR = 20

function timeOf(now: () => number): number {
  try {
    return now()
  } catch {
    return 0
  }
}

/**
 * Checks that the store of a site has the group that a function needs.
 *
 * @param what - the subject of the error
 * @param needer - the name of the function
 * @throws OptionsError that names the methods that the store lacks
 */
export function checkGroup(
  what: string,
  { store }: Site,
  { needer, group }: { needer: string; group: StoreGroup },
): void {
  const mistakes = groupMistakes(needer, store, group)
  if (mistakes.length > 0) throw new OptionsError(what, mistakes)
}

/**
 * Checks the options that a factory takes in addition to its site.
 *
 * @throws OptionsError if the site was not created by `defineSite`, and as `checkOptions` does
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

/** Returns the methods of what a factory creates, each of which rejects an identifier that is not a string, by its name. */
export const refusingOthersOf = <Methods extends object>(
  factory: string,
  methods: Methods,
  given: Readonly<Record<keyof Methods, AnyGiven>>,
): Methods => refusingOthers(methods, given, (mistake) => new OptionsError(factory, [mistake]))
