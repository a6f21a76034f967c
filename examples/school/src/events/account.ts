import type { AccountSource, EventRegistrationRecord } from 'hallpass/account'
import { fillSeats, lockEvent } from './seats.js'
import { type Db, dbOf } from '../admin/kit.js'
import { createSqlParameters, loadRows, type SourceOptions } from '../account/listing.js'

type BookingMethods = Pick<AccountSource, 'eventRegistrations' | 'cancelEventRegistration'>

/** How long before an event its link to join is shown. */
const JOIN_SECONDS = 30 * 60

/** The event bookings of a member. */
export function createBookings({
  execute,
  transaction,
  site,
  origin,
}: SourceOptions): BookingMethods {
  return {
    eventRegistrations({ subject }, query) {
      const { ids, states, when, now } = query.filter
      const parameters = createSqlParameters()
      const { text, integer, texts } = parameters
      const moment = integer(now)
      const conditions = [
        `r.site = ${text(site)} and r.member_id = ${text(subject)}`,
        ...(ids === null ? [] : [`r.id = any(${texts(ids)})`]),
        ...(states === null ? [] : [`r.state = any(${texts(states)})`]),
        ...(when === 'ANY' ? [] : [`v.ends_at ${when === 'UPCOMING' ? '>' : '<='} ${moment}`]),
      ]
      const matching = `
        select r.id, r.registered_at, jsonb_build_object('id', r.id, 'state', r.state,
          'registeredAt', r.registered_at, 'cancelledAt', r.cancelled_at,
          'checkedInAt', r.checked_in_at, 'ticketName', r.ticket_name,
          'ticketCode', r.ticket_code,
          'price', jsonb_build_object('amount', r.price::text, 'currencyCode', r.currency),
          'event', jsonb_build_object('id', v.id, 'slug', v.slug, 'title', v.title,
            'startsAt', v.starts_at, 'endsAt', v.ends_at, 'timeZone', v.time_zone,
            'isOnline', v.online, 'venue', v.venue,
            'url', ${text(`${origin}/events/`)} || v.slug),
          'joinUrl', case when ${moment} between v.starts_at - ${JOIN_SECONDS} and v.ends_at
            then v.join_url end,
          'cancellableUntil', v.cancellable_until) as record
        from school_event_registration r
        join school_event v on v.site = r.site and v.id = r.event_id
        where ${conditions.join(' and ')}`
      return loadRows<EventRegistrationRecord>(
        execute,
        parameters,
        { matching, key: 'registered_at', keyType: 'bigint', descending: true },
        query,
      )
    },

    cancelEventRegistration: ({ subject }, { id, reason, at }) =>
      transaction((inside) => cancelBooking(dbOf(inside, site), { subject, id, reason, at })),
  }
}

/** Cancels a member's booking, and gives its seat to the first person on the waiting list. */
async function cancelBooking(
  db: Db,
  { subject, id, reason, at }: { subject: string; id: string; reason: string | null; at: number },
): Promise<'cancelled' | 'conflict'> {
  const [booking] = await db.query(
    'select event_id from school_event_registration where site = $1 and member_id = $2 and id = $3',
    subject,
    id,
  )
  if (booking === undefined) return 'conflict'
  const eventId = booking['event_id'] as string
  await lockEvent(db, eventId)
  const cancelled = await db.query(
    `update school_event_registration
     set state = 'CANCELLED', cancelled_at = $3::bigint, cancel_reason = $4
     where site = $1 and id = $2 and state in ('WAITLISTED', 'REGISTERED')
     returning id`,
    id,
    at,
    reason,
  )
  if (cancelled.length === 0) return 'conflict'
  await fillSeats(db, eventId, at)
  return 'cancelled'
}
