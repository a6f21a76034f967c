// enrollments.ts
import {
  accessStateOf,
  type AccountSource,
  type EnrollmentRecord,
  enrollmentOrders,
  matchesEnrollment,
  pageOf,
} from 'hallpass/account'
import { courses, db } from './tables.js'

interface Row {
  readonly id: string
  readonly course: string
  readonly bought_at: number
  readonly access_until: number | null
  readonly refunded_at: number | null
}

function enrollmentOf(row: Row, now: number): EnrollmentRecord {
  const { title, lectures } = courses.get(row.course)!
  const expireDate = row.refunded_at ?? row.access_until
  return {
    id: row.id,
    courseId: row.course,
    slug: row.course,
    title,
    coverImage: null,
    url: `https://kiln.example/courses/${row.course}`,
    enrolledAt: row.bought_at,
    startDate: null,
    expireDate,
    hasLifetimeAccess: expireDate === null,
    accessState: accessStateOf(
      { startDate: null, expireDate, suspended: false, revokedAt: row.refunded_at },
      now,
    ),
    accessSource: 'PURCHASE',
    progress: { completedLectures: 0, totalLectures: lectures, completedAt: null },
    lastWatchedLecture: null,
  }
}

export const enrollments =
  (now: () => number): AccountSource['enrollments'] =>
  async ({ subject }, query) => {
    const { rows } = await db.query<Row>(
      `select id, course,
         extract(epoch from bought_at)::float8 as bought_at,
         extract(epoch from access_until)::float8 as access_until,
         extract(epoch from refunded_at)::float8 as refunded_at
       from purchases where member = $1`,
      [subject],
    )
    const records = rows.map((row) => enrollmentOf(row, now()))
    return pageOf(
      records.filter((record) => matchesEnrollment(record, query.filter)),
      enrollmentOrders[query.order],
      query,
    )
  }
