import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether an address belongs to one machine on the public internet. Addresses with any other use are
 * not: private, shared, link-local, loopback, documentation, benchmarking, multicast, reserved, and
 * every IPv6 form that carries an IPv4 address inside.
 *
 * @param address - in its usual form; whatever is not one, or names a network interface as
 *   `fe80::1%eth0` does, is not public
 * @see RFC 6890 and the IANA special-purpose address registries
 */
export function isPublicUnicast(address: string): boolean {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address).range() === 'unicast'
  if (!isIPv6(address) || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  // RFC 4291 §2.4: nothing else has been handed out yet, and new special uses come from the rest.
  return parsed.match(ipaddr.IPv6.parse('2000::'), 3) && parsed.range() === 'unicast'
}
