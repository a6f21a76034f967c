import type { Outgoing } from '../http/exchange.js'
import { describe, errorBody, type ErrorUris, json } from '../http/respond.js'
import {
  type Access,
  type AccessRefusal,
  bearerChallenge,
  decideAccess,
  parseBearer,
} from '../policy/bearer.js'
import type { Client } from '../policy/client.js'
import { refuse } from '../policy/decision.js'
import { type Grant, keyOf } from '../policy/grant.js'
import type { Person } from '../policy/person.js'
import type { ResourceNames } from '../policy/resource-indicator.js'
import { PATHS } from '../site/paths.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { KeyProofs, ProvableRequest } from '../site/sender-constraint.js'
import type { Sender } from '../site/budget.js'
import type { Labels, Watcher } from '../site/watcher.js'
import type { Store } from '../store/store.js'
import { hashToken } from '../token/opaque.js'
import { reachOf, type Requirement } from './step-up.js'

/**
 * The members of a site that {@link authorizeBearer} needs. Every `Site` has them.
 *
 * @group Access tokens
 */
export interface AccessSource {
  /** The origin of the site, without a trailing slash. */
  readonly issuer: string
  /** The resource whose tokens are accepted. A `Site` has it. Default: the issuer. */
  readonly resource?: Pick<ResourceNames, 'canonical'>
  /** Looks up access tokens by their hash. */
  readonly store: Pick<Store, 'findAccessToken'>
  /**
   * Returns the current state of the client; `null` if there is none. `stored` is the client that the store
   * returned with the token.
   */
  readonly findClient: (clientId: string, stored?: Client | null) => Promise<Client | null>
  /** Returns the person with this `sub`; `null` if the person does not exist or is suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
  /** Whether a refusal names the page on which the person can allow more. A `Site` has it. Default: `false`. */
  readonly stepUpLinks?: boolean
  /** The clock by which a token has expired. A `Site` has it. */
  readonly clock: {
    /** Returns the time in epoch seconds. */
    readonly latest: () => Promise<number>
  }
  /**
   * The block that binds tokens to keys. A `Site` has it. Default: a token that is bound to a key is refused.
   *
   * @internal
   */
  readonly senderConstraint?: KeyProofs | null
  /** Receives each use of a token. A `Site` has it. Default: nothing does. */
  readonly watcher?: Pick<Watcher, 'used'>
  /**
   * Decides what a token allows, in place of the store and the look-ups: that of `createRemoteGate`.
   *
   * @internal
   */
  readonly admit?: (accessToken: string, sender: Sender | null) => Promise<Admission>
}

/** The decision about a token, before any scope is required, and the grant that the token belongs to. */
export interface Admission {
  readonly admitted: ReturnType<typeof decideAccess>
  /** `null` if the token was not found. */
  readonly grant: Pick<Grant, 'grantId' | 'createdAt' | 'clientId'> | null
  /** The key to which the token is bound, of which the request has to have proof; `null` if to none. */
  readonly boundTo: string | null
}

/**
 * Decides what the access token of an `Authorization` header allows: it loads the token, its grant, the
 * client and the person, and checks their current state. A token that is bound to a key needs proof of it. Use it to build a gate of your own; otherwise
 * use `createProtectedResource`.
 *
 * @param asked - `authorization`: the header as received, `null` if absent; `required`: every scope
 *   that the request needs; `requiredRoles`: the roles of which the person needs one, by default any. `request`: the
 *   request itself: the proof of a bound token is read from it, and a remote gate has its network pay for a token that
 *   is not known
 * @returns the access, or a refusal: `invalid_token` if the token is missing or not valid,
 *   `insufficient_scope` with `requiredScopes` if a scope has no effect. Its `clientId` is that of the
 *   token, if the token was found
 * @throws whatever the store or a look-up of the source throws
 * @see [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
 * @group Access tokens
 * @example
 * ```ts
 * import { authorizeBearer } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
 * const decided = await authorizeBearer(site, { authorization, required: ['courses:read'] })
 * decided.ok && decided.access.person.roles // => ['owner']
 *
 * const refused = await authorizeBearer(site, { authorization, required: ['orders:read'] })
 * !refused.ok && refused.reason // => 'scope_not_granted'
 * ```
 */
export async function authorizeBearer(
  source: AccessSource,
  asked: Requirement & {
    authorization: string | null
    request?: ProvableRequest | undefined
  },
): Promise<{ readonly ok: true; readonly access: Access } | (AccessRefusal & Labels)> {
  const { authorization, request } = asked
  const presented =
    source.senderConstraint?.present(authorization, request) ?? parseBearer(authorization)
  if (!presented.ok) return presented
  const { admit = (accessToken) => admitFrom(source, accessToken) } = source
  const { admitted, grant, boundTo } = await admit(presented.accessToken, request ?? null)
  const proved = !admitted.ok
    ? admitted
    : 'prove' in presented
      ? await presented.prove(boundTo)
      : boundTo === null
        ? admitted
        : BOUND
  const reach = admitted.ok && proved.ok ? reachOf(source, admitted.access, asked) : proved
  const decided =
    admitted.ok && !reach.ok ? { ...reach, subject: admitted.access.person.subject } : admitted
  if (grant === null) return decided
  const { grantId, createdAt, clientId } = grant
  const labels = source.watcher?.used?.(
    { grantId, createdAt, clientId },
    decided.ok ? null : { error: decided.error, reason: decided.reason },
  )
  if (!decided.ok) return { ...decided, clientId, ...labels }
  const { dpopNonce } = proved as Pick<Access, 'dpopNonce'>
  return dpopNonce === undefined ? decided : { ok: true, access: { ...decided.access, dpopNonce } }
}

async function admitFrom(source: AccessSource, accessToken: string): Promise<Admission> {
  const found = await source.store.findAccessToken(hashToken(accessToken))
  const boundTo = found && keyOf(found)
  const [client, person] =
    found === null
      ? [null, null]
      : await Promise.all([
          source.findClient(found.grant.clientId, found.client),
          source.findPerson(found.grant.subject),
        ])
  const admitted = decideAccess({
    found,
    client,
    person,
    resource: source.resource?.canonical ?? source.issuer,
    required: [],
    registry: source.scopes,
    roles: source.roles,
    now: await source.clock.latest(),
    // Proved by the caller, once it is known which key that is.
    key: boundTo,
  })
  return { admitted, grant: found && found.grant, boundTo }
}

const BOUND = refuse('invalid_token', 'access_token_bound')

// RFC 6750 §3.1
const STATUS: Readonly<Partial<Record<AccessRefusal['error'], number>>> = {
  invalid_request: 400,
  insufficient_scope: 403,
}

/**
 * Options of {@link challengeFor}: the resource that refused the request.
 *
 * @inline
 */
export interface ChallengeOptions {
  /** The origin of the site. */
  readonly issuer: string
  /** The resource whose metadata the challenge names. A `Site` has it. Default: the issuer. */
  readonly resource?: Pick<ResourceNames, 'canonical'>
  /** Path of a resource with metadata of its own, such as `/mcp`. Default: the site as a whole. */
  readonly path?: string
  /**
   * Whether the challenge has the error `invalid_token` even if the request had no token. Default: `false`,
   * as RFC 6750, section 3.1, recommends.
   */
  readonly nameMissing?: boolean
  /** The `Authorization` header of the request, whose scheme the challenge answers. Default: absent. */
  readonly authorization?: string | null
  /**
   * The block of the site that binds tokens to keys. Default: the site has none.
   *
   * @internal
   */
  readonly senderConstraint?: KeyProofs | null
}

/**
 * Builds the challenge of a refused request, the value of `WWW-Authenticate`. It names the resource
 * metadata and the scopes, with which a client can start an authorization request.
 *
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)
 */
export function challengeOf(
  refusal: AccessRefusal,
  {
    resource,
    path = '',
    nameMissing = false,
    authorization = null,
    senderConstraint,
  }: Omit<ChallengeOptions, 'issuer'> & Required<Pick<ChallengeOptions, 'resource'>>,
): string {
  const bare = refusal.reason === 'access_token_missing' && !nameMissing
  const challenge = bearerChallenge({
    resourceMetadata: resource.canonical + PATHS.protectedResourceMetadata + path,
    error: bare ? null : refusal.error,
    description: bare ? undefined : describe(refusal),
    scopes: refusal.requiredScopes ?? [],
  })
  return senderConstraint?.challenge(challenge, authorization) ?? challenge
}

/** Returns the status of a refused request: 403 for a missing scope, 400 if it is malformed, else 401. */
export const challengeStatus = ({ error }: AccessRefusal): number => STATUS[error] ?? 401

/**
 * Builds the response to a refused request: 401, 403 or 400 with a challenge and an OAuth error body.
 *
 * @param refusal - the refusal of {@link authorizeBearer}
 * @param options - the resource that refused it, and the pages about errors if there are any
 * @returns a plain response: status, header list and body
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)
 * @group Challenges
 * @example
 * ```ts
 * import { refuse } from 'hallpass/policy'
 * import { challengeFor } from 'hallpass'
 *
 * const missing = refuse('invalid_token', 'access_token_missing')
 * const { status, headers } = challengeFor(missing, { issuer: 'https://school.example' })
 * status // => 401
 * const metadata = 'https://school.example/.well-known/oauth-protected-resource'
 * headers[headers.indexOf('www-authenticate') + 1] // => `Bearer resource_metadata="${metadata}"`
 * ```
 */
export function challengeFor(
  refusal: AccessRefusal,
  {
    errorUris = null,
    issuer,
    ...options
  }: ChallengeOptions & { readonly errorUris?: ErrorUris | null },
): Outgoing {
  const body = errorBody(refusal.error, describe(refusal), errorUris)
  const headers = [
    'www-authenticate',
    challengeOf(refusal, { resource: { canonical: issuer }, ...options }),
    'vary',
    'Authorization',
  ]
  return json(challengeStatus(refusal), body, headers)
}
