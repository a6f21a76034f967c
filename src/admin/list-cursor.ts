import type * as z from 'zod'
import { base64url } from '../encoding/base64url.js'
import { isUnstorable } from './input.js'
import { type Problem, refuseWith } from './problem.js'

/**
 * The position of an item in a list: the value of its sort field, and its id.
 */
export interface ListPosition {
  readonly key: string | number | null
  readonly id: string
}

const VERSION = 1
type Cursor = readonly [version: 1, binding: string, key: ListPosition['key'], id: string]

function isCursor(value: unknown): value is Cursor {
  if (!Array.isArray(value) || value.length !== 4) return false
  const [version, binding, key, id] = value as readonly unknown[]
  const isKey = key === null || typeof key === 'string' || typeof key === 'number'
  return version === VERSION && typeof binding === 'string' && isKey && typeof id === 'string'
}

/**
 * Creates the cursor of the page after an item. It contains only values of that item.
 *
 * @param position - `binding`: identifies the list, sort and filter; `key` and `id`: those of the last item
 * @throws TypeError if the sort field is neither a string nor a number
 */
export function makeCursor({
  binding,
  key = null,
  id,
}: {
  binding: string
  key: unknown
  id: unknown
}): string {
  const cursor = [VERSION, binding, key, id]
  if (!isCursor(cursor))
    throw new TypeError('the sort field of a list item must be a string, a number or null')
  return base64url(new TextEncoder().encode(JSON.stringify(cursor)))
}

/**
 * Reads a cursor. A caller can forge one, so its position is validated by the schema of the items.
 *
 * @returns the position, or the problem `invalid_request` if the cursor is malformed or bound to another
 *   list, sort or filter
 */
export function readCursor(
  cursor: string,
  { binding, item, field }: { binding: string; item: z.ZodObject; field: string },
): ListPosition | Problem {
  const read = decodeJson(cursor)
  if (!isCursor(read) || read[1] !== binding) return mismatch()
  const [, , key, id] = read
  const isPosition = isOf(item, field, key) && isOf(item, 'id', id) && !isUnstorable([key, id])
  return isPosition ? { key, id } : mismatch()
}

function isOf({ shape }: z.ZodObject, name: string, value: unknown): boolean {
  const member = shape[name] as z.ZodType
  // A cursor has null for a member that the item lacks.
  return [value, value ?? undefined].some((one) => member.safeParse(one).success)
}

const mismatch = (): Problem =>
  refuseWith('invalid_request', '/cursor: must be a cursor of the same list, sort and filter', [
    { pointer: '/cursor', code: 'cursor_mismatch', message: 'start again without cursor' },
  ])

function decodeJson(text: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
