import type { FetchDocument } from '../site/fetch-document.js'
import { type createDocumentFetcher, createFetcher } from './document-fetcher.js'

/** The media types of {@link createLogoFetcher}. */
const IMAGES = 'image/png, image/jpeg, image/webp'

/**
 * Creates the function that fetches the logos of clients, for `fetchLogo` from `hallpass/clients`. It has the
 * guards of {@link createDocumentFetcher}: the addresses that it connects to, no redirect, the time, the size, and
 * the number of fetches at the same time.
 *
 * @param options - those of {@link createDocumentFetcher}, but the default of `limitBytes` is 60,000
 * @returns a function that resolves to the response, whatever its status, with the body read in full. It
 *   rejects with an `Error` if there is no complete response
 * @throws OptionsError that lists every mistake in the options
 * @group Client metadata documents
 * @example
 * ```ts
 * import { createLogoFetcher } from 'hallpass/node'
 *
 * const fetchImage = createLogoFetcher({ deadlineMilliseconds: 2000 })
 * typeof fetchImage // => 'function'
 *
 * createLogoFetcher({ limitBytes: 0 }) // throws OptionsError
 * ```
 */
export function createLogoFetcher(
  options: Parameters<typeof createDocumentFetcher>[0] = {},
): FetchDocument {
  const factory = 'createLogoFetcher'
  return createFetcher(options, { factory, accept: IMAGES, limitBytes: 60_000 })
}
