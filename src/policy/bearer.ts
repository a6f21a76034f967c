import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { type Client, type DisabledReason, disabledReason } from './client.js'
import { type Decision, type Refusal, refuse } from './decision.js'
import type { AccessToken, Grant } from './grant.js'
import type { Person } from './person.js'
import type { RefusalReason } from './refusals.js'
import { effectiveScopes, withImplied } from './role.js'
import { scopesOfClient } from './scope-audience.js'

// RFC 6750 §2.1: b64token
const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i

/**
 * Reads the access token from an `Authorization` header. It is the only place where one may stand.
 *
 * @param authorization - the header as received; `null` = absent
 * @returns refusals are `invalid_token`
 * @see RFC 6750 §2.1; OAuth 2.1 §5.1
 */
export function parseBearer(
  authorization: string | null,
): Decision<{ accessToken: string }, 'access_token_missing' | 'authorization_malformed'> {
  if (authorization === null) return refuse('invalid_token', 'access_token_missing')
  const match = BEARER.exec(authorization)
  return match === null
    ? refuse('invalid_token', 'authorization_malformed')
    : { ok: true, accessToken: match[1]! }
}

declare const granted: unique symbol

/** The right of one request at a site with these scopes, decided. Only {@link decideAccess} makes one. */
export interface Access<out Scope extends string = string> {
  readonly [granted]: true
  readonly person: Person
  readonly client: Client
  readonly grantId: string
  /**
   * The token's scopes that have an effect now, within the client's cap and the person's roles, with every
   * narrower scope that one of them implies: `includes` is all there is to ask.
   */
  readonly scopes: readonly Scope[]
  /** The token's scopes as issued. */
  readonly tokenScopes: readonly string[]
  /** Canonical form. */
  readonly resource: string
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** A refused request at a protected resource. */
export interface AccessRefusal<out Reason extends string = RefusalReason> extends Refusal<Reason> {
  /** Every scope the request needs; present with `insufficient_scope`. */
  readonly requiredScopes?: readonly string[]
}

/** Why scopes are not enough: asking for them again helps with the first alone. */
export type ReachReason = 'scope_not_granted' | 'scope_beyond_client' | 'scope_beyond_role'

/** Why an access token opens nothing. */
export type AccessReason =
  | 'access_token_unknown'
  | 'access_token_revoked'
  | 'grant_revoked'
  | 'access_token_expired'
  | 'access_token_for_other_resource'
  | 'client_gone'
  | DisabledReason
  | 'person_gone'
  | 'person_has_no_role'
  | ReachReason

/**
 * Decides what an access token allows now, in this order: authenticity, expiry, resource, the client,
 * the person, scope.
 *
 * @param request - `found`: the token with its grant as stored, `null` = unknown; `client` and
 *   `person`: the grant's, as they are now, `null` = gone; `resource`: canonical form of this
 *   resource; `required`: every scope the request needs; `now`: epoch seconds
 * @returns refusals are `insufficient_scope` for a {@link ReachReason}, and else `invalid_token`
 * @see RFC 6750 §3.1; RFC 8707 §2
 */
export function decideAccess({
  found,
  client,
  person,
  resource,
  required,
  registry,
  roles,
  now,
}: {
  found: { accessToken: AccessToken; grant: Grant } | null
  client: Client | null
  person: Person | null
  resource: string
  required: readonly string[]
  registry: ScopeRegistry
  roles: RoleTable
  now: number
}): { readonly ok: true; readonly access: Access } | AccessRefusal<AccessReason> {
  if (found === null) return refuse('invalid_token', 'access_token_unknown')
  const { accessToken, grant } = found
  if (accessToken.revokedAt !== null) return refuse('invalid_token', 'access_token_revoked')
  if (grant.revokedAt !== null) return refuse('invalid_token', 'grant_revoked')
  if (accessToken.expiresAt <= now) return refuse('invalid_token', 'access_token_expired')
  if (grant.resource !== resource) return refuse('invalid_token', 'access_token_for_other_resource')
  if (client === null) return refuse('invalid_token', 'client_gone')
  if (client.disabled) return refuse('invalid_token', disabledReason(client))
  if (person === null) return refuse('invalid_token', 'person_gone')
  if (!person.roles.some((role) => Object.hasOwn(roles, role)))
    return refuse('invalid_token', 'person_has_no_role')

  const tokenScopes = accessToken.scopes
  const access = {
    person,
    client,
    grantId: grant.grantId,
    scopes: openedScopes({ tokenScopes, client, person, registry, roles }),
    tokenScopes,
    resource: grant.resource,
    expiresAt: accessToken.expiresAt,
  } as Access
  const reach = decideReach({ access, required, registry })
  return reach.ok ? { ok: true, access } : reach
}

/** What the scopes of a token open now: within the client's cap and the person's roles, with all they imply. */
export function openedScopes({
  tokenScopes,
  client,
  person,
  registry,
  roles,
}: {
  tokenScopes: readonly string[]
  client: Client
  person: Person
  registry: ScopeRegistry
  roles: RoleTable
}): readonly string[] {
  const effective = effectiveScopes({
    scopes: tokenScopes,
    clientScopes: scopesOfClient({ client, registry }),
    roles: person.roles,
    table: roles,
    registry,
  })
  return withImplied(effective, registry)
}

/**
 * Decides whether somebody who was let in may do what needs these scopes.
 *
 * @param request - `required`: every scope it needs
 * @returns refusals are `insufficient_scope`
 * @see RFC 6750 §3.1
 */
export function decideReach({
  access: { client, scopes, tokenScopes },
  required,
  registry,
}: {
  access: Pick<Access, 'client' | 'scopes' | 'tokenScopes'>
  required: readonly string[]
  registry: ScopeRegistry
}): { readonly ok: true } | AccessRefusal<ReachReason> {
  const missing = required.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return { ok: true }
  const held = withImplied(tokenScopes, registry)
  const beyond = missing.filter((scope) => held.includes(scope))
  const cap = scopesOfClient({ client, registry })
  const ofClient = withImplied(
    tokenScopes.filter((scope) => cap.includes(scope)),
    registry,
  )
  const reason =
    beyond.length === 0
      ? 'scope_not_granted'
      : beyond.every((scope) => ofClient.includes(scope))
        ? 'scope_beyond_role'
        : 'scope_beyond_client'
  return { ...refuse('insufficient_scope', reason, INSUFFICIENT[reason]), requiredScopes: required }
}

const INSUFFICIENT = {
  scope_not_granted: 'the access token does not hold every scope this request needs',
  scope_beyond_client: 'this application may no longer use a scope this request needs',
  scope_beyond_role: "the person's role does not allow what this request needs",
}

/**
 * The value of a `WWW-Authenticate` header for a refused request.
 *
 * @param challenge - `resourceMetadata`: absolute URL of the protected resource metadata; `error`:
 *   `null` = say only how to authenticate; `scopes`: every scope the request needs
 * @see RFC 6750 §3; RFC 9728 §5.1
 */
export function bearerChallenge({
  resourceMetadata,
  error,
  description,
  scopes = [],
}: {
  resourceMetadata: string
  error: string | null
  description?: string | undefined
  scopes?: readonly string[]
}): string {
  const parts: string[] = []
  if (error !== null) parts.push(`error="${error}"`)
  if (description !== undefined) parts.push(`error_description="${quotable(description)}"`)
  if (scopes.length > 0) parts.push(`scope="${scopes.join(' ')}"`)
  parts.push(`resource_metadata="${resourceMetadata}"`)
  return `Bearer ${parts.join(', ')}`
}

// RFC 6750 §3: error_description is %x20-21 / %x23-5B / %x5D-7E.
function quotable(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")
}
