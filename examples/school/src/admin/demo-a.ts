import type { Execute } from 'hallpass/postgres'

const DAY = 86_400

type Value =
  string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }
type Row = Readonly<Record<string, Value>>

interface DemoLearning {
  readonly courses: readonly Row[]
  readonly lectures: readonly Row[]
  readonly people: readonly Row[]
  readonly newcomers: readonly Row[]
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '')

const plansIn = (currency: string) => {
  const price = (amount: string): Row => ({ amount, currency })
  const none = { price: null, access_days: null, interval: null, starts_at: null, ends_at: null }
  return {
    free: { ...none, kind: 'free' },
    forGood: (amount: string): Row => ({ ...none, kind: 'one_time', price: price(amount) }),
    days: (amount: string, access_days: number): Row => ({
      ...none,
      kind: 'fixed_length',
      price: price(amount),
      access_days,
    }),
    until: (amount: string, at: number): Row => ({
      ...none,
      kind: 'fixed_date',
      price: price(amount),
      ends_at: iso(at),
    }),
    ahead: (amount: string, at: number): Row => ({
      ...none,
      kind: 'pre_order',
      price: price(amount),
      starts_at: iso(at),
    }),
    monthly: (amount: string): Row => ({
      ...none,
      kind: 'subscription',
      price: price(amount),
      interval: 'month',
    }),
  }
}

function lantern(now: number): DemoLearning {
  const plan = plansIn('EUR')
  const ines = ['lct_l02']
  const amara = ['lct_l01']
  const course = (number: number, category: string, tags: readonly string[], more: Row): Row => ({
    id: `crs_l0${number}`,
    subtitle: null,
    visibility: number === 7 ? 'unlisted' : 'public',
    category,
    tags,
    lecturer_ids: category === 'Figure' ? amara : ines,
    ...more,
  })
  const member = (number: string, tags: readonly string[], more: Row = {}): Row => ({
    id: `mem_l${number}`,
    tags,
    marketing_opt_in: false,
    phone: null,
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
    people: [
      member('01', ['staff'], { phone: '+351210000001' }),
      member('02', ['staff']),
      member('03', ['staff']),
      member('04', ['staff']),
      member('05', ['regular', 'ink'], { marketing_opt_in: true, phone: '+351910000005' }),
      member('06', ['membership']),
      member('07', ['new'], { marketing_opt_in: true }),
      member('08', ['pre-order']),
      member('09', ['regular'], { marketing_opt_in: true }),
      member('10', ['events']),
      member('11', []),
      member('12', []),
    ],
    newcomers: [
      {
        member_id: 'mem_l13',
        name: 'Grete Lund',
        email: 'grete.lund@example.com',
        role: 'lecturer',
        suspended: false,
        joined_at: now - 2 * DAY,
        invited_at: now - 2 * DAY,
        deleted_at: null,
        tags: ['staff'],
      },
      {
        member_id: 'mem_l14',
        name: null,
        email: null,
        role: 'student',
        suspended: true,
        joined_at: now - 420 * DAY,
        invited_at: null,
        deleted_at: now - 30 * DAY,
        tags: [],
      },
    ],
  }
}

function kiln(): DemoLearning {
  const plan = plansIn('TWD')
  const course = (number: number, tags: readonly string[], plans: readonly Row[]): Row => ({
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
    people: [
      { id: 'mem_k01', tags: ['staff'], marketing_opt_in: false, phone: '+886223000001' },
      { id: 'mem_k02', tags: ['wheel'], marketing_opt_in: false, phone: null },
      { id: 'mem_k03', tags: ['membership'], marketing_opt_in: true, phone: null },
    ],
    newcomers: [],
  }
}

const sites: Readonly<Record<string, (now: number) => DemoLearning>> = {
  site_lantern: lantern,
  site_kiln: kiln,
}

/**
 * Puts in what the admin API shows of the demo's courses, lectures and people beside what the Account
 * API does. What somebody has changed since stays.
 */
export async function seedA({
  execute,
  site,
  now,
}: {
  execute: Execute
  site: string
  now: () => number
}): Promise<void> {
  const demo = sites[site]?.(now())
  if (demo === undefined) return
  const update = (table: string, columns: readonly string[], rows: readonly Row[], empty: string) =>
    execute(
      `update school_${table} t
       set (${columns.join(', ')}) = (select ${columns.map((name) => `r.${name}`).join(', ')})
       from jsonb_populate_recordset(null::school_${table}, $2::text::jsonb) r
       where t.site = $1 and t.id = r.id and t.${empty} is null`,
      [site, JSON.stringify(rows)],
    )
  const { courses, lectures, people, newcomers } = demo
  const details = ['subtitle', 'visibility', 'category', 'tags', 'lecturer_ids', 'plans']
  await update('course', details, courses, 'plans')
  await update('lecture', ['previewable', 'state', 'attachments'], lectures, 'state')
  await update('person', ['tags', 'marketing_opt_in', 'phone'], people, 'tags')
  const columns = 'member_id, name, email, role, suspended, joined_at, invited_at, deleted_at, tags'
  await execute(
    `insert into school_person (site, ${columns})
     select $1, ${columns}
     from jsonb_populate_recordset(null::school_person, $2::text::jsonb)
     on conflict do nothing`,
    [site, JSON.stringify(newcomers)],
  )
}
