import { lookup as lookUp } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { FetchDocument } from '../site/fetch-document.js'
import { isPublicUnicast } from './address.js'
import { httpsGet } from './https-get.js'

/**
 * Options of {@link createDocumentFetcher}.
 *
 * @group Client metadata documents
 */
export interface DocumentFetcherOptions {
  /**
   * Time for one fetch, from the name lookup to the last byte of the body, in milliseconds: an integer from
   * 1 to 60,000. Default: 5000.
   */
  readonly deadlineMilliseconds?: number
  /** Size of the largest body that is accepted, in bytes: an integer from 1 to 60,000. Default: 5120. */
  readonly limitBytes?: number
  /** Certificate authorities to trust, in PEM. Default: those that Node trusts. */
  readonly ca?: string | readonly string[]
  /** Returns every IP address of a host name. Default: the resolver of the operating system. */
  readonly lookup?: (host: string) => Promise<readonly string[]>
  /**
   * Opens the TCP connection to an address that is already allowed, for networks that reach the internet
   * through a relay, and for tests. TLS runs over the socket that it returns, and the certificate must
   * match the host name. Default: a direct connection.
   */
  readonly connect?: (to: { address: string; port: number }) => Socket
}

/**
 * Creates the function that fetches client ID metadata documents. It is safe for URLs that an unknown
 * client chose: it does not reach private networks, and it limits time and size.
 *
 * - A host name is looked up once. It is refused if it has no address, or if any of its addresses is not
 *   on the public internet. The connection goes to an address that was checked.
 * - A host that is itself an IP address is always refused.
 * - One GET on a new connection with a verified certificate, without cookies, credentials or referrer.
 *   Redirects are not followed.
 * - The deadline includes the name lookup, and the limit applies to the bytes as they arrive. A response
 *   with a content encoding is refused, because a few bytes could expand to many.
 *
 * At most two addresses are tried, one of each address family if the host has both. The second is used
 * only if the first does not connect, because broken IPv6 is common. More attempts would only help an
 * attacker who probes a network.
 *
 * @returns a function that resolves to the response, whatever its status, with the body read in full. It
 *   rejects with an `Error` if there is no complete response. Log that message, but do not send it to a
 *   client, who could map your network with it.
 * @throws TypeError if an option is unknown or out of range
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/),
 *   security considerations
 * @group Client metadata documents
 * @example
 * ```ts
 * import { createDocumentFetcher } from 'hallpass/node'
 * import { testSite } from 'hallpass/testing'
 *
 * const fetchDocument = createDocumentFetcher({ deadlineMilliseconds: 2000 })
 * const { site } = testSite({ documents: { fetchDocument, allowedHosts: ['app.example'] } })
 * site.documents?.allowedHosts // => ['app.example']
 *
 * createDocumentFetcher({ limitBytes: 0 }) // throws TypeError
 * ```
 */
export function createDocumentFetcher(options: DocumentFetcherOptions = {}): FetchDocument {
  const { deadlineMilliseconds, limitBytes, ca, lookup, connect } = parseOptions(options)
  const patienceMilliseconds = Math.ceil(deadlineMilliseconds / 4)

  return async (url) => {
    const target = new URL(url)
    try {
      return await within(deadlineMilliseconds, async (signal) => {
        const addresses = oneOfEach(await publicAddresses(target.hostname, lookup))
        const route = { addresses, connect, patienceMilliseconds, ca }
        return httpsGet(target, { route, limitBytes, signal })
      })
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${target.host}: ${message}`, { cause })
    }
  }
}

function parseOptions({
  deadlineMilliseconds = 5000,
  limitBytes = 5120,
  ca,
  lookup = lookUpAll,
  connect = ({ address, port }) => connectTcp({ host: address, port }),
  ...unknown
}: DocumentFetcherOptions) {
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw new TypeError(`createDocumentFetcher has no option ${name}`)
  for (const [name, value] of Object.entries({ deadlineMilliseconds, limitBytes }))
    if (!Number.isInteger(value) || value < 1 || value > 60_000)
      throw new TypeError(`${name} must be a whole number from 1 to 60000`)
  return { deadlineMilliseconds, limitBytes, ca, lookup, connect }
}

async function lookUpAll(host: string): Promise<readonly string[]> {
  return (await lookUp(host, { all: true })).map(({ address }) => address)
}

async function publicAddresses(
  host: string,
  lookup: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) throw new Error('the host is an IP address')
  const addresses = await lookup(host)
  if (addresses.length === 0) throw new Error('the host name has no address')
  for (const address of addresses)
    if (!isPublicUnicast(address)) throw new Error(`${address} is not a public unicast address`)
  return addresses
}

/** Returns the first address, and the first one of the other address family, or else the second one. */
function oneOfEach([first, ...rest]: readonly string[]): readonly string[] {
  const second = rest.find((address) => isIP(address) !== isIP(first!)) ?? rest[0]
  return second === undefined ? [first!] : [first!, second]
}

/** Runs a task with a deadline. It aborts the signal and rejects then, even if the task does not stop. */
async function within<Result>(
  milliseconds: number,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const { signal } = controller
  const expired = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
  const timer = setTimeout(
    () => controller.abort(new Error(`no complete response within ${milliseconds} ms`)),
    milliseconds,
  )
  try {
    return await Promise.race([task(signal), expired])
  } finally {
    clearTimeout(timer)
  }
}
