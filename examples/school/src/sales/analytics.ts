import { isProblem } from 'hallpass/admin'
import * as z from 'zod'
import { figuresSql, reports } from './analytics-figures.js'
import { dayOf, decideTime, MOST_PERIODS } from './analytics-time.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { currencyCode, day, money } from '../admin/fields.js'
import type { Kit } from '../admin/kit.js'
import { openedAs, readTerms } from '../school/settings.js'

const report = z.enum(reports)
const interval = z.enum(['day', 'week', 'month'])
const count = z.int().min(0).optional()

const AnalyticsTotals = z
  .object({
    gross: money.optional(),
    refunded: money.optional(),
    net: money.optional().describe('Gross revenue minus refunds.'),
    tax: money.optional(),
    orders: count,
    enrollments: count,
    active_enrollments: count.describe('How many of these have access now.'),
    students: count.describe(
      'Number of enrollments up to the last day, where a member counts once in each course.',
    ),
    completed: count.describe('How many of these students have completed every lecture.'),
    completion_ratio: z.number().min(0).max(1).nullable().optional(),
    active_members: count,
    lectures_completed: count,
  })
  .meta({
    id: 'AnalyticsTotals',
    description: 'The totals of this report. The overview has the totals of all reports.',
  })

const Analytics = z
  .object({
    report,
    from: day,
    to: day,
    interval,
    time_zone: z.string().max(64),
    currency: currencyCode,
    unit: z.enum(['money', 'count']).describe('Unit of the values in the series.'),
    series: z
      .array(
        z.object({
          period: day.describe('First day of the period.'),
          value: z.string().max(40).describe('An exact decimal number, as text.'),
        }),
      )
      .max(MOST_PERIODS),
    totals: AnalyticsTotals,
  })
  .meta({ id: 'Analytics', description: 'A report over days in the calendar of the school.' })
type Analytics = z.output<typeof Analytics>

/** The operation that returns reports. They contain no personal data. */
export const analyticsOperations = (kit: Kit): readonly SchoolOperation[] => [
  defineOperation({
    id: 'analytics.get',
    summary: 'Get a report on revenue and learning',
    description:
      'Returns a series over days, weeks or months, and totals. `overview`: net revenue, with the totals of all reports. `revenue`: payments minus refunds, on the day of the payment. `enrollments`: new enrollments. `completion`: completed courses. `engagement`: members who watched or completed something. Days are those of the calendar of the school. `from` and `to` are included, so the first or the last period may be incomplete. Default: the last 30 days.',
    scope: 'analytics:read',
    effect: 'read',
    method: 'GET',
    path: '/analytics/{report}',
    tool: 'get_analytics',
    input: z.strictObject({
      report,
      from: day.optional(),
      to: day.optional(),
      interval: interval.default('day'),
    }),
    output: Analytics,
    async run(_context, { report: wanted, from, to, interval: step }) {
      const { timeZone, currency } = await kit.read((db) => readTerms(db, openedAs(kit.site)))
      const time = decideTime({ from, to, interval: step }, dayOf(kit.now(), timeZone))
      if (isProblem(time)) return time
      const [row] = await kit.read((db) =>
        db.query(
          figuresSql(wanted),
          timeZone,
          time.from,
          time.to,
          time.interval,
          currency,
          kit.now(),
        ),
      )
      const unit = MONEY.includes(wanted) ? ('money' as const) : ('count' as const)
      const { series, totals } = row!['data'] as Pick<Analytics, 'series' | 'totals'>
      return { report: wanted, ...time, time_zone: timeZone, currency, unit, series, totals }
    },
  }),
]

const MONEY: readonly string[] = ['overview', 'revenue']
