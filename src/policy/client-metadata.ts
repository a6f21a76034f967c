/** What registration requests and metadata documents have in common. */
export type Metadata = Readonly<Record<string, unknown>>

/** Most redirect URIs that one client may have. */
export const MAX_REDIRECT_URIS = 10

/** Longest name of a client, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 100

/** Longest description of a client, in UTF-16 code units. */
export const MAX_DESCRIPTION_LENGTH = 300

// Controls, halves of surrogate pairs, line separators, and the invisible and direction-changing format characters.
const UNSAFE_TEXT =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u
const LINKS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri']
const MAX_QUOTE_LENGTH = 120
const ICON = /^[a-z0-9-]{0,64}$/

/** Whether parsed JSON is an object that holds members and nothing that could pass for a prototype. */
export function isMetadata(value: unknown): value is Metadata {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Object.hasOwn(value, '__proto__')
  )
}

/** A member's value; `undefined` where it is absent or `null`, which mean the same. */
export function memberOf(metadata: Metadata, name: string): unknown {
  return Object.hasOwn(metadata, name) && metadata[name] !== null ? metadata[name] : undefined
}

/** Whether parsed JSON is an array of strings, or an empty one. */
export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Whether a list names what is needed, or is absent and leaves it to the default (RFC 7591 §2). */
export function offers(values: unknown, wanted: string): boolean {
  return values === undefined || (isStringArray(values) && values.includes(wanted))
}

/** Whether a name may be shown to people: short, and without characters that hide or turn text around. */
export function isClientName(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value, MAX_NAME_LENGTH)
}

/** Whether a text has at most so many UTF-16 code units, none of which hides or turns text around. */
export function isPlainText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !UNSAFE_TEXT.test(text)
}

/** Whether a text, of one line or several, may tell people what a client is for. */
export function isClientDescription(value: unknown): value is string {
  return (
    typeof value === 'string' && isPlainText(value.replace(/\r?\n/g, ' '), MAX_DESCRIPTION_LENGTH)
  )
}

/** Whether a text may be the host's own word for a picture. */
export function isClientIcon(value: unknown): value is string {
  return typeof value === 'string' && ICON.test(value)
}

/** The first member that must be a web address and is not; `null` = all of them are, or are absent. */
export function findMalformedLink(metadata: Metadata): string | null {
  const isMalformed = (name: string): boolean => {
    const value = memberOf(metadata, name)
    return value !== undefined && !isWebUrl(value)
  }
  return LINKS.find(isMalformed) ?? null
}

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(value)
}

/** A URI as a description may repeat it: short, printable and free of quotes. */
export function quote(uri: string): string {
  const safe = uri.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?')
  return safe.length > MAX_QUOTE_LENGTH ? `${safe.slice(0, MAX_QUOTE_LENGTH)}...` : safe
}
