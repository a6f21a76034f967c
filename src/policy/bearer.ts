import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { earliestEnd, hasEnded, isBefore } from '../time/seconds.js'
import { type Client, disabledReason } from './client.js'
import {
  type Decision,
  present,
  type ReasonsOf,
  type Refusal,
  refuse,
  type With,
} from './decision.js'
import { type AccessToken, type Grant, keyOf } from './grant.js'
import type { Person } from './person.js'
import type { RefusalReason } from './refusals.js'
import { decideApprover, usableScopes, withImplied } from './role.js'
import { mayRequest } from './scope-audience.js'

/**
 * How far ahead of the clock an access token was issued that is refused, in seconds: more than two processes may differ.
 * The clock that issued it was wrong, and it would be valid for as long as that clock was ahead.
 */
const TOO_FAR_AHEAD_SECONDS = 300

// RFC 9110 §11.4: one or more spaces. RFC 6750 §2.1: b64token
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/**
 * Reads the access token from an `Authorization` header. A token in the query or in a form is not
 * accepted.
 *
 * @param authorization - the header as received, `null` if absent
 * @returns the token, or a refusal with `invalid_token`
 * @see [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)
 * @see [OAuth 2.1, section 5.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-5.1)
 *
 * @example
 * ```ts
 * import { parseBearer } from 'hallpass/policy'
 *
 * parseBearer('Bearer mF_9.B5f-4.1JqM') // => { ok: true, accessToken: 'mF_9.B5f-4.1JqM' }
 *
 * const basic = parseBearer('Basic bm90ZXM6c2VjcmV0')
 * basic.ok ? null : basic.reason // => 'authorization_malformed'
 * ```
 *
 * @group Access tokens
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

/**
 * The rights of one request: the result of a valid access token. Only {@link decideAccess} creates
 * one.
 *
 * @typeParam Scope - the scope names of the site
 *
 * @group Access tokens
 */
export interface Access<out Scope extends string = string> {
  readonly [granted]: true
  readonly person: Person
  readonly client: Client
  readonly grantId: string
  /**
   * The scopes that apply to this request: those of the token that the client may use and the
   * person's roles allow now. Every narrower scope that one of them implies is included, so
   * `includes` is the only check that you need.
   */
  readonly scopes: readonly Scope[]
  /** The scopes of the token as it was issued. */
  readonly tokenScopes: readonly string[]
  /** The resource of the token, in canonical form. */
  readonly resource: string
  /** Epoch seconds at which the access ends: that of the token, or of its grant or client if that is earlier. */
  readonly expiresAt: number
  /** Whether an identity provider or a manager decided in place of a person: then no page adds scopes to the grant. */
  readonly hasFixedScopes: boolean
  /**
   * A newer nonce for the client, as `DPoP-Nonce` of your response (RFC 9449, section 8.2). Present if that of the
   * request ends soon. The endpoints of the library send it themselves.
   */
  readonly dpopNonce?: string
}

/**
 * A refused request to a protected resource.
 *
 * @group Access tokens
 */
export interface AccessRefusal<out Reason extends string = RefusalReason> extends Refusal<Reason> {
  /**
   * Every scope that the request needs, the client may request and the person's roles allow. Present with
   * `scope_not_granted`, the only refusal after which another authorization can help.
   */
  readonly requiredScopes?: readonly string[]
  /** The scopes that the request needs and the access does not have. Present with `insufficient_scope`. */
  readonly missingScopes?: readonly string[]
  /** The client of the token. Present if `authorizeBearer` found the token. */
  readonly clientId?: string
  /** The person of the token. Present if only the scopes or the role do not suffice. */
  readonly subject?: string
}

/**
 * Decides what an access token allows now. The checks run in this order: the token and its grant,
 * expiry, the time of issue, resource, key, client, person, scopes. Client and person are checked as they are at the time
 * of the request, so a disabled client or a lost role takes effect immediately.
 *
 * @param request - `found` is the token with its grant as stored, or `null` if no token matches.
 *   `client` and `person` are those of the grant as they are now, `null` if deleted. `resource` is
 *   the canonical form of this resource, and `required` every scope that the request needs.
 *   `registry` and `roles` are those of the site, and `now` is in epoch seconds. `key` is the one that the request
 *   proves to have, as the thumbprint of RFC 7638: a token that is bound to a key is refused without it. Default: none
 * @returns the access, or a refusal. The error is `insufficient_scope` if the scopes do not suffice, of which only
 *   `scope_not_granted` is helped by a new authorization, and otherwise `invalid_token`.
 * @see [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
 * @see [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
 *
 * @example
 * ```ts
 * import { decideAccess } from 'hallpass/policy'
 * import { testSite } from 'hallpass/testing'
 * import { hashToken } from 'hallpass/token'
 *
 * const { site, clock, people, tokenFor } = testSite()
 * const token = await tokenFor({ roles: ['assistant'] }, 'courses:read', 'courses:write')
 * const found = await site.store.findAccessToken(hashToken(token))
 * const client = await site.findClient(found?.grant.clientId ?? '')
 * const person = people.get(found?.grant.subject ?? '') ?? null
 * const { scopes: registry, roles, resource } = site
 * const request = { found, client, person, resource: resource.canonical, registry, roles, now: clock.now() }
 * const read = decideAccess({ ...request, required: ['courses:read'] })
 * read.ok ? read.access.scopes : read.reason // => ['courses:read']
 * const write = decideAccess({ ...request, required: ['courses:write'] })
 * write.ok ? null : write.reason // => 'scope_beyond_role'
 * ```
 *
 * @group Access tokens
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
  key = null,
}: {
  found: {
    accessToken: With<AccessToken, 'scopes' | 'issuedAt' | 'expiresAt' | 'revokedAt'>
    grant: With<Grant, 'grantId' | 'resource' | 'expiresAt' | 'revokedAt'>
  } | null
  client: Client | null
  person: Person | null
  resource: string
  required: readonly string[]
  registry: ScopeRegistry
  roles: RoleTable
  now: number
  key?: string | null
}):
  | { readonly ok: true; readonly access: Access }
  | AccessRefusal<
      | 'access_token_unknown'
      | 'access_token_revoked'
      | 'grant_revoked'
      | 'grant_expired'
      | 'access_token_expired'
      | 'access_token_of_future'
      | 'access_token_for_other_resource'
      | 'access_token_bound'
      | 'client_gone'
      | 'client_disabled'
      | 'client_blocked'
      | NonNullable<Client['disabledBy']>
      | 'person_gone'
      | 'person_has_no_role'
      | 'scope_not_granted'
      | 'scope_beyond_client'
      | 'scope_beyond_role'
    > {
  if (found === null) return refuse('invalid_token', 'access_token_unknown')
  const { accessToken, grant } = found
  if (accessToken.revokedAt !== null) return refuse('invalid_token', 'access_token_revoked')
  if (grant.revokedAt !== null) return refuse('invalid_token', 'grant_revoked')
  if (!isBefore(now, grant.expiresAt)) return refuse('invalid_token', 'grant_expired')
  if (!isBefore(now, accessToken.expiresAt)) return refuse('invalid_token', 'access_token_expired')
  if (!isBefore(accessToken.issuedAt, now + TOO_FAR_AHEAD_SECONDS))
    return refuse('invalid_token', 'access_token_of_future')
  if (grant.resource !== resource) return refuse('invalid_token', 'access_token_for_other_resource')
  const bound = keyOf(found)
  if (bound !== null && bound !== key) return refuse('invalid_token', 'access_token_bound')
  if (client === null) return refuse('invalid_token', 'client_gone')
  if (client.disabled) return refuse('invalid_token', disabledReason(client))
  if (hasEnded(client.endsAt, now)) return refuse('invalid_token', 'client_ended')
  if (person === null) return refuse('invalid_token', 'person_gone')
  if (!person.roles.some((role) => Object.hasOwn(roles, role)))
    return refuse('invalid_token', 'person_has_no_role')

  const tokenScopes = accessToken.scopes
  const access = {
    person,
    client,
    grantId: grant.grantId,
    scopes: withImplied(
      usableScopes({ scopes: tokenScopes, client, person, registry, roles }),
      registry,
    ),
    tokenScopes,
    resource: grant.resource,
    expiresAt: earliestEnd(accessToken.expiresAt, grant.expiresAt, client.endsAt),
    hasFixedScopes: grant.redirectUri === '',
  } as Access
  const reach = decideReach({ access, required, registry, roles })
  return reach.ok ? { ok: true, access } : reach
}

/**
 * Decides whether an access that {@link decideAccess} returned covers these scopes. Use it for a
 * second check within the same request.
 *
 * @param request - `access`: from {@link decideAccess}; `required`: every scope that the operation
 *   needs; `requiredRoles`: the roles of which the person needs one, `null` if any role does. Default: `null`.
 *   `registry` and `roles`: those of the site
 * @returns `{ ok: true }`, or a refusal with `insufficient_scope`. `scope_not_granted` has `requiredScopes`,
 *   which the challenge names. With the other reasons, no scope that the person can allow the client would help
 * @see [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
 *
 * @example
 * ```ts
 * import { clientOfVendor, decideReach } from 'hallpass/policy'
 * import { schoolRoles as roles, schoolScopes as registry } from 'hallpass/scope'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * const scopes = ['courses:read']
 * const person = { roles: ['lecturer'] }
 * const access = { client: clientOfVendor(vendor), person, scopes }
 * decideReach({ access, required: ['courses:read'], registry, roles }) // => { ok: true }
 *
 * const refused = decideReach({ access, required: ['courses:write'], registry, roles })
 * refused.ok ? null : refused.reason // => 'scope_not_granted'
 *
 * const beyond = decideReach({ access, required: ['coupons:read'], registry, roles })
 * beyond.ok ? null : beyond.reason // => 'scope_beyond_role'
 * ```
 *
 * @group Access tokens
 */
export function decideReach({
  access: { client, person, scopes },
  required,
  requiredRoles,
  registry,
  roles,
}: {
  access: Pick<Access, 'scopes'> & {
    readonly client: With<Client, 'kind' | 'scopes'>
    readonly person: With<Person, 'roles'>
  }
  required: readonly string[]
  requiredRoles?: readonly string[] | null | undefined
  registry: ScopeRegistry
  roles: RoleTable
}):
  | { readonly ok: true }
  | AccessRefusal<'scope_not_granted' | 'scope_beyond_client' | 'scope_beyond_role'> {
  const missing = required.filter((scope) => !scopes.includes(scope))
  const lacksRole = requiredRoles?.every((role) => !person.roles.includes(role))
  if (missing.length === 0 && !lacksRole) return { ok: true }
  const beyond = (
    reason: ReasonsOf<typeof decideReach>,
    description: string,
  ): AccessRefusal<typeof reason> => ({
    ...refuse('insufficient_scope', reason, description),
    missingScopes: missing,
  })
  const lacks = (offered: readonly string[]): boolean =>
    missing.some((scope) => !withImplied(offered, registry).includes(scope))
  const asked = { scopes: required, client, person, registry, roles }
  if (lacks(mayRequest(asked)))
    return beyond('scope_beyond_client', 'this client may not use a scope that this request needs')
  const requiredScopes = usableScopes(asked)
  const approver = decideApprover({ roles: person.roles, client, table: roles })
  if (lacksRole || !approver.ok || lacks(requiredScopes))
    return beyond('scope_beyond_role', "the person's role does not allow what this request needs")
  const description = `this request needs ${missing.join(' and ')}: authorize again to get more`
  return { ...beyond('scope_not_granted', description), requiredScopes }
}

/**
 * Returns the value of the `WWW-Authenticate` header for a refused request.
 *
 * @param challenge - `resourceMetadata` is the absolute URL of the protected resource metadata.
 *   `error` is the error code, or `null` to state only how to authenticate, as for a request
 *   without a token. `description` is the `error_description`. Default: none. `scopes` is every
 *   scope that the request needs. Default: none
 * @returns the header value
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)
 *
 * @example
 * ```ts
 * import { bearerChallenge } from 'hallpass/policy'
 *
 * const resourceMetadata = 'https://school.example/.well-known/oauth-protected-resource'
 * const challenge = bearerChallenge({ resourceMetadata, error: 'invalid_token' })
 * challenge // => `Bearer error="invalid_token", resource_metadata="${resourceMetadata}"`
 * ```
 *
 * @group Access tokens
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
  present({ resourceMetadata, error })
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
