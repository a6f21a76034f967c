import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'

const KNOWN_SECONDS = 180 * 86_400

const COOKIE = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

/**
 * The browsers in which a person has signed in before. A signed cookie names the account, so that other
 * people's wrong passwords do not keep the person out of this browser. It is not a session: the person
 * signs in with the password.
 */
export interface KnownBrowsers {
  /** Returns the identifier in the browser's cookie, or `null` if it has none for this account. */
  readonly idOf: (request: Request, email: string) => string | null
  /** Returns the `Set-Cookie` value with which the browser is known for this account, for 180 days. */
  readonly cookie: (email: string) => string
}

/** Returns the form in which email addresses are compared and counted. */
export const foldEmail = (email: string): string => email.trim().toLowerCase()

/**
 * Creates access to the known browsers of one site.
 *
 * @param options - `sealingSecret`: cookies are signed with a key of it. `previousSealingSecrets`: cookies that
 *   were signed with keys of these are accepted too
 */
export function createKnownBrowsers({
  origin,
  site,
  sealingSecret,
  previousSealingSecrets = [],
  now,
}: {
  origin: string
  site: string
  sealingSecret: string
  previousSealingSecrets?: readonly string[]
  now: () => number
}): KnownBrowsers {
  const secure = origin.startsWith('https://')
  const name = secure ? '__Host-school-known' : `school_known_${site}`
  const [key, ...previousKeys] = [sealingSecret, ...previousSealingSecrets].map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'school known browsers', 32)),
  ) as [Buffer, ...Buffer[]]
  const sign = (id: string, expiresAt: string, email: string, by = key): Buffer =>
    createHmac('sha256', by)
      .update(JSON.stringify([site, foldEmail(email), id, expiresAt]))
      .digest()

  return {
    idOf(request, email) {
      const sent = parseCookie(request.headers.get('cookie') ?? '')[name] ?? ''
      const [, id, expiresAt, signature] = COOKIE.exec(sent) ?? []
      if (id === undefined || expiresAt === undefined || signature === undefined) return null
      const signed = Buffer.from(signature, 'base64url')
      const isSigned = [key, ...previousKeys].some((by) =>
        timingSafeEqual(signed, sign(id, expiresAt, email, by)),
      )
      return isSigned && Number(expiresAt) > now() ? id : null
    },
    cookie(email) {
      const id = randomBytes(16).toString('base64url')
      const expiresAt = String(now() + KNOWN_SECONDS)
      const value = `${id}.${expiresAt}.${sign(id, expiresAt, email).toString('base64url')}`
      return stringifySetCookie({
        name,
        value,
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure,
        maxAge: KNOWN_SECONDS,
      })
    },
  }
}
