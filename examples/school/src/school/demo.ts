import { createHash } from 'node:crypto'
import { DAY } from '../demo/rows.js'
import {
  type DemoOptions,
  insertMissing,
  type JsonRow,
  type JsonRows,
  type PerSchool,
} from '../demo/seed.js'

/** The file of an upload. */
export interface UploadedFile {
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly purpose?: string
}

/** Creates a completed upload. Its bytes and their hash are made up. */
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

/** Returns the settings of Lantern Street. */
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
          terms_html: '<p>Your place is reserved once you have paid.</p>',
          privacy_html: '<p>We keep only the data that a course needs.</p>',
          refunds_html: '<p>Within 14 days, unless you have watched half of the course.</p>',
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

/** Returns the settings of Kiln & Coil, which keeps the default appearance. */
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

/** Inserts the settings of the demo's schools. */
export const seedSettings = (options: DemoOptions): Promise<void> =>
  insertMissing(options, settings[options.site]?.(options.now()))
