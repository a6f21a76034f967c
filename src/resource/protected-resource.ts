import { responseFrom } from '../http/exchange.js'
import { answerFault, guardStorage } from '../http/respond.js'
import { shielded } from '../http/shielded.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import type { PinnedDocument } from '../policy/document-lifecycle.js'
import type { Person } from '../policy/person.js'
import type { Vendor } from '../policy/vendor.js'
import type { ScopeRegistry } from '../scope/registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Store } from '../store/store.js'
import { createClientFinder } from './clients.js'
import { type AccessSource, authorizeBearer, challengeFor } from './gate.js'
import { siteFaults, unknownOptions } from './option-faults.js'

/** Options of {@link createProtectedResource}. */
export interface ProtectedResourceOptions<Scope extends string = string> {
  /** The site's origin: issuer and resource at once, without a trailing slash. */
  readonly issuer: string
  /** The authorization server's store, or any that can find its tokens and clients. */
  readonly store: Pick<Store, 'findAccessToken' | 'findClient'>
  /** The person with this `sub` as they are now; `null` = gone or suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly scopes: ScopeRegistry<Scope>
  readonly roles: RoleTable<NoInfer<Scope>>
  /** Known vendor platforms, as the authorization server knows them. */
  readonly vendors?: readonly Vendor<NoInfer<Scope>>[]
  /** Pinned client ID metadata documents, as the authorization server knows them. */
  readonly pinnedDocuments?: readonly PinnedDocument<NoInfer<Scope>>[]
  /** Whether the site lets member clients in now, as the authorization server asks it. */
  readonly memberClients?: () => boolean | Promise<boolean>
  /** Hears of each refused request. Never gets the token. What it throws goes to `onFault`. */
  readonly onRefusal?: (refusal: AccessRefusal) => void
  /** Hears of whatever was thrown and answered with a 500 or 503. What it throws itself is lost. */
  readonly onFault?: (fault: unknown) => void
  /** Epoch seconds. */
  readonly now?: () => number
}

/** What a gate reads of a request: a `Request` will do, and so will `{ headers: req }` in Express. */
export interface GateRequest {
  readonly headers: {
    /** The value of a header; nothing where there is none. */
    readonly get: (name: string) => string | null | undefined
  }
}

/** A gate in front of one operation: what the request may do, or the answer that refuses it. */
export type Gate<Scope extends string = string> = (
  request: GateRequest,
) => Promise<Access<Scope> | Response>

/** A school's API behind access tokens. */
export interface ProtectedResource<Scope extends string = string> {
  /**
   * The gate of an operation.
   *
   * @param scopes - every scope the operation needs; none = any valid token
   * @throws TypeError - for a scope that is not in the registry
   */
  gate(...scopes: readonly Scope[]): Gate<Scope>
}

/** The names of {@link ProtectedResourceOptions}. */
export const RESOURCE_OPTION_NAMES: readonly (keyof ProtectedResourceOptions)[] = [
  'issuer', 'store', 'findPerson', 'scopes', 'roles', 'vendors', 'pinnedDocuments', 'memberClients',
  'onRefusal', 'onFault', 'now',
] // prettier-ignore
const OPTION_NAMES: ReadonlySet<string> = new Set(RESOURCE_OPTION_NAMES)

/**
 * Guards the operations of an existing API:
 *
 * ```ts
 * const readsCourses = resource.gate('courses:read')
 *
 * async function listCourses(request: Request): Promise<Response> {
 *   const access = await readsCourses(request)
 *   if (access instanceof Response) return access
 *   return Response.json(await coursesOf(access.person))
 * }
 * ```
 *
 * A refused request gets 401 or 403 with the challenge that leads a client to sign in; when the store
 * is down it gets 503. It is never let through as anonymous.
 *
 * @throws TypeError - naming every fault at once: unknown options, an issuer that is no origin, roles with
 *   scopes that the registry lacks
 * @see RFC 6750; RFC 9728 §5.1
 */
export function createProtectedResource<Scope extends string>(
  options: ProtectedResourceOptions<Scope>,
): ProtectedResource<Scope> {
  const faults = [...unknownOptions(options, OPTION_NAMES), ...siteFaults(options)]
  if (faults.length > 0) throw new TypeError(`protected resource: ${faults.join('; ')}`)
  const { issuer, scopes: registry } = options
  const tellFault = shielded(options.onFault, () => {})
  const tellRefusal = shielded(options.onRefusal, tellFault)
  const source = accessSourceOf(options)

  return {
    gate(...required) {
      const strangers = required.filter((scope) => registry.get(scope) === undefined)
      if (strangers.length > 0)
        throw new TypeError(`gate: "${strangers.join('", "')}" is not in the scope registry`)
      return async (request) => {
        try {
          const decided = await authorizeBearer(source, {
            authorization: request.headers.get('authorization') ?? null,
            required,
          })
          // The client's cap is of the registry's scopes, and what those imply is too.
          if (decided.ok) return decided.access as Access<Scope>
          tellRefusal(decided)
          return responseFrom(challengeFor(decided, { issuer }))
        } catch (fault) {
          tellFault(fault)
          return responseFrom(answerFault(fault))
        }
      }
    },
  }
}

/** What {@link authorizeBearer} needs, from a resource's options. */
export function accessSourceOf({
  issuer,
  store: unguarded,
  findPerson,
  scopes,
  roles,
  vendors = [],
  pinnedDocuments = [],
  memberClients,
  now = () => Math.floor(Date.now() / 1000),
}: Omit<ProtectedResourceOptions, 'onRefusal' | 'onFault'>): AccessSource {
  const store = guardStorage(unguarded)
  return {
    issuer,
    store,
    findClient: createClientFinder(store, {
      vendors,
      pinnedDocuments,
      memberClients:
        memberClients === undefined ? null : guardStorage({ memberClients }).memberClients,
    }),
    findPerson: guardStorage({ findPerson }).findPerson,
    scopes,
    roles,
    now,
  }
}
