import type { Client, ClientKind } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { ClockMark, KeyRecord, PendingAuthorization, StoredEvent } from './records.js'

/**
 * Stores the clients, authorization requests, codes, grants, tokens and keys of one site. A store is
 * bound to its site: it never finds or changes what another site stored.
 *
 * This is a store with its core and every group. A site needs only the core, {@link StoreWith}, and the groups that you
 * use: {@link StoreGroup}.
 *
 * Every method except {@link Store.purge} and {@link Store.erasePerson} is one step of the protocol and one
 * atomic operation. A method returns its outcome. It throws only when the storage itself fails, and then
 * nothing was changed, or it is unknown whether it was.
 *
 * A method rejects, and changes nothing, if an identifier is not a string: a number, a buffer, a date, `null` or `undefined`.
 * {@link withTextKeys} adds that to a store of your own.
 *
 * A store receives hashes, never a code, token or secret. Its callers decide what has expired, by their own
 * clock, except in {@link Store.purge}. Expired, redeemed, rotated and revoked records are found until
 * they are purged.
 *
 * A method with a parameter `events` keeps them until {@link Store.deleteEvents}, in the same atomic operation as
 * its change. If nothing was changed, it keeps none. An event whose `id` is kept already is not kept twice. TypeScript
 * accepts a method that leaves the parameter out; the contract names it.
 *
 * @group Stores
 */
export interface Store {
  /**
   * The promises of the store that no check can see. `defineSite` refuses a store without them, and one whose reads are
   * those of a replica. A wrapper passes them on: `{ ...store, findClient }`.
   */
  readonly guarantees: {
    /**
     * Until when a change lasts whose method has resolved:
     *
     * - `lost with the process`: it is in the memory of the process;
     * - `survives the process`: it lasts when the process is killed, and a power failure may undo it;
     * - `survives a power failure`: a disk has it;
     * - `survives the computer`: another computer has it too.
     */
    readonly acknowledged:
      | 'lost with the process'
      | 'survives the process'
      | 'survives a power failure'
      | 'survives the computer'
    /**
     * `latest`: a read sees every change that was made before it, by any process. `replica`: it may be older, so that a
     * revoked token is accepted. No site takes such a store.
     */
    readonly reads: 'latest' | 'replica'
    /**
     * The clock that `findClock` reads: `own` if it is another one than that of the process, such as that of a database
     * server. Then a site notices when both disagree.
     */
    readonly clock: 'own' | 'process'
    /** Which processes may use the rows at the same time: `many` on any computers, those of `one computer`, or `one`. */
    readonly processes: 'many' | 'one computer' | 'one'
  }
  /** Returns the client with this identifier, or `null` if it is unknown or deleted. */
  findClient(clientId: string): Promise<Client | null>
  /**
   * Stores a new client.
   *
   * @returns `exists` if the identifier is taken, even by a deleted client; then nothing was changed
   */
  insertClient(client: Client, events?: readonly StoredEvent[]): Promise<'inserted' | 'exists'>
  /**
   * Replaces every field of a stored client except `usedAt`. A client with `deletedAt` is deleted by
   * this call.
   *
   * @param client - with a `revision` one above the stored one. Of several concurrent callers with the
   *   same revision, exactly one receives `replaced`
   * @returns `conflict` if the stored revision is not the one before; `missing` if the client is unknown
   *   or deleted. For both, nothing was changed
   */
  replaceClient(
    client: Client,
    events?: readonly StoredEvent[],
  ): Promise<'replaced' | 'conflict' | 'missing'>
  /** Stores an authorization request until a person decides. */
  savePending(pending: PendingAuthorization): Promise<void>
  /** Returns the pending request with this hash, or `null`. */
  findPending(idHash: string): Promise<PendingAuthorization | null>
  /**
   * Ends a pending request without a code.
   *
   * @param next - a pending request that is stored in its place, all or nothing. Default: none
   * @returns `ended` for exactly one caller; `gone` if the request no longer exists. Then nothing was written
   */
  endPending(
    idHash: string,
    events?: readonly StoredEvent[],
    next?: PendingAuthorization,
  ): Promise<'ended' | 'gone'>

  /** Whether this consent is remembered. The key is opaque: see `consentKey` from `hallpass/policy`. */
  hasConsent(consentKey: string): Promise<boolean>

  /**
   * Ends a pending request with an authorization code, and remembers the consent if a key is passed.
   *
   * @returns `issued` for exactly one caller; `gone` if the pending request no longer exists. Also `gone`, whatever times
   *   the code has, if the person was erased and {@link Store.purge} has not forgotten it yet. Then nothing was written
   */
  issueCode(
    issue: {
      readonly code: AuthorizationCode
      /** The pending request that the code ends; `null` if none was stored (silent authorization). */
      readonly pendingIdHash: string | null
      /** The key under which the consent is remembered; `null` if it is not to be remembered. */
      readonly consentKey: string | null
    },
    events?: readonly StoredEvent[],
  ): Promise<'issued' | 'gone'>
  /** Returns the code with this hash and its client, even if it is redeemed, or `null`. */
  findCode(codeHash: string): Promise<
    | (AuthorizationCode & {
        /** The result of {@link Store.findClient} for `clientId`, as of the same moment. */
        readonly client: Client | null
      })
    | null
  >
  /**
   * Marks a code as redeemed, stores its grant and tokens, all or nothing, and sets `usedAt` of a client
   * that had none.
   *
   * @returns `redeemed` for exactly one caller; `spent` if the code was redeemed before; `missing` if it
   *   is unknown. For the last two, nothing was written
   */
  redeemCode(
    redemption: {
      readonly codeHash: string
      /** Epoch seconds. */
      readonly redeemedAt: number
      readonly grant: Grant
      readonly accessToken: AccessToken
      readonly refreshToken: RefreshToken
    },
    events?: readonly StoredEvent[],
  ): Promise<'redeemed' | 'spent' | 'missing'>

  /** Returns the refresh token with this hash, its grant and its client, even if it is rotated, or `null`. */
  findRefreshToken(tokenHash: string): Promise<{
    readonly refreshToken: RefreshToken
    readonly grant: Grant
    /** Whether the successor of a rotated token was itself rotated; `false` for a current token. */
    readonly successorUsed: boolean
    /** The result of {@link Store.findClient} for the client of the grant, as of the same moment. */
    readonly client: Client | null
  } | null>
  /**
   * Records the rotation of a current refresh token and stores its successor and the new access token,
   * all or nothing. Deletes the salts of earlier rotations that no one can use any more.
   *
   * @returns `rotated` for exactly one caller; `spent` if the token was rotated before; `revoked` if its
   *   grant is revoked; `missing` if it is unknown. For all but `rotated`, nothing was written
   */
  rotateRefreshToken(
    rotation: {
      /** SHA-256 of the refresh token that is rotated. */
      readonly tokenHash: string
      readonly rotation: NonNullable<RefreshToken['rotation']>
      readonly successor: RefreshToken
      readonly accessToken: AccessToken
      /**
       * Epoch seconds. The salts of the grant's earlier rotations until then are deleted. That of the rotation that issued
       * the used token is deleted immediately. The others may be deleted by the day (UTC): by the first rotation of the
       * grant for which this time is on a later day.
       */
      readonly forgetSaltsUntil: number
    },
    events?: readonly StoredEvent[],
  ): Promise<'rotated' | 'spent' | 'revoked' | 'missing'>

  /** Returns the access token with this hash, its grant and its client, or `null`. */
  findAccessToken(tokenHash: string): Promise<{
    readonly accessToken: AccessToken
    readonly grant: Grant
    /** The result of {@link Store.findClient} for the client of the grant, as of the same moment. */
    readonly client: Client | null
  } | null>
  /**
   * Revokes one access token.
   *
   * @param revocation - `revokedAt`: epoch seconds
   * @returns `missing` if the token is unknown or already revoked
   */
  revokeAccessToken(
    revocation: { tokenHash: string; revokedAt: number },
    events?: readonly StoredEvent[],
  ): Promise<'revoked' | 'missing'>
  /**
   * Revokes a grant and with it every token issued for it, including one that a concurrent rotation
   * adds. The first reason is kept.
   *
   * @param revocation - `revokedAt`: epoch seconds; `revokedReason`: in snake_case
   * @returns `missing` if the grant is unknown or already revoked
   */
  revokeGrant(
    revocation: { grantId: string; revokedAt: number; revokedReason: string },
    events?: readonly StoredEvent[],
  ): Promise<'revoked' | 'missing'>

  /** Returns the grants that are neither revoked nor expired, newest first, then by identifier. */
  listGrants(query: {
    /** Whose grants: those of a client, of a person, of both, or by this word those of everyone. */
    readonly of: GrantHolder
    /** The last grant of the page before; `null` for the first page. */
    readonly after: { readonly createdAt: number; readonly grantId: string } | null
    /** The maximum number of grants. */
    readonly limit: number
    /** Epoch seconds: grants that have expired by then are left out. */
    readonly now: number
  }): Promise<readonly GrantSummary[]>
  /** Returns every signing key, oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /**
   * Stores a new signing key.
   *
   * @returns `exists` if the identifier is taken; then nothing was changed
   */
  insertKey(key: KeyRecord): Promise<'inserted' | 'exists'>
  /**
   * Moves a key to its next state, or seals it again in its state. At most one key of a site is `active`.
   *
   * @param move - `key`: every field as it shall be stored; `from`: the state that the stored key must
   *   still have; `sealed`: the `sealedPrivateKey` that it must still have. Default: `null`, which is any
   * @returns `moved` for exactly one caller; `conflict` if the key is not as the move requires, or if it
   *   would be a second `active` key. Then nothing was changed
   */
  moveKey(
    move: { key: KeyRecord; from: KeyRecord['state']; sealed?: string | null },
    events?: readonly StoredEvent[],
  ): Promise<'moved' | 'conflict'>

  /**
   * Deletes rows that are no longer needed, those first that have been due for longest:
   *
   * - pending requests and access tokens that have expired;
   * - codes one day after they expired;
   * - what keeps codes from being issued for an erased person, one day after `erasedAt`. Until then, and until it is
   *   deleted, {@link Store.issueCode} returns `gone`;
   * - grants past their absolute expiry, with their refresh tokens;
   * - rotated refresh tokens past their own expiry, unless the store leaves them until their grant expires;
   * - clients of kind `loopback` that were not used within seven days of their registration;
   * - clients of kind `document` that were not used within seven days of the last fetch, unless they are
   *   reviewed, so that `scopes` is not `null`, or disabled;
   * - events that no one has deleted 30 days after their `at`.
   *
   * Redeemed codes, rotated refresh tokens and revoked grants are kept until then, so that a replay is
   * recognized. The newest refresh token of a grant is kept as long as the grant.
   *
   * A store with a clock of its own deletes nothing that was live a minute ago by that clock, whatever
   * `now` is. Several processes may call it at the same time: none waits for the rows of another.
   *
   * @param purge - `now`: epoch seconds; `limit`: the maximum number of rows of each kind, which keeps one
   *   call short
   * @returns how many rows were deleted, and since when the oldest of those that may be left has been due
   */
  purge(purge: { now: number; limit: number }): Promise<{
    /**
     * How many rows were deleted, each of the list above: a grant with three refresh tokens is four. Rows that only a store
     * itself needs are left out.
     */
    readonly rows: number
    /**
     * Epoch seconds: every row that was due before this time is deleted, and some that became due later may be
     * left, so call `purge` again. `null` if none is left, except those that another process is deleting.
     */
    readonly dueSince: number | null
  }>

  // The group management.
  /** Returns the clients that are not deleted, newest first, then by identifier. */
  listClients(query: {
    readonly kinds: readonly ClientKind[]
    /** A part of the name, compared without regard to case; `null` for any name. */
    readonly search: string | null
    /** The last client of the page before; `null` for the first page. */
    readonly after: { readonly createdAt: number; readonly clientId: string } | null
    /** The maximum number of clients. */
    readonly limit: number
    /** Epoch seconds: grants that have expired by then do not appear in the figures. */
    readonly now: number
  }): Promise<
    readonly {
      readonly client: Client
      /**
       * The number of people with a grant that is neither revoked nor expired. Of more than 100 such grants, at least the
       * newest 100 are counted, so that a page costs by its length.
       */
      readonly people: number
      /** The latest {@link GrantSummary.lastIssuedAt} of the grants that are counted, in epoch seconds; `null` if there is none. */
      readonly lastIssuedAt: number | null
    }[]
  >
  /**
   * Revokes the grants that a client has of one person, including one that a concurrent redemption adds. Deletes
   * codes that are not redeemed yet, and the remembered consents. Where a grant was revoked before, its first
   * reason is kept.
   *
   * @param events - kept even if there was no grant, each with the result as its member `grants`
   * @returns how many grants were revoked
   */
  revokeGrants(
    revocation: {
      readonly clientId: string
      readonly subject: string
      /** Epoch seconds. */
      readonly revokedAt: number
      /** Why the grants are revoked, in snake_case. */
      readonly revokedReason: string
    },
    events?: readonly StoredEvent[],
  ): Promise<number>
  /** Revokes the grants that a client has of all people, as {@link Store.revokeGrants} does those of one. */
  revokeGrantsOfClient(
    revocation: {
      readonly clientId: string
      /** Epoch seconds. */
      readonly revokedAt: number
      /** Why the grants are revoked, in snake_case. */
      readonly revokedReason: string
    },
    events?: readonly StoredEvent[],
  ): Promise<number>

  // The group stepUp.
  /** Returns the grant with this identifier and its client, even if it is revoked, or `null`. */
  findGrant(grantId: string): Promise<{
    readonly grant: Grant
    /** The result of {@link Store.findClient} for the client of the grant, as of the same moment. */
    readonly client: Client | null
  } | null>
  /**
   * Adds scopes to a grant and to its access tokens that are not revoked. A scope that one of them has already is
   * not added twice, and no other field changes. A rotation that runs concurrently may store an access token
   * without them.
   *
   * @param widening - `scopes`: added behind those that the grant has
   * @returns `gone` if the grant is unknown or revoked; then nothing was changed
   */
  widenGrant(
    widening: { grantId: string; scopes: readonly string[] },
    events?: readonly StoredEvent[],
  ): Promise<'widened' | 'gone'>

  // The group outbox.
  /**
   * Returns the events that are kept, in the order in which they were stored. The order of changes that
   * happened at the same time is not determined.
   *
   * @param query - `limit`: the maximum number of events
   */
  listEvents(query: { limit: number }): Promise<readonly StoredEvent[]>
  /** Deletes the events with these identifiers. Those that are not kept are ignored. */
  deleteEvents(ids: readonly string[]): Promise<void>

  // The group clock.
  /** Returns the clock of the storage, and the mark that {@link Store.moveClock} stored. */
  findClock(): Promise<{
    /**
     * The time by the clock of the storage, such as that of a database server, in epoch seconds; `null` if it
     * has no clock but that of the process.
     */
    readonly now: number | null
    /** The stored mark; `null` if there is none. */
    readonly mark: ClockMark | null
  }>
  /**
   * Replaces the mark of the clock.
   *
   * @param move - `from`: the mark that must still be stored, or `null` if there must be none
   * @returns `conflict` if another mark is stored; then nothing was changed
   */
  moveClock(
    move: { from: ClockMark | null; to: ClockMark },
    events?: readonly StoredEvent[],
  ): Promise<'moved' | 'conflict'>

  // The group erasure.
  /**
   * Deletes every row about a person: grants with their tokens, codes, remembered consents, and the pending
   * requests that name the person in `loginHint`. This includes what a concurrent redemption or refresh
   * adds. From then on {@link Store.issueCode} returns `gone` for this person, until {@link Store.purge} forgets it, a day
   * after the last `erasedAt` or later. Events that are kept remain, with `null` in place of the person in `subject` and
   * `actor`.
   *
   * If it throws, a part may be deleted: call it again.
   *
   * @param events - kept even if nothing was deleted, each with the number of grants as its member `grants`
   * @returns how many rows were deleted; each number is 0 for a person about whom nothing is stored
   */
  erasePerson(
    erasure: {
      readonly subject: string
      /** Values of `login_hint` that name the person, compared without regard to case. */
      readonly loginHints: readonly string[]
      /** Epoch seconds. */
      readonly erasedAt: number
    },
    events?: readonly StoredEvent[],
  ): Promise<{
    /** Grants, with all of their tokens, whether they were valid, revoked or expired. */
    readonly grants: number
    /** Authorization codes, redeemed or not. */
    readonly codes: number
    /** Remembered consents. */
    readonly consents: number
    /** Pending requests. */
    readonly pending: number
  }>

  // The group restore.
  /**
   * Revokes the grants of every client and person that were created before a time, for a database that was
   * restored from a backup. Deletes the codes and pending requests that were issued before it, redeemed codes
   * excepted, and every remembered consent. Where a grant was revoked before, its first reason is kept.
   *
   * At most `limit` rows of each kind are changed: call it until every number is 0. Then a redemption that
   * began before the last call is included. That last call keeps the events.
   *
   * @returns how many rows were revoked or deleted
   */
  revokeAllGrants(
    revocation: {
      /** Epoch seconds: what was issued at this time or later remains. A remembered consent has no time. */
      readonly issuedBefore: number
      /** Epoch seconds. */
      readonly revokedAt: number
      /** Why the grants are revoked, in snake_case. */
      readonly revokedReason: string
      /** The maximum number of rows of each kind, which keeps one call short. */
      readonly limit: number
    },
    events?: readonly StoredEvent[],
  ): Promise<{
    /** Grants that were not revoked before, expired ones included. */
    readonly grants: number
    /** Authorization codes that were deleted. */
    readonly codes: number
    /** Remembered consents that were deleted. */
    readonly consents: number
    /** Pending requests that were deleted. */
    readonly pending: number
  }>

  // The group once.
  /**
   * Remembers a key, in one atomic operation. {@link Store.purge} deletes it from `until` on.
   *
   * @param use - `key`: at most 100 characters; `until`: epoch seconds; `claim`: at most 100 characters that only this
   *   use has, with which it can be given back. Default: none, so that it cannot
   * @returns `first` to exactly one caller, and `again` to every other one until the key is given back or purged
   */
  useOnce(use: { key: string; until: number; claim?: string }): Promise<'first' | 'again'>
  /**
   * Forgets a key, so that it may be used again, if it was used with this claim. A use with another claim, or with none,
   * remains, however often and however late this is called.
   */
  giveBack(use: { key: string; claim: string }): Promise<void>
}

/**
 * Whose grants {@link Store.listGrants} returns. No identifier that is absent means all: a member that is there and
 * is not a text is refused.
 *
 * @group Grants and tokens
 */
export type GrantHolder =
  | { readonly clientId: string }
  | { readonly subject: string }
  | { readonly clientId: string; readonly subject: string }
  | 'everyone'

/**
 * A grant with the time of its last use.
 *
 * @group Grants and tokens
 */
export interface GrantSummary {
  readonly grant: Grant
  /**
   * Epoch seconds of the last code exchange or refresh: `issuedAt` of the newest refresh token of the grant, or its
   * `createdAt` if that is later. The time of an access token is of no importance.
   */
  readonly lastIssuedAt: number
}

// Names that only this library uses, for the methods, their parameters and results.
export type StoreMethod = Exclude<keyof Store, 'guarantees'>
export type FoundCode = Found<'findCode'>
export type FoundRefreshToken = Found<'findRefreshToken'>
export type FoundAccessToken = Found<'findAccessToken'>
export type RedeemCode = Parameters<Store['redeemCode']>[0]
export type RotateRefreshToken = Parameters<Store['rotateRefreshToken']>[0]
export type Purged = Found<'purge'>
export type StoreClock = Found<'findClock'>
type Found<Name extends StoreMethod> = NonNullable<Awaited<ReturnType<Store[Name]>>>
