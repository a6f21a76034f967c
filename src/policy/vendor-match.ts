import { type Client, completeClient } from './client.js'
import { present, type With } from './decision.js'
import { type Lookalikes, readerOf } from './name-spellings.js'

/**
 * A known vendor platform: a client that is defined in the configuration of the site and not in the
 * store.
 *
 * @typeParam Scope - the scope names of the site
 *
 * @group Clients
 */
export interface Vendor<out Scope extends string = string> {
  readonly clientId: string
  /** The name of the vendor. A registration whose `client_name` matches it receives this client. */
  readonly name: string
  /**
   * All redirect URIs of the vendor, at most ten: https, loopback and custom schemes. Not allowed
   * are `http://` on any other host, and schemes that a browser opens itself, such as
   * `javascript:`.
   */
  readonly redirectUris: readonly string[]
  /**
   * The operator scopes that the vendor may request. `null` if it may request all of them. Identity
   * scopes are always allowed.
   */
  readonly scopes: readonly Scope[] | null
  /**
   * The day on which this entry was last compared with the vendor's own documentation, as
   * `YYYY-MM-DD`.
   */
  readonly reviewedOn: string
  /** Links and contacts, which you vouch for. Default: none. */
  readonly about?: NonNullable<Client['about']>
  /** Epoch seconds from which every request of the vendor is refused. Default: no end. */
  readonly endsAt?: number | null
}

/**
 * Returns the form in which vendor names are compared: normalized to NFKC, trimmed, with single
 * spaces, in lower case. Names are compared as a whole, never by prefix.
 *
 * @param name - a name as received
 * @returns the folded name
 */
export function foldName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * Finds the vendor with a name.
 *
 * @param search - `name`: the `client_name` of a registration; `vendors`: those of the site
 * @returns the vendor whose name is equal, in any case and width and with any spaces between words, or `null`
 *
 * @example
 * ```ts
 * import { matchVendor } from 'hallpass/policy'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const notes = { clientId: 'notes', name: 'Acme Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * matchVendor({ name: 'acme notes', vendors: [notes] })?.clientId // => 'notes'
 * matchVendor({ name: 'Acme Notes Pro', vendors: [notes] }) // => null
 * ```
 *
 * @group Clients
 */
export function matchVendor<Known extends Pick<Vendor, 'name'>>({
  name,
  vendors,
}: {
  name: string
  vendors: readonly Known[]
}): Known | null {
  const folded = foldName(name)
  return vendors.find((vendor) => foldName(vendor.name) === folded) ?? null
}

/**
 * Returns the {@link Client} of a vendor: a public client of kind `vendor`, with the default of
 * every field that the vendor does not define.
 *
 * @param vendor - the entry from the configuration
 * @returns the client
 *
 * @example
 * ```ts
 * import { clientOfVendor } from 'hallpass/policy'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * const client = clientOfVendor(vendor)
 * client.kind // => 'vendor'
 * client.tokenEndpointAuthMethod // => 'none'
 * ```
 *
 * @group Clients
 */
export function clientOfVendor(
  vendor: With<Vendor, 'clientId' | 'name' | 'redirectUris' | 'scopes'>,
): Client {
  const { clientId, name, redirectUris, scopes, about = null, endsAt = null } = vendor
  const fields = present({ clientId, name, redirectUris, scopes, about, endsAt })
  return completeClient({ ...fields, kind: 'vendor', createdAt: 0 })
}

/**
 * Whether a person could mistake a name for that of a vendor, or of the site. The comparison ignores diacritics,
 * invisible characters, spaces, punctuation, and words such as "official" or "AI" around the name. It treats
 * look-alikes as the Latin letters that they look like. A character that looks like two of them is both. The result
 * only hides names: {@link matchVendor} decides which client is a vendor's.
 *
 * @param search - `name`: that of a client; `vendors`: those of the site, and itself; `lookalikes`: such as
 *   `LOOKALIKES` from `hallpass/clients`, added to the most frequent letters of Greek and Cyrillic. Default: none
 * @returns `true` if only the vendor may be shown under this name
 * @see [Unicode Technical Standard 39, section 4](https://www.unicode.org/reports/tr39/#Confusable_Detection)
 */
export function resemblesVendor({
  name,
  vendors,
  lookalikes = {},
}: {
  name: string
  vendors: readonly Pick<Vendor, 'name'>[]
  lookalikes?: Lookalikes
}): boolean {
  const isRead = readerOf(name, lookalikes)
  return vendors.some((vendor) => isRead(vendor.name))
}
