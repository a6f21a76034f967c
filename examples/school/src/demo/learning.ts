import { kilnRows } from './kiln.js'
import { lanternRows } from './lantern.js'
import type { DemoRows } from './rows.js'
import type { DemoOptions, PerSchool } from './seed.js'

const sites: PerSchool<DemoRows> = {
  site_lantern: lanternRows,
  site_kiln: kilnRows,
}

/**
 * Inserts the courses and orders of the demo's people once: a school that has a course stays unchanged. One
 * statement inserts everything, with times relative to now.
 */
export async function seedLearning({ execute, site, now }: DemoOptions): Promise<void> {
  const before = await execute('select from school_course where site = $1 limit 1', [site])
  if (before.rows.length > 0) return
  const { person = [], ...tables } = sites[site]?.(now()) ?? {}
  const rows = Object.fromEntries(
    Object.entries(tables).map(([table, list]) => [table, list.map((row) => ({ site, ...row }))]),
  )
  const inserts = Object.keys(rows).map(
    (table) => `,
     new_${table} as (
       insert into school_${table}
       select r.* from data,
         jsonb_populate_recordset(null::school_${table}, data.rows -> '${table}') r
       on conflict do nothing
     )`,
  )
  await execute(
    `with data as (
       select $2::text::jsonb as rows
       where not exists (select from school_course where site = $1)
     ),
     new_profile as (
       update school_person p
       set email_verified = p.email is not null, joined_at = r.joined_at, locale = r.locale,
         time_zone = r.time_zone
       from data, jsonb_populate_recordset(null::school_person, data.rows -> 'person') r
       where p.site = $1 and p.member_id = r.member_id
     )${inserts.join('')}
     select 1`,
    [site, JSON.stringify({ ...rows, person })],
  )
}
