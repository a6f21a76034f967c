import type { Client } from '../policy/client.js'
import {
  type AuthenticatedClient,
  decideClientAuthentication,
} from '../policy/client-authentication.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { Person } from '../policy/person.js'
import { REFRESH_POLICY, type RefreshPolicy } from '../policy/refresh-policy.js'
import { defineResource, type ResourceNames } from '../policy/resource-indicator.js'
import type { RoleTable } from '../scope/role.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { schoolRoles, schoolScopes } from '../scope/school.js'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  refreshSample,
  T,
  VERIFIER,
} from '../store-contract/samples.js'

/** Every request is a second after the code was issued, when its grant and its tokens are. */
const NOW = T + 1

/**
 * Returns a sample: the client of {@link clientSample}, authenticated.
 *
 * @param fields - the members that the test needs
 * @returns the client, as `decideClientAuthentication` does
 * @group Samples
 * @example
 * ```ts
 * import { decideRedemption } from 'hallpass/policy'
 * import { callerSample, exchangeSample } from 'hallpass/testing'
 *
 * const other = { ...exchangeSample(), client: callerSample({ clientId: 'app_2' }) }
 * decideRedemption(other) // => { ok: false, error: 'invalid_grant', reason: 'code_of_other_client' }
 * ```
 */
export function callerSample(fields: Partial<Client> = {}): AuthenticatedClient {
  const decided = decideClientAuthentication({
    client: clientSample(),
    clientSecret: 'new',
    authorization: null,
    now: NOW,
  })
  if (!decided.ok) throw new Error(decided.reason)
  return { ...decided.client, ...fields }
}

/**
 * Returns a sample: a request for `decideRedemption` that succeeds. A test changes one member of the code, or replaces a
 * member of the request.
 *
 * @param fields - the members of the code that the test needs
 * @returns the request, a second after the code was issued
 * @group Samples
 * @example
 * ```ts
 * import { decideRedemption } from 'hallpass/policy'
 * import { exchangeSample } from 'hallpass/testing'
 *
 * const { now } = exchangeSample()
 * decideRedemption(exchangeSample()).ok // => true
 * decideRedemption(exchangeSample({ expiresAt: now })) // => { ok: false, error: 'invalid_grant', reason: 'code_expired' }
 * ```
 */
export function exchangeSample(fields: Partial<AuthorizationCode> = {}): {
  /** The code of `codeSample`. */
  code: AuthorizationCode
  client: AuthenticatedClient
  redirectUri: string
  /** The verifier of the challenge of the code. */
  codeVerifier: string
  resources: readonly string[]
  names: ResourceNames
  /** Epoch seconds. */
  now: number
} {
  const { redirectUri, resource } = codeSample()
  return {
    code: codeSample(fields),
    client: callerSample(),
    redirectUri,
    codeVerifier: VERIFIER,
    resources: [resource],
    names: defineResource(resource),
    now: NOW,
  }
}

/**
 * Returns a sample: a request for `decideRefresh` that succeeds. A test changes one member of the refresh token, or
 * replaces a member of the request.
 *
 * @param fields - the members of the refresh token that the test needs
 * @returns the request
 * @group Samples
 * @example
 * ```ts
 * import { decideRefresh } from 'hallpass/policy'
 * import { rotationSample } from 'hallpass/testing'
 *
 * const { now } = rotationSample()
 * decideRefresh(rotationSample()).ok // => true
 * const late = decideRefresh(rotationSample({ expiresAt: now }))
 * late.ok ? null : late.reason // => 'refresh_token_expired'
 * ```
 */
export function rotationSample(fields: Partial<RefreshToken> = {}): {
  /** The records of `refreshSample` and `grantSample`. */
  found: { refreshToken: RefreshToken; grant: Grant; successorUsed: boolean }
  client: AuthenticatedClient
  /** `null`: the request does not name scopes. */
  scopes: readonly string[] | null
  resources: readonly string[]
  names: ResourceNames
  registry: ScopeRegistry
  policy: RefreshPolicy
  /** Epoch seconds. */
  now: number
} {
  const grant = grantSample()
  return {
    found: { refreshToken: refreshSample(fields), grant, successorUsed: false },
    client: callerSample(),
    scopes: null,
    resources: [grant.resource],
    names: defineResource(grant.resource),
    registry: schoolScopes,
    policy: REFRESH_POLICY.oneHolder,
    now: NOW,
  }
}

/**
 * Returns a sample: a request for `decideAccess` that succeeds, of a student with `account:read`. A test changes one
 * member of the access token, or replaces a member of the request.
 *
 * @param fields - the members of the access token that the test needs
 * @returns the request
 * @group Samples
 * @example
 * ```ts
 * import { decideAccess } from 'hallpass/policy'
 * import { bearerSample } from 'hallpass/testing'
 *
 * const { now } = bearerSample()
 * decideAccess(bearerSample()).ok // => true
 * const revoked = decideAccess(bearerSample({ revokedAt: now }))
 * revoked.ok ? null : revoked.reason // => 'access_token_revoked'
 * ```
 */
export function bearerSample(fields: Partial<AccessToken> = {}): {
  /** The records of `accessSample` and `grantSample`. */
  found: { accessToken: AccessToken; grant: Grant }
  client: Client
  person: Person
  resource: string
  /** The scopes that the request needs. */
  required: readonly string[]
  registry: ScopeRegistry
  roles: RoleTable
  /** Epoch seconds. */
  now: number
} {
  const grant = grantSample()
  const { subject, resource } = grant
  const roles = ['student']
  return {
    found: { accessToken: accessSample(fields), grant },
    client: clientSample(),
    person: { subject, orgId: 'school', roles, name: null, email: null, picture: null },
    resource,
    required: ['account:read'],
    registry: schoolScopes,
    roles: schoolRoles,
    now: NOW,
  }
}
