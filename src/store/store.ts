import type { Client, ClientKind } from '../policy/client.js'
import type {
  AccessToken,
  AuthorizationCode,
  Grant,
  RefreshToken,
  Rotation,
} from '../policy/grant.js'
import type { KeyRecord, SigningKeyState, PendingAuthorization } from './records.js'

/**
 * What the authorization server keeps, for one site. A store is bound to its site: nothing that
 * another site stored is ever found through it.
 *
 * Every method but {@link Store.purge} is one step of the protocol and one atomic operation. Outcomes are returned, never
 * assumed; a method throws only when the storage itself fails, and then nothing was changed. A store
 * sees hashes, never a code, token or secret. It keeps no clock: expiry is decided by its callers,
 * except in {@link Store.purge}.
 */
export interface Store {
  /** The client with this identifier, or `null`. A deleted one is not found. */
  findClient(clientId: string): Promise<Client | null>
  /**
   * Stores a new client. `exists`: the identifier is taken, be it by a deleted client, and nothing
   * was changed.
   */
  insertClient(client: Client): Promise<'inserted' | 'exists'>
  /**
   * Puts a changed client in the place of the stored one, all but `usedAt`. `client.revision` is the
   * stored revision plus one: exactly one of several callers gets `replaced`, the others `conflict`.
   * `missing`: there is no such client, or it is deleted. A client with `deletedAt` is deleted by it.
   */
  replaceClient(client: Client): Promise<'replaced' | 'conflict' | 'missing'>
  /** Clients, newest first, then by identifier; deleted ones are left out. */
  listClients(query: ClientQuery): Promise<readonly ClientSummary[]>

  /** Keeps an authorization request while a person decides. */
  savePending(pending: PendingAuthorization): Promise<void>
  /** The waiting request with this hash, or `null`. */
  findPending(idHash: string): Promise<PendingAuthorization | null>
  /** Ends a waiting request without a code. Exactly one caller gets `ended`. */
  endPending(idHash: string): Promise<'ended' | 'gone'>

  /** Whether this consent is remembered. The key is opaque: see `consentKey` of hallpass/policy. */
  hasConsent(consentKey: string): Promise<boolean>

  /**
   * Ends a waiting request with a code, and remembers the consent where a key is given.
   * Exactly one caller gets `issued`; for `gone` nothing was written.
   */
  issueCode(issue: IssueCode): Promise<'issued' | 'gone'>
  /** The code with this hash, redeemed ones included, or `null`. */
  findCode(codeHash: string): Promise<AuthorizationCode | null>
  /**
   * Marks a code redeemed and stores its grant and tokens, all or nothing, and notes the client as
   * used. Exactly one caller gets `redeemed`; for `spent` and `missing` nothing was written.
   */
  redeemCode(redemption: RedeemCode): Promise<'redeemed' | 'spent' | 'missing'>

  /** The refresh token with this hash, rotated ones included, with its grant; or `null`. */
  findRefreshToken(tokenHash: string): Promise<FoundRefreshToken | null>
  /**
   * Records the rotation of a current refresh token and stores its successor pair, all or nothing.
   * Exactly one caller gets `rotated`. `spent`: it was rotated before. `revoked`: its grant is
   * revoked. `missing`: there is no such token. For all but `rotated` nothing was written.
   */
  rotateRefreshToken(
    rotation: RotateRefreshToken,
  ): Promise<'rotated' | 'spent' | 'revoked' | 'missing'>

  /** The access token with this hash, with its grant; or `null`. */
  findAccessToken(tokenHash: string): Promise<FoundAccessToken | null>
  /** Revokes one access token. `missing` where there is none alive with this hash. */
  revokeAccessToken(revocation: {
    tokenHash: string
    revokedAt: number
  }): Promise<'revoked' | 'missing'>
  /**
   * Revokes a grant and with it every token issued for it, also one that a rotation under way would
   * add. The first reason stands. `missing` where there is none alive with this identifier.
   */
  revokeGrant(revocation: {
    grantId: string
    revokedAt: number
    revokedReason: string
  }): Promise<'revoked' | 'missing'>

  /**
   * Ends everything between a client and one person, or everybody: revokes every grant that is alive,
   * also one that a redemption under way is adding, removes codes that wait for redemption, and
   * forgets remembered consents. The first reason stands.
   *
   * @returns how many grants were revoked
   */
  revokeGrants(revocation: RevokeGrants): Promise<number>
  /** Grants that are neither revoked nor past their expiry, newest first, then by identifier. */
  listGrants(query: GrantQuery): Promise<readonly GrantSummary[]>

  /** Every signing key, oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /** Stores a new key. `exists`: the identifier is taken and nothing was changed. */
  insertKey(key: KeyRecord): Promise<'inserted' | 'exists'>
  /**
   * Moves a key to its next state, if it is still in the state it is moved from; `key` holds every
   * field as it shall be. Exactly one caller gets `moved`; for `conflict` nothing was changed.
   * At most one key is `active`: moving a second one there is a `conflict`.
   */
  moveKey(move: { key: KeyRecord; from: SigningKeyState }): Promise<'moved' | 'conflict'>

  /**
   * Removes rows that can no longer matter: waiting requests and access tokens past their expiry,
   * codes a day past theirs, grants with their refresh tokens past the grant's absolute expiry, and
   * clients that were never used within seven days: those of kind `loopback`, and documents, counted
   * from the last fetch, that nobody has reviewed or disabled. Spent codes, rotated refresh
   * tokens and revoked grants stay until then, so that a replay is known as one.
   *
   * @param purge - `limit`: rows of each kind at most, so that one call stays short
   * @returns how many rows were removed
   */
  purge(purge: { now: number; limit: number }): Promise<number>
}

/** What {@link Store.issueCode} writes. */
export interface IssueCode {
  readonly code: AuthorizationCode
  /** The waiting request that the code answers; `null` = none was kept (silent authorization). */
  readonly pendingIdHash: string | null
  /** `null` = do not remember. */
  readonly consentKey: string | null
}

/** What {@link Store.redeemCode} writes. */
export interface RedeemCode {
  readonly codeHash: string
  /** Epoch seconds. */
  readonly redeemedAt: number
  readonly grant: Grant
  readonly accessToken: AccessToken
  readonly refreshToken: RefreshToken
}

/** What {@link Store.rotateRefreshToken} writes. */
export interface RotateRefreshToken {
  readonly tokenHash: string
  readonly rotation: Rotation
  readonly successor: RefreshToken
  readonly accessToken: AccessToken
}

/** A refresh token with what deciding about it needs. */
export interface FoundRefreshToken {
  readonly refreshToken: RefreshToken
  readonly grant: Grant
  /** Whether the successor of a rotated token was itself rotated; `false` for a current token. */
  readonly successorUsed: boolean
}

/** An access token with its grant. */
export interface FoundAccessToken {
  readonly accessToken: AccessToken
  readonly grant: Grant
}

/** Which clients {@link Store.listClients} gives. */
export interface ClientQuery {
  readonly kinds: readonly ClientKind[]
  /** Part of the name, whatever its case; `null` = any name. */
  readonly search: string | null
  /** The client after which to go on; `null` = from the first. */
  readonly after: { readonly createdAt: number; readonly clientId: string } | null
  readonly limit: number
  /** Epoch seconds: grants past their expiry then are not counted. */
  readonly now: number
}

/** A client with how it is used. */
export interface ClientSummary {
  readonly client: Client
  /** How many people have a grant that is alive. */
  readonly people: number
  /** Epoch seconds of the last token it got by a grant that is alive; `null` = none. */
  readonly lastIssuedAt: number | null
}

/** Which grants {@link Store.listGrants} gives. */
export interface GrantQuery {
  /** `null` = of every client. */
  readonly clientId: string | null
  /** `null` = of everybody. */
  readonly subject: string | null
  /** The grant after which to go on; `null` = from the first. */
  readonly after: { readonly createdAt: number; readonly grantId: string } | null
  readonly limit: number
  /** Epoch seconds. */
  readonly now: number
}

/** A grant with when it was last used. */
export interface GrantSummary {
  readonly grant: Grant
  /** Epoch seconds of the last token issued by it. */
  readonly lastIssuedAt: number
}

/** What {@link Store.revokeGrants} ends. */
export interface RevokeGrants {
  readonly clientId: string
  /** `null` = everybody. */
  readonly subject: string | null
  /** Epoch seconds. */
  readonly revokedAt: number
  readonly revokedReason: string
}
