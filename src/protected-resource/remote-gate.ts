import {
  callback,
  checkOptions,
  optional,
  type Rules,
  simple,
  text,
  whole,
} from '../options/check.js'
import type { Endpoint } from '../http/exchange.js'
import { ONLY_FAILURES } from '../http/respond.js'
import type { SiteOptions } from '../site/options.js'
import { PATHS } from '../site/paths.js'
import { SITE_RULES } from '../site/rules.js'
import { createSite, type Site } from '../site/site.js'
import { CORE_RESULTS, STORE_GROUPS, type StoreWith } from '../store/groups.js'
import type { Store } from '../store/store.js'
import { createIntrospection } from './introspection.js'
import { createProtectedResource, type ProtectedResource } from './protected-resource.js'
import { createResourceMetadata, type ResourceName } from './resource-metadata.js'

/**
 * Creates the gates of an API in another process than the authorization server, without its store and its people. It
 * asks the introspection endpoint of the issuer what a token allows. Responses, challenges and hooks are those of
 * {@link createProtectedResource}.
 *
 * Answers are kept for `cacheSeconds`: a revocation, a disabled client and a lost role are seen within that time.
 *
 * The authorization server needs a client for this process, with `client_secret_post` and a secret, and its identifier
 * in `introspectionClientIds`. Use the same `scopes` and `roles` there and here: a scope has to be allowed by both.
 *
 * Without an answer that can be used, a request gets 503 with `Retry-After`, and never passes. That is so if the
 * endpoint is late, or responds with another status, type or form than it should. `onFault` receives the cause.
 * After five failures in a row, that three senders have seen, one question about a token that was active is sent in five
 * seconds, and one about another.
 *
 * With `networkOf`, a network pays for the tokens that it sends and that turn out not to be active: 120 a minute.
 *
 * @param options - those of `defineSite` without `store`, `findPerson`, `outbox` and `resources`, and these:
 *   - `resource`: the origin at which clients reach this process, if it is not that of the issuer. The site of the issuer
 *     names it in `resources`. Default: the issuer, whose tokens are then accepted here
 *   - `clientId`, `clientSecret`: the client of this process. A function returns the secret for each question, so that it
 *     can be rotated
 *   - `cacheSeconds`: how long an answer is used, and so how late a revocation can be seen: an integer from 0, for
 *     a question with each request, to 300. Default: 10
 *   - `send`: sends the question, as `fetch` does, and stops when the signal is aborted. Default: `fetch`
 * @returns `gate` of a protected resource, the `site`, for `createAccountApi`, `createAdminApi` and
 *   `createMcpEndpoint`, and the `routes` of its metadata (RFC 9728), for `routesOf`. Serve them if it has a `resource`. An access has no name, email address and picture of its person, and of its client only
 *   identifier, kind, name and scopes. What needs a store rejects with a `StorageFailure`.
 * @throws OptionsError that lists every mistake
 * @see [RFC 7662, section 2](https://www.rfc-editor.org/rfc/rfc7662#section-2)
 * @group Gates
 * @example
 * ```ts
 * import { createRemoteGate, schoolRoles, schoolScopes } from 'hallpass'
 *
 * const remote = createRemoteGate({
 *   issuer: 'https://school.example',
 *   name: 'My School',
 *   scopes: schoolScopes,
 *   roles: schoolRoles,
 *   clientId: 'grades',
 *   clientSecret: 'the secret of the client grades',
 *   send: async () => Response.json({ active: false }), // leave it out: it stands for a server here
 * })
 * const readsCourses = remote.gate('courses:read')
 *
 * const headers = { authorization: `Bearer hpa_${'A'.repeat(43)}` }
 * const refused = await readsCourses(new Request('https://grades.example/', { headers }))
 * refused instanceof Response && refused.status // => 401
 * ```
 */
export function createRemoteGate<Scope extends string, const More extends string = never>(
  options: Omit<
    SiteOptions<Scope, Store, More>,
    'store' | 'findPerson' | 'outbox' | 'resources'
  > & {
    readonly resource?: string
    readonly clientId: string
    readonly clientSecret: string | (() => string | Promise<string>)
    readonly cacheSeconds?: number
    readonly send?: (url: string, init: RequestInit) => Promise<Response>
  },
): ProtectedResource<Scope> & {
  readonly site: Site<Scope>
  readonly routes: Readonly<Record<string, Endpoint>>
} {
  const {
    resource = options.issuer,
    clientId,
    clientSecret,
    cacheSeconds = 10,
    send = (url: string, init: RequestInit) => fetch(url, init),
    ...shared
  } = checkOptions('remote gate', options, rules())
  const defined = createSite({ ...shared, store: noStore(), findPerson: absent }, resource)
  const admit = createIntrospection({
    site: defined,
    url: defined.issuer + PATHS.introspect,
    clientId,
    clientSecret,
    cacheSeconds,
    send,
  })
  // Only the store knows when an app was connected, so watchers do not see a use here.
  const { used: _used, ...watcher } = defined.watcher
  const site: Site<Scope> = Object.freeze({ ...defined, watcher, admit })
  const metadata = createResourceMetadata(site, ONLY_FAILURES)
  const routes = Object.entries(metadata).map(([name, endpoint]) => [
    PATHS[name as ResourceName],
    endpoint,
  ])
  return { ...createProtectedResource(site), site, routes: Object.fromEntries(routes) }
}

type Options<Scope extends string, More extends string> = Parameters<
  typeof createRemoteGate<Scope, More>
>[0]

/** The rules of the options. A function, so that a program without a remote gate does not have them. */
const rules = <Scope extends string, More extends string>(): Rules<Options<Scope, More>> => {
  const {
    store: _store,
    findPerson: _findPerson,
    outbox: _outbox,
    resources: _resources,
    ...shared
  } = SITE_RULES
  const own: Rules<Omit<Options<Scope, More>, keyof SiteOptions>> = {
    resource: optional(SITE_RULES.issuer),
    clientId: text('"grades"'),
    clientSecret: simple(
      'a string, or a function such as () => secrets.read("grades")',
      (value) => typeof value === 'function' || (typeof value === 'string' && value !== ''),
    ),
    cacheSeconds: optional(whole(0, 300)),
    send: optional(callback('(url, init) => fetch(url, init)')),
  }
  return { ...shared, ...own } as unknown as Rules<Options<Scope, More>>
}

/** A store with the methods that a site asks for at its start, none of which has anything. */
const noStore = (): StoreWith<'stepUp'> => {
  const names = [...Object.keys(CORE_RESULTS), ...STORE_GROUPS.stepUp]
  const methods = Object.fromEntries(names.map((name) => [name, absent]))
  const guarantees: StoreWith['guarantees'] = {
    acknowledged: 'lost with the process',
    reads: 'latest',
    clock: 'process',
    processes: 'many',
  }
  return { ...methods, guarantees } as unknown as StoreWith<'stepUp'>
}

const absent = async (): Promise<never> => {
  throw new Error('this process has no store: its site is that of createRemoteGate')
}
