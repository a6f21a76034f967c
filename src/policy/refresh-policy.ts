import type { Client } from './client.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'

/**
 * Rule for a refresh token that is used again. Each time runs from the first use of the token.
 *
 * After all three times, and immediately if all are 0, another use ends the grant.
 *
 * @see [RFC 9700, section 4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)
 * @group Token endpoint
 */
export interface RefreshPolicy {
  /**
   * How long the client gets the successor of the token again while no one has used that successor, in
   * seconds: an integer from 0 to 31,536,000 (365 days). With 0, a lost response cannot be repeated.
   */
  readonly repeatSeconds: number
  /**
   * How long the client gets the newest pair of the grant although the successor was used, in seconds: an
   * integer from 0 to `repeatSeconds`. With 0, the token is stale as soon as its successor is used.
   */
  readonly catchUpSeconds: number
  /**
   * How long a token that gets no pair is refused without any effect on the grant, in seconds: an integer from
   * 0 to 315,360,000 (3650 days).
   */
  readonly forgiveSeconds: number
}

/**
 * A policy for each kind of holder: for who holds the refresh tokens of a client.
 *
 * @group Token endpoint
 */
export interface RefreshPolicies {
  /** A server, which proves with its secret that it is the client. */
  readonly confidential: RefreshPolicy
  /**
   * Programs on a person's computer, which share a token or a copy of it. Their client is public and has a loopback
   * redirect URI.
   */
  readonly native: RefreshPolicy
  /** Any other client without a secret, such as a mobile app or an app in the browser. */
  readonly public: RefreshPolicy
}

const DAY_SECONDS = 86_400
const WHILE_UNUSED = 30 * DAY_SECONDS

/**
 * Policies by name, for `refreshPolicies` of an authorization server.
 *
 * - `strict`: every second use ends the grant.
 * - `lostResponse`: a response is repeated for a minute while its refresh token is unused. Everything else
 *   ends the grant.
 * - `oneHolder`: for 10 minutes, a response is repeated while its refresh token is unused, and processes that refresh
 *   at the same time get the newest pair. Later use of an older token ends the grant.
 * - `severalProcesses`: a response is repeated for 30 days, and processes that share a token catch up for 7 days.
 * - `withSecret`: the same, but later use ends nothing, because only the client has its secret.
 *
 * @example
 * ```ts
 * import { REFRESH_POLICY } from 'hallpass/policy'
 *
 * REFRESH_POLICY.strict // => { repeatSeconds: 0, catchUpSeconds: 0, forgiveSeconds: 0 }
 * REFRESH_POLICY.severalProcesses.catchUpSeconds // => 604800
 * ```
 *
 * @group Token endpoint
 */
export const REFRESH_POLICY: Readonly<
  Record<'strict' | 'lostResponse' | 'oneHolder' | 'severalProcesses' | 'withSecret', RefreshPolicy>
> = {
  strict: { repeatSeconds: 0, catchUpSeconds: 0, forgiveSeconds: 0 },
  lostResponse: { repeatSeconds: 60, catchUpSeconds: 0, forgiveSeconds: 0 },
  oneHolder: { repeatSeconds: 600, catchUpSeconds: 600, forgiveSeconds: 0 },
  severalProcesses: {
    repeatSeconds: WHILE_UNUSED,
    catchUpSeconds: 7 * DAY_SECONDS,
    forgiveSeconds: 0,
  },
  withSecret: {
    repeatSeconds: WHILE_UNUSED,
    catchUpSeconds: 7 * DAY_SECONDS,
    forgiveSeconds: 3650 * DAY_SECONDS,
  },
}

/**
 * The default of `refreshPolicies` of an authorization server.
 */
export const REFRESH_POLICIES: RefreshPolicies = {
  confidential: REFRESH_POLICY.withSecret,
  native: REFRESH_POLICY.severalProcesses,
  public: REFRESH_POLICY.oneHolder,
}

/**
 * Returns who holds the refresh tokens of a client. It depends on how the client authenticates and on its
 * registered redirect URIs.
 *
 * @param client - the client with its registered redirect URIs
 * @param hosts - the host names of loopback redirect URIs. Default: {@link LOOPBACK_HOSTS}
 */
export function refreshHolderOf(
  {
    tokenEndpointAuthMethod,
    redirectUris,
  }: Pick<Client, 'tokenEndpointAuthMethod' | 'redirectUris'>,
  hosts: readonly string[] = LOOPBACK_HOSTS,
): keyof RefreshPolicies {
  if (tokenEndpointAuthMethod !== 'none') return 'confidential'
  return redirectUris.some((uri) => parseLoopbackUri(uri, hosts) !== null) ? 'native' : 'public'
}
