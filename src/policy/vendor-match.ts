import { type Client, completeClient } from './client.js'

/** A known vendor platform: a client that stands in configuration, not in the store. */
export interface Vendor<out Scope extends string = string> {
  readonly clientId: string
  /** Matched against `client_name` of a registration. */
  readonly name: string
  /**
   * The vendor's whole list, at most ten; https, loopback and custom schemes may stand together. No
   * `javascript:` or other scheme that a browser opens by itself, no `http://` beyond loopback.
   */
  readonly redirectUris: readonly string[]
  /** Cap of operator scopes; `null` = every operator scope. Identity scopes are always in. */
  readonly scopes: readonly Scope[] | null
  /** Day on which the entry was last checked against the vendor's own documentation, `YYYY-MM-DD`. */
  readonly reviewedOn: string
}

/**
 * The form in which vendor names are compared: NFKC, trimmed, spaces collapsed, case folded. Names
 * match whole, never by prefix.
 */
export function foldName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The vendor with this name, or `null`. */
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

/** A vendor entry as a {@link Client}. */
export function clientOfVendor(vendor: Vendor): Client {
  const { clientId, name, redirectUris, scopes } = vendor
  return completeClient({ clientId, kind: 'vendor', name, redirectUris, scopes, createdAt: 0 })
}

// Letters of other scripts that look like Latin ones, in lower case.
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x',
  і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', α: 'a', ε: 'e', ι: 'i', κ: 'k',
  ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ı: 'i', ɡ: 'g', ℓ: 'l', '0': 'o', '1': 'l', '|': 'l',
} // prettier-ignore

/**
 * Whether a name could be taken for a vendor's by a person reading it: the same letters once marks,
 * invisible characters, spaces and look-alikes of other scripts are out of the way.
 */
export function resemblesVendor({
  name,
  vendors,
}: {
  name: string
  vendors: readonly Vendor[]
}): boolean {
  const skeleton = skeletonOf(name)
  return vendors.some((vendor) => skeletonOf(vendor.name) === skeleton)
}

function skeletonOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}|]/gu, '')
  return Array.from(plain, (character) => {
    const latin = Object.hasOwn(LOOKALIKES, character) ? LOOKALIKES[character]! : character
    return latin === 'i' ? 'l' : latin
  }).join('')
}
