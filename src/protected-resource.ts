/**
 * Gates in front of your own API, which accept the access tokens of the site. Start with
 * {@link createProtectedResource}. For another framework or protocol, build your own gate from
 * {@link authorizeBearer}, which decides, and {@link challengeFor}, which builds the refusal.
 *
 * @example
 * ```ts
 * import { createProtectedResource } from 'hallpass/protected-resource'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * const readsOrders = createProtectedResource(site).gate('orders:read')
 *
 * const token = await tokenFor({ roles: ['owner'] }, 'orders:read')
 * const headers = new Headers({ authorization: `Bearer ${token}` })
 * const access = await readsOrders({ headers })
 * access instanceof Response // => false
 * const refused = await readsOrders({ headers: new Headers() })
 * refused instanceof Response && refused.status // => 401
 * ```
 * @module
 */
export {
  challengeFor,
  type ChallengeOptions,
  RESOURCE_METADATA_PATH,
  type AccessSource,
  authorizeBearer,
} from './protected-resource/gate.js'
export {
  createProtectedResource,
  type Gate,
  type GateRequest,
  type ProtectedResource,
} from './protected-resource/protected-resource.js'
