import { faultWith, type ToolFault } from 'hallpass/mcp'
import * as z from 'zod'

/** Where a row stands in a list. */
export interface Place {
  readonly key: string | number
  readonly id: string
}

const VERSION = 1

// What PostgreSQL cannot keep can stand in none of its rows.
const storable = z
  .string()
  .max(300)
  .refine((text) => !text.includes('\0') && !/\p{Cs}/u.test(text))
const keys = { text: storable, bigint: z.int() }

/** The cursor of the page behind a row. It holds nothing but what the row shows. */
export const writeCursor = ({ key, id }: Place, binding: string): string =>
  Buffer.from(JSON.stringify([VERSION, binding, key, id])).toString('base64url')

/**
 * Reads a cursor, which anybody can make up.
 *
 * @param options - `binding`: what the cursor has to belong to; `keyType`: of its list
 * @returns refusals: `INVALID_INPUT` where it is none, or belongs to something else
 */
export function readCursor(
  cursor: string,
  { binding, keyType }: { binding: string; keyType: keyof typeof keys },
): Place | ToolFault {
  const cursorSchema = z.tuple([z.literal(VERSION), z.literal(binding), keys[keyType], storable])
  const read = cursorSchema.safeParse(decode(cursor))
  if (!read.success) return mismatch()
  const [, , key, id] = read.data
  return { key, id }
}

const mismatch = (): ToolFault =>
  faultWith(
    'INVALID_INPUT',
    'cursor: it belongs to another list or other filters',
    'Call again without cursor, or with the filters it came from.',
  )

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
