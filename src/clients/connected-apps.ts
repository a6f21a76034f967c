import type { Client } from '../policy/client.js'
import { scopesOfClient } from '../policy/scope-audience.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import type { GrantSummary } from '../store/store.js'

/** What one person has allowed one client, all their grants as one. */
export interface ConnectedApp {
  /** As it is now; a member client of a site that lets none in is disabled. */
  readonly client: Client
  /** Every scope that a grant holds and the client's cap still has, in the order of the registry. */
  readonly scopes: readonly string[]
  /** Epoch seconds of the first grant that is alive. */
  readonly since: number
  /** Epoch seconds of the last token issued. */
  readonly lastIssuedAt: number
}

/** What people have connected, from their own side. */
export interface ConnectedApps {
  /** A person's connections, the last used first. */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Ends everything between a person and a client at once, remembered consents included.
   *
   * @param connection - `clientId`: may be what a form sent; one that nobody knows ends nothing
   * @returns how many grants were alive; 0 = there was nothing to end
   */
  disconnect(connection: { subject: string; clientId: string }): Promise<number>
}

// Whoever has more than this lost count long ago; the newest are listed, and disconnecting ends all.
const MAX_GRANTS = 500

/**
 * The connections of a site's people.
 *
 * @throws OptionsError - for a site that `defineSite` did not make
 */
export function createConnectedApps(site: Site): ConnectedApps {
  checkOwnOptions('connections', site, {}, {})
  const { store, scopes: registry, findClient, now } = site

  return {
    async list(subject) {
      const query = { clientId: null, subject, after: null, limit: MAX_GRANTS, now: now() }
      const all = await store.listGrants(query)
      const clientIds = new Set(all.map(({ grant }) => grant.clientId))
      const connections = await Promise.all(
        [...clientIds].map(async (clientId) => {
          const grants = all.filter(({ grant }) => grant.clientId === clientId)
          const client = await findClient(clientId)
          return client === null ? [] : [connectionOf({ client, grants, registry })]
        }),
      )
      return connections.flat().sort((one, other) => other.lastIssuedAt - one.lastIssuedAt)
    },

    async disconnect({ subject, clientId }) {
      const client = await findClient(clientId)
      if (client === null) return 0
      const at = now()
      const revokedReason = 'disconnected_by_person'
      const grants = await store.revokeGrants({ clientId, subject, revokedAt: at, revokedReason })
      site.onEvent({
        type: 'oauth.client.disconnected',
        at,
        clientId,
        clientName: client.name,
        actor: subject,
        subject,
        grants,
      })
      return grants
    },
  }
}

function connectionOf({
  client,
  grants,
  registry,
}: {
  client: Client
  grants: readonly GrantSummary[]
  registry: ScopeRegistry
}): ConnectedApp {
  const held = new Set(grants.flatMap(({ grant }) => grant.scopes))
  return {
    client,
    scopes: scopesOfClient({ client, registry }).filter((scope) => held.has(scope)),
    since: Math.min(...grants.map(({ grant }) => grant.createdAt)),
    lastIssuedAt: Math.max(...grants.map(({ lastIssuedAt }) => lastIssuedAt)),
  }
}
