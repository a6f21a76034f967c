import { toolError, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import type { SqlParameters } from '../account/listing.js'
import { epochOf, time, timeSql } from '../admin/fields.js'
import { definePublicObject, type PublicSource } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { isPublicEvent, wordsSql } from '../agents/public-rows.js'
import { moneySchema, timeSchema } from '../agents/shapes.js'
import { plainText, textSchema } from '../agents/text.js'

type Band = 'none' | 'few' | 'some' | 'many'

// The highest number of free seats in each band. More seats, or no limit, are `many`.
const MOST = { none: 0, few: 5, some: 20 } as const

/** Roughly how many seats are left. An exact number would reveal each booking. */
export function bandOf(seats: number | null): Band {
  if (seats === null || seats > MOST.some) return 'many'
  if (seats > MOST.few) return 'some'
  return seats > MOST.none ? 'few' : 'none'
}

const summary = {
  slug: z.string().describe('For get_public_event.'),
  title: z.string(),
  starts_at: timeSchema,
  ends_at: timeSchema,
  time_zone: z.string().describe('Time zone of the event. Tell people its times in this zone.'),
  online: z.boolean(),
  venue: z.string().nullable(),
  tickets: z.array(z.object({ name: z.string(), price: moneySchema })),
  seats_left: z
    .enum(['none', 'few', 'some', 'many'])
    .nullable()
    .describe(
      `none: sold out. few: up to ${MOST.few}. some: up to ${MOST.some}. null: the event is over.`,
    ),
  url: z.string().describe('The page of the event, where people can book.'),
}
const summarySchema = z.object(summary)
const eventSchema = z.object({
  ...summary,
  description: textSchema,
  cancellable_until: timeSchema.nullable().describe('null means until the event starts.'),
})
type Summary = z.output<typeof summarySchema>
type SummaryRow = Omit<Summary, 'seats_left'> & {
  readonly is_over: boolean
  readonly seats: number | null
}
type EventRow = Omit<z.output<typeof eventSchema>, 'seats_left' | 'description'> &
  SummaryRow & { readonly html: string }

const summarySql = (origin: string, now: string): string => `
  jsonb_build_object('slug', v.slug, 'title', v.title, 'starts_at', ${timeSql('v.starts_at')},
    'ends_at', ${timeSql('v.ends_at')}, 'time_zone', v.time_zone, 'online', v.online,
    'venue', v.venue, 'tickets', coalesce(v.tickets, '[]'),
    'url', ${origin} || '/events/' || v.slug, 'is_over', v.ends_at <= ${now},
    'seats', v.capacity - (select count(*) from school_event_registration r
      where r.site = v.site and r.event_id = v.id and r.state in ('REGISTERED', 'CHECKED_IN')))`

const summaryOf = <Row extends SummaryRow>({ is_over, seats, ...row }: Row) => ({
  ...row,
  seats_left: is_over ? null : bandOf(seats),
})

/** SQL of the text of an event that a search covers. It contains only what the tools show. */
export const eventWordsSql = `concat_ws(' ', v.title, v.venue, ${wordsSql('v.description_html')})`

/** The tools that show published events. */
export function eventTools(source: PublicSource): readonly Tool<never>[] {
  const { site, origin, now } = source
  const shownAt = ({ text, integer }: SqlParameters): string =>
    summarySql(text(origin), integer(now()))

  return [
    definePublicList(source, {
      name: 'list_public_events',
      title: 'List events',
      description:
        'Lists the published events of this school in the order in which they start. Without `from` it lists only events that have not ended. Call it to find what takes place when, and whether seats are left. It never returns who takes part, and cannot book anything.',
      filters: {
        from: time
          .optional()
          .describe('Return only events that end after this time. Default: now.'),
        to: time
          .optional()
          .describe('Return only events that begin before this time. Default: no limit.'),
      },
      item: summarySchema,
      keyType: 'bigint',
      select(parameters, filters) {
        const from = epochOf(filters.from ?? null) ?? now()
        const to = epochOf(filters.to ?? null)
        if (to !== null && filters.from !== undefined && to < from)
          return toolError('INVALID_INPUT', 'to: must not be before from')
        const { text, integer } = parameters
        return `select v.slug as id, v.starts_at as key, ${shownAt(parameters)} as data
          from school_event v
          where v.site = ${text(site)} and ${isPublicEvent('v')} and v.ends_at > ${integer(from)}
            ${to === null ? '' : `and v.starts_at < ${integer(to)}`}`
      },
      itemOf: (row: SummaryRow) => summaryOf(row),
      nextSteps: ['Call get_public_event with a slug to get the description.'],
    }),
    definePublicObject(source, {
      name: 'get_public_event',
      title: 'Get an event',
      description:
        'Returns one published event: description, times, place, tickets and roughly how many seats are left. Call it after list_public_events or search_catalog. It never returns who takes part, or the link to join an online event.',
      noun: 'event',
      item: eventSchema,
      select: (parameters, slug) =>
        `select ${shownAt(parameters)} || jsonb_build_object(
           'html', coalesce(v.description_html, ''),
           'cancellable_until', ${timeSql('v.cancellable_until')}) as data
         from school_event v
         where v.site = ${parameters.text(site)} and v.slug = ${parameters.text(slug)}
           and ${isPublicEvent('v')}`,
      itemOf: ({ html, ...row }: EventRow) => ({ ...summaryOf(row), description: plainText(html) }),
      nextSteps: ['Give the person the url, so that they can book on the page of the event.'],
    }),
  ]
}
