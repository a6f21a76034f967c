import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedPosts } from '../../../examples/school/src/content/posts-demo.js'
import { postOperations } from '../../../examples/school/src/content/posts.js'
import { idsOf } from '../support/operator-checks.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(postOperations, seedPosts)
})
afterAll(() => school.close())

const AUTHOR = 'mem_l03'
let count = 0
async function write(fields: object = {}): Promise<Answer & { id: string; path: string }> {
  const slug = `written-${(count += 1)}`
  const body = { slug, title: 'Written', author_id: AUTHOR, body_html: '<p>a</p>', ...fields }
  const answer = await school.call('POST', '/posts', { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { id } = answer.body as { id: string }
  return { ...answer, id, path: `/posts/${id}` }
}

describe('posts', () => {
  it.each([
    ['', ['pst_l04', 'pst_l03', 'pst_l02', 'pst_l01']],
    ['sort=title', ['pst_l02', 'pst_l04', 'pst_l01', 'pst_l03']],
    // What was never published comes before and behind everything.
    ['sort=published_at', ['pst_l04', 'pst_l01', 'pst_l02', 'pst_l03']],
    ['state=draft', ['pst_l04']],
    ['access=paid', ['pst_l03']],
    ['author_id=mem_l03', ['pst_l04', 'pst_l02']],
    ['category=teaching', ['pst_l03', 'pst_l01']],
    ['tags=beginners,hands', ['pst_l02']],
    ['slug=why-we-draw-jugs', ['pst_l01']],
    ['q=belly', ['pst_l01']],
    ['q=the%20lip%20is', ['pst_l01']],
    ['q=%25', []],
    ['updated_since=2026-11-11T10:00:00Z', ['pst_l04', 'pst_l03']],
  ])('are listed by %s', async (query, ids) => {
    expect(await idsOf(school, `/posts?${query}`)).toEqual(ids)
  })

  it('show their text one by one only', async () => {
    const { body: list } = await school.call('GET', '/posts')
    for (const post of (list as { data: object[] }).data)
      expect(post).not.toHaveProperty('body_html')
    expect((await school.call('GET', '/posts/pst_l03')).body).toEqual({
      id: 'pst_l03',
      slug: 'ink-from-right-to-left',
      title: 'الحبر من اليمين إلى اليسار',
      excerpt: 'ملاحظات عن الخط والفرشاة',
      body_html:
        '<p dir="rtl">أرسم من اليمين إلى اليسار، كما أكتب.</p><p dir="rtl">الفرشاة <strong>تتبع</strong> اليد.</p>',
      author_id: 'mem_l11',
      category: 'teaching',
      tags: ['ink'],
      access: 'paid',
      state: 'published',
      published_at: '2026-11-11T10:00:00Z',
      created_at: '2026-11-11T09:00:00Z',
      updated_at: '2026-11-11T10:00:00Z',
    })
  })

  it('begin as drafts, with nothing but text in their text', async () => {
    const { body, path } = await write({
      body_html: '<p onclick="x()">a</p><script>alert(1)</script>',
      tags: ['ink', 'brush'],
    })
    expect(body).toMatchObject({
      body_html: '<p>a</p>',
      tags: ['ink', 'brush'],
      category: null,
      access: 'public',
      state: 'draft',
      published_at: null,
    })
    expect((await school.call('GET', path)).body).toEqual(body)
  })

  it('are changed as far as something was sent', async () => {
    const { path } = await write()
    const body = { body_html: '<p>b</p><style>p{}</style>', category: 'news', tags: [] }
    expect((await school.call('PATCH', path, { body })).body).toMatchObject({
      title: 'Written',
      body_html: '<p>b</p>',
      category: 'news',
      tags: [],
    })
  })

  it('are published once, and taken back', async () => {
    const { path } = await write()
    const publish = () => school.call('POST', `${path}/publish`)
    const published = await publish()
    expect(published).toMatchObject({ status: 200, body: { state: 'published' } })
    const { published_at: at } = published.body as { published_at: string }
    school.clock.now += 3600
    expect((await publish()).body).toEqual(published.body)
    for (let time = 0; time < 2; time += 1)
      expect(await school.call('POST', `${path}/unpublish`)).toMatchObject({
        status: 200,
        body: { state: 'draft', published_at: null },
      })
    expect((await publish()).body).not.toMatchObject({ published_at: at })
  })

  it('need a text to be published, and as long as they are', async () => {
    const { path } = await write({ body_html: '<script>x()</script>' })
    const refusal = { status: 422, body: { detail: 'a published post needs a text: body_html' } }
    expect(await school.call('POST', `${path}/publish`)).toMatchObject(refusal)
    await school.call('PATCH', path, { body: { body_html: '<p>b</p>' } })
    expect((await school.call('POST', `${path}/publish`)).status).toBe(200)
    expect(await school.call('PATCH', path, { body: { body_html: '' } })).toMatchObject(refusal)
  })

  it('are deleted with their comments, and no others', async () => {
    const { id, path } = await write()
    for (const subject of [id, 'pst_l02'])
      await school.execute(
        `insert into school_comment values
           ('site_lantern', $1, 'post', $2, null, 'a', null, 'visible', 1, 1)`,
        [`cmt_${subject}`, subject],
      )
    expect((await school.call('DELETE', path)).status).toBe(204)
    const { rows } = await school.execute(
      `select id from school_comment where id = any(array[$1, 'cmt_pst_l02'])`,
      [`cmt_${id}`],
    )
    expect(rows).toEqual([{ id: 'cmt_pst_l02' }])
  })

  it('have an address that no other post has', async () => {
    const body = { slug: 'why-we-draw-jugs', title: 'Again', author_id: AUTHOR }
    expect((await school.call('POST', '/posts', { body })).status).toBe(409)
    const { path } = await write()
    expect((await school.call('PATCH', path, { body: { slug: body.slug } })).status).toBe(409)
  })

  it('have an author of this school: the caller, unless it is said', async () => {
    const body = { slug: 'whose', title: 'Whose' }
    for (const author_id of ['mem_k01', 'mem_nobody']) {
      const { status } = await school.call('POST', '/posts', { body: { ...body, author_id } })
      expect(status).toBe(422)
      const changed = await school.call('PATCH', '/posts/pst_l01', { body: { author_id } })
      expect(changed).toMatchObject({
        status: 422,
        body: { detail: 'author_id: there is no such person at this school' },
      })
    }
    await school.execute(
      `insert into school_person (site, member_id, name, role)
       values ('site_lantern', 'mem_lecturer', 'Somebody', 'lecturer')`,
      [],
    )
    expect(await school.call('POST', '/posts', { body, role: 'lecturer' })).toMatchObject({
      status: 201,
      body: { author_id: 'mem_lecturer' },
    })
  })

  it.each([
    ['a state', { state: 'published' }],
    ['a time', { published_at: '2026-01-01T00:00:00Z' }],
    ['another access', { access: 'secret' }],
    ['too long a text', { body_html: 'a'.repeat(50_001) }],
    ['too many tags', { tags: Array.from({ length: 21 }, (_, one) => `tag ${one}`) }],
    ['a slug that is none', { slug: '../posts' }],
  ])('are not written with %s', async (_, fields) => {
    const body = { slug: 'never', title: 'Never', author_id: AUTHOR, ...fields }
    expect((await school.call('POST', '/posts', { body })).status).toBe(400)
    expect((await school.call('PATCH', '/posts/pst_l01', { body: fields })).status).toBe(400)
  })
})
