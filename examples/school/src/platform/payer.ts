import { isSentByPage } from 'hallpass/operations'
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
  /** The account of a known browser, or else the network, for `networkOf` of a site. */
  readonly name: string
}

/** Returns who pays for a request. */
export type PayerOf = (sender: Sender) => Payer

/**
 * Creates the function that returns who pays for a request to one school. A browser in which someone has signed in
 * before pays for itself. A page of another site makes the browsers of its readers send requests, and they share their
 * network with others. So all pages of a network pay together, whatever origin they name. Anyone else pays with their
 * network.
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
    const account = accountOf(headers)
    const name = account === null ? network : `known ${account}`
    // A navigation of a whole window is not of a page, also if it sends a form: a page can do so once.
    const isPage = isSentByPage({ method: 'GET', header: (name) => headers.get(name) }, origin)
    return isPage
      ? { isNetwork: false, key: `${network} pages`, name }
      : { isNetwork: account === null, key: name, name }
  }
