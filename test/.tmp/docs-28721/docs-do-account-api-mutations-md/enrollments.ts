// enrollments.ts
import {
  accessStateOf,
  type AccountSource,
  type EnrollmentRecord,
  enrollmentOrders,
  matchesEnrollment,
  type Member,
  pageOf,
} from 'hallpass/account'
import { courses } from './school.js'
import { db } from './tables.js'

interface Row {
  readonly id: string
  readonly course: string
  readonly bought_at: number
  readonly access_until: number | null
  readonly refunded_at: number | null
  readonly finished: number
  readonly finished_at: number | null
  readonly lecture: string | null
  readonly seconds: number | null
  readonly seen_at: number | null
}

export async function loadEnrollments(
  { subject }: Member,
  now: number,
): Promise<readonly EnrollmentRecord[]> {
  const { rows } = await db.query<Row>(
    `select id, purchases.course,
       extract(epoch from bought_at)::float8 as bought_at,
       extract(epoch from access_until)::float8 as access_until,
       extract(epoch from refunded_at)::float8 as refunded_at,
       coalesce(done.finished, 0)::float8 as finished,
       extract(epoch from done.finished_at)::float8 as finished_at,
       latest.lecture, latest.seconds, extract(epoch from latest.seen_at)::float8 as seen_at
     from purchases
     left join (
       select course, count(finished_at) as finished, max(finished_at) as finished_at
       from watch_log where member = $1 group by course
     ) done on done.course = purchases.course
     left join (
       select distinct on (course) course, lecture, seconds, seen_at
       from watch_log where member = $1 and seen_at is not null
       order by course, seen_at desc, lecture
     ) latest on latest.course = purchases.course
     where purchases.member = $1`,
    [subject],
  )
  return rows.map((row) => enrollmentOf(row, now))
}

function enrollmentOf(row: Row, now: number): EnrollmentRecord {
  const course = courses.get(row.course)!
  const lectures = course.sections.flatMap((section) => section.lectures)
  const last = lectures.find(({ id }) => id === row.lecture)
  const url = `https://kiln.example/courses/${row.course}`
  const expireDate = row.refunded_at ?? row.access_until
  return {
    id: row.id,
    courseId: row.course,
    slug: row.course,
    title: course.title,
    coverImage: null,
    url,
    enrolledAt: row.bought_at,
    startDate: null,
    expireDate,
    hasLifetimeAccess: expireDate === null,
    accessState: accessStateOf(
      { startDate: null, expireDate, suspended: false, revokedAt: row.refunded_at },
      now,
    ),
    accessSource: 'PURCHASE',
    progress: {
      completedLectures: row.finished,
      totalLectures: lectures.length,
      completedAt: row.finished < lectures.length ? null : row.finished_at,
    },
    lastWatchedLecture:
      last === undefined
        ? null
        : {
            lectureId: last.id,
            title: last.title,
            positionSeconds: row.seconds!,
            durationSeconds: last.seconds,
            watchedAt: row.seen_at!,
            resumeUrl: `${url}/${last.id}`,
          },
  }
}

export const enrollments =
  (now: () => number): AccountSource['enrollments'] =>
  async (member, query) => {
    const rows = await loadEnrollments(member, now())
    return pageOf(
      rows.filter((row) => matchesEnrollment(row, query.filter)),
      enrollmentOrders[query.order],
      query,
    )
  }
