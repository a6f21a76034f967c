import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { decideEventChange, decidePublication, faultOfEvent } from './rules.js'
import { cancelBookings, fillSeats } from './seats.js'
import { eventFields as fields, eventId as id, eventResource, SchoolEvent } from './shape.js'
import { registrationOperations } from './registrations.js'
import { epochOf, line, withEpochs } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import { type Kit, withChanges } from '../admin/kit.js'

/** The roles that may do more than check people in. */
const EDITORS = ['owner', 'manager', 'lecturer']
const TIMES = ['starts_at', 'ends_at', 'cancellable_until'] as const

/** The operations on events and their bookings. */
export function eventOperations(kit: Kit): readonly SchoolOperation[] {
  const events = () => eventResource(kit.now())
  const frame = frameOf(kit, {
    scope: 'events',
    prefix: 'evt',
    item: SchoolEvent,
    rows: eventResource,
  })

  return [
    frame.list({
      description: '`starts_after` and `starts_before` exclude the given time itself.',
      filters: {
        slug: fields.slug.optional(),
        state: SchoolEvent.shape.state.optional(),
        online: fields.online.optional(),
        starts_after: fields.starts_at.optional(),
        starts_before: fields.starts_at.optional(),
      },
      sorts: ['starts_at', 'created_at', 'updated_at', 'title'],
      rows({ filters: { starts_after, starts_before, ...filters }, ...request }) {
        const between = {
          after: epochOf(starts_after ?? null),
          before: epochOf(starts_before ?? null),
        }
        return kit.list<SchoolEvent>(eventResource(kit.now(), between), { ...request, filters })
      },
    }),
    frame.get(),
    frame.create({
      description: 'The event is a draft until it is published.',
      roles: EDITORS,
      input: z.strictObject({
        ...fields,
        description_html: fields.description_html.default(''),
        venue: fields.venue.default(null),
        join_url: fields.join_url.default(null),
        capacity: fields.capacity.default(null),
        cancellable_until: fields.cancellable_until.default(null),
        tickets: fields.tickets.default([]),
      }),
      columns: (sent) => faultOfEvent(sent) ?? { ...withEpochs(sent, ...TIMES), status: 'draft' },
    }),
    frame.update({
      description:
        'Members that you omit stay unchanged. Additional seats go to the waiting list. After the event has ended, only its title and description can change.',
      roles: EDITORS,
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
      columns(sent, current) {
        const { join_url: _, ...shown } = sent
        const next = withChanges(current, shown)
        const refused = decideEventChange({
          current,
          next,
          sent: Object.keys(sent),
          now: kit.now(),
        })
        return refused ?? withEpochs(sent, ...TIMES)
      },
      after: (db, eventId) => fillSeats(db, eventId, kit.now()),
    }),
    frame.move('publish', {
      roles: EDITORS,
      summary: 'Publish an event',
      description: 'From then on people can book it. Publishing it twice changes nothing.',
      events: ['event.updated'],
      columns: (current) =>
        decidePublication(current, kit.now()) ??
        (current.state === 'published' ? null : { status: 'published' }),
    }),
    defineOperation({
      ...frame.action('cancel'),
      roles: EDITORS,
      summary: 'Cancel an event',
      description:
        'Cannot be undone. All bookings are cancelled, and the people who booked see the reason. Nothing is refunded. Repeating it changes nothing.',
      destructive: true,
      idempotent: true,
      tool: 'cancel_event',
      input: z.strictObject({ id, reason: line(500).nullable().default(null) }),
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
