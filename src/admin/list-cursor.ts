import type * as z from 'zod'
import { base64url } from '../encoding/base64url.js'
import { isUnstorable } from './input.js'
import { type Problem, refuseWith } from './problem.js'

/** Where an item stands in a list: its sort field and its id. */
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
 * Makes the cursor of the page behind an item. It holds nothing but what the item shows anyway.
 *
 * @param position - `binding`: what the cursor belongs to; `key` and `id`: of the last item
 * @throws TypeError - for a sort field that holds neither text nor number
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
  if (!isCursor(cursor)) throw new TypeError('a list is sorted by texts or numbers')
  return base64url(new TextEncoder().encode(JSON.stringify(cursor)))
}

/**
 * Reads a cursor. Anybody can make one up, so its position is held to the schema of the items.
 *
 * @returns refusals: `invalid_request` where it is none, or belongs to something else
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
  // A member that an item lacks stands as null in a cursor.
  return [value, value ?? undefined].some((one) => member.safeParse(one).success)
}

const mismatch = (): Problem =>
  refuseWith('invalid_request', '/cursor: it belongs to another list, sort or filter', [
    { pointer: '/cursor', code: 'cursor_mismatch', message: 'start from the first page' },
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
