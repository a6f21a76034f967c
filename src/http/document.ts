import { lateAgain } from '../time/late.js'
import { entityTagOf, isKnownVersion } from './entity-tag.js'
import type { Incoming, Outgoing } from './exchange.js'

const MAX_AGE_SECONDS = 300

/**
 * Creates a handler for a public text that may be cached. It responds with 304 if the caller has that
 * version.
 */
export function createDocument({
  contentType,
  maxAgeSeconds = MAX_AGE_SECONDS,
  text,
}: {
  readonly contentType: string
  readonly maxAgeSeconds?: number
  readonly text: string
}): (incoming: Incoming) => Outgoing {
  const etag = entityTagOf(text)
  const known = ['cache-control', `public, max-age=${maxAgeSeconds}`, 'etag', etag]
  const headers = ['content-type', contentType, 'x-content-type-options', 'nosniff', ...known]
  // Encoded once: for a large text, that is most of what a response costs.
  const body = new TextEncoder().encode(text)
  const fresh: Outgoing = { status: 200, headers, body }
  const notModified: Outgoing = { status: 304, headers: known, body: null }
  return (incoming) =>
    isKnownVersion({ ifNoneMatch: incoming.header('if-none-match'), etag }) ? notModified : fresh
}

/** Creates a handler for a public JSON document, which is made when it is first requested. */
export function createJsonDocument(
  valueOf: () => unknown,
  maxAgeSeconds: number = MAX_AGE_SECONDS,
): ReturnType<typeof createDocument> {
  const contentType = 'application/json; charset=utf-8'
  const serve = lateAgain(() =>
    createDocument({ contentType, maxAgeSeconds, text: JSON.stringify(valueOf()) }),
  )
  return (incoming) => serve()(incoming)
}
