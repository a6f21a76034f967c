import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  parse,
  UniqueFragmentNamesRule,
  validate,
  type ValidationRule,
} from 'graphql'
import { isInputError } from '../input-error.js'
import { checkLimits, type DocumentLimits, tooMuch } from './limits.js'
import { type OperationPlan, planOperations } from './plan.js'

/** The operations of a parsed, validated and planned document, or its errors. */
export type PreparedDocument =
  { readonly plans: readonly OperationPlan[] } | { readonly errors: readonly GraphQLError[] }

// The message of graphql-js for a document that exceeds `maxTokens`.
const TOO_LONG = /^Syntax Error: Document contains more tha[nt] \d+ tokens/
const MAX_DOCUMENTS = 500
// `checkLimits` needs fragments without cycles, and the other rules are slow on documents with cycles.
const BEFORE_LIMITS: readonly ValidationRule[] = [
  UniqueFragmentNamesRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
]
/** Longest document that is cached, in characters: longer ones are rare and would evict many short ones. */
const MAX_KEPT_LENGTH = 8192

/**
 * Creates the function that prepares documents. It caches the most recently used ones, because parsing and
 * validation are most of the work of a request.
 */
export function createDocuments(
  schema: GraphQLSchema,
  limits: DocumentLimits,
): (text: string) => PreparedDocument {
  const kept = new Map<string, PreparedDocument>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) {
      // A map keeps the order of insertion, so inserting again marks the document as most recently used.
      kept.delete(text)
      kept.set(text, known)
      return known
    }
    const prepared = prepare(text, schema, limits)
    if (text.length <= MAX_KEPT_LENGTH) {
      if (kept.size >= MAX_DOCUMENTS) kept.delete(kept.keys().next().value!)
      kept.set(text, prepared)
    }
    return prepared
  }
}

function prepare(text: string, schema: GraphQLSchema, limits: DocumentLimits): PreparedDocument {
  let document: DocumentNode
  try {
    document = parse(text, { maxTokens: limits.tokens })
  } catch (fault) {
    const error = fault as GraphQLError
    const isTooLong = TOO_LONG.test(error.message)
    return { errors: [isTooLong ? tooLong(limits) : coded(error, 'GRAPHQL_PARSE_FAILED')] }
  }
  const faultsOf = (rules?: readonly ValidationRule[]): readonly GraphQLError[] =>
    validate(schema, document, rules, { maxErrors: 20 }).map((fault) =>
      isInputError(fault) ? fault : coded(fault, 'GRAPHQL_VALIDATION_FAILED'),
    )
  const tangled = faultsOf(BEFORE_LIMITS)
  if (tangled.length > 0) return { errors: tangled }
  const excess = checkLimits(document, limits)
  if (excess !== null) return { errors: [excess] }
  const unknown = document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION && schema.getRootType(node.operation) == null,
  )
  if (unknown !== undefined) return { errors: [unsupported(unknown)] }
  const faults = faultsOf()
  if (faults.length > 0) return { errors: faults }
  return { plans: planOperations(schema, document) }
}

// The parser stops at the limit, so the actual number is unknown.
const tooLong = ({ tokens }: DocumentLimits): GraphQLError =>
  tooMuch('QUERY_TOO_COSTLY', 'tokens', { limit: tokens })

// graphql-js 16 validates nothing in an operation whose root is unknown, and its execution would be a fault of the host.
const unsupported = (node: ASTNode): GraphQLError =>
  new GraphQLError('subscriptions are not supported: send a query or a mutation', {
    nodes: [node],
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  })

function coded(fault: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions } = fault
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(source && { source }),
    ...(positions && { positions }),
    extensions: { code },
  })
}
