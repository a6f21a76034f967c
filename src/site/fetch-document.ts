import type { DocumentUrl } from '../policy/cimd-document.js'

/**
 * Fetches a client ID metadata document with one request, without following redirects. It resolves to the
 * response, whatever its status, and rejects if there is none. The message of that error appears only in
 * the log of the host application.
 *
 * The function itself must limit the addresses that it connects to, the time and the size of a response.
 * `createDocumentFetcher` from hallpass/node does so. `createListedHostsFetcher` cannot limit addresses, and has a list of
 * hosts in place of that.
 *
 * @group Client metadata documents
 */
export type FetchDocument = (url: DocumentUrl) => Promise<Response>
