import * as z from 'zod'
import { sha256Base64url } from '../encoding/hash.js'
import { OptionsError } from '../options/check.js'
import { type ListPosition, makeCursor, readCursor } from './list-cursor.js'
import type { Operation, OperationContext } from './operation.js'
import { isProblem, type Problem } from './problem.js'

/** What a list operation is asked for. */
export interface ListRequest<Filters> {
  readonly filters: Filters
  /** Words to look for; `null` = none. */
  readonly q: string | null
  /** RFC 3339 in UTC, with milliseconds; `null` = since ever. */
  readonly updatedSince: string | null
  readonly sort: { readonly field: string; readonly descending: boolean }
  /** The item behind which the page begins; `null` = from the first. */
  readonly after: ListPosition | null
  /** Rows to answer at most: one more than the page holds, which tells whether there is a next one. */
  readonly limit: number
}

/** A page as it is answered. */
export interface ListPage<Item> {
  readonly data: readonly Item[]
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean }
}

/** A list: what of an {@link Operation} it says itself, and what its pages are made of. */
export interface ListDefinition<
  out Scope extends string,
  Item extends z.ZodObject,
  Filters extends z.ZodRawShape,
>
  extends
    Pick<Operation<Scope>, 'id' | 'summary' | 'scope' | 'path'>,
    Partial<Pick<Operation, 'description' | 'roles' | 'tool'>> {
  /** One row, with `id` and every field that it is sorted by. */
  readonly item: Item
  /** Path parameters and filters by field name. */
  readonly filters: Filters
  /** Fields that it can be sorted by, each up and, with `-` in front, down. The first is the default, down. */
  readonly sorts: readonly [string, ...string[]]
  /**
   * The rows in the total order of the sort field and then the id, ascending or descending both.
   */
  readonly rows: (
    context: OperationContext,
    request: ListRequest<z.output<z.ZodObject<Filters>>>,
  ) => Promise<readonly z.output<Item>[] | Problem>
}

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const PageInfo = z.object({ next_cursor: z.string().max(1024).nullable(), has_more: z.boolean() })

/**
 * Defines a list with the conventions of every list: `limit`, `cursor`, `sort`, `q`, `updated_since` and
 * `fields`. A page size out of range is refused, never cut. A cursor is opaque, and of no use with another
 * list, sort or filter than it was made with.
 *
 * @throws OptionsError - naming every mistake at once: items without an id, sorts that are no field,
 *   filters that are named as a convention
 */
export function defineList<
  const Scope extends string,
  Item extends z.ZodObject,
  Filters extends z.ZodRawShape,
>(definition: ListDefinition<Scope, Item, Filters>): Operation<Scope> {
  const { item, filters, sorts, rows, ...rest } = definition
  const conventions = conventionsOf(item, sorts)
  const faults = faultsOf(definition, Object.keys(conventions))
  if (faults.length > 0) throw new OptionsError(`list ${definition.id}`, faults)
  return {
    ...rest,
    effect: 'read',
    method: 'GET',
    input: z.strictObject({ ...filters, ...conventions }),
    output: z.object({
      data: z.array(item.partial()).max(MAX_LIMIT),
      page: PageInfo,
    }),
    isList: true,
    async run(context, input) {
      const { fields, ...query } = input as Conventions
      const request = requestOf(definition, query)
      if (isProblem(request)) return request
      const found = await rows(context, request as ListRequest<z.output<z.ZodObject<Filters>>>)
      return isProblem(found) ? found : pageOf(found, { definition, query, fields })
    },
  }
}

type Conventions = z.output<z.ZodObject<ReturnType<typeof conventionsOf>>>
type Query = Omit<Conventions, 'fields'>
type AnyList = Pick<
  ListDefinition<string, z.ZodObject, z.ZodRawShape>,
  'id' | 'item' | 'filters' | 'sorts'
>

function conventionsOf(item: z.ZodObject, sorts: readonly string[]) {
  const names = Object.keys(item.shape) as [string, ...string[]]
  const directions = sorts.flatMap((field) => [field, `-${field}`]) as [string, ...string[]]
  return {
    limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Items on a page.'),
    cursor: z.string().max(1024).optional().describe('`next_cursor` of the page before.'),
    sort: z.enum(directions).default(`-${sorts[0]}`).describe('A minus in front turns it round.'),
    q: z.string().min(1).max(200).optional().describe('Words to look for.'),
    updated_since: z.iso
      .datetime({ offset: true })
      .max(40)
      .optional()
      .describe('Changed since then.'),
    fields: z
      .array(z.enum(names))
      .min(1)
      .max(names.length)
      .optional()
      .describe('Members to answer.'),
  }
}

function faultsOf(
  { item, filters, sorts }: AnyList,
  reserved: readonly string[],
): readonly string[] {
  return [
    ...(Object.hasOwn(item.shape, 'id') ? [] : ['its items have no id']),
    ...sorts
      .filter((field) => !Object.hasOwn(item.shape, field))
      .map((field) => `"${field}" is no field to sort by`),
    ...reserved
      .filter((name) => Object.hasOwn(filters, name))
      .map((name) => `"${name}" cannot be a filter`),
  ]
}

const sortOf = (sort: string): ListRequest<unknown>['sort'] =>
  sort.startsWith('-')
    ? { field: sort.slice(1), descending: true }
    : { field: sort, descending: false }

function requestOf(list: AnyList, query: Query): ListRequest<unknown> | Problem {
  const { limit, cursor, q = null, updated_since: since } = query
  const sort = sortOf(query.sort)
  const after =
    cursor === undefined
      ? null
      : readCursor(cursor, { binding: bindingOf(list, query), item: list.item, field: sort.field })
  if (isProblem(after)) return after
  return {
    filters: filtersOf(list, query),
    q,
    updatedSince: since === undefined ? null : new Date(since).toISOString(),
    sort,
    after,
    limit: limit + 1,
  }
}

const filtersOf = ({ filters }: AnyList, query: Query): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(filters).map((name) => [name, (query as Record<string, unknown>)[name]]),
  )

/** What a cursor belongs to. */
function bindingOf(list: AnyList, query: Query): string {
  const { sort, q, updated_since: since } = query
  return sha256Base64url(JSON.stringify([list.id, sort, q, since, filtersOf(list, query)])).slice(
    0,
    16,
  )
}

function pageOf(
  rows: readonly unknown[],
  {
    definition,
    query,
    fields,
  }: { definition: AnyList; query: Query; fields: readonly string[] | undefined },
): ListPage<Record<string, unknown>> {
  const { limit } = query
  const items = rows.slice(0, limit).map((row) => definition.item.parse(row))
  const last = items.at(-1)
  const hasMore = rows.length > limit
  const { field } = sortOf(query.sort)
  const page = {
    data: fields === undefined ? items : items.map((item) => pick(item, fields)),
    page: PageInfo.parse({
      next_cursor:
        hasMore && last !== undefined
          ? makeCursor({ binding: bindingOf(definition, query), key: last[field], id: last['id'] })
          : null,
      has_more: hasMore,
    }),
  }
  parsedPages.add(page)
  return page
}

const parsedPages = new WeakSet<object>()

/** Whether a list made this very page, whose rows went through their schema there. */
export const isParsedPage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && parsedPages.has(value)

const pick = (row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(['id', ...fields].map((name) => [name, row[name]]))
