import { Cookie as Entry, CookieJar } from 'tough-cookie'

/**
 * A cookie that a browser keeps, written as Playwright and Puppeteer write it.
 *
 * @group Sign-in
 */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** The host that gets it. With a dot before it, hosts below get it too. */
  readonly domain: string
  readonly path: string
  /** Seconds since 1970, or `-1` if it ends with the session. */
  readonly expires: number
  readonly httpOnly: boolean
  readonly secure: boolean
  /** Absent if the server did not say. */
  readonly sameSite?: 'Strict' | 'Lax' | 'None'
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const

/** The cookies of a browser. */
interface Jar {
  /** Keeps what an answer sets. */
  readonly read: (headers: Headers, url: URL) => void
  readonly set: (cookie: Cookie) => void
  /** The value of `Cookie` for a request; empty if it has none. */
  readonly header: (url: URL) => string
  readonly list: () => readonly Cookie[]
}

export function createJar(): Jar {
  const jar = new CookieJar()
  return {
    read(headers, url) {
      for (const line of headers.getSetCookie())
        jar.setCookieSync(line, url.href, { ignoreError: true })
    },
    set({ name, value, domain, path, expires, httpOnly, secure, sameSite }) {
      const host = domain.replace(/^\./, '')
      const entry = new Entry({
        key: name,
        value,
        path,
        httpOnly,
        secure,
        expires: expires === -1 ? 'Infinity' : new Date(expires * 1000),
        domain: host === domain ? null : host,
        sameSite: sameSite?.toLowerCase(),
      })
      jar.setCookieSync(entry, `https://${host}`)
    },
    header: (url) => jar.getCookieStringSync(url.href),
    list: () =>
      jar.serializeSync()!.cookies.flatMap((one) => {
        const entry = Entry.fromJSON(one)!
        const { key, value, domain, path, httpOnly, secure, sameSite } = entry
        const ends = entry.expiryTime()!
        if (ends <= Date.now()) return []
        return {
          name: key,
          value,
          domain: `${entry.hostOnly ? '' : '.'}${domain}`,
          path: path ?? '/',
          expires: Number.isFinite(ends) ? ends / 1000 : -1,
          httpOnly,
          secure,
          ...(sameSite !== undefined && {
            sameSite: SAME_SITE[sameSite as keyof typeof SAME_SITE],
          }),
        }
      }),
  }
}
