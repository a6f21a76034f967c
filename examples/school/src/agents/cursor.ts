import { toolError, type ToolError } from 'hallpass/mcp'
import * as z from 'zod'

/** The position of a row in a list. */
export interface Place {
  readonly key: string | number
  readonly id: string
}

const VERSION = 1

// PostgreSQL cannot store other text, so no row of a list has it.
const storable = z
  .string()
  .max(300)
  .refine((text) => !text.includes('\0') && !/\p{Cs}/u.test(text))
const keys = { text: storable, bigint: z.int() }

/** Returns the cursor of the page after a row. It contains only values that the row shows. */
export const writeCursor = ({ key, id }: Place, binding: string): string =>
  Buffer.from(JSON.stringify([VERSION, binding, key, id])).toString('base64url')

/**
 * Reads a cursor. A client may send any text as one.
 *
 * @param options - `binding`: the list and the filters that the cursor must belong to; `keyType`: of its list
 * @returns the position, or `INVALID_INPUT` if the text is not a cursor of this list with these filters
 */
export function readCursor(
  cursor: string,
  { binding, keyType }: { binding: string; keyType: keyof typeof keys },
): Place | ToolError {
  const cursorSchema = z.tuple([z.literal(VERSION), z.literal(binding), keys[keyType], storable])
  const read = cursorSchema.safeParse(decode(cursor))
  if (!read.success) return mismatch()
  const [, , key, id] = read.data
  return { key, id }
}

const mismatch = (): ToolError =>
  toolError(
    'INVALID_INPUT',
    'cursor: it belongs to another list or to other filters',
    'Call this tool again without cursor, or with the filters of the page before.',
  )

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
