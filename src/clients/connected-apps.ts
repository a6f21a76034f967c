import { TEXT } from '../options/wanted.js'
import type { Client } from '../policy/client.js'
import type { GivenTo } from '../store/given.js'
import { scopesOfClient } from '../policy/scope-audience.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import {
  checkGroup,
  checkOwnOptions,
  currentRequestId,
  refusingOthersOf,
  type Site,
} from '../site/site.js'
import type { StoreWith } from '../store/groups.js'
import type { GrantSummary } from '../store/store.js'
import { earliestEnd } from '../time/seconds.js'

/**
 * The access of one client to the data of one person: all grants of the two, combined.
 *
 * @group Connected apps
 */
export interface ConnectedApp {
  /** The client as it is now. While the site has member clients switched off, a member client is disabled. */
  readonly client: Client
  /** The scopes that a grant holds and the client may still use, in the order of the registry. */
  readonly scopes: readonly string[]
  /** Epoch seconds of the oldest grant that is neither revoked nor expired. */
  readonly since: number
  /**
   * Epoch seconds from which the client has no access: the end of the grant that lasts longest, or of the client if
   * that is earlier.
   */
  readonly endsAt: number
  /** Epoch seconds at which a token was last issued. */
  readonly lastIssuedAt: number
}

/**
 * Shows people the apps that they have connected, and disconnects them. Created by
 * {@link createConnectedApps}. Both methods reject an identifier that is not a string with an `OptionsError`: a number, `null`
 * or `undefined` is not a person.
 *
 * @group Connected apps
 */
export interface ConnectedApps {
  /** Returns the connected apps of a person, the most recently used first. */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Ends the access of a client to the data of a person: revokes their grants, and deletes the remembered
   * consents and the codes that are not redeemed yet.
   *
   * @param connection - `clientId`: may be the value of a form field; an unknown one has no effect
   * @returns how many grants were revoked; 0 if there were none
   */
  disconnect(connection: { subject: string; clientId: string }): Promise<number>
}

const CONNECTED: GivenTo<ConnectedApps> = {
  list: [TEXT],
  disconnect: [{ subject: TEXT, clientId: TEXT }],
}

// A person with more grants sees the newest of them; `disconnect` revokes all.
const MAX_GRANTS = 500

/**
 * Creates the list of connected apps that you show to a person who has signed in, and the function that
 * disconnects one of them. Neither requires a role: pass the `subject` of the person's own session.
 *
 * @returns {@link ConnectedApps} of the site
 * @throws OptionsError - if the site was not created by `defineSite`, or its store lacks the group `management`
 * @example
 * ```ts
 * import { createConnectedApps } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * await tokenFor({ subject: 'mem_mei' }, 'account:read')
 *
 * const connectedApps = createConnectedApps(site)
 * const [app] = await connectedApps.list('mem_mei')
 * app?.scopes // => ['account:read']
 * await connectedApps.disconnect({ subject: 'mem_mei', clientId: app!.client.clientId }) // => 1
 * await connectedApps.list('mem_mei') // => []
 * ```
 *
 * @group Connected apps
 */
export function createConnectedApps(site: Site<string, StoreWith<'management'>>): ConnectedApps {
  checkOwnOptions('connected apps', site, {}, {})
  checkGroup('connected apps', site, { needer: 'createConnectedApps', group: 'management' })
  const { store, scopes: registry, findClient, now } = site

  return refusingOthersOf<ConnectedApps>(
    'createConnectedApps',
    {
      async list(subject) {
        const query = { of: { subject }, after: null, limit: MAX_GRANTS, now: now() }
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
        const { events, tell } = site.announce({
          type: 'oauth.client.disconnected',
          at,
          clientId,
          clientName: client.name,
          actor: subject,
          subject,
          // The store knows how many there are.
          grants: 0,
          requestId: currentRequestId(site),
        })
        const revocation = { clientId, subject, revokedAt: at, revokedReason }
        const grants = await store.revokeGrants(revocation, events)
        tell({ grants })
        return grants
      },
    },
    CONNECTED,
  )
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
    endsAt: earliestEnd(Math.max(...grants.map(({ grant }) => grant.expiresAt)), client.endsAt),
    lastIssuedAt: Math.max(...grants.map(({ lastIssuedAt }) => lastIssuedAt)),
  }
}
