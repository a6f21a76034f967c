import type { Context } from '../http/context.js'
import type { Endpoint } from '../http/exchange.js'
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
  mayByRole,
  type OperationResult,
  tooMany,
} from './call.js'
import { adminErrors, deny, forbiddenRole } from './refusals.js'
import type { OperationRegistry } from './operation-registry.js'
import { type OperationRequest, serve } from './serve.js'

/** The admin API of a site. */
export interface AdminApi<out Scope extends string = string> {
  /** Answers for everything below the base path. */
  readonly endpoint: Endpoint
  readonly registry: OperationRegistry<Scope>
  /**
   * Does an operation for somebody who was let in elsewhere, as by the gate of `/mcp`: the same scope,
   * role, limit, input, events.
   *
   * @throws whatever the operation throws, and what the rate limit throws
   */
  readonly call: (access: Access, request: CallRequest) => Promise<OperationResult>
}

/**
 * The admin API: a set of operations behind access tokens, at `/api/v1`. Each request is judged in this
 * order: token, expiry, resource, scope, role, limit, input. An object of another site is as unknown as
 * one that never was.
 *
 * @throws OptionsError - as `configureAdminApi` does, and as `defineOperations` does
 * @see RFC 6750 §3; RFC 9457; RFC 9110 §13
 */
export function createAdminApi<Scope extends string>(
  site: Site<Scope>,
  options: AdminApiOptions<Scope>,
): AdminApi<Scope> {
  const configuration = configureAdminApi(site, options)
  return {
    // Made of these very operations.
    registry: configuration.registry as OperationRegistry<Scope>,
    call: (access, request) => callOperation(configuration, { ...request, access }),
    endpoint: createEndpoint(
      site,
      { name: 'admin', methods: 'routed', cors: ADMIN_CORS, errors: adminErrors(site) },
      (context) => route(configuration, context),
    ),
  }
}

const NOT_FOUND: Failure = { ok: false, status: 404, description: 'no operation has this path' }

async function route(
  configuration: AdminApiConfiguration,
  { incoming, requestId }: Context,
): Promise<Answer<AccessRefusal>> {
  const { basePath, registry } = configuration
  const path = incoming.target.split('?', 1)[0]!
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
    required: [operation.scope],
  })
  if (!decided.ok) {
    const { reason } = decided
    const nobody = { clientId: null, subject: null }
    onEvent({
      type: 'api.denied',
      at: now(),
      operation: operation.id,
      ...nobody,
      requestId,
      reason,
    })
    return decided
  }
  const { access } = decided
  const request = { ...asked, access }
  if (!mayByRole(request)) return deny(configuration, request, forbiddenRole())
  const rate = (await configuration.rateLimit?.({ access })) ?? null
  if (rate === null || rate.ok) return withRate(await serve(configuration, request), rate)
  const wait = ['retry-after', whole(rate.resetSeconds)]
  return withRate(deny(configuration, request, tooMany(), wait), rate)
}
