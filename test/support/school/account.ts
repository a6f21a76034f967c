import {
  type AccountSource,
  type DigitalProductRecord,
  enrollmentOrders,
  type EnrollmentRecord,
  type EventRegistrationRecord,
  matchesEnrollment,
  type Member,
  type OrderRecord,
  pageOf,
  type SectionRecord,
  type SubscriptionRecord,
} from 'hallpass/account'
import { T } from './school.js'

const DAY = 86_400

/** What one member has. A test changes it. */
export interface MemberData {
  profile: {
    email: string | null
    name: string | null
    changes: Parameters<AccountSource['updateProfile']>[1][]
  }
  enrollments: EnrollmentRecord[]
  orders: OrderRecord[]
  registrations: EventRegistrationRecord[]
  outlines: Map<string, SectionRecord[]>
  subscriptions?: SubscriptionRecord[]
  digitalProducts?: DigitalProductRecord[]
}

export function enrollment(fields: Partial<EnrollmentRecord> = {}): EnrollmentRecord {
  return {
    id: 'e1',
    courseId: 'c1',
    slug: 'foundations',
    title: 'Foundations',
    coverImage: null,
    url: 'https://lantern.example/courses/foundations',
    enrolledAt: T - 30 * DAY,
    startDate: null,
    expireDate: null,
    hasLifetimeAccess: true,
    accessState: 'ACTIVE',
    accessSource: 'PURCHASE',
    progress: { completedLectures: 8, totalLectures: 13, completedAt: null },
    lastWatchedLecture: {
      lectureId: 'l9',
      title: 'Light and shade',
      positionSeconds: 847,
      durationSeconds: 1200,
      watchedAt: T - 3600,
      resumeUrl: null,
    },
    ...fields,
  }
}

/** A source in memory, by `sub`; it counts its calls. */
export function createSource(members: ReadonlyMap<string, MemberData>): {
  readonly source: AccountSource
  readonly calls: string[]
} {
  const calls: string[] = []
  const of = ({ subject }: Member): MemberData => {
    const data = members.get(subject)
    if (data === undefined) throw new Error(`nobody is ${subject}`)
    return data
  }
  const latest = <Row>(keyOf: (row: Row) => number) => ({ keyOf, descending: true })
  const withIds = <Row extends { readonly id: string }>(
    rows: readonly Row[],
    { ids }: { readonly ids: readonly string[] | null },
  ) => rows.filter(({ id }) => ids === null || ids.includes(id))
  const counted = <Arguments extends unknown[], Answer>(
    name: string,
    answer: (...parameters: Arguments) => Answer,
  ): ((...parameters: Arguments) => Promise<Answer>) => {
    return async (...parameters) => {
      calls.push(name)
      return answer(...parameters)
    }
  }
  const source: AccountSource = {
    profile: counted('profile', (member) => {
      const { email, name } = of(member).profile
      return {
        email,
        emailVerified: email !== null,
        name,
        picture: null,
        locale: 'en',
        timeZone: 'Europe/Lisbon',
        memberSince: T - 400 * DAY,
      }
    }),
    site: counted('site', ({ orgId }) => ({
      id: orgId,
      name: 'Lantern Street Drawing School',
      url: 'https://lantern.example',
      timeZone: 'Europe/Lisbon',
      currencyCode: 'EUR',
    })),
    enrollments: counted('enrollments', (member, query) =>
      pageOf(
        of(member).enrollments.filter((row) => matchesEnrollment(row, query.filter)),
        enrollmentOrders[query.order],
        query,
      ),
    ),
    orders: counted('orders', (member, query) => {
      const { ids, states, placedAfter, placedBefore } = query.filter
      const rows = of(member).orders.filter(
        (row) =>
          (ids === null || ids.includes(row.id)) &&
          (states === null || states.includes(row.state)) &&
          (placedAfter === null || row.placedAt > placedAfter) &&
          (placedBefore === null || row.placedAt < placedBefore),
      )
      return pageOf(
        rows,
        latest((row) => row.placedAt),
        query,
      )
    }),
    eventRegistrations: counted('eventRegistrations', (member, query) => {
      const { ids, states, when, now } = query.filter
      const rows = of(member).registrations.filter(
        (row) =>
          (ids === null || ids.includes(row.id)) &&
          (states === null || states.includes(row.state)) &&
          (when === 'ANY' || row.event.endsAt > now === (when === 'UPCOMING')),
      )
      return pageOf(
        rows,
        latest((row) => row.registeredAt),
        query,
      )
    }),
    subscriptions: counted('subscriptions', (member, query) =>
      pageOf(
        withIds(of(member).subscriptions ?? [], query.filter),
        latest((row) => row.startedAt),
        query,
      ),
    ),
    digitalProducts: counted('digitalProducts', (member, query) =>
      pageOf(
        withIds(of(member).digitalProducts ?? [], query.filter),
        latest((row) => row.acquiredAt),
        query,
      ),
    ),
    courseOutlines: counted('courseOutlines', (member, courseIds) => {
      const { outlines, enrollments } = of(member)
      const own = courseIds.filter((id) => enrollments.some(({ courseId }) => courseId === id))
      return new Map(own.flatMap((id) => (outlines.has(id) ? [[id, outlines.get(id)!]] : [])))
    }),
    lecture: counted('lecture', (member, { courseId, lectureId }) => {
      const { enrollments, outlines } = of(member)
      const row = enrollments.find((one) => one.courseId === courseId)
      const lecture = (outlines.get(courseId) ?? [])
        .flatMap(({ lectures }) => lectures)
        .find(({ id }) => id === lectureId)
      if (row === undefined || lecture === undefined) return null
      const last = row.lastWatchedLecture
      return {
        enrollmentId: row.id,
        accessState: row.accessState,
        durationSeconds: lecture.durationSeconds,
        watchedAt: last?.lectureId === lectureId ? last.watchedAt : null,
      }
    }),
    savePlayback: counted('savePlayback', (member, playback) => {
      const data = of(member)
      const index = data.enrollments.findIndex(({ courseId }) => courseId === playback.courseId)
      const row = data.enrollments[index]!
      const last = row.lastWatchedLecture
      if (last?.lectureId === playback.lectureId && last.watchedAt > playback.watchedAt)
        return 'stale'
      const { lectureId, positionSeconds, watchedAt } = playback
      data.enrollments[index] = {
        ...row,
        lastWatchedLecture: {
          lectureId,
          positionSeconds,
          watchedAt,
          title: null,
          durationSeconds: null,
          resumeUrl: null,
        },
      }
      return 'saved'
    }),
    markLecture: counted('markLecture', (member, { courseId, lectureId, completed }) => {
      const { outlines } = of(member)
      const sections = outlines.get(courseId) ?? []
      outlines.set(
        courseId,
        sections.map((section) => ({
          ...section,
          lectures: section.lectures.map((one) =>
            one.id === lectureId ? { ...one, completed } : one,
          ),
        })),
      )
    }),
    cancelEventRegistration: counted('cancelEventRegistration', (member, { id, at }) => {
      const { registrations } = of(member)
      const index = registrations.findIndex((one) => one.id === id)
      if (!/^(?:REGISTERED|WAITLISTED)$/.test(registrations[index]!.state)) return 'conflict'
      registrations[index] = { ...registrations[index]!, state: 'CANCELLED', cancelledAt: at }
      return 'cancelled'
    }),
    updateProfile: counted('updateProfile', (member, changes) => {
      const { profile } = of(member)
      profile.changes.push(changes)
      if (changes.name !== undefined) profile.name = changes.name
    }),
  }
  return { source, calls }
}
