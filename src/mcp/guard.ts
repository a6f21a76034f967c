/** Why a request is not answered, whoever sends it. */
export type Guard = (request: {
  /** `Host` as received; `null` = absent. */
  readonly host: string | null
  /** `Origin` as received; `null` = absent, as from everything but a browser. */
  readonly origin: string | null
}) => 'host_not_allowed' | 'origin_not_allowed' | null

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Makes the guard against web pages that have no business here, above all those that reach a server on
 * the reader's own computer by a name that they make resolve to it.
 *
 * @param options - `issuer`: the site's origin; `allowedOrigins`: beside the site's own and this
 *   computer's, `*` = any; `allowedHosts`: by default, on a loopback issuer the names of this computer
 * @see MCP 2025-11-25, transports, security warning
 */
export function createGuard({
  issuer,
  allowedOrigins = [],
  allowedHosts,
}: {
  issuer: string
  allowedOrigins?: readonly string[] | undefined
  allowedHosts?: readonly string[] | undefined
}): Guard {
  const own = new URL(issuer).host
  const hosts = allowedHosts === undefined ? null : new Set(allowedHosts)
  const isLoopback = LOOPBACK_HOST.test(own)
  const origins = new Set([issuer, ...allowedOrigins])
  const mayHost = (host: string): boolean =>
    hosts === null ? !isLoopback || host === own || isAlias(host, own) : hosts.has(host)
  const mayOrigin = (origin: string): boolean =>
    origins.has('*') || origins.has(origin) || LOOPBACK_ORIGIN.test(origin)

  return ({ host, origin }) => {
    if (host !== null && !mayHost(host)) return 'host_not_allowed'
    return origin === null || mayOrigin(origin) ? null : 'origin_not_allowed'
  }
}

/** Another name of this computer, at the same port. */
const isAlias = (host: string, own: string): boolean =>
  LOOPBACK_HOST.test(host) && portOf(host) === portOf(own)

const portOf = (host: string): string => /:(\d{1,5})$/.exec(host)?.[1] ?? '80'
