import { type Refusal, refuse } from '../policy/decision.js'

/** Returns why a request is refused before its caller is known, or `null` if it is allowed. */
export type Guard = (request: {
  /** `Host` as received, or `null` if absent. */
  readonly host: string | null
  /** `Origin` as received, or `null` if absent. Usually only browsers send it. */
  readonly origin: string | null
}) => Refusal<'host_not_allowed' | 'origin_not_allowed'> | null

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/**
 * Creates a check of `Host` and `Origin` that blocks DNS rebinding and calls from origins that are not
 * allowed.
 *
 * @param options - `origin`: that of the endpoint; `allowedOrigins`: further origins, where `*` allows any;
 *   `allowedHosts`: without it, a loopback origin accepts only loopback hosts with its port
 * @see [MCP 2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25), transports, security warning
 */
export function createGuard({
  origin: ownOrigin,
  allowedOrigins = [],
  allowedHosts,
}: {
  origin: string
  allowedOrigins?: readonly string[] | undefined
  allowedHosts?: readonly string[] | undefined
}): Guard {
  const own = new URL(ownOrigin).host
  const hosts = allowedHosts === undefined ? null : new Set(allowedHosts)
  const isLoopback = LOOPBACK_HOST.test(own) || /\.localhost(?::|$)/.test(own)
  const origins = new Set([ownOrigin, ...allowedOrigins])
  const mayHost = (host: string): boolean =>
    hosts === null ? !isLoopback || host === own || isAlias(host, own) : hosts.has(host)
  const mayOrigin = (origin: string): boolean =>
    origins.has('*') || origins.has(origin) || LOOPBACK_ORIGIN.test(origin)

  return ({ host, origin }) => {
    if (host !== null && !mayHost(host))
      return refuse(
        'invalid_request',
        'host_not_allowed',
        `the Host ${shown(host)} is not allowed: if your proxy sends it, add it to allowedHosts of createMcpEndpoint, see "Behind a proxy" in docs/do/mcp.md`,
      )
    if (origin === null || mayOrigin(origin)) return null
    return refuse(
      'invalid_request',
      'origin_not_allowed',
      `the Origin ${shown(origin)} is not allowed: if its pages may call, add it to allowedOrigins of createMcpEndpoint, see "Create the endpoint" in docs/do/mcp.md`,
    )
  }
}

/** A value that anyone may have sent, as a text that no terminal, log or page takes for anything else. */
function shown(value: string): string {
  const start = value.slice(0, MAX_SHOWN).replace(/[^\w.:/[\]*-]/g, '?')
  return `"${start}${value.length > MAX_SHOWN ? '...' : ''}"`
}

const MAX_SHOWN = 100

/** Whether a host is another loopback name with the same port. */
const isAlias = (host: string, own: string): boolean =>
  LOOPBACK_HOST.test(host) && portOf(host) === portOf(own)

const portOf = (host: string): string => /:(\d{1,5})$/.exec(host)?.[1] ?? '80'
