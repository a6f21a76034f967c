import { defineTool, toolError, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { createSqlParameters, type SqlParameters, type SourceOptions } from '../account/listing.js'
import { harmless } from './text.js'

/** The source of the public tools. */
export type PublicSource = Pick<SourceOptions, 'execute' | 'site' | 'origin' | 'now'>

/** The texts of a tool that clients receive. */
export type Told = Pick<Tool, 'name' | 'title' | 'description'>

/** The schema of a slug, which names an object in URLs. */
const slugInput: z.ZodString = z
  .string()
  .max(100)
  .regex(/^[a-z0-9-]{1,100}$/)

/** The schema of words to search for. */
export const wordsInput: z.ZodString = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'a line without control characters')

/** The schema of the hints for an agent. */
export const nextStepsSchema = z.array(z.string()).describe('Which tool to call next.')

/** A tool that returns one public object. `Row` is the row that its query returns. */
export interface PublicObject<Item extends z.ZodObject, Row> extends Told {
  /** The name of the kind of object, for the message that there is none. */
  readonly noun: string
  readonly item: Item
  /** Returns a query of the column `data`: the row as `jsonb`, or no row if the object is not public. */
  readonly select: (parameters: SqlParameters, slug: string) => string
  readonly itemOf: (row: Row) => z.input<Item>
  readonly nextSteps: readonly string[]
}

/** Defines a tool that returns an object by its slug. A hidden object is treated like one that does not exist. */
export function definePublicObject<Item extends z.ZodObject, Row>(
  { execute }: PublicSource,
  { noun, item, select, itemOf, nextSteps, ...told }: PublicObject<Item, Row>,
): Tool<never> {
  return defineTool({
    ...told,
    input: z.strictObject({
      slug: slugInput.describe('A slug from a list or from a URL of the school.'),
    }),
    output: z.object({ data: item, next_steps: nextStepsSchema }),
    async run(_context, { slug }) {
      const parameters = createSqlParameters()
      const { rows } = await execute(select(parameters, slug), [...parameters.values])
      const [row] = rows as readonly { data: Row }[]
      if (row === undefined) return toolError('NOT_FOUND', `there is no public ${noun} "${slug}"`)
      return { data: harmless(itemOf(row.data)), next_steps: [...nextSteps] }
    },
  })
}
