import type { Client } from '../policy/client.js'
import { clientOfPinnedDocument, type PinnedDocument } from '../policy/cimd-lifecycle.js'
import { clientOfVendor, type Vendor } from '../policy/vendor-match.js'
import type { Store } from '../store/store.js'
import { hasEnded } from '../time/seconds.js'

/** A client identifier (RFC 6749, appendix A.1). Not every store can look up other characters. */
export const CLIENT_ID: RegExp = /^[\x20-\x7e]{1,2048}$/

/** The sources of clients other than the store. */
export interface ClientSources {
  readonly vendors: readonly Vendor[]
  readonly pinnedDocuments: readonly PinnedDocument[]
  /** Returns whether member clients may be used now; `null` if they always may. */
  readonly memberClients: (() => boolean | Promise<boolean>) | null
  /** The clock, in epoch seconds. Without it, clients are found as they are stored. */
  readonly now?: () => number
}

/**
 * Creates the function that finds the current state of a client, in the configuration or else in the
 * store. From its end on, a client is found disabled, and so is each member client while the site does not
 * allow them.
 *
 * The function takes what the store has under the identifier, if that was loaded already. Otherwise, with
 * `undefined`, it asks the store.
 */
export function createClientFinder(
  store: Pick<Store, 'findClient'>,
  { vendors, pinnedDocuments, memberClients, now }: ClientSources,
): (clientId: string, stored?: Client | null) => Promise<Client | null> {
  const known = new Map<string, Client>()
  // A vendor takes precedence over a pinned document, because later entries replace earlier ones.
  for (const client of [...pinnedDocuments.map(clientOfPinned), ...vendors.map(clientOfVendor)])
    known.set(client.clientId, client)

  const atEnd = (client: Client): Client =>
    now !== undefined && !client.disabled && hasEnded(client.endsAt, now())
      ? { ...client, disabled: true, disabledBy: 'client_ended' }
      : client

  return async (clientId, stored) => {
    const configured = known.get(clientId)
    if (configured !== undefined) return atEnd(configured)
    if (!CLIENT_ID.test(clientId)) return null
    const client = stored === undefined ? await store.findClient(clientId) : stored
    // Called only for member clients, so that a failure does not affect the others.
    if (client === null) return null
    if (client.kind !== 'member' || memberClients === null || (await memberClients()))
      return atEnd(client)
    return { ...client, disabled: true, disabledBy: 'member_clients_off' }
  }
}

function clientOfPinned(pinned: PinnedDocument): Client {
  const decided = clientOfPinnedDocument(pinned)
  if (!decided.ok)
    throw new TypeError(`pinnedDocuments: ${decided.reason}: ${decided.description ?? ''}`)
  return decided.client
}
