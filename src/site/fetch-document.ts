import type { DocumentUrl } from '../policy/cimd-document.js'

/**
 * A kind of what is fetched, with its bounds. Each one is in this file, and a row of the table in SECURITY.md.
 *
 * @inline
 */
export interface Fetched {
  readonly kind: 'document' | 'client_keys' | 'provider_keys' | 'logo'
  /** The media types to ask for. */
  readonly accept: string
  /** The size of the largest body, in bytes. */
  readonly limitBytes: number
}

const JSON_TYPES = 'application/json'

/** A client metadata document (CIMD, section 6.6). */
export const DOCUMENT: Fetched = { kind: 'document', accept: JSON_TYPES, limitBytes: 5 * 1024 }
/** The `jwks_uri` of a client. */
export const CLIENT_KEYS: Fetched = { kind: 'client_keys', accept: JSON_TYPES, limitBytes: 16_384 }
/** The `jwksUri` of an identity provider. */
export const PROVIDER_KEYS: Fetched = {
  kind: 'provider_keys',
  accept: JSON_TYPES,
  limitBytes: 60_000,
}
/** The `logo_uri` of a client. */
export const LOGO: Fetched = {
  kind: 'logo',
  accept: 'image/png, image/jpeg, image/webp',
  limitBytes: 60_000,
}

/**
 * Fetches what the library asks of others, with one request, without following redirects: client metadata documents, keys
 * of clients and of identity providers, logos. It resolves to the response, whatever its status, and rejects if there is
 * none. The message of that error appears only in the log of the host application.
 *
 * `asked` has the kind, the media types to ask for and the largest size.
 *
 * The function itself must limit the addresses that it connects to, the time and the size of a response.
 * `createDocumentFetcher` from hallpass/node does so. `createListedHostsFetcher` cannot limit addresses, and has a list of
 * hosts in place of that.
 *
 * @group Client metadata documents
 */
export type FetchDocument = (url: DocumentUrl, asked: Fetched) => Promise<Response>
