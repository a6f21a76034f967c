import { base64url } from '../encoding/base64url.js'
import { type Endpoint, endpointFrom, type Incoming } from '../http/exchange.js'
import type { Access } from '../policy/bearer.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import type { Site } from '../site/site.js'
import { type Answer, preflight, problemAnswer, whole, withRate } from './answers.js'
import {
  configureAdminApi,
  type AdminApiConfiguration,
  type AdminApiOptions,
} from './configuration.js'
import type { OperationMethod } from './routes.js'
import {
  type CallRequest,
  callOperation,
  mayByRole,
  type OperationResult,
  tooMany,
} from './call.js'
import { refuseWith } from './problem.js'
import { answerThrown, deny, type Errand, forbiddenRole, refuseAccess } from './refusals.js'
import type { OperationRegistry } from './operation-registry.js'
import { serve } from './serve.js'

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
 * @throws OptionsError - as `configureAdminApi` does; TypeError - for operations that contradict
 *   themselves
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
    endpoint: endpointFrom((incoming) => answer(configuration, incoming)),
  }
}

async function answer(configuration: AdminApiConfiguration, incoming: Incoming): Promise<Answer> {
  let requestId = 'req_unknown'
  try {
    requestId = `req_${base64url(configuration.randomBytes(12))}`
    const answered = await route(configuration, incoming, requestId)
    return incoming.method === 'HEAD' ? { ...answered, body: null } : answered
  } catch (fault) {
    return answerThrown(configuration, requestId, fault)
  }
}

async function route(
  configuration: AdminApiConfiguration,
  incoming: Incoming,
  requestId: string,
): Promise<Answer> {
  const { basePath, registry } = configuration
  const { method } = incoming
  const path = incoming.target.split('?', 1)[0]!
  const route = path.startsWith(`${basePath}/`)
    ? registry.route(method, path.slice(basePath.length))
    : ({ found: 'nothing' } as const)
  if (route.found === 'nothing') return problemAnswer(refuseWith('not_found'), { requestId })
  if (route.found === 'operation') {
    const { operation, parameters } = route
    return admit(configuration, { incoming, requestId, operation, parameters })
  }
  const allow = allowOf(route.methods)
  return method === 'OPTIONS'
    ? preflight(allow)
    : problemAnswer(refuseWith('method_not_allowed', `use one of ${allow}`), {
        requestId,
        headers: { allow },
      })
}

const allowOf = (methods: readonly OperationMethod[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

async function admit(
  configuration: AdminApiConfiguration,
  request: Errand & { incoming: Incoming; parameters: Readonly<Record<string, string>> },
): Promise<Answer> {
  const { incoming, operation } = request
  const decided = await authorizeBearer(configuration, {
    authorization: incoming.header('authorization'),
    required: [operation.scope],
  })
  if (!decided.ok) return refuseAccess(configuration, request, decided)
  const { access } = decided
  const visit = { ...request, access }
  if (!mayByRole(visit)) return deny(configuration, visit, forbiddenRole())
  const rate = (await configuration.rateLimit?.({ access })) ?? null
  if (rate === null || rate.ok) return withRate(await serve(configuration, visit), rate)
  const problem = tooMany()
  const wait = { 'retry-after': whole(rate.resetSeconds) }
  return withRate(deny(configuration, visit, problem, wait), rate)
}
