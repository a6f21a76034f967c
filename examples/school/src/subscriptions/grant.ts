import { isProblem, type Problem, refuseWith } from 'hallpass/admin'
import { newId, rowIdOf } from '../admin/fields.js'
import type { Db } from '../admin/kit.js'
import { openCourses } from './access.js'
import { decideGrant, type PlanFacts } from './rules.js'
import { type Subscription, subscriptionResource } from './shape.js'

/** A request to grant a membership. Times are in seconds since the epoch. */
interface Grant {
  readonly member_id: string
  readonly plan_id: string
  readonly until: number | null
  readonly at: number
}

/**
 * Grants a membership without a charge, with access to its courses.
 *
 * @param order - `until`: the end, or `null` for the end that the plan determines
 * @returns the identifier of its row, or a problem: `conflict` or `unprocessable`
 */
export async function grantSubscription(db: Db, order: Grant): Promise<string | Problem> {
  const { member_id, plan_id, until, at } = order
  const refused = await refusedMember(db, order)
  if (refused !== null) return refused
  const plan = await findPlan(db, plan_id, at)
  if (plan === null) return refuseWith('unprocessable', 'plan_id: there is no such plan')
  const decided = decideGrant(plan, { until, now: at })
  if (isProblem(decided)) return decided
  const { endsAt } = decided
  const row = rowIdOf(newId('sub'))
  await db.insert('subscription', {
    id: row,
    member_id,
    plan_id,
    state: 'ACTIVE',
    started_at: at,
    current_period_start: at,
    current_period_end: endsAt,
    granted: true,
    price: 0,
    updated_at: at,
  })
  await openCourses(db, { subscriptionRow: row, memberId: member_id, planId: plan_id, endsAt, at })
  return row
}

/** Locks the member, so that concurrent requests cannot grant the same membership twice. */
async function refusedMember(db: Db, { member_id, plan_id, at }: Grant): Promise<Problem | null> {
  const [member] = await db.query(
    `select suspended from school_person
     where site = $1 and member_id = $2 and deleted_at is null for update`,
    member_id,
  )
  if (member === undefined) return refuseWith('unprocessable', 'member_id: there is no such member')
  if (member['suspended'] === true) return refuseWith('conflict', 'the member is suspended')
  const [other] = await db.query(
    `select o.data from (${subscriptionResource(at, 's.id').select}) o
     where o.data @> jsonb_build_object('member_id', $2::text, 'plan_id', $3::text)
       and o.data ->> 'state' not in ('incomplete', 'canceled', 'expired')`,
    member_id,
    plan_id,
  )
  return other === undefined
    ? null
    : refuseWith(
        'conflict',
        `the member already has this membership: ${(other['data'] as Subscription).id}`,
      )
}

async function findPlan(db: Db, plan: string, at: number): Promise<PlanFacts | null> {
  const [row] = await db.query(
    `select jsonb_build_object('kind', kind, 'isArchived', status = 'archived', 'endsAt', case kind
       when 'recurring' then extract(epoch from (
         to_timestamp($3::bigint) at time zone 'UTC' + ('1 ' || interval)::interval
       ) at time zone 'UTC')::bigint
       when 'specific_length' then $3::bigint + length_days * 86400
       when 'fixed_date' then ends_at end) as data
     from school_plan where site = $1 and id = $2 for share`,
    plan,
    at,
  )
  return (row?.['data'] as PlanFacts | undefined) ?? null
}
