import { type Access, decideReach } from '../policy/bearer.js'
import type { Requirement } from '../protected-resource/step-up.js'
import type { AdminApiConfiguration } from './configuration.js'
import { parseInput } from './input.js'
import { etagOf } from './precondition.js'
import { isProblem, type Problem, refuseWith } from './problem.js'
import { forbiddenRole, type OperationCall, tell } from './refusals.js'
import type { RegisteredOperation } from './operation.js'
import { preconditionOf, settle } from './serve.js'

/**
 * A call of an operation without an HTTP request, for {@link AdminApi.call}.
 *
 * @inline
 */
export interface CallRequest {
  /** The operation to run, from {@link AdminApi.registry}. */
  readonly operation: RegisteredOperation
  /** The input as the caller sent it, path parameters included. It is validated against the schema. */
  readonly input: Readonly<Record<string, unknown>>
  /** Whether to return the result without storing it. Use `false` for a read. */
  readonly dryRun: boolean
  /** The value of `If-Match`, or `null` if the caller sent none. */
  readonly ifMatch: string | null
  /** Identifies the call in events and problems. */
  readonly requestId: string
}

/**
 * The result of {@link AdminApi.call}: the output of the operation, or a problem.
 *
 * @group Admin API
 */
export type OperationResult =
  | {
      readonly ok: true
      /** The output, parsed by the schema of the operation. `null` for an operation with status 204. */
      readonly output: unknown
      /** Version of the stored object. `null` for a list, a dry run and an operation with status 204. */
      readonly etag: string | null
    }
  | { readonly ok: false; readonly problem: Problem }

/** Runs an operation with every check of the router except that of the access token. */
export async function callOperation(
  configuration: AdminApiConfiguration,
  request: CallRequest & { readonly access: Access },
): Promise<OperationResult> {
  const { operation, access, dryRun, requestId } = request
  const refused = (problem: Problem): OperationResult => {
    tell(configuration, request, { type: 'api.denied', reason: problem.code })
    return { ok: false, problem }
  }
  const barrier = await barrierOf(configuration, request)
  if (barrier !== null) return refused(barrier)
  const parsed = parseInput(operation.input, request.input)
  if (!parsed.ok) return refused(parsed.problem)
  const precondition = preconditionOf(operation, request.ifMatch)
  if (isProblem(precondition)) return refused(precondition)
  const now = configuration.now()
  const context = { access, dryRun, precondition, requestId, now }
  const result = await operation.run(context, parsed.input)
  if (isProblem(result)) return refused(result)
  const output = settle(configuration, request, { result, dryRun, precondition })
  const isVersioned = operation.isList !== true && output !== null && !dryRun
  return { ok: true, output, etag: isVersioned ? etagOf(output) : null }
}

async function barrierOf(
  { scopes: registry, roles, rateLimit }: AdminApiConfiguration,
  { operation, access }: Pick<OperationCall, 'operation' | 'access'>,
): Promise<Problem | null> {
  const reach = decideReach({ ...requirementOf(operation), access, registry, roles })
  if (!reach.ok)
    return reach.reason === 'scope_beyond_role'
      ? forbiddenRole()
      : refuseWith('insufficient_scope', reach.description)
  const rate = (await rateLimit?.({ access })) ?? null
  return rate === null || rate.ok ? null : tooMany()
}

/** Returns what an operation requires of the token and of the person. */
export const requirementOf = ({ scope, roles }: RegisteredOperation): Requirement => ({
  required: [scope],
  requiredRoles: roles,
})

/** Returns the problem of a grant that has reached its rate limit. */
export const tooMany = (): Problem =>
  refuseWith('rate_limited', 'rate limit exceeded: wait until the window ends')
