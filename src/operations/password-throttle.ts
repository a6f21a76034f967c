import { equalText } from '../encoding/equal-text.js'
import { hmacSha256Base64url } from '../encoding/hash.js'
import { randomBase64url } from '../encoding/random.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { isBefore } from '../time/seconds.js'
import { KEY_RING_RULES, type KeyRingOptions } from '../token/key-ring.js'

/** How long a browser is known after a sign-in. */
const KNOWN_SECONDS = 180 * 86_400

/** Tries of one known browser, and of one network for one account. One is restored every 100 seconds. */
const ACCOUNT_ALLOWANCE = { amount: 6, seconds: 10 * 60 }

/** Tries of one network that were wrong or are under way. Two are restored each second. */
const NETWORK_ALLOWANCE = { amount: 120, seconds: 60 }

/** The cookie of a known browser: itself, the account, its end and a signature. */
const VALUE = /^([\w-]{43})\.([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

const { sealingSecret, previousSealingSecrets } = KEY_RING_RULES
const RULES = { sealingSecret, previousSealingSecrets }

/**
 * Slows down password guessing. Created by {@link createPasswordThrottle}.
 *
 * @group Limits
 */
export interface PasswordThrottle {
  /**
   * Counts an attempt, and calls `isRight` if it may proceed. A right password costs nothing, nor does an exception of
   * `isRight`, which is thrown on.
   *
   * @param email - as it was typed, whether anyone has it or not. Spaces around it and capitals make no difference
   * @param isRight - whether the password is that of the account. Hash something as slow if no one has the address
   * @returns after a right password, `setCookie`: send it with the response, and the browser is known for this account.
   *   Otherwise `retryAfterSeconds`: 0 if the password was wrong; else it was not read, and the attempt has to wait
   */
  readonly attempt: (
    request: Request,
    email: string,
    isRight: () => Promise<boolean>,
  ) => Promise<
    | { readonly ok: true; readonly setCookie: string }
    | { readonly ok: false; readonly retryAfterSeconds: number }
  >
  /**
   * Returns the account for which a browser is known, in a form that tells no one who it is; `null` if it is known for
   * none. Two browsers of one account have the same: a payer for rate limits and for the `networkOf` of a site.
   */
  readonly accountOf: (headers: Pick<Headers, 'get'>) => string | null
}

/**
 * Creates a throttle for the sign-in form of a host application. No account is ever locked.
 *
 * A browser in which the person has signed in before is known by a signed cookie. It has six tries of its own in ten
 * minutes, and nothing that others send uses them up. Any other browser shares with its network: six tries for one
 * account in ten minutes, and 120 wrong ones in a minute for all accounts. So no one in another network keeps a person
 * out. Someone in the same network can delay new browsers there: for a second, or for 100 if the account is the same.
 *
 * The counts are in the `budget` of the site, without the email address, under its `networkOf`. The cookie is no
 * session: the person signs in with the password.
 *
 * @param options - the secrets of the key ring: the cookie is signed with a key of `sealingSecret`, and accepted with
 *   those of `previousSealingSecrets`
 * @throws OptionsError if the site was not created by `defineSite`, or if an option is invalid
 * @group Limits
 * @example
 * ```ts
 * import { createPasswordThrottle } from 'hallpass/operations'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const passwords = createPasswordThrottle(site, { sealingSecret: 'use at least 32 random characters here' })
 * const request = new Request('https://school.example/sign-in', { method: 'POST' })
 * await passwords.attempt(request, 'mei@school.example', async () => false) // => { ok: false, retryAfterSeconds: 0 }
 * const attempt = await passwords.attempt(request, 'mei@school.example', async () => true)
 * attempt.ok // => true
 * ```
 */
export function createPasswordThrottle(
  site: Site,
  options: Pick<KeyRingOptions, 'sealingSecret' | 'previousSealingSecrets'>,
): PasswordThrottle {
  const { sealingSecret, previousSealingSecrets = [] } = checkOwnOptions(
    'createPasswordThrottle',
    site,
    options,
    RULES,
  )
  const { issuer, id: siteId, now, payerOf, randomBytes } = site
  const { protocol, port } = new URL(issuer)
  const isSecure = protocol === 'https:'
  // All ports of a loopback address share their cookies.
  const name = isSecure ? '__Host-known-browser' : `known-browser-${port}`
  const keyOf = (secret: string): string =>
    hmacSha256Base64url({ key: secret, message: `hallpass known browsers ${siteId}` })
  const key = keyOf(sealingSecret)
  const keys = [key, ...previousSealingSecrets.map(keyOf)]
  const accountBy = (by: string, email: string): string =>
    hmacSha256Base64url({ key: by, message: `account ${foldEmail(email)}` }).slice(0, 22)
  const sign = (by: string, ...parts: readonly string[]): string =>
    hmacSha256Base64url({ key: by, message: `browser ${parts.join('.')}` })

  /** Reads the cookie, and returns the key that signed it as well. */
  function read(
    headers: Pick<Headers, 'get'>,
  ): { browser: string; account: string; by: string } | null {
    const cookies = (headers.get('cookie') ?? '').split('; ')
    const own = cookies.find((cookie) => cookie.startsWith(`${name}=`))
    const found = VALUE.exec(own?.slice(name.length + 1) ?? '')
    if (found === null) return null
    const [, browser = '', account = '', expiresAt = '', signature = ''] = found
    const by = keys.find((one) => equalText(sign(one, browser, account, expiresAt), signature))
    return by !== undefined && isBefore(now(), Number(expiresAt)) ? { browser, account, by } : null
  }

  function cookieFor(email: string): string {
    const parts = [
      randomBase64url(randomBytes),
      accountBy(key, email),
      String(now() + KNOWN_SECONDS),
    ]
    const value = [...parts, sign(key, ...parts)].join('.')
    const secure = isSecure ? '; Secure' : ''
    return `${name}=${value}; Max-Age=${KNOWN_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`
  }

  return {
    async attempt(request, email, isRight) {
      const known = read(request.headers)
      const isKnown = known !== null && known.account === accountBy(known.by, email)
      const { method, headers } = request
      const sender = { method, header: (of: string) => headers.get(of), request: () => request }
      const payer = payerOf(sender)
      const spender = `${payer.name} ${accountBy(key, email)}`
      // The network first: what it has too little for leaves no trace under an account.
      const count = (cost: number) =>
        isKnown
          ? payer.spend([
              'passwordsOfBrowser',
              known.browser,
              { cost, allowance: ACCOUNT_ALLOWANCE },
            ])
          : payer.spend(
              ['passwordsOfNetwork', { cost, allowance: NETWORK_ALLOWANCE }],
              ['passwordsOfAccount', spender, { cost, allowance: ACCOUNT_ALLOWANCE }],
            )
      const spent = await count(1)
      if (!spent.ok) return { ok: false, retryAfterSeconds: Math.max(spent.retryAfterSeconds, 1) }
      let isWrong = false
      try {
        isWrong = !(await isRight())
      } finally {
        if (!isWrong) await count(-1)
      }
      return isWrong
        ? { ok: false, retryAfterSeconds: 0 }
        : { ok: true, setCookie: cookieFor(email) }
    },
    accountOf: (headers) => read(headers)?.account ?? null,
  }
}

const foldEmail = (email: string): string => email.trim().toLowerCase()
