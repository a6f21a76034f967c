// source.ts
import {
  accessStateOf,
  type AccountSource,
  type EventRegistrationRecord,
  type LectureState,
  type Member,
  pageOf,
  type SectionRecord,
} from 'hallpass/account'
import { enrollments, loadEnrollments } from './enrollments.js'
import { courses, events, type User, users } from './school.js'
import { db } from './tables.js'

function userOf({ subject }: Member): User {
  const user = users.get(subject)
  if (user === undefined) throw new Error(`no user ${subject}`)
  return user
}

async function outlinesOf(
  { subject }: Member,
  courseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SectionRecord[]>> {
  interface Row {
    readonly course: string
    readonly lecture: string
    readonly seconds: number
    readonly finished: boolean
  }
  const { rows } = await db.query<Row>(
    `select course, lecture, seconds, finished_at is not null as finished
     from watch_log where member = $1 and course = any($2::text[])`,
    [subject, courseIds],
  )
  const watched = new Map(rows.map((row) => [`${row.course}/${row.lecture}`, row]))
  const sectionsOf = (courseId: string): readonly SectionRecord[] =>
    courses.get(courseId)!.sections.map(({ id, title, lectures }) => ({
      id,
      title,
      lectures: lectures.map((lecture) => {
        const path = `${courseId}/${lecture.id}`
        return {
          id: lecture.id,
          title: lecture.title,
          kind: lecture.kind,
          durationSeconds: lecture.seconds,
          completed: watched.get(path)?.finished ?? false,
          positionSeconds: watched.get(path)?.seconds ?? null,
          url: `https://kiln.example/courses/${path}`,
        }
      }),
    }))
  return new Map(courseIds.map((id) => [id, sectionsOf(id)]))
}

async function registrationsOf({ subject }: Member): Promise<readonly EventRegistrationRecord[]> {
  const { rows } = await db.query<{
    id: string
    event: string
    price: string
    booked_at: number
    cancelled_at: number | null
  }>(
    `select id, event, price, extract(epoch from booked_at)::float8 as booked_at,
       extract(epoch from cancelled_at)::float8 as cancelled_at
     from bookings where member = $1`,
    [subject],
  )
  return rows.map((row) => ({
    id: row.id,
    state: row.cancelled_at === null ? 'REGISTERED' : 'CANCELLED',
    registeredAt: row.booked_at,
    cancelledAt: row.cancelled_at,
    checkedInAt: null,
    ticketName: 'Seat',
    ticketCode: null,
    price: { amount: row.price, currencyCode: 'EUR' },
    event: {
      id: row.event,
      slug: row.event,
      ...events.get(row.event)!,
      timeZone: 'Europe/Lisbon',
      isOnline: false,
      venue: 'The workshop',
      url: `https://kiln.example/events/${row.event}`,
    },
    joinUrl: null,
    cancellableUntil: null,
  }))
}

const none = async () => ({ rows: [], total: 0 })

/** @param now - epoch seconds */
export function createSource(now: () => number): AccountSource {
  return {
    profile: async (member) => {
      const { email, name, picture, locale, timeZone, joinedAt } = userOf(member)
      const emailVerified = email !== null
      return { email, emailVerified, name, picture, locale, timeZone, memberSince: joinedAt }
    },
    updateProfile: async (member, changes) => void Object.assign(userOf(member), changes),
    site: async ({ orgId }) => ({
      id: orgId,
      name: 'Kiln & Coil Pottery',
      url: 'https://kiln.example',
      timeZone: 'Europe/Lisbon',
      currencyCode: 'EUR',
    }),
    enrollments: enrollments(now),
    orders: none,
    eventRegistrations: async (member, query) => {
      const { ids, states, when, now } = query.filter
      const rows = (await registrationsOf(member)).filter(
        ({ id, state, event }) =>
          (ids === null || ids.includes(id)) &&
          (states === null || states.includes(state)) &&
          (when === 'ANY' || event.endsAt > now === (when === 'UPCOMING')),
      )
      return pageOf(rows, { keyOf: (row) => row.registeredAt, descending: true }, query)
    },
    subscriptions: none,
    digitalProducts: none,

    courseOutlines: async (member, courseIds) => {
      const own = new Set((await loadEnrollments(member, now())).map(({ courseId }) => courseId))
      return outlinesOf(
        member,
        courseIds.filter((id) => own.has(id)),
      )
    },
    lecture: async ({ subject }, { courseId, lectureId }): Promise<LectureState | null> => {
      const sections = courses.get(courseId)?.sections ?? []
      const lecture = sections
        .flatMap(({ lectures }) => lectures)
        .find(({ id }) => id === lectureId)
      // Of several enrollments in the course, the one that lasts longest decides.
      const { rows } = await db.query<{
        id: string
        access_until: number | null
        refunded_at: number | null
        seen_at: number | null
      }>(
        `select id, extract(epoch from access_until)::float8 as access_until,
           extract(epoch from refunded_at)::float8 as refunded_at,
           (select extract(epoch from seen_at)::float8 from watch_log
            where member = $1 and course = $2 and lecture = $3) as seen_at
         from purchases where member = $1 and course = $2
         order by refunded_at nulls first, access_until desc nulls first, id limit 1`,
        [subject, courseId, lectureId],
      )
      const [row] = rows
      if (lecture === undefined || row === undefined) return null
      return {
        enrollmentId: row.id,
        accessState: accessStateOf(
          {
            startDate: null,
            expireDate: row.access_until,
            suspended: false,
            revokedAt: row.refunded_at,
          },
          now(),
        ),
        durationSeconds: lecture.seconds,
        watchedAt: row.seen_at,
      }
    },
    savePlayback: async ({ subject }, { courseId, lectureId, positionSeconds, watchedAt }) => {
      const { rows } = await db.query(
        `insert into watch_log (member, course, lecture, seconds, seen_at)
         values ($1, $2, $3, $4, to_timestamp($5))
         on conflict (member, course, lecture) do update
           set seconds = excluded.seconds, seen_at = excluded.seen_at
           where watch_log.seen_at is null or watch_log.seen_at <= excluded.seen_at
         returning lecture`,
        [subject, courseId, lectureId, positionSeconds, watchedAt],
      )
      return rows.length > 0 ? 'saved' : 'stale'
    },
    markLecture: async ({ subject }, { courseId, lectureId, completed, at }) => {
      await db.query(
        `insert into watch_log (member, course, lecture, finished_at)
         values ($1, $2, $3, case when $4::boolean then to_timestamp($5) end)
         on conflict (member, course, lecture) do update
           set finished_at = case when $4::boolean
             then coalesce(watch_log.finished_at, excluded.finished_at) end`,
        [subject, courseId, lectureId, completed, at],
      )
    },
    cancelEventRegistration: async ({ subject }, { id, reason, at }) => {
      const { rows } = await db.query(
        `update bookings set cancelled_at = to_timestamp($3), cancel_reason = $4
         where id = $1 and member = $2 and cancelled_at is null
         returning id`,
        [id, subject, at, reason],
      )
      return rows.length > 0 ? 'cancelled' : 'conflict'
    },
  }
}
