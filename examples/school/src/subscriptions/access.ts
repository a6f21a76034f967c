import { type Columns, type Db } from '../admin/kit.js'
import { newId, rowIdOf } from '../admin/fields.js'
import type { SubscriptionChange } from './rules.js'

/** Returns the columns of a change to a membership. */
export const changeColumns = (
  { state, periodEnd, nextChargeAt, cancelAt }: SubscriptionChange,
  at: number,
): Columns => ({
  state: state.toUpperCase(),
  current_period_end: periodEnd,
  next_charge_at: nextChargeAt,
  cancel_at: cancelAt,
  updated_at: at,
})

/**
 * Moves the end of access to the courses of a membership. Access that was revoked or has ended stays so.
 *
 * @param options - `isPaidUp`: the membership was past due, so its suspended access is restored
 */
export async function moveAccess(
  db: Db,
  subscriptionRow: string,
  { accessUntil }: SubscriptionChange,
  { at, isPaidUp }: { at: number; isPaidUp: boolean },
): Promise<void> {
  await db.query(
    `update school_enrollment
     set expire_date = $3::bigint, lifetime = false, updated_at = $4,
       suspended = suspended and not $5::boolean
     where site = $1 and subscription_id = $2 and revoked_at is null
       and (expire_date is null or expire_date > $4)`,
    subscriptionRow,
    accessUntil,
    at,
    isPaidUp,
  )
}

/** Enrols a member in the courses of a plan, except those with lifetime access. */
export async function openCourses(
  db: Db,
  {
    subscriptionRow,
    memberId,
    planId,
    endsAt,
    at,
  }: {
    subscriptionRow: string
    memberId: string
    planId: string
    endsAt: number | null
    at: number
  },
): Promise<void> {
  const courses = await db.query(
    `select c.course_id from school_plan_course c
     where c.site = $1 and c.plan_id = $2 and not exists (
       select from school_enrollment e
       where e.site = $1 and e.member_id = $3 and e.course_id = c.course_id
         and e.lifetime and e.revoked_at is null
     ) order by c.course_id`,
    planId,
    memberId,
  )
  for (const { course_id } of courses)
    await db.insert('enrollment', {
      id: rowIdOf(newId('enr')),
      member_id: memberId,
      course_id,
      enrolled_at: at,
      start_date: null,
      expire_date: endsAt,
      lifetime: endsAt === null,
      suspended: false,
      source: 'MEMBERSHIP',
      subscription_id: subscriptionRow,
      updated_at: at,
    })
}
