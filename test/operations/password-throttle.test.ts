import type { SiteOptions } from 'hallpass'
import {
  createMemoryBudget,
  createPasswordThrottle,
  type PasswordThrottle,
} from 'hallpass/operations'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'

const SECRET = 'a sealing secret of thirty-two characters'
const OWNER = 'owner@example.com'
const DAYS_180 = 180 * 86_400

function throttle(
  secrets: Partial<Parameters<typeof createPasswordThrottle>[1]> = {},
  options: Partial<SiteOptions> = {},
) {
  const networkOf = ({ headers }: Request): string | null => headers.get('x-network')
  const { site, clock } = testSite({ networkOf, ...options } as never)
  return { clock, passwords: createPasswordThrottle(site, { sealingSecret: SECRET, ...secrets }) }
}

interface Try {
  readonly network?: string
  readonly cookie?: string
  readonly email?: string
  readonly right?: boolean
}

const requestOf = ({ network = 'home', cookie = '' }: Try): Request =>
  new Request('https://school.example/sign-in', { headers: { 'x-network': network, cookie } })

const attempt = (passwords: PasswordThrottle, one: Try = {}) =>
  passwords.attempt(requestOf(one), one.email ?? OWNER, async () => one.right ?? true)

/** Signs in, and returns the cookie as the browser sends it. */
async function known(passwords: PasswordThrottle, one: Try = {}): Promise<string> {
  const attempted = await attempt(passwords, one)
  if (!attempted.ok) throw new Error(`waits ${attempted.retryAfterSeconds} seconds`)
  return attempted.setCookie.split(';', 1)[0]!
}

/** Makes attempts one after another, and returns how many signed in. */
async function signedIn(
  passwords: PasswordThrottle,
  count: number,
  of: (at: number) => Try,
): Promise<number> {
  let times = 0
  for (let at = 0; at < count; at++) if ((await attempt(passwords, of(at))).ok) times++
  return times
}

const WRONG = { ok: false, retryAfterSeconds: 0 }

describe('createPasswordThrottle', () => {
  it('lets a new browser try six times for one account, and again after 100 seconds [UX-11]', async () => {
    const { passwords, clock } = throttle()
    for (let at = 0; at < 6; at++) expect(await attempt(passwords, { right: false })).toEqual(WRONG)
    expect(await attempt(passwords)).toEqual({ ok: false, retryAfterSeconds: 100 })
    expect(await attempt(passwords, { email: ' OWNER@example.com ' })).toMatchObject({ ok: false })
    expect(await attempt(passwords, { email: 'student@example.com' })).toMatchObject({ ok: true })
    clock.advance(100)
    expect(await attempt(passwords)).toMatchObject({ ok: true })
  })

  it('does not ask for the password of an attempt that waits [UX-11]', async () => {
    const { passwords } = throttle()
    for (let at = 0; at < 6; at++) await attempt(passwords, { right: false })
    const isRight = async (): Promise<boolean> => Promise.reject(new Error('was called'))
    expect(await passwords.attempt(requestOf({}), OWNER, isRight)).toMatchObject({ ok: false })
  })

  it('keeps the owner out neither of her known browser nor of a new one elsewhere [UX-11]', async () => {
    const { passwords } = throttle()
    const cookie = await known(passwords, { network: 'campus' })
    const strangers = Array.from({ length: 30 }, (_, at) => `2001:db8:${at % 5}::/64`)
    for (let round = 0; round < 20; round++) {
      for (const network of [...strangers, 'campus'])
        await attempt(passwords, { network, right: false })
      expect(await attempt(passwords, { network: 'campus', cookie })).toMatchObject({ ok: true })
      expect(await attempt(passwords, { network: 'elsewhere' })).toMatchObject({ ok: true })
    }
  })

  it('keeps no known browser of a campus out, and new ones for a second [UX-11]', async () => {
    const { passwords, clock } = throttle()
    const network = 'campus'
    const cookies: string[] = []
    for (let at = 0; at < 100; at++)
      cookies.push(await known(passwords, { network, email: `p${at}@example.com` }))
    const wrong = (at: number): Try => ({ network, email: `x${at}@example.com`, right: false })
    await signedIn(passwords, 300, wrong)
    const knownOf = (at: number): Try => ({ network, email: `p${at}@example.com`, cookie: cookies[at]! }) // prettier-ignore
    expect(await signedIn(passwords, 100, knownOf)).toBe(100)
    const fresh = (at: number): Try => ({ network, email: `n${at}@example.com` })
    expect(await attempt(passwords, fresh(0))).toEqual({ ok: false, retryAfterSeconds: 1 })
    clock.advance(1)
    expect(await signedIn(passwords, 100, fresh)).toBe(100)
    expect(await signedIn(passwords, 1, () => ({ network: 'elsewhere' }))).toBe(1)
  })

  it('gives a known browser six tries of its own, for its account alone [UX-11]', async () => {
    const { passwords } = throttle()
    const cookie = await known(passwords)
    for (let at = 0; at < 6; at++)
      expect(await attempt(passwords, { cookie, right: false })).toEqual(WRONG)
    expect(await attempt(passwords, { cookie })).toEqual({ ok: false, retryAfterSeconds: 100 })
    expect(await attempt(passwords)).toMatchObject({ ok: true })
    // Whoever has an account of their own gets no further tries for another one.
    const email = 'student@example.com'
    for (let at = 0; at < 6; at++) await attempt(passwords, { email, right: false })
    expect(await attempt(passwords, { email, cookie })).toMatchObject({ ok: false })
  })

  it('counts no attempt that signs in, and none that fails for another reason', async () => {
    const { passwords } = throttle()
    expect(await signedIn(passwords, 1000, () => ({}))).toBe(1000)
    const broken = (): Promise<boolean> => Promise.reject(new Error('the database is away'))
    for (let at = 0; at < 20; at++)
      await expect(passwords.attempt(requestOf({}), OWNER, broken)).rejects.toThrow(/is away/)
    expect(await attempt(passwords)).toMatchObject({ ok: true })
  })

  it('keeps few counts of a stranger, whose own tries they could push out of memory [LIM-10]', async () => {
    const memory = createMemoryBudget()
    const spent = new Map<string, number>()
    const budget: SiteOptions['budget'] = {
      async spend(expense) {
        const outcome = await memory.spend(expense)
        const before = spent.get(expense.spender) ?? 0
        if (outcome.ok) spent.set(expense.spender, before + expense.cost)
        return outcome
      },
    }
    const { passwords } = throttle({}, { budget })
    const held = (): number => [...spent.values()].filter((cost) => cost > 0).length
    const wrong = { network: 'campus', right: false }
    for (let at = 0; at < 6; at++) await attempt(passwords, wrong)
    await signedIn(passwords, 3000, (at) => ({ ...wrong, email: `${at}@example.com` }))
    // The network, the account, and 114 others of it.
    expect(held()).toBe(116)
    const subscriber = (at: number) => `2001:db8:0:${at.toString(16)}::/64`
    await signedIn(passwords, 3000, (at) => ({ ...wrong, network: subscriber(at) }))
    // A subscriber with 48 bits: one wide network, and 240 in it with an account each.
    expect(held()).toBe(116 + 1 + 2 * 240)
    expect(await attempt(passwords, { network: 'campus' })).toMatchObject({ ok: false })
  })

  it('keeps no email address', async () => {
    const spenders: string[] = []
    const budget: SiteOptions['budget'] = {
      async spend({ spender }) {
        spenders.push(spender)
        return { ok: true, remaining: 1, retryAfterSeconds: 0 }
      },
    }
    const { passwords } = throttle({}, { budget })
    await attempt(passwords)
    expect(spenders).toEqual([
      'home',
      expect.stringMatching(/^home [\w-]{22}$/),
      'home',
      spenders[1],
    ])
  })
})

describe('a known browser', () => {
  it('has a cookie of its own for 180 days, for this host and out of the reach of scripts', async () => {
    const { passwords } = throttle()
    const attempted = await attempt(passwords)
    expect(attempted).toEqual({
      ok: true,
      setCookie: expect.stringMatching(
        /^__Host-known-browser=[\w-]{43}\.[\w-]{22}\.\d+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    })
    expect(await known(passwords)).not.toBe(await known(passwords))
    const local = throttle({}, { issuer: 'http://127.0.0.1:3001' })
    expect(await attempt(local.passwords)).toMatchObject({
      setCookie: expect.stringMatching(/^known-browser-3001=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/), // prettier-ignore
    })
  })

  it('names its account to no one else, the same in each browser, until it ends', async () => {
    const { passwords, clock } = throttle()
    const accountOf = async (email: string) =>
      passwords.accountOf(
        requestOf({ cookie: `a=b; ${await known(passwords, { email })}` }).headers,
      )
    expect(await accountOf(OWNER)).toMatch(/^[\w-]{22}$/)
    expect(await accountOf(' Owner@example.com')).toBe(await accountOf(OWNER))
    expect(await accountOf('student@example.com')).not.toBe(await accountOf(OWNER))
    const { headers } = requestOf({ cookie: await known(passwords) })
    const other = throttle({}, { id: 'other' })
    expect(other.passwords.accountOf(headers)).toBeNull()
    clock.advance(DAYS_180 - 1)
    expect(passwords.accountOf(headers)).not.toBeNull()
    clock.advance(1)
    expect(passwords.accountOf(headers)).toBeNull()
  })

  it('is still known after a rotation of the secret, and before it at processes of both steps [KEY-07]', async () => {
    const next = 'the next secret of thirty-two characters'
    const old = throttle().passwords
    const announced = throttle({ previousSealingSecrets: [next] }).passwords
    const switched = throttle({ sealingSecret: next, previousSealingSecrets: [SECRET] }).passwords
    const dropped = throttle({ sealingSecret: next }).passwords
    const cookies = [await known(old), await known(switched)]
    for (const passwords of [announced, switched])
      for (const cookie of cookies) {
        for (let at = 0; at < 6; at++) await attempt(passwords, { right: false })
        expect(await attempt(passwords, { cookie })).toMatchObject({ ok: true })
        expect(await attempt(passwords)).toMatchObject({ ok: false })
      }
    const isKnown = (cookie: string) => dropped.accountOf(requestOf({ cookie }).headers) !== null
    expect(cookies.map(isKnown)).toEqual([false, true])
  })

  it.each([
    ['no cookie', () => ''],
    ['an empty one', () => '__Host-known-browser='],
    ['a later end', (pair: string) => pair.replace(/\.\d(?=\d{9}\.)/, '.9')],
    [
      'another account',
      (pair: string) => pair.replace(/\../, (one) => (one === '.A' ? '.B' : '.A')),
    ],
    ['another identifier', (pair: string) => pair.replace(/=./, (one) => (one === '=A' ? '=B' : '=A'))], // prettier-ignore
    ['no signature', (pair: string) => pair.replace(/[^.]+$/, '')],
    ['a short signature', (pair: string) => pair.slice(0, -1)],
    ['a part more', (pair: string) => `${pair}.x`],
    ['the end of another name', (pair: string) => `x${pair}`],
  ])('is not known by %s', async (_, change) => {
    const { passwords } = throttle()
    const cookie = change(await known(passwords))
    expect(passwords.accountOf(requestOf({ cookie }).headers)).toBeNull()
  })

  it('needs a secret', () => {
    const { site } = testSite()
    expect(() => createPasswordThrottle(site, { sealingSecret: 'short' })).toThrow(
      /^createPasswordThrottle: sealingSecret must be a secret of at least 32 characters$/,
    )
  })
})
