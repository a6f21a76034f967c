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
import type { Person } from '../policy/person.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Store } from '../store/store.js'
import { hashToken } from '../token/opaque.js'

/** What a gate needs to know. */
export interface AccessSource {
  /** The site's origin: issuer and resource at once, without a trailing slash. */
  readonly issuer: string
  readonly store: Pick<Store, 'findAccessToken'>
  /** The client with this identifier as it is now, or `null`. */
  readonly findClient: (clientId: string) => Promise<Client | null>
  /** The person with this `sub` as they are now; `null` = gone or suspended. */
  readonly findPerson: (subject: string) => Promise<Person | null>
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
  /** Epoch seconds. */
  readonly now: () => number
}

/**
 * Loads what an `Authorization` header stands for and decides what it allows.
 *
 * @param required - every scope the request needs
 */
export async function authorizeBearer(
  source: AccessSource,
  { authorization, required }: { authorization: string | null; required: readonly string[] },
): Promise<{ readonly ok: true; readonly access: Access } | AccessRefusal> {
  const bearer = parseBearer(authorization)
  if (!bearer.ok) return bearer
  const found = await source.store.findAccessToken(hashToken(bearer.accessToken))
  const [client, person] =
    found === null
      ? [null, null]
      : await Promise.all([
          source.findClient(found.grant.clientId),
          source.findPerson(found.grant.subject),
        ])
  return decideAccess({
    found,
    client,
    person,
    resource: source.issuer,
    required,
    registry: source.scopes,
    roles: source.roles,
    now: source.now(),
  })
}

/** Path of the protected resource metadata (RFC 9728 §3.1). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

// RFC 6750 §3.1
const STATUS: Readonly<Partial<Record<AccessRefusal['error'], number>>> = {
  invalid_request: 400,
  insufficient_scope: 403,
}

/** Where a refusal is answered. */
export interface ChallengeOptions {
  readonly issuer: string
  /** Path of the resource, where its metadata has a document of its own. */
  readonly path?: string
  /** Say `invalid_token` even where no token came. */
  readonly nameMissing?: boolean
}

/**
 * The challenge that leads a client to sign in or to ask for more: the value of `WWW-Authenticate`.
 *
 * @see RFC 6750 §3; RFC 9728 §5.1
 */
export function challengeOf(
  refusal: AccessRefusal,
  { issuer, path = '', nameMissing = false }: ChallengeOptions,
): string {
  const bare = refusal.reason === 'access_token_missing' && !nameMissing
  return bearerChallenge({
    resourceMetadata: issuer + RESOURCE_METADATA_PATH + path,
    error: bare ? null : refusal.error,
    description: bare ? undefined : describe(refusal),
    scopes: refusal.requiredScopes ?? [],
  })
}

/** The status of a refused request: 401, 403 where a scope is missing, 400 (RFC 6750 §3.1). */
export const challengeStatus = ({ error }: AccessRefusal): number => STATUS[error] ?? 401

/** The answer to a refused request, with its challenge. */
export function challengeFor(
  refusal: AccessRefusal,
  { errorUris = null, ...options }: ChallengeOptions & { readonly errorUris?: ErrorUris | null },
): Outgoing {
  const body = errorBody(refusal.error, describe(refusal), errorUris)
  const headers = ['www-authenticate', challengeOf(refusal, options), 'vary', 'Authorization']
  return json(challengeStatus(refusal), body, headers)
}
