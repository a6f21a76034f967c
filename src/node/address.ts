import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether an address belongs to one machine on the public internet. Every address with another use is
 * not public: private, shared, link-local, loopback, documentation, benchmarking, multicast, reserved, and
 * every IPv6 form that contains an IPv4 address.
 *
 * @param address - an IPv4 or IPv6 address. A text that is not an address, or that names a network
 *   interface such as `fe80::1%eth0`, is not public.
 * @see [RFC 6890](https://www.rfc-editor.org/rfc/rfc6890)
 */
export function isPublicUnicast(address: string): boolean {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address).range() === 'unicast'
  if (!isIPv6(address) || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  // Only 2000::/3 has been assigned so far (RFC 4291 §2.4). New special uses come from the rest.
  return parsed.match(ipaddr.IPv6.parse('2000::'), 3) && parsed.range() === 'unicast'
}
