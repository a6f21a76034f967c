import type { RoleTable } from '../scope/role.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { hasEnded, isBefore } from '../time/seconds.js'
import type { Client } from './client.js'
import { type Decision, type ReasonsOf, refuse } from './decision.js'
import type { Grant } from './grant.js'
import type { Person } from './person.js'
import type { ResourceNames } from './resource-indicator.js'
import { decideApprover, usableScopes } from './role.js'
import { decideScopes } from './scope-audience.js'

/** Why a person may not add scopes to a grant. */
export type WideningReason =
  | 'grant_not_of_person'
  | 'scope_beyond_role'
  | ReasonsOf<typeof decideApprover>
  | ReasonsOf<typeof decideScopes>

/**
 * Decides whether these scopes of a client would have an effect for a person. The client has to be allowed to
 * request them, the person to authorize the client, and the roles of the person have to allow each of them now.
 *
 * @param request - `scopes`: those to add. `client` and `person`: as they are now. `registry` and `roles`: those
 *   of the site
 */
export function decideAddition({
  scopes,
  client,
  person,
  registry,
  roles,
}: {
  scopes: readonly string[]
  client: Client
  person: Pick<Person, 'roles'>
  registry: ScopeRegistry
  roles: RoleTable
}): Decision<unknown, Exclude<WideningReason, 'grant_not_of_person'>> {
  const approver = decideApprover({ roles: person.roles, client, table: roles })
  if (!approver.ok) return approver
  const scoped = decideScopes({ scopes, client, registry })
  if (!scoped.ok) return scoped
  const usable = usableScopes({ scopes, client, person, registry, roles })
  return usable.length === scopes.length
    ? { ok: true }
    : refuse(
        'insufficient_scope',
        'scope_beyond_role',
        'your role does not include every permission that the app needs',
      )
}

/**
 * Decides whether a person may add scopes to a grant, because its client lacks them for a request. The person
 * must be the one who gave the grant, and each scope must have an effect now. The grant of another person is
 * refused like one that does not exist.
 *
 * @param request - `found`: the grant as stored and its client as it is now, `null` if there is no such grant.
 *   `person`: who is signed in. `scopes`: those to add. `names`: from {@link defineResource}.
 *   `registry` and `roles`: those of the site. `now`: epoch seconds
 * @returns the grant and its client, or a refusal. The reason `grant_not_of_person` covers a grant that is
 *   unknown, revoked or expired, or whose client is disabled, ended or deleted
 * @see [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 */
export function decideWidening({
  found,
  person,
  scopes,
  names,
  registry,
  roles,
  now,
}: {
  found: { grant: Grant; client: Client | null } | null
  person: Person
  scopes: readonly string[]
  names: Pick<ResourceNames, 'accepted'>
  registry: ScopeRegistry
  roles: RoleTable
  now: number
}): Decision<{ grant: Grant; client: Client }, WideningReason> {
  if (found === null || found.client === null) return NOT_OF_PERSON
  const { grant, client } = found
  const isLive =
    grant.revokedAt === null &&
    isBefore(now, grant.expiresAt) &&
    !client.disabled &&
    !hasEnded(client.endsAt, now) &&
    // A grant without a page has no redirect, and is not a person's to add to: its provider or a manager decided.
    grant.redirectUri !== ''
  const isOfSite = names.accepted.get(grant.resource) === grant.resource
  if (!isLive || grant.subject !== person.subject || !isOfSite) return NOT_OF_PERSON
  const added = decideAddition({ scopes, client, person, registry, roles })
  return added.ok ? { ok: true, grant, client } : added
}

const NOT_OF_PERSON = refuse(
  'access_denied',
  'grant_not_of_person',
  'this link is for the person who connected the app, as long as the app is connected',
)
