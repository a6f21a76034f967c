import {
  type Client,
  clientOfPinnedDocument,
  clientOfVendor,
  type PinnedDocument,
  type Vendor,
} from 'hallpass/policy'
import type { GrantSummary, Store } from 'hallpass/store'
import { MOST_COUNTED } from '../../../pages/words/counted.js'

/** An app of the site. */
export interface Known {
  readonly client: Client
  /** Whether it comes from the configuration. The only possible action is then to disconnect people. */
  readonly isConfigured: boolean
}

/** The use of an app, by the newest of its valid grants. */
interface Use {
  /** At most {@link MOST_COUNTED}. */
  readonly people: number
  /** When the last token was issued, in epoch seconds, or `null`. */
  readonly lastUsedAt: number | null
}

/** Looks up the apps of a site. Those of the configuration take precedence. */
export interface KnownApplications {
  readonly find: (clientId: string) => Promise<Known | null>
  readonly configured: readonly Client[]
  readonly use: (known: Known) => Promise<Use>
  /** Returns at most `limit` valid grants, the newest first. */
  readonly grants: (clientId: string, limit: number) => Promise<readonly GrantSummary[]>
}

// RFC 6749 appendix A.1. Some databases reject queries with other characters.
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/

/** Counts the people who have connected an app, up to {@link MOST_COUNTED}. */
export type PeopleOfApp = (client: Pick<Client, 'clientId'>) => Promise<number>

/** Creates the lookup of the use of an app. */
export const createUseOfApp =
  ({ store, now }: { store: Pick<Store, 'listGrants'>; now: () => number }) =>
  async ({ clientId }: Pick<Client, 'clientId'>): Promise<Use> => {
    const newest = { of: { clientId }, after: null, limit: MOST_COUNTED }
    const grants = await store.listGrants({ ...newest, now: now() })
    return {
      people: new Set(grants.map(({ grant }) => grant.subject)).size,
      lastUsedAt: grants.reduce<number | null>(
        (latest, { lastIssuedAt }) => Math.max(latest ?? 0, lastIssuedAt),
        null,
      ),
    }
  }

/** Creates the lookup of the apps of a site and of their use. */
export function createKnownApplications({
  store,
  vendors,
  pinnedDocuments,
  now,
}: {
  store: Pick<Store, 'findClient' | 'listGrants'>
  vendors: readonly Vendor[]
  pinnedDocuments: readonly PinnedDocument[]
  now: () => number
}): KnownApplications {
  const configured = [
    ...vendors.map(clientOfVendor),
    ...pinnedDocuments.map((pinned) => clientOfPinnedDocument(pinned)).flatMap(grantedClient),
  ]

  const use = createUseOfApp({ store, now })

  return {
    configured,
    async find(clientId) {
      const client = configured.find((one) => one.clientId === clientId)
      if (client !== undefined) return { client, isConfigured: true }
      if (!CLIENT_ID.test(clientId)) return null
      const stored = await store.findClient(clientId)
      return stored === null ? null : { client: stored, isConfigured: false }
    },
    use: ({ client }) => use(client),
    grants: (clientId, limit) =>
      store.listGrants({ of: { clientId }, after: null, limit, now: now() }),
  }
}

// The server has the same configuration, and does not start with a pinned document that is invalid.
const grantedClient = (decided: ReturnType<typeof clientOfPinnedDocument>): readonly Client[] =>
  decided.ok ? [decided.client] : []
