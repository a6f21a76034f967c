import { sha256Base64url } from '../encoding/hash.js'
import { type Endpoint, endpointFrom } from '../http/exchange.js'
import { CORS, framed } from '../http/respond.js'
import { isKnownVersion } from './precondition.js'

const MAX_AGE_SECONDS = 300

/** An endpoint that answers one text for as long as it lives. Anybody may read it. */
export function createDocumentEndpoint({
  contentType,
  text,
}: {
  contentType: string
  text: string
}): Endpoint {
  const etag = `"${sha256Base64url(text).slice(0, 22)}"`
  const headers = {
    ...CORS,
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    etag,
    'x-content-type-options': 'nosniff',
  }
  const fresh = { status: 200, headers: { ...headers, 'content-type': contentType }, body: text }
  const notModified = { status: 304, headers, body: null }
  return endpointFrom(
    framed(
      { methods: ['GET'], cors: true },
      async (incoming) =>
        isKnownVersion({ ifNoneMatch: incoming.header('if-none-match'), etag })
          ? notModified
          : fresh,
      // Nothing in here can throw.
      () => {},
    ),
  )
}
