import { type CursorScope, decodeCursor, encodeCursor } from './cursor.js'
import { inputError } from './input-error.js'
import type { ListQuery, Place, Rows } from './source.js'

/** Page size if the client sends neither `first` nor `last`. */
export const DEFAULT_PAGE_SIZE = 20
/** Largest page size. */
export const MAX_PAGE_SIZE = 100

/** The paging arguments of a connection field. */
export interface PageArguments {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
}

/** The value behind a connection type. Its functions run only if the query selects their field. */
export interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly edges: () => readonly { readonly cursor: string; readonly node: Row }[]
  readonly pageInfo: () => {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly totalCount: () => Promise<number>
}

/** Returns the requested page size. A size out of range is refused, never clamped. */
function pageSizeOf({ first, last }: PageArguments): number {
  if (first != null && last != null)
    throw inputError('first and last cannot be combined', { argument: 'last' })
  const [argument, size] = last == null ? (['first', first] as const) : (['last', last] as const)
  if (size == null) return DEFAULT_PAGE_SIZE
  if (size < 0 || size > MAX_PAGE_SIZE)
    throw inputError(`${argument} must be from 0 to ${MAX_PAGE_SIZE}`, {
      argument,
      max: MAX_PAGE_SIZE,
    })
  return size
}

/**
 * Loads one page of a connection.
 *
 * @param options - `scope`: what the cursors are bound to; `placeOf`: returns the position of a row in
 *   the order
 */
export async function loadConnection<Row, Filter, Order extends string>({
  args,
  scope,
  filter,
  order,
  placeOf,
  load,
}: {
  args: PageArguments
  scope: CursorScope
  filter: Filter
  order: Order
  placeOf: (row: Row) => Place
  load: (query: ListQuery<Filter, Order>) => Promise<Rows<Row>>
}): Promise<Connection<Row>> {
  const size = pageSizeOf(args)
  const fromEnd = args.last != null
  const placeFrom = (argument: 'after' | 'before'): Place | null => {
    const cursor = args[argument]
    if (cursor == null) return null
    const place = decodeCursor(scope, cursor)
    if (place === null)
      throw inputError(`${argument} must be a cursor of the same list, orderBy and filter`, {
        argument,
      })
    return place
  }
  const [after, before] = [placeFrom('after'), placeFrom('before')]
  const query = { filter, order, after, before, fromEnd, count: false }
  // The extra row shows whether another page follows.
  const { rows } = await load({ ...query, limit: size + 1 })
  const more = rows.length > size
  const nodes = !more ? rows : fromEnd ? rows.slice(-size || rows.length) : rows.slice(0, size)
  const cursorOf = (row: Row): string => encodeCursor(scope, placeOf(row))
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: cursorOf(node), node })),
    pageInfo: () => ({
      hasNextPage: fromEnd ? before !== null : more,
      hasPreviousPage: fromEnd ? more : after !== null,
      startCursor: nodes.length === 0 ? null : cursorOf(nodes[0]!),
      endCursor: nodes.length === 0 ? null : cursorOf(nodes.at(-1)!),
    }),
    async totalCount() {
      const counted = await load({ ...query, after: null, before: null, limit: 0, count: true })
      if (counted.total === null)
        throw new TypeError('the account source returned total: null for a query with count: true')
      return counted.total
    },
  }
}
