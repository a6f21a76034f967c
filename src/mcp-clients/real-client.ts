/** What a client asks for at the authorization endpoint. */
export type ScopeChoice =
  /** What the challenge of the 401 names, else what the protected resource metadata recommends. */
  | 'recommended'
  /** All that the authorization server metadata lists, whatever the challenge says. */
  | 'everything'
  /** No `scope` parameter. */
  | 'nothing'

/** A client ID metadata document, as its client publishes it. */
export interface PublishedDocument {
  readonly url: string
  /** The content, as parsed JSON. */
  readonly content: Readonly<Record<string, unknown>>
  /**
   * What the client looks for in the authorization server metadata before it uses its document
   * rather than the registration endpoint: each member must be the value, or a list that holds it.
   */
  readonly usedWhen: Readonly<Record<string, boolean | string>>
  /** What is known to go wrong with it where the client itself does nothing wrong; `null` = nothing. */
  readonly caution: string | null
}

/** How a real client registers and calls, as far as public sources said at a certain time. */
export interface RealClient {
  readonly name: string
  /** Month in which this was last compared with public sources, `YYYY-MM`. */
  readonly asOf: string
  /**
   * Bodies of its registration requests, as parsed JSON: one for each shape that was seen, the usual
   * one first. Ports chosen at random are an example. Empty = it does not register.
   */
  readonly registrations: readonly Readonly<Record<string, unknown>>[]
  /** `null` = it publishes none. */
  readonly document: PublishedDocument | null
  readonly authorize: {
    /** The redirect URI it really sends, with the port it listens on. */
    readonly redirectUri: string
    /** What follows the origin in its `resource` parameter; `null` = it sends none. */
    readonly resource: '' | '/' | '/mcp' | null
    /** Whether it sends `state`. */
    readonly state: boolean
    /** What it asks for; what it tries after an `invalid_scope` comes behind. */
    readonly scopes: readonly ScopeChoice[]
    /** Where its user can name the scopes; `null` = nowhere. */
    readonly scopeSetting: string | null
  }
  /** Names of the form fields that it sends to the token endpoint, `client_secret` left out. */
  readonly token: {
    readonly exchange: readonly string[]
    readonly refresh: readonly string[]
  }
  /** Whether it calls from a browser, so that the endpoints have to allow other origins. */
  readonly needsCors: boolean
  readonly notes: readonly string[]
}
