import {
  type DocumentNode, execute, type ExecutionArgs, type ExecutionResult, type FieldNode,
  type FragmentDefinitionNode, getArgumentValues, getVariableValues, type GraphQLError, type GraphQLField,
  type GraphQLLeafType, GraphQLObjectType, type GraphQLOutputType, type GraphQLSchema, isAbstractType,
  isLeafType, isListType, isNonNullType, Kind, locatedError, type OperationDefinitionNode, OperationTypeNode,
  type SelectionSetNode, type ValueNode, versionInfo, visit,
} from 'graphql' // prettier-ignore

/**
 * Executes an operation of a valid document, as `execute` of graphql-js does. What does not depend on the request
 * is computed once for each document: which fields are selected, their resolvers and constant arguments.
 *
 * The rest is left to graphql-js: mutations, directives, introspection, interfaces, variables that are invalid.
 * Decision 0011 says why there is a second executor, and a test compares the two.
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

/** Most fields of a planned operation: a fragment is planned for each of its spreads. */
const MOST_FIELDS = 500

type Variables = Readonly<Record<string, unknown>>
type MaybePromise<Value> = Value | Promise<Value>

/** The selected fields of one object. */
type SetPlan = readonly (FieldPlan | TypeNamePlan)[]

interface TypeNamePlan {
  readonly key: string
  readonly typeName: string
}

interface FieldPlan {
  /** Its name in the response. */
  readonly key: string
  readonly field: Field
  /** The arguments; `null` if they depend on variables. */
  readonly constants: Variables | null
  readonly value: ValuePlan
}

/** A field as the schema defines it, and where the document selects it. */
interface Field {
  readonly parent: GraphQLObjectType
  readonly definition: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
}

/** How the value of a field is completed, or an item of its list. */
type ValuePlan = LeafPlan | ObjectPlan | ListPlan

interface OfField {
  readonly field: Field
  readonly isNonNull: boolean
}
interface LeafPlan extends OfField {
  readonly kind: 'leaf'
  readonly type: GraphQLLeafType
}
interface ObjectPlan extends OfField {
  readonly kind: 'object'
  readonly fields: SetPlan
}
interface ListPlan extends OfField {
  readonly kind: 'list'
  readonly item: ValuePlan
}

interface QueryPlan {
  readonly operation: OperationDefinitionNode
  readonly fields: SetPlan
}

/** A position in the response, linked to the one above it. */
interface Path {
  readonly above: Path | null
  readonly key: string | number
}

const plans = /* @__PURE__ */ new WeakMap<DocumentNode, Map<string | null, QueryPlan | null>>()

function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): QueryPlan | null {
  let ofDocument = plans.get(document)
  if (ofDocument === undefined) plans.set(document, (ofDocument = new Map()))
  let plan = ofDocument.get(operationName)
  if (plan === undefined) {
    plan = versionInfo.major === 16 ? planQuery(schema, document, operationName) : null
    ofDocument.set(operationName, plan)
  }
  return plan
}

/** Plans an operation; `null` if it has anything that is left to graphql-js. */
function planQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): QueryPlan | null {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
    else if (
      node.kind === Kind.OPERATION_DEFINITION &&
      (operationName === null || node.name?.value === operationName)
    )
      operations.push(node)
  }
  const [operation] = operations
  const root = schema.getQueryType()
  if (operations.length !== 1 || operation?.operation !== OperationTypeNode.QUERY || root == null)
    return null
  let planned = 0

  function planSet(parent: GraphQLObjectType, sets: readonly SelectionSetNode[]): SetPlan | null {
    const selected = new Map<string, FieldNode[]>()
    const spread = new Set<string>()

    function select(set: SelectionSetNode): boolean {
      return set.selections.every((node) => {
        if (node.directives !== undefined && node.directives.length > 0) return false
        if (node.kind === Kind.FIELD) {
          const key = node.alias?.value ?? node.name.value
          const same = selected.get(key)
          if (same === undefined) selected.set(key, [node])
          else same.push(node)
          return true
        }
        if (node.kind === Kind.INLINE_FRAGMENT) return selectFragment(node)
        if (spread.has(node.name.value)) return true
        spread.add(node.name.value)
        return selectFragment(fragments.get(node.name.value)!)
      })
    }

    function selectFragment({
      typeCondition,
      selectionSet,
    }: Pick<FragmentDefinitionNode, 'selectionSet'> &
      Partial<Pick<FragmentDefinitionNode, 'typeCondition'>>): boolean {
      const condition =
        typeCondition === undefined ? parent : schema.getType(typeCondition.name.value)
      const applies =
        condition === parent || (isAbstractType(condition) && schema.isSubType(condition, parent))
      return !applies || select(selectionSet)
    }

    if (!sets.every(select)) return null
    const fields: (FieldPlan | TypeNamePlan)[] = []
    for (const [key, nodes] of selected) {
      const field = planField(parent, key, nodes)
      if (field === null) return null
      fields.push(field)
    }
    return fields
  }

  function planField(
    parent: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
  ): FieldPlan | TypeNamePlan | null {
    const [node] = nodes
    const name = node!.name.value
    // It would set the prototype of the object that has the other members.
    if (key === '__proto__') return null
    if (name === '__typename') return { key, typeName: parent.name }
    const definition = parent.getFields()[name]
    if (definition === undefined || ++planned > MOST_FIELDS) return null
    const field = { parent, definition, nodes }
    const value = planValue(definition.type, field)
    if (value === null) return null
    const constants = (node!.arguments ?? []).some(({ value }) => hasVariable(value))
      ? null
      : constantsOf(definition, node!)
    return { key, field, constants, value }
  }

  function planValue(type: GraphQLOutputType, field: Field): ValuePlan | null {
    const isNonNull = isNonNullType(type)
    const nullable = isNonNull ? type.ofType : type
    if (isLeafType(nullable)) return { kind: 'leaf', type: nullable, field, isNonNull }
    if (isListType(nullable)) {
      const item = planValue(nullable.ofType, field)
      return item === null ? null : { kind: 'list', item, field, isNonNull }
    }
    if (!(nullable instanceof GraphQLObjectType) || nullable.isTypeOf != null) return null
    const sets = field.nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const fields = planSet(nullable, sets)
    return fields === null ? null : { kind: 'object', fields, field, isNonNull }
  }

  const fields = planSet(root, [operation.selectionSet])
  return fields === null ? null : { operation, fields }
}

function hasVariable(value: ValueNode): boolean {
  let found = false
  visit(value, {
    Variable() {
      found = true
    },
  })
  return found
}

/** Returns the arguments of a field without variables; `null` if they have to be refused at each execution. */
function constantsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
): Variables | null {
  try {
    return getArgumentValues(definition, node)
  } catch {
    return null
  }
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
      for (const promise of pending) promise.catch(() => {})
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
