import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedSettings } from '../../../examples/school/src/school/demo.js'
import { schoolSettingsOperations } from '../../../examples/school/src/school/operations.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(schoolSettingsOperations, seedSettings)
})
afterAll(() => school.close())

const read = (site?: string): Promise<Answer> =>
  school.call('GET', '/school', site === undefined ? {} : { site })
async function change(body: object, query = ''): Promise<Answer> {
  const headers = { 'if-match': (await read()).headers.get('etag')! }
  return school.call('PATCH', `/school${query}`, { body, headers })
}

describe('the school', () => {
  it('says what it is called, where it is and how it does things', async () => {
    expect((await read()).body).toEqual({
      id: 'site_lantern',
      name: 'Lantern Street Drawing School',
      domain: 'site-lantern.example',
      time_zone: 'Europe/Lisbon',
      currency: 'EUR',
      locale: 'pt-PT',
      contact_email: 'hello@lantern.example',
      seo: {
        title: 'Lantern Street Drawing School',
        description: 'Drawing courses in Lisbon and online.',
        image_url: 'https://images.example/lantern/street.jpg',
        indexable: true,
      },
      policies: {
        terms_html: '<p>Your place is reserved once you have paid.</p>',
        privacy_html: '<p>We keep only the data that a course needs.</p>',
        refunds_html: '<p>Within 14 days, unless you have watched half of the course.</p>',
      },
      features: { comments: true, events: true, downloads: true, mcp_connections: true },
      created_at: '2025-03-30T09:00:00Z',
      updated_at: '2026-10-21T09:00:00Z',
    })
  })

  it('answers for itself alone', async () => {
    await change({ contact_email: 'new@lantern.example' })
    expect((await read(KILN_SITE)).body).toMatchObject({
      id: 'site_kiln',
      name: 'Kiln & Coil Pottery',
      domain: 'site-kiln.example',
      time_zone: 'Asia/Taipei',
      currency: 'TWD',
      contact_email: 'studio@kiln.example',
      features: { mcp_connections: false },
    })
  })

  it('keeps what was not sent, within its parts too, and cleans its policies', async () => {
    const changed = await change({
      seo: { title: 'Drawing' },
      policies: { terms_html: '<p>New</p><script>x()</script>' },
      features: { comments: false },
    })
    expect(changed.body).toMatchObject({
      locale: 'pt-PT',
      seo: { title: 'Drawing', description: 'Drawing courses in Lisbon and online.' },
      policies: {
        terms_html: '<p>New</p>',
        privacy_html: '<p>We keep only the data that a course needs.</p>',
      },
      features: { comments: false, events: true, downloads: true, mcp_connections: true },
    })
  })

  it('shows whether MCP connections are on, and lets no token switch them', async () => {
    expect((await change({ features: { mcp_connections: false } })).status).toBe(400)
    const set = (on: boolean) =>
      school.execute(`update school_site set mcp_connections = $1 where site = 'site_lantern'`, [
        on,
      ])
    await set(false)
    expect((await read()).body).toMatchObject({ features: { mcp_connections: false } })
    await change({ features: { events: false } })
    await set(true)
    expect((await read()).body).toMatchObject({ features: { mcp_connections: true } })
  })

  it('keeps its currency while there are orders', async () => {
    expect(await change({ currency: 'USD' })).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: 'there are orders in EUR, so the currency cannot be changed',
      },
    })
    expect((await change({ currency: 'EUR' })).status).toBe(200)
    await school.execute(`delete from school_order where site = 'site_lantern'`, [])
    expect(await change({ currency: 'USD' })).toMatchObject({ body: { currency: 'USD' } })
  })

  it.each([
    ['another domain', { domain: 'bad.example' }],
    ['a currency that is none', { currency: 'XYZ' }],
    ['a time zone that is none', { time_zone: 'Europe/Nowhere' }],
    ['a language that is none', { locale: 'portuguese!' }],
    ['an address that is none', { contact_email: 'hello' }],
    ['a picture by http', { seo: { image_url: 'http://a.example/b.png' } }],
    ['something unknown', { secret: 'x' }],
    ['something unknown within', { policies: { cookies_html: '' } }],
  ])('does not take %s', async (_, body) => {
    expect(await change(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})
