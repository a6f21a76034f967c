import { DAY } from '../demo/rows.js'
import type { DemoOptions } from '../demo/seed.js'

/** The courses of each plan. */
const opened: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  site_lantern: {
    plan_l01: ['crs_l01', 'crs_l04'],
    plan_l02: ['crs_l01', 'crs_l02', 'crs_l04'],
    plan_l03: ['crs_l01', 'crs_l02', 'crs_l03', 'crs_l04', 'crs_l05', 'crs_l06'],
    plan_l04: ['crs_l05'],
  },
  site_kiln: { plan_k01: ['crs_k01', 'crs_k03'] },
}

/** Inserts the data of the demo's plans and memberships that only the admin API shows. */
export async function seedSubscriptions({ execute, site, now }: DemoOptions): Promise<void> {
  const plans = opened[site]
  if (plans === undefined) return
  await execute(
    `with fresh as (
       update school_plan set visible = true, post_category_ids = '[]',
         created_at = $3::bigint, updated_at = $3::bigint
       where site = $1 and visible is null returning id
     )
     insert into school_plan_course (site, plan_id, course_id)
     select $1, fresh.id, c.course_id from fresh
     cross join jsonb_array_elements_text(coalesce($2::text::jsonb -> fresh.id, '[]')) c(course_id)
     on conflict do nothing`,
    [site, JSON.stringify(plans), now() - 40 * DAY],
  )
  await execute(
    `update school_subscription s
     set granted = false, current_period_start = greatest(s.started_at, extract(epoch from
       to_timestamp(s.current_period_end) - ('1 ' || p.interval)::interval)::bigint)
     from school_plan p
     where s.site = $1 and p.site = $1 and p.id = s.plan_id and s.granted is null`,
    [site],
  )
}
