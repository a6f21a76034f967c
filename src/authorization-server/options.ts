import type { Person } from '../policy/person.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import type { RefreshPolicies } from '../policy/refresh-policy.js'
import type { KeySource } from '../token/key-ring.js'
import type { ClientView, GrantEnd, Interact } from './interact.js'

/**
 * Options of an authorization server, in addition to its site.
 *
 * @group Configuration
 */
export interface AuthorizationServerOptions<Scope extends string = string> {
  /** The keys that sign ID tokens, such as `createKeyRing(site, { sealingSecret })` from hallpass/token. */
  readonly keys: KeySource
  /** Your sign-in session and your pages. */
  readonly interact: Interact
  /**
   * Returns further claims for the ID token and UserInfo. They cannot override protocol claims or identity
   * claims. Default: none.
   */
  readonly extraClaims?: (question: {
    person: Person
    scopes: readonly string[]
  }) => Readonly<Record<string, unknown>>
  /**
   * Identifiers of the resource servers that may introspect every token of the site. Other confidential
   * clients may introspect only their own. Default: none.
   */
  readonly introspectionClientIds?: readonly string[]
  /**
   * Scopes that the protected resource metadata recommends for a first request. Without a challenge, a client
   * requests exactly these, so each document lists what its readers may request. That of `/mcp` has no
   * member scopes, and that of `/account/graphql` no operator scopes. That of the origin has identity scopes only.
   * A vendor whose own `scopes` lack one of them is refused.
   * Default: the identity scopes of the registry, and its read scopes that are not sensitive.
   */
  readonly baselineScopes?: readonly NoInfer<Scope>[]
  /**
   * Whether an authorization request without `state` is refused. PKCE, which is always required, protects
   * such a request from CSRF as well (RFC 9700, section 2.1). Default: `true`.
   */
  readonly requireState?: boolean
  /**
   * Scopes for a request without `scope`: identity scopes and read scopes. A client gets those that it may
   * request. `null` refuses such a request. RFC 6749, section 3.3, permits both. Default: `null`.
   */
  readonly defaultScopes?: readonly NoInfer<Scope>[] | null
  /**
   * Lifetime of an authorization code, in seconds: an integer from 1 to 600, the maximum that RFC 6749,
   * section 4.1.2, recommends. Default: 60.
   */
  readonly codeSeconds?: number
  /**
   * Lifetime of an access token, in seconds: an integer from 1 to 86,400. A revocation has effect earlier,
   * because gates read the store on every request. Default: 3600.
   */
  readonly accessTokenSeconds?: number
  /**
   * How long a refresh token may remain unused before it expires, in seconds: an integer from 1 to
   * 31,536,000 (365 days). Default: 2,592,000 (30 days).
   */
  readonly refreshIdleSeconds?: number
  /**
   * Lifetime of a grant, however often it is refreshed, in seconds: an integer from 1 to 315,360,000
   * (3650 days). Default: 15,552,000 (180 days).
   */
  readonly grantSeconds?: number
  /**
   * Policies for refresh tokens that are used again, one for each kind of holder. A kind that is left out keeps
   * its default. Default: `confidential` is `REFRESH_POLICY.withSecret` from `hallpass/policy`, `native` is
   * `severalProcesses`, and `public` is `oneHolder`.
   */
  readonly refreshPolicies?: Readonly<Partial<RefreshPolicies>>
  /**
   * How long a person may take to sign in and decide, in seconds: an integer from 30 to 3600. After that the
   * person sees your error page, and must start again at the client. Default: 600.
   */
  readonly interactionSeconds?: number
  /**
   * Returns the ends that the person may choose on the consent page for this client, such as the end of the term.
   * Those that have passed are not offered. Called for the page, and again for its form. Default: none.
   */
  readonly grantEnds?: (question: {
    readonly client: ClientView
    readonly person: Person
  }) => readonly GrantEnd[] | Promise<readonly GrantEnd[]>
  /**
   * Returns the page about an error, an absolute http(s) URI that is sent as `error_uri`. Called once for
   * each error code, at start-up. A site that serves `/auth.md` has a section for each:
   * ``(error) => `${issuer}/auth.md#error-${error}` ``. Default: no `error_uri` is sent.
   */
  readonly errorUri?: (error: OAuthErrorCode) => string
}
