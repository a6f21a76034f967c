import type { Db } from '../admin/kit.js'

/** Locks an event, so that no other transaction assigns its seats. Every change of a booking does this first. */
export async function lockEvent(db: Db, eventId: string): Promise<void> {
  await db.query('select from school_event where site = $1 and id = $2 for update', eventId)
}

/** Gives the free seats of a locked event to the waiting list, in the order of booking. */
export async function fillSeats(db: Db, eventId: string, at: number): Promise<void> {
  await db.query(
    `update school_event_registration r
     set state = 'REGISTERED', updated_at = $3,
       ticket_code = coalesce(r.ticket_code,
         upper(left(replace(gen_random_uuid()::text, '-', ''), 12)))
     from (
       select w.id, row_number() over (order by w.registered_at, w.id) as place
       from school_event_registration w
       where w.site = $1 and w.event_id = $2 and w.state = 'WAITLISTED'
     ) waiting, school_event v
     where r.site = $1 and r.id = waiting.id and v.site = $1 and v.id = $2
       and v.status = 'published' and v.ends_at > $3
       and (v.capacity is null or waiting.place <= v.capacity - (
         select count(*) from school_event_registration t
         where t.site = $1 and t.event_id = $2 and t.state in ('REGISTERED', 'CHECKED_IN')
       ))`,
    eventId,
    at,
  )
}

/** Cancels all open bookings of a locked event. */
export async function cancelBookings(
  db: Db,
  eventId: string,
  { reason, at }: { reason: string | null; at: number },
): Promise<void> {
  await db.query(
    `update school_event_registration
     set state = 'CANCELLED', cancelled_at = $3, updated_at = $3, cancel_reason = $4
     where site = $1 and event_id = $2 and state in ('WAITLISTED', 'REGISTERED')`,
    eventId,
    at,
    reason,
  )
}
