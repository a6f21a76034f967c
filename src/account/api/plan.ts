import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  isInterfaceType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../connection.js'
import { ownFieldOf } from '../own-field.js'

/** The scopes and the cost of one operation, computed once for each document. */
export interface OperationPlan {
  readonly operation: OperationDefinitionNode
  /** The document without its other operations: whatever runs it, only this operation can run. */
  readonly document: DocumentNode
  /** The scopes that its fields require. */
  readonly scopes: readonly string[]
  /** Returns the cost in points, given the coerced variables of a request. */
  readonly costOf: (variables: Readonly<Record<string, unknown>>) => number
}

/**
 * Assumed length of a list without a page size: sections, lectures, order items, files, courses of a
 * subscription. The actual length is not known before the source is queried, and no request can
 * increase it.
 */
const LIST_SIZE = 10
/** Cost of an introspection field. Validation limits its depth. */
const INTROSPECTION_COST = 100

type Variables = Readonly<Record<string, unknown>>
/** Computes points from the variables and the number of rows in the enclosing list. */
type Cost = (variables: Variables, rows: number) => number

/**
 * Plans the operations of a valid document. Each fragment is planned once, however often it is spread, so
 * planning takes linear time.
 */
export function planOperations(
  schema: GraphQLSchema,
  document: DocumentNode,
): readonly OperationPlan[] {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  )
  const planned = new Map<string, Planned>()

  function spread(name: string): Planned {
    const before = planned.get(name)
    if (before !== undefined) return before
    const fragment = fragments.get(name)!
    const type = schema.getType(fragment.typeCondition.name.value) as GraphQLCompositeType
    const plan = planSet(fragment.selectionSet, type)
    planned.set(name, plan)
    return plan
  }

  function planSet(set: SelectionSetNode, type: GraphQLCompositeType): Planned {
    const parts = set.selections.map((node) => {
      if (node.kind === Kind.FIELD) return planField(node, type)
      if (node.kind === Kind.FRAGMENT_SPREAD) return spread(node.name.value)
      const condition = node.typeCondition?.name.value
      return planSet(
        node.selectionSet,
        condition === undefined ? type : (schema.getType(condition) as GraphQLCompositeType),
      )
    })
    const costs = parts.map(({ cost }) => cost)
    return {
      scopes: parts.flatMap(({ scopes }) => scopes),
      cost: (variables, rows) => {
        let total = 0
        for (const cost of costs) total += cost(variables, rows)
        return total
      },
    }
  }

  function planField(node: FieldNode, parent: GraphQLCompositeType): Planned {
    const name = node.name.value
    if (name === '__typename') return FREE
    if (name.startsWith('__')) return { scopes: [], cost: () => INTROSPECTION_COST }
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
    if (field === undefined) return FREE
    const type = getNamedType(field.type)
    const own = ownFieldOf(field)
    const children =
      node.selectionSet !== undefined && isCompositeType(type)
        ? planSet(node.selectionSet, type)
        : null
    const { scopes, weight } = own ?? {
      scopes: directivesOf(field, 'requiresScope', 'scope'),
      weight: Number(directivesOf(field, 'cost', 'weight')[0] ?? (children === null ? 0 : 1)),
    }
    const cost = children?.cost ?? null
    return {
      scopes: [...scopes, ...(children?.scopes ?? [])],
      cost:
        own?.maxRows == null
          ? costOf({ node, field, weight, parent, children: cost })
          : own.costOf(node, cost && ((variables) => cost(variables, LIST_SIZE)), pageSize),
    }
  }

  return document.definitions.flatMap((node) => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return []
    const { scopes, cost } = planSet(node.selectionSet, schema.getRootType(node.operation)!)
    return [
      {
        operation: node,
        document: {
          ...document,
          definitions: document.definitions.filter(
            (one) => one === node || one.kind !== Kind.OPERATION_DEFINITION,
          ),
        },
        scopes: [...new Set(scopes)],
        costOf: (variables: Variables) => cost(variables, LIST_SIZE),
      },
    ]
  })
}

interface Planned {
  readonly scopes: readonly string[]
  readonly cost: Cost
}

const FREE: Planned = { scopes: [], cost: () => 0 }

function costOf({
  node,
  field,
  weight,
  parent,
  children,
}: {
  node: FieldNode
  field: GraphQLField<unknown, unknown>
  weight: number
  parent: GraphQLCompositeType
  children: Cost | null
}): Cost {
  if (children === null) return () => weight
  const isPage = (type: GraphQLCompositeType): boolean => type.name.endsWith('Connection')
  const type = getNamedType(field.type) as GraphQLCompositeType
  if (isPage(type)) {
    const rowsOf = pageSize(node, OF_PAGES)
    return (variables) => {
      const rows = rowsOf(variables)
      // The rows are loaded even if only `totalCount` is selected.
      return weight + Math.max(rows, children(variables, rows))
    }
  }
  const isList = isListType(isNonNullType(field.type) ? field.type.ofType : field.type)
  if (!isList) return (variables) => weight + children(variables, LIST_SIZE)
  // `nodes` and `edges` have as many rows as the requested page.
  return isPage(parent)
    ? (variables, rows) => rows * (1 + children(variables, LIST_SIZE))
    : (variables) => weight + LIST_SIZE * (1 + children(variables, LIST_SIZE))
}

const OF_PAGES = { names: ['first', 'last'], byDefault: DEFAULT_PAGE_SIZE, max: MAX_PAGE_SIZE }

function pageSize(
  node: FieldNode,
  { names, byDefault, max }: { names: readonly string[]; byDefault: number; max: number },
): (variables: Variables) => number {
  const sizes = (node.arguments ?? [])
    .filter(({ name }) => names.includes(name.value))
    .map(({ value }) => (variables: Variables): unknown => {
      if (value.kind === Kind.INT) return Number(value.value)
      return value.kind === Kind.VARIABLE ? variables[value.name.value] : null
    })
  return (variables) => {
    for (const sizeOf of sizes) {
      const size = sizeOf(variables)
      // The resolver of the field refuses a size out of range.
      if (typeof size === 'number') return size < 0 ? max : Math.min(size, max)
    }
    return byDefault
  }
}

/** Returns the argument of a directive of a field, if it has the directive. */
function directivesOf(
  field: GraphQLField<unknown, unknown>,
  directive: string,
  argument: string,
): readonly string[] {
  const found = field.astNode?.directives?.find(({ name }) => name.value === directive)
  const value = found?.arguments?.find(({ name }) => name.value === argument)?.value
  return value?.kind === Kind.STRING || value?.kind === Kind.INT ? [value.value] : []
}
