import type { Audience } from '../scope/scope-registry.js'

/**
 * How a client came to be known. The kind fixes the client's audience, its widest scopes and how
 * much a person is told about it.
 */
export type ClientKind = 'loopback' | 'vendor' | 'document' | 'member'

/** How a client proves who it is at the token endpoint (RFC 7591 §2). */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_post'

/** One stored client secret. Only its hash is kept. */
export interface ClientSecret {
  /** SHA-256 of the secret, 43 base64url characters. */
  readonly hash: string
  /** Epoch seconds after which the secret no longer counts; `null` = does not expire. */
  readonly expiresAt: number | null
}

/** A client as the policy functions see it. */
export interface Client {
  readonly clientId: string
  readonly kind: ClientKind
  /** The name shown to people. */
  readonly name: string
  /** Registered redirect URIs, raw as registered. */
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** Secrets that count, newest first; at most two, so that a rotation can overlap. */
  readonly secrets: readonly ClientSecret[]
  /**
   * The scopes this client may ask for beside the identity scopes; `null` = everything its audience
   * allows. Of a document: the write scopes that a reviewer allowed; `null` = not reviewed.
   */
  readonly scopes: readonly string[] | null
  /** A disabled client keeps its grants, but nothing works until it is enabled again. */
  readonly disabled: boolean
  /** Why, where it is not its own switch that is off. Never stored. */
  readonly offBy?: 'member_clients_off'
  /** What the client is for, in words for people; `null` = nobody said. */
  readonly description: string | null
  /** The host's own word for a picture. Never an address that a page would load. */
  readonly icon: string | null
  /** 1 for a new client, one more for each change. */
  readonly revision: number
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds of the first completed authorization; `null` = never used. */
  readonly usedAt: number | null
  /** Epoch seconds; `null` = there. What is left of a deleted client is for the record alone. */
  readonly deletedAt: number | null
  /** Where a client of kind `document` has its data from; `null` for every other kind. */
  readonly document: DocumentRecord | null
}

/** What is known of a client ID metadata document beside its content. Times are epoch seconds. */
export interface DocumentRecord {
  readonly firstSeenAt: number
  readonly fetchedAt: number
  /** The copy counts until then without another look. */
  readonly freshUntil: number
  /** As `documentDigest` makes it: another one where what a reviewer looked at has changed. */
  readonly digest: string
  /** `null` = not reviewed, or changed since. */
  readonly reviewedAt: number | null
  /** When it last lost its review by a change; `null` = never. */
  readonly changedAt: number | null
}

/** The fields of a client that have no sensible default, and any other. */
export type ClientFields = Pick<
  Client,
  'clientId' | 'kind' | 'name' | 'redirectUris' | 'createdAt'
> &
  Partial<Omit<Client, 'offBy'>>

/** A client of fields that were judged already, with the default of every other. */
export function completeClient(fields: ClientFields): Client {
  return {
    tokenEndpointAuthMethod: 'none',
    secrets: [],
    scopes: null,
    disabled: false,
    description: null,
    icon: null,
    revision: 1,
    usedAt: null,
    deletedAt: null,
    document: null,
    ...fields,
  }
}

/** Why a client works nowhere now: it is switched off, or every member client is. */
export type DisabledReason = 'client_disabled' | 'member_clients_off'

/** The reason with which a disabled client is refused. */
export function disabledReason({ offBy }: Client): DisabledReason {
  return offBy ?? 'client_disabled'
}

/** The audience that a kind of client acts for. */
export function audienceOf(kind: ClientKind): Audience {
  return kind === 'member' ? 'member' : 'operator'
}
