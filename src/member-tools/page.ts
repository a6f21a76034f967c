import * as z from 'zod'
import { type AccountExecutor, askFor } from './executor.js'
import type { ToolContext } from '../mcp/tool.js'
import { isToolFault, type ToolFault } from '../mcp/tool-fault.js'

/** Members of an answer, by their names in snake_case. */
export type Row = Readonly<Record<string, unknown>>

const nextSteps = z.array(z.string())

/** The answer of a list. */
export const pageOf = (row: z.ZodObject): z.ZodObject =>
  z.strictObject({
    data: z.array(row),
    page: z.strictObject({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
    next_steps: nextSteps,
  })

/** The answer of what shows one object. */
export const oneOf = (data: z.ZodObject): z.ZodObject =>
  z.strictObject({ data, next_steps: nextSteps })

/** The answer of what writes to one object. */
export const changeOf = (data: z.ZodObject): z.ZodObject =>
  z.strictObject({
    data,
    changed: z.array(z.string()).describe('Members of data that are other than before the call.'),
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

/** What a list is asked for, beside its page. */
export interface ListRequest {
  readonly query: string
  /** What the document takes, for a list that began at `since`, in epoch seconds. */
  readonly variables?: (since: number) => Readonly<Record<string, unknown>>
  /** What can be done with the rows. */
  readonly steps: readonly string[]
}

/**
 * Loads a page of a list. Its cursor says when the list began, since the Account API takes its own
 * cursor only with the very filter that it was made for, and a filter may look ahead from now.
 */
export async function loadPage(
  account: AccountExecutor,
  context: ToolContext,
  paging: { readonly limit: number; readonly cursor?: string | undefined },
  { query, variables, steps }: ListRequest,
): Promise<Row | ToolFault> {
  const [began, after = null] = paging.cursor?.split('.') ?? []
  const since = began === undefined ? context.now : Number(began)
  const answer = await askFor(account, context)<Listed>(query, {
    ...variables?.(since),
    first: paging.limit,
    after,
  })
  if (isToolFault(answer)) return answer
  const { nodes, page_info: info } = answer.viewer.list
  const more = info.has_next_page
  return {
    data: nodes,
    page: { next_cursor: more ? `${since}.${info.end_cursor}` : null, has_more: more },
    next_steps: [...(nodes.length === 0 ? [] : steps), ...(more ? [NEXT_PAGE] : [])],
  }
}

const NEXT_PAGE =
  'For the next page, call this tool again with cursor set to page.next_cursor and the other arguments as they were.'
