import { sha256Base64url } from '../encoding/hash.js'
import { isAboutReviewed } from '../policy/cimd-lifecycle.js'
import { decideDocumentUrl, documentPolicyOf } from '../policy/cimd-url.js'
import type { Client } from '../policy/client.js'
import { type Decision, refuse } from '../policy/decision.js'
import { type FetchDocument, LOGO } from '../site/fetch-document.js'
import { readPicture } from './picture.js'

/**
 * The logo of a client, to keep and to serve from your own origin.
 *
 * @group Client logos
 */
export interface Logo {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** In pixels, at least 1. */
  readonly width: number
  /** In pixels, at least 1. */
  readonly height: number
  /** The bytes as they were fetched: at most 60,000. */
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, as 43 base64url characters: the name under which a page can load the logo. */
  readonly digest: string
}

/** The greatest width and height of a logo, in pixels. A browser reserves memory for all of them. */
const MAX_LOGO_PIXELS = 1024

/**
 * Fetches the logo of a client once, to keep a copy. Call it after a review: what people see then is the image
 * that was there at that time, whatever its host serves later.
 *
 * Only the logo of a client whose links the site vouches for is fetched, and only from an https URL of a public
 * host. The image must be a still PNG, JPEG or WebP by its first bytes and by its `Content-Type`. SVG is refused,
 * because it can contain scripts.
 *
 * @param request - `client`: as it is stored after the review; `fetchImage`: from `createDocumentFetcher` from
 *   `hallpass/node`, as for documents, or with the same guards
 * @returns the logo, or a refusal with `invalid_client_metadata`: `logo_absent`, `logo_not_reviewed`,
 *   `logo_url_not_allowed`, `logo_unavailable`, `logo_malformed` or `logo_too_large`
 * @see [Client ID Metadata Document, section 6.5](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 * @example
 * ```ts
 * import { defineClient, fetchLogo } from 'hallpass/clients'
 * import { createDocumentFetcher } from 'hallpass/node'
 *
 * const fields = { name: 'Notes', redirectUris: ['http://127.0.0.1/callback'], createdAt: 1795165200 }
 * const client = defineClient({ ...fields, clientId: 'app_1', kind: 'loopback' })
 * const refused = await fetchLogo({ client, fetchImage: createDocumentFetcher() })
 * refused.ok || refused.reason // => 'logo_absent'
 * ```
 *
 * @group Client logos
 */
export async function fetchLogo({
  client,
  fetchImage,
}: {
  client: Client
  fetchImage: FetchDocument
}): Promise<
  Decision<
    { logo: Logo },
    | 'logo_absent'
    | 'logo_not_reviewed'
    | 'logo_url_not_allowed'
    | 'logo_unavailable'
    | 'logo_malformed'
    | 'logo_too_large'
  >
> {
  const logoUri = client.about?.logoUri ?? null
  if (logoUri === null)
    return refuse('invalid_client_metadata', 'logo_absent', 'the client has no logo_uri')
  if (!isAboutReviewed(client))
    return refuse(
      'invalid_client_metadata',
      'logo_not_reviewed',
      'the logo is fetched after a review of the client',
    )
  const allowed = decideDocumentUrl({
    clientId: logoUri,
    policy: documentPolicyOf({ openRegistration: true }),
  })
  if (!allowed.ok)
    return refuse(
      'invalid_client_metadata',
      'logo_url_not_allowed',
      'logo_uri must be an https URL of a public host on port 443',
    )
  const read = await readImage(() => fetchImage(allowed.url, LOGO))
  if (read === null)
    return refuse(
      'invalid_client_metadata',
      'logo_unavailable',
      'the host of the logo did not respond with an image in time',
    )
  const { bytes, mediaType } = read
  if (bytes.length > LOGO.limitBytes) return TOO_LARGE
  const picture = readPicture(bytes)
  if (picture === null || picture.mediaType !== mediaType)
    return refuse(
      'invalid_client_metadata',
      'logo_malformed',
      'the logo must be a still PNG, JPEG or WebP image, sent with its own media type',
    )
  if (Math.max(picture.width, picture.height) > MAX_LOGO_PIXELS) return TOO_LARGE
  return { ok: true, logo: { ...picture, bytes, digest: sha256Base64url(bytes) } }
}

const TOO_LARGE = refuse(
  'invalid_client_metadata',
  'logo_too_large',
  `the logo must have at most ${LOGO.limitBytes} bytes and ${MAX_LOGO_PIXELS} pixels a side`,
)

/** Returns the body of a response with 200, and its media type in lower case. `null` for any other outcome. */
async function readImage(
  get: () => Promise<Response>,
): Promise<{ bytes: Uint8Array; mediaType: string } | null> {
  try {
    const response = await get()
    if (response.status !== 200) {
      await response.body?.cancel()
      return null
    }
    const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';')
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { bytes, mediaType: mediaType.trim().toLowerCase() }
  } catch {
    return null
  }
}
