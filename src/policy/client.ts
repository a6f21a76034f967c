import type { Audience } from '../scope/scope-registry.js'

/**
 * How a client became known to the site: by registration (`loopback`), by configuration (`vendor`), by a client metadata
 * document (`document`), or by a manager who created it for members (`member`). The client of a service is of the kind
 * `vendor` too. The kind determines the audience, the scopes that the client may request at most, and what the consent page
 * says about it.
 *
 * @group Clients
 */
export type ClientKind = 'loopback' | 'vendor' | 'document' | 'member'

/**
 * How a client authenticates at the token endpoint: not at all (a public client), with its secret in the form
 * (`client_secret_post`), or with an assertion that it signs (`private_key_jwt`). The last needs `privateKeyJwt` from
 * `hallpass/blocks`.
 *
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 *
 * @group Clients
 */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_post' | 'private_key_jwt'

/**
 * A stored client secret. Only its hash is stored.
 *
 * @group Clients
 */
export interface ClientSecret {
  /** SHA-256 of the secret, as 43 base64url characters. */
  readonly hash: string
  /** Epoch seconds from which the secret is no longer valid. `null` if it does not expire. */
  readonly expiresAt: number | null
}

/**
 * A client as the policy functions and the store use it. {@link clientOfVendor} and
 * {@link clientOfDocument} create one from configuration and from a document.
 *
 * @group Clients
 */
export interface Client {
  readonly clientId: string
  readonly kind: ClientKind
  /** The name that people see. */
  readonly name: string
  /** The registered redirect URIs, exactly as they were registered. */
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** The secrets, newest first. There are at most two, so that a rotation can overlap. */
  readonly secrets: readonly ClientSecret[]
  /**
   * The public keys of a client with `private_key_jwt`, as its metadata or a manager names them. Absent or `null` for every
   * other client, and for one whose keys only `keysOf` of the host application knows.
   */
  readonly keys?: {
    /** A JWK Set of 1 to 16 public keys. `null` if the keys are at `jwksUri`. */
    readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
    /** The https URL of a JWK Set. `null` if the keys are in `jwks`. */
    readonly jwksUri: string | null
    /** `token_endpoint_auth_signing_alg`, the only algorithm with which the client signs. `null` if it names none. */
    readonly signingAlg: string | null
  } | null
  /**
   * Whether the client gets only tokens that are bound to its key, so that it never sends one without proof
   * (`dpop_bound_access_tokens`, RFC 9449, section 5.2). It has an effect at a site with `dpop`. Absent for `false`.
   */
  readonly dpopBoundAccessTokens?: boolean
  /**
   * Whether the client pushes every authorization request, so that no one else sends one in its name
   * (`require_pushed_authorization_requests`, RFC 9126, section 6). It has an effect at a server with `pushedRequests`.
   * Absent for `false`.
   */
  readonly requirePushedRequests?: boolean
  /**
   * The scopes that this client may request in addition to the identity scopes. `null` if it may
   * request every scope of its audience. For a client metadata document, these are the write scopes
   * that a reviewer allowed, and `null` means that it is not reviewed.
   */
  readonly scopes: readonly string[] | null
  /**
   * Whether the client is disabled. It keeps its grants, but every request of it is refused until
   * it is enabled.
   */
  readonly disabled: boolean
  /** The reason, if the client is disabled by something other than its own switch. Never stored. */
  readonly disabledBy?: 'member_clients_off' | 'client_ended'
  /**
   * Epoch seconds from which every request of the client is refused. `null` if it has no end. The grants are
   * kept, so that a later end lets the client continue.
   */
  readonly endsAt: number | null
  /** The purpose of the client, in words for people. `null` if no one entered a description. */
  readonly description: string | null
  /**
   * A name by which the host application finds an icon. It is never a URL that a page would load.
   */
  readonly icon: string | null
  /**
   * Links and contacts that the client names itself, and that no one has proved (RFC 7591, section 2). `null` if it names none, as a member client, and until the
   * document of a client that an earlier version of hallpass stored is fetched again.
   */
  readonly about: {
    /** `client_uri`, the page about the client: an http or https URL of at most 2048 characters, or `null`. */
    readonly clientUri: string | null
    /** `policy_uri`, how the client uses personal data. As `clientUri`. */
    readonly policyUri: string | null
    /** `tos_uri`, the terms of the client. As `clientUri`. */
    readonly tosUri: string | null
    /** `logo_uri`, an image. As `clientUri`. Never put it into a page: serve a copy of your own. */
    readonly logoUri: string | null
    /**
     * `contacts`, such as email addresses: at most 5, each of 1 to 256 printable characters. They are for the
     * managers of the site, and for no one else.
     */
    readonly contacts: readonly string[]
  } | null
  /** 1 for a new client, increased by 1 with every change. */
  readonly revision: number
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds of the first completed authorization. `null` if there was none yet. */
  readonly usedAt: number | null
  /**
   * Epoch seconds of the deletion. `null` if the client is not deleted. A deleted client is kept
   * only as a record.
   */
  readonly deletedAt: number | null
  /**
   * The state of the client metadata document, in addition to its content, with times in epoch seconds. `null` for
   * every kind but `document`, and for a pinned document.
   */
  readonly document: {
    readonly firstSeenAt: number
    readonly fetchedAt: number
    /** Until this time the copy is used without fetching the document again. */
    readonly freshUntil: number
    /**
     * The {@link documentDigest} of the copy. It differs if anything that a reviewer saw has changed.
     */
    readonly digest: string
    /** `null` if the document was not reviewed, or has changed since. */
    readonly reviewedAt: number | null
    /** The time at which a change last ended a review. `null` if that never happened. */
    readonly changedAt: number | null
    /** The content that the last review covered. Absent if there was no review. It is kept when a change ends the review. */
    readonly reviewed?: {
      readonly name: string
      readonly redirectUris: readonly string[]
      /** `null` if there were no links, or if an earlier version of hallpass did not keep them. */
      readonly about: Client['about']
    }
  } | null
}

/**
 * The fields that every client needs, together with any others. The rest have defaults.
 *
 * @group Clients
 */
export type ClientFields = Pick<
  Client,
  'clientId' | 'kind' | 'name' | 'redirectUris' | 'createdAt'
> &
  Partial<Omit<Client, 'disabledBy'>>

/**
 * Returns a client with these fields, which must be valid already, and the default of every other
 * field.
 */
export function completeClient(fields: ClientFields): Client {
  return {
    tokenEndpointAuthMethod: 'none',
    secrets: [],
    scopes: null,
    disabled: false,
    endsAt: null,
    description: null,
    icon: null,
    about: null,
    revision: 1,
    usedAt: null,
    deletedAt: null,
    document: null,
    ...fields,
  }
}

/** Whether a client has a client metadata document that no one has reviewed. */
export function isUnreviewed({ kind, scopes }: Pick<Client, 'kind' | 'scopes'>): boolean {
  return kind === 'document' && scopes === null
}

/** Returns the reason with which a disabled client is refused. */
export function disabledReason({
  kind,
  disabledBy,
}: Pick<Client, 'kind' | 'disabledBy'>):
  'client_disabled' | 'client_blocked' | NonNullable<Client['disabledBy']> {
  // A document is never just switched off: a block also revokes its grants.
  return disabledBy ?? (kind === 'document' ? 'client_blocked' : 'client_disabled')
}

/**
 * Returns the audience for which a kind of client acts. A client may only request scopes of this
 * audience, and identity scopes.
 *
 * @param kind - the kind of the client
 * @returns `'member'` for member clients, and `'operator'` for all others
 *
 * @example
 * ```ts
 * import { audienceOf } from 'hallpass/policy'
 *
 * audienceOf('member') // => 'member'
 * audienceOf('loopback') // => 'operator'
 * ```
 *
 * @group Clients
 */
export function audienceOf(kind: ClientKind): Audience {
  return kind === 'member' ? 'member' : 'operator'
}
