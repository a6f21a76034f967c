import { DAY } from '../demo/rows.js'
import { type DemoOptions, fillIn, type JsonRow, type PerSchool } from '../demo/seed.js'

/** The data of courses and lectures that only the admin API shows. */
interface Details {
  readonly courses: readonly JsonRow[]
  readonly lectures: readonly JsonRow[]
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '')

const plansIn = (currency: string) => {
  const price = (amount: string): JsonRow => ({ amount, currency })
  const none = { price: null, access_days: null, interval: null, starts_at: null, ends_at: null }
  return {
    free: { ...none, kind: 'free' },
    forGood: (amount: string): JsonRow => ({ ...none, kind: 'one_time', price: price(amount) }),
    days: (amount: string, access_days: number): JsonRow => ({
      ...none,
      kind: 'fixed_length',
      price: price(amount),
      access_days,
    }),
    until: (amount: string, at: number): JsonRow => ({
      ...none,
      kind: 'fixed_date',
      price: price(amount),
      ends_at: iso(at),
    }),
    ahead: (amount: string, at: number): JsonRow => ({
      ...none,
      kind: 'pre_order',
      price: price(amount),
      starts_at: iso(at),
    }),
    monthly: (amount: string): JsonRow => ({
      ...none,
      kind: 'subscription',
      price: price(amount),
      interval: 'month',
    }),
  }
}

function lantern(now: number): Details {
  const plan = plansIn('EUR')
  const ines = ['lct_l02']
  const amara = ['lct_l01']
  const course = (
    number: number,
    category: string,
    tags: readonly string[],
    more: JsonRow,
  ): JsonRow => ({
    id: `crs_l0${number}`,
    subtitle: null,
    visibility: number === 7 ? 'unlisted' : 'public',
    category,
    tags,
    lecturer_ids: category === 'Figure' ? amara : ines,
    ...more,
  })
  return {
    courses: [
      course(1, 'Basics', ['pencil', 'beginners'], {
        subtitle: 'Thirteen lectures, one pencil',
        plans: [plan.forGood('120.00'), plan.monthly('19.00')],
      }),
      course(2, 'Ink', ['ink', 'brush'], {
        plans: [plan.days('60.00', 90), plan.monthly('19.00')],
      }),
      course(3, 'Figure', ['portrait', 'pencil'], { plans: [plan.days('80.00', 90)] }),
      course(4, 'Figure', ['figure', 'live'], { plans: [plan.until('45.00', now + 60 * DAY)] }),
      course(5, 'Basics', ['perspective'], { plans: [plan.ahead('65.00', now + 10 * DAY)] }),
      course(6, 'Basics', ['sketchbook', 'beginners'], {
        plans: [plan.forGood('35.00'), plan.free],
      }),
      course(7, 'Figure', ['critique', 'live'], { plans: [plan.free] }),
      course(8, 'Colour', ['colour'], { plans: [] }),
      course(9, 'Basics', ['charcoal'], { plans: [plan.forGood('40.00')] }),
    ],
    lectures: [
      { id: 'lec_l01_01', previewable: true, state: 'published', attachments: [] },
      {
        id: 'lec_l02_03',
        previewable: true,
        state: 'published',
        attachments: [
          {
            name: 'shopping-list.pdf',
            url: 'https://files.example/lantern/shopping-list.pdf',
            content_type: 'application/pdf',
            size: 48_213,
          },
        ],
      },
      { id: 'lec_l08_01', previewable: false, state: 'draft', attachments: [] },
    ],
  }
}

function kiln(): Details {
  const plan = plansIn('TWD')
  const course = (number: number, tags: readonly string[], plans: readonly JsonRow[]): JsonRow => ({
    id: `crs_k0${number}`,
    subtitle: null,
    visibility: 'public',
    category: 'Clay',
    tags,
    lecturer_ids: ['lct_k01'],
    plans,
  })
  return {
    courses: [
      course(1, ['wheel', 'beginners'], [plan.forGood('3200'), plan.monthly('1280')]),
      course(2, ['glaze'], [plan.forGood('2800')]),
      course(3, ['coil', 'slab'], [plan.monthly('1280')]),
    ],
    lectures: [{ id: 'lec_k01_01', previewable: true, state: 'published', attachments: [] }],
  }
}

const details: PerSchool<Details> = { site_lantern: lantern, site_kiln: kiln }

/** Inserts the data of the demo's courses and lectures that only the admin API shows. */
export async function seedCourses(options: DemoOptions): Promise<void> {
  const { courses = [], lectures = [] } = details[options.site]?.(options.now()) ?? {}
  await fillIn(options, {
    table: 'course',
    columns: ['subtitle', 'visibility', 'category', 'tags', 'lecturer_ids', 'plans'],
    unless: 'plans',
    rows: courses,
  })
  await fillIn(options, {
    table: 'lecture',
    columns: ['previewable', 'state', 'attachments'],
    unless: 'state',
    rows: lectures,
  })
}
