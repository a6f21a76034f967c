import { faultWith, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import type { SqlParameters } from '../account/listing.js'
import { epochOf, time, timeSql } from '../admin/fields.js'
import { definePublicObject, type PublicSource } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { isPublicEvent, wordsSql } from '../agents/public-rows.js'
import { moneySchema, timeSchema } from '../agents/shapes.js'
import { plainText, textSchema } from '../agents/text.js'

type Band = 'none' | 'few' | 'some' | 'many'

// The most seats that are left in each band; more, or no limit at all, are many.
const MOST = { none: 0, few: 5, some: 20 } as const

/** How many seats are left, roughly: a number would tell who comes and goes. */
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
  time_zone: z.string().describe('Where it takes place: say its times in this zone.'),
  online: z.boolean(),
  venue: z.string().nullable(),
  tickets: z.array(z.object({ name: z.string(), price: moneySchema })),
  seats_left: z
    .enum(['none', 'few', 'some', 'many'])
    .nullable()
    .describe(
      `none = sold out, few = up to ${MOST.few}, some = up to ${MOST.some}; null = it is over.`,
    ),
  url: z.string().describe('Its page, where people can book.'),
}
const summarySchema = z.object(summary)
const eventSchema = z.object({
  ...summary,
  description: textSchema,
  cancellable_until: timeSchema.nullable().describe('null = until it starts.'),
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

/** SQL of what a search looks at in an event: nothing that is not shown. */
export const eventWordsSql = `concat_ws(' ', v.title, v.venue, ${wordsSql('v.description_html')})`

/** The events that everybody may see. */
export function eventTools(source: PublicSource): readonly Tool<never>[] {
  const { site, origin, now } = source
  const shownAt = ({ text, integer }: SqlParameters): string =>
    summarySql(text(origin), integer(now()))

  return [
    definePublicList(source, {
      name: 'list_public_events',
      title: 'List events',
      description:
        'Lists the published events of this school in the order they start, those to come unless `from` says otherwise. Use it to find what takes place when, and whether seats are left. It never says who comes, and cannot book anything.',
      filters: {
        from: time.optional().describe('Still on after this moment. Default: now.'),
        to: time.optional().describe('Begins before this moment. Default: whenever.'),
      },
      item: summarySchema,
      keyType: 'bigint',
      select(parameters, filters) {
        const from = epochOf(filters.from ?? null) ?? now()
        const to = epochOf(filters.to ?? null)
        if (to !== null && filters.from !== undefined && to < from)
          return faultWith('INVALID_INPUT', 'to: it is before from')
        const { text, integer } = parameters
        return `select v.slug as id, v.starts_at as key, ${shownAt(parameters)} as data
          from school_event v
          where v.site = ${text(site)} and ${isPublicEvent('v')} and v.ends_at > ${integer(from)}
            ${to === null ? '' : `and v.starts_at < ${integer(to)}`}`
      },
      itemOf: (row: SummaryRow) => summaryOf(row),
      nextSteps: ['Call get_public_event with a slug for its description.'],
    }),
    definePublicObject(source, {
      name: 'get_public_event',
      title: 'Get an event',
      description:
        'Gets one published event by its slug: description, times, place, tickets and roughly how many seats are left. Use it after list_public_events or search_catalog. It never says who comes or where an online event is joined.',
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
      nextSteps: ['Give the person the url: they book on the page of the event.'],
    }),
  ]
}
