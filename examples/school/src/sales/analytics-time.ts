import { type Problem, refuseWith } from 'hallpass/admin'

/** The first and the last day in the calendar of the school, such as `2026-11-20`, and the length of the periods. */
export interface AnalyticsTime {
  readonly from: string
  readonly to: string
  readonly interval: 'day' | 'week' | 'month'
}

/** Maximum number of periods in a response. */
export const MOST_PERIODS = 400

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
const SHORTEST_DAYS = { day: 1, week: 7, month: 28 } as const

/** Returns the day of a time in a time zone, such as `2026-11-20`. */
export function dayOf(epochSeconds: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const parts = new Map(
    format.formatToParts(epochSeconds * 1000).map(({ type, value }) => [type, value]),
  )
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

/**
 * Decides the days of a report.
 *
 * @param asked - the request. Without `to` the report ends `today`; without `from` it has 30 days.
 * @returns the days, or `invalid_request` for days in the wrong order and for too many periods
 */
export function decideTime(
  {
    from,
    to,
    interval,
  }: {
    from: string | undefined
    to: string | undefined
    interval: AnalyticsTime['interval']
  },
  today: string,
): AnalyticsTime | Problem {
  const last = to ?? today
  const first = from ?? dayBefore(last, DEFAULT_DAYS - 1)
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  if (days < 1) return refuseWith('invalid_request', '/from: must not be after /to')
  return days / SHORTEST_DAYS[interval] > MOST_PERIODS - 2
    ? refuseWith(
        'invalid_request',
        '/interval: too many periods: request longer periods or fewer days',
      )
    : { from: first, to: last, interval }
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
