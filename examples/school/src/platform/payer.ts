import { networkOf } from './counters.js'

/** The sender of a request, as far as the request shows it. */
export interface Sender {
  /** The client's IP address, or `null` if it is not known. */
  readonly address: string | null
  readonly headers: Pick<Headers, 'get'>
}

/** Who pays for a request. */
interface Payer {
  /** Whether the payer is a network, which many people share, or one of the senders within it. */
  readonly isNetwork: boolean
  readonly key: string
}

/** Returns who pays for a request. */
export type PayerOf = (sender: Sender) => Payer

/**
 * Creates the function that returns who pays for a request to one school. A browser in which someone has signed in
 * before pays for itself. A page of another site pays with its origin, because it makes the browsers of its readers
 * send requests, and they share their network with others. Anyone else pays with their network.
 *
 * @param options - `origin`: of the school. `accountOf`: returns the account of a known browser, or `null`
 */
export const createPayers =
  ({
    origin,
    accountOf,
  }: {
    origin: string
    accountOf: (headers: Sender['headers']) => string | null
  }): PayerOf =>
  ({ address, headers }) => {
    const network = networkOf(address)
    if (isSentByOtherPage(headers, origin))
      return { isNetwork: false, key: `${network} page ${headers.get('origin')?.slice(0, 256)}` }
    const account = accountOf(headers)
    return account === null
      ? { isNetwork: true, key: network }
      : { isNetwork: false, key: `known ${account}` }
  }

/**
 * Whether a page of another site sent a request, but for a navigation of a whole window
 * ([Fetch Metadata](https://www.w3.org/TR/fetch-metadata/)).
 */
function isSentByOtherPage(headers: Sender['headers'], own: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null)
    return !['same-origin', 'none'].includes(site) && headers.get('sec-fetch-dest') !== 'document'
  const origin = headers.get('origin')
  return origin !== null && origin !== own
}
