import { type DocumentNode, getVariableValues, GraphQLError, type GraphQLSchema } from 'graphql'
import { type Access, type AccessRefusal, decideReach } from '../policy/bearer.js'
import { createCostBuckets } from './cost-bucket.js'
import type { AccountApiConfiguration } from './configuration.js'
import { createDocuments, type PreparedDocument } from './documents.js'
import { inputFault } from './error-format.js'
import { tooMuch } from './limits.js'
import type { OperationPlan } from './plan.js'

/** What a request asks for. */
export interface OperationRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  /** Names the request that it is part of, for the hooks and in errors. Default: a new one. */
  readonly requestId?: string
}

/** The document to run and what it costs, or why it does not run. */
export type Admission =
  | { readonly document: DocumentNode; readonly cost: OperationCost }
  | { readonly errors: readonly GraphQLError[] }
  | { readonly missing: AccessRefusal }
  | { readonly retryAfterSeconds: number }

/** Points, as a client is told. */
export interface OperationCost {
  readonly requested: number
  /** What is left. */
  readonly available: number
  /** Points per second; `null` = no limit over time. */
  readonly restoreRate: number | null
}

/** What every request needs, whatever its document says. */
export const GATE_SCOPES: readonly string[] = ['account:read']

/**
 * Decides whether an operation may run, before anything of it runs: the document, its limits, the
 * scopes, the variables, the cost, the points of the grant. What is refused spends nothing.
 */
export function createAdmission(
  schema: GraphQLSchema,
  {
    limits,
    bucket,
    scopes: registry,
  }: Pick<AccountApiConfiguration, 'limits' | 'bucket' | 'scopes'>,
): (request: OperationRequest, access: Access, now: number) => Admission {
  const documents = createDocuments(schema, limits)
  const spend = bucket === null ? null : createCostBuckets(bucket)

  return ({ query, operationName, variables }, access, now) => {
    const prepared = documents(query)
    if ('errors' in prepared) return prepared
    const chosen = choose(prepared, operationName)
    if (chosen instanceof GraphQLError) return { errors: [chosen] }
    const required = [...new Set([...GATE_SCOPES, ...prepared.scopes])]
    const reach = decideReach({ access, required, registry })
    if (!reach.ok) return { missing: reach }
    const { variableDefinitions = [] } = chosen.operation
    const coerced = getVariableValues(schema, variableDefinitions, variables ?? {})
    if (coerced.errors !== undefined) return { errors: coerced.errors.map(inputFault) }
    const requested = chosen.costOf(valuesOf(coerced))
    if (requested > limits.cost)
      return {
        errors: [tooMuch('QUERY_TOO_COSTLY', 'points', { limit: limits.cost, actual: requested })],
      }
    const spending = spend?.(access.grantId, requested, now) ?? null
    if (spending !== null && !spending.ok) return { retryAfterSeconds: spending.retryAfterSeconds }
    return {
      document: prepared.document,
      cost: {
        requested,
        available: spending?.available ?? Number.MAX_SAFE_INTEGER,
        restoreRate: bucket?.restoreRate ?? null,
      },
    }
  }
}

type Variables = Readonly<Record<string, unknown>>

/** The values of variables as graphql 16 answers them, or graphql 17, where they lie a level deeper. */
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
      ? 'operationName must say which operation to run'
      : `there is no operation ${name}`,
    { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  )
}
