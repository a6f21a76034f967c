import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { messageOf } from './sender.js'

/**
 * Returns the network that sent a request, for the option `networkOf` of a site. The request must come from
 * {@link toNodeHandler}.
 *
 * In Express the address is `req.ip`, which follows the setting `trust proxy`. Otherwise it is the address of
 * the connection. Behind a proxy that is the proxy itself, which all people share: read the header that your
 * proxy sets instead, with {@link networkOfAddress}.
 *
 * @returns the network as {@link networkOfAddress} writes it, or `null` for a request of another origin
 * @group HTTP server
 * @example
 * ```ts
 * import { networkOf, toNodeHandler } from 'hallpass/node'
 * import { createServer } from 'node:http'
 * import type { AddressInfo } from 'node:net'
 *
 * const tell = (request: Request) => new Response(networkOf(request))
 * const server = createServer(toNodeHandler(tell, { origin: 'https://school.example' }))
 * await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
 * const { port } = server.address() as AddressInfo
 * await (await fetch(`http://127.0.0.1:${port}/`)).text() // => '127.0.0.1'
 * server.close()
 * ```
 */
export function networkOf(request: Request): string | null {
  const message: (IncomingMessage & { ip?: string }) | undefined = messageOf(request)
  if (message === undefined) return null
  return networkOfAddress(message.ip ?? message.socket.remoteAddress ?? '')
}

/**
 * Returns the network of an address: an IPv4 address itself, and the first 64 bits of an IPv6 address, because
 * one connection can use all addresses that begin with them.
 *
 * @param address - an IPv4 or IPv6 address. An IPv4 address in the form of IPv6 is read as IPv4.
 * @param bits - of an IPv6 address: 48 for what one subscriber may have whole. Default: 64
 * @returns the network in canonical form, or `null` if the text is not an address
 * @group HTTP server
 * @example
 * ```ts
 * import { networkOfAddress } from 'hallpass/node'
 *
 * networkOfAddress('2001:db8:7::1') // => '2001:db8:7::/64'
 * networkOfAddress('2001:db8:7:1::1', 48) // => '2001:db8:7::/48'
 * networkOfAddress('::ffff:203.0.113.7') // => '203.0.113.7'
 * networkOfAddress('unknown') // => null
 * ```
 */
export function networkOfAddress(address: string, bits: 48 | 64 = 64): string | null {
  if (isIP(address) === 0) return null
  const read = ipaddr.parse(address)
  if (!(read instanceof ipaddr.IPv6)) return read.toString()
  if (read.isIPv4MappedAddress()) return read.toIPv4Address().toString()
  const parts = read.parts.map((part, index) => (index < bits / 16 ? part : 0))
  return `${new ipaddr.IPv6(parts).toString()}/${bits}`
}
