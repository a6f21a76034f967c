import * as z from 'zod'
import { sha256Base64url } from '../encoding/hash.js'
import { kindOf, OptionsError } from '../options/check.js'
import { UnusableValue } from '../store/guard.js'
import { type ListPosition, makeCursor, readCursor } from './list-cursor.js'
import type { Operation, OperationContext } from './operation.js'
import { isProblem, type Problem } from './problem.js'

/**
 * The request for one page of a list, as `rows` of {@link defineList} receives it.
 *
 * @group Lists
 */
export interface ListRequest<Filters, Key = string | number | null> {
  /** Path parameters and filters by name, parsed. */
  readonly filters: Filters
  /** Text to search for, or `null`. */
  readonly q: string | null
  /** Return only items changed since this time: RFC 3339 in UTC with milliseconds, or `null`. */
  readonly updatedSince: string | null
  /** The sort field and its direction. Ties are decided by `id`, in the same direction. */
  readonly sort: { readonly field: string; readonly descending: boolean }
  /**
   * The page begins after this position: the value of the sort field of an item, and its id. `null`: at the first item.
   * `key` is `null` only after an item whose sort field is `null` or absent: order such items by `nulls last` or
   * `nulls first`, and compare only their `id`.
   */
  readonly after: { readonly key: Key; readonly id: string } | null
  /**
   * Largest number of rows to return. It is one more than the page size, to show whether another page
   * follows.
   */
  readonly limit: number
}

/**
 * A page of a list as the client receives it.
 */
interface ListPage<Item> {
  readonly data: readonly Item[]
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean }
}

/**
 * The definition of a list for {@link defineList}: members of its {@link Operation}, its items and its
 * query.
 *
 * @inline
 */
export interface ListDefinition<
  out Scope extends string,
  Item extends z.ZodObject,
  Filters extends z.ZodRawShape,
  Sort extends string = string,
>
  extends
    Pick<Operation<Scope>, 'id' | 'summary' | 'scope' | 'path'>,
    Partial<Pick<Operation, 'description' | 'roles' | 'tool'>> {
  /** Schema of an item. It must have `id` and every sort field. */
  readonly item: Item
  /** Schemas of the path parameters and filters, by name. */
  readonly filters: Filters
  /**
   * Fields by which clients can sort: ascending, or descending with a leading `-`. The default is the first
   * one, descending.
   */
  readonly sorts: readonly [Sort, ...Sort[]]
  /**
   * Returns the rows that follow `after` in the order of the sort field, then of `id`, both in the same direction. To
   * return the row of `after` itself is a fault, because the list would never end.
   */
  readonly rows: (
    context: OperationContext,
    request: ListRequest<z.output<z.ZodObject<Filters>>, SortKey<z.output<Item>, Sort>>,
  ) => Promise<readonly z.output<Item>[] | Problem>
}

/**
 * The value of the sort field of an item: that of each field by which a client can sort.
 *
 * @inline
 */
type SortKey<Item, Sort extends string> = string extends Sort
  ? string | number | null
  : Extract<Item[Sort & keyof Item] | Absent<Item[Sort & keyof Item]>, string | number | null>
type Absent<Value> = undefined extends Value ? null : never

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const PageInfo = z.object({ next_cursor: z.string().max(1024).nullable(), has_more: z.boolean() })

/**
 * Defines a `GET` operation that returns a list in pages. Every list accepts `limit`, `cursor`, `sort`,
 * `q`, `updated_since` and `fields`. A `limit` out of range is refused, never clamped. A cursor is
 * opaque, and is refused with another list, sort or filter than the one that created it.
 *
 * @throws OptionsError that lists every mistake: items without `id`, sort fields that the items lack,
 *   and filters named like one of the parameters above
 * @example
 * ```ts
 * import { createAdminApi, defineList } from 'hallpass/admin'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const Course = z.object({ id: z.string(), title: z.string() })
 * const courses = defineList({
 *   id: 'courses.list', summary: 'List courses', scope: 'courses:read', path: '/courses',
 *   item: Course, filters: {}, sorts: ['title'],
 *   rows: async (_, { after, limit }) => [{ id: 'c2', title: 'Pottery' }, { id: 'c1', title: 'Drawing' }]
 *     .filter(({ title }) => after === null || title < after.key).slice(0, limit),
 * })
 * const { site, tokenFor } = testSite()
 * const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
 * const { endpoint } = createAdminApi(site, { operations: [courses] })
 * const page = await endpoint(new Request('https://school.example/api/v1/courses', { headers: { authorization } }))
 * ;((await page.json()) as { data: unknown[] }).data.length // => 2
 * defineList({ ...courses, item: Course, filters: {}, sorts: ['price'], rows: async () => [] }) // throws OptionsError
 * ```
 * @group Lists
 */
export function defineList<
  const Scope extends string,
  Item extends z.ZodObject,
  Filters extends z.ZodRawShape,
  const Sort extends string,
>(definition: ListDefinition<Scope, Item, Filters, Sort>): Operation<Scope> {
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
      const found = await rows(context, request as Parameters<typeof rows>[1])
      if (isProblem(found)) return found
      readRows(definition.id, found, request.after)
      return pageOf(found, { definition, query, fields })
    },
  }
}

/** Checks what `rows` returned. Without regard to the position, a client would get the same page for ever. */
function readRows(name: string, found: unknown, after: ListPosition | null): void {
  if (!Array.isArray(found))
    throw new UnusableValue(`rows of ${name} returned ${kindOf(found)}: it must be a list`)
  if (after !== null && found.some((row: { id?: unknown } | null) => row?.id === after.id))
    throw new UnusableValue(
      `rows of ${name} returned the row after which the page begins: return only those that follow \`after\``,
    )
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
    limit: z
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .default(DEFAULT_LIMIT)
      .describe('Number of items on a page.'),
    cursor: z.string().max(1024).optional().describe('`next_cursor` of the previous page.'),
    sort: z
      .enum(directions)
      .default(`-${sorts[0]}`)
      .describe('Field to sort by. A leading minus sorts descending.'),
    q: z.string().min(1).max(200).optional().describe('Text to search for.'),
    updated_since: z.iso
      .datetime({ offset: true })
      .max(40)
      .optional()
      .describe('Return only items changed since this time.'),
    fields: z
      .array(z.enum(names))
      .min(1)
      .max(names.length)
      .optional()
      .describe('Members to return, in addition to `id`.'),
  }
}

function faultsOf(
  { item, filters, sorts }: AnyList,
  reserved: readonly string[],
): readonly string[] {
  return [
    ...(Object.hasOwn(item.shape, 'id') ? [] : ['item must have an id']),
    ...sorts
      .filter((field) => !Object.hasOwn(item.shape, field))
      .map((field) => `sorts names "${field}", which item does not have`),
    ...reserved
      .filter((name) => Object.hasOwn(filters, name))
      .map((name) => `filters cannot contain "${name}", a parameter of every list`),
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

/** Identifies the list, sort and filter that a cursor is bound to. */
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

/** Whether `defineList` built this page object, which means that its rows are already validated. */
export const isParsedPage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && parsedPages.has(value)

const pick = (row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(['id', ...fields].map((name) => [name, row[name]]))
