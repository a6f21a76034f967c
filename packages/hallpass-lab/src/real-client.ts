/**
 * The scopes that a client requests at the authorization endpoint.
 *
 * @group Known clients
 */
export type ScopeChoice =
  /** The scopes of the 401 challenge, otherwise those of the protected resource metadata. */
  | 'recommended'
  /** Every scope of the authorization server metadata, even if the challenge names fewer. */
  | 'everything'
  /** No `scope` parameter. */
  | 'nothing'

/**
 * A client metadata document, as its client publishes it.
 *
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 * @group Known clients
 */
export interface PublishedDocument {
  /** The URL of the document, which is also the `client_id`. */
  readonly url: string
  /** The content, as parsed JSON. */
  readonly content: Readonly<Record<string, unknown>>
  /**
   * The members of the authorization server metadata that the client requires before it uses its document.
   * Each must equal the value, or be a list that contains it. Otherwise the client registers.
   */
  readonly usedWhen: Readonly<Record<string, boolean | string>>
  /** A known problem with the document that the client does not cause; `null` if there is none. */
  readonly caution: string | null
}

/**
 * A real client: how it registers and what it sends, according to public sources at a certain time.
 *
 * @group Known clients
 */
export interface RealClient {
  readonly name: string
  /** Day up to which `sources` describe the client, `YYYY-MM-DD`. */
  readonly asOf: string
  /** URLs of the public sources: documentation, source code, published documents and observed requests. */
  readonly sources: readonly string[]
  /**
   * The bodies of its registration requests as parsed JSON: one for each form that was observed, the usual
   * one first. Where the client chooses a random port, the body contains an example. Empty if it does not
   * register, or if that is not public.
   */
  readonly registrations: readonly Readonly<Record<string, unknown>>[]
  /** `null` if the client publishes none. */
  readonly document: PublishedDocument | null
  /** Its authorization request; `null` if that is not public. Then nothing is predicted. */
  readonly authorize: {
    /** The redirect URI that it sends, with the port on which it listens. */
    readonly redirectUri: string
    /** The part of its `resource` parameter after the origin; `null` if it sends none. */
    readonly resource: '' | '/' | '/mcp' | null
    /** Whether it sends `state`. */
    readonly state: boolean
    /** The scopes that it requests, followed by those that it tries after `invalid_scope`. */
    readonly scopes: readonly ScopeChoice[]
    /** The setting with which its users choose the scopes; `null` if there is none. */
    readonly scopeSetting: string | null
  } | null
  /**
   * The names of the form fields that it sends to the token endpoint, without `client_secret`; `null` if they
   * are not public.
   */
  readonly token: {
    readonly exchange: readonly string[]
    readonly refresh: readonly string[]
  } | null
  /** Its way to more scopes after a 403, if a public report says that it ignores the challenge. */
  readonly stepUp?: {
    /** How its users authorize again, as an imperative clause, because the client does not by itself. */
    readonly reconnect: string
    /** The address of the public report. */
    readonly source: string
    /** Month of that report, `YYYY-MM`. */
    readonly asOf: string
  }
  /** Whether it calls from a browser, so that the endpoints must allow its origin (CORS). */
  readonly needsCors: boolean
  /** Other observed behavior, and what is not public, one clause each. */
  readonly notes: readonly string[]
}

/** A client whose authorization request is public. */
export type PublicClient = RealClient & {
  readonly authorize: NonNullable<RealClient['authorize']>
}
