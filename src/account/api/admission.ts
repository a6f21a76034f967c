import { type DocumentNode, getVariableValues, GraphQLError, type GraphQLSchema } from 'graphql'
import type { Access, AccessRefusal } from '../../policy/bearer.js'
import { reachOf } from '../../protected-resource/step-up.js'
import type { Payer } from '../../site/payer.js'
import { createSpendPoints } from './cost-bucket.js'
import type { AccountApiConfiguration } from './configuration.js'
import { createDocuments, type PreparedDocument } from './documents.js'
import { inputFault } from './error-format.js'
import { tooMuch } from './limits.js'
import type { OperationPlan } from './plan.js'

/**
 * A GraphQL request for {@link AccountApi.execute}.
 *
 * @inline
 */
export interface OperationRequest {
  /** The operation document. */
  readonly query: string
  /** Which operation of the document to run. Default: the only one. */
  readonly operationName?: string | null | undefined
  /** Values of the variables by name. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  /** Identifies the enclosing request in hooks and errors. Default: a new identifier. */
  readonly requestId?: string
}

/** The document to run with its cost, or the reason why it is refused. */
export type Admission =
  | { readonly document: DocumentNode; readonly cost: OperationCost }
  | { readonly errors: readonly GraphQLError[] }
  | { readonly missing: AccessRefusal }
  | { readonly retryAfterSeconds: number }

/** The cost of an operation in points, as reported to the client. */
export interface OperationCost {
  readonly requested: number
  /** Points left in the bucket of the grant. */
  readonly available: number
  /** Points restored per second, or `null` without a rate limit. */
  readonly restoreRate: number | null
}

/**
 * Returns the scopes that every request with this access needs, whatever fields it selects. A token that may
 * write needs none: each field that reads something requires `account:read` itself.
 */
export const gateScopes = ({ scopes }: Access): readonly string[] =>
  scopes.includes('account:write') ? [] : ['account:read']

/**
 * Creates the function that decides whether an operation may run. It checks, in this order: the document,
 * its limits, the scopes, the variables, the cost, and the points of the grant and of its person. A refused operation has not
 * started and spends no points.
 */
export function createAdmission(
  schema: GraphQLSchema,
  configuration: Pick<
    AccountApiConfiguration,
    'limits' | 'bucket' | 'issuer' | 'scopes' | 'roles' | 'stepUpLinks'
  >,
): (request: OperationRequest, access: Access, payer: Payer) => Promise<Admission> {
  const { limits, bucket } = configuration
  const documents = createDocuments(schema, limits)
  const spend = bucket === null ? null : createSpendPoints(bucket)

  return async ({ query, operationName, variables }, access, payer) => {
    const prepared = documents(query)
    if ('errors' in prepared) return prepared
    const chosen = choose(prepared, operationName === '' ? null : operationName)
    if (chosen instanceof GraphQLError) return { errors: [chosen] }
    const required = [...new Set([...gateScopes(access), ...chosen.scopes])]
    const reach = reachOf(configuration, access, { required })
    if (!reach.ok) return { missing: reach }
    const { variableDefinitions = [] } = chosen.operation
    const coerced = getVariableValues(schema, variableDefinitions, variables ?? {})
    if (coerced.errors !== undefined) return { errors: coerced.errors.map(inputFault) }
    const requested = chosen.costOf(valuesOf(coerced))
    if (requested > limits.cost)
      return {
        errors: [tooMuch('QUERY_TOO_COSTLY', 'points', { limit: limits.cost, actual: requested })],
      }
    const spending = (await spend?.(payer, access, requested)) ?? null
    if (spending !== null && !spending.ok) return { retryAfterSeconds: spending.retryAfterSeconds }
    return {
      document: chosen.document,
      cost: {
        requested,
        available: spending?.remaining ?? Number.MAX_SAFE_INTEGER,
        restoreRate: bucket?.restoreRate ?? null,
      },
    }
  }
}

type Variables = Readonly<Record<string, unknown>>

/** Returns the coerced variables of graphql 16, or of graphql 17, which nests them one level deeper. */
export function valuesOf(
  coerced: { readonly coerced: Variables } | { readonly variableValues: { coerced: Variables } },
): Variables {
  return 'variableValues' in coerced ? coerced.variableValues.coerced : coerced.coerced
}

function choose(
  { plans }: Extract<PreparedDocument, { plans: unknown }>,
  name: string | null | undefined,
): OperationPlan | GraphQLError {
  const named = name == null ? plans : plans.filter((plan) => plan.operation.name?.value === name)
  if (named.length === 1) return named[0]!
  return new GraphQLError(
    name == null
      ? 'operationName must name the operation to run'
      : `the document has no operation named ${name}`,
    { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  )
}
