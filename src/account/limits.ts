import type { GraphQLError } from 'graphql'
import { GraphQLError as GraphQLFault, type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql' // prettier-ignore

/** What one document may hold. */
export interface DocumentLimits {
  readonly tokens: number
  readonly depth: number
  readonly aliases: number
  readonly directives: number
  readonly rootFields: number
  /** Points of one request. */
  readonly cost: number
}

export const DEFAULT_LIMITS: DocumentLimits = {
  tokens: 2000,
  depth: 12,
  aliases: 30,
  directives: 50,
  rootFields: 10,
  cost: 1000,
}

/** A document that asks for too much. */
export function tooMuch(
  code: 'QUERY_TOO_DEEP' | 'QUERY_TOO_COSTLY',
  what: string,
  { limit, actual }: { limit: number; actual: number },
): GraphQLError {
  return new GraphQLFault(`the query has too many ${what}: ${limit} are allowed`, {
    extensions: { code, limit, actual },
  })
}

/**
 * Counts what validation and execution would have to work through. It looks at each fragment once,
 * whatever the fragments make of each other.
 */
export function checkLimits(document: DocumentNode, limits: DocumentLimits): GraphQLError | null {
  let [aliases, directives] = [0, 0]
  visit(document, {
    Field: (node) => void (node.alias !== undefined && aliases++),
    Directive: () => void directives++,
  })
  const costly = (what: string, limit: number, actual: number): GraphQLError | null =>
    actual > limit ? tooMuch('QUERY_TOO_COSTLY', what, { limit, actual }) : null
  const { depth, rootFields } = shapeOf(document)
  return (
    costly('aliases', limits.aliases, aliases) ??
    costly('directives', limits.directives, directives) ??
    costly('fields at the root', limits.rootFields, rootFields) ??
    (depth > limits.depth
      ? tooMuch('QUERY_TOO_DEEP', 'levels', { limit: limits.depth, actual: depth })
      : null)
  )
}

interface Shape {
  readonly depth: number
  readonly fields: number
}

function shapeOf(document: DocumentNode): { depth: number; rootFields: number } {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  )
  const known = new Map<string, Shape>()

  function fragment(name: string): Shape {
    const before = known.get(name)
    if (before !== undefined) return before
    const selections = fragments.get(name)
    // A fragment that contains itself counts nothing here; validation names the fault.
    known.set(name, { depth: 0, fields: 0 })
    const shape = selections === undefined ? { depth: 0, fields: 0 } : shapeOfSet(selections)
    known.set(name, shape)
    return shape
  }

  function shapeOfSet(set: SelectionSetNode): Shape {
    let [depth, fields] = [0, 0]
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        fields++
        // Introspection has a limit of its own among the validation rules.
        const isMeta = node.name.value.startsWith('__')
        const below =
          node.selectionSet === undefined || isMeta ? 0 : shapeOfSet(node.selectionSet).depth
        depth = Math.max(depth, 1 + below)
      } else {
        const inner =
          node.kind === Kind.INLINE_FRAGMENT
            ? shapeOfSet(node.selectionSet)
            : fragment(node.name.value)
        fields += inner.fields
        depth = Math.max(depth, inner.depth)
      }
    }
    return { depth, fields }
  }

  let [depth, rootFields] = [0, 0]
  for (const node of document.definitions) {
    const shape =
      node.kind === Kind.OPERATION_DEFINITION
        ? shapeOfSet(node.selectionSet)
        : node.kind === Kind.FRAGMENT_DEFINITION
          ? { ...fragment(node.name.value), fields: 0 }
          : { depth: 0, fields: 0 }
    depth = Math.max(depth, shape.depth)
    rootFields = Math.max(rootFields, shape.fields)
  }
  return { depth, rootFields }
}
