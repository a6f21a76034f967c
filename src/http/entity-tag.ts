import { sha256Base64url } from '../encoding/hash.js'

const TAG = /(?:W\/)?"[\x21\x23-\x7e]*"/g
const LIST = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/

/**
 * Computes the strong entity tag of a text.
 *
 * @see [RFC 9110, section 8.8.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3)
 */
export const entityTagOf = (text: string): string => `"${sha256Base64url(text).slice(0, 22)}"`

/** Parses the entity tags of a header; `null` if the header is not a list of entity tags. */
export function parseEntityTags(header: string): readonly string[] | null {
  const text = header.trim()
  return LIST.test(text) ? text.match(TAG) : null
}

/**
 * Whether the caller already has this version. A malformed header is ignored.
 *
 * @param ifNoneMatch - the header as received; `null` if absent
 * @see [RFC 9110, section 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)
 */
export function isKnownVersion({
  ifNoneMatch,
  etag,
}: {
  ifNoneMatch: string | null
  etag: string
}): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  return (parseEntityTags(ifNoneMatch) ?? []).some((tag) => tag.replace(/^W\//, '') === etag)
}
