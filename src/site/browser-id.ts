import { sha256Base64url } from '../encoding/hash.js'
import type { Sender } from './budget.js'

const BROWSER_ID = /^[A-Za-z0-9_-]{43}$/

/**
 * Returns the name of the cookie. The prefix `__Host-` binds it to this host; browsers refuse it over http,
 * even on loopback.
 */
export const cookieName = (issuer: string): string =>
  issuer.startsWith('https://') ? '__Host-hallpass' : 'hallpass'

/**
 * Reads the identifier of the browser from its cookie; `null` if there is none. A value of another form is
 * treated as absent, and the next authorization request replaces it.
 */
export function readBrowserId(sender: Pick<Sender, 'header'>, issuer: string): string | null {
  const wanted = `${cookieName(issuer)}=`
  for (const pair of (sender.header('cookie') ?? '').split(';')) {
    const cookie = pair.trim()
    if (cookie.startsWith(wanted)) {
      const value = cookie.slice(wanted.length)
      return BROWSER_ID.test(value) ? value : null
    }
  }
  return null
}

/** Returns the form in which a browser identifier is stored, from which no CSRF token can be computed. */
export const hashBrowserId = (browserId: string): string => sha256Base64url(browserId)
