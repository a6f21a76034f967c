import { isProblem, type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { decideRegistrationMove, type RegistrationMove, type RegistrationState } from './rules.js'
import { fillSeats, lockEvent } from './seats.js'
import { eventId } from './shape.js'
import {
  common,
  commonSql,
  idOf,
  line,
  money,
  moneySql,
  rowIdOf,
  time,
  timeSql,
} from '../admin/fields.js'
import type { Db, Kit, Listed } from '../admin/kit.js'

const id = idOf('reg')

const Registration = z
  .object({
    id,
    event_id: eventId,
    member_id: idOf('mem'),
    member_name: z.string().max(200).nullable(),
    state: z.enum(['waitlisted', 'registered', 'checked_in', 'no_show', 'cancelled']),
    ticket_name: z.string().max(200),
    price: money,
    registered_at: time,
    cancelled_at: time.nullable(),
    cancel_reason: z.string().max(1000).nullable(),
    checked_in_at: time.nullable(),
    ...common,
  })
  .meta({ id: 'Registration', description: 'A booking of an event.' })
type Registration = z.output<typeof Registration>

// The API never returns the code of a ticket, but it can search for one.
const registrations: Listed = {
  table: 'event_registration',
  search: ['member_name', 'ticket_name'],
  select: `select 'reg_' || r.id as id, jsonb_build_object(
      'id', 'reg_' || r.id, 'event_id', r.event_id, 'member_id', r.member_id,
      'member_name', p.name, 'state', lower(r.state), 'ticket_name', r.ticket_name,
      'ticket_code', r.ticket_code, 'price', ${moneySql('r.price', 'r.currency')},
      'registered_at', ${timeSql('r.registered_at')},
      'cancelled_at', ${timeSql('r.cancelled_at')}, 'cancel_reason', r.cancel_reason,
      'checked_in_at', ${timeSql('r.checked_in_at')}, ${commonSql('m')}
    ) as data
    from school_event_registration r
    join school_person p on p.site = r.site and p.member_id = r.member_id
    cross join lateral (
      select r.registered_at as created_at,
        greatest(r.updated_at, r.registered_at, r.cancelled_at, r.checked_in_at) as updated_at
    ) m
    where r.site = $1`,
}

/** The operations on the bookings of an event. */
export function registrationOperations(kit: Kit): readonly SchoolOperation[] {
  const move = (
    context: OperationContext,
    registrationId: string,
    order: Order,
  ): Promise<Registration | Problem> =>
    kit.write(context, (db) => moveRegistration(db, rowIdOf(registrationId), order))

  const save = {
    scope: 'events:write',
    effect: 'write',
    method: 'POST',
    output: Registration,
    idempotent: true,
  } as const

  return [
    defineList({
      id: 'event_registrations.list',
      summary: 'List the bookings of an event',
      description:
        'With `ticket_code` it finds the booking of a ticket that a person shows. No response contains the code.',
      scope: 'events:read',
      path: '/events/{id}/registrations',
      tool: 'list_event_registrations',
      item: Registration,
      filters: {
        id: eventId,
        state: Registration.shape.state.optional(),
        member_id: Registration.shape.member_id.optional(),
        ticket_code: line(100).optional(),
      },
      sorts: ['registered_at', 'created_at', 'updated_at', 'member_name'],
      async rows(_context, { filters: { id: event_id, ...filters }, ...request }) {
        const [event] = await kit.read((db) =>
          db.query('select from school_event where site = $1 and id = $2', event_id),
        )
        if (event === undefined) return refuseWith('not_found')
        return kit.list<Registration>(registrations, {
          ...request,
          filters: { ...filters, event_id },
        })
      },
    }),
    defineOperation({
      ...save,
      id: 'event_registrations.check_in',
      summary: 'Check a person in',
      description: 'Only people with a seat can be checked in. Repeating it changes nothing.',
      path: '/registrations/{id}/check-in',
      tool: { name: 'check_in_attendee', argument: 'action', value: 'check_in' },
      input: z.strictObject({ id }),
      events: ['registration.checked_in'],
      run: (context, input) => move(context, input.id, { move: 'check_in', at: kit.now() }),
    }),
    defineOperation({
      ...save,
      id: 'event_registrations.cancel',
      summary: 'Cancel a booking',
      description:
        'Works even if the buyer can no longer cancel. The seat goes to the first person on the waiting list. Nothing is refunded. Repeating it changes nothing.',
      destructive: true,
      path: '/registrations/{id}/cancel',
      input: z.strictObject({ id, reason: line(500).nullable().default(null) }),
      events: ['registration.cancelled'],
      run: (context, { id: registrationId, reason }) =>
        move(context, registrationId, { move: 'cancel', at: kit.now(), reason }),
    }),
    defineOperation({
      ...save,
      id: 'event_registrations.no_show',
      summary: 'Mark a person as not present',
      description: 'Possible after the event has begun. Repeating it changes nothing.',
      path: '/registrations/{id}/no-show',
      tool: { name: 'check_in_attendee', argument: 'action', value: 'no_show' },
      input: z.strictObject({ id }),
      events: ['registration.no_show'],
      run: (context, input) => move(context, input.id, { move: 'no_show', at: kit.now() }),
    }),
  ]
}

interface Order {
  readonly move: RegistrationMove
  readonly at: number
  readonly reason?: string | null
}

async function moveRegistration(
  db: Db,
  rowId: string,
  order: Order,
): Promise<Registration | Problem> {
  const found = await lockRegistration(db, rowId)
  if (found === null) return refuseWith('not_found')
  const next = decideRegistrationMove({ ...found, move: order.move, now: order.at })
  if (isProblem(next)) return next
  if (next !== found.state) {
    await db.update('event_registration', rowId, columnsOf(order))
    if (next === 'cancelled') await fillSeats(db, found.eventId, order.at)
  }
  return (await db.find(registrations, `reg_${rowId}`)) as Registration
}

/** Locks an event and then a booking of it. The order is always the same, so that no deadlock occurs. */
async function lockRegistration(
  db: Db,
  rowId: string,
): Promise<{ state: RegistrationState; eventId: string; startsAt: number } | null> {
  const [booking] = await db.query(
    'select event_id from school_event_registration where site = $1 and id = $2',
    rowId,
  )
  if (booking === undefined) return null
  const eventId = booking['event_id'] as string
  await lockEvent(db, eventId)
  const [found] = await db.query(
    `select jsonb_build_object('state', lower(r.state), 'eventId', v.id,
       'startsAt', v.starts_at) as data
     from school_event_registration r
     join school_event v on v.site = r.site and v.id = r.event_id
     where r.site = $1 and r.id = $2 for update of r`,
    rowId,
  )
  return (found?.['data'] as never) ?? null
}

const columnsOf = ({ move, at, reason = null }: Order): Readonly<Record<string, unknown>> => ({
  updated_at: at,
  ...(move === 'check_in' && { state: 'CHECKED_IN', checked_in_at: at }),
  ...(move === 'no_show' && { state: 'NO_SHOW' }),
  ...(move === 'cancel' && { state: 'CANCELLED', cancelled_at: at, cancel_reason: reason }),
})
