import {
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getArgumentValues,
  getVariableValues,
  type GraphQLError,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import {
  type Field,
  type FieldPlan,
  type LeafPlan,
  type ListPlan,
  planOf,
  type QueryPlan,
  type SetPlan,
  type ValuePlan,
  type Variables,
} from './query-plan.js'

/**
 * Executes an operation of a valid document, as `execute` of graphql-js does. What does not depend on the request
 * is computed once for each document: which fields are selected, their resolvers and constant arguments.
 *
 * The rest is left to graphql-js: mutations, directives, introspection, interfaces, variables that are invalid.
 * A second executor, because graphql-js finds out in each request what a document selects. A test compares the two.
 *
 * @param args - without a root value and without resolvers of its own; the document has passed validation
 */
export function executePlanned(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  const { schema, document, operationName = null, contextValue, variableValues } = args
  const plan = planOf(schema, document, operationName)
  if (plan === null) return execute(args)
  const variables = variablesOf(schema, plan.operation, variableValues)
  return variables === null ? execute(args) : new Execution(contextValue, variables).run(plan)
}

type MaybePromise<Value> = Value | Promise<Value>

/** A position in the response, linked to the one above it. */
interface Path {
  readonly above: Path | null
  readonly key: string | number
}

const NO_VARIABLES: Variables = {}

/** Returns the coerced variables; `null` if graphql-js has to refuse them. */
function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: ExecutionArgs['variableValues'],
): Variables | null {
  if (variableDefinitions.length === 0) return NO_VARIABLES
  return getVariableValues(schema, variableDefinitions, given ?? {}).coerced ?? null
}

/** One execution of a plan. Its methods do what the functions of the same names in graphql-js do. */
class Execution {
  readonly #context: unknown
  readonly #variables: Variables
  readonly #errors: GraphQLError[] = []
  /** The positions that are `null` because of an error; `null` is the root. */
  readonly #nulled = new Set<Path | null>()

  constructor(context: unknown, variables: Variables) {
    this.#context = context
    this.#variables = variables
  }

  run({ fields }: QueryPlan): MaybePromise<ExecutionResult> {
    try {
      const data = this.#executeFields(fields, undefined, null)
      return isPromise(data)
        ? data.then(
            (resolved) => this.#response(resolved),
            (fault: unknown) => this.#failed(fault),
          )
        : this.#response(data)
    } catch (fault) {
      return this.#failed(fault)
    }
  }

  #failed(fault: unknown): ExecutionResult {
    this.#collect(fault as GraphQLError, null)
    return this.#response(null)
  }

  #response(data: Record<string, unknown> | null): ExecutionResult {
    return this.#errors.length === 0 ? { data } : { errors: this.#errors, data }
  }

  #executeFields(
    fields: SetPlan,
    source: unknown,
    path: Path | null,
  ): MaybePromise<Record<string, unknown>> {
    // Not without a prototype: V8 keeps such an object as a hash table, which is slow to write and to serialize.
    const results: Record<string, unknown> = {}
    const pending: Promise<void>[] = []
    try {
      for (const field of fields) {
        const { key } = field
        const result =
          'typeName' in field ? field.typeName : this.#executeField(field, source, path)
        // A promise takes its place, so that the members keep the order of the selection.
        results[key] = result
        if (isPromise(result)) pending.push(result.then((value) => void (results[key] = value)))
      }
    } catch (fault) {
      if (pending.length === 0) throw fault
      // Rejections of the other fields are handled, and the first fault is that of the object.
      return Promise.all(pending).then(
        () => Promise.reject(fault as Error),
        () => Promise.reject(fault as Error),
      )
    }
    return pending.length === 0 ? results : Promise.all(pending).then(() => results)
  }

  #executeField(planned: FieldPlan, source: unknown, above: Path | null): unknown {
    const { key, value: plan } = planned
    let value: unknown
    try {
      value = this.#resolve(planned, source)
    } catch (fault) {
      return this.#handle(plan, fault, { above, key })
    }
    return this.#completeAt(plan, value, above, key)
  }

  #resolve({ field: { definition, nodes }, constants }: FieldPlan, source: unknown): unknown {
    const given = constants ?? getArgumentValues(definition, nodes[0]!, this.#variables)
    const { name, resolve } = definition
    if (resolve != null) return (resolve as Resolver)(source, given, this.#context)
    if ((typeof source !== 'object' || source === null) && typeof source !== 'function')
      return undefined
    const property = (source as Record<string, unknown>)[name]
    return typeof property === 'function'
      ? (source as Record<string, Property>)[name]!(given, this.#context)
      : property
  }

  /** Completes the value of a field or of an item of a list, whose fault makes it `null` if its type allows that. */
  #completeAt(plan: ValuePlan, value: unknown, above: Path | null, key: Path['key']): unknown {
    if (plan.kind === 'leaf' && !isPromise(value)) {
      try {
        return completeLeaf(plan, value)
      } catch (fault) {
        // Most values are such leaves. Only an error needs their position.
        return this.#handle(plan, fault, { above, key })
      }
    }
    const path = { above, key }
    try {
      const completed = isPromise(value)
        ? value.then((resolved) => this.#complete(plan, resolved, path))
        : this.#complete(plan, value, path)
      return isPromise(completed)
        ? completed.then(undefined, (fault: unknown) => this.#handle(plan, fault, path))
        : completed
    } catch (fault) {
      return this.#handle(plan, fault, path)
    }
  }

  #complete(plan: ValuePlan, value: unknown, path: Path): unknown {
    if (plan.kind === 'leaf') return completeLeaf(plan, value)
    if (isNull(plan, value)) return null
    return plan.kind === 'object'
      ? this.#executeFields(plan.fields, value, path)
      : this.#completeList(plan, value, path)
  }

  #completeList({ item, field }: ListPlan, value: unknown, path: Path): unknown {
    if (typeof value !== 'object' || !(Symbol.iterator in (value as object))) throw listFault(field)
    const items: unknown[] = []
    const pending: Promise<unknown>[] = []
    try {
      for (const element of value as Iterable<unknown>) {
        const completed = this.#completeAt(item, element, path, items.length)
        items.push(completed)
        if (isPromise(completed)) pending.push(completed)
      }
    } catch (fault) {
      // graphql-js forgets them, and a promise that rejects without a handler ends the process.
      for (const promise of pending) promise.then(undefined, () => {})
      throw fault
    }
    return pending.length === 0 ? items : Promise.all(items)
  }

  #handle({ field, isNonNull }: ValuePlan, fault: unknown, path: Path): null {
    const error = locatedError(fault, field.nodes, keysOf(path))
    if (isNonNull) throw error
    this.#collect(error, path)
    return null
  }

  /** Keeps an error, unless its position or one above it is already `null` because of another. */
  #collect(error: GraphQLError, path: Path | null): void {
    for (let at = path; at !== null; at = at.above) if (this.#nulled.has(at)) return
    if (this.#nulled.has(null)) return
    this.#nulled.add(path)
    this.#errors.push(error)
  }
}

type Resolver = (source: unknown, args: Variables, context: unknown) => unknown
type Property = (args: Variables, context: unknown) => unknown

function completeLeaf(plan: LeafPlan, value: unknown): unknown {
  if (isNull(plan, value)) return null
  const serialized: unknown = plan.type.serialize(value)
  if (serialized == null)
    throw new Error(`\`${plan.type.name}.serialize\` returned ${String(serialized)}`)
  return serialized
}

/** Whether a value is `null`. It throws if it must not be, or is an error. */
function isNull({ field, isNonNull }: ValuePlan, value: unknown): boolean {
  if (value instanceof Error) throw value
  if (value != null) return false
  if (isNonNull) throw nullFault(field)
  return true
}

function keysOf(path: Path): readonly (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: Path | null = path; at !== null; at = at.above) keys.unshift(at.key)
  return keys
}

const nullFault = ({ parent, definition }: Field): Error =>
  new Error(`Cannot return null for non-nullable field ${parent.name}.${definition.name}.`)

const listFault = ({ parent, definition }: Field): Error =>
  new Error(
    `Expected Iterable, but did not find one for field "${parent.name}.${definition.name}".`,
  )

const isPromise = (value: unknown): value is Promise<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { then?: unknown }).then === 'function'
