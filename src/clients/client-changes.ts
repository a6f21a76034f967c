import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Client, ClientSecret } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Manager } from './manager.js'
import { reviewedContent } from '../policy/cimd-lifecycle.js'
import { effectiveScopes } from '../policy/role.js'
import { isNotAfter } from '../time/seconds.js'

/**
 * The longest time for which the previous secret of a client remains valid after a rotation, in seconds:
 * 72 hours.
 *
 * @group Client secrets
 */
export const MAX_SECRET_OVERLAP_SECONDS: number = 72 * 3600

const revised = (client: Client, fields: Partial<Client>): Client => ({
  ...client,
  ...fields,
  revision: client.revision + 1,
})

/**
 * Decides an edit of a member client: its name, description, icon, redirect URIs and scopes, and the keys of a client that
 * signs. The authentication method and the secrets are kept, whatever `fields` says.
 *
 * @param edit - `fields`: the result of {@link decideMemberClient}; `revision`: the revision of the client
 *   that the manager saw
 * @returns the client to store, or a refusal with `invalid_request`: `client_kind_not_editable` for a
 *   client that is not a member client, `client_changed_meanwhile` for another revision
 * @example
 * ```ts
 * import { decideEdit, defineClient } from 'hallpass/clients'
 *
 * const fields = {
 *   name: 'Study App',
 *   redirectUris: ['https://study.example/callback'],
 *   scopes: ['account:read'],
 *   description: null,
 *   icon: null,
 *   tokenEndpointAuthMethod: 'none' as const,
 * }
 * const client = defineClient({ ...fields, clientId: 'member_1', kind: 'member', createdAt: 1795165200 })
 *
 * const edited = decideEdit({ client, fields: { ...fields, name: 'Study Helper' }, revision: 1 })
 * edited.ok && edited.client.name // => 'Study Helper'
 * const outdated = decideEdit({ client, fields, revision: 0 })
 * outdated.ok || outdated.reason // => 'client_changed_meanwhile'
 * ```
 *
 * @group Client changes
 */
export function decideEdit({
  client,
  fields,
  revision,
}: {
  client: Client
  fields: Pick<
    Client,
    'name' | 'description' | 'icon' | 'redirectUris' | 'tokenEndpointAuthMethod' | 'scopes' | 'keys'
  >
  revision: number
}): Decision<{ client: Client }, 'client_kind_not_editable' | 'client_changed_meanwhile'> {
  if (client.kind !== 'member') return NOT_EDITABLE
  if (client.revision !== revision) return CHANGED_MEANWHILE
  const { tokenEndpointAuthMethod } = client
  const { keys, ...others } = fields
  const isSigning = tokenEndpointAuthMethod === 'private_key_jwt' && keys !== undefined
  const kept = { ...others, tokenEndpointAuthMethod, ...(isSigning && { keys }) }
  return { ok: true, client: revised(client, kept) }
}

/**
 * The refusal of a change that is based on an outdated revision of the client. Load the client again, then
 * repeat the change.
 */
export const CHANGED_MEANWHILE: Refusal<'client_changed_meanwhile'> = refuse(
  'invalid_request',
  'client_changed_meanwhile',
  'the app has changed since you opened it: load it again, then repeat your change',
)
const NOT_EDITABLE = refuse(
  'invalid_request',
  'client_kind_not_editable',
  'only apps that this site created can be edited',
)

/**
 * Returns the client switched off or on. The requests of a disabled client are refused until it is
 * enabled; its grants and consents are kept.
 *
 * @param state - `disabled`: `true` to switch the client off
 * @returns the client to store, with the next revision
 */
export function switchClient(client: Client, { disabled }: { disabled: boolean }): Client {
  return revised(client, { disabled })
}

/**
 * Returns the client with another end. From that second on, every request of it is refused; its grants and
 * consents are kept.
 *
 * @param end - `endsAt`: epoch seconds, which may be in the past; `null` for no end
 * @returns the client to store, with the next revision
 */
export function endClient(client: Client, { endsAt }: { endsAt: number | null }): Client {
  return revised(client, { endsAt })
}

/**
 * Decides the rotation of the secret of a confidential client. The previous secret remains valid for
 * `overlapSeconds`, but not beyond its own expiry. Every older secret is removed.
 *
 * @param rotation - `secretHash`: `hashToken` of the new secret; `overlapSeconds`: an integer from 0 to
 *   259,200 (72 hours); `now`: epoch seconds
 * @returns the client to store, or a refusal with `invalid_request`: `client_has_no_secret` for a public
 *   client, `overlap_out_of_range`
 * @example
 * ```ts
 * import { decideSecretRotation, defineClient } from 'hallpass/clients'
 * import { hashToken } from 'hallpass/token'
 *
 * const client = defineClient({
 *   clientId: 'study-app',
 *   kind: 'member',
 *   name: 'Study App',
 *   createdAt: 1795165200,
 *   redirectUris: ['https://study.example/callback'],
 *   tokenEndpointAuthMethod: 'client_secret_post',
 *   secrets: [{ hash: hashToken('first secret'), expiresAt: null }],
 * })
 * const rotation = { client, secretHash: hashToken('second secret'), now: 1795165200 }
 * const rotated = decideSecretRotation({ ...rotation, overlapSeconds: 3600 })
 * rotated.ok && rotated.client.secrets.map((secret) => secret.expiresAt) // => [null, 1795168800]
 * const refused = decideSecretRotation({ ...rotation, overlapSeconds: -1 })
 * refused.ok || refused.reason // => 'overlap_out_of_range'
 * ```
 *
 * @group Client secrets
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
  if (client.tokenEndpointAuthMethod !== 'client_secret_post')
    return refuse('invalid_request', 'client_has_no_secret', 'the app has no secret')
  const isInRange =
    isNotAfter(0, overlapSeconds) && isNotAfter(overlapSeconds, MAX_SECRET_OVERLAP_SECONDS)
  if (!Number.isInteger(overlapSeconds) || !isInRange)
    return refuse(
      'invalid_request',
      'overlap_out_of_range',
      'the previous secret can remain valid for 0 to 72 hours',
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

/**
 * Returns the client with its newest secret only, which ends the overlap of a rotation.
 *
 * @returns the client to store, with the next revision
 * @example
 * ```ts
 * import { defineClient, endOldSecret } from 'hallpass/clients'
 * import { hashToken } from 'hallpass/token'
 *
 * const current = { hash: hashToken('second secret'), expiresAt: null }
 * const previous = { hash: hashToken('first secret'), expiresAt: 1795168800 }
 * const client = defineClient({
 *   clientId: 'study-app',
 *   kind: 'member',
 *   name: 'Study App',
 *   createdAt: 1795165200,
 *   redirectUris: ['https://study.example/callback'],
 *   tokenEndpointAuthMethod: 'client_secret_post',
 *   secrets: [current, previous],
 * })
 * endOldSecret(client).secrets // => [current]
 * ```
 *
 * @group Client secrets
 */
export function endOldSecret(client: Client): Client {
  return revised(client, { secrets: client.secrets.slice(0, 1) })
}

/**
 * Returns the client as deleted: disabled and without secrets. Its record is kept, so that its identifier
 * is never reused and an audit log can still name it.
 *
 * @param deletion - `now`: epoch seconds
 * @returns the client to store, with the next revision. Its grants are revoked by `revokeGrants` of the
 *   store
 */
export function deleteClient(client: Client, { now }: { now: number }): Client {
  return revised(client, { deletedAt: now, disabled: true, secrets: [] })
}

/**
 * Decides the review of a client with a client metadata document: which write scopes of the operator
 * audience it may request. A reviewer can allow only scopes that their own roles hold. The review covers the
 * name, the redirect URIs and the links, which the client then has in `document.reviewed`.
 *
 * @param review - `digest`: of the document that the reviewer saw; `scopes`: the write scopes to allow, in
 *   place of those allowed before; `now`: epoch seconds
 * @returns the client to store, or a refusal. `invalid_request`: `client_not_a_document`,
 *   `document_changed_meanwhile`. `invalid_scope`: `scope_not_reviewable`, `scope_beyond_reviewer`
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 * @example
 * ```ts
 * import { decideManager, decideReview, defineClient } from 'hallpass/clients'
 * import { schoolRoles as roles, schoolScopes as registry } from 'hallpass/scope'
 *
 * const times = { firstSeenAt: 1795165200, fetchedAt: 1795165200, freshUntil: 1795168800 }
 * const client = defineClient({
 *   clientId: 'https://agent.example/client.json',
 *   kind: 'document',
 *   name: 'Agent',
 *   createdAt: 1795165200,
 *   redirectUris: ['https://agent.example/callback'],
 *   document: { ...times, digest: 'digest-1', reviewedAt: null, changedAt: null },
 * })
 * const ines = { subject: 'mem_ines', orgId: 'school', roles: ['owner'], name: null, email: null, picture: null }
 * const decided = decideManager({ person: ines, table: roles })
 * if (!decided.ok) throw new Error(decided.reason)
 *
 * const review = { client, reviewer: decided.manager, registry, roles, now: 1795165260 }
 * const allowed = decideReview({ ...review, digest: 'digest-1', scopes: ['courses:write'] })
 * allowed.ok && allowed.client.scopes // => ['courses:write']
 * const outdated = decideReview({ ...review, digest: 'digest-0', scopes: ['courses:write'] })
 * outdated.ok || outdated.reason // => 'document_changed_meanwhile'
 * ```
 *
 * @group Client changes
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
    return refuse(
      'invalid_request',
      'client_not_a_document',
      'only an app with a client metadata document can be reviewed',
    )
  if (document.digest !== digest)
    return refuse(
      'invalid_request',
      'document_changed_meanwhile',
      'the client metadata document has changed since you opened it: review it again',
    )
  if (!scopes.every((scope) => isWriteScope(scope, registry)))
    return refuse(
      'invalid_scope',
      'scope_not_reviewable',
      'a review can allow only write scopes of the operator audience',
    )
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
      'a reviewer can allow only scopes that their own roles hold',
    )
  const allowed = registry.names.filter((scope) => scopes.includes(scope))
  const record = { ...document, reviewedAt: now, reviewed: reviewedContent(client) }
  return { ok: true, client: revised(client, { scopes: allowed, document: record }) }
}

function isWriteScope(scope: string, registry: ScopeRegistry): boolean {
  const row = registry.get(scope)
  return row?.audience === 'operator' && row.access === 'write'
}
