import { DAY } from '../demo/rows.js'
import {
  type DemoOptions,
  insertMissing,
  type JsonRow,
  type JsonRows,
  type PerSchool,
} from '../demo/seed.js'
import { upload, type UploadedFile } from '../school/demo.js'

const product = (
  id: string,
  at: number,
  texts: { slug: string; title: string; description_html: string },
  more: { price: string; currency: string; state: string },
): JsonRow => ({ id, ...texts, ...more, created_at: at, updated_at: at })

const file = (
  product_id: string,
  position: number,
  upload_id: string,
  from: UploadedFile,
): JsonRow => ({
  product_id,
  position,
  upload_id,
  name: from.filename,
  content_type: from.content_type,
  size_bytes: from.size,
})

const BRUSHES: UploadedFile = { filename: 'brush-guide.pdf', content_type: 'application/pdf', size: 4_812_331 } // prettier-ignore
const SHEETS: UploadedFile = { filename: 'practice-sheets.zip', content_type: 'application/zip', size: 18_220_417 } // prettier-ignore
const PAPERS: UploadedFile = {
  filename: 'papers.pdf',
  content_type: 'application/pdf',
  size: 920_114,
}
const GLAZES: UploadedFile = { filename: 'cone-6-glazes.pdf', content_type: 'application/pdf', size: 2_004_650 } // prettier-ignore

/** A download on sale, a draft, an archived one, and their files. */
const lanternDownloads = (now: number): JsonRows => ({
  upload: [
    upload('upl_l01', 'mem_l03', now - 200 * DAY, BRUSHES),
    upload('upl_l02', 'mem_l03', now - 200 * DAY, SHEETS),
    upload('upl_l03', 'mem_l02', now - 5 * DAY, PAPERS),
  ],
  digital_product: [
    product(
      'dgp_l02',
      now - 5 * DAY,
      {
        slug: 'paper-atlas',
        title: 'The Paper Atlas',
        description_html: '<p>Forty papers, wet.</p>',
      },
      { price: '9.50', currency: 'EUR', state: 'draft' },
    ),
    product(
      'dgp_l03',
      now - 350 * DAY,
      { slug: 'advent-postcards', title: 'Advent postcards', description_html: '' },
      { price: '0.00', currency: 'EUR', state: 'archived' },
    ),
  ],
  digital_file: [file('dgp_l02', 0, 'upl_l03', PAPERS), file('dgp_l03', 0, 'upl_l02', SHEETS)],
})

/** Downloads that members of the demo own, with the data that only the admin API shows. */
const LANTERN_GUIDE = {
  id: 'dgp_l01',
  description_html: '<p>Which hair, which belly, which water.</p>',
  price: '12.00',
  currency: 'EUR',
  state: 'published',
  uploads: ['upl_l01', 'upl_l02'],
  days: 200,
} as const

/** One download of the other school. */
const kilnDownloads = (now: number): JsonRows => ({
  upload: [upload('upl_k01', 'mem_k01', now - 80 * DAY, GLAZES)],
  digital_product: [
    product(
      'dgp_k01',
      now - 80 * DAY,
      { slug: 'cone-6-glazes', title: 'Cone 6 glazes', description_html: '<p>十二種釉方。</p>' },
      { price: '320', currency: 'TWD', state: 'published' },
    ),
  ],
  digital_file: [file('dgp_k01', 0, 'upl_k01', GLAZES)],
})

const downloads: PerSchool<JsonRows> = { site_lantern: lanternDownloads, site_kiln: kilnDownloads }

/** Inserts the downloads of the demo. */
export async function seedDownloads(options: DemoOptions): Promise<void> {
  await insertMissing(options, downloads[options.site]?.(options.now()))
  await describeGuide(options)
}

async function describeGuide({ execute, site, now }: DemoOptions): Promise<void> {
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
