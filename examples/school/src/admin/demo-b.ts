import type { Execute } from 'hallpass/postgres'
import { DAY, HOUR, type Row } from '../demo/rows.js'

/** What the admin API shows of a school's sales, beside what members see. */
interface Sales {
  readonly coupons: readonly Row[]
  /** Beside the rows of the demo's events, by id. */
  readonly events: readonly EventMore[]
  /** Events that no member sees yet. */
  readonly drafts: readonly Row[]
  /** The courses that each plan opens. */
  readonly plans: Readonly<Record<string, readonly string[]>>
  /** Orders that came by another way than the checkout, by id. */
  readonly sources: Readonly<Record<string, 'manual' | 'import'>>
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

const coupon = {
  kind: 'percentage',
  currency: null,
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  redeemed_count: 0,
  deactivated_at: null,
}

const lanternSales = (now: number): Sales => ({
  coupons: [
    { ...coupon, id: 'cpn_l01', code: 'WELCOME100', name: 'The first course is on us', amount: '100', redeemed_count: 1 }, // prettier-ignore
    { ...coupon, id: 'cpn_l02', code: 'EARLY-BIRD', name: 'The first twenty', amount: '25', max_redemptions: 20, redeemed_count: 20 }, // prettier-ignore
    { ...coupon, id: 'cpn_l03', code: 'SUMMER-10', name: 'Summer', kind: 'fixed_amount', amount: '10.00', currency: 'EUR', starts_at: now - 150 * DAY, ends_at: now - 60 * DAY, redeemed_count: 7 }, // prettier-ignore
    { ...coupon, id: 'cpn_l04', code: 'NEW-YEAR', name: 'New year', amount: '15', starts_at: now + 30 * DAY, ends_at: now + 60 * DAY }, // prettier-ignore
  ],
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
  plans: {
    plan_l01: ['crs_l01', 'crs_l04'],
    plan_l02: ['crs_l01', 'crs_l02', 'crs_l04'],
    plan_l03: ['crs_l01', 'crs_l02', 'crs_l03', 'crs_l04', 'crs_l05', 'crs_l06'],
    plan_l04: ['crs_l05'],
  },
  sources: { l5: 'manual', l2: 'import' },
})

const kilnSales = (): Sales => ({
  coupons: [
    { ...coupon, id: 'cpn_k01', code: 'RAKU-100', name: 'Raku', kind: 'fixed_amount', amount: '100', currency: 'TWD' }, // prettier-ignore
  ],
  events: [
    {
      id: 'evt_k01',
      description_html: '<p>Two pieces each, glazed by you, fired by us.</p>',
      tickets: [{ name: 'Two pieces', price: { amount: '900', currency: 'TWD' } }],
    },
  ],
  drafts: [],
  plans: { plan_k01: ['crs_k01', 'crs_k03'] },
  sources: {},
})

const sites: Readonly<Record<string, (now: number) => Sales>> = {
  site_lantern: lanternSales,
  site_kiln: kilnSales,
}

/**
 * Puts in what the admin API shows of sales beside what members see, where it is missing. What somebody
 * changed since stays as it is.
 */
export async function seedSales({
  execute,
  site,
  now,
}: {
  execute: Execute
  site: string
  now: () => number
}): Promise<void> {
  const at = now()
  const sales = sites[site]?.(at)
  if (sales === undefined) return
  const made = { site, created_at: at - 40 * DAY, updated_at: at - 40 * DAY }
  const rows = {
    ...sales,
    coupons: sales.coupons.map((row) => ({ applies_to: [], ...row, ...made })),
    drafts: sales.drafts.map((row) => ({ description_html: '', tickets: [], ...row, ...made })),
    made: made.created_at,
  }
  const data = JSON.stringify(rows)
  for (const statement of STATEMENTS) await execute(statement, [site, data])
  await execute(PERIODS, [site])
}

const fill = (table: string, list: string): string => `
  insert into school_${table}
  select r.* from jsonb_populate_recordset(null::school_${table}, $2::text::jsonb -> '${list}') r
  where r.site = $1 on conflict do nothing`

// A row of the demo that lacks what only the admin API writes is as new.
const STATEMENTS: readonly string[] = [
  fill('coupon', 'coupons'),
  fill('event', 'drafts'),
  `update school_event v
   set description_html = r.description_html, tickets = r.tickets,
     created_at = ($2::text::jsonb ->> 'made')::bigint,
     updated_at = ($2::text::jsonb ->> 'made')::bigint
   from jsonb_populate_recordset(null::school_event, $2::text::jsonb -> 'events') r
   where v.site = $1 and v.id = r.id and v.tickets is null`,
  `with fresh as (
     update school_plan set visible = true, post_category_ids = '[]',
       created_at = ($2::text::jsonb ->> 'made')::bigint,
       updated_at = ($2::text::jsonb ->> 'made')::bigint
     where site = $1 and visible is null returning id
   )
   insert into school_plan_course (site, plan_id, course_id)
   select $1, fresh.id, c.course_id from fresh
   cross join jsonb_array_elements_text(
     coalesce($2::text::jsonb -> 'plans' -> fresh.id, '[]')) c(course_id)
   on conflict do nothing`,
  `update school_order
   set source = coalesce($2::text::jsonb -> 'sources' ->> id, 'checkout')
   where site = $1 and source is null`,
]

const PERIODS = `update school_subscription s
   set granted = false, current_period_start = greatest(s.started_at, extract(epoch from
     to_timestamp(s.current_period_end) - ('1 ' || p.interval)::interval)::bigint)
   from school_plan p
   where s.site = $1 and p.site = $1 and p.id = s.plan_id and s.granted is null`
