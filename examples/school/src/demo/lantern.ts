import { lanternCourses } from './lantern-courses.js'
import { lanternSales } from './lantern-sales.js'
import { completed, courseRows, DAY, type DemoRows, enrollment, HOUR, type Row, stopped } from './rows.js' // prettier-ignore

const member = (number: number): string => `mem_l${String(number).padStart(2, '0')}`
const [MEI, JONAS, PRIYA, LUCIA, NOOR] = [5, 6, 7, 8, 9].map(member) as [
  string, string, string, string, string,
] // prettier-ignore

/** Noor enrols every term: 45 enrollments in the six published courses, five at a time. */
function noorsEnrollments(now: number): readonly Row[] {
  return Array.from({ length: 45 }, (_, index) => {
    const enrolledAt = now - (10 + 40 * Math.floor(index / 5)) * DAY
    const isLifetime = index % 9 === 0
    return enrollment(
      `n${String(index + 1).padStart(2, '0')}`,
      NOOR,
      `crs_l0${(index % 6) + 1}`,
      enrolledAt,
      {
        lifetime: isLifetime,
        expire_date: isLifetime ? null : enrolledAt + 35 * DAY,
        source: (['PURCHASE', 'FREE', 'GRANTED', 'GIFT'] as const)[index % 4]!,
      },
    )
  })
}

const plan = {
  kind: 'recurring',
  currency: 'EUR',
  interval: null,
  trial_days: null,
  ends_at: null,
  status: 'active',
}
const subscription = { current_period_end: null, next_charge_at: null, cancel_at: null }

/** Lantern Street: each person shows one case. */
export function lanternRows(now: number): DemoRows {
  const pastDue = { lifetime: false, suspended: true, source: 'MEMBERSHIP', subscription_id: 'l1' }
  const yesterday = now - DAY
  return {
    person: Array.from({ length: 12 }, (_, index) => ({
      member_id: member(index + 1),
      joined_at: index + 1 === 7 ? yesterday : now - (700 - 40 * index) * DAY,
      locale: index + 1 === 5 ? 'en' : 'pt-PT',
      time_zone: 'Europe/Lisbon',
    })),
    ...courseRows(lanternCourses, now),
    plan: [
      { ...plan, id: 'plan_l01', name: 'Monthly', price: '19.00', interval: 'MONTH' },
      {
        ...plan,
        id: 'plan_l02',
        name: 'Yearly',
        price: '190.00',
        interval: 'YEAR',
        trial_days: 14,
      },
      { ...plan, id: 'plan_l03', name: 'For good', price: '690.00', kind: 'lifetime' },
      {
        ...plan,
        id: 'plan_l04',
        name: 'Until the end of term',
        price: '60.00',
        kind: 'fixed_date',
        ends_at: now + 60 * DAY,
      },
    ],
    subscription: [
      {
        ...subscription,
        id: 'l1',
        member_id: JONAS,
        plan_id: 'plan_l01',
        state: 'PAST_DUE',
        started_at: now - 95 * DAY,
        current_period_end: now - 5 * DAY,
        next_charge_at: now + 2 * DAY,
      },
      {
        ...subscription,
        id: 'l2',
        member_id: MEI,
        plan_id: 'plan_l02',
        state: 'CANCELING',
        started_at: now - 359 * DAY,
        current_period_end: now + 6 * DAY,
        cancel_at: now + 6 * DAY,
      },
      {
        ...subscription,
        id: 'l3',
        member_id: NOOR,
        plan_id: 'plan_l03',
        state: 'ACTIVE',
        started_at: now - 330 * DAY,
      },
      {
        ...subscription,
        id: 'l4',
        member_id: member(4),
        plan_id: 'plan_l02',
        state: 'TRIALING',
        started_at: now - 4 * DAY,
        current_period_end: now + 10 * DAY,
        next_charge_at: now + 10 * DAY,
      },
    ],
    enrollment: [
      enrollment('l1', MEI, 'crs_l01', now - 120 * DAY),
      enrollment('l2', MEI, 'crs_l02', now - 359 * DAY, {
        lifetime: false,
        expire_date: now + 6 * DAY,
        source: 'MEMBERSHIP',
        subscription_id: 'l2',
      }),
      enrollment('l3', MEI, 'crs_l03', now - 130 * DAY, {
        lifetime: false,
        expire_date: now - 40 * DAY,
      }),
      enrollment('l4', JONAS, 'crs_l01', now - 95 * DAY, pastDue),
      enrollment('l5', JONAS, 'crs_l04', now - 95 * DAY, pastDue),
      enrollment('l6', PRIYA, 'crs_l06', yesterday),
      enrollment('l7', LUCIA, 'crs_l05', now - 3 * DAY, { start_date: now + 10 * DAY }),
      enrollment('l8', member(11), 'crs_l06', now - 20 * DAY, { source: 'FREE' }),
      enrollment('l9', member(12), 'crs_l01', now - 60 * DAY),
      ...noorsEnrollments(now),
    ],
    lecture_progress: [
      ...completed(MEI, 'crs_l01', 8, now - 2 * DAY),
      stopped(MEI, 'crs_l01', 9, 847, now - 3 * HOUR),
      ...completed(MEI, 'crs_l02', 2, now - 20 * DAY),
      stopped(MEI, 'crs_l03', 4, 312, now - 45 * DAY),
      ...completed(JONAS, 'crs_l01', 3, now - 9 * DAY),
      // Two courses were last watched at the same time, and two were never opened.
      stopped(NOOR, 'crs_l01', 1, 60, now - 6 * DAY),
      stopped(NOOR, 'crs_l02', 1, 75, now - 6 * DAY),
      stopped(NOOR, 'crs_l04', 2, 90, now - 30 * DAY),
      ...completed(NOOR, 'crs_l06', 3, now - 15 * DAY),
    ],
    ...lanternSales(now),
  }
}
