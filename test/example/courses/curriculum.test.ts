import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CurriculumOrder,
  placesOf,
  refuseOrder,
} from '../../../examples/school/src/courses/curriculum-order.js'
import { curriculumOperations } from '../../../examples/school/src/courses/curriculum.js'
import { openLearningDemo } from '../support/learning-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openLearningDemo(curriculumOperations)
})
afterAll(() => school.close())

interface Row {
  readonly id: string
  readonly section_id?: string
  readonly title: string
  readonly position: number
  readonly updated_at: string
}
interface Outline {
  readonly updated_at: string
  readonly sections: readonly Row[]
  readonly lectures: readonly Row[]
}

const idOf = ({ body }: Answer): string => (body as { id: string }).id
const outlineOf = async (course: string): Promise<Outline> =>
  (await school.call('GET', `/courses/${course}/curriculum`)).body as Outline
const orderOf = ({ sections, lectures }: Outline): CurriculumOrder =>
  sections.map(({ id }) => ({
    id,
    lecture_ids: lectures.filter(({ section_id }) => section_id === id).map((one) => one.id),
  }))
async function reorder(course: string, sections: CurriculumOrder, query = ''): Promise<Answer> {
  const etag = (await school.call('GET', `/courses/${course}/curriculum`)).headers.get('etag')!
  return school.call('PUT', `/courses/${course}/curriculum/order${query}`, {
    body: { sections },
    headers: { 'if-match': etag },
  })
}

describe('the curriculum of a course', () => {
  it('is its sections and its lectures, in their order', async () => {
    const { body } = await school.call('GET', '/courses/crs_l02/curriculum')
    const times = { created_at: '2025-07-18T09:00:00Z', updated_at: '2025-07-18T09:00:00Z' }
    const { sections, lectures } = body as Outline
    expect(body).toMatchObject({ id: 'crs_l02', ...times })
    expect(sections).toEqual([
      { id: 'sec_l02_1', course_id: 'crs_l02', title: 'Materials', position: 1, ...times },
      { id: 'sec_l02_2', course_id: 'crs_l02', title: 'Washes', position: 2, ...times },
    ])
    expect(lectures.map(({ title, position }) => [title, position])).toEqual([
      ['Brushes', 1],
      ['Paper', 2],
      ['What to buy', 3],
      ['Flat wash', 1],
      ['Graded wash', 2],
      ['Wet in wet', 3],
    ])
    expect((await school.call('GET', '/lectures/lec_l02_03')).body).toEqual(lectures[2])
    expect(lectures[2]).toEqual({
      id: 'lec_l02_03',
      course_id: 'crs_l02',
      section_id: 'sec_l02_1',
      title: 'What to buy',
      kind: 'document',
      duration_seconds: null,
      previewable: true,
      state: 'published',
      position: 3,
      attachments: [
        {
          name: 'shopping-list.pdf',
          url: 'https://files.example/lantern/shopping-list.pdf',
          content_type: 'application/pdf',
          size: 48_213,
        },
      ],
      ...times,
    })
  })

  it('grows at its end, by a draft unless told otherwise', async () => {
    const section = await school.call('POST', '/courses/crs_l06/sections', {
      body: { title: 'Afterwards' },
    })
    expect(section).toMatchObject({
      status: 201,
      body: { course_id: 'crs_l06', title: 'Afterwards', position: 2 },
    })
    const add = (body: object) =>
      school.call('POST', `/sections/${idOf(section)}/lectures`, { body })
    const first = await add({ title: 'A page a day', kind: 'text' })
    expect(first).toMatchObject({
      status: 201,
      body: {
        course_id: 'crs_l06',
        section_id: idOf(section),
        kind: 'text',
        duration_seconds: null,
        previewable: false,
        state: 'draft',
        position: 1,
        attachments: [],
        created_at: '2026-11-20T09:00:00Z',
      },
    })
    const second = await add({ title: 'Film', kind: 'video', duration_seconds: 61, state: 'published' }) // prettier-ignore
    expect(second.body).toMatchObject({ position: 2, duration_seconds: 61, state: 'published' })
    const outline = await outlineOf('crs_l06')
    expect(outline.lectures.slice(-2)).toEqual([first.body, second.body])
    expect(outline.updated_at).toBe('2026-11-20T09:00:00Z')
    const body = { title: 'Ears', kind: 'video' }
    const inner = await school.call('POST', '/sections/sec_l03_1/lectures', { body })
    expect((await outlineOf('crs_l03')).lectures.map(({ id }) => id)).toEqual([
      'lec_l03_01',
      'lec_l03_02',
      'lec_l03_03',
      'lec_l03_04',
      idOf(inner),
      'lec_l03_05',
      'lec_l03_06',
    ])
  })

  it('changes lecture by lecture and section by section', async () => {
    const read = await school.call('GET', '/lectures/lec_l03_02')
    const attachments = [{ name: 'a.pdf', url: 'https://files.example/a.pdf', content_type: 'application/pdf', size: 3 }] // prettier-ignore
    const body = { kind: 'audio', state: 'draft', attachments }
    expect(await school.call('PATCH', '/lectures/lec_l03_02', { body })).toMatchObject({
      status: 200,
      body: {
        ...(read.body as object),
        kind: 'audio',
        state: 'draft',
        attachments,
        updated_at: '2026-11-20T09:00:00Z',
      },
    })
    const renamed = await school.call('PATCH', '/sections/sec_l03_1', { body: { title: 'Skulls' } })
    expect(renamed.body).toMatchObject({ id: 'sec_l03_1', title: 'Skulls', position: 1 })
    expect((await outlineOf('crs_l03')).sections[0]).toEqual(renamed.body)
  })

  it('loses a lecture with what was watched of it, and a section once it is empty', async () => {
    const watched = async () =>
      (await school.execute("select from school_lecture_progress where site = 'site_lantern' and lecture_id = 'lec_l04_02'", [])).rows.length // prettier-ignore
    expect(await watched()).toBe(1)
    expect(await school.call('DELETE', '/sections/sec_l04_1')).toMatchObject({
      status: 409,
      body: { detail: 'the section has lectures: move or delete them first' },
    })
    for (const id of ['lec_l04_01', 'lec_l04_02', 'lec_l04_03'])
      expect((await school.call('DELETE', `/lectures/${id}`)).status).toBe(204)
    expect(await watched()).toBe(0)
    expect((await school.call('GET', '/lectures/lec_l04_02')).status).toBe(404)
    expect((await school.call('DELETE', '/lectures/lec_l04_02')).status).toBe(404)
    expect((await school.call('DELETE', '/sections/sec_l04_1')).status).toBe(204)
    const { sections, lectures } = await outlineOf('crs_l04')
    expect([sections, lectures]).toEqual([[], []])
  })

  it('takes any order of the same sections and lectures, at its own school', async () => {
    const elsewhere = async () =>
      (
        await school.execute(
          `select id, position, null as section_id from school_section where site = 'site_twin'
           union all select id, position, section_id from school_lecture where site = 'site_twin'
           order by id`,
          [],
        )
      ).rows
    const theirs = await elsewhere()
    expect(theirs).toHaveLength(53)
    const before = orderOf(await outlineOf('crs_l01'))
    const all = before.flatMap(({ lecture_ids: ids }) => ids)
    const orders = fc
      .tuple(
        fc.shuffledSubarray([...before], { minLength: before.length }),
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.array(fc.nat({ max: all.length }), { minLength: before.length - 1, maxLength: before.length - 1 }), // prettier-ignore
      )
      .map(([sections, ids, cuts]) => {
        const ends = [...cuts.toSorted((one, other) => one - other), ids.length]
        return sections.map(({ id }, index) => ({
          id,
          lecture_ids: ids.slice(ends[index - 1] ?? 0, ends[index]),
        }))
      })
    await fc.assert(
      fc.asyncProperty(orders, async (wanted) => {
        const answer = await reorder('crs_l01', wanted)
        expect(answer.status).toBe(200)
        expect(orderOf(answer.body as Outline)).toEqual(wanted)
        expect(await outlineOf('crs_l01')).toEqual(answer.body)
      }),
      { seed: 20_261_120, numRuns: 15 },
    )
    expect(await elsewhere()).toEqual(theirs)
    expect(orderOf((await reorder('crs_l01', before)).body as Outline)).toEqual(before)
  })

  it('gives a new time to what moved and to nothing else', async () => {
    const [one, two] = orderOf(await outlineOf('crs_l05'))
    const [first, second] = one!.lecture_ids
    school.clock.now += 60
    await reorder('crs_l05', [{ ...one!, lecture_ids: [second!, first!] }, two!])
    const { lectures, sections } = await outlineOf('crs_l05')
    const moved = lectures.filter(({ updated_at: at }) => at === '2026-11-20T09:01:00Z')
    expect(moved.map(({ id }) => id)).toEqual([second, first])
    expect(sections.filter(({ updated_at: at }) => at === '2026-11-20T09:01:00Z')).toEqual([])
    school.clock.now -= 60
  })

  it('is not put in an order that is none of it', async () => {
    const [one, ...rest] = orderOf(await outlineOf('crs_l02'))
    const [first, ...others] = one!.lecture_ids
    const answer = await reorder('crs_l02', [
      { id: one!.id, lecture_ids: [...others, 'lec_l01_01', others[0]!] },
      ...rest,
    ])
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: 'the order must name every section and every lecture of the course once',
        errors: [
          { pointer: '/sections/0/lecture_ids/2', code: 'unknown', message: 'the course has no lec_l01_01' }, // prettier-ignore
          { pointer: '/sections/0/lecture_ids/3', code: 'repeated' },
          { pointer: '/sections', code: 'missing', message: `${first} is missing` },
        ],
      },
    })
    expect((await reorder('crs_l02', rest)).status).toBe(422)
    expect(orderOf(await outlineOf('crs_l02'))).toEqual([one, ...rest])
  })

  it('has no more sections and lectures than it may', async () => {
    await school.execute(
      `insert into school_section (site, id, course_id, position, title)
       select 'site_lantern', 'sec_many_' || n, 'crs_l09', n, 'Many' from generate_series(2, 200) n`,
      [],
    )
    expect(await school.call('POST', '/courses/crs_l09/sections', { body: { title: 'x' } })).toMatchObject({ status: 409, body: { detail: 'a course has at most 200 sections' } }) // prettier-ignore
    await school.execute(
      `insert into school_lecture (site, id, course_id, section_id, position, title, kind)
       select 'site_lantern', 'lec_many_' || n, 'crs_l09', 'sec_many_7', n, 'Many', 'TEXT'
       from generate_series(2, 2000) n`,
      [],
    )
    const body = { title: 'x', kind: 'text' }
    expect(await school.call('POST', '/sections/sec_many_7/lectures', { body })).toMatchObject({ status: 409, body: { detail: 'a course has at most 2000 lectures' } }) // prettier-ignore
    expect((await outlineOf('crs_l09')).lectures).toHaveLength(2000)
  })

  it.each([
    ['an unknown kind', { kind: 'hologram' }],
    ['no length', { duration_seconds: 0 }],
    ['an attachment by http', { attachments: [{ name: 'a', url: 'http://a.example/a', content_type: 'a/b', size: 1 }] }], // prettier-ignore
    ['a place', { position: 3 }],
    ['another course', { course_id: 'crs_l02' }],
  ])('takes no lecture with %s', async (_, fields) => {
    const body = { title: 'x', kind: 'video', ...fields }
    expect((await school.call('POST', '/sections/sec_l01_1/lectures', { body })).status).toBe(400)
    expect((await school.call('PATCH', '/lectures/lec_l01_01', { body: fields })).status).toBe(400)
  })
})

describe('an order', () => {
  const wanted = [
    { id: 's2', lecture_ids: ['l3', 'l1'] },
    { id: 's1', lecture_ids: [] },
    { id: 's3', lecture_ids: ['l2'] },
  ]

  it('is of all there is, each once', () => {
    const present = { sectionIds: ['s1', 's2', 's3'], lectureIds: ['l1', 'l2', 'l3'] }
    expect(refuseOrder({ wanted, ...present })).toBeNull()
    expect(refuseOrder({ wanted, ...present, lectureIds: ['l1', 'l2'] })?.code).toBe(
      'unprocessable',
    )
    expect(
      refuseOrder({ wanted, ...present, sectionIds: ['s1', 's2', 's3', 's4'] })?.errors,
    ).toEqual([{ pointer: '/sections', code: 'missing', message: 's4 is missing' }])
    expect(refuseOrder({ wanted: [...wanted, wanted[1]!], ...present })?.errors).toEqual([
      { pointer: '/sections/3/id', code: 'repeated', message: 's1 is listed twice' },
    ])
  })

  it('counts sections from nought and lectures from one through the whole course', () => {
    expect(placesOf(wanted)).toEqual({
      sections: [
        { id: 's2', position: 0 },
        { id: 's1', position: 1 },
        { id: 's3', position: 2 },
      ],
      lectures: [
        { id: 'l3', section_id: 's2', position: 1 },
        { id: 'l1', section_id: 's2', position: 2 },
        { id: 'l2', section_id: 's3', position: 3 },
      ],
    })
  })
})
