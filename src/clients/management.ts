import { grantsAlone } from '../authorization-server/block.js'
import { randomBase64url } from '../encoding/random.js'
import { ANY, orAbsent, orNull, TEXT, TEXTS } from '../options/wanted.js'
import type { FieldsOf, GivenTo } from '../store/given.js'
import {
  decideEdit,
  decideReview,
  decideSecretRotation,
  deleteClient,
  endClient,
  endOldSecret,
  switchClient,
} from './client-changes.js'
import { type Client, type ClientFields, completeClient } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Members } from '../policy/reading.js'
import type { Manager } from './manager.js'
import { decideMemberClient, type DraftIssue, type MemberClientDraft } from './member-client.js'
import { decideServiceClient } from './service-client.js'
import { refusingOthersOf, type Site } from '../site/site.js'
import type { StoreWith } from '../store/groups.js'
import type { StoredEvent } from '../store/records.js'
import { hashToken, newToken } from '../token/opaque.js'
import { isEpochSeconds } from '../time/seconds.js'
import { announceChange, type Changed, changeClient, type Told, UNKNOWN } from './change.js'
import { type ClientManagementOptions, configureClientManagement } from './configuration.js'

/**
 * The refusal of a draft, with `invalid_client_metadata` and the reason of the first mistake.
 *
 * @group Client management
 */
export interface DraftRefusal extends Refusal {
  /** Every mistake in the draft. */
  readonly faults: readonly DraftIssue[]
}

/**
 * Client management for the managers of a site. Created by {@link createClientManagement}. Every method
 * requires a {@link Manager} from {@link decideManager}, and reports what it did to `onEvent`.
 *
 * Once a method returns `ok`, every endpoint and every gate enforces the change. For an unknown
 * `clientId`, every method returns the refusal `client_unknown`.
 *
 * @group Client management
 */
export interface ClientManagement {
  /**
   * Creates a member client.
   *
   * @returns the client, and for a confidential one its secret; `access_denied` with `member_clients_off`
   *   while the site has member clients switched off; {@link DraftRefusal} for a draft with mistakes
   */
  create(
    manager: Manager,
    draft: MemberClientDraft,
  ): Promise<
    | Decision<{
        readonly client: Client
        /** `null` for a public client. */
        readonly clientSecret: string | null
      }>
    | DraftRefusal
  >
  /**
   * Creates the client of a service, for `clientCredentials` from hallpass/blocks: an operator client with a secret and
   * without redirect URIs, so that no person can sign in with it. Your `serviceOf` says whether it is a service, and
   * with which role.
   *
   * @param draft - `scopes`: operator scopes, within the roles of the manager
   * @returns the client and its secret; {@link DraftRefusal} for a draft with mistakes; `invalid_scope` with
   *   `scope_beyond_reviewer` for a scope that the roles of the manager do not hold
   */
  createService(
    manager: Manager,
    draft: Pick<MemberClientDraft, 'name' | 'description' | 'scopes'>,
  ): Promise<Decision<{ readonly client: Client; readonly clientSecret: string }> | DraftRefusal>
  /**
   * Edits a member client. A scope that is removed is no longer valid in tokens issued before.
   *
   * @param edit - `revision`: of the client as the manager saw it
   * @returns the client, or a refusal of {@link decideEdit}; {@link DraftRefusal} for a draft with mistakes
   */
  edit(
    manager: Manager,
    edit: { clientId: string; revision: number; draft: MemberClientDraft },
  ): Promise<Changed | DraftRefusal>
  /**
   * Disables a client. Its requests are refused until `enable`; grants and consents are kept.
   *
   * @returns the client, or a refusal: `client_is_a_document` if it has a client metadata document; then call `block`
   */
  disable(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Enables a disabled client, with the grants and consents that it has.
   *
   * @returns the client, or a refusal: `client_is_a_document` if it has a client metadata document; then call `unblock`
   */
  enable(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Sets the end of a client, which may be of any kind that is stored. An end in the past ends it immediately.
   * Grants and consents are kept, so a later end lets the client continue with those that have not expired.
   *
   * @param end - `endsAt`: epoch seconds from which every request of the client is refused; `null` for no end
   * @returns the client, or a refusal: `client_end_malformed` if `endsAt` is not in whole epoch seconds
   */
  setEnd(manager: Manager, end: { clientId: string; endsAt: number | null }): Promise<Changed>
  /**
   * Issues a new secret for a confidential client.
   *
   * @param rotation - `overlapSeconds`: how long the previous secret remains valid, an integer from 0 to
   *   259,200 (72 hours)
   * @returns the client and its new secret, or a refusal of {@link decideSecretRotation}
   */
  rotateSecret(
    manager: Manager,
    rotation: { clientId: string; overlapSeconds: number },
  ): Promise<
    Decision<{
      readonly client: Client
      /** `null` for a public client. */
      readonly clientSecret: string | null
    }>
  >
  /** Ends the overlap of a rotation: only the newest secret remains valid. */
  endOldSecret(manager: Manager, clientId: string): Promise<Changed>
  /** Deletes a client and revokes its grants. Its identifier is never reused. */
  remove(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Revokes the grants that a client has of one person, and deletes the remembered consents.
   *
   * @returns how many grants were revoked
   */
  disconnect(
    manager: Manager,
    disconnection: { clientId: string; subject: string },
  ): Promise<Decision<{ readonly grants: number }>>
  /**
   * Revokes the grants that a client has of all people, and deletes the remembered consents.
   *
   * @returns how many grants were revoked
   */
  disconnectEveryone(
    manager: Manager,
    clientId: string,
  ): Promise<Decision<{ readonly grants: number }>>
  /**
   * Reviews a client with a client metadata document: allows it to request write scopes.
   *
   * @param review - `digest`: of the document that the manager saw; `scopes`: the write scopes to allow
   * @returns the client, or a refusal of {@link decideReview}
   */
  review(
    manager: Manager,
    review: { clientId: string; digest: string; scopes: readonly string[] },
  ): Promise<Changed>
  /**
   * Blocks a client with a client metadata document: disables it and revokes its grants.
   *
   * @returns the client, or a refusal: `client_not_a_document` for any other client; then call `disable`
   */
  block(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Unblocks a client. Its review is kept; its grants remain revoked.
   *
   * @returns the client, or a refusal: `client_not_a_document` for any other client; then call `enable`
   */
  unblock(manager: Manager, clientId: string): Promise<Changed>
  /**
   * Fetches a client metadata document now, even if its copy is fresh.
   *
   * @returns the client, or a refusal: `client_not_a_document` for any other client, or a refusal of the fetch
   */
  fetchAgain(manager: Manager, clientId: string): Promise<Changed>
}

const SHOWN = orAbsent(orNull(TEXT))
/** A manager, whom the events name by the subject. */
const MANAGER: FieldsOf<Manager> = {
  subject: TEXT,
  orgId: TEXT,
  roles: TEXTS,
  name: SHOWN,
  email: SHOWN,
  picture: SHOWN,
}
/** The arguments of each method. Drafts, ends and reviews have refusals of their own. */
const MANAGEMENT: GivenTo<ClientManagement> = {
  create: [MANAGER, ANY],
  createService: [MANAGER, ANY],
  edit: [MANAGER, { clientId: TEXT, revision: ANY, draft: ANY }],
  disable: [MANAGER, TEXT],
  enable: [MANAGER, TEXT],
  setEnd: [MANAGER, { clientId: TEXT, endsAt: ANY }],
  rotateSecret: [MANAGER, { clientId: TEXT, overlapSeconds: ANY }],
  endOldSecret: [MANAGER, TEXT],
  remove: [MANAGER, TEXT],
  disconnect: [MANAGER, { clientId: TEXT, subject: TEXT }],
  disconnectEveryone: [MANAGER, TEXT],
  review: [MANAGER, { clientId: TEXT, digest: ANY, scopes: ANY }],
  block: [MANAGER, TEXT],
  unblock: [MANAGER, TEXT],
  fetchAgain: [MANAGER, TEXT],
}

const IS_A_DOCUMENT = refuse(
  'invalid_request',
  'client_is_a_document',
  'an app with a client metadata document is blocked and unblocked, not disabled and enabled',
)
const NOT_A_DOCUMENT = refuse(
  'invalid_request',
  'client_not_a_document',
  'this app has no client metadata document',
)
const END_MALFORMED = refuse(
  'invalid_request',
  'client_end_malformed',
  'the end of an app must be a time in whole epoch seconds, not milliseconds',
)
const KEYS_MISSING: DraftIssue = {
  field: 'keys',
  value: null,
  reason: 'keys_malformed',
  description: 'Enter the address of its public keys, or the keys.',
}
const BEYOND_MANAGER = refuse(
  'invalid_scope',
  'scope_beyond_reviewer',
  'a manager can give a service only scopes that their own roles hold',
)
const MEMBER_CLIENTS_OFF = refuse(
  'access_denied',
  'member_clients_off',
  'apps for members are switched off at this site',
)

/**
 * Creates the client management of a site. Build the pages or tools of managers on it.
 *
 * @param options - `appSchemes`, if redirect URIs may use other schemes than `cursor`, `vscode` and `vscode-insiders`
 * @returns {@link ClientManagement} of the site
 * @throws OptionsError - if the site was not created by `defineSite`, if its store lacks the group `management`, or if
 *   an option is unknown. Each of `appSchemes` must be a valid scheme that is not one of a browser
 * @example
 * ```ts
 * import { createClientManagement, decideManager } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const ines = { subject: 'mem_ines', orgId: site.id, roles: ['owner'], name: 'Ines', email: null, picture: null }
 * const decided = decideManager({ person: ines, table: site.roles })
 * if (!decided.ok) throw new Error(decided.reason)
 *
 * const clients = createClientManagement(site, { appSchemes: ['obsidian'] })
 * const draft = { name: 'Sketch Diary', description: null, icon: null, scopes: ['account:read'] }
 * const created = await clients.create(decided.manager, {
 *   ...draft,
 *   redirectUris: ['obsidian:/callback'],
 *   tokenEndpointAuthMethod: 'client_secret_post',
 * })
 * created.ok && created.client.redirectUris // => ['obsidian:/callback']
 * const disabled = await clients.disable(decided.manager, 'member_unknown')
 * disabled.ok || disabled.reason // => 'client_unknown'
 * createClientManagement(site, { appSchemes: ['https'] }) // throws OptionsError
 * ```
 *
 * @group Client management
 */
export function createClientManagement(
  site: Site<string, StoreWith<'management'>>,
  options: ClientManagementOptions = {},
): ClientManagement {
  const configuration = configureClientManagement(site, options)
  const { store, scopes: registry, roles, now, randomBytes } = configuration
  const { loopbackHosts, appSchemes, documents, clientAuthentication, grants } = configuration
  const mayOmitRedirects = grantsAlone(grants).length > 0
  const keysOf = clientAuthentication.find(({ forServer }) => forServer.keysOf)?.forServer.keysOf
  // A manager who enters an address allows its host. A site without documents fetches nothing.
  const hosts = documents && { ...documents, openRegistration: true }
  const signing = keysOf && ((metadata: Members) => keysOf(metadata, hosts))
  const judge = (draft: MemberClientDraft): ReturnType<typeof decideMemberClient> =>
    decideMemberClient({
      draft,
      registry,
      loopbackHosts,
      appSchemes,
      signing,
      mayOmitRedirects,
    })

  const change = (
    manager: Manager,
    clientId: string,
    event: Told,
    decide: (client: Client) => Changed,
  ): Promise<Changed> => changeClient(configuration, { manager, clientId, event, decide })

  const endGrants = (clientId: string, revokedReason: string): Promise<number> =>
    store.revokeGrantsOfClient({ clientId, revokedAt: now(), revokedReason })

  /** Ends grants of a client for a manager, with an event that names the person, or `null` for all people. */
  async function end(
    manager: Manager,
    { clientId, subject }: { clientId: string; subject: string | null },
    revoke: (
      ended: { revokedAt: number; revokedReason: string },
      events: readonly StoredEvent[],
    ) => Promise<number>,
  ): Promise<Decision<{ readonly grants: number }>> {
    const client = await configuration.findClient(clientId)
    if (client === null) return UNKNOWN
    // The store knows how many there are.
    const event = { type: 'oauth.client.disconnected', subject, grants: 0 } as const
    const { events, tell } = announceChange(configuration, event, { manager, client })
    const revokedReason = 'disconnected_by_manager'
    const grants = await revoke({ revokedAt: now(), revokedReason }, events)
    tell({ grants })
    return { ok: true, grants }
  }

  /** Stores a new client, with the hash of its secret. */
  async function insert(
    manager: Manager,
    fields: Omit<ClientFields, 'clientId' | 'createdAt'> & { readonly prefix: string },
    clientSecret: string | null,
  ): Promise<Client> {
    const { prefix, ...own } = fields
    const client = completeClient({
      ...own,
      clientId: `${prefix}_${randomBase64url(randomBytes)}`,
      secrets: clientSecret === null ? [] : [{ hash: hashToken(clientSecret), expiresAt: null }],
      createdAt: now(),
    })
    const created = { type: 'oauth.client.created' } as const
    const { events, tell } = announceChange(configuration, created, { manager, client })
    // 256 random bits do not collide, so a store that reports a collision is broken.
    if ((await store.insertClient(client, events)) === 'exists')
      throw new Error('client identifier is taken')
    tell()
    return client
  }

  return refusingOthersOf<ClientManagement>(
    'createClientManagement',
    {
      async create(manager, draft) {
        if (!(await configuration.memberClients())) return MEMBER_CLIENTS_OFF
        const judged = judge(draft)
        if (!judged.ok) return refusedDraft(judged.faults)
        const { tokenEndpointAuthMethod: method, keys } = judged.fields
        if (method === 'private_key_jwt' && keys === undefined) return refusedDraft([KEYS_MISSING])
        const isConfidential = draft.tokenEndpointAuthMethod === 'client_secret_post'
        const clientSecret = isConfidential ? newToken('clientSecret', randomBytes) : null
        const fields = { ...judged.fields, kind: 'member', prefix: 'member' } as const
        return { ok: true, client: await insert(manager, fields, clientSecret), clientSecret }
      },

      async createService(manager, draft) {
        const judged = decideServiceClient({ draft, manager, registry, roles })
        if (!judged.ok)
          return judged.faults === 'beyond' ? BEYOND_MANAGER : refusedDraft(judged.faults)
        const clientSecret = newToken('clientSecret', randomBytes)
        const fields = { ...judged.fields, kind: 'vendor', prefix: 'service' } as const
        return { ok: true, client: await insert(manager, fields, clientSecret), clientSecret }
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

      async setEnd(manager, { clientId, endsAt }) {
        if (endsAt !== null && !isEpochSeconds(endsAt)) return END_MALFORMED
        return change(manager, clientId, { type: 'oauth.client.end_set', endsAt }, (client) =>
          granted(endClient(client, { endsAt })),
        )
      },

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
        const removed = await change(
          manager,
          clientId,
          { type: 'oauth.client.deleted' },
          (client) => granted(deleteClient(client, { now: now() })),
        )
        if (removed.ok) await endGrants(clientId, 'client_deleted')
        return removed
      },

      disconnect: (manager, { clientId, subject }) =>
        end(manager, { clientId, subject }, (ended, events) =>
          store.revokeGrants({ clientId, subject, ...ended }, events),
        ),

      disconnectEveryone: (manager, clientId) =>
        end(manager, { clientId, subject: null }, (ended, events) =>
          store.revokeGrantsOfClient({ clientId, ...ended }, events),
        ),

      review: (manager, { clientId, digest, scopes }) =>
        change(manager, clientId, { type: 'oauth.client.cimd.reviewed', scopes }, (client) =>
          decideReview({ client, digest, scopes, reviewer: manager, registry, roles, now: now() }),
        ),

      async block(manager, clientId) {
        // Disabled first: a concurrent authorization is refused, or its grant is revoked below.
        const blocked = await change(
          manager,
          clientId,
          { type: 'oauth.client.cimd.blocked' },
          (client) => decideBlock(client, { disabled: true }),
        )
        if (blocked.ok) await endGrants(clientId, 'client_blocked')
        return blocked
      },

      async unblock(manager, clientId) {
        // An authorization in progress when the client was blocked may have left a code or a consent.
        const stored = await configuration.findStored(clientId)
        if (stored?.document != null && stored.disabled) await endGrants(clientId, 'client_blocked')
        return change(manager, clientId, { type: 'oauth.client.cimd.unblocked' }, (client) =>
          decideBlock(client, { disabled: false }),
        )
      },

      async fetchAgain(_manager, clientId) {
        const known = await configuration.findStored(clientId)
        if (known === null) return UNKNOWN
        return known.document === null ? NOT_A_DOCUMENT : configuration.fetchDocument(known)
      },
    },
    MANAGEMENT,
  )
}

// Clients with a client metadata document are blocked and unblocked, which revokes their grants.
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
