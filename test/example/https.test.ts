import { describe, expect, it } from 'vitest'
import { pageResponse } from '../../examples/pages/response.js'
import { html } from '../../examples/pages/html.js'
import { openCounters } from '../../examples/school/src/platform/counters.js'
import { createThrottle } from '../../examples/school/src/sign-in/throttle.js'
import { createVisitors } from '../../examples/school/src/sign-in/visitors.js'

const sessions = {
  find: async () => null,
  begin: async () => '',
  end: async () => {},
  endAll: async () => 0,
  purge: async () => {},
}

describe('a school on https', () => {
  const visitors = createVisitors({ origin: 'https://school.example', site: 'a', sessions })

  it('binds its cookie to this very host [UX-06]', () => {
    expect(visitors.cookie('x')).toBe('__Host-school=x; Path=/; HttpOnly; Secure; SameSite=Lax')
  })

  it('takes the form of its own page, and of no other origin', () => {
    const id = 'i'.repeat(43)
    const ask = (headers: Record<string, string>): boolean =>
      visitors.isOwnForm(
        new Request('https://school.example/sign-in', {
          headers: { cookie: `__Host-school=${id}`, ...headers },
        }),
        visitors.csrfToken(id),
      )
    expect(ask({ origin: 'https://school.example', 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(ask({ origin: 'null' })).toBe(true)
    expect(ask({ origin: 'http://school.example' })).toBe(false)
    expect(ask({ 'sec-fetch-site': 'same-site' })).toBe(false)
  })

  it('tells browsers to come by https alone [UX-01]', () => {
    const page = pageResponse(html`<p>Hello</p>`, { origin: 'https://school.example' })
    expect(page.headers.get('strict-transport-security')).toBe(
      'max-age=31536000; includeSubDomains',
    )
  })
})

describe('the throttle', () => {
  it('counts every address of one IPv6 network as one, and forgets after a success [LIM-02]', async () => {
    const throttle = createThrottle(await openCounters({ redisUrl: null }))
    const tryFrom = (address: string): Promise<number> =>
      throttle.take({ email: 'a@example.com', address, browser: null })
    for (let attempt = 0; attempt < 6; attempt++)
      expect(await tryFrom(`2001:db8:0:1::${attempt + 1}`)).toBe(0)
    expect(await tryFrom('2001:db8:0:1:ffff::1')).toBeGreaterThan(0)
    expect(await tryFrom('2001:db8:0:2::1')).toBe(0)
    await throttle.forgive({ email: 'A@example.com ', address: '2001:db8:0:1::9', browser: null })
    expect(await tryFrom('2001:db8:0:1::1')).toBe(0)
  })

  it('counts an IPv4 address the same in both of its spellings', async () => {
    const throttle = createThrottle(await openCounters({ redisUrl: null }))
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'])
      for (let attempt = 0; attempt < 2; attempt++)
        await throttle.take({ email: 'a@example.com', address, browser: null })
    expect(
      await throttle.take({ email: 'a@example.com', address: '192.0.2.1', browser: null }),
    ).toBeGreaterThan(0)
  })

  it('slows down one account from many addresses, and one address on many accounts', async () => {
    const throttle = createThrottle(await openCounters({ redisUrl: null }))
    const many = async (attempts: number, of: (index: number) => [string, string]) => {
      let waited = 0
      for (let index = 0; index < attempts; index++) {
        const [email, address] = of(index)
        waited = await throttle.take({ email, address, browser: null })
      }
      return waited
    }
    expect(await many(31, (index) => ['one@example.com', `192.0.2.${index}`])).toBeGreaterThan(0)
    expect(await many(301, (index) => [`${index}@example.com`, '198.51.100.1'])).toBeGreaterThan(0)
  })
})
