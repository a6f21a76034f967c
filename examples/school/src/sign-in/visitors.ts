import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { SignedIn } from 'hallpass/authorization-server'
import type { Sessions } from './sessions.js'

const VISITOR_ID = /^[A-Za-z0-9_-]{43}$/

/**
 * The browsers that visit one site. Each has one cookie with a random identifier: of its session, or
 * of nobody yet, when it only binds the forms to the browser that asked for them.
 */
export interface Visitors {
  /** The identifier a browser came with, or a new one. */
  readonly idOf: (request: Request) => string
  readonly signedIn: (request: Request) => Promise<SignedIn | null>
  /** The `Set-Cookie` value that keeps an identifier until the browser is closed. */
  readonly cookie: (id: string) => string
  /** What a form must send back. */
  readonly csrfToken: (id: string) => string
  /** Whether a form came from a page of this site in this browser. */
  readonly isOwnForm: (request: Request, csrfToken: string | null) => boolean
}

/** The visitors of one site. */
export function createVisitors({
  origin,
  site,
  sessions,
}: {
  origin: string
  site: string
  sessions: Sessions
}): Visitors {
  const secure = origin.startsWith('https://')
  // Cookies of http loopback sites are shared by every port, so the name tells the sites apart.
  const name = secure ? '__Host-school' : `school_${site}`
  const read = (request: Request): string | null => {
    const value = parseCookie(request.headers.get('cookie') ?? '')[name]
    return value !== undefined && VISITOR_ID.test(value) ? value : null
  }
  const csrfToken = (id: string): string =>
    createHmac('sha256', id).update('form').digest('base64url')

  return {
    idOf: (request) => read(request) ?? randomBytes(32).toString('base64url'),
    signedIn: async (request) => {
      const id = read(request)
      return id === null ? null : sessions.find(id)
    },
    cookie: (id) =>
      stringifySetCookie({ name, value: id, httpOnly: true, sameSite: 'lax', path: '/', secure }),
    csrfToken,
    isOwnForm(request, sent) {
      const id = read(request)
      if (id === null || sent === null) return false
      // "null" says nothing: browsers send it with a strict referrer policy.
      const from = request.headers.get('origin') ?? 'null'
      const fetchSite = request.headers.get('sec-fetch-site') ?? 'same-origin'
      if ((from !== 'null' && from !== origin) || fetchSite !== 'same-origin') return false
      const [one, other] = [Buffer.from(sent), Buffer.from(csrfToken(id))]
      return one.length === other.length && timingSafeEqual(one, other)
    },
  }
}
