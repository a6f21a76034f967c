import { DAY } from '../demo/rows.js'
import type { ContentRows } from '../admin/demo-c.js'

/** What Lantern Street has said of itself. */
export const lanternSettings = (now: number): ContentRows => ({
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
export const kilnSettings = (now: number): ContentRows => ({
  setting: [
    {
      id: 'school',
      data: { locale: 'zh-TW', contact_email: 'studio@kiln.example' },
      created_at: now - 290 * DAY,
      updated_at: now - 290 * DAY,
    },
  ],
})
