import { accessStateOf, type EnrollmentOrder, enrollmentOrders, type EnrollmentRecord, pageOf } from 'hallpass/account' // prettier-ignore
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessStateSql } from '../../../examples/school/src/learning/account.js'
import {
  DATABASE,
  DAY,
  type DemoSchools,
  type DemoSite,
  openDemo,
} from '../../support/school/demo-school.js'
import { iso, T } from '../../support/school/school.js'

const COURSES = `{ viewer { enrolledCourses { nodes {
  slug accessState accessSource startDate expireDate hasLifetimeAccess
  progress { completedLectures totalLectures ratio completedAt }
  lastWatchedLecture { lectureId positionSeconds resumeUrl }
} } } }`

const orders = Object.keys(enrollmentOrders) as EnrollmentOrder[]
const ALL = {
  ids: null,
  slug: null,
  accessStates: ['SCHEDULED', 'ACTIVE', 'SUSPENDED', 'EXPIRED', 'REVOKED'],
  expiresBefore: null,
  completed: null,
} as const
const WHOLE = { after: null, before: null, limit: 100, fromEnd: false, count: false } as const

describe(`the demo school's data on ${DATABASE.name}`, () => {
  let schools: DemoSchools
  let lantern: DemoSite
  let kiln: DemoSite
  beforeAll(async () => {
    schools = await openDemo()
    ;({ lantern, kiln } = schools)
  })
  afterAll(() => schools.close())

  const coursesOf = async (site: DemoSite, memberId: string): Promise<unknown[]> => {
    const data = (await site.ask(memberId, COURSES)) as {
      viewer: { enrolledCourses: { nodes: unknown[] } }
    }
    return data.viewer.enrolledCourses.nodes
  }

  it('shows one who bought for good, one who still has access and one who had it', async () => {
    expect(await coursesOf(lantern, 'mem_l05')).toEqual([
      {
        slug: 'foundations',
        accessState: 'ACTIVE',
        accessSource: 'PURCHASE',
        startDate: null,
        expireDate: null,
        hasLifetimeAccess: true,
        progress: {
          completedLectures: 8,
          totalLectures: 13,
          ratio: 8 / 13,
          completedAt: null,
        },
        lastWatchedLecture: {
          lectureId: 'lec_l01_09',
          positionSeconds: 847,
          resumeUrl: 'https://lantern.example/courses/foundations/lectures/lec_l01_09',
        },
      },
      {
        slug: 'ink-and-wash',
        accessState: 'ACTIVE',
        accessSource: 'MEMBERSHIP',
        startDate: null,
        expireDate: iso(T + 6 * DAY),
        hasLifetimeAccess: false,
        progress: expect.objectContaining({ completedLectures: 2, totalLectures: 6 }),
        lastWatchedLecture: expect.objectContaining({ lectureId: 'lec_l02_02' }),
      },
      {
        slug: 'portraits',
        accessState: 'EXPIRED',
        accessSource: 'PURCHASE',
        startDate: null,
        expireDate: iso(T - 40 * DAY),
        hasLifetimeAccess: false,
        progress: expect.objectContaining({ completedLectures: 0, totalLectures: 6 }),
        lastWatchedLecture: { lectureId: 'lec_l03_04', positionSeconds: 312, resumeUrl: null },
      },
    ])
  })

  it('shows a membership that is past due with its courses, suspended and open-ended', async () => {
    const course = { accessState: 'SUSPENDED', expireDate: null, hasLifetimeAccess: false }
    expect(
      await lantern.ask(
        'mem_l06',
        `{ viewer { subscriptions { nodes { planName state price { amount currencyCode } interval
          courses { slug accessState expireDate hasLifetimeAccess } } } } }`,
      ),
    ).toEqual({
      viewer: {
        subscriptions: {
          nodes: [
            {
              planName: 'Monthly',
              state: 'PAST_DUE',
              price: { amount: '19.00', currencyCode: 'EUR' },
              interval: 'MONTH',
              courses: [
                { slug: 'foundations', ...course },
                { slug: 'life-drawing', ...course },
              ],
            },
          ],
        },
      },
    })
  })

  it('shows nothing watched where nothing was, and what comes first', async () => {
    expect(
      await lantern.ask(
        'mem_l07',
        `{ viewer { enrolledCourse(slug: "sketchbook-habits") {
          lastWatchedLecture { lectureId } nextLecture { id kind completed positionSeconds }
          progress { ratio } } } }`,
      ),
    ).toEqual({
      viewer: {
        enrolledCourse: {
          lastWatchedLecture: null,
          nextLecture: {
            id: 'lec_l06_01',
            kind: 'VIDEO',
            completed: false,
            positionSeconds: null,
          },
          progress: { ratio: 0 },
        },
      },
    })
  })

  it('shows when a course begins that was bought ahead', async () => {
    expect(await coursesOf(lantern, 'mem_l08')).toEqual([
      expect.objectContaining({
        slug: 'perspective',
        accessState: 'SCHEDULED',
        startDate: iso(T + 10 * DAY),
        expireDate: null,
        hasLifetimeAccess: true,
        lastWatchedLecture: null,
      }),
    ])
  })

  it('knows a person without e-mail, with a name in another script', async () => {
    expect(await lantern.ask('mem_l11', '{ viewer { id email emailVerified name } }')).toEqual({
      viewer: { id: 'mem_l11', email: null, emailVerified: false, name: 'روي بينتو' },
    })
  })

  it('does not let hallpass find whoever is suspended', async () => {
    expect(await lantern.people.find('mem_l12')).toBe(null)
    expect((await lantern.people.find('mem_l05'))?.subject).toBe('mem_l05')
  })

  it('hides a course that was refunded unless it is asked for', async () => {
    const slugs = (nodes: unknown[]): unknown =>
      nodes.map((node) => (node as { slug: string }).slug)
    expect(slugs(await coursesOf(kiln, 'mem_k03'))).toEqual(['hand-building', 'foundations'])
    expect(
      await kiln.ask(
        'mem_k03',
        `{ viewer {
          enrolledCourses(filter: { accessState: [REVOKED] }) { nodes { slug expireDate hasLifetimeAccess } totalCount }
          orders(filter: { state: [REFUNDED] }) { nodes { number total { amount currencyCode } refunded { amount } } }
        } }`,
      ),
    ).toEqual({
      viewer: {
        enrolledCourses: {
          nodes: [
            { slug: 'glaze-chemistry', expireDate: iso(T - 30 * DAY), hasLifetimeAccess: false },
          ],
          totalCount: 1,
        },
        orders: {
          nodes: [
            {
              number: 'KC-2002',
              total: { amount: '2800', currencyCode: 'TWD' },
              refunded: { amount: '2800' },
            },
          ],
        },
      },
    })
  })

  it('gives courses of the same slug at two schools different identifiers', async () => {
    const query = '{ viewer { enrolledCourse(slug: "foundations") { courseId title } } }'
    expect([await lantern.ask('mem_l05', query), await kiln.ask('mem_k02', query)]).toEqual([
      { viewer: { enrolledCourse: { courseId: 'crs_l01', title: 'Foundations of Drawing' } } },
      { viewer: { enrolledCourse: { courseId: 'crs_k01', title: 'Foundations of Throwing' } } },
    ])
  })

  it.each(orders)('pages through 45 enrollments by %s, forward and backward', async (order) => {
    const { rows, total } = await lantern.source.enrollments(lantern.member('mem_l09'), {
      ...WHOLE,
      filter: ALL,
      order,
      count: true,
    })
    expect([rows.length, total]).toEqual([45, 45])
    const ids = rows.map(({ id }) => `enr_${id}`)
    expect(new Set(ids).size).toBe(45)
    const sorted = pageOf<EnrollmentRecord, typeof ALL, EnrollmentOrder>(
      rows.toReversed(),
      enrollmentOrders[order],
      { ...WHOLE, filter: ALL, order },
    )
    expect(rows).toEqual(sorted.rows)
    expect(await visited('first: 7, after: $cursor', order, ['hasNextPage', 'endCursor'])).toEqual(
      Array.from({ length: 7 }, (_, page) => ids.slice(7 * page, 7 * page + 7)),
    )
    expect(
      await visited('last: 7, before: $cursor', order, ['hasPreviousPage', 'startCursor']),
    ).toEqual(
      Array.from({ length: 7 }, (_, page) => ids.slice(Math.max(38 - 7 * page, 0), 45 - 7 * page)),
    )
  })

  async function visited(
    page: string,
    orderBy: EnrollmentOrder,
    [more, next]: readonly [string, string],
  ): Promise<readonly (readonly string[])[]> {
    const query = `query($cursor: String, $orderBy: EnrolledCourseOrder) { viewer {
      enrolledCourses(${page}, orderBy: $orderBy) {
        nodes { id } totalCount pageInfo { ${more} ${next} } } } }`
    const pages: string[][] = []
    let cursor: unknown = null
    for (let turn = 0; turn < 10; turn++) {
      const data = (await lantern.ask('mem_l09', query, { cursor, orderBy })) as {
        viewer: {
          enrolledCourses: {
            nodes: { id: string }[]
            totalCount: number
            pageInfo: Record<string, unknown>
          }
        }
      }
      const { nodes, totalCount, pageInfo } = data.viewer.enrolledCourses
      expect(totalCount).toBe(45)
      pages.push(nodes.map(({ id }) => id))
      if (pageInfo[more] !== true) return pages
      cursor = pageInfo[next]
    }
    return pages
  }

  it.each(orders)('cuts the same pages by %s as paging in memory does', async (order) => {
    const { keyOf } = enrollmentOrders[order]
    const member = lantern.member('mem_l09')
    const filter = { ...ALL, accessStates: ['ACTIVE', 'EXPIRED'] } as const
    const whole = await lantern.source.enrollments(member, { ...WHOLE, filter, order })
    const places = whole.rows.map((row) => ({ key: keyOf(row), id: row.id }))
    for (let index = 0; index < places.length; index += 6)
      for (const fromEnd of [false, true])
        for (const [after, before] of [
          [places[index]!, null],
          [null, places[index]!],
          [places[index]!, places[index + 12] ?? null],
        ] as const) {
          const query = { filter, order, after, before, limit: 4, fromEnd, count: true }
          expect(await lantern.source.enrollments(member, query)).toEqual(
            pageOf(whole.rows, enrollmentOrders[order], query),
          )
        }
  })

  it('neither shows nor counts a lecture that is a draft', async () => {
    const lecture = { courseId: 'crs_l01', lectureId: 'lec_l01_09' }
    const query = `{ viewer { enrolledCourse(slug: "foundations") {
      progress { completedLectures totalLectures } lastWatchedLecture { lectureId }
      sections { lectures { id } } } } }`
    const setState = (state: string | null): Promise<unknown> =>
      schools.execute(
        "update school_lecture set state = $1 where site = 'site_lantern' and id in ('lec_l01_01', 'lec_l01_09')",
        [state],
      )
    const seen = async (): Promise<unknown> => {
      const { viewer } = (await lantern.ask('mem_l05', query)) as {
        viewer: { enrolledCourse: { sections: { lectures: { id: string }[] }[] } }
      }
      const { sections, ...course } = viewer.enrolledCourse
      const lectures = sections.flatMap((section) => section.lectures.map(({ id }) => id))
      const isKnown = (await lantern.source.lecture(lantern.member('mem_l05'), lecture)) !== null
      return { ...course, shown: lectures.length, first: lectures.includes('lec_l01_01'), isKnown }
    }
    const all = {
      progress: { completedLectures: 8, totalLectures: 13 },
      lastWatchedLecture: { lectureId: 'lec_l01_09' },
      shown: 13,
      first: true,
      isKnown: true,
    }
    expect(await seen()).toEqual(all)
    await setState('draft')
    expect(await seen()).toEqual({
      progress: { completedLectures: 7, totalLectures: 11 },
      lastWatchedLecture: { lectureId: expect.not.stringMatching(/^lec_l01_09$/) as string },
      shown: 11,
      first: false,
      isKnown: false,
    })
    await setState('published')
    expect(await seen()).toEqual(all)
    await setState(null)
  })

  it('filters by the end of access, by completion and by identifiers', async () => {
    const idsOf = async (filter: object): Promise<readonly string[]> => {
      const { rows } = await lantern.source.enrollments(lantern.member('mem_l05'), {
        ...WHOLE,
        filter: { ...ALL, ...filter },
        order: 'EXPIRE_DATE_ASC',
      })
      return rows.map(({ id }) => id)
    }
    expect(await idsOf({})).toEqual(['l3', 'l2', 'l1'])
    expect(await idsOf({ expiresBefore: T })).toEqual(['l3'])
    expect(await idsOf({ expiresBefore: T + 6 * DAY })).toEqual(['l3'])
    expect(await idsOf({ expiresBefore: T + 6 * DAY + 1 })).toEqual(['l3', 'l2'])
    expect(await idsOf({ completed: true })).toEqual([])
    expect(await idsOf({ completed: false, ids: ['l1', 'l4', 'k1'] })).toEqual(['l1'])
    expect(await idsOf({ ids: [] })).toEqual([])
    const { rows } = await kiln.source.enrollments(kiln.member('mem_k03'), {
      ...WHOLE,
      filter: { ...ALL, completed: true },
      order: 'TITLE_ASC',
    })
    expect(rows).toMatchObject([
      { slug: 'hand-building', progress: { completedLectures: 4, completedAt: T - 8 * DAY } },
    ])
  })

  it('needs one statement for a page of courses, and one for the outlines of all of them', async () => {
    const before = schools.statements()
    await coursesOf(lantern, 'mem_l09')
    // The other is the profile.
    expect(schools.statements() - before).toBe(2)
    await lantern.ask(
      'mem_l09',
      `{ viewer { enrolledCourses(first: 45) { nodes { nextLecture { id }
        sections { title lectures { id completed } } } } } }`,
    )
    expect(schools.statements() - before).toBe(5)
  })

  it('lets time end access without anybody changing a row', async () => {
    const query = '{ viewer { enrolledCourse(slug: "ink-and-wash") { accessState } } }'
    const stateAt = (at: number): Promise<unknown> => lantern.ask('mem_l05', query, {}, at)
    expect(await stateAt(T + 6 * DAY - 1)).toEqual({
      viewer: { enrolledCourse: { accessState: 'ACTIVE' } },
    })
    expect(await stateAt(T + 6 * DAY)).toEqual({
      viewer: { enrolledCourse: { accessState: 'EXPIRED' } },
    })
  })

  it('works the state of access out as the library does, in every combination', async () => {
    const times = [null, T - 1, T, T + 1]
    const combinations = times.flatMap((startDate) =>
      times.flatMap((expireDate) =>
        [false, true].flatMap((suspended) =>
          times.map((revokedAt) => ({ startDate, expireDate, suspended, revokedAt })),
        ),
      ),
    )
    const { rows } = await schools.execute(
      `select ${accessStateSql('$2::bigint')} as state
       from jsonb_array_elements($1::text::jsonb) with ordinality as c (fields, position)
       cross join lateral (select (fields ->> 'startDate')::bigint as start_date,
         (fields ->> 'expireDate')::bigint as expire_date,
         (fields ->> 'revokedAt')::bigint as revoked_at,
         (fields ->> 'suspended')::boolean as suspended) e
       order by position`,
      [JSON.stringify(combinations), T],
    )
    expect(rows).toEqual(combinations.map((one) => ({ state: accessStateOf(one, T) })))
  })
})
