import { accessStateSql } from '../learning/account.js'
import { moneySql } from '../admin/fields.js'

/** The reports. */
export const reports = ['overview', 'revenue', 'enrollments', 'completion', 'engagement'] as const
export type Report = (typeof reports)[number]

// All statements use the same parameters.
const ASKED = `select $1::text as site, $2::text as zone, $3::date as first_day,
  $4::date as last_day, $5::text as step, $6::text as currency, $7::bigint as now`

const PAID = `
  select o.paid_at as at, o.total - o.refunded as amount, o.member_id as who,
    o.total, o.refunded, o.tax
  from asked join school_order o on o.site = asked.site and o.currency = asked.currency
  where o.state in ('PAID', 'PARTIALLY_REFUNDED', 'REFUNDED')`

const ENROLLED = `
  select e.enrolled_at as at, 0 as amount, e.member_id as who, ${accessStateSql('asked.now')} as state
  from asked join school_enrollment e on e.site = asked.site`

// A member who is enrolled twice counts once in a course.
const STUDIED = `
  select max(g.completed_at) as at, 0 as amount, e.member_id as who, min(e.at) as since,
    count(*) = count(g.completed_at) as done
  from asked
  cross join lateral (
    select n.member_id, n.course_id, min(n.enrolled_at) as at from school_enrollment n
    where n.site = asked.site and n.revoked_at is null group by n.member_id, n.course_id
  ) e
  join school_lecture l on l.site = asked.site and l.course_id = e.course_id
  left join school_lecture_progress g
    on g.site = asked.site and g.member_id = e.member_id and g.lecture_id = l.id
  group by e.member_id, e.course_id`

const ACTIVE = `
  select t.at, 0 as amount, g.member_id as who, t.kind
  from asked join school_lecture_progress g on g.site = asked.site
  cross join lateral (
    values (g.watched_at, 'watched'), (g.completed_at, 'completed')
  ) t(at, kind)`

/** SQL of a time of a row in the time zone of the school. */
const localOf = (column: string): string => `(to_timestamp(r.${column}) at time zone asked.zone)`

/** SQL of the rows of a query within the requested days, each with its period. */
const within = (rows: string): string => `(
  select r.*, date_trunc(asked.step, ${localOf('at')}) as period
  from asked, (${rows}) r
  where ${localOf('at')} >= asked.first_day
    and ${localOf('at')} < asked.last_day + 1
)`

const sum = (column: string): string =>
  moneySql(`coalesce(sum(${column}), 0)`, '(select currency from asked)')

const TOTALS = {
  revenue: `select jsonb_build_object('gross', ${sum('total')}, 'refunded', ${sum('refunded')},
    'net', ${sum('amount')}, 'tax', ${sum('tax')}, 'orders', count(*)) from ${within(PAID)} o`,
  enrollments: `select jsonb_build_object('enrollments', count(*),
    'active_enrollments', count(*) filter (where state = 'ACTIVE')) from ${within(ENROLLED)} e`,
  completion: `select jsonb_build_object('students', count(*),
    'completed', count(*) filter (where s.by_then),
    'completion_ratio', round(count(*) filter (where s.by_then)::numeric / nullif(count(*), 0), 4))
    from (
      select done and ${localOf('at')} < asked.last_day + 1 as by_then
      from asked, (${STUDIED}) r where ${localOf('since')} < asked.last_day + 1
    ) s`,
  engagement: `select jsonb_build_object('active_members', count(distinct who),
    'lectures_completed', count(*) filter (where kind = 'completed')) from ${within(ACTIVE)} a`,
} as const

/** The value of each period and the totals. The overview has the totals of all reports. */
const FIGURES: Readonly<
  Record<Report, { rows: string; value: string; totals: readonly string[] }>
> = {
  overview: { rows: PAID, value: 'coalesce(sum(r.amount), 0)', totals: Object.values(TOTALS) },
  revenue: { rows: PAID, value: 'coalesce(sum(r.amount), 0)', totals: [TOTALS.revenue] },
  enrollments: { rows: ENROLLED, value: 'count(r.who)', totals: [TOTALS.enrollments] },
  completion: {
    rows: `select * from (${STUDIED}) s where s.done`,
    value: 'count(r.who)',
    totals: [TOTALS.completion],
  },
  engagement: { rows: ACTIVE, value: 'count(distinct r.who)', totals: [TOTALS.engagement] },
}

/**
 * SQL of a report, with the column `data`. Its parameters are the site, the time zone, the first and the last
 * day, the interval, the currency and the current time.
 */
export function figuresSql(report: Report): string {
  const { rows, value, totals } = FIGURES[report]
  return `with asked as (${ASKED}),
    series as (
      select p.period, ${value} as value
      from asked cross join lateral generate_series(
        date_trunc(asked.step, asked.first_day::timestamp), asked.last_day::timestamp,
        ('1 ' || asked.step)::interval
      ) p(period)
      left join ${within(rows)} r on r.period = p.period
      group by p.period
    )
    select jsonb_build_object(
      'series', (
        select jsonb_agg(jsonb_build_object('period', to_char(period, 'YYYY-MM-DD'),
          'value', value::text) order by period) from series
      ),
      'totals', ${totals.map((one) => `(${one})`).join(' || ')}
    ) as data`
}
