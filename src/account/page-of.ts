import type { EnrollmentFilter, EnrollmentOrder, EnrollmentRecord, ListQuery, Place, Rows } from './source.js' // prettier-ignore

/** How an order compares rows. */
export interface Ordering<Row> {
  /** What is compared. */
  readonly keyOf: (row: Row) => Place['key']
  /** `true`: the greatest first. `null` stands last either way. */
  readonly descending: boolean
}

/** The orders of enrollments. */
export const enrollmentOrders: Readonly<Record<EnrollmentOrder, Ordering<EnrollmentRecord>>> = {
  RECENTLY_WATCHED: {
    keyOf: (row) => row.lastWatchedLecture?.watchedAt ?? null,
    descending: true,
  },
  ENROLLED_AT_DESC: { keyOf: (row) => row.enrolledAt, descending: true },
  EXPIRE_DATE_ASC: { keyOf: (row) => row.expireDate, descending: false },
  TITLE_ASC: { keyOf: (row) => row.title, descending: false },
}

/**
 * The page of a list that is small enough to hold: for sources that load a member's few rows at once
 * and leave the paging to us.
 *
 * @param rows - all rows that match the filter, in any order
 */
export function pageOf<Row extends { readonly id: string }, Filter, Order extends string>(
  rows: readonly Row[],
  { keyOf, descending }: Ordering<Row>,
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

/** Whether an enrollment is one that a filter asks for. */
export function matchesEnrollment(row: EnrollmentRecord, filter: EnrollmentFilter): boolean {
  const { ids, slug, accessStates, expiresBefore, completed } = filter
  return (
    (ids === null || ids.includes(row.id)) &&
    (slug === null || row.slug === slug) &&
    accessStates.includes(row.accessState) &&
    (expiresBefore === null || (row.expireDate !== null && row.expireDate < expiresBefore)) &&
    (completed === null || (row.progress.completedAt !== null) === completed)
  )
}
