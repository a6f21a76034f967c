import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { listEnrollments } from '../../../examples/school/src/learning/account.js'
import { demoAtT, openTestDatabase } from '../../support/databases/templates.js'
import { T } from '../../support/school/school.js'

const COURSES = 300
const MEMBER = 'mem_l05'
const ADDED = `generate_series(1, ${COURSES}) i`

let database: Database
beforeAll(async () => {
  database = await openTestDatabase({ template: demoAtT })
  const run = (sql: string): Promise<unknown> => database.execute(sql, [])
  await run(
    `insert into school_course (site, id, slug, title, description, status, created_at, updated_at)
     select 'site_lantern', 'crs_' || i, 'course-' || i, 'Course ' || i, '', 'published', 1, 1 from ${ADDED}`,
  )
  await run(
    `insert into school_section (site, id, course_id, position, title)
     select 'site_lantern', 'sec_' || i, 'crs_' || i, 0, 'One' from ${ADDED}`,
  )
  await run(
    `insert into school_lecture (site, id, course_id, section_id, position, title, kind)
     select 'site_lantern', 'lec_' || i || '_' || j, 'crs_' || i, 'sec_' || i, j, 'Lecture', 'VIDEO'
     from ${ADDED}, generate_series(1, 5) j`,
  )
  await run(
    `insert into school_enrollment
       (site, id, member_id, course_id, enrolled_at, lifetime, suspended, source)
     select 'site_lantern', 'enr_' || i, '${MEMBER}', 'crs_' || i, i, true, false, 'GRANTED' from ${ADDED}`,
  )
  await run(
    `insert into school_lecture_progress (site, member_id, lecture_id, position_seconds, watched_at)
     select 'site_lantern', '${MEMBER}', 'lec_' || i || '_1', 5, i from ${ADDED}`,
  )
  await run('analyze')
})
afterAll(() => database.close())

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** How many rows a plan read of a table. */
const readOf = (table: string, plan: Plan): number =>
  (plan['Relation Name'] === table
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, one) => sum + readOf(table, one), 0)

it('reads what a member watched twice for a page of courses, however many there are', async () => {
  let plan: Plan | null = null
  const list = listEnrollments({
    async execute(sql, parameters) {
      const { rows } = await database.execute(`explain (analyze, format json) ${sql}`, parameters)
      plan = (rows[0] as { 'QUERY PLAN': readonly { Plan: Plan }[] })['QUERY PLAN'][0]!.Plan
      return database.execute(sql, parameters)
    },
    transaction: database.transaction,
    site: 'site_lantern',
    origin: 'https://lantern.example',
    now: () => T,
  })
  const { rows } = await list(
    {
      subject: MEMBER,
      orgId: 'site_lantern',
      roles: ['student'],
      name: null,
      email: null,
      picture: null,
    },
    {
      filter: {
        ids: null,
        slug: null,
        accessStates: ['ACTIVE'],
        expiresBefore: null,
        completed: null,
      },
      order: 'RECENTLY_WATCHED',
      after: null,
      before: null,
      limit: 20,
      fromEnd: false,
      count: false,
    },
  )
  expect(rows).toHaveLength(20)
  expect(readOf('school_lecture_progress', plan!)).toBeGreaterThan(COURSES)
  expect(readOf('school_lecture_progress', plan!)).toBeLessThan(5 * COURSES)
})
