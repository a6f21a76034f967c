import { createHash } from 'node:crypto'
import { DAY } from '../demo/rows.js'
import type { ContentRow, ContentRows } from '../admin/demo-c.js'

interface Bytes {
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly purpose?: string
}

/** An upload that was completed at once. Its bytes are made up, and so is their hash. */
export const upload = (id: string, uploader_id: string, at: number, file: Bytes): ContentRow => ({
  id,
  purpose: 'digital_product',
  ...file,
  sha256: createHash('sha256').update(id).digest('hex'),
  uploader_id,
  expires_at: at + 900,
  completed_at: at + 60,
  created_at: at,
  updated_at: at + 60,
})

const product = (
  id: string,
  at: number,
  texts: { slug: string; title: string; description_html: string },
  more: { price: string; currency: string; state: string },
): ContentRow => ({ id, ...texts, ...more, created_at: at, updated_at: at })

const file = (
  product_id: string,
  position: number,
  upload_id: string,
  from: Bytes,
): ContentRow => ({
  product_id,
  position,
  upload_id,
  name: from.filename,
  content_type: from.content_type,
  size_bytes: from.size,
})

const BRUSHES: Bytes = { filename: 'brush-guide.pdf', content_type: 'application/pdf', size: 4_812_331 } // prettier-ignore
const SHEETS: Bytes = { filename: 'practice-sheets.zip', content_type: 'application/zip', size: 18_220_417 } // prettier-ignore
const PAPERS: Bytes = { filename: 'papers.pdf', content_type: 'application/pdf', size: 920_114 }
const GLAZES: Bytes = { filename: 'cone-6-glazes.pdf', content_type: 'application/pdf', size: 2_004_650 } // prettier-ignore

/** One on sale since ever, a draft, one that is no longer sold, and the files that they are made of. */
export const lanternDownloads = (now: number): ContentRows => ({
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

/** What the demo's members have already, with what only the admin API shows of it. */
export const LANTERN_GUIDE = {
  id: 'dgp_l01',
  description_html: '<p>Which hair, which belly, which water.</p>',
  price: '12.00',
  currency: 'EUR',
  state: 'published',
  uploads: ['upl_l01', 'upl_l02'],
  days: 200,
} as const

/** One download of the other school. */
export const kilnDownloads = (now: number): ContentRows => ({
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
