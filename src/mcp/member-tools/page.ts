import * as z from 'zod'
import { askFor, RefusedRequest } from './executor.js'
import type { ToolContext } from '../tool.js'
import { isToolError, toolError, type ToolError } from '../tool-error.js'

/** An object of the result, with its members in snake_case. */
export type Row = Readonly<Record<string, unknown>>

const nextSteps = z.array(z.string())

/** Returns the output schema of a list. */
export const pageOf = (row: z.ZodObject): z.ZodObject =>
  z.strictObject({
    data: z.array(row),
    page: z.strictObject({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
    next_steps: nextSteps,
  })

/** Returns the output schema of a tool that returns one object. */
export const oneOf = (data: z.ZodObject): z.ZodObject =>
  z.strictObject({ data, next_steps: nextSteps })

/** Returns the output schema of a tool that changes one object. */
export const changeOf = (data: z.ZodObject): z.ZodObject =>
  z.strictObject({
    data,
    changed: z
      .array(z.string())
      .describe('Names of the members of data that differ from before the call.'),
  })

interface Listed {
  readonly viewer: {
    readonly list: {
      readonly nodes: readonly Row[]
      readonly page_info: {
        readonly has_next_page: boolean
        readonly end_cursor: string | null
      }
    }
  }
}

/** The operation of a list, without the arguments of its page. */
export interface ListRequest {
  readonly query: string
  /** Returns the variables of the operation. `since`: when the first page was requested, in epoch seconds. */
  readonly variables?: (since: number) => Readonly<Record<string, unknown>>
  /** The next steps that the result suggests if it has rows. */
  readonly steps: readonly string[]
}

/**
 * Loads a page of a list. Its cursor contains the time of the first page. The Account API accepts a cursor
 * only with the filter that created it, and a filter may depend on this time.
 */
export async function loadPage(
  context: ToolContext,
  paging: { readonly limit: number; readonly cursor?: string | undefined },
  { query, variables, steps }: ListRequest,
): Promise<Row | ToolError> {
  const [began, after = null] = paging.cursor?.split('.') ?? []
  const since = began === undefined ? context.now : Number(began)
  const ask = askFor(context)
  const load = (first: number): Promise<Listed | ToolError> =>
    ask<Listed>(query, { ...variables?.(since), first, after })
  const answer = await load(paging.limit).catch((fault: unknown) =>
    refuse(fault, paging.limit, load),
  )
  if (isToolError(answer)) return answer
  const { nodes, page_info: info } = answer.viewer.list
  const more = info.has_next_page
  return {
    data: nodes,
    page: { next_cursor: more ? `${since}.${info.end_cursor}` : null, has_more: more },
    next_steps: [...(nodes.length === 0 ? [] : steps), ...(more ? [NEXT_PAGE] : [])],
  }
}

/**
 * Names the largest `limit` of a list that costs too much at this site. The cost grows evenly with the rows, so a second
 * request shows it, which is refused as well: neither runs nor spends points.
 *
 * @throws what was thrown, if it is something else or no page fits
 */
async function refuse(
  fault: unknown,
  limit: number,
  load: (first: number) => Promise<unknown>,
): Promise<ToolError> {
  const excess = excessOf(fault)
  const ofNext = excess && excessOf(await load(limit + 1).catch((other: unknown) => other))
  if (excess === null || ofNext === null || ofNext.cost <= excess.cost) throw fault
  const largest = limit - Math.ceil((excess.cost - excess.most) / (ofNext.cost - excess.cost))
  if (largest < 1) throw fault
  return toolError('INVALID_INPUT', `limit must be at most ${largest}: more rows cost too much`)
}

const excessOf = (fault: unknown): RefusedRequest['excess'] =>
  fault instanceof RefusedRequest ? fault.excess : null

const NEXT_PAGE =
  'For the next page, call this tool again with cursor set to page.next_cursor and the other arguments unchanged.'
