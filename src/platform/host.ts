/** A host name of 253 characters (RFC 1035, section 2.3.4) and a port. */
const MAX_HOST_LENGTH = 259
const HOST =
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*(?::[1-9]\d{0,4})?$/

/**
 * Reads a host as an issuer has it: in lower case, without the default port of https. Nothing else is corrected, so that no
 * two readers of a request find different schools in it.
 *
 * @returns `null` for a host that no issuer has, such as one with a trailing dot, user information or an escape, for several
 *   values, and for an IPv6 address
 * @see [RFC 9110, section 7.2](https://www.rfc-editor.org/rfc/rfc9110#section-7.2)
 */
export function readHost(header: unknown): string | null {
  const host = typeof header === 'string' ? header.toLowerCase() : ''
  return host.length <= MAX_HOST_LENGTH && HOST.test(host) ? host.replace(/:443$/, '') : null
}
