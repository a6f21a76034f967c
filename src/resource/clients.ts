import type { Client } from '../policy/client.js'
import { clientOfVendor, type Vendor } from '../policy/vendor.js'
import type { Store } from '../store/store.js'

// RFC 6749 appendix A.1. Not every store can look for anything else.
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/

/** Finds a client as it is now: a vendor of the configuration, else one of the store. */
export function createClientFinder(
  store: Pick<Store, 'findClient'>,
  vendors: readonly Vendor[],
): (clientId: string) => Promise<Client | null> {
  const known = new Map(vendors.map((vendor) => [vendor.clientId, clientOfVendor(vendor)]))
  return (clientId) => {
    const vendor = known.get(clientId)
    if (vendor !== undefined) return Promise.resolve(vendor)
    return CLIENT_ID.test(clientId) ? store.findClient(clientId) : Promise.resolve(null)
  }
}
