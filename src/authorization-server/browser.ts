import { hmacSha256Base64url, sha256Base64url } from '../encoding/hash.js'
import { type RandomBytes, randomBase64url } from '../encoding/random.js'
import type { Incoming, Outgoing } from '../http/exchange.js'

const BROWSER_ID = /^[A-Za-z0-9_-]{43}$/

// https binds the name to this very host (__Host-). On http loopback browsers refuse that prefix.
const cookieName = (issuer: string): string =>
  issuer.startsWith('https://') ? '__Host-hallpass' : 'hallpass'

/** The identifier of the browser that began a request, or `null`. */
export function readBrowserId(incoming: Incoming, issuer: string): string | null {
  const wanted = `${cookieName(issuer)}=`
  for (const pair of (incoming.header('cookie') ?? '').split(';')) {
    const cookie = pair.trim()
    if (cookie.startsWith(wanted)) {
      const value = cookie.slice(wanted.length)
      return BROWSER_ID.test(value) ? value : null
    }
  }
  return null
}

/** A new identifier: 256 random bits. */
export const newBrowserId = (random: RandomBytes): string => randomBase64url(random)

/** The `Set-Cookie` value that keeps a browser's identifier until it is closed. */
export function browserCookie(browserId: string, issuer: string): string {
  const secure = issuer.startsWith('https://') ? '; Secure' : ''
  return `${cookieName(issuer)}=${browserId}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** The form in which a browser's identifier is stored. */
export const hashBrowserId = (browserId: string): string => sha256Base64url(browserId)

/**
 * The token that a consent form must send back. It depends on the browser, the request and the
 * person, so that none of them can be swapped between the page and its answer.
 *
 * @param page - `shown`: what the page says of the client and what may change meanwhile
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
 * Whether a form was sent from another site, as far as the browser says. `Origin: null` says nothing:
 * a page with `Referrer-Policy: no-referrer` sends it to its own site too.
 */
export function isCrossSite(incoming: Incoming, issuer: string): boolean {
  const site = incoming.header('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = incoming.header('origin')
  return origin !== null && origin !== 'null' && origin !== issuer
}

/** Whether a request only looks ahead: nobody has decided to go there yet. */
export function isLookAhead(incoming: Incoming): boolean {
  const purpose = incoming.header('sec-purpose') ?? incoming.header('purpose') ?? ''
  return incoming.method === 'HEAD' || purpose.includes('prefetch')
}

/** What there is to see for whoever looks ahead. */
export const NOTHING: Outgoing = {
  status: 204,
  headers: ['cache-control', 'no-store', 'vary', 'Sec-Purpose'],
  body: null,
}
