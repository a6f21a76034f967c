import { hmacSha256Base64url } from '../encoding/hash.js'
import { type RandomBytes, randomBase64url } from '../encoding/random.js'
import type { HeaderList, Incoming, Outgoing } from '../http/exchange.js'
import { cookieName } from '../site/browser-id.js'

/** Creates a browser identifier of 256 random bits. It is the secret key of every CSRF token. */
export const newBrowserId = (random: RandomBytes): string => randomBase64url(random)

/**
 * Builds the `Set-Cookie` value that keeps the browser identifier until the browser is closed. `Lax` is
 * needed, because with `Strict` a browser that comes from the client would not send the cookie.
 */
export function browserCookie(browserId: string, issuer: string): string {
  const secure = issuer.startsWith('https://') ? '; Secure' : ''
  return `${cookieName(issuer)}=${browserId}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** Adds the cookie of a browser to a page of the host, so that the browser is known the next time. */
export function withBrowserCookie(response: Response, browserId: string, issuer: string): Response {
  const headers = new Headers(response.headers)
  headers.append('set-cookie', browserCookie(browserId, issuer))
  return new Response(response.body, { status: response.status, headers })
}

/**
 * Computes the CSRF token that a consent form must send back. It depends on the browser, the request and
 * the person, so that none of them can change between the page and the form (RFC 6749, section 10.12).
 * Nothing is stored for it, so a page may be reloaded or opened twice.
 *
 * @param page - `shown`: the facts about the client on the page that could change before the form is sent
 */
export function csrfToken({
  browserId,
  interactionId,
  subject,
  shown,
}: {
  browserId: string
  interactionId: string
  subject: string
  shown: readonly string[]
}): string {
  const message = JSON.stringify(['consent', interactionId, subject, ...shown])
  return hmacSha256Base64url({ key: browserId, message })
}

/**
 * Whether a form was sent from another site, according to the headers of the browser. `Sec-Fetch-Site`
 * decides if it is present, and `same-site` is refused too: a subdomain may belong to another party.
 *
 * `Origin: null` is not evidence: a page with `Referrer-Policy: no-referrer` sends it to its own site too.
 * Without either header, only the CSRF token protects the form.
 */
export function isCrossSite(incoming: Incoming, issuer: string): boolean {
  const site = incoming.header('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = incoming.header('origin')
  return origin !== null && origin !== 'null' && origin !== issuer
}

/** Whether a request is speculative: `HEAD`, or marked as a prefetch. */
export function isLookAhead(incoming: Incoming): boolean {
  const purpose = incoming.header('sec-purpose') ?? incoming.header('purpose') ?? ''
  return incoming.method === 'HEAD' || purpose.includes('prefetch')
}

/**
 * Whether a browser sent a request for a part of a page, such as an image, a script or a frame, according to
 * [Fetch Metadata](https://www.w3.org/TR/fetch-metadata/). A page of anyone can do so without its reader's doing.
 *
 * @returns `frame`, in which a request without a page may be answered; `part` for anything else. `null` for a
 *   navigation of a window, for a page of this site, and without these headers
 */
export function embeddingOf(incoming: Incoming): 'frame' | 'part' | null {
  const destination = incoming.header('sec-fetch-dest') ?? 'document'
  if (destination === 'document' || incoming.header('sec-fetch-site') === 'same-origin') return null
  return destination === 'iframe' ? 'frame' : 'part'
}

/** The response to a speculative request: 204, not cached. */
export const NOTHING: Outgoing = {
  status: 204,
  headers: ['cache-control', 'no-store', 'vary', 'Sec-Purpose'],
  body: null,
}

/**
 * Builds a redirect. With the status 303 the browser sends a GET, so a posted form never reaches the client
 * (RFC 9700, section 4.12). `no-referrer` hides the URL of the interaction from the client.
 */
export const seeOther = (location: string, more: HeaderList = []): Outgoing => ({
  status: 303,
  headers: [
    'location',
    location,
    ...more,
    'cache-control',
    'no-store',
    'referrer-policy',
    'no-referrer',
  ],
  body: null,
})
