import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { decideEventChange, decidePublication, faultOfEvent } from './rules.js'
import { cancelBookings, fillSeats } from './seats.js'
import { eventFields as fields, eventId as id, eventResource, SchoolEvent } from './shape.js'
import { registrationOperations } from './registrations.js'
import { epochOf, line, newId } from '../admin/fields.js'
import { type Kit, withChanges } from '../admin/kit.js'

/** The roles that may do more than check people in. */
const EDITORS = ['owner', 'manager', 'lecturer']

/** The operations on events and their bookings. */
export function eventOperations(kit: Kit): readonly SchoolOperation[] {
  const events = () => eventResource(kit.now())

  return [
    defineList({
      id: 'events.list',
      summary: 'List events',
      description: '`starts_after` and `starts_before` exclude the given time itself.',
      scope: 'events:read',
      path: '/events',
      tool: 'list_events',
      item: SchoolEvent,
      filters: {
        slug: fields.slug.optional(),
        state: SchoolEvent.shape.state.optional(),
        online: fields.online.optional(),
        starts_after: fields.starts_at.optional(),
        starts_before: fields.starts_at.optional(),
      },
      sorts: ['starts_at', 'created_at', 'updated_at', 'title'],
      rows(_context, { filters: { starts_after, starts_before, ...filters }, ...request }) {
        const between = {
          after: epochOf(starts_after ?? null),
          before: epochOf(starts_before ?? null),
        }
        return kit.list<SchoolEvent>(eventResource(kit.now(), between), { ...request, filters })
      },
    }),
    defineOperation({
      id: 'events.get',
      summary: 'Get an event',
      scope: 'events:read',
      effect: 'read',
      method: 'GET',
      path: '/events/{id}',
      tool: 'get_event',
      input: z.strictObject({ id }),
      output: SchoolEvent,
      run: (_context, input) => kit.get<SchoolEvent>(events(), input.id),
    }),
    defineOperation({
      id: 'events.create',
      summary: 'Create an event',
      description: 'The event is a draft until it is published.',
      scope: 'events:write',
      effect: 'write',
      roles: EDITORS,
      method: 'POST',
      path: '/events',
      tool: { name: 'save_event', argument: 'action', value: 'create' },
      input: z.strictObject({
        ...fields,
        description_html: fields.description_html.default(''),
        venue: fields.venue.default(null),
        join_url: fields.join_url.default(null),
        capacity: fields.capacity.default(null),
        cancellable_until: fields.cancellable_until.default(null),
        tickets: fields.tickets.default([]),
      }),
      output: SchoolEvent,
      status: 201,
      events: ['event.created'],
      run: (context, input) =>
        kit.create<SchoolEvent>(context, events(), async (db) => {
          const fault = faultOfEvent(input)
          if (fault !== null) return fault
          const eventId = newId('evt')
          const at = kit.now()
          await db.insert('event', {
            ...input,
            ...momentsOf(input),
            id: eventId,
            status: 'draft',
            created_at: at,
            updated_at: at,
          })
          return eventId
        }),
    }),
    defineOperation({
      id: 'events.update',
      summary: 'Change an event',
      description:
        'Members that you omit stay unchanged. Additional seats go to the waiting list. After the event has ended, only its title and description can change.',
      scope: 'events:write',
      effect: 'write',
      roles: EDITORS,
      method: 'PATCH',
      path: '/events/{id}',
      tool: { name: 'save_event', argument: 'action', value: 'update' },
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
      output: SchoolEvent,
      precondition: 'optional',
      events: ['event.updated'],
      run: (context, { id: eventId, ...changes }) =>
        kit.change<SchoolEvent>(context, events(), eventId, async (db, current) => {
          const { join_url: _, ...shown } = changes
          const next = withChanges(current, shown)
          const sent = Object.keys(changes)
          const refused = decideEventChange({ current, next, sent, now: kit.now() })
          if (refused !== null) return refused
          await db.update('event', eventId, {
            ...changes,
            ...momentsOf(changes),
            updated_at: kit.now(),
          })
          return fillSeats(db, eventId, kit.now())
        }),
    }),
    defineOperation({
      id: 'events.publish',
      summary: 'Publish an event',
      description: 'From then on people can book it. Publishing it twice changes nothing.',
      scope: 'events:write',
      effect: 'write',
      idempotent: true,
      roles: EDITORS,
      method: 'POST',
      path: '/events/{id}/publish',
      tool: { name: 'save_event', argument: 'action', value: 'publish' },
      input: z.strictObject({ id }),
      output: SchoolEvent,
      events: ['event.updated'],
      run: (context, { id: eventId }) =>
        kit.change<SchoolEvent>(context, events(), eventId, async (db, current) => {
          const refused = decidePublication(current, kit.now())
          if (refused !== null) return refused
          return current.state === 'published'
            ? undefined
            : db.update('event', eventId, { status: 'published', updated_at: kit.now() })
        }),
    }),
    defineOperation({
      id: 'events.cancel',
      summary: 'Cancel an event',
      description:
        'Cannot be undone. All bookings are cancelled, and the people who booked see the reason. Nothing is refunded. Repeating it changes nothing.',
      scope: 'events:write',
      effect: 'write',
      destructive: true,
      idempotent: true,
      roles: EDITORS,
      method: 'POST',
      path: '/events/{id}/cancel',
      tool: 'cancel_event',
      input: z.strictObject({ id, reason: line(500).nullable().default(null) }),
      output: SchoolEvent,
      events: ['event.cancelled', 'registration.cancelled'],
      run: (context, { id: eventId, reason }) =>
        kit.change<SchoolEvent>(context, events(), eventId, async (db, { state }) => {
          if (state === 'ended') return refuseWith('conflict', 'the event is over')
          if (state === 'cancelled') return undefined
          const at = kit.now()
          await db.update('event', eventId, { status: 'cancelled', updated_at: at })
          return cancelBookings(db, eventId, { reason, at })
        }),
    }),
    ...registrationOperations(kit),
  ]
}

/** Returns the columns of the times in a request. */
const momentsOf = (sent: {
  readonly starts_at?: string | undefined
  readonly ends_at?: string | undefined
  readonly cancellable_until?: string | null | undefined
}) => ({
  ...(sent.starts_at !== undefined && { starts_at: epochOf(sent.starts_at) }),
  ...(sent.ends_at !== undefined && { ends_at: epochOf(sent.ends_at) }),
  ...(sent.cancellable_until !== undefined && {
    cancellable_until: epochOf(sent.cancellable_until),
  }),
})
