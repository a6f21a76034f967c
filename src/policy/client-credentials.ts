import type { RoleTable } from '../scope/role.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { audienceOf, type Client } from './client.js'
import {
  type Decision,
  type ReasonsOf,
  refuse as refuseOfCore,
  refuseFrom,
  type With,
} from './decision.js'
import type { Person } from './person.js'
import { decideResource, type ResourceNames } from './resource-indicator.js'
import { effectiveScopes } from './role.js'
import { decideScopes, parseScope } from './scope-audience.js'

/**
 * The refusals of `clientCredentials`, with their texts.
 *
 * @group Grants
 */
export const SERVICE_REFUSALS = {
  unauthorized_client: {
    service_client_public: {
      meaning: 'The client has no secret and no key, so any program could ask in its name.',
      advice: 'Use a client with a secret, or one that signs.',
      source: 'RFC 6749 §4.4',
      turn: 'client',
    },
    service_client_of_members: {
      meaning: 'The app is for members, each of whom has to allow it. It cannot be a service.',
      advice: 'Create a service for it. Host application: this is a member client.',
      source: 'hallpass',
      turn: 'manager',
    },
    client_not_a_service: {
      meaning: 'No manager has made the app a service, or its service was ended.',
      advice: 'Create a service for it. Host application: `serviceOf` returned `null`.',
      source: 'RFC 6749 §5.2',
      turn: 'manager',
    },
    service_unlimited: {
      meaning: 'No manager has said what the service may do.',
      advice: 'Give it a list. Host application: the `scopes` of its client are `null`.',
      source: 'hallpass',
      turn: 'manager',
    },
    service_gone: {
      meaning: 'The service of the app was deleted or switched off.',
      advice:
        'Switch it on again. Host application: `findPerson` returned `null` for the subject that `serviceOf` returned.',
      source: 'hallpass',
      turn: 'manager',
    },
    service_has_no_role: {
      meaning: 'The service has no role at the site, or none that the site knows.',
      advice:
        'Give the service a role. Host application: `findPerson` returns no role that the role table contains.',
      source: 'hallpass',
      turn: 'manager',
    },
  },
  invalid_scope: {
    scope_of_person: {
      meaning: 'A scope is about a person who has signed in, and no person is behind a service.',
      advice: 'Leave out `openid`, `profile`, `email` and `offline_access`.',
      source: 'RFC 6749 §4.4.3',
      turn: 'client',
    },
    scope_beyond_service: {
      meaning: 'The role of the service does not allow what it asks for.',
      advice: 'Let the service ask for less, or change its role.',
      source: 'RFC 6749 §3.3',
      turn: 'manager',
    },
  },
} as const

/**
 * Why a client gets no token for its service.
 */
export type ServiceReason = {
  [Code in keyof typeof SERVICE_REFUSALS]: keyof (typeof SERVICE_REFUSALS)[Code]
}[keyof typeof SERVICE_REFUSALS]

const refuse = /* @__PURE__ */ refuseFrom(SERVICE_REFUSALS)

/**
 * Decides whether a client gets a token for its service: a program that acts for itself, with the role that a manager
 * gave it. A service gets only operator scopes that the list of its client has and its role allows.
 *
 * Any other scope is refused, unless the site recommends it to every client, as those of its resource metadata. Clients
 * of MCP ask for all of these, so those that a service cannot have are left out.
 *
 * @param request - `client`: authenticated. `service`: the subject of the client as `findPerson` returns it now, `null`
 *   if it returns that, `undefined` if the client has none. `scope`: the parameter as received, `null` for every scope that
 *   it may have. `resources`: every `resource` parameter. `recommended`: the `baselineScopes` of the server. `registry`,
 *   `roles` and `names`: those of the site
 * @returns the subject, the scopes and the resource of the token, or a refusal with `unauthorized_client`,
 *   `invalid_scope` or `invalid_target`
 * @see [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
 * @see [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
 *
 * @example
 * ```ts
 * import { decideClientCredentials } from 'hallpass/blocks'
 * import { defineClient } from 'hallpass/clients'
 * import { defineResource } from 'hallpass/policy'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { hashToken } from 'hallpass/token'
 *
 * const client = defineClient({
 *   clientId: 'payroll',
 *   kind: 'vendor',
 *   name: 'Payroll sync',
 *   redirectUris: ['https://payroll.example/unused'],
 *   scopes: ['courses:read', 'courses:write'],
 *   tokenEndpointAuthMethod: 'client_secret_post',
 *   secrets: [{ hash: hashToken('a secret'), expiresAt: null }],
 *   createdAt: 1795165200,
 * })
 * const service = { subject: 'srv_payroll', orgId: 'school', roles: ['assistant'], name: null, email: null, picture: null }
 * const site = { registry: schoolScopes, roles: schoolRoles, names: defineResource('https://school.example') }
 * const request = { client, service, resources: [], recommended: ['openid'], ...site }
 *
 * const decided = decideClientCredentials({ ...request, scope: 'openid courses:read' })
 * decided.ok && decided.scopes // => ['courses:read']
 *
 * const refused = decideClientCredentials({ ...request, scope: 'openid profile' })
 * refused.ok || refused.reason // => 'scope_of_person'
 * ```
 * @group Grants
 */
export function decideClientCredentials({
  client,
  service,
  scope,
  resources,
  recommended,
  registry,
  roles,
  names,
}: {
  client: With<Client, 'kind' | 'scopes' | 'tokenEndpointAuthMethod'>
  service: Person | null | undefined
  scope: string | null
  resources: readonly string[]
  recommended: readonly string[]
  registry: ScopeRegistry
  roles: RoleTable
  names: ResourceNames
}): Decision<
  {
    readonly subject: string
    readonly scopes: readonly string[]
    readonly resource: string
  },
  | ServiceReason
  | ReasonsOf<typeof parseScope>
  | ReasonsOf<typeof decideScopes>
  | ReasonsOf<typeof decideResource>
> {
  if (client.tokenEndpointAuthMethod === 'none')
    return refuse(
      'unauthorized_client',
      'service_client_public',
      'client_credentials is for clients with a secret or a key',
    )
  if (audienceOf(client.kind) !== 'operator')
    return refuse(
      'unauthorized_client',
      'service_client_of_members',
      'this client is for members: use authorization_code',
    )
  // The same words for all of them: whether a service exists, and what it lost, is for the managers of the site.
  if (service === undefined)
    return refuse('unauthorized_client', 'client_not_a_service', NO_SERVICE)
  const cap = client.scopes
  if (cap === null) return refuse('unauthorized_client', 'service_unlimited', NO_SERVICE)
  if (service === null) return refuse('unauthorized_client', 'service_gone', NO_SERVICE)
  if (!service.roles.some((role) => Object.hasOwn(roles, role)))
    return refuse('unauthorized_client', 'service_has_no_role', NO_SERVICE)

  const located = decideResource({ resources, names, required: false })
  if (!located.ok) return located
  const { resource } = located
  const rule = { client, cap, service, registry, roles }
  const { subject } = service

  if (scope === null) {
    const scopes = registry.names.filter((one) => decideServiceScope(one, rule).ok)
    if (scopes.length > 0) return { ok: true, subject, scopes, resource }
    return refuse('invalid_scope', 'scope_beyond_service', BEYOND_ROLE)
  }
  const parsed = parseScope(scope)
  if (!parsed.ok) return parsed
  // parseScope leaves out offline_access, which asks for a refresh token.
  if (scope.split(' ').includes('offline_access'))
    return refuse('invalid_scope', 'scope_of_person', ofPerson('offline_access'))
  const scopes: string[] = []
  let leftOut: ReturnType<typeof decideServiceScope> | null = null
  for (const one of parsed.scopes) {
    const decided = decideServiceScope(one, rule)
    if (decided.ok) scopes.push(one)
    else if (recommended.includes(one)) leftOut ??= decided
    else return decided
  }
  if (scopes.length > 0) return { ok: true, subject, scopes, resource }
  if (leftOut?.ok === false) return leftOut
  return refuseOfCore('invalid_scope', 'scope_missing', 'scope must name at least one scope')
}

/** Decides whether a service may have a scope. */
function decideServiceScope(
  scope: string,
  {
    client,
    cap,
    service,
    registry,
    roles,
  }: {
    client: With<Client, 'kind' | 'scopes'>
    cap: readonly string[]
    service: Person
    registry: ScopeRegistry
    roles: RoleTable
  },
): Decision<unknown, 'scope_of_person' | 'scope_beyond_service' | ReasonsOf<typeof decideScopes>> {
  const scopes = [scope]
  if (registry.get(scope)?.access === 'identity')
    return refuse('invalid_scope', 'scope_of_person', ofPerson(scope))
  const decided = decideScopes({ scopes, client, registry })
  if (!decided.ok) return decided
  // A client metadata document may request every read scope without a list. Its service may not.
  if (!cap.includes(scope))
    return refuseOfCore(
      'invalid_scope',
      'scope_not_allowed_for_client',
      'scope contains a scope that this client may not request',
    )
  const { roles: held } = service
  const limits = { scopes, clientScopes: cap, roles: held, table: roles, registry }
  if (effectiveScopes(limits).length === 0)
    return refuse('invalid_scope', 'scope_beyond_service', BEYOND_ROLE)
  return { ok: true }
}

const ofPerson = (scope: string): string =>
  `scope ${scope} is about a person who signed in: leave it out, because a service has no person`
const NO_SERVICE = 'this client is not a service of this site: ask a manager of the site'
const BEYOND_ROLE = 'the role of this service does not allow that: ask for less'
