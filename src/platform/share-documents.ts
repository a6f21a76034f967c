import { readStream } from '../encoding/read-stream.js'
import { callback, checkOptions, optional, type Rules, whole } from '../options/check.js'
import { documentFreshUntil } from '../policy/cimd-freshness.js'
import type { DocumentUrl } from '../policy/cimd-document.js'
import { DOCUMENT, type Fetched, type FetchDocument } from '../site/fetch-document.js'
import { isBefore } from '../time/seconds.js'

interface Copy {
  readonly at: number
  readonly until: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/**
 * Fetches a client metadata document once for all schools of a process, while its copy is fresh. Each school still decides
 * about it, and keeps its own client: only the bytes are shared. Other responses than 200 are not kept, nor are keys and
 * logos.
 *
 * @param fetchDocument - `createDocumentFetcher()` from hallpass/node, for example
 * @returns the function for `documents.fetchDocument` of each site: the same one for all
 * @throws OptionsError that lists every mistake in the options
 * @see [RFC 9111, section 4.2.3](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3)
 * @group Platforms
 * @example
 * ```ts
 * import { shareDocuments } from 'hallpass/platform'
 *
 * let fetches = 0
 * const fetchDocument = shareDocuments(async () => {
 *   fetches += 1
 *   return Response.json({ client_name: 'Study App' }, { headers: { 'cache-control': 'max-age=600' } })
 * })
 * const url = 'https://study.example/client.json' as never // one that `decideDocumentUrl` allowed
 * const asked = { kind: 'document', accept: 'application/json', limitBytes: 5120 } as const
 * await fetchDocument(url, asked) // at one school
 * await fetchDocument(url, asked) // at another
 * fetches // => 1
 * ```
 */
export function shareDocuments(
  fetchDocument: FetchDocument,
  options: {
    /** Most documents that are kept, of at most 5 KiB each: the oldest leave. Default: 1000. */
    readonly most?: number
    /** Returns the time in whole epoch seconds. Default: the clock of the computer. */
    readonly now?: () => number
  } = {},
): FetchDocument {
  const { most = 1000, now = () => Math.floor(Date.now() / 1000) } = checkOptions(
    'shareDocuments',
    options,
    RULES,
  )
  checkOptions('shareDocuments', { fetchDocument }, FETCH_RULES)
  const copies = new Map<DocumentUrl, Copy>()
  const underWay = new Map<DocumentUrl, Promise<Copy | Response>>()

  async function fetchOnce(url: DocumentUrl, asked: Fetched): Promise<Copy | Response> {
    const response = await fetchDocument(url, asked)
    if (response.status !== 200) return response
    const bytes = await readStream(response.body, asked.limitBytes)
    const { headers } = response
    // Who reads it refuses one byte too many.
    if (bytes === null) return new Response(new Uint8Array(asked.limitBytes + 1), { headers })
    const at = now()
    const copy = { at, until: documentFreshUntil({ headers, now: at }), headers, bytes }
    copies.delete(url)
    copies.set(url, copy)
    if (copies.size > most) copies.delete(copies.keys().next().value!)
    return copy
  }

  return async (url, asked) => {
    if (asked.kind !== DOCUMENT.kind) return fetchDocument(url, asked)
    const kept = copies.get(url)
    if (kept !== undefined && isBefore(now(), kept.until)) return responseOf(kept, now())
    const running =
      underWay.get(url) ??
      fetchOnce(url, asked).finally(() => {
        underWay.delete(url)
      })
    underWay.set(url, running)
    const found = await running
    return found instanceof Response ? found.clone() : responseOf(found, now())
  }
}

/** The age of a copy is part of its freshness, so that no school keeps it for longer than the first. */
function responseOf({ bytes, headers, at }: Copy, now: number): Response {
  const own = new Headers(headers)
  const age = Number(own.get('age') ?? 0) + Math.max(0, now - at)
  if (Number.isFinite(age)) own.set('age', String(age))
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: own })
}

const FETCH_RULES: Rules<{ readonly fetchDocument: FetchDocument }> = {
  fetchDocument: callback('createDocumentFetcher()'),
}
const RULES: Rules<NonNullable<Parameters<typeof shareDocuments>[1]>> = {
  most: optional(whole(1, 100_000)),
  now: optional(callback('() => Math.floor(Date.now() / 1000)')),
}
