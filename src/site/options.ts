import type { RandomBytes } from '../encoding/random.js'
import type { PinnedDocument } from '../policy/cimd-lifecycle.js'
import type { DocumentPolicy } from '../policy/cimd-url.js'
import type { Person } from '../policy/person.js'
import type { Vendor } from '../policy/vendor-match.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { StoreWith } from '../store/groups.js'
import type { Store } from '../store/store.js'
import type { Block } from './block.js'
import type { ALLOWANCES, Budget, Expense } from './budget.js'
import type { FaultNotice, RefusalNotice, SiteEvent } from './events.js'
import type { FetchDocument } from './fetch-document.js'
import type { Watch } from './watcher.js'

/**
 * Options of {@link defineSite}: what more than one part of a site needs to know.
 *
 * @group Sites
 */
export interface SiteOptions<
  Scope extends string = string,
  Kept extends StoreWith = Store,
  More extends string = never,
> {
  /**
   * The origin of the site, such as `https://school.example`: it is the issuer, the resource and the prefix
   * of every URL. Use https, or http on a loopback host such as `art.localhost:3000`, without a path or a trailing
   * slash.
   */
  readonly issuer: string
  /**
   * Origins of further protected resources, such as `https://grades.example`: services of this site at origins of their own,
   * each with `createRemoteGate({ resource })`. A client gets a token for one of them with the parameter `resource`, and
   * the token is refused everywhere else. Default: none, and every token is for the issuer.
   */
  readonly resources?: readonly string[]
  /** Name of the site for people, such as on the consent page and in the metadata. */
  readonly name: string
  /** Name of the site for programs, such as the name of its MCP server. Default: the host of the issuer. */
  readonly id?: string
  /**
   * Keeps clients, grants, tokens and keys: `createMemoryStore`, `createPostgresStore` or your own, with the core of
   * `Store` and the groups that you need.
   */
  readonly store: Kept
  /** The scopes that clients may request: `schoolScopes`, or your own from `defineScopes`. */
  readonly scopes: ScopeRegistry<Scope>
  /** The permissions of each role. A role that is not in the table has none. */
  readonly roles: RoleTable<NoInfer<Scope>>
  /**
   * Returns the person with this `sub` as your tables have them now; `null` if the person does not exist
   * or is suspended. Called for every request that depends on a person.
   */
  readonly findPerson: (subject: string) => Promise<Person | null>
  /** Clients that are kept in configuration, such as known AI platforms. Default: none. */
  readonly vendors?: readonly Vendor<NoInfer<Scope>>[]
  /**
   * Client ID metadata documents that the site fetches. Default: none, and a `client_id` that is a URL is
   * refused unless its document is pinned.
   */
  readonly documents?: Partial<DocumentPolicy> & {
    /** Fetches a document, such as `createDocumentFetcher()` from hallpass/node. */
    readonly fetchDocument: FetchDocument
  }
  /** Client ID metadata documents that are kept in configuration and never fetched. Default: none. */
  readonly pinnedDocuments?: readonly PinnedDocument<NoInfer<Scope>>[]
  /**
   * Returns whether member clients may be used now; called for each request of one. While it returns `false`
   * they are treated as disabled, and nothing is revoked. Default: always `true`.
   */
  readonly memberClients?: () => boolean | Promise<boolean>
  /**
   * Host names that mean "this computer" in redirect URIs, in place of the default ones.
   * Default: `127.0.0.1`, `[::1]` and `localhost`.
   */
  readonly loopbackHosts?: readonly string[]
  /**
   * Characters that look like Latin letters, in addition to the most frequent ones of Greek and Cyrillic. A
   * name that could be mistaken for a vendor's, or for the site's, is not shown to people. Default: those
   * of `LOOKALIKES` from `hallpass/clients` if the site has vendors, which are loaded when a name is first compared, and
   * otherwise none. With more: `{ ...LOOKALIKES, '\u2665': 'o' }`.
   */
  readonly lookalikes?: Readonly<Record<string, string>>
  /**
   * Keeps what each client, person and network has left of its allowances. Several processes need one that
   * they share, or each grants the whole allowance. Default: `createMemoryBudget()`.
   */
  readonly budget?: Budget
  /**
   * Allowances in place of the default ones; `null` lifts one. Default: `ALLOWANCES` from `hallpass/operations`.
   */
  readonly allowances?: Readonly<
    Partial<Record<keyof typeof ALLOWANCES, Expense['allowance'] | null>>
  >
  /**
   * Returns the network that sent a request, for the allowances of networks: `networkOf` from hallpass/node, or
   * the address in a header that your own proxy sets. Returns `null` if it does not know. An exception goes to
   * `onFault`. Default: no network is known, and the allowances of networks do not apply.
   */
  readonly networkOf?: (request: Request) => string | null
  /**
   * How long a request waits for one call of your functions, in milliseconds: the methods of `store` and of
   * other storages, `findPerson`, `memberClients`, and the functions of `interact` and `keys`. Then the
   * response is 503 with `Retry-After`, and `onFault` receives the name of the function. The methods
   * `purge`, `erasePerson` and those that revoke grants have twenty times as long. If `budget` is late, this process
   * counts in memory instead. An integer from 1 to 60,000. Default: 1500.
   *
   * The call itself is not stopped: set the time limits of your driver too, so that it ends. If 1000 calls
   * are overdue, further ones are refused immediately, until one responds.
   */
  readonly callDeadlineMilliseconds?: number
  /**
   * Returns the identifier of a request, so that the log of the host application and the responses name it
   * alike: 1 to 128 letters, digits and `_.:-`. `header` returns a header by its lower-case name, such as
   * `x-request-id`. Use that only if your own proxy sets it. `null`, any other value or an exception leads to a
   * random one. Default: `req_` and 16 random characters.
   *
   * It is also called for the events of functions that you call yourself, such as those of client management.
   * `header` then returns `null` for every name. To name the request there too, return the identifier from an
   * `AsyncLocalStorage`. Otherwise their events have `null`.
   */
  readonly requestIdOf?: (header: (name: string) => string | null) => string | null
  /**
   * Called after each completed step: registration, grant, refresh, revocation, change of a client or a key.
   * An exception goes to `onFault` and does not affect the response. If the process ends between a step and
   * this call, the event is lost: to miss none, use `outbox`. Default: events are not reported.
   */
  readonly onEvent?: (event: SiteEvent) => void
  /**
   * Whether the store keeps the events of each change, in the same atomic operation, until
   * `deliverEvents` delivers them. `onEvent` then receives them with their `id`. Turn it on only if you
   * deliver them: they are kept for 30 days. The store needs the group `outbox`. Default: `false`.
   */
  readonly outbox?: Kept extends StoreWith<'outbox'> ? boolean : false
  /**
   * Watch the requests of the site: `recordAttempts(storage)` from hallpass/clients, or your own {@link Watch}. None
   * delays or changes a response, and their exceptions go to `onFault`. Default: nothing watches, at no cost.
   */
  readonly watchers?: readonly Watch[]
  /**
   * Whether a 403 for a missing scope tells the person where to allow it: a page of this origin, for clients that
   * ignore the challenge. The person signs in there, and allows it with your consent page; then the client has it
   * with the tokens that it holds. An authorization server of the site needs `createStepUp` in `interact.stepUp`,
   * and the store the group `stepUp`. Default: `false`.
   */
  readonly stepUpLinks?: Kept extends StoreWith<'stepUp'> ? boolean : false
  /**
   * Opt-in parts from `hallpass/blocks`, such as `dpop()` or `clientCredentials({ serviceOf })`. Every
   * endpoint and gate of the site has them, the reasons of their refusals are part of the type of the notices, and their
   * texts of the explanations of attempts. Default: none.
   */
  readonly blocks?: readonly Block<More>[]
  /**
   * Called with every refusal and its exact reason, without secrets. Refreshes of ended grants are the only
   * exception: they are reported once an hour for each client. An exception goes to `onFault`.
   * Default: refusals are not reported.
   */
  readonly onRefusal?: (notice: RefusalNotice<NoInfer<More>>) => void
  /**
   * Called with every exception that led to a 500 or 503 response, and with those of the other hooks. Its
   * own exceptions are ignored. Default: faults are not reported.
   */
  readonly onFault?: (notice: FaultNotice) => void
  /** The clock: returns the time in whole epoch seconds. Default: the clock of the system. */
  readonly now?: () => number
  /**
   * Source of randomness: returns `length` cryptographically secure bytes.
   * Default: `crypto.getRandomValues`.
   */
  readonly randomBytes?: RandomBytes
}
