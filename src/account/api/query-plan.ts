import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  type GraphQLField,
  type GraphQLLeafType,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  type ValueNode,
  versionInfo,
  visit,
} from 'graphql'

/** Most fields of a planned operation: a fragment is planned for each of its spreads. */
const MOST_FIELDS = 500

export type Variables = Readonly<Record<string, unknown>>

/** The selected fields of one object. */
export type SetPlan = readonly (FieldPlan | TypeNamePlan)[]

interface TypeNamePlan {
  readonly key: string
  readonly typeName: string
}

export interface FieldPlan {
  /** Its name in the response. */
  readonly key: string
  readonly field: Field
  /** The arguments; `null` if they depend on variables. */
  readonly constants: Variables | null
  readonly value: ValuePlan
}

/** A field as the schema defines it, and where the document selects it. */
export interface Field {
  readonly parent: GraphQLObjectType
  readonly definition: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
}

/** How the value of a field is completed, or an item of its list. */
export type ValuePlan = LeafPlan | ObjectPlan | ListPlan

interface OfField {
  readonly field: Field
  readonly isNonNull: boolean
}
export interface LeafPlan extends OfField {
  readonly kind: 'leaf'
  readonly type: GraphQLLeafType
}
interface ObjectPlan extends OfField {
  readonly kind: 'object'
  readonly fields: SetPlan
}
export interface ListPlan extends OfField {
  readonly kind: 'list'
  readonly item: ValuePlan
}

export interface QueryPlan {
  readonly operation: OperationDefinitionNode
  readonly fields: SetPlan
}

const plans = /* @__PURE__ */ new WeakMap<DocumentNode, Map<string | null, QueryPlan | null>>()

/** Returns the plan of an operation, which is kept with its document; `null` if graphql-js has to execute it. */
export function planOf(
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
