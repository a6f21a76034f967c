import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedLecturers } from '../../../examples/school/src/courses/lecturers-demo.js'
import { lecturerOperations } from '../../../examples/school/src/courses/lecturers.js'
import { idsOf } from '../support/operator-checks.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(lecturerOperations, seedLecturers)
})
afterAll(() => school.close())

let count = 0
async function create(fields: object = {}): Promise<Answer & { id: string; path: string }> {
  const body = { slug: `new-${(count += 1)}`, name: 'New', ...fields }
  const answer = await school.call('POST', '/lecturers', { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { id } = answer.body as { id: string }
  return { ...answer, id, path: `/lecturers/${id}` }
}
const teach = (courseId: string, ...ids: readonly string[]) =>
  school.execute(`update school_course set lecturer_ids = $2::text::jsonb where id = $1`, [
    courseId,
    JSON.stringify(ids),
  ])

describe('lecturers', () => {
  it.each([
    ['', ['lct_l03', 'lct_l02', 'lct_l01']],
    ['sort=name', ['lct_l01', 'lct_l03', 'lct_l02']],
    ['slug=ines-duarte', ['lct_l02']],
    ['course_ids=crs_l01', ['lct_l02']],
    ['course_ids=crs_l03,crs_l04', ['lct_l01']],
    ['course_ids=crs_l01,crs_l03', []],
    ['q=lamp', ['lct_l02']],
    ['updated_since=2026-11-01T00:00:00Z', ['lct_l03']],
  ])('are listed by %s', async (query, ids) => {
    expect(await idsOf(school, `/lecturers?${query}`)).toEqual(ids)
  })

  it('say what they teach', async () => {
    expect((await school.call('GET', '/lecturers/lct_l01')).body).toEqual({
      id: 'lct_l01',
      name: 'Amara Obi',
      slug: 'amara-obi',
      bio_html: '<p>Draws people on trains, and has the patience to let them get off.</p>',
      avatar_url: 'https://images.example/people/amara-obi.jpg',
      links: [{ label: 'Sketchbooks', url: 'https://amara.example/books' }],
      course_ids: ['crs_l03', 'crs_l04', 'crs_l07'],
      created_at: '2025-07-28T09:00:00Z',
      updated_at: '2025-07-28T09:00:00Z',
    })
  })

  it('are created with a clean text, and found', async () => {
    const { body, path } = await create({ bio_html: '<p>a</p><iframe src="//a.example"></iframe>' })
    expect(body).toMatchObject({
      bio_html: '<p>a</p>',
      avatar_url: null,
      links: [],
      course_ids: [],
    })
    expect((await school.call('GET', path)).body).toEqual(body)
  })

  it('are changed, with a clean text', async () => {
    const { path } = await create()
    const links = [{ label: 'Site', url: 'https://new.example/' }]
    const body = { name: 'Newer', bio_html: '<p style="x">b</p>', links }
    const changed = await school.call('PATCH', path, { body })
    expect(changed.body).toMatchObject({ ...body, bio_html: '<p>b</p>' })
  })

  it.each([
    ['an address by http', { avatar_url: 'http://a.example/a.png' }],
    ['an address as script', { links: [{ label: 'a', url: 'javascript:alert(1)' }] }],
    ['an address with a name', { links: [{ label: 'a', url: 'https://a@b.example/' }] }],
    ['an address that a browser mends', { avatar_url: 'https:\\\\a.example' }],
    ['courses', { course_ids: ['crs_l01'] }],
    ['too many links', { links: Array.from({ length: 11 }, () => ({ label: 'a', url: 'https://a.example' })) }], // prettier-ignore
  ])('are not saved with %s', async (_, fields) => {
    const body = { slug: 'never', name: 'Never', ...fields }
    expect((await school.call('POST', '/lecturers', { body })).status).toBe(400)
    expect((await school.call('PATCH', '/lecturers/lct_l01', { body: fields })).status).toBe(400)
  })

  it('have an address that no other lecturer has', async () => {
    const body = { slug: 'amara-obi', name: 'Another' }
    expect((await school.call('POST', '/lecturers', { body })).status).toBe(409)
  })

  it.each(['crs_l06', 'crs_l07'])(
    'stay while %s names them, which is published',
    async (course) => {
      const { id, path } = await create()
      await teach(course, 'lct_l02', id)
      const { status, body } = await school.call('DELETE', path)
      expect({ status, body }).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: expect.stringMatching(/^published courses name this lecturer: ./) as string }, // prettier-ignore
      })
      expect((await school.call('GET', path)).body).toMatchObject({ course_ids: [course] })
      await teach(course)
      expect((await school.call('DELETE', path)).status).toBe(204)
    },
  )

  it('go from drafts and archived courses, which keep the others', async () => {
    const { id, path } = await create()
    for (const course of ['crs_l08', 'crs_l09']) await teach(course, id, 'lct_l02')
    expect((await school.call('GET', path)).body).toMatchObject({
      course_ids: ['crs_l08', 'crs_l09'],
    })
    expect((await school.call('DELETE', path)).status).toBe(204)
    const { rows } = await school.execute(
      `select lecturer_ids from school_course where id in ('crs_l08', 'crs_l09')`,
      [],
    )
    expect(rows).toEqual([{ lecturer_ids: ['lct_l02'] }, { lecturer_ids: ['lct_l02'] }])
  })
})
