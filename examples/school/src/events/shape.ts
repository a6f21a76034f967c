import * as z from 'zod'
import {
  common,
  commonSql,
  idOf,
  line,
  money,
  moneyInput,
  slug,
  time,
  timeSql,
  timeZone,
} from '../admin/fields.js'
import { html } from '../admin/html.js'
import type { Listed } from '../admin/kit.js'

export const eventId = idOf('evt')

const ticketName = line(100)

/** The members of an event in a request. */
export const eventFields = {
  slug,
  title: line(),
  description_html: html(),
  starts_at: time,
  ends_at: time,
  time_zone: timeZone,
  online: z.boolean(),
  venue: line(300).nullable(),
  join_url: z
    .url({ protocol: /^https$/ })
    .max(2000)
    .nullable()
    .describe('Link for the people who take part online. No response contains it.'),
  capacity: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe('Number of seats. null if it is unlimited.'),
  cancellable_until: time.nullable().describe('null means until the event starts.'),
  tickets: z.array(z.strictObject({ name: ticketName, price: moneyInput })).max(50),
}

const { join_url: _, ...shownFields } = eventFields
const count = z.int().min(0)

/** An event as the API shows it. */
export const SchoolEvent = z
  .object({
    id: eventId,
    ...shownFields,
    description_html: z.string().max(50_000),
    tickets: z.array(z.object({ name: ticketName, price: money })).max(50),
    has_join_url: z.boolean(),
    state: z.enum(['draft', 'published', 'cancelled', 'ended']),
    counts: z.object({
      registered: count,
      checked_in: count,
      no_show: count,
      waitlisted: count,
      cancelled: count,
      seats_left: count.nullable(),
    }),
    ...common,
  })
  .meta({ id: 'Event', description: 'An event, on site or online.' })
export type SchoolEvent = z.output<typeof SchoolEvent>

const countSql = (state: string): string =>
  `(count(*) filter (where r.state = '${state}'))::integer`

/**
 * Events as the API shows them.
 *
 * @param now - in seconds since the epoch, like the times between which the events start
 */
export function eventResource(
  now: number,
  { after, before }: { after: number | null; before: number | null } = {
    after: null,
    before: null,
  },
): Listed {
  const conditions = [
    'v.site = $1',
    ...(after === null ? [] : [`v.starts_at > ${after}`]),
    ...(before === null ? [] : [`v.starts_at < ${before}`]),
  ]
  return {
    table: 'event',
    search: ['title', 'slug', 'venue'],
    select: `select v.id, jsonb_build_object(
        'id', v.id, 'slug', v.slug, 'title', v.title,
        'description_html', coalesce(v.description_html, ''),
        'starts_at', ${timeSql('v.starts_at')}, 'ends_at', ${timeSql('v.ends_at')},
        'time_zone', v.time_zone, 'online', v.online, 'venue', v.venue,
        'has_join_url', v.join_url is not null, 'capacity', v.capacity,
        'cancellable_until', ${timeSql('v.cancellable_until')},
        'tickets', coalesce(v.tickets, '[]'),
        'state', case when v.status = 'published' and v.ends_at <= ${now}
          then 'ended' else v.status end,
        'counts', (
          select jsonb_build_object(
            'registered', ${countSql('REGISTERED')}, 'checked_in', ${countSql('CHECKED_IN')},
            'no_show', ${countSql('NO_SHOW')}, 'waitlisted', ${countSql('WAITLISTED')},
            'cancelled', ${countSql('CANCELLED')},
            'seats_left', case when v.capacity is not null then greatest(0, v.capacity
              - count(*) filter (where r.state in ('REGISTERED', 'CHECKED_IN'))) end
          )
          from school_event_registration r where r.site = v.site and r.event_id = v.id
        ),
        ${commonSql('m')}
      ) as data
      from school_event v
      cross join lateral (
        select coalesce(v.created_at, v.starts_at) as created_at,
          coalesce(v.updated_at, v.created_at, v.starts_at) as updated_at
      ) m
      where ${conditions.join(' and ')}`,
  }
}
