import type { AccountSource, EventRegistrationRecord } from 'hallpass/account'
import { createParameters, loadRows, type SourceOptions } from './listing.js'

type BookingMethods = Pick<AccountSource, 'eventRegistrations' | 'cancelEventRegistration'>

/** How long before an event its link to join is given out. */
const JOIN_SECONDS = 30 * 60

/** The events that a member booked. */
export function createBookings({ execute, site, origin }: SourceOptions): BookingMethods {
  return {
    eventRegistrations({ subject }, query) {
      const { ids, states, when, now } = query.filter
      const parameters = createParameters()
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

    async cancelEventRegistration({ subject }, { id, reason, at }) {
      const { rows } = await execute(
        `update school_event_registration
         set state = 'CANCELLED', cancelled_at = $4::bigint, cancel_reason = $5
         where site = $1 and member_id = $2 and id = $3 and state in ('WAITLISTED', 'REGISTERED')
         returning id`,
        [site, subject, id, at, reason],
      )
      return rows.length > 0 ? 'cancelled' : 'conflict'
    },
  }
}
