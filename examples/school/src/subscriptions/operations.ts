import { isProblem, type OperationContext, type Problem } from 'hallpass/admin'
import * as z from 'zod'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { epochOf, rowIdOf, time } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import type { Db, Kit } from '../admin/kit.js'
import { changeColumns, moveAccess } from './access.js'
import { grantSubscription } from './grant.js'
import {
  decideCancellation,
  decideExtension,
  decideResumption,
  type SubscriptionDecision,
  type SubscriptionFacts,
} from './rules.js'
import {
  memberId,
  planId,
  Subscription,
  subscriptionId as id,
  subscriptionResource,
} from './shape.js'

/** The operations on memberships. They neither charge nor refund. */
export function subscriptionOperations(kit: Kit): readonly SchoolOperation[] {
  const subscriptions = () => subscriptionResource(kit.now(), 's.id')
  const frame = frameOf(kit, {
    scope: 'subscriptions',
    prefix: 'sub',
    called: 'membership',
    item: Subscription,
    rows: (now) => subscriptionResource(now, "'sub_' || s.id"),
  })
  const save = { ...frame.save, method: 'POST' } as const

  const change = (
    context: OperationContext,
    subscriptionId: string,
    decide: (facts: SubscriptionFacts) => SubscriptionDecision,
  ): Promise<Subscription | Problem> => {
    const row = rowIdOf(subscriptionId)
    return kit.change<Subscription>(context, subscriptions(), row, async (db, current) => {
      const decided = decide(await factsOf(db, current))
      if (isProblem(decided)) return decided
      if (decided === null) return undefined
      await db.update('subscription', row, changeColumns(decided, kit.now()))
      const isPaidUp = current.state === 'past_due' && decided.state === 'active'
      return moveAccess(db, row, decided, { at: kit.now(), isPaidUp })
    })
  }

  return [
    frame.list({
      filters: {
        member_id: memberId.optional(),
        plan_id: planId.optional(),
        state: Subscription.shape.state.optional(),
        granted: z.boolean().optional(),
        lifetime: z.boolean().optional(),
      },
      sorts: ['started_at', 'current_period_end', 'created_at', 'updated_at'],
    }),
    frame.get(),
    defineOperation({
      ...save,
      id: 'subscriptions.create',
      summary: 'Grant a membership',
      description:
        'Nothing is charged, now or later. The membership lasts for one period of its plan or until `until`, and gives access to the courses of the plan.',
      path: '/subscriptions',
      tool: { name: 'change_subscription', argument: 'action', value: 'grant' },
      input: z.strictObject({
        member_id: memberId,
        plan_id: planId,
        until: time.nullable().default(null).describe('null for the end that the plan determines.'),
      }),
      status: 201,
      events: ['subscription.created', 'enrollment.created'],
      run: (context, input) =>
        kit.create<Subscription>(context, subscriptions(), (db) =>
          grantSubscription(db, { ...input, until: epochOf(input.until), at: kit.now() }),
        ),
    }),
    defineOperation({
      ...frame.action('cancel'),
      summary: 'Cancel a membership',
      description:
        'Ends the membership with its current period, or immediately together with its courses. Nothing is refunded. Repeating it changes nothing.',
      destructive: true,
      idempotent: true,
      tool: { name: 'change_subscription', argument: 'action', value: 'cancel' },
      input: z.strictObject({ id, at_period_end: z.boolean().default(true) }),
      events: ['subscription.canceling', 'subscription.canceled', 'enrollment.expired'],
      run: (context, { id: subscriptionId, at_period_end: atPeriodEnd }) =>
        change(context, subscriptionId, (facts) =>
          decideCancellation(facts, { atPeriodEnd, now: kit.now() }),
        ),
    }),
    defineOperation({
      ...frame.action('resume'),
      summary: 'Resume a membership that was to end with its period',
      description: 'Nothing is charged before the period ends. Repeating it changes nothing.',
      idempotent: true,
      tool: { name: 'change_subscription', argument: 'action', value: 'resume' },
      events: ['subscription.renewed'],
      run: (context, input) => change(context, input.id, decideResumption),
    }),
    defineOperation({
      ...frame.action('extend'),
      summary: 'Extend the current period',
      description:
        'Send either `days` or `until`. Nothing is charged, and the next charge moves to the new end. A membership that was past due becomes active.',
      tool: { name: 'change_subscription', argument: 'action', value: 'extend' },
      input: z.strictObject({
        id,
        days: z.int().min(1).max(3650).nullable().default(null),
        until: time.nullable().default(null),
      }),
      events: ['subscription.renewed', 'enrollment.extended'],
      run: (context, { id: subscriptionId, days, until }) =>
        change(context, subscriptionId, (facts) =>
          decideExtension(facts, { days, until: epochOf(until), now: kit.now() }),
        ),
    }),
  ]
}

async function factsOf(db: Db, current: Subscription): Promise<SubscriptionFacts> {
  const [plan] = await db.query(
    "select kind = 'recurring' as recurring from school_plan where site = $1 and id = $2",
    current.plan_id,
  )
  return {
    state: current.state,
    periodEnd: epochOf(current.current_period_end),
    nextChargeAt: epochOf(current.next_charge_at),
    isRenewing: plan?.['recurring'] === true && !current.granted,
  }
}
