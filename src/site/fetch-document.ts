import type { DocumentUrl } from '../policy/cimd-document.js'

/**
 * Fetches a client ID metadata document, once, without redirects. What it may connect to, and how
 * long and how large an answer may be, is the transport's own guard: see `createDocumentFetcher` of
 * hallpass/node.
 *
 * Resolves to whatever was answered; rejects where there was no answer. The message of the error is
 * for the operator's log alone.
 */
export type FetchDocument = (url: DocumentUrl) => Promise<Response>
