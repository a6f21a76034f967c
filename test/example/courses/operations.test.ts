import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CoursePlan,
  refuseDeletion,
  refusePlans,
  refuseUnpublishing,
} from '../../../examples/school/src/courses/rules.js'
import { courseOperations } from '../../../examples/school/src/courses/operations.js'
import { openLearningDemo } from '../support/learning-demo.js'
import { bodyOf, idsIn, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openLearningDemo(courseOperations)
})
afterAll(() => school.close())

const price = { amount: '120.00', currency: 'EUR' }
const create = async (slug: string, more: object = {}) =>
  bodyOf(await school.call('POST', '/courses', { body: { slug, title: 'A course', ...more } }))

describe('courses in a list', () => {
  it.each([
    ['state=archived', ['crs_l09']],
    ['state=draft', ['crs_l08']],
    ['visibility=unlisted', ['crs_l07']],
    ['slug=foundations', ['crs_l01']],
    ['category=Figure&sort=title', ['crs_l07', 'crs_l04', 'crs_l03']],
    ['tags=pencil,beginners', ['crs_l01']],
    ['q=inK%20and', ['crs_l02']],
    ['q=%25', []],
    ['sort=-title&limit=2&state=published', ['crs_l06', 'crs_l03']],
    ['updated_since=2026-11-19T00:00:00Z', []],
    ['lecturer_ids=lct_l01&sort=title&state=published&visibility=public', ['crs_l04', 'crs_l03']],
    ['lecturer_ids=lct_nobody', []],
  ])('are found by %s', async (query, ids) => {
    expect(idsIn(await school.call('GET', `/courses?${query}`))).toEqual(ids)
  })
})

describe('a course', () => {
  it('is shown with its plans and figures, and nothing of its lectures', async () => {
    const answer = await school.call('GET', '/courses/crs_l01')
    expect(answer.body).toEqual({
      id: 'crs_l01',
      slug: 'foundations',
      title: 'Foundations of Drawing',
      subtitle: 'Thirteen lectures, one pencil',
      description_html: 'Line, form, light: everything else builds on it.',
      state: 'published',
      visibility: 'public',
      cover_image_url: 'https://images.example/covers/foundations.jpg',
      lecturer_ids: ['lct_l02'],
      category: 'Basics',
      tags: ['pencil', 'beginners'],
      plans: [
        { kind: 'one_time', price, access_days: null, interval: null, starts_at: null, ends_at: null }, // prettier-ignore
        {
          kind: 'subscription',
          price: { amount: '19.00', currency: 'EUR' },
          access_days: null,
          interval: 'month',
          starts_at: null,
          ends_at: null,
        },
      ],
      published_at: '2025-07-15T09:00:00Z',
      stats: {
        lectures: 13,
        duration_seconds: expect.any(Number),
        students: 4,
        active_students: 3,
      },
      created_at: '2025-07-08T09:00:00Z',
      updated_at: '2026-11-17T09:00:00Z',
    })
    expect(answer.headers.get('etag')).toMatch(/^"[\w-]{22}"$/)
  })

  it('counts nobody whose access was taken away', async () => {
    const { body } = await school.call('GET', '/courses/crs_k02', { site: KILN_SITE })
    expect(body).toMatchObject({ stats: { lectures: 3, students: 0, active_students: 0 } })
  })

  it('is created as a draft, with its description cleaned', async () => {
    const created = await school.call('POST', '/courses', {
      body: {
        slug: 'gouache',
        title: '  Gouache ',
        description_html: '<p onclick="x()">Flat</p><script>steal()</script>',
        tags: ['paint', 'paint', 'flat'],
        plans: [{ kind: 'pre_order', price, starts_at: '2026-12-01T10:00:00+02:00' }],
      },
    })
    expect(created).toMatchObject({
      status: 201,
      body: {
        title: 'Gouache',
        subtitle: null,
        description_html: '<p>Flat</p>',
        state: 'draft',
        visibility: 'public',
        tags: ['paint', 'flat'],
        plans: [{ kind: 'pre_order', price, starts_at: '2026-12-01T08:00:00Z', access_days: null }],
        published_at: null,
        stats: { lectures: 0, duration_seconds: 0, students: 0, active_students: 0 },
        created_at: '2026-11-20T09:00:00Z',
        updated_at: '2026-11-20T09:00:00Z',
      },
    })
    const { id } = bodyOf(created)
    expect((await school.call('GET', `/courses/${id}`)).body).toEqual(created.body)
  })

  it('changes as far as something was sent', async () => {
    const { id } = await create('etching', { subtitle: 'Acid', tags: ['print'] })
    const read = await school.call('GET', `/courses/${id}`)
    const body = { subtitle: null, description_html: '<img src="x">', slug: 'acid' }
    expect(await school.call('PATCH', `/courses/${id}`, { body })).toMatchObject({
      status: 200,
      body: { ...bodyOf(read), subtitle: null, description_html: '', slug: 'acid' },
    })
  })

  it('keeps its visibility through every state, and moves once, an old row too', async () => {
    const { id } = await create('quiet', { visibility: 'members' })
    await school.execute("update school_course set visibility = null where id = 'crs_l07'", [])
    for (const one of [id, 'crs_l07']) {
      const visibility = one === id ? 'members' : 'unlisted'
      for (const [verb, state] of [
        ['publish', 'published'],
        ['archive', 'archived'],
        ['publish', 'published'],
        ['unpublish', 'draft'],
      ] as const) {
        const moved = await school.call('POST', `/courses/${one}/${verb}`)
        expect(moved).toMatchObject({ status: 200, body: { state, visibility } })
        school.clock.now += 60
        expect((await school.call('POST', `/courses/${one}/${verb}`)).body).toEqual(moved.body)
      }
    }
    const { slug } = bodyOf(await school.call('GET', '/courses/crs_l07'))
    const patched = await school.call('PATCH', '/courses/crs_l07', {
      body: { visibility: 'public' },
    })
    expect(patched.body).toMatchObject({ slug, state: 'draft', visibility: 'public' })
  })

  it('an unlisted row from before can be changed in other ways and stays unlisted', async () => {
    await school.execute(
      "update school_course set status = 'unlisted', visibility = null where site = 'site_kiln' and id = 'crs_k03'",
      [],
    )
    const changed = await school.call('PATCH', '/courses/crs_k03', {
      body: { title: 'By hand' },
      site: KILN_SITE,
    })
    expect(changed.body).toMatchObject({ state: 'published', visibility: 'unlisted' })
    expect((await school.call('GET', '/courses/crs_k03', { site: KILN_SITE })).body).toEqual(
      changed.body,
    )
  })

  it('remembers when it was first published until it is a draft again', async () => {
    const { id } = await create('dated')
    const publishedAt = async (verb: string) => {
      school.clock.now += 60
      return bodyOf(await school.call('POST', `/courses/${id}/${verb}`))['published_at']
    }
    const first = await publishedAt('publish')
    expect(first).toMatch(/^2026-11-20T/)
    expect(await publishedAt('archive')).toBe(first)
    expect(await publishedAt('publish')).toBe(first)
    expect(await publishedAt('unpublish')).toBeNull()
    expect(await publishedAt('publish')).not.toBe(first)
  })

  it('that is archived is no draft, and says so', async () => {
    expect(await school.call('POST', '/courses/crs_l09/unpublish')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'the course is archived: publish it to bring it back' },
    })
  })

  it('is deleted as a draft that nobody was ever enrolled in, with all it had', async () => {
    const { id } = await create('gone')
    expect((await school.call('DELETE', `/courses/${id}`)).status).toBe(204)
    expect(await school.call('DELETE', '/courses/crs_l03')).toMatchObject({
      status: 409,
      body: { detail: 'a published course cannot be deleted: archive it' },
    })
    const site = KILN_SITE
    // Its only enrollment there was revoked.
    await school.call('POST', '/courses/crs_k02/unpublish', { site })
    expect(await school.call('DELETE', '/courses/crs_k02', { site })).toMatchObject({
      status: 409,
      body: { detail: 'there are enrollments in this course: archive it' },
    })
  })

  it('has a slug of its own at its school', async () => {
    expect(await school.call('POST', '/courses', { body: { slug: 'portraits', title: 'x' } })).toMatchObject({ status: 409, body: { detail: 'another course has the slug "portraits"' } }) // prettier-ignore
    expect((await school.call('PATCH', '/courses/crs_l02', { body: { slug: 'portraits' } })).status).toBe(409) // prettier-ignore
    expect((await school.call('PATCH', '/courses/crs_l02', { body: { slug: 'ink-and-wash' } })).status).toBe(200) // prettier-ignore
    const theirs = { body: { slug: 'portraits', title: 'x' }, site: KILN_SITE }
    expect((await school.call('POST', '/courses', theirs)).status).toBe(201)
  })

  it.each([
    ['a slug with a slash', { slug: 'a/b' }],
    ['a cover that is no https address', { cover_image_url: 'javascript:alert(1)' }],
    ['a cover by http', { cover_image_url: 'http://images.example/a.jpg' }],
    ['a state', { state: 'published' }],
    ['a site', { site: KILN_SITE }],
    ['an unknown plan', { plans: [{ kind: 'stolen' }] }],
    ['a plan with a member too many', { plans: [{ kind: 'free', secret: 1 }] }],
    ['an empty title', { title: '  ' }],
    ['too many tags', { tags: Array.from({ length: 31 }, (_, index) => `t${index}`) }],
  ])('is refused with %s', async (_, fields) => {
    const body = { slug: 'refused', title: 'Refused', ...fields }
    expect((await school.call('POST', '/courses', { body })).status).toBe(400)
    expect((await school.call('PATCH', '/courses/crs_l02', { body: fields })).status).toBe(400)
  })

  it('is refused with a plan that makes no sense, which is pointed at', async () => {
    const plans = [{ kind: 'free' }, { kind: 'fixed_length', price, access_days: null }]
    expect(
      await school.call('POST', '/courses', { body: { slug: 'x', title: 'x', plans } }),
    ).toMatchObject({
      status: 422,
      body: {
        errors: [
          {
            pointer: '/plans/1/access_days',
            code: 'missing',
            message: 'a plan of the kind fixed_length needs access_days',
          },
        ],
      },
    })
  })

  it('names lecturers of its school', async () => {
    await school.execute(
      `insert into school_lecturer (site, id, slug, name, bio_html, links, created_at, updated_at)
       select site, id, id, 'Somebody', '', '[]', 0, 0
       from (values ('site_lantern', 'lct_here'), ('site_kiln', 'lct_there')) v (site, id)`,
      [],
    )
    const { id } = await create('taught', { lecturer_ids: ['lct_here', 'lct_here'] })
    const patch = (ids: string[]) =>
      school.call('PATCH', `/courses/${id}`, { body: { lecturer_ids: ids } })
    expect(bodyOf(await school.call('GET', `/courses/${id}`))['lecturer_ids']).toEqual(['lct_here'])
    for (const ids of [['lct_here', 'lct_there'], ['lct_nobody']])
      expect(await patch(ids)).toMatchObject({
        status: 422,
        body: { detail: `there is no lecturer ${ids.at(-1)}` },
      })
    expect((await patch([])).body).toMatchObject({ lecturer_ids: [] })
    // One that was there before there were profiles may stay.
    await school.execute('update school_course set lecturer_ids = \'["lct_old"]\' where id = $1', [
      id,
    ])
    expect((await patch(['lct_old', 'lct_here'])).status).toBe(200)
    const body = { slug: 'x', title: 'x', lecturer_ids: ['lct_there'] }
    expect((await school.call('POST', '/courses', { body })).status).toBe(422)
  })
})

describe('what no course may', () => {
  const plan = (kind: CoursePlan['kind'], terms: Partial<CoursePlan> = {}): CoursePlan => ({
    price: null,
    access_days: null,
    interval: null,
    starts_at: null,
    ends_at: null,
    ...terms,
    kind,
  })
  const at = '2026-12-01T00:00:00Z'

  it('takes a plan that has the terms of its kind and no others', () => {
    expect(
      refusePlans([
        plan('free'),
        plan('one_time', { price }),
        plan('subscription', { price, interval: 'month' }),
        plan('fixed_date', { price, ends_at: at }),
        plan('fixed_length', { price, access_days: 30 }),
        plan('pre_order', { price, starts_at: at }),
      ]),
    ).toBeNull()
    expect(refusePlans([plan('free', { price })])).toMatchObject({
      code: 'unprocessable',
      errors: [{ pointer: '/plans/0/price', code: 'not_of_this_kind' }],
    })
    expect(refusePlans([plan('free'), plan('fixed_date', { access_days: 3 })])).toMatchObject({
      errors: [
        { pointer: '/plans/1/price', code: 'missing' },
        { pointer: '/plans/1/access_days', code: 'not_of_this_kind' },
        { pointer: '/plans/1/ends_at', code: 'missing' },
      ],
    })
  })

  it('is deleted as a draft without enrollments alone', () => {
    const refused = (state: 'draft' | 'published' | 'archived', hasEnrollments: boolean) =>
      refuseDeletion({ state, hasEnrollments })?.code ?? null
    expect(refused('draft', false)).toBeNull()
    expect(refused('draft', true)).toBe('conflict')
    expect(refused('published', false)).toBe('conflict')
    expect(refused('archived', false)).toBe('conflict')
  })

  it('goes from archive to draft by way of publishing', () => {
    expect(refuseUnpublishing('published')).toBeNull()
    expect(refuseUnpublishing('draft')).toBeNull()
    expect(refuseUnpublishing('archived')?.code).toBe('conflict')
  })
})
