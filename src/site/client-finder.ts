import type { Client } from '../policy/client.js'
import { clientOfPinnedDocument, type PinnedDocument } from '../policy/cimd-lifecycle.js'
import { clientOfVendor, type Vendor } from '../policy/vendor-match.js'
import type { Store } from '../store/store.js'

/** RFC 6749 appendix A.1. Not every store can look for anything else. */
export const CLIENT_ID: RegExp = /^[\x20-\x7e]{1,2048}$/

/** Where clients come from beside the store. */
export interface ClientSources {
  readonly vendors: readonly Vendor[]
  readonly pinnedDocuments: readonly PinnedDocument[]
  /** Whether the site lets member clients in now; `null` = always. */
  readonly memberClients: (() => boolean | Promise<boolean>) | null
}

/**
 * Finds a client as it is now: one of the configuration, else one of the store. A member client of a
 * site that lets none in is found disabled.
 */
export function createClientFinder(
  store: Pick<Store, 'findClient'>,
  { vendors, pinnedDocuments, memberClients }: ClientSources,
): (clientId: string) => Promise<Client | null> {
  const known = new Map<string, Client>()
  // A vendor wins over a pinned document: the later one stays.
  for (const client of [...pinnedDocuments.map(clientOfPinned), ...vendors.map(clientOfVendor)])
    known.set(client.clientId, client)

  return async (clientId) => {
    const configured = known.get(clientId)
    if (configured !== undefined) return configured
    if (!CLIENT_ID.test(clientId)) return null
    const client = await store.findClient(clientId)
    // Asked for members alone: a switch that fails is no outage for everybody else.
    if (client?.kind !== 'member' || memberClients === null || (await memberClients()))
      return client
    return { ...client, disabled: true, offBy: 'member_clients_off' }
  }
}

function clientOfPinned(pinned: PinnedDocument): Client {
  const decided = clientOfPinnedDocument(pinned)
  if (!decided.ok)
    throw new TypeError(`pinnedDocuments: ${decided.reason}: ${decided.description ?? ''}`)
  return decided.client
}
