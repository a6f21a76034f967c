import { base64url } from '../encoding/base64url.js'
import { sha256Base64url } from '../encoding/hash.js'
import { isFindable } from './node-id.js'
import type { Place } from './source.js'

const VERSION = 1

/** The list that a cursor is bound to. A cursor from any other list is refused. */
export interface CursorScope {
  /** Identifies the member, the field and the ordering. */
  readonly list: readonly string[]
  /** Type of the values that the ordering compares. */
  readonly keyType: 'number' | 'string'
  /** The filter as the client sent it. */
  readonly filter: unknown
}

const tagOf = ({ list, filter }: CursorScope): string =>
  sha256Base64url(JSON.stringify([list, filter ?? null])).slice(0, 11)

/** Encodes the position of a row as an opaque cursor. */
export function encodeCursor(scope: CursorScope, { key, id }: Place): string {
  return base64url(new TextEncoder().encode(JSON.stringify([VERSION, tagOf(scope), key, id])))
}

/** Returns the position that a cursor encodes, or `null` if it is malformed or from another list. */
export function decodeCursor(scope: CursorScope, cursor: string): Place | null {
  const parsed = parse(cursor)
  if (!Array.isArray(parsed) || parsed.length !== 4) return null
  const [version, tag, key, id] = parsed as unknown[]
  const isText = (value: unknown): value is string => typeof value === 'string' && isFindable(value)
  const isKey = scope.keyType === 'string' ? isText(key) : Number.isSafeInteger(key)
  return version === VERSION && tag === tagOf(scope) && (key === null || isKey) && isText(id)
    ? { key: key as Place['key'], id }
    : null
}

function parse(cursor: string): unknown {
  try {
    const bytes = Uint8Array.from(
      atob(cursor.replaceAll('-', '+').replaceAll('_', '/')),
      (character) => character.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
