import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { newRequestId } from '../../http/context.js'
import { describe } from '../../http/respond.js'
import type { Access } from '../../policy/bearer.js'
import type { Admission, OperationRequest } from './admission.js'
import type { AccountApiConfiguration } from './configuration.js'
import type { AccountContext } from '../context.js'
import { executeWithin } from './deadline.js'
import { formatFieldError } from './error-format.js'

/** The error text for a grant without enough points. */
export const TOO_FAST = 'rate limit exceeded: wait retryAfterSeconds before the next request'

/** Creates the function that runs operations of authorized members under the checks of the endpoint. */
export function createExecute({
  schema,
  configuration,
  admit,
  contextOf,
}: {
  schema: GraphQLSchema
  configuration: AccountApiConfiguration
  admit: (request: OperationRequest, access: Access) => Promise<Admission>
  contextOf: (access: Access, now: number) => AccountContext
}): (access: Access, request: OperationRequest, now: number) => Promise<ExecutionResult> {
  const { deadlineMilliseconds, notifyRefusal, notifyFault } = configuration
  return async (access, request, now) => {
    const { requestId = newRequestId(configuration, () => null) } = request
    const admitted = await admit(request, access)
    if ('missing' in admitted) {
      const { clientId } = access.client
      notifyRefusal('account', admitted.missing, { clientId, requestId })
    }
    if (!('document' in admitted)) return { errors: errorsOf(admitted) }
    const result = await executeWithin(deadlineMilliseconds, {
      schema,
      document: admitted.document,
      operationName: request.operationName ?? null,
      variableValues: request.variables ?? {},
      contextValue: contextOf(access, now),
    })
    if (result.errors === undefined) return result
    const report = (fault: unknown): string => {
      notifyFault('account', fault, requestId)
      return requestId
    }
    return { ...result, errors: result.errors.map((error) => formatFieldError(error, report)) }
  }
}

/** Returns the reason of a refusal as GraphQL errors. */
function errorsOf(refused: Exclude<Admission, { document: unknown }>): readonly GraphQLError[] {
  if ('errors' in refused) return refused.errors
  if ('retryAfterSeconds' in refused) {
    const { retryAfterSeconds } = refused
    return [new GraphQLError(TOO_FAST, { extensions: { code: 'RATE_LIMITED', retryAfterSeconds } })]
  }
  const { requiredScopes } = refused.missing
  const extensions = { code: 'INSUFFICIENT_SCOPE', requiredScopes }
  return [new GraphQLError(describe(refused.missing), { extensions })]
}
