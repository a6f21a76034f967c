import { randomBase64url } from '../encoding/random.js'
import {
  decideEdit,
  decideReview,
  decideSecretRotation,
  deleteClient,
  endOldSecret,
  switchClient,
} from './client-changes.js'
import { type Client, completeClient } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Manager } from './manager.js'
import { decideMemberClient, type DraftIssue, type MemberClientDraft } from './member-client.js'
import type { Site } from '../site/site.js'
import { hashToken, newToken } from '../token/opaque.js'
import { type Changed, changeClient, tell, type Told, UNKNOWN } from './change.js'
import { type ClientManagementOptions, configureClientManagement } from './configuration.js'

/** A client after a change that made a secret: the only time that the secret is seen. */
export type ChangedWithSecret = Decision<{
  readonly client: Client
  /** `null` = a public client. */
  readonly clientSecret: string | null
}>

/** A draft that was refused, with everything that is wrong with it. */
export interface DraftRefusal extends Refusal {
  readonly faults: readonly DraftIssue[]
}

/**
 * What the people in charge of a site do with its clients. Each step wants the {@link Manager} that
 * `decideManager` grants. When a step returns `ok`, whatever it took away works no more, anywhere.
 */
export interface ClientManagement {
  /** Makes a member client. The secret of a confidential one is in this answer and nowhere else. */
  create(manager: Manager, draft: MemberClientDraft): Promise<ChangedWithSecret | DraftRefusal>
  /**
   * Changes a member client. What it may no longer ask for has no effect in tokens from then on.
   *
   * @param edit - `revision`: of the client as the manager saw it
   */
  edit(
    manager: Manager,
    edit: { clientId: string; revision: number; draft: MemberClientDraft },
  ): Promise<Changed | DraftRefusal>
  /** Lets a client in no more until it is enabled. What people allowed is kept. */
  disable(manager: Manager, clientId: string): Promise<Changed>
  /** Lets a disabled client in again, with what people allowed. */
  enable(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Gives a confidential client a new secret.
   *
   * @param rotation - `overlapSeconds`: how long the secret before it counts on, 0 to 72 hours
   */
  rotateSecret(
    manager: Manager,
    rotation: { clientId: string; overlapSeconds: number },
  ): Promise<ChangedWithSecret>
  /** Ends the overlap: the newest secret alone counts. */
  endOldSecret(manager: Manager, clientId: string): Promise<Changed>
  /** Ends every grant. The identifier is never given away again. */
  remove(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Ends what people have connected.
   *
   * @param disconnection - `subject`: `null` = everybody
   */
  disconnect(
    manager: Manager,
    disconnection: { clientId: string; subject: string | null },
  ): Promise<Decision<{ readonly grants: number }>>
  /**
   * Allows a document's client to ask for write scopes, none beyond the reviewer's own role.
   *
   * @param review - `digest`: of the document that the reviewer saw; `scopes`: write scopes
   */
  review(
    manager: Manager,
    review: { clientId: string; digest: string; scopes: readonly string[] },
  ): Promise<Changed>
  /** Ends every grant of a document's client and lets it in no more. */
  block(manager: Manager, clientId: string): Promise<Changed>
  /** Lets a blocked client in again, with its review. What was ended stays ended. */
  unblock(manager: Manager, clientId: string): Promise<Changed>
  /** Fetches a document again now, whatever its copy's age. */
  fetchAgain(manager: Manager, clientId: string): Promise<Changed>
}

const IS_A_DOCUMENT = refuse(
  'invalid_request',
  'client_is_a_document',
  'an application that a document describes is blocked and unblocked',
)
const NOT_A_DOCUMENT = refuse(
  'invalid_request',
  'client_not_a_document',
  'this application is not one that a document describes',
)
const MEMBER_CLIENTS_OFF = refuse(
  'access_denied',
  'member_clients_off',
  'applications of members are switched off here',
)

/**
 * The administration of a site's clients.
 *
 * @throws OptionsError - for an unknown option, and for `appSchemes` that are no schemes or belong to the
 *   browser
 */
export function createClientManagement(
  site: Site,
  options: ClientManagementOptions = {},
): ClientManagement {
  const configuration = configureClientManagement(site, options)
  const { store, scopes: registry, roles, now, randomBytes } = configuration
  const { loopbackHosts, appSchemes } = configuration
  const judge = (draft: MemberClientDraft): ReturnType<typeof decideMemberClient> =>
    decideMemberClient({ draft, registry, loopbackHosts, appSchemes })

  const change = (
    manager: Manager,
    clientId: string,
    event: Told,
    decide: (client: Client) => Changed,
  ): Promise<Changed> => changeClient(configuration, { manager, clientId, event, decide })

  const endGrants = (
    clientId: string,
    subject: string | null,
    revokedReason: string,
  ): Promise<number> => store.revokeGrants({ clientId, subject, revokedAt: now(), revokedReason })

  return {
    async create(manager, draft) {
      if (!(await configuration.memberClients())) return MEMBER_CLIENTS_OFF
      const judged = judge(draft)
      if (!judged.ok) return refusedDraft(judged.faults)
      const isConfidential = draft.tokenEndpointAuthMethod === 'client_secret_post'
      const clientSecret = isConfidential ? newToken('clientSecret', randomBytes) : null
      const client = completeClient({
        ...judged.fields,
        clientId: `member_${randomBase64url(randomBytes)}`,
        kind: 'member',
        secrets: clientSecret === null ? [] : [{ hash: hashToken(clientSecret), expiresAt: null }],
        createdAt: now(),
      })
      // 256 random bits do not collide; a store that says so is broken.
      if ((await store.insertClient(client)) === 'exists')
        throw new Error('client identifier is taken')
      tell(configuration, { type: 'oauth.client.created' }, { manager, client })
      return { ok: true, client, clientSecret }
    },

    async edit(manager, { clientId, revision, draft }) {
      const judged = judge(draft)
      if (!judged.ok) return refusedDraft(judged.faults)
      const { fields } = judged
      return change(manager, clientId, { type: 'oauth.client.updated' }, (client) =>
        decideEdit({ client, fields, revision }),
      )
    },

    disable: (manager, clientId) =>
      change(manager, clientId, { type: 'oauth.client.disabled' }, (client) =>
        switched(client, { disabled: true }),
      ),

    enable: (manager, clientId) =>
      change(manager, clientId, { type: 'oauth.client.enabled' }, (client) =>
        switched(client, { disabled: false }),
      ),

    async rotateSecret(manager, { clientId, overlapSeconds }) {
      const clientSecret = newToken('clientSecret', randomBytes)
      const secretHash = hashToken(clientSecret)
      const rotated = await change(
        manager,
        clientId,
        { type: 'oauth.client.secret_rotated' },
        (client) => decideSecretRotation({ client, secretHash, overlapSeconds, now: now() }),
      )
      return rotated.ok ? { ...rotated, clientSecret } : rotated
    },

    endOldSecret: (manager, clientId) =>
      change(manager, clientId, { type: 'oauth.client.old_secret_ended' }, (client) =>
        granted(endOldSecret(client)),
      ),

    async remove(manager, clientId) {
      const removed = await change(manager, clientId, { type: 'oauth.client.deleted' }, (client) =>
        granted(deleteClient(client, { now: now() })),
      )
      if (removed.ok) await endGrants(clientId, null, 'client_deleted')
      return removed
    },

    async disconnect(manager, { clientId, subject }) {
      const client = await configuration.findClient(clientId)
      if (client === null) return UNKNOWN
      const grants = await endGrants(clientId, subject, 'disconnected_by_manager')
      const event = { type: 'oauth.client.disconnected', subject, grants } as const
      tell(configuration, event, { manager, client })
      return { ok: true, grants }
    },

    review: (manager, { clientId, digest, scopes }) =>
      change(manager, clientId, { type: 'oauth.client.cimd.reviewed', scopes }, (client) =>
        decideReview({ client, digest, scopes, reviewer: manager, registry, roles, now: now() }),
      ),

    async block(manager, clientId) {
      // Switched off first: a grant that is on its way finds the client disabled, or is ended below.
      const blocked = await change(
        manager,
        clientId,
        { type: 'oauth.client.cimd.blocked' },
        (client) => decideBlock(client, { disabled: true }),
      )
      if (blocked.ok) await endGrants(clientId, null, 'client_blocked')
      return blocked
    },

    async unblock(manager, clientId) {
      // An approval that was under way when it was blocked may have left a code or a remembered consent.
      const stored = await configuration.findStored(clientId)
      if (stored?.document != null && stored.disabled)
        await endGrants(clientId, null, 'client_blocked')
      return change(manager, clientId, { type: 'oauth.client.cimd.unblocked' }, (client) =>
        decideBlock(client, { disabled: false }),
      )
    },

    async fetchAgain(_manager, clientId) {
      const known = await configuration.findStored(clientId)
      if (known === null) return UNKNOWN
      return known.document === null ? NOT_A_DOCUMENT : configuration.fetchDocument(known)
    },
  }
}

// What happens to the grants of a document is for block and unblock to say.
const switched = (client: Client, to: { disabled: boolean }): Changed =>
  client.document === null ? granted(switchClient(client, to)) : IS_A_DOCUMENT
const granted = (client: Client): Changed => ({ ok: true, client })

function decideBlock(client: Client, state: { disabled: boolean }): Changed {
  return client.document === null ? NOT_A_DOCUMENT : granted(switchClient(client, state))
}

function refusedDraft(faults: readonly DraftIssue[]): DraftRefusal {
  const [first] = faults
  return { ...refuse('invalid_client_metadata', first!.reason, first!.description), faults }
}
