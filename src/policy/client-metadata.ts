import { isRedirectUriText } from './redirect-uri.js'

/** The members of a registration request or of a metadata document. */
export type Metadata = Readonly<Record<string, unknown>>

/** What tells registration requests and metadata documents apart where the same is asked of both. */
export interface MetadataKind {
  /** What stands behind the name of a member in a description. */
  readonly where: '' | ' in the document'
  /** Fewest redirect URIs. Where there may be none, there may be no name either. */
  readonly least: 0 | 1
}

/** What is wrong with metadata of either kind. Each kind has an error of its own for it. */
export interface MetadataIssue<Reason extends string> {
  readonly ok: false
  readonly reason: Reason
  readonly description: string
}

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

/**
 * Decides whether name and redirect URIs can be read: `redirect_uris` as a list, `client_name`, then each
 * of the URIs. Which URIs a client may have, and whose name that is, each kind decides by itself.
 *
 * @returns `name`: trimmed; empty where it is absent or shows nothing. `redirectUris`: each once
 * @see RFC 7591 §2
 */
export function decideNameAndRedirects(
  metadata: Metadata,
  { where, least }: MetadataKind,
):
  | { readonly ok: true; readonly name: string; readonly redirectUris: readonly string[] }
  | MetadataIssue<'redirect_uris_malformed' | 'name_malformed' | 'redirect_uri_malformed'> {
  const count = least === 0 ? 'at most' : `${least} to`
  const uris = memberOf(metadata, 'redirect_uris') ?? []
  if (!isStringArray(uris) || uris.length < least || uris.length > MAX_REDIRECT_URIS)
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
      `redirect_uris${where}: ${quote(malformed)} is not an absolute URI without fragment and response parameters`,
    )
  return { ok: true, name: isBlank(name) ? '' : name.trim(), redirectUris: [...new Set(uris)] }
}

/**
 * Decides what else is asked of every client: `grant_types` and `response_types` with
 * `authorization_code` and `code`, where present, and links that are web addresses.
 *
 * @see RFC 7591 §2
 */
export function decideTypesAndLinks(
  metadata: Metadata,
  { where }: MetadataKind,
):
  | { readonly ok: true }
  | MetadataIssue<'grant_types_not_supported' | 'response_types_not_supported' | 'link_malformed'> {
  if (!offers(memberOf(metadata, 'grant_types'), 'authorization_code'))
    return issue('grant_types_not_supported', `grant_types${where} must include authorization_code`)
  if (!offers(memberOf(metadata, 'response_types'), 'code'))
    return issue('response_types_not_supported', `response_types${where} must include code`)
  const link = findMalformedLink(metadata)
  return link === null
    ? { ok: true }
    : issue('link_malformed', `${link}${where} must be an http or https URL`)
}

function issue<Reason extends string>(reason: Reason, description: string): MetadataIssue<Reason> {
  return { ok: false, reason, description }
}

/** Whether a list names what is needed, or is absent and leaves it to the default (RFC 7591 §2). */
function offers(values: unknown, wanted: string): boolean {
  return values === undefined || (isStringArray(values) && values.includes(wanted))
}

/** Whether a name may be shown to people: short, and without characters that hide or turn text around. */
export function isClientName(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value, MAX_NAME_LENGTH)
}

/** Whether a name shows nothing: default-ignorable characters and the braille blank do not either. */
export function isBlank(name: string): boolean {
  return !/[^\s\p{DI}\u2800]/u.test(name)
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
function findMalformedLink(metadata: Metadata): string | null {
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
