import { createHash } from 'node:crypto'
import { defineTool, isToolError, type Tool, type ToolError } from 'hallpass/mcp'
import * as z from 'zod'
import { createSqlParameters, loadRows, type SqlParameters } from '../account/listing.js'
import { type Place, readCursor, writeCursor } from './cursor.js'
import { nextStepsSchema, type PublicSource, type Told } from './kit.js'
import { harmless } from './text.js'

const pageInput = {
  limit: z.int().min(1).max(50).default(20).describe('Maximum number of items.'),
  cursor: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe('`page.next_cursor` of the previous page. Keep the filters unchanged.'),
}
const pageSchema = z.object({
  next_cursor: z.string().nullable().describe('Opaque. null on the last page.'),
  has_more: z.boolean(),
})

/** A tool that lists public objects. `Row` is a row that its query returns. */
export interface PublicList<
  Filters extends z.ZodRawShape,
  Item extends z.ZodObject,
  Row,
> extends Told {
  readonly filters: Filters
  readonly item: Item
  /** Returns a query of the columns `id` and `key`, which determine the order, and `data`: a row as `jsonb`. */
  readonly select: (
    parameters: SqlParameters,
    filters: z.output<z.ZodObject<Filters>>,
  ) => string | ToolError
  readonly itemOf: (row: Row) => z.input<Item>
  readonly keyType: 'text' | 'bigint'
  readonly descending?: boolean
  readonly nextSteps: readonly string[]
}

interface Found<Row> extends Place {
  readonly data: Row
}

/** Defines a tool that lists objects. A cursor works only with the tool and the filters that created it. */
export function definePublicList<Filters extends z.ZodRawShape, Item extends z.ZodObject, Row>(
  { execute, site }: PublicSource,
  { filters, item, select, itemOf, keyType, descending = false, nextSteps, ...told }: PublicList<Filters, Item, Row>, // prettier-ignore
): Tool<never> {
  return defineTool({
    ...told,
    input: z.strictObject({ ...filters, ...pageInput }),
    output: z.object({ data: z.array(item), page: pageSchema, next_steps: nextStepsSchema }),
    async run(_context, input) {
      const { limit, cursor, ...asked } = input as z.output<z.ZodObject<typeof pageInput>>
      const binding = bindingOf([told.name, site, asked])
      const after = cursor === undefined ? null : readCursor(cursor, { binding, keyType })
      if (isToolError(after)) return after
      const parameters = createSqlParameters()
      const query = select(parameters, asked as z.output<z.ZodObject<Filters>>)
      if (isToolError(query)) return query
      const { rows } = await loadRows<Found<Row>>(
        execute,
        parameters,
        { matching: placed(query), key: 'key', keyType, descending },
        { filter: null, order: '', after, before: null, limit: limit + 1, fromEnd: false, count: false }, // prettier-ignore
      )
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const hasMore = rows.length > limit
      return {
        data: harmless(shown.map(({ data }) => itemOf(data))),
        page: {
          next_cursor: hasMore && last !== undefined ? writeCursor(last, binding) : null,
          has_more: hasMore,
        },
        next_steps: [...nextSteps],
      }
    },
  })
}

const placed = (query: string): string => `
  select id, key, jsonb_build_object('key', key, 'id', id, 'data', data) as record
  from (${query}) found`

const bindingOf = (facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22)
