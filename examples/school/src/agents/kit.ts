import { defineTool, faultWith, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { createSqlParameters, type SqlParameters, type SourceOptions } from '../account/listing.js'
import { harmless } from './text.js'

/** What the tools of everybody read from. */
export type PublicSource = Pick<SourceOptions, 'execute' | 'site' | 'origin' | 'now'>

/** What a client is told of a tool. */
export type Told = Pick<Tool, 'name' | 'title' | 'description'>

/** The name of a thing in addresses. */
const slugInput: z.ZodString = z
  .string()
  .max(100)
  .regex(/^[a-z0-9-]{1,100}$/)

/** Words that somebody looks for. */
export const wordsInput: z.ZodString = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'a line without control characters')

/** Hints for an agent. */
export const nextStepsSchema = z.array(z.string()).describe('Which tool helps next.')

/** One thing that everybody may see. `Row` is what its query answers. */
export interface PublicObject<Item extends z.ZodObject, Row> extends Told {
  /** What it is, for the message that there is none. */
  readonly noun: string
  readonly item: Item
  /** A query of the column `data`: the row, as `jsonb`; none where not everybody may see it. */
  readonly select: (parameters: SqlParameters, slug: string) => string
  readonly itemOf: (row: Row) => z.input<Item>
  readonly nextSteps: readonly string[]
}

/** Defines a tool that gets something by its slug. What is hidden is as what is not there. */
export function definePublicObject<Item extends z.ZodObject, Row>(
  { execute }: PublicSource,
  { noun, item, select, itemOf, nextSteps, ...told }: PublicObject<Item, Row>,
): Tool<never> {
  return defineTool({
    ...told,
    input: z.strictObject({ slug: slugInput.describe('From the list, or from an address.') }),
    output: z.object({ data: item, next_steps: nextStepsSchema }),
    async run(_context, { slug }) {
      const parameters = createSqlParameters()
      const { rows } = await execute(select(parameters, slug), [...parameters.values])
      const [row] = rows as readonly { data: Row }[]
      if (row === undefined) return faultWith('NOT_FOUND', `there is no public ${noun} "${slug}"`)
      return { data: harmless(itemOf(row.data)), next_steps: [...nextSteps] }
    },
  })
}
