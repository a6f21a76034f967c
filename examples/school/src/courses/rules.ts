import { type FieldFault, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { money, moneyInput, time } from '../admin/fields.js'

const kind = z.enum(['free', 'one_time', 'subscription', 'fixed_date', 'fixed_length', 'pre_order'])
const access_days = z.int().min(1).max(36_500).nullable()
const interval = z.enum(['day', 'week', 'month', 'year']).nullable()

/** The schema of a pricing plan of a course in a response. */
export const CoursePlan = z
  .object({
    kind,
    price: money.nullable(),
    access_days,
    interval,
    starts_at: time.nullable(),
    ends_at: time.nullable(),
  })
  .meta({ id: 'CoursePlan', description: 'A plan by which students get access to a course.' })
export type CoursePlan = z.output<typeof CoursePlan>

/** The schema of a plan in a request. Terms that it omits are absent. */
export const coursePlanSent = z.strictObject({
  kind,
  price: moneyInput.nullable().default(null),
  access_days: access_days.default(null),
  interval: interval.default(null),
  starts_at: time.nullable().default(null),
  ends_at: time.nullable().default(null),
})

type Term = Exclude<keyof CoursePlan, 'kind'>

const TERMS: Readonly<Record<CoursePlan['kind'], readonly Term[]>> = {
  free: [],
  one_time: ['price'],
  subscription: ['price', 'interval'],
  fixed_date: ['price', 'ends_at'],
  fixed_length: ['price', 'access_days'],
  pre_order: ['price', 'starts_at'],
}

/** Refuses plans that lack a term of their kind, or that have a term of another kind. */
export function refusePlans(plans: readonly CoursePlan[]): Problem | null {
  const faults = plans.flatMap((plan, index) => faultsOfPlan(plan, `/plans/${index}`))
  return faults.length > 0
    ? refuseWith('unprocessable', faults.map(({ message }) => message).join('; '), faults)
    : null
}

function faultsOfPlan(plan: CoursePlan, at: string): readonly FieldFault[] {
  const terms = Object.keys(plan).filter((name): name is Term => name !== 'kind')
  const needed = TERMS[plan.kind]
  return terms
    .filter((term) => needed.includes(term) === (plan[term] === null))
    .map((term) => ({
      pointer: `${at}/${term}`,
      code: needed.includes(term) ? 'missing' : 'not_of_this_kind',
      message: `a plan of the kind ${plan.kind} ${needed.includes(term) ? 'needs' : 'has no'} ${term}`,
    }))
}

export type CourseState = 'draft' | 'published' | 'archived'

/** Refuses to make an archived course a draft, because it had students. Publishing brings it back. */
export function refuseUnpublishing(state: CourseState): Problem | null {
  return state === 'archived'
    ? refuseWith('conflict', 'the course is archived: publish it to bring it back')
    : null
}

/** Refuses to delete a course that was published, or that has or had students. */
export function refuseDeletion({
  state,
  hasEnrollments,
}: {
  state: CourseState
  hasEnrollments: boolean
}): Problem | null {
  if (state !== 'draft')
    return refuseWith('conflict', `a ${state} course cannot be deleted: archive it`)
  return hasEnrollments
    ? refuseWith('conflict', 'there are enrollments in this course: archive it')
    : null
}
