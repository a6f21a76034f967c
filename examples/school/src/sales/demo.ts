import { DAY } from '../demo/rows.js'
import { type DemoOptions, insertMissing, type JsonRow, type PerSchool } from '../demo/seed.js'

/** The data of sales that only the admin API shows. */
interface Details {
  readonly coupons: readonly JsonRow[]
  /** Orders that were not made at the checkout, by id. */
  readonly sources: Readonly<Record<string, 'manual' | 'import'>>
}

const coupon = {
  kind: 'percentage',
  currency: null,
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  redeemed_count: 0,
  deactivated_at: null,
}

const lantern = (now: number): Details => ({
  coupons: [
    { ...coupon, id: 'cpn_l01', code: 'WELCOME100', name: 'The first course is on us', amount: '100', redeemed_count: 1 }, // prettier-ignore
    { ...coupon, id: 'cpn_l02', code: 'EARLY-BIRD', name: 'The first twenty', amount: '25', max_redemptions: 20, redeemed_count: 20 }, // prettier-ignore
    { ...coupon, id: 'cpn_l03', code: 'SUMMER-10', name: 'Summer', kind: 'fixed_amount', amount: '10.00', currency: 'EUR', starts_at: now - 150 * DAY, ends_at: now - 60 * DAY, redeemed_count: 7 }, // prettier-ignore
    { ...coupon, id: 'cpn_l04', code: 'NEW-YEAR', name: 'New year', amount: '15', starts_at: now + 30 * DAY, ends_at: now + 60 * DAY }, // prettier-ignore
  ],
  sources: { l5: 'manual', l2: 'import' },
})

const kiln = (): Details => ({
  coupons: [
    { ...coupon, id: 'cpn_k01', code: 'RAKU-100', name: 'Raku', kind: 'fixed_amount', amount: '100', currency: 'TWD' }, // prettier-ignore
  ],
  sources: {},
})

const details: PerSchool<Details> = { site_lantern: lantern, site_kiln: kiln }

/** Inserts the coupons of the demo, and the sources of its orders. */
export async function seedSales(options: DemoOptions): Promise<void> {
  const { execute, site } = options
  const at = options.now()
  const sales = details[site]?.(at)
  if (sales === undefined) return
  const made = { created_at: at - 40 * DAY, updated_at: at - 40 * DAY }
  await insertMissing(options, {
    coupon: sales.coupons.map((row) => ({ applies_to: [], ...row, ...made })),
  })
  await execute(
    `update school_order set source = coalesce($2::text::jsonb ->> id, 'checkout')
     where site = $1 and source is null`,
    [site, JSON.stringify(sales.sources)],
  )
}
