import type { Context } from '../http/context.js'
import { type Endpoint, pathOf } from '../http/exchange.js'
import { type Answer, createEndpoint, type Failure, notAllowed } from '../http/frame.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import type { Site } from '../site/site.js'
import { ADMIN_CORS, whole, withRate } from './answers.js'
import {
  configureAdminApi,
  type AdminApiConfiguration,
  type AdminApiOptions,
} from './configuration.js'
import {
  type CallRequest,
  callOperation,
  type OperationResult,
  requirementOf,
  tooMany,
} from './call.js'
import { PROBLEMS } from './problem.js'
import { adminErrors, deny } from './refusals.js'
import type { OperationRegistry } from './operation-registry.js'
import { type OperationRequest, serve } from './serve.js'

/**
 * The admin API of a site. Created by {@link createAdminApi}.
 *
 * @group Admin API
 */
export interface AdminApi<out Scope extends string = string> {
  /** The endpoint of all operations. Mount it for every method below the base path, or by `routes`. */
  readonly endpoint: Endpoint
  /** The endpoint at the path of each operation, for `routesOf`. */
  readonly routes: Readonly<Record<string, Endpoint>>
  /** The path in front of all operations. */
  readonly basePath: string
  /** The checked operations, for `createOpenapiEndpoint`, `createAuthMdEndpoint` and `/mcp`. */
  readonly registry: OperationRegistry<Scope>
  /** The problems with which it responds, for `createAuthMdEndpoint`. */
  readonly problems: typeof PROBLEMS
  /**
   * Runs an operation without HTTP, for a caller that another gate has authorized, such as the one of
   * `/mcp`. Scope, role, rate limit, input and events are those of the endpoint.
   *
   * @throws whatever the operation or the rate limit throws
   */
  readonly call: (access: Access, request: CallRequest) => Promise<OperationResult>
}

/**
 * Creates the admin API of a site: a set of operations behind access tokens, at `/api/v1`. It checks each
 * request in this order: access token, expiry, resource, scope and role, rate limit, input. A refusal is a
 * problem (RFC 9457), and a 401 or 403 has a challenge.
 *
 * @throws OptionsError that lists every mistake: options that are unknown, missing or of a wrong type, an
 *   invalid base path; or the mistakes that {@link defineOperations} finds
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)
 * @see [RFC 9110, section 13](https://www.rfc-editor.org/rfc/rfc9110#section-13)
 * @example
 * ```ts
 * import { createAdminApi, defineOperation, refuseWith } from 'hallpass/admin'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const getCourse = defineOperation({
 *   id: 'courses.get', summary: 'Get a course', scope: 'courses:read', effect: 'read',
 *   method: 'GET', path: '/courses/{id}',
 *   input: z.strictObject({ id: z.string() }),
 *   output: z.object({ id: z.string(), title: z.string() }),
 *   run: async (_, { id }) =>
 *     id === 'drawing' ? { id, title: 'Drawing' } : refuseWith('not_found', 'no course has this id'),
 * })
 * const { site, tokenFor } = testSite()
 * const { endpoint } = createAdminApi(site, { operations: [getCourse] })
 * const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
 * const get = (id: string, init: RequestInit = {}) => endpoint(new Request(`${site.issuer}/api/v1/courses/${id}`, init))
 * const { status } = await get('drawing', { headers: { authorization } })
 * status // => 200
 * ;(await get('pottery', { headers: { authorization } })).status // => 404
 * ;(await get('drawing')).status // => 401
 * createAdminApi(site, { operations: [getCourse], basePath: 'api' }) // throws OptionsError
 * ```
 * @group Admin API
 */
export function createAdminApi<Scope extends string>(
  site: Site<Scope>,
  options: AdminApiOptions<Scope>,
): AdminApi<Scope> {
  const configuration = configureAdminApi(site, options)
  const { basePath, registry } = configuration
  const endpoint = createEndpoint(
    site,
    { name: 'admin', methods: 'routed', cors: ADMIN_CORS, errors: adminErrors(site) },
    (context) => route(configuration, context),
  )
  const paths = registry.operations.map(({ path }) => basePath + path.replace(/\{(\w+)\}/g, ':$1'))
  return {
    endpoint,
    routes: Object.fromEntries(paths.map((path) => [path, endpoint])),
    basePath,
    problems: PROBLEMS,
    // The registry was created from the operations of this option.
    registry: registry as OperationRegistry<Scope>,
    call: (access, request) => callOperation(configuration, { ...request, access }),
  }
}

const NOT_FOUND: Failure = { ok: false, status: 404, description: 'no operation has this path' }

async function route(
  configuration: AdminApiConfiguration,
  { incoming, requestId }: Context,
): Promise<Answer<AccessRefusal>> {
  const { basePath, registry } = configuration
  const path = pathOf(incoming.target)
  if (!path.startsWith(`${basePath}/`)) return NOT_FOUND
  const route = registry.route(incoming.method, path.slice(basePath.length))
  if (route.found === 'nothing') return NOT_FOUND
  if (route.found === 'path') return notAllowed(route.methods)
  const { operation, parameters } = route
  return admit(configuration, { incoming, requestId, operation, parameters })
}

async function admit(
  configuration: AdminApiConfiguration,
  asked: Omit<OperationRequest, 'access'>,
): Promise<Answer<AccessRefusal>> {
  const { incoming, operation, requestId } = asked
  const { onEvent, now } = configuration
  const decided = await authorizeBearer(configuration, {
    authorization: incoming.header('authorization'),
    ...requirementOf(operation),
    request: incoming,
  })
  if (!decided.ok) {
    const { reason, clientId = null, subject = null } = decided
    onEvent({
      type: 'api.denied',
      at: now(),
      operation: operation.id,
      clientId,
      subject,
      requestId,
      reason,
    })
    return decided
  }
  const { access } = decided
  const request = { ...asked, access }
  const rate = (await configuration.rateLimit?.({ access })) ?? null
  if (rate === null || rate.ok) return withRate(await serve(configuration, request), rate)
  const wait = ['retry-after', whole(rate.resetSeconds)]
  return withRate(deny(configuration, request, tooMany(), wait), rate)
}
