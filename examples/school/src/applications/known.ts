import {
  type Client,
  clientOfPinnedDocument,
  clientOfVendor,
  type PinnedDocument,
  type Vendor,
} from 'hallpass/policy'
import type { GrantSummary, Store } from 'hallpass/store'

/** An application of the site. */
export interface Known {
  readonly client: Client
  /** It stands in the configuration: people can be disconnected from it, and that is all. */
  readonly isConfigured: boolean
}

/** How an application is used, by grants that count. */
export interface Use {
  readonly people: number
  /** Epoch seconds of the last token; `null` = none. */
  readonly lastUsedAt: number | null
}

/** The applications of a site, those of the configuration first. */
export interface KnownApplications {
  readonly find: (clientId: string) => Promise<Known | null>
  readonly configured: readonly Client[]
  readonly use: (known: Known) => Promise<Use>
  /** Grants that count, newest first, at most as many as asked for. */
  readonly grants: (clientId: string, limit: number) => Promise<readonly GrantSummary[]>
  /** Everybody with a grant that counts of one of these clients, each once. */
  readonly people: (clientIds: readonly string[]) => Promise<ReadonlySet<string>>
}

// RFC 6749 appendix A.1. A database may refuse to look for anything else.
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/
const BATCH = 200

/** Finds the applications of a site and how they are used. */
export function createKnownApplications({
  store,
  vendors,
  pinnedDocuments,
  now,
}: {
  store: Pick<Store, 'findClient' | 'listClients' | 'listGrants'>
  vendors: readonly Vendor[]
  pinnedDocuments: readonly PinnedDocument[]
  now: () => number
}): KnownApplications {
  const configured = [
    ...vendors.map(clientOfVendor),
    ...pinnedDocuments.map((pinned) => clientOfPinnedDocument(pinned)).flatMap(grantedClient),
  ]

  async function allGrants(clientId: string): Promise<readonly GrantSummary[]> {
    const all: GrantSummary[] = []
    for (;;) {
      const last = all.at(-1)?.grant ?? null
      const more = await store.listGrants({
        clientId,
        subject: null,
        after: last,
        limit: BATCH,
        now: now(),
      })
      all.push(...more)
      if (more.length < BATCH) return all
    }
  }

  /** The store counts where it lists, so a client is looked up in the list of its second. */
  async function storedUse({ clientId, kind, createdAt }: Client): Promise<Use> {
    let after = { createdAt, clientId: '' }
    for (;;) {
      const listed = await store.listClients({
        kinds: [kind],
        search: null,
        after,
        limit: BATCH,
        now: now(),
      })
      const found = listed.find(({ client }) => client.clientId === clientId)
      if (found !== undefined) return { people: found.people, lastUsedAt: found.lastIssuedAt }
      const last = listed.at(-1)?.client
      // Deleted in between.
      if (last === undefined || last.createdAt < createdAt) return { people: 0, lastUsedAt: null }
      after = last
    }
  }

  return {
    configured,
    async find(clientId) {
      const client = configured.find((one) => one.clientId === clientId)
      if (client !== undefined) return { client, isConfigured: true }
      if (!CLIENT_ID.test(clientId)) return null
      const stored = await store.findClient(clientId)
      return stored === null ? null : { client: stored, isConfigured: false }
    },
    async use({ client, isConfigured }) {
      if (!isConfigured) return storedUse(client)
      const grants = await allGrants(client.clientId)
      return {
        people: new Set(grants.map(({ grant }) => grant.subject)).size,
        lastUsedAt: grants.reduce<number | null>(
          (latest, { lastIssuedAt }) => Math.max(latest ?? 0, lastIssuedAt),
          null,
        ),
      }
    },
    grants: (clientId, limit) =>
      store.listGrants({ clientId, subject: null, after: null, limit, now: now() }),
    async people(clientIds) {
      const subjects = new Set<string>()
      for (const clientId of clientIds)
        for (const { grant } of await allGrants(clientId)) subjects.add(grant.subject)
      return subjects
    },
  }
}

// The server that has the same configuration has refused to start with a pinned document it cannot use.
const grantedClient = (decided: ReturnType<typeof clientOfPinnedDocument>): readonly Client[] =>
  decided.ok ? [decided.client] : []
