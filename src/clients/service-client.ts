import type { Client } from '../policy/client.js'
import { effectiveScopes } from '../policy/role.js'
import type { RoleTable } from '../scope/role.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { Manager } from './manager.js'
import {
  type DraftIssue,
  type MemberClientDraft,
  scopeFaults,
  textFaults,
} from './member-client.js'

/**
 * Decides whether the client of a service can be stored: it has a name and scopes, all of them of the operator audience
 * and within the roles of the manager.
 *
 * @returns the fields to store; `faults` with every mistake; `'beyond'` if the manager's own roles hold less
 */
export function decideServiceClient({
  draft,
  manager,
  registry,
  roles,
}: {
  draft: Pick<MemberClientDraft, 'name' | 'description' | 'scopes'>
  manager: Manager
  registry: ScopeRegistry
  roles: RoleTable
}):
  | {
      readonly ok: true
      readonly fields: Pick<
        Client,
        'name' | 'description' | 'redirectUris' | 'tokenEndpointAuthMethod' | 'scopes'
      >
    }
  | { readonly ok: false; readonly faults: readonly DraftIssue[] | 'beyond' } {
  const { name, description } = draft
  const scopes = [...new Set(draft.scopes)]
  const faults = [
    ...textFaults({ name, description, icon: null }),
    ...scopeFaults(scopes, { registry, audience: 'operator' }),
  ]
  if (faults.length > 0) return { ok: false, faults }
  const held = effectiveScopes({
    scopes,
    clientScopes: scopes,
    roles: manager.roles,
    table: roles,
    registry,
  })
  if (held.length < scopes.length) return { ok: false, faults: 'beyond' }
  return {
    ok: true,
    fields: {
      name: name.trim(),
      description: description?.trim() || null,
      redirectUris: [],
      tokenEndpointAuthMethod: 'client_secret_post',
      scopes: registry.names.filter((scope) => scopes.includes(scope)),
    },
  }
}
