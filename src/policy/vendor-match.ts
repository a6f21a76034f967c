import type { ClientAbout } from './client-about.js'
import { type Client, completeClient } from './client.js'

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
  readonly about?: ClientAbout
  /** Epoch seconds from which every request of the vendor is refused. Default: no end. */
  readonly endsAt?: number | null
}

/**
 * Returns the form in which vendor names are compared: normalized to NFKC, trimmed, with single
 * spaces, in lower case. Names are compared as a whole, never by prefix.
 *
 * @param name - a name as received
 * @returns the folded name
 *
 * @example
 * ```ts
 * import { foldName } from 'hallpass/policy'
 *
 * foldName('  Acme   Notes ') // => 'acme notes'
 * foldName('ＡＣＭＥ notes') // => 'acme notes'
 * ```
 *
 * @group Clients
 */
export function foldName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * Finds the vendor with a name.
 *
 * @param search - `name`: the `client_name` of a registration; `vendors`: those of the site
 * @returns the vendor whose name is equal after {@link foldName}, or `null`
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
export function matchVendor({
  name,
  vendors,
}: {
  name: string
  vendors: readonly Vendor[]
}): Vendor | null {
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
export function clientOfVendor(vendor: Vendor): Client {
  const { clientId, name, redirectUris, scopes, about = null, endsAt = null } = vendor
  const fields = { clientId, name, redirectUris, scopes, about, endsAt }
  return completeClient({ ...fields, kind: 'vendor', createdAt: 0 })
}

/**
 * Characters that look like Latin letters, each with the letters that it looks like, such as
 * `{ 'ɑ': 'a' }`.
 *
 * @group Clients
 */
export type Lookalikes = Readonly<Record<string, string>>

// The most frequent look-alikes, which the table of the caller adds to.
const LOOKALIKES: Lookalikes = {
  а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x',
  і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', α: 'a', ε: 'e', ι: 'i', κ: 'k',
  ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ı: 'i', ɡ: 'g', ℓ: 'l', '0': 'o', '1': 'l', '|': 'l',
} // prettier-ignore

// Words that claim to be the vendor, or say nothing. Those that contain others come first.
const EMPTY_WORDS =
  'application app official original real ai client com corp co genuine gmbh inc llc ltd the trusted verified'

/**
 * Whether a person could mistake a name for that of a vendor. The comparison ignores diacritics,
 * invisible characters, spaces, punctuation, and words such as "official" or "AI" around the name.
 * It treats look-alikes as the Latin letters that they look like. The result only hides names:
 * {@link matchVendor} decides which client is a vendor's.
 *
 * @param search - `name`: the name of a client; `vendors`: those of the site; `lookalikes`: such as
 *   `LOOKALIKES` of hallpass, in addition to the most frequent letters of Greek and Cyrillic.
 *   Default: none
 * @returns `true` if only the vendor may be shown under this name
 * @see [Unicode Technical Standard 39, section 4](https://www.unicode.org/reports/tr39/#Confusable_Detection)
 *
 * @example
 * ```ts
 * import { resemblesVendor } from 'hallpass/policy'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const notes = { clientId: 'notes', name: 'Acme Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * resemblesVendor({ name: 'Acme-N\u043etes (official)', vendors: [notes] }) // => true
 * resemblesVendor({ name: 'Acme Calendar', vendors: [notes] }) // => false
 *
 * const lookalikes = { '\u0251': 'a' }
 * resemblesVendor({ name: '\u0251cme Notes', vendors: [notes], lookalikes }) // => true
 * ```
 *
 * @group Clients
 */
export function resemblesVendor({
  name,
  vendors,
  lookalikes = {},
}: {
  name: string
  vendors: readonly Vendor[]
  lookalikes?: Lookalikes
}): boolean {
  // A letter may look like two: the long s is an s, and an f by UTS #39.
  return [{}, lookalikes].some((table) => {
    const fold = (text: string): string => skeletonOf(text, table)
    const skeleton = fold(name)
    const words = EMPTY_WORDS.split(' ').map(fold)
    return vendors.some((vendor) => {
      const own = fold(vendor.name)
      const without = (text: string, word: string): string => text.replaceAll(word, '')
      return skeleton.includes(own) && [own, ...words].reduce(without, skeleton) === ''
    })
  })
}

function skeletonOf(name: string, lookalikes: Lookalikes): string {
  const read = (character: string): string =>
    [lookalikes, LOOKALIKES].find((table) => Object.hasOwn(table, character))?.[character] ??
    character
  // Capitals have look-alikes of their own. Compatibility forms are not always alike: U+03F2 is a c.
  const step = (text: string): string =>
    Array.from(text.normalize('NFC'), read)
      .join('')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
  return step(step(name.replace(/\p{DI}/gu, '')))
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')
    .replaceAll('m', 'rn')
}
