import { memberOf, type Members } from './reading.js'
import { isRedirectUriText } from './redirect-uri.js'

/**
 * The differences between registration requests and metadata documents, where the same rules apply
 * to both.
 */
export interface MetadataKind {
  /** The words after the name of a member in a description. */
  readonly where: '' | ' in the document'
  /** The least number of redirect URIs. If it is 0, the name may be absent as well. */
  readonly least: 0 | 1
  /** The grants that redirect nowhere, each of which a client may name in place of `authorization_code`. */
  readonly grants: readonly string[]
}

/**
 * A fault in metadata of either kind. Each kind turns it into a refusal with its own error code.
 */
export interface MetadataIssue<Reason extends string> {
  readonly ok: false
  readonly reason: Reason
  readonly description: string
}

/** The greatest number of redirect URIs of one client. Loopback URIs that differ only in the port count once. */
export const MAX_REDIRECT_URIS = 10
// The https URIs of a valid client have one port, so others are those of loopback URIs.
const PORT = /:\d+\//

/** The greatest length of the name of a client, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 100

/** The greatest length of the description of a client, in UTF-16 code units. */
export const MAX_DESCRIPTION_LENGTH = 300

// Control characters, lone surrogates, line separators, and format characters that are invisible or change the direction.
const UNSAFE_TEXT =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u
// U+200C and U+200D are spelling within words of Arabic and Indic scripts, and within emoji.
const JOINERS =
  /([\ufe0f\u0620-\u0dff\u1000-\u109f\u1780-\u18af\p{Emoji_Modifier}\p{Extended_Pictographic}])[\u200c\u200d](?=[\ufe0f\u0620-\u0dff\u1000-\u109f\u1780-\u18af\p{Emoji_Modifier}\p{Extended_Pictographic}])/gu
// Tag characters, deprecated format characters, annotations, and code points reserved for characters that nothing shows.
const UNSEEN = /[\u2065\u206a-\u206f\ufff0-\ufffb\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u
// The flags of England, Scotland and Wales, the only emoji with tag characters (UTS #51).
const TAGGED_FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu
// More marks on one letter than any language writes. They paint over the lines around them (UTS #39, section 5.4).
const MAX_STACKED_MARKS = 4
const STACKED_MARKS = /[\p{Mn}\p{Me}]+/gu
const MAX_QUOTE_LENGTH = 120
const ICON = /^[a-z0-9-]{0,64}$/

/**
 * Whether a client needs redirect URIs: unless its `grant_types` name only grants that redirect nowhere.
 *
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 */
export function needsRedirects(
  metadata: Members,
  { grants }: Pick<MetadataKind, 'grants'>,
): boolean {
  const types = memberOf(metadata, 'grant_types')
  return (
    !isStringArray(types) ||
    types.includes('authorization_code') ||
    !types.some((type) => grants.includes(type))
  )
}

/** Whether parsed JSON is an array of strings. It may be empty. */
const isStringArray = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/**
 * Decides whether the name and the redirect URIs are well-formed: `redirect_uris` as a list,
 * `client_name`, then each of the URIs. Which URIs and names a client may have is decided for each
 * kind separately.
 *
 * @returns `name`: trimmed, and empty if it is absent or invisible; `redirectUris`: each once
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 */
export function decideNameAndRedirects(
  metadata: Members,
  { where, least, grants }: MetadataKind,
):
  | { readonly ok: true; readonly name: string; readonly redirectUris: readonly string[] }
  | MetadataIssue<'redirect_uris_malformed' | 'name_malformed' | 'redirect_uri_malformed'> {
  const count = least === 0 ? 'at most' : `${least} to`
  const uris = memberOf(metadata, 'redirect_uris') ?? []
  if (
    !isStringArray(uris) ||
    (uris.length < least && needsRedirects(metadata, { grants })) ||
    // Any port of a loopback URI matches, so another port is the same address (RFC 8252 §7.3).
    new Set(uris.map((uri) => uri.replace(PORT, '/'))).size > MAX_REDIRECT_URIS
  )
    return issue(
      'redirect_uris_malformed',
      `redirect_uris${where} must be an array of ${count} ${MAX_REDIRECT_URIS} strings`,
    )
  const name = memberOf(metadata, 'client_name') ?? ''
  if (!isClientName(name) || (least > 0 && isBlank(name)))
    return issue(
      'name_malformed',
      `client_name${where} must be a string of ${count} ${MAX_NAME_LENGTH} printable characters`,
    )
  const malformed = uris.find((uri) => !isRedirectUriText(uri))
  if (malformed !== undefined)
    return issue(
      'redirect_uri_malformed',
      `redirect_uris${where}: ${quote(malformed)} must be an absolute URI without fragment, dot segments and response parameters`,
    )
  return { ok: true, name: isBlank(name) ? '' : name.trim(), redirectUris: [...new Set(uris)] }
}

/**
 * Decides the rules that apply to every client: `grant_types` and `response_types`, if present, must contain
 * `authorization_code` and `code`. A client that redirects nowhere has one of `grants`, and no response type.
 *
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 */
export function decideTypes(
  metadata: Members,
  { where, grants }: MetadataKind,
):
  | { readonly ok: true }
  | MetadataIssue<'grant_types_not_supported' | 'response_types_not_supported'> {
  if (!needsRedirects(metadata, { grants })) return { ok: true }
  if (!offers(memberOf(metadata, 'grant_types'), 'authorization_code'))
    return issue(
      'grant_types_not_supported',
      `grant_types${where} must include ${['authorization_code', ...grants].join(' or ')}`,
    )
  if (!offers(memberOf(metadata, 'response_types'), 'code'))
    return issue('response_types_not_supported', `response_types${where} must include code`)
  return { ok: true }
}

/** Creates a fault in metadata. */
export function issue<Reason extends string>(
  reason: Reason,
  description: string,
): MetadataIssue<Reason> {
  return { ok: false, reason, description }
}

/** Whether a list contains the wanted value. An absent list has it by default (RFC 7591 §2). */
function offers(values: unknown, wanted: string): boolean {
  return values === undefined || (isStringArray(values) && values.includes(wanted))
}

/**
 * Whether a name can be shown to people: short, and without characters that hide or reverse text.
 */
export function isClientName(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value, MAX_NAME_LENGTH)
}

/**
 * Whether a name has no visible character. Default-ignorable characters and the braille blank are
 * invisible too.
 */
export function isBlank(name: string): boolean {
  return !/[^\s\p{DI}\u2800]/u.test(name)
}

/**
 * Whether a text has at most this many UTF-16 code units, no characters that hide or reverse text, and at most
 * four marks on one letter. Joiners are accepted where they are spelling.
 *
 * @see [Unicode Technical Standard 39, section 5.4](https://www.unicode.org/reports/tr39/#Optional_Detection)
 */
export function isPlainText(text: string, maxLength: number): boolean {
  return (
    text.length <= maxLength &&
    !UNSAFE_TEXT.test(text.replace(JOINERS, '$1')) &&
    !hasUnseen(text) &&
    !text
      .normalize('NFD')
      .match(STACKED_MARKS)
      ?.some((marks) => [...marks].length > MAX_STACKED_MARKS)
  )
}

/**
 * Whether a text has characters that nothing shows and no script needs. A model reads them, so they can hold
 * instructions that no person sees.
 */
export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text) && UNSEEN.test(text.replace(TAGGED_FLAGS, ''))
}

/** Whether a text of one or several lines can be shown to people as the description of a client. */
export function isClientDescription(value: unknown): value is string {
  return (
    typeof value === 'string' && isPlainText(value.replace(/\r?\n/g, ' '), MAX_DESCRIPTION_LENGTH)
  )
}

/** Whether a text can be the name of an icon of the host application. */
export function isClientIcon(value: unknown): value is string {
  return typeof value === 'string' && ICON.test(value)
}

/**
 * Returns a URI in the form in which a description may repeat it: short, printable and without
 * quotes.
 */
export function quote(uri: string): string {
  const safe = uri.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?')
  return safe.length > MAX_QUOTE_LENGTH ? `${safe.slice(0, MAX_QUOTE_LENGTH)}...` : safe
}
