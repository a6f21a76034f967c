import { type Access, decideReach } from '../policy/bearer.js'
import type { AdminApiConfiguration } from './configuration.js'
import { parseInput } from './input.js'
import { etagOf } from './precondition.js'
import { isProblem, type Problem, refuseWith } from './problem.js'
import { forbiddenRole, type OperationCall, tell } from './refusals.js'
import type { RegisteredOperation } from './operation.js'
import { preconditionOf, settle } from './serve.js'

/** A call of an operation that did not come as an HTTP request of its own. */
export interface CallRequest {
  readonly operation: RegisteredOperation
  /** As the caller sent it, path parameters included. */
  readonly input: Readonly<Record<string, unknown>>
  readonly dryRun: boolean
  /** `If-Match`, or what stands for it; `null` = absent. */
  readonly ifMatch: string | null
  readonly requestId: string
}

/** What came of a call. */
export type OperationResult =
  | {
      readonly ok: true
      /** As the operation's schema has it; `null` = the operation answers nothing. */
      readonly output: unknown
      /** The version of a single object that is kept; `null` = it is none. */
      readonly etag: string | null
    }
  | { readonly ok: false; readonly problem: Problem }

/** Does an operation, with every check of the router but those of the token. */
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
  { scopes, rateLimit }: AdminApiConfiguration,
  { operation, access }: Pick<OperationCall, 'operation' | 'access'>,
): Promise<Problem | null> {
  const reach = decideReach({ access, required: [operation.scope], registry: scopes })
  if (!reach.ok)
    return reach.reason === 'scope_beyond_role'
      ? forbiddenRole()
      : refuseWith('insufficient_scope', reach.description)
  if (!mayByRole({ operation, access })) return forbiddenRole()
  const rate = (await rateLimit?.({ access })) ?? null
  return rate === null || rate.ok ? null : tooMany()
}

/** Whether the roles that an operation names let a person do it. */
export const mayByRole = ({
  operation: { roles },
  access,
}: Pick<OperationCall, 'operation' | 'access'>): boolean =>
  roles === undefined || access.person.roles.some((role) => roles.includes(role))

/** The problem of somebody whose window is full. */
export const tooMany = (): Problem => refuseWith('rate_limited', 'wait until the window is over')
