import { entityTagOf, isKnownVersion } from './entity-tag.js'
import type { Incoming, Outgoing } from './exchange.js'

const MAX_AGE_SECONDS = 300

/** Answers a text that is the same for everybody and may be cached, or says that it has not changed. */
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
  const fresh: Outgoing = { status: 200, headers, body: text }
  const notModified: Outgoing = { status: 304, headers: known, body: null }
  return (incoming) =>
    isKnownVersion({ ifNoneMatch: incoming.header('if-none-match'), etag }) ? notModified : fresh
}

/** Such a text of a value, as JSON. */
export const createJsonDocument = (
  value: unknown,
  maxAgeSeconds: number = MAX_AGE_SECONDS,
): ReturnType<typeof createDocument> =>
  createDocument({
    contentType: 'application/json; charset=utf-8',
    maxAgeSeconds,
    text: JSON.stringify(value),
  })
