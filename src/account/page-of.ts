import { isBefore } from '../time/seconds.js'
import type {
  EnrollmentFilter,
  EnrollmentOrder,
  EnrollmentRecord,
  ListQuery,
  Place,
  Rows,
} from './source.js'

/**
 * How each order of `enrolledCourses` compares enrollments, for use with {@link pageOf}.
 *
 * @example
 * ```ts
 * import { enrollmentOrders } from 'hallpass/account'
 *
 * Object.keys(enrollmentOrders) // => ['RECENTLY_WATCHED', 'ENROLLED_AT_DESC', 'EXPIRE_DATE_ASC', 'TITLE_ASC']
 * enrollmentOrders.TITLE_ASC.descending // => false
 * ```
 * @group Courses
 */
export const enrollmentOrders: Readonly<
  Record<
    EnrollmentOrder,
    {
      /** Returns the value that is compared. */
      readonly keyOf: (row: EnrollmentRecord) => Place['key']
      /** `true` sorts the greatest value first. Rows whose value is `null` come last in both directions. */
      readonly descending: boolean
    }
  >
> = {
  RECENTLY_WATCHED: {
    keyOf: (row) => row.lastWatchedLecture?.watchedAt ?? null,
    descending: true,
  },
  ENROLLED_AT_DESC: { keyOf: (row) => row.enrolledAt, descending: true },
  EXPIRE_DATE_ASC: { keyOf: (row) => row.expireDate, descending: false },
  TITLE_ASC: { keyOf: (row) => row.title, descending: false },
}

/**
 * Sorts rows in memory and returns the page that a query asks for. Use it in an {@link AccountSource}
 * whose lists are short enough to load completely, such as the orders of one member.
 *
 * @param rows - all rows that match the filter, in any order
 * @param ordering - what is compared, and in which direction
 * @param query - as the source received it
 * @returns the rows in the order of the list; `total` is the number of all rows, or `null` unless the query
 *   has `count: true`
 * @example
 * ```ts
 * import { pageOf } from 'hallpass/account'
 *
 * const orders = [{ id: 'a', placedAt: 10 }, { id: 'b', placedAt: 30 }, { id: 'c', placedAt: 20 }]
 * const latestFirst = { keyOf: (row: { placedAt: number }) => row.placedAt, descending: true }
 * const first = {
 *   filter: null, order: 'PLACED_AT_DESC', after: null, before: null, limit: 2, fromEnd: false, count: false,
 * }
 * pageOf(orders, latestFirst, first).rows.map(({ id }) => id) // => ['b', 'c']
 *
 * const next = { ...first, after: { key: 20, id: 'c' }, count: true }
 * pageOf(orders, latestFirst, next) // => { rows: [{ id: 'a', placedAt: 10 }], total: 3 }
 * ```
 * @group Paging
 */
export function pageOf<Row extends { readonly id: string }, Filter, Order extends string>(
  rows: readonly Row[],
  {
    keyOf,
    descending,
  }: {
    /** Returns the value that is compared. */
    readonly keyOf: (row: Row) => Place['key']
    /** `true` sorts the greatest value first. Rows whose value is `null` come last in both directions. */
    readonly descending: boolean
  },
  { after, before, limit, fromEnd, count }: ListQuery<Filter, Order>,
): Rows<Row> {
  const placeOf = (row: Row): Place => ({ key: keyOf(row), id: row.id })
  const isAfter = (one: Place, other: Place): boolean => compare(one, other, descending) > 0
  const within = rows
    .toSorted((one, other) => compare(placeOf(one), placeOf(other), descending))
    .filter((row) => {
      const place = placeOf(row)
      return (
        (after === null || isAfter(place, after)) && (before === null || isAfter(before, place))
      )
    })
  const page = fromEnd ? within.slice(Math.max(within.length - limit, 0)) : within.slice(0, limit)
  return { rows: page, total: count ? rows.length : null }
}

function compare(one: Place, other: Place, descending: boolean): number {
  if (one.key !== other.key) {
    if (one.key === null) return 1
    if (other.key === null) return -1
    const isLess = one.key < other.key
    return isLess === descending ? 1 : -1
  }
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

/**
 * Whether an enrollment matches a filter, for sources that filter in memory before {@link pageOf}.
 *
 * @example
 * ```ts
 * import { type EnrollmentFilter, type EnrollmentRecord, matchesEnrollment } from 'hallpass/account'
 *
 * const drawing: EnrollmentRecord = {
 *   id: 'e1', courseId: 'c1', slug: 'drawing', title: 'Drawing', coverImage: null,
 *   url: 'https://school.example/drawing', enrolledAt: 1_760_605_200, startDate: null, expireDate: null,
 *   hasLifetimeAccess: true, accessState: 'ACTIVE', accessSource: 'PURCHASE', lastWatchedLecture: null,
 *   progress: { completedLectures: 2, totalLectures: 9, completedAt: null },
 * }
 * const active: EnrollmentFilter = {
 *   ids: null, slug: null, accessStates: ['ACTIVE'], expiresBefore: null, completed: null,
 * }
 * matchesEnrollment(drawing, active) // => true
 * matchesEnrollment(drawing, { ...active, completed: true }) // => false
 * ```
 * @group Courses
 */
export function matchesEnrollment(row: EnrollmentRecord, filter: EnrollmentFilter): boolean {
  const { ids, slug, accessStates, expiresBefore, completed } = filter
  return (
    (ids === null || ids.includes(row.id)) &&
    (slug === null || row.slug === slug) &&
    accessStates.includes(row.accessState) &&
    (expiresBefore === null ||
      (row.expireDate !== null && isBefore(row.expireDate, expiresBefore))) &&
    (completed === null || (row.progress.completedAt !== null) === completed)
  )
}
