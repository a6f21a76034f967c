import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, commonSql, epochOf, idOf, line, money, moneySql, newId, time, timeSql } from '../admin/fields.js' // prettier-ignore
import { distinct, moneyInput } from '../admin/fields.js'
import { type Columns, type Db, type Kit, type Listed, withChanges } from '../admin/kit.js'
import { decidePlanChange, faultOfEnd, faultOfPlan } from './plans-rules.js'

const id = idOf('plan')

const terms = {
  trial_days: z.int().min(1).max(365).nullable().describe('Only for recurring plans.'),
  length_days: z
    .int()
    .min(1)
    .max(36_500)
    .nullable()
    .describe('Only for plans of a specific length.'),
  ends_at: time.nullable().describe('Only for plans that end on a fixed date.'),
}
const contents = {
  course_ids: z.array(idOf('crs')).max(200),
  post_category_ids: z.array(line(100)).max(100),
  visible: z
    .boolean()
    .describe(
      'Whether the plan is listed for visitors. People with the link can buy it in any case.',
    ),
}
const fixed = {
  kind: z.enum(['recurring', 'fixed_date', 'specific_length', 'lifetime']),
  interval: z
    .enum(['day', 'week', 'month', 'year'])
    .nullable()
    .describe('Only for recurring plans.'),
}
const name = line()

const MembershipPlan = z
  .object({
    id,
    name,
    ...fixed,
    price: money,
    ...terms,
    ...contents,
    state: z.enum(['active', 'archived']),
    ...common,
  })
  .meta({
    id: 'MembershipPlan',
    description: 'A membership plan: price, length and included courses.',
  })
type MembershipPlan = z.output<typeof MembershipPlan>

const plans: Listed = {
  table: 'plan',
  search: ['name'],
  select: `select p.id, jsonb_build_object(
      'id', p.id, 'name', p.name, 'kind', p.kind, 'price', ${moneySql('p.price', 'p.currency')},
      'interval', lower(p.interval), 'trial_days', p.trial_days, 'length_days', p.length_days,
      'ends_at', ${timeSql('p.ends_at')}, 'course_ids', (
        select coalesce(jsonb_agg(c.course_id order by c.course_id), '[]')
        from school_plan_course c where c.site = p.site and c.plan_id = p.id
      ),
      'post_category_ids', coalesce(p.post_category_ids, '[]'),
      'visible', coalesce(p.visible, true), 'state', p.status, ${commonSql('m')}
    ) as data
    from school_plan p
    cross join lateral (
      select coalesce(p.created_at, 0) as created_at,
        coalesce(p.updated_at, p.created_at, 0) as updated_at
    ) m
    where p.site = $1`,
}

/** The operations on membership plans. Changes do not affect existing memberships. */
export const membershipPlanOperations = (kit: Kit): readonly SchoolOperation[] => [
  defineList({
    id: 'membership_plans.list',
    summary: 'List membership plans',
    scope: 'membership_plans:read',
    path: '/membership-plans',
    tool: 'list_membership_plans',
    item: MembershipPlan,
    filters: {
      kind: fixed.kind.optional(),
      state: MembershipPlan.shape.state.optional(),
      visible: contents.visible.optional(),
      course_ids: contents.course_ids
        .optional()
        .describe('Return only plans that include all of these courses.'),
    },
    sorts: ['created_at', 'updated_at', 'name'],
    rows: (_context, request) => kit.list<MembershipPlan>(plans, request),
  }),
  defineOperation({
    id: 'membership_plans.get',
    summary: 'Get a membership plan',
    scope: 'membership_plans:read',
    effect: 'read',
    method: 'GET',
    path: '/membership-plans/{id}',
    input: z.strictObject({ id }),
    output: MembershipPlan,
    run: (_context, input) => kit.get<MembershipPlan>(plans, input.id),
  }),
  defineOperation({
    id: 'membership_plans.create',
    summary: 'Create a membership plan',
    description:
      'The plan is for sale immediately. Each kind of plan has its own terms; omit the others.',
    scope: 'membership_plans:write',
    effect: 'write',
    method: 'POST',
    path: '/membership-plans',
    tool: { name: 'save_membership_plan', argument: 'action', value: 'create' },
    input: z.strictObject({
      name,
      kind: fixed.kind,
      price: moneyInput,
      interval: fixed.interval.default(null),
      trial_days: terms.trial_days.default(null),
      length_days: terms.length_days.default(null),
      ends_at: terms.ends_at.default(null),
      course_ids: contents.course_ids.default([]),
      post_category_ids: contents.post_category_ids.default([]),
      visible: contents.visible.default(true),
    }),
    output: MembershipPlan,
    status: 201,
    events: ['plan.created'],
    run: (context, input) =>
      kit.create<MembershipPlan>(context, plans, async (db) => {
        const fault = faultOfPlan(input) ?? faultOfEnd(input, kit.now())
        if (fault !== null) return fault
        const planId = newId('plan')
        const at = kit.now()
        const { kind, interval } = input
        await db.insert('plan', {
          ...columnsOf(input),
          id: planId,
          kind,
          currency: input.price.currency,
          interval: interval?.toUpperCase() ?? null,
          status: 'active',
          created_at: at,
          updated_at: at,
        })
        return (await putCourses(db, planId, input.course_ids)) ?? planId
      }),
  }),
  defineOperation({
    id: 'membership_plans.update',
    summary: 'Change a membership plan',
    description:
      'Affects only new memberships: people who have one keep their price, courses and end. Fields that you omit stay unchanged. Kind, interval and currency never change.',
    scope: 'membership_plans:write',
    effect: 'write',
    method: 'PATCH',
    path: '/membership-plans/{id}',
    tool: { name: 'save_membership_plan', argument: 'action', value: 'update' },
    input: z.strictObject({
      id,
      name: name.optional(),
      price: moneyInput.optional(),
      ...z.object({ ...terms, ...contents }).partial().shape,
    }),
    output: MembershipPlan,
    precondition: 'optional',
    events: ['plan.updated'],
    run: (context, { id: planId, ...changes }) =>
      kit.change<MembershipPlan>(context, plans, planId, async (db, current) => {
        const next = withChanges(current, changes)
        const refused = decidePlanChange({ current, next, now: kit.now() })
        if (refused !== null) return refused
        if (changes.price !== undefined) await keepPrices(db, planId)
        await db.update('plan', planId, { ...columnsOf(changes), updated_at: kit.now() })
        return changes.course_ids === undefined
          ? undefined
          : ((await putCourses(db, planId, changes.course_ids)) ?? undefined)
      }),
  }),
  defineOperation({
    id: 'membership_plans.archive',
    summary: 'Archive a membership plan',
    description:
      'Cannot be undone. The plan can no longer be bought, and existing memberships continue. Repeating it changes nothing.',
    scope: 'membership_plans:write',
    effect: 'write',
    destructive: true,
    idempotent: true,
    method: 'POST',
    path: '/membership-plans/{id}/archive',
    tool: { name: 'save_membership_plan', argument: 'action', value: 'archive' },
    input: z.strictObject({ id }),
    output: MembershipPlan,
    events: ['plan.archived'],
    run: (context, { id: planId }) =>
      kit.change<MembershipPlan>(context, plans, planId, async (db, { state }) => {
        if (state === 'archived') return
        await db.update('plan', planId, { status: 'archived', updated_at: kit.now() })
      }),
  }),
]

type Sent = {
  readonly [
    Name in keyof Pick<
      MembershipPlan,
      'name' | 'price' | keyof typeof terms | 'post_category_ids' | 'visible'
    >
  ]?: MembershipPlan[Name] | undefined
}

/** Returns the columns of a request. An omitted member is `undefined`, which the kit ignores. */
const columnsOf = (sent: Sent): Columns => ({
  name: sent.name,
  price: sent.price?.amount,
  trial_days: sent.trial_days,
  length_days: sent.length_days,
  ends_at: sent.ends_at === undefined ? undefined : epochOf(sent.ends_at),
  post_category_ids: sent.post_category_ids && distinct(sent.post_category_ids),
  visible: sent.visible,
})

/** Stores the current price with each member, before the price of the plan changes. */
async function keepPrices(db: Db, planId: string): Promise<void> {
  await db.query(
    `update school_subscription s set price = p.price
     from school_plan p
     where s.site = $1 and s.plan_id = $2 and s.price is null and p.site = $1 and p.id = $2`,
    planId,
  )
}

async function putCourses(
  db: Db,
  planId: string,
  courseIds: readonly string[],
): Promise<Problem | null> {
  await db.query('delete from school_plan_course where site = $1 and plan_id = $2', planId)
  const wanted = distinct(courseIds)
  const put = await db.query(
    `insert into school_plan_course (site, plan_id, course_id)
     select c.site, $2, c.id from school_course c
     where c.site = $1 and c.id in (select jsonb_array_elements_text($3::text::jsonb))
     returning course_id`,
    planId,
    JSON.stringify(wanted),
  )
  const known = put.map(({ course_id }) => course_id)
  const unknown = wanted.filter((one) => !known.includes(one))
  return unknown.length === 0
    ? null
    : refuseWith('unprocessable', `there is no course ${unknown.slice(0, 5).join(', ')}`)
}
