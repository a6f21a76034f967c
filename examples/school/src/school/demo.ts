import { createHash } from 'node:crypto'
import { DAY } from '../demo/rows.js'
import {
  type DemoOptions,
  insertMissing,
  type JsonRow,
  type JsonRows,
  type PerSchool,
} from '../demo/seed.js'

/** What the bytes of an upload are. */
export interface UploadedFile {
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly purpose?: string
}

/** An upload that was completed at once. Its bytes are made up, and so is their hash. */
export const upload = (
  id: string,
  uploader_id: string,
  at: number,
  file: UploadedFile,
): JsonRow => ({
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

/** What Lantern Street has said of itself. */
const lanternSettings = (now: number): JsonRows => ({
  setting: [
    {
      id: 'school',
      data: {
        locale: 'pt-PT',
        contact_email: 'hello@lantern.example',
        seo: {
          title: 'Lantern Street Drawing School',
          description: 'Drawing courses in Lisbon and online.',
          image_url: 'https://images.example/lantern/street.jpg',
          indexable: true,
        },
        policies: {
          terms_html: '<p>A place is yours once it is paid.</p>',
          privacy_html: '<p>We keep what a course needs, and no more.</p>',
          refunds_html: '<p>Within 14 days, unless you have watched half of it.</p>',
        },
      },
      created_at: now - 600 * DAY,
      updated_at: now - 30 * DAY,
    },
    {
      id: 'appearance',
      data: {
        colors: { accent: '#8a5a00', background: '#fffaf0', text: '#22201c' },
        logo_url: 'https://images.example/lantern/logo.png',
        navigation: [
          { label: 'Courses', url: '/courses' },
          { label: 'Exhibition', url: '/exhibition' },
          { label: 'Prints', url: 'https://prints.example/lantern' },
        ],
        custom_css: '.hero { border-radius: min(2vw, 1rem) }',
      },
      created_at: now - 600 * DAY,
      updated_at: now - 12 * DAY,
    },
  ],
})

/** What Kiln & Coil has; its looks nobody has touched. */
const kilnSettings = (now: number): JsonRows => ({
  setting: [
    {
      id: 'school',
      data: { locale: 'zh-TW', contact_email: 'studio@kiln.example' },
      created_at: now - 290 * DAY,
      updated_at: now - 290 * DAY,
    },
  ],
})

const settings: PerSchool<JsonRows> = { site_lantern: lanternSettings, site_kiln: kilnSettings }

/** Puts in what the demo's schools say of themselves. */
export const seedSettings = (options: DemoOptions): Promise<void> =>
  insertMissing(options, settings[options.site]?.(options.now()))
