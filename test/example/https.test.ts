import { describe, expect, it } from 'vitest'
import { pageResponse } from '../../examples/pages/response.js'
import { html } from '../../examples/pages/html.js'
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
