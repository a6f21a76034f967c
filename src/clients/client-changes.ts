import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Client, ClientSecret } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Manager } from './manager.js'
import type { MemberClientFields } from './member-client.js'
import { effectiveScopes } from '../policy/role.js'

/** Longest time for which the secret before the current one may count, in seconds: 72 hours. */
export const MAX_SECRET_OVERLAP_SECONDS: number = 72 * 3600

const revised = (client: Client, fields: Partial<Client>): Client => ({
  ...client,
  ...fields,
  revision: client.revision + 1,
})

/**
 * A member client with other words, redirect URIs or scopes. Whether it keeps a secret stays as it is.
 *
 * @param revision - the revision that whoever edited it has seen
 * @returns refusals are `invalid_request`
 */
export function decideEdit({
  client,
  fields,
  revision,
}: {
  client: Client
  fields: MemberClientFields
  revision: number
}): Decision<{ client: Client }, 'client_kind_not_editable' | 'client_changed_meanwhile'> {
  if (client.kind !== 'member') return NOT_EDITABLE
  if (client.revision !== revision) return CHANGED_MEANWHILE
  const { tokenEndpointAuthMethod } = client
  return { ok: true, client: revised(client, { ...fields, tokenEndpointAuthMethod }) }
}

/** Somebody else changed the client in between. */
export const CHANGED_MEANWHILE: Refusal<'client_changed_meanwhile'> = refuse(
  'invalid_request',
  'client_changed_meanwhile',
  'somebody else changed this application meanwhile: look at it again',
)
const NOT_EDITABLE = refuse(
  'invalid_request',
  'client_kind_not_editable',
  'only applications that the school made can be changed here',
)

/** A client switched off or on. While it is off nothing works for it, and its grants are kept. */
export function switchClient(client: Client, { disabled }: { disabled: boolean }): Client {
  return revised(client, { disabled })
}

/**
 * A client with a new secret. The one before it counts on for a while; every older one is gone.
 *
 * @param rotation - `secretHash`: SHA-256 of the new secret; `overlapSeconds`: 0 to 72 hours; `now`:
 *   epoch seconds
 * @returns refusals are `invalid_request`
 */
export function decideSecretRotation({
  client,
  secretHash,
  overlapSeconds,
  now,
}: {
  client: Client
  secretHash: string
  overlapSeconds: number
  now: number
}): Decision<{ client: Client }, 'client_has_no_secret' | 'overlap_out_of_range'> {
  if (client.tokenEndpointAuthMethod === 'none')
    return refuse('invalid_request', 'client_has_no_secret', 'a public application has no secret')
  const isInRange = overlapSeconds >= 0 && overlapSeconds <= MAX_SECRET_OVERLAP_SECONDS
  if (!Number.isInteger(overlapSeconds) || !isInRange)
    return refuse(
      'invalid_request',
      'overlap_out_of_range',
      'the old secret may count for 0 to 72 hours more',
    )
  const [current] = client.secrets
  const until = now + overlapSeconds
  const previous: readonly ClientSecret[] =
    current === undefined || overlapSeconds === 0
      ? []
      : [{ ...current, expiresAt: Math.min(until, current.expiresAt ?? until) }]
  const secrets = [{ hash: secretHash, expiresAt: null }, ...previous]
  return { ok: true, client: revised(client, { secrets }) }
}

/** A client whose newest secret alone counts. */
export function endOldSecret(client: Client): Client {
  return revised(client, { secrets: client.secrets.slice(0, 1) })
}

/** What is left of a deleted client: its name for the record, no secret, and an identifier nobody gets again. */
export function deleteClient(client: Client, { now }: { now: number }): Client {
  return revised(client, { deletedAt: now, disabled: true, secrets: [] })
}

/**
 * A document with the write scopes that a reviewer allows it. Nobody allows what their own role does
 * not hold.
 *
 * @param review - `digest`: of what the reviewer looked at; `scopes`: the write scopes; `now`: epoch
 *   seconds
 * @returns refusals are `invalid_scope` for the scopes, and else `invalid_request`
 */
export function decideReview({
  client,
  digest,
  scopes,
  reviewer,
  registry,
  roles,
  now,
}: {
  client: Client
  digest: string
  scopes: readonly string[]
  reviewer: Manager
  registry: ScopeRegistry
  roles: RoleTable
  now: number
}): Decision<
  { client: Client },
  | 'client_not_a_document'
  | 'document_changed_meanwhile'
  | 'scope_not_reviewable'
  | 'scope_beyond_reviewer'
> {
  const { document } = client
  if (document === null)
    return refuse('invalid_request', 'client_not_a_document', 'only documents are reviewed')
  if (document.digest !== digest)
    return refuse(
      'invalid_request',
      'document_changed_meanwhile',
      'the document has changed since this page was opened: look at it again',
    )
  if (!scopes.every((scope) => isWriteScope(scope, registry)))
    return refuse('invalid_scope', 'scope_not_reviewable', 'a review allows operator write scopes')
  const held = effectiveScopes({
    scopes,
    clientScopes: scopes,
    roles: reviewer.roles,
    table: roles,
    registry,
  })
  if (held.length < scopes.length)
    return refuse(
      'invalid_scope',
      'scope_beyond_reviewer',
      'nobody can allow more than their own role holds',
    )
  const allowed = registry.names.filter((scope) => scopes.includes(scope))
  const record = { ...document, reviewedAt: now }
  return { ok: true, client: revised(client, { scopes: allowed, document: record }) }
}

function isWriteScope(scope: string, registry: ScopeRegistry): boolean {
  const row = registry.get(scope)
  return row?.audience === 'operator' && row.access === 'write'
}
