import { lookup as lookUp } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { FetchDocument } from '../site/fetch-document.js'
import { isPublicUnicast } from './address.js'
import { httpsGet } from './https-get.js'

/** Options of {@link createDocumentFetcher}. */
export interface DocumentFetcherOptions {
  /** From sending for the address to the last byte of the body, in milliseconds. 5000 unless given. */
  readonly deadlineMilliseconds?: number
  /** The largest body, in bytes. 5120 unless given. */
  readonly limitBytes?: number
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly ca?: string | readonly string[]
  /** Every address of a name. The resolver of the operating system unless given. */
  readonly lookup?: (host: string) => Promise<readonly string[]>
  /**
   * Opens the TCP connection to an address that has passed the rules: for networks whose way out is a
   * relay, and for tests. Which addresses are allowed is not its business. TLS, checked against the
   * name, is spoken through whatever it returns.
   */
  readonly connect?: (to: { address: string; port: number }) => Socket
}

/**
 * Makes the function that fetches client ID metadata documents, safe for URLs that strangers chose.
 *
 * - A name is looked up once. It is refused when it has no address, or when any of its addresses is
 *   not on the public internet; a host that is itself an IP address is refused always. What was
 *   checked is what is connected to.
 * - One GET on a fresh connection with a checked certificate, without cookies, credentials and
 *   referrer. Redirects are not followed.
 * - The deadline covers everything, name lookup included, and the limit counts bytes as they come in;
 *   an encoded answer is refused, since a few bytes of it could mean many.
 *
 * Of several addresses two are tried, one of each family where there are both, the second only when
 * the first does not connect: IPv6 that leads nowhere is common. More would only help probing.
 *
 * @returns a function that resolves to whatever was answered, with its body read in full. It rejects
 *   with an `Error` whose message is for the operator's log and not for a client, who could map a
 *   network by it.
 * @throws TypeError when an option is unknown or out of range
 * @see draft-ietf-oauth-client-id-metadata-document-02 §6.5 and §6.6
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
  if (addresses.length === 0) throw new Error('the name has no address')
  for (const address of addresses)
    if (!isPublicUnicast(address)) throw new Error(`${address} is not a public unicast address`)
  return addresses
}

/** The first address, and the first of the other family, or else the second. */
function oneOfEach([first, ...rest]: readonly string[]): readonly string[] {
  const second = rest.find((address) => isIP(address) !== isIP(first!)) ?? rest[0]
  return second === undefined ? [first!] : [first!, second]
}

/** Runs a task that has to stop when its signal fires; rejects at that moment even if it goes on. */
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
    () => controller.abort(new Error(`no whole answer within ${milliseconds} ms`)),
    milliseconds,
  )
  try {
    return await Promise.race([task(signal), expired])
  } finally {
    clearTimeout(timer)
  }
}
