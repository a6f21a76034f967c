import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { SignedIn } from 'hallpass/authorization-server'

const VISITOR_ID = /^[A-Za-z0-9_-]{43}$/

/**
 * The browsers that visit one site. Each has one cookie with a random identifier. It identifies the
 * session, and before sign-in it only binds forms to the browser that requested them.
 */
export interface Visitors {
  /** Returns the identifier that the browser sent, or a new one. */
  readonly idOf: (request: Request) => string
  readonly signedIn: (request: Request) => Promise<SignedIn | null>
  /** Returns the `Set-Cookie` value that stores an identifier until the browser is closed. */
  readonly cookie: (id: string) => string
  /**
   * Returns the value that the forms of one page must send as `csrf_token`. Each page has another one, which
   * distinguishes a form that is sent twice from two forms.
   */
  readonly csrfToken: (id: string) => string
  /** Whether a form came from a page of this site in this browser. */
  readonly isOwnForm: (request: Request, csrfToken: string | null) => boolean
}

/** Creates access to the visitors of one site. */
export function createVisitors({
  origin,
  site,
  sessions,
}: {
  origin: string
  site: string
  sessions: { readonly find: (sessionId: string) => Promise<SignedIn | null> }
}): Visitors {
  const secure = origin.startsWith('https://')
  // All ports of a loopback address share their cookies, so the name distinguishes the sites.
  const name = secure ? '__Host-school' : `school_${site}`
  const read = (request: Request): string | null => {
    const value = parseCookie(request.headers.get('cookie') ?? '')[name]
    return value !== undefined && VISITOR_ID.test(value) ? value : null
  }
  const signed = (nonce: string, id: string): string =>
    `${nonce}.${createHmac('sha256', id).update(`form ${nonce}`).digest('base64url')}`

  return {
    idOf: (request) => read(request) ?? randomBytes(32).toString('base64url'),
    signedIn: async (request) => {
      const id = read(request)
      return id === null ? null : sessions.find(id)
    },
    cookie: (id) =>
      stringifySetCookie({ name, value: id, httpOnly: true, sameSite: 'lax', path: '/', secure }),
    csrfToken: (id) => signed(randomBytes(16).toString('base64url'), id),
    isOwnForm(request, sent) {
      const id = read(request)
      if (id === null || sent === null) return false
      // "null" is not evidence of another origin: browsers send it under a strict referrer policy.
      const from = request.headers.get('origin') ?? 'null'
      const fetchSite = request.headers.get('sec-fetch-site') ?? 'same-origin'
      if ((from !== 'null' && from !== origin) || fetchSite !== 'same-origin') return false
      const [one, other] = [Buffer.from(sent), Buffer.from(signed(sent.split('.', 1)[0]!, id))]
      return one.length === other.length && timingSafeEqual(one, other)
    },
  }
}
