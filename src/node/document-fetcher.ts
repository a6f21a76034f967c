import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { callback, checkOptions, optional, type Rules, simple, whole } from '../options/check.js'
import type { FetchDocument } from '../site/fetch-document.js'
import { isPublicUnicast } from './address.js'
import { httpsGet } from './https-get.js'
import { areNameServers, createLookUp, type LookUp } from './look-up.js'
import { createSlots } from './slots.js'

type FetcherOptions = NonNullable<Parameters<typeof createDocumentFetcher>[0]>

/**
 * Creates the function that fetches client ID metadata documents, keys and logos. It is safe for URLs that an unknown
 * client chose: it does not reach private networks, and it limits time and size.
 *
 * - A host name is looked up once, by A and AAAA. It is refused if it has no address, if any of its
 *   addresses is not on the public internet, or if one of the two questions fails. The connection goes to
 *   an address that was checked.
 * - A host that is itself an IP address is always refused.
 * - One GET on a new connection with a verified certificate, without cookies, credentials or referrer.
 *   Redirects are not followed.
 * - The deadline includes the name lookup, which is then canceled, and the limit applies to the bytes as
 *   they arrive. A response with a content encoding is refused, because a few bytes could expand to many.
 * - At most 16 fetches run at the same time, and 4 of one host. Up to 64 others wait, within their own
 *   deadline. Further ones are refused.
 *
 * At most two addresses are tried, one of each address family if the host has both. The second is used
 * only if the first does not connect, because broken IPv6 is common. More attempts would only help an
 * attacker who probes a network.
 *
 * @returns a function that resolves to the response, whatever its status, with the body read in full. It
 *   rejects with an `Error` if there is no complete response. Log that message, but do not send it to a
 *   client, who could map your network with it.
 * @throws OptionsError that lists every mistake in the options
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
 * createDocumentFetcher({ limitBytes: 0 }) // throws OptionsError
 * ```
 */
export function createDocumentFetcher(
  options: {
    /**
     * Time for one fetch, in milliseconds: an integer from 1 to 60,000. It begins with the call and ends with
     * the last byte of the body, so it includes the wait for other fetches. Default: 5000.
     */
    readonly deadlineMilliseconds?: number
    /** Size of the largest body that is accepted, in bytes: an integer from 1 to 60,000. Default: that of each kind. */
    readonly limitBytes?: number
    /** Certificate authorities to trust, in PEM. Default: those that Node trusts. */
    readonly ca?: string | readonly string[]
    /**
     * The name servers to ask, by their addresses, with a port if it is not 53: `192.0.2.53`,
     * `[2001:db8::53]:5353`. Default: those of the system, which are in `/etc/resolv.conf` on Linux.
     */
    readonly nameServers?: readonly string[]
    /**
     * Returns every IP address of a host name, in place of a question to name servers. It should stop when
     * the signal is aborted: its fetch is one of those that run until it settles. Default: asks
     * `nameServers` for the A and AAAA records. `/etc/hosts` and search domains are not used.
     */
    readonly lookup?: (host: string, signal: AbortSignal) => Promise<readonly string[]>
    /**
     * Opens the TCP connection to an address that is already allowed, for networks that reach the internet
     * through a relay, and for tests. TLS runs over the socket that it returns, and the certificate must
     * match the host name. Default: a direct connection.
     */
    readonly connect?: (to: { address: string; port: number }) => Socket
  } = {},
): FetchDocument {
  const {
    deadlineMilliseconds = 5000,
    limitBytes,
    ca,
    nameServers,
    connect = connectDirectly,
    ...given
  } = checkOptions('createDocumentFetcher', options, RULES, contradictionsOf)
  const patienceMilliseconds = Math.ceil(deadlineMilliseconds / 4)
  const lookup = given.lookup ?? createLookUp({ nameServers, patienceMilliseconds })
  const slotFor = createSlots({ total: 16, perKey: 4, waiting: 64 })

  return async (url, asked) => {
    const target = new URL(url)
    try {
      return await within(deadlineMilliseconds, async (signal) => {
        const free = await slotFor(target.hostname, signal)
        try {
          const addresses = oneOfEach(await publicAddresses(target.hostname, lookup, signal))
          const route = { addresses, connect, patienceMilliseconds, ca }
          return await httpsGet(target, {
            route,
            ...asked,
            ...(limitBytes && { limitBytes }),
            signal,
          })
        } finally {
          free()
        }
      })
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${target.host}: ${message}`, { cause })
    }
  }
}

const connectDirectly: NonNullable<FetcherOptions['connect']> = ({ address, port }) =>
  connectTcp({ host: address, port })

const RULES: Rules<FetcherOptions> = {
  deadlineMilliseconds: optional(whole(1, 60_000)),
  limitBytes: optional(whole(1, 60_000)),
  ca: optional(
    simple('certificates in PEM', (value) =>
      (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'string'),
    ),
  ),
  nameServers: optional(
    simple('IP addresses such as 192.0.2.53 or [2001:db8::53]:5353', areNameServers),
  ),
  lookup: optional(callback('async (host) => addresses')),
  connect: optional(callback('({ address, port }) => socket')),
}

const contradictionsOf = ({ nameServers, lookup }: FetcherOptions): readonly string[] =>
  nameServers !== undefined && lookup !== undefined
    ? ['nameServers has no effect with lookup: leave one of them out']
    : []

async function publicAddresses(
  host: string,
  lookup: LookUp,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) throw new Error('the host is an IP address')
  const addresses = await lookup(host, signal)
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
