import { isPlainText, issue, type MetadataIssue, type MetadataKind } from './client-metadata.js'
import type { Client } from './client.js'
import { memberOf, type Members } from './reading.js'

/** Links and contacts that a client names about itself. */
export type ClientAbout = NonNullable<Client['about']>

/** The greatest number of contacts of a client. */
export const MAX_CONTACTS = 5
/** The greatest length of a contact, in UTF-16 code units. */
export const MAX_CONTACT_LENGTH = 256
/** The greatest length of a link, in characters. */
const MAX_LINK_LENGTH = 2048

/** The links that are kept, each with its field. A review covers them, and people see them. */
const LINKS = [
  ['client_uri', 'clientUri'],
  ['policy_uri', 'policyUri'],
  ['tos_uri', 'tosUri'],
  ['logo_uri', 'logoUri'],
] as const

/** The name of a link that is kept, as in the metadata of a client. */
export type LinkMember = (typeof LINKS)[number][0]

/**
 * Decides whether the links and the contacts are well-formed. `jwks_uri` must be a link too, and is not kept.
 * Members in other languages, such as `client_uri#de`, are ignored.
 *
 * @returns `about`: the links and contacts; `null` if there are none
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 */
export function decideAbout(
  metadata: Members,
  { where }: MetadataKind,
):
  | { readonly ok: true; readonly about: ClientAbout | null }
  | MetadataIssue<'link_malformed' | 'contacts_malformed'> {
  const linkOf = (member: string): unknown => memberOf(metadata, member) ?? null
  const malformed = [...LINKS.map(([member]) => member), 'jwks_uri'].find((member) => {
    const link = linkOf(member)
    return link !== null && !isWebLink(link)
  })
  if (malformed !== undefined)
    return issue(
      'link_malformed',
      `${malformed}${where} must be an http or https URL of at most ${MAX_LINK_LENGTH} characters, without user name and password`,
    )
  const contacts = memberOf(metadata, 'contacts') ?? []
  if (!areContacts(contacts))
    return issue(
      'contacts_malformed',
      `contacts${where} must be an array of at most ${MAX_CONTACTS} strings of 1 to ${MAX_CONTACT_LENGTH} printable characters`,
    )
  const links = LINKS.map(([member, field]) => [field, linkOf(member)] as const)
  const saysNothing = contacts.length === 0 && links.every(([, link]) => link === null)
  if (saysNothing) return { ok: true, about: null }
  return { ok: true, about: { ...(Object.fromEntries(links) as Links), contacts } }
}

type Links = Omit<ClientAbout, 'contacts'>

/**
 * Whether a value is a link that a page may show: an http or https URL in printable ASCII. User information and
 * backslashes are refused, because with them a URL can look like one of another host.
 */
export function isWebLink(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_LINK_LENGTH &&
    /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(value) &&
    !/^https?:\/\/[^/?#]*@/.test(value) &&
    URL.canParse(value)
  )
}

/** Whether a value is a list of contacts that a page for managers may show. */
export function areContacts(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_CONTACTS &&
    value.every(
      (one) => typeof one === 'string' && one !== '' && isPlainText(one, MAX_CONTACT_LENGTH),
    )
  )
}

/**
 * Returns what a client says of itself as members of its metadata. Absent members are left out.
 *
 * @see [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1)
 */
export function aboutMembers(about: ClientAbout | null): Readonly<Record<string, unknown>> {
  if (about == null) return {}
  const { contacts } = about
  return { ...linkMembers(about), ...(contacts.length > 0 && { contacts }) }
}

/** Returns the links of a client as members of its metadata. Absent links are left out. */
export function linkMembers(
  about: ClientAbout | null,
): Readonly<Partial<Record<LinkMember, string>>> {
  // A store that was written for an earlier version returns clients without this field.
  if (about == null) return {}
  return Object.fromEntries(
    LINKS.map(([member, field]) => [member, about[field]]).filter(([, link]) => link !== null),
  ) as Partial<Record<LinkMember, string>>
}
