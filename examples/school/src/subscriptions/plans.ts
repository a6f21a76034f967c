import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import type { SchoolOperation } from '../admin/define.js'
import { common, commonSql, epochOf, idOf, line, money, moneySql, time, timeSql } from '../admin/fields.js' // prettier-ignore
import { distinct, moneyInput } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
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
export function membershipPlanOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, {
    scope: 'membership_plans',
    prefix: 'plan',
    item: MembershipPlan,
    rows: plans,
  })

  return [
    frame.list({
      filters: {
        kind: fixed.kind.optional(),
        state: MembershipPlan.shape.state.optional(),
        visible: contents.visible.optional(),
        course_ids: contents.course_ids
          .optional()
          .describe('Return only plans that include all of these courses.'),
      },
      sorts: ['created_at', 'updated_at', 'name'],
    }),
    frame.get({ tool: null }),
    frame.create({
      description:
        'The plan is for sale immediately. Each kind of plan has its own terms; omit the others.',
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
      events: ['plan.created'],
      columns: (sent) =>
        faultOfPlan(sent) ??
        faultOfEnd(sent, kit.now()) ?? {
          ...columnsOf(sent),
          kind: sent.kind,
          currency: sent.price.currency,
          interval: sent.interval?.toUpperCase() ?? null,
          status: 'active',
        },
      after: (db, planId, { course_ids }) => putCourses(db, planId, course_ids),
    }),
    frame.update({
      description:
        'Affects only new memberships: people who have one keep their price, courses and end. Fields that you omit stay unchanged. Kind, interval and currency never change.',
      input: z.strictObject({
        id,
        name: name.optional(),
        price: moneyInput.optional(),
        ...z.object({ ...terms, ...contents }).partial().shape,
      }),
      events: ['plan.updated'],
      async columns(sent, current, db) {
        const next = withChanges(current, sent)
        const refused = decidePlanChange({ current, next, now: kit.now() })
        if (refused !== null) return refused
        if (sent.price !== undefined) await keepPrices(db, current.id)
        return columnsOf(sent)
      },
      after: async (db, planId, { course_ids }) =>
        course_ids === undefined ? null : putCourses(db, planId, course_ids),
    }),
    frame.move('archive', {
      summary: 'Archive a membership plan',
      description:
        'Cannot be undone. The plan can no longer be bought, and existing memberships continue. Repeating it changes nothing.',
      destructive: true,
      events: ['plan.archived'],
      columns: ({ state }) => (state === 'archived' ? null : { status: 'archived' }),
    }),
  ]
}

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
