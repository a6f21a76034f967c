import { DAY, HOUR } from '../demo/rows.js'
import {
  type DemoOptions,
  fillIn,
  insertMissing,
  type JsonRow,
  type PerSchool,
} from '../demo/seed.js'

/** The data of events that only the admin API shows. */
interface Details {
  /** For each event, by its id, in addition to what members see. */
  readonly events: readonly EventMore[]
  /** The events that no member sees yet. */
  readonly drafts: readonly JsonRow[]
}

interface EventMore {
  readonly id: string
  readonly description_html: string
  readonly tickets: readonly {
    readonly name: string
    readonly price: { readonly amount: string; readonly currency: string }
  }[]
}

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const oneFor = (amount: string) => [{ name: 'One person', price: eur(amount) }]

const lanternEvents: readonly EventMore[] = [
  {
    id: 'evt_l01',
    description_html: '<p>Three hours by the Tagus. Bring what you draw with and a hat.</p>',
    tickets: oneFor('15.00'),
  },
  {
    id: 'evt_l02',
    description_html: '<p>Ink, a lamp and a screen. We send the paper list a day before.</p>',
    tickets: [...oneFor('14.00'), { name: 'Two people', price: eur('24.00') }],
  },
  {
    id: 'evt_l03',
    description_html: '<p>Eight hours, eight sitters, one break for soup.</p>',
    tickets: oneFor('45.00'),
  },
  {
    id: 'evt_l04',
    description_html: '<p>The doors were open and the coffee was free.</p>',
    tickets: oneFor('0.00'),
  },
  {
    id: 'evt_l05',
    description_html: '<p>An hour before the museum opens.</p>',
    tickets: oneFor('0.00'),
  },
  {
    id: 'evt_l06',
    description_html: '<p>From dusk until breakfast, in the night the clocks change.</p>',
    tickets: oneFor('0.00'),
  },
]

const lantern = (now: number): Details => ({
  events: lanternEvents,
  drafts: [
    {
      id: 'evt_l07',
      slug: 'print-fair',
      title: 'Print Fair',
      status: 'draft',
      starts_at: Math.floor(now / HOUR) * HOUR + 75 * DAY,
      ends_at: Math.floor(now / HOUR) * HOUR + 75 * DAY + 6 * HOUR,
      time_zone: 'Europe/Lisbon',
      online: false,
      venue: null,
      capacity: 200,
    },
  ],
})

const kiln = (): Details => ({
  events: [
    {
      id: 'evt_k01',
      description_html: '<p>Two pieces each, glazed by you, fired by us.</p>',
      tickets: [{ name: 'Two pieces', price: { amount: '900', currency: 'TWD' } }],
    },
  ],
  drafts: [],
})

const details: PerSchool<Details> = { site_lantern: lantern, site_kiln: kiln }

/** Inserts the data of the demo's events that only the admin API shows. */
export async function seedEvents(options: DemoOptions): Promise<void> {
  const at = options.now()
  const { events = [], drafts = [] } = details[options.site]?.(at) ?? {}
  const made = { created_at: at - 40 * DAY, updated_at: at - 40 * DAY }
  await insertMissing(options, {
    event: drafts.map((row) => ({ description_html: '', tickets: [], ...row, ...made })),
  })
  await fillIn(options, {
    table: 'event',
    columns: ['description_html', 'tickets', 'created_at', 'updated_at'],
    unless: 'tickets',
    rows: events.map((row) => ({ ...row, ...made })),
  })
}
