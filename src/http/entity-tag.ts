import { sha256Base64url } from '../encoding/hash.js'

const TAG = /(?:W\/)?"[\x21\x23-\x7e]*"/g
const LIST = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/

/**
 * The strong entity tag of a text.
 *
 * @see RFC 9110 §8.8.3
 */
export const entityTagOf = (text: string): string => `"${sha256Base64url(text).slice(0, 22)}"`

/** The entity tags of a header; `null` = it is no list of them. */
export function parseEntityTags(header: string): readonly string[] | null {
  const text = header.trim()
  return LIST.test(text) ? text.match(TAG) : null
}

/**
 * Whether the caller has this version already. A header that cannot be read is as none.
 *
 * @param ifNoneMatch - the header as received; `null` = absent
 * @see RFC 9110 §13.1.2
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
