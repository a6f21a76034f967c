import dns, { type LookupOptions } from 'node:dns'

type Answer = (error: Error | null, address: unknown, family?: number) => void

/**
 * Lets `fetch` of this process find the names in `localhost`, as browsers do themselves (RFC 6761, section 6.3). Returns a
 * function that undoes it.
 */
export function findLocalhostNames(): () => void {
  const usual = dns.lookup
  const lookup = (host: string, options: LookupOptions, answer: Answer): void => {
    if (!host.endsWith('.localhost')) return usual(host, options, answer as never)
    if (options.all === true) answer(null, [{ address: '127.0.0.1', family: 4 }])
    else answer(null, '127.0.0.1', 4)
  }
  dns.lookup = lookup as unknown as typeof dns.lookup
  return () => {
    dns.lookup = usual
  }
}
