import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'

const KNOWN_SECONDS = 180 * 86_400

const COOKIE = /^([\w-]{22})\.([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

/**
 * The browsers in which a person has signed in before. A signed cookie names the account, so that other
 * people's wrong passwords do not keep the person out of this browser. It is not a session: the person
 * signs in with the password.
 */
export interface KnownBrowsers {
  /** Returns the identifier in the browser's cookie, or `null` if it has none for this account. */
  readonly idOf: (request: Request, email: string) => string | null
  /**
   * Returns the account that the browser's cookie names, in a form from which no one learns who it is, or `null` without a
   * valid cookie. Two browsers of one account have the same.
   *
   * @param headers - of the request
   */
  readonly accountOf: (headers: Pick<Headers, 'get'>) => string | null
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
  const mac = (by: Buffer, ...parts: readonly string[]): Buffer =>
    createHmac('sha256', by)
      .update(JSON.stringify([site, ...parts]))
      .digest()
  const accountBy = (by: Buffer, email: string): string =>
    mac(by, foldEmail(email)).subarray(0, 16).toString('base64url')

  /** Reads a cookie, and returns the key that signed it as well. */
  function read(headers: Pick<Headers, 'get'>): { id: string; account: string; by: Buffer } | null {
    const sent = parseCookie(headers.get('cookie') ?? '')[name] ?? ''
    const [, id, account, expiresAt, signature] = COOKIE.exec(sent) ?? []
    if (id === undefined || account === undefined || expiresAt === undefined) return null
    const signed = Buffer.from(signature!, 'base64url')
    const by = [key, ...previousKeys].find((one) =>
      timingSafeEqual(signed, mac(one, id, account, expiresAt)),
    )
    return by !== undefined && Number(expiresAt) > now() ? { id, account, by } : null
  }

  return {
    idOf({ headers }, email) {
      const cookie = read(headers)
      const isTheirs = cookie !== null && cookie.account === accountBy(cookie.by, email)
      return isTheirs ? cookie.id : null
    },
    accountOf: (headers) => read(headers)?.account ?? null,
    cookie(email) {
      const id = randomBytes(16).toString('base64url')
      const expiresAt = String(now() + KNOWN_SECONDS)
      const account = accountBy(key, email)
      const signature = mac(key, id, account, expiresAt).toString('base64url')
      const value = [id, account, expiresAt, signature].join('.')
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
