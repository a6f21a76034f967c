import type { Execute } from 'hallpass/postgres'
import { DAY } from '../demo/rows.js'
import { kilnDownloads, LANTERN_GUIDE, lanternDownloads } from '../sales/digital-products-demo.js'
import { kilnForms, lanternForms } from '../content/forms-demo.js'
import { kilnLecturers, lanternLecturers } from '../courses/lecturers-demo.js'
import { kilnPages, lanternPages } from '../custom-pages/demo.js'
import { kilnPosts, lanternPosts } from '../content/posts-demo.js'
import { kilnSettings, lanternSettings } from '../school/demo.js'

/** A row to insert, by column; the site is added to each. */
export type ContentRow = Readonly<Record<string, unknown>>

/** Rows by table, without the prefix `school_`; all of a table have the same columns. */
export type ContentRows = Readonly<Record<string, readonly ContentRow[]>>

type Parts = readonly ((now: number) => ContentRows)[]

const parts: Readonly<Record<string, Parts>> = {
  site_lantern: [
    lanternLecturers,
    lanternPosts,
    lanternDownloads,
    lanternForms,
    lanternPages,
    lanternSettings,
  ],
  site_kiln: [kilnLecturers, kilnPosts, kilnDownloads, kilnForms, kilnPages, kilnSettings],
}

/** Puts in what the admin API shows of the demo's content, where it is missing. */
export async function seedContent({
  execute,
  site,
  now,
}: {
  execute: Execute
  site: string
  now: () => number
}): Promise<void> {
  for (const part of parts[site] ?? [])
    for (const [table, rows] of Object.entries(part(now()))) {
      const columns = Object.keys(rows[0] ?? {}).join(', ')
      await execute(
        `insert into school_${table} (site, ${columns})
         select $1, ${columns} from jsonb_populate_recordset(null::school_${table}, $2::text::jsonb)
         on conflict do nothing`,
        [site, JSON.stringify(rows)],
      )
    }
  await describeGuide({ execute, site, now })
}

/** What only the admin API shows of the download that members had before. */
async function describeGuide({
  execute,
  site,
  now,
}: {
  execute: Execute
  site: string
  now: () => number
}): Promise<void> {
  const { id, description_html, price, currency, state, uploads, days } = LANTERN_GUIDE
  await execute(
    `with product as (
       update school_digital_product
       set description_html = $3, price = $4::text::numeric, currency = $5, state = $6,
         created_at = $7::bigint, updated_at = $7::bigint
       where site = $1 and id = $2 and price is null
       returning id
     )
     update school_digital_file f
     set upload_id = $8::text::jsonb ->> f.position
     from product where f.site = $1 and f.product_id = product.id`,
    [
      site,
      id,
      description_html,
      price,
      currency,
      state,
      now() - days * DAY,
      JSON.stringify(uploads),
    ],
  )
}
