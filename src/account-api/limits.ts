import type { GraphQLError } from 'graphql'
import { GraphQLError as GraphQLFault, type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql' // prettier-ignore

/** What one document may hold. */
export interface DocumentLimits {
  /** Of the text; and fields once the fragments are spread. */
  readonly tokens: number
  readonly depth: number
  /** Aliases, and fields that stand twice in one selection. */
  readonly aliases: number
  readonly directives: number
  readonly rootFields: number
  /** Points of one request. Pages count as asked for, lists without a page size as ten rows. */
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

const TOO_MUCH: readonly unknown[] = ['QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY']

/** Whether it is an error of {@link tooMuch}. */
export const isTooMuch = ({ extensions }: GraphQLError): boolean =>
  TOO_MUCH.includes(extensions['code'])

/** A document that asks for too much. */
export function tooMuch(
  code: 'QUERY_TOO_DEEP' | 'QUERY_TOO_COSTLY',
  what: string,
  counts: { limit: number; actual?: number },
): GraphQLError {
  return new GraphQLFault(`the query has too many ${what}: ${counts.limit} are allowed`, {
    extensions: { code, ...counts },
  })
}

/**
 * Counts what validation and execution would have to work through. It looks at each fragment once,
 * whatever the fragments make of each other.
 *
 * @param document - one in which no fragment contains itself
 */
export function checkLimits(document: DocumentNode, limits: DocumentLimits): GraphQLError | null {
  let [aliases, directives] = [0, 0]
  visit(document, {
    Field: (node) => void (node.alias !== undefined && aliases++),
    Directive: () => void directives++,
    // Validation compares all fields of one name with each other.
    SelectionSet: (node) => void (aliases += repeatedFields(node)),
  })
  const costly = (what: string, limit: number, actual: number): GraphQLError | null =>
    actual > limit ? tooMuch('QUERY_TOO_COSTLY', what, { limit, actual }) : null
  const { depth, rootFields, fields } = shapeOf(document)
  return (
    costly('aliases or repeated fields', limits.aliases, aliases) ??
    costly('directives', limits.directives, directives) ??
    costly('fields at the root', limits.rootFields, rootFields) ??
    costly('fields in its fragments', limits.tokens, fields) ??
    (depth > limits.depth
      ? tooMuch('QUERY_TOO_DEEP', 'levels', { limit: limits.depth, actual: depth })
      : null)
  )
}

function repeatedFields({ selections }: SelectionSetNode): number {
  const names = selections.flatMap((node) =>
    node.kind === Kind.FIELD ? [(node.alias ?? node.name).value] : [],
  )
  return names.length - new Set(names).size
}

interface Shape {
  readonly depth: number
  /** On this level. */
  readonly width: number
  /** On all levels. */
  readonly fields: number
}

const EMPTY: Shape = { depth: 0, width: 0, fields: 0 }

function shapeOf(document: DocumentNode): { depth: number; rootFields: number; fields: number } {
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
    const shape = selections === undefined ? EMPTY : shapeOfSet(selections)
    known.set(name, shape)
    return shape
  }

  function shapeOfSet(set: SelectionSetNode): Shape {
    let [depth, width, fields] = [0, 0, 0]
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const below = node.selectionSet === undefined ? EMPTY : shapeOfSet(node.selectionSet)
        // Introspection has a limit of its own among the validation rules.
        const isMeta = node.name.value.startsWith('__')
        width++
        fields += 1 + below.fields
        depth = Math.max(depth, isMeta ? 1 : 1 + below.depth)
      } else {
        const inner =
          node.kind === Kind.INLINE_FRAGMENT
            ? shapeOfSet(node.selectionSet)
            : fragment(node.name.value)
        width += inner.width
        fields += inner.fields
        depth = Math.max(depth, inner.depth)
      }
    }
    return { depth, width, fields }
  }

  let [depth, rootFields, fields] = [0, 0, 0]
  for (const node of document.definitions) {
    const isFragment = node.kind === Kind.FRAGMENT_DEFINITION
    if (!isFragment && node.kind !== Kind.OPERATION_DEFINITION) continue
    const shape = isFragment ? fragment(node.name.value) : shapeOfSet(node.selectionSet)
    fields = Math.max(fields, shape.fields)
    // A fragment is as deep as where it is spread, which may be in an introspection field.
    if (isFragment) continue
    depth = Math.max(depth, shape.depth)
    rootFields = Math.max(rootFields, shape.width)
  }
  return { depth, rootFields, fields }
}
