import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedDownloads } from '../../../examples/school/src/sales/digital-products-demo.js'
import { digitalProductOperations } from '../../../examples/school/src/sales/digital-products.js'
import { idsOf } from '../support/operator-checks.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(digitalProductOperations, seedDownloads)
})
afterAll(() => school.close())

const PRICE = { amount: '7.00', currency: 'EUR' }
const FILE = {
  name: 'brush-guide.pdf',
  content_type: 'application/pdf',
  size: 4_812_331,
  upload_id: 'upl_l01',
}
let count = 0
async function create(fields: object = {}): Promise<Answer & { id: string; path: string }> {
  const body = { slug: `made-${(count += 1)}`, title: 'Made', price: PRICE, ...fields }
  const answer = await school.call('POST', '/digital-products', { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { id } = answer.body as { id: string }
  return { ...answer, id, path: `/digital-products/${id}` }
}

describe('downloads for sale', () => {
  it.each([
    ['', ['dgp_l02', 'dgp_l01', 'dgp_l03']],
    ['sort=title', ['dgp_l03', 'dgp_l01', 'dgp_l02']],
    ['sort=-sales_count', ['dgp_l01', 'dgp_l03', 'dgp_l02']],
    ['state=published', ['dgp_l01']],
    ['state=archived', ['dgp_l03']],
    ['slug=paper-atlas', ['dgp_l02']],
    ['q=forty', ['dgp_l02']],
    ['updated_since=2026-11-15T00:00:00Z', ['dgp_l02']],
  ])('are listed by %s', async (query, ids) => {
    expect(await idsOf(school, `/digital-products?${query}`)).toEqual(ids)
  })

  it('say what they are made of, and how many people own them', async () => {
    expect((await school.call('GET', '/digital-products/dgp_l01')).body).toEqual({
      id: 'dgp_l01',
      slug: 'brush-guide',
      title: 'The Brush Guide',
      description_html: '<p>Which hair, which belly, which water.</p>',
      price: { amount: '12.00', currency: 'EUR' },
      files: [
        FILE,
        {
          name: 'practice-sheets.zip',
          content_type: 'application/zip',
          size: null,
          upload_id: 'upl_l02',
        },
      ],
      state: 'published',
      sales_count: 1,
      created_at: '2026-05-04T09:00:00Z',
      updated_at: '2026-05-04T09:00:00Z',
    })
  })

  it('that were there before the admin API was are on sale for nothing', async () => {
    await school.execute(
      `insert into school_digital_product values ('site_lantern', 'dgp_old', 'old', 'Old')`,
      [],
    )
    const { body } = await school.call('GET', '/digital-products/dgp_old')
    expect(body).toMatchObject({ description_html: '', state: 'published', files: [] })
    const path = '/digital-products/dgp_old'
    const changed = await school.call('PATCH', path, { body: { price: PRICE } })
    expect(changed.body).toMatchObject({ price: PRICE, title: 'Old' })
    await school.execute(`delete from school_digital_product where id = 'dgp_old'`, [])
  })

  it('begin as drafts, made of completed uploads', async () => {
    const { body, path } = await create({
      description_html: '<p>a</p><object data="https://a.example"></object>',
      files: [{ upload_id: 'upl_l02', name: 'second.zip' }, { upload_id: 'upl_l01' }],
    })
    expect(body).toMatchObject({
      description_html: '<p>a</p>',
      price: PRICE,
      files: [{ name: 'second.zip', size: 18_220_417, upload_id: 'upl_l02' }, FILE],
      state: 'draft',
      sales_count: 0,
    })
    expect((await school.call('GET', path)).body).toEqual(body)
  })

  it('are changed as far as something was sent', async () => {
    const { path } = await create({ files: [{ upload_id: 'upl_l01' }, { upload_id: 'upl_l02' }] })
    const body = {
      title: 'Better',
      description_html: '<p>b</p><script>x()</script>',
      files: [{ upload_id: 'upl_l02', name: 'b.zip' }],
    }
    expect((await school.call('PATCH', path, { body })).body).toMatchObject({
      title: 'Better',
      description_html: '<p>b</p>',
      price: PRICE,
      files: [{ name: 'b.zip', upload_id: 'upl_l02' }],
    })
  })

  it('keep their files where another member alone is sent', async () => {
    const { path } = await create({ files: [{ upload_id: 'upl_l01' }] })
    const changed = await school.call('PATCH', path, { body: { title: 'Renamed' } })
    expect(changed.body).toMatchObject({ title: 'Renamed', files: [FILE] })
  })

  it('go on sale and off it, each twice without harm', async () => {
    const { path } = await create({ files: [{ upload_id: 'upl_l01' }] })
    for (const [verb, state] of [
      ['publish', 'published'],
      ['archive', 'archived'],
      ['publish', 'published'],
    ]) {
      const first = await school.call('POST', `${path}/${verb}`)
      expect(first).toMatchObject({ status: 200, body: { state } })
      school.clock.now += 60
      expect((await school.call('POST', `${path}/${verb}`)).body).toEqual(first.body)
    }
  })

  it('have a file while they are on sale', async () => {
    const { path } = await create()
    const refusal = { status: 422, body: { detail: 'a download on sale needs a file' } }
    expect(await school.call('POST', `${path}/publish`)).toMatchObject(refusal)
    await school.call('PATCH', path, { body: { files: [{ upload_id: 'upl_l01' }] } })
    expect((await school.call('POST', `${path}/publish`)).status).toBe(200)
    expect(await school.call('PATCH', path, { body: { files: [] } })).toMatchObject(refusal)
    await school.call('POST', `${path}/archive`)
    expect((await school.call('PATCH', path, { body: { files: [] } })).status).toBe(200)
  })

  it.each([
    ['is of another school', 'upl_k01'],
    ['never was', 'upl_nobody'],
    ['is still awaited', 'upl_awaited'],
    ['is for something else', 'upl_image'],
  ])('are made of no upload that %s', async (_, upload_id) => {
    const values = `'a.pdf', 'application/pdf', 1`
    await school.execute(
      `insert into school_upload values
         ('site_lantern', 'upl_awaited', ${values}, null, 'digital_product', 'm', 1, null, 1, 1),
         ('site_lantern', 'upl_image', ${values}, 'a', 'image', 'm', 1, 1, 1, 1)
       on conflict do nothing`,
      [],
    )
    const refusal = {
      status: 422,
      body: { detail: `${upload_id} must be a completed upload for the purpose digital_product` },
    }
    const files = [{ upload_id: 'upl_l01' }, { upload_id }]
    const body = { slug: 'never', title: 'Never', price: PRICE, files }
    expect(await school.call('POST', '/digital-products', { body })).toMatchObject(refusal)
    const { path } = await create({ files: [{ upload_id: 'upl_l01' }] })
    expect(await school.call('PATCH', path, { body: { files } })).toMatchObject(refusal)
    expect((await school.call('GET', path)).body).toMatchObject({ files: [FILE] })
    expect(await idsOf(school, '/digital-products?slug=never')).toEqual([])
  })

  it.each([
    ['a state', { state: 'published' }],
    ['sales', { sales_count: 9 }],
    ['a price below nothing', { price: { amount: '-1', currency: 'EUR' } }],
    ['a file without an upload', { files: [{ name: 'a.pdf' }] }],
    ['too many files', { files: Array.from({ length: 51 }, () => ({ upload_id: 'upl_l01' })) }],
  ])('are not saved with %s', async (_, fields) => {
    const body = { slug: 'never', title: 'Never', price: PRICE, ...fields }
    expect((await school.call('POST', '/digital-products', { body })).status).toBe(400)
    expect((await school.call('PATCH', '/digital-products/dgp_l02', { body: fields })).status).toBe(
      400,
    )
  })

  it('have an address that no other download has', async () => {
    const body = { slug: 'brush-guide', title: 'Again', price: PRICE }
    expect((await school.call('POST', '/digital-products', { body })).status).toBe(409)
  })
})
