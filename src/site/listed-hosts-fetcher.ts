import { readStream } from '../encoding/read-stream.js'
import { checkOptions, host, list, optional, type Rules, whole } from '../options/check.js'
import { decideDocumentUrl } from '../policy/cimd-document.js'
import type { Fetched, FetchDocument } from './fetch-document.js'

type FetcherOptions = Parameters<typeof createListedHostsFetcher>[0]

/**
 * Creates the function that fetches client ID metadata documents, keys and logos by the global `fetch`, for runtimes
 * without sockets, such as Cloudflare Workers. On Node, use `createDocumentFetcher` from hallpass/node.
 *
 * A `fetch` looks the host name up itself, so nothing can check the address that it connects to. That is why only hosts of
 * a list are fetched: the owner of one of these names decides where it leads. Cloudflare sends no `fetch` to a private
 * network, and neither does workerd as it is configured by default. On another runtime in a network of your own, list
 * only hosts whose owners may reach it.
 *
 * - A URL is refused before any request unless `decideDocumentUrl` accepts it: https, a host of the list, no IP address,
 *   no name of a local network.
 * - One GET without cookies or credentials. A redirect is refused.
 * - The deadline ends the request, and the limit applies to the bytes as they arrive, after any content encoding.
 *
 * It does not limit how many fetches run at the same time: the budgets of the site limit how many begin.
 *
 * @returns a function that resolves to the response, whatever its status, with the body read in full. It
 *   rejects with an `Error` if there is no complete response, or if the response is a redirect. Log that message, but do
 *   not send it to a client
 * @throws OptionsError that lists every mistake in the options, such as an empty `allowedHosts`
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/),
 *   security considerations
 * @group Client metadata documents
 * @example
 * ```ts
 * import { createListedHostsFetcher } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const allowedHosts = ['app.example']
 * const fetchDocument = createListedHostsFetcher({ allowedHosts })
 * const { site } = testSite({ documents: { fetchDocument, allowedHosts } })
 * site.documents?.allowedHosts // => ['app.example']
 *
 * createListedHostsFetcher({ allowedHosts: [] }) // throws OptionsError
 * ```
 */
export function createListedHostsFetcher(options: {
  /**
   * The hosts to fetch from, as in the URL, with the port if it is not 443: those of `documents.allowedHosts`. At least
   * one. A host does not include its subdomains.
   */
  readonly allowedHosts: readonly string[]
  /**
   * Time for one fetch, in milliseconds: an integer from 1 to 60,000. It ends with the last byte of the body.
   * Default: 5000.
   */
  readonly deadlineMilliseconds?: number
  /** Size of the largest body that is accepted, in bytes: an integer from 1 to 60,000. Default: that of each kind. */
  readonly limitBytes?: number
}): FetchDocument {
  const {
    allowedHosts,
    deadlineMilliseconds = 5000,
    limitBytes,
  } = checkOptions<FetcherOptions>('createListedHostsFetcher', options, RULES, mistakesOf)
  const ports = allowedHosts.map((one) => Number(/:(\d+)$/.exec(one)?.[1] ?? 443))
  const policy = { allowedHosts, openRegistration: false, ports }

  return async (clientId, asked) => {
    const decided = decideDocumentUrl({ clientId, policy })
    if (!decided.ok) throw new Error(`nothing is fetched: ${decided.reason}`)
    const signal = AbortSignal.timeout(deadlineMilliseconds)
    const expired = new Promise<never>((_resolve, reject) => {
      const late = new Error(`no complete response within ${deadlineMilliseconds} ms`)
      signal.addEventListener('abort', () => reject(late))
    })
    try {
      return await Promise.race([
        get(decided.url, { ...asked, ...(limitBytes && { limitBytes }), signal }),
        expired,
      ])
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${new URL(decided.url).host}: ${message}`, { cause })
    }
  }
}

const RULES: Rules<FetcherOptions> = {
  allowedHosts: list(host),
  deadlineMilliseconds: optional(whole(1, 60_000)),
  limitBytes: optional(whole(1, 60_000)),
}

const mistakesOf = ({ allowedHosts }: FetcherOptions): readonly string[] =>
  allowedHosts.length === 0
    ? ['allowedHosts must have at least one host: nothing else is fetched']
    : []

/** Statuses for which the Fetch API does not allow a body. */
const BODYLESS: readonly number[] = [204, 205, 304]

async function get(
  url: string,
  { accept, limitBytes, signal }: Fetched & { signal: AbortSignal },
): Promise<Response> {
  // Not `error`, which workerd does not have.
  const response = await fetch(url, {
    redirect: 'manual',
    headers: {
      accept,
      'accept-encoding': 'identity',
      'user-agent': 'hallpass',
    },
    signal,
  })
  const { status, headers } = response
  // 0: some runtimes hide the status of a redirect.
  const isRedirect = status === 0 || (status >= 300 && status < 400 && status !== 304)
  if (isRedirect) {
    await response.body?.cancel()
    throw new Error('the response is a redirect')
  }
  const body = await readStream(response.body, limitBytes)
  if (body === null) throw new Error(`the body is larger than ${limitBytes} bytes`)
  return new Response(BODYLESS.includes(status) ? null : body, { status, headers })
}
