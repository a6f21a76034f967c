import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nextClockChange } from '../../../examples/school/src/demo/lantern-events.js'
import {
  DATABASE,
  DAY,
  type DemoSchools,
  type DemoSite,
  openDemo,
} from '../../support/school/demo-school.js'
import { memberResource } from '../../../examples/school/src/members/shape.js'
import { subscriptionResource } from '../../../examples/school/src/subscriptions/shape.js'
import { iso, T } from '../../support/school/school.js'

const WHOLE = {
  order: 'STARTED_AT_DESC',
  after: null,
  before: null,
  limit: 100,
  fromEnd: false,
  count: false,
} as const

const CANCEL = `mutation($id: ID!) { cancelEventRegistration(input: { registrationId: $id, reason: "ill" }) {
  eventRegistration { id state cancelledAt canCancel } userErrors { code field } } }`
const SAVE = `mutation($input: SavePlaybackPositionInput!) { savePlaybackPosition(input: $input) {
  enrolledCourse { slug lastWatchedLecture { lectureId positionSeconds watchedAt } }
  userErrors { code field } } }`
const MARK = `mutation($completed: Boolean!) {
  markLecture(input: { courseId: "crs_l06", lectureId: "lec_l06_01", completed: $completed }) {
    enrolledCourse { progress { completedLectures completedAt } nextLecture { id } }
    userErrors { code } } }`

describe(`what members bought, booked and change, on ${DATABASE.name}`, () => {
  let schools: DemoSchools
  let lantern: DemoSite
  let kiln: DemoSite
  beforeAll(async () => {
    schools = await openDemo()
    ;({ lantern, kiln } = schools)
  })
  afterAll(() => schools.close())

  const rowsOf = async (sql: string, parameters: unknown[] = []): Promise<readonly unknown[]> =>
    (await schools.execute(sql, parameters)).rows

  it('has orders that add up, in every state the demo names', async () => {
    expect(
      await rowsOf(
        `select o.number from school_order o
         where total <> subtotal - discount + tax or subtotal <> (
           select sum(unit_price * quantity) from school_order_item i
           where i.site = o.site and i.order_id = o.id)
         union all
         select i.id from school_order_item i where total <> unit_price * quantity - discount`,
      ),
    ).toEqual([])
    expect(
      await rowsOf(
        `select number, state, total::text as total, coupon_code as coupon from school_order
         where site = 'site_lantern' order by number`,
      ),
    ).toEqual([
      { number: 'LS-1001', state: 'PAID', total: '120.00', coupon: null },
      { number: 'LS-1002', state: 'PARTIALLY_REFUNDED', total: '80.00', coupon: null },
      { number: 'LS-1003', state: 'PAID', total: '0.00', coupon: 'WELCOME100' },
      { number: 'LS-1004', state: 'FAILED', total: '19.00', coupon: null },
      { number: 'LS-1005', state: 'PENDING', total: '45.00', coupon: null },
      { number: 'LS-1006', state: 'PAID', total: '94.76', coupon: null },
      { number: 'LS-1007', state: 'PAID', total: '24.00', coupon: null },
      { number: 'LS-1008', state: 'PAID', total: '65.00', coupon: null },
    ])
  })

  it('leads from the items of a mixed order to what they gave', async () => {
    expect(
      await lantern.ask(
        'mem_l09',
        `{ viewer { orders { nodes {
          number tax { amount } total { amount } paymentMethod { kind brand last4 } receiptUrl
          items { kind enrolledCourse { slug } eventRegistration { event { slug } }
            digitalProduct { slug files { name sizeBytes } } } } } } }`,
      ),
    ).toEqual({
      viewer: {
        orders: {
          nodes: [
            {
              number: 'LS-1006',
              tax: { amount: '2.76' },
              total: { amount: '94.76' },
              paymentMethod: { kind: 'card', brand: 'visa', last4: '4242' },
              receiptUrl: 'https://lantern.example/orders/LS-1006/receipt',
              items: [
                {
                  kind: 'COURSE',
                  enrolledCourse: { slug: 'sketchbook-habits' },
                  eventRegistration: null,
                  digitalProduct: null,
                },
                {
                  kind: 'EVENT_TICKET',
                  enrolledCourse: null,
                  eventRegistration: { event: { slug: 'portrait-marathon' } },
                  digitalProduct: null,
                },
                {
                  kind: 'DIGITAL_PRODUCT',
                  enrolledCourse: null,
                  eventRegistration: null,
                  digitalProduct: {
                    slug: 'brush-guide',
                    files: [
                      { name: 'brush-guide.pdf', sizeBytes: 4_812_331 },
                      { name: 'practice-sheets.zip', sizeBytes: null },
                    ],
                  },
                },
              ],
            },
          ],
        },
      },
    })
    expect(
      await lantern.ask(
        'mem_l10',
        `{ viewer { orders(filter: { placedAfter: "${iso(T - 9 * DAY - 1)}", placedBefore: "${iso(T)}" }) {
          nodes { items { quantity unitPrice { amount } total { amount } } } } } }`,
      ),
    ).toEqual({
      viewer: {
        orders: {
          nodes: [
            {
              items: [{ quantity: 2, unitPrice: { amount: '12.00' }, total: { amount: '24.00' } }],
            },
          ],
        },
      },
    })
  })

  it('ends a membership by the clock, as the admin API does', async () => {
    const states = [
        'INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'CANCELING', 'CANCELED', 'EXPIRED',
      ] // prettier-ignore
    const [plan] = (await rowsOf(
      "select id from school_plan where site = 'site_lantern' order by id limit 1",
    )) as { id: string }[]
    for (const state of states)
      for (const [name, end, charge] of [
        ['open', null, null],
        ['paid', T + 60, null],
        ['renewed', T + 60, T + 60],
      ] as const)
        await rowsOf(
          `insert into school_subscription
               (site, id, member_id, plan_id, state, started_at, current_period_end, next_charge_at)
             values ('site_lantern', $1, 'mem_l11', $2, $3, $4::bigint, $5::bigint, $6::bigint)`,
          [`${state}_${name}`, plan!.id, state, T - DAY, end, charge],
        )
    const shownAt = async (at: number): Promise<Readonly<Record<string, string>>> => {
      const { rows } = await lantern
        .sourceAt(at)
        .subscriptions(lantern.member('mem_l11'), { ...WHOLE, filter: { ids: null } })
      return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
    }
    const kept = await shownAt(T + 59)
    for (const [id, state] of Object.entries(kept))
      expect(id).toMatch(new RegExp(`^${state}_(?:open|paid|renewed)$`))
    expect(Object.keys(kept)).toHaveLength(21)
    expect(await shownAt(T + 60)).toEqual({
      ...kept,
      TRIALING_paid: 'EXPIRED',
      ACTIVE_paid: 'EXPIRED',
      CANCELING_paid: 'CANCELED',
    })
    for (const at of [T + 59, T + 60]) {
      const shown = (await rowsOf(
        `select s.id, upper(o.data ->> 'state') as state from school_subscription s
           join (${subscriptionResource(at, 's.id').select}) o on o.id = s.id
           where s.site = $1 and s.member_id = 'mem_l11'`,
        ['site_lantern'],
      )) as { id: string; state: string }[]
      expect(Object.fromEntries(shown.map(({ id, state }) => [id, state]))).toEqual(
        await shownAt(at),
      )
    }
    await rowsOf("delete from school_subscription where member_id = 'mem_l11'")
  })

  it('has events with seats left, sold out, past, cancelled and across a clock change', async () => {
    const seats = await rowsOf(
      `select v.slug, v.status, v.ends_at < $1::bigint as past,
         (v.capacity - count(*) filter (where r.state = 'REGISTERED'))::integer as left,
         (count(*) filter (where r.state = 'WAITLISTED'))::integer as waiting
       from school_event v
       join school_event_registration r on r.site = v.site and r.event_id = v.id
       where v.site = 'site_lantern' group by v.site, v.id order by v.id`,
      [T],
    )
    const event = { status: 'published', past: false, waiting: 0 }
    expect(seats).toEqual([
      { ...event, slug: 'drawing-the-river', left: 3 },
      { ...event, slug: 'ink-night', left: 39 },
      { ...event, slug: 'portrait-marathon', left: 0, waiting: 1 },
      { ...event, slug: 'open-studio', past: true, left: null },
      { ...event, slug: 'museum-morning', status: 'cancelled', left: 20 },
      { ...event, slug: 'night-of-drawing', left: 29 },
    ])
    const offsets = await rowsOf(
      `select extract(hour from to_timestamp(starts_at) at time zone time_zone)::integer as starts,
         extract(hour from to_timestamp(ends_at) at time zone time_zone)::integer as ends,
         (ends_at - starts_at)::integer / 3600 as hours
       from school_event where site = 'site_lantern' and slug = 'night-of-drawing'`,
    )
    // Nine hours, in a night that the clocks make an hour shorter.
    expect(offsets).toEqual([{ starts: 21, ends: 7, hours: 9 }])
  })

  it.each([
    ['2026-11-20T09:00:00Z', '2027-03-28T01:00:00Z'],
    ['2027-03-20T00:00:00Z', '2027-03-28T01:00:00Z'],
    ['2027-03-27T00:00:00Z', '2027-10-31T01:00:00Z'],
    ['2027-10-31T02:00:00Z', '2028-03-26T01:00:00Z'],
  ])('knows the clock change that follows %s', (now, change) => {
    expect(iso(nextClockChange(Date.parse(now) / 1000))).toBe(iso(Date.parse(change) / 1000))
  })

  it('tells bookings that can be cancelled from those that cannot', async () => {
    const query = `query($when: EventWhen, $state: [EventRegistrationState!]) { viewer {
      enrolledCourses { totalCount }
      eventRegistrations(filter: { when: $when, state: $state }) {
        nodes { id state canCancel event { slug } } totalCount } } }`
    const node = (id: string, state: string, canCancel: boolean, slug: string) => ({
      id: `reg_${id}`,
      state,
      canCancel,
      event: { slug },
    })
    const [river, ink, studio, museum] = [
      node('l1', 'REGISTERED', true, 'drawing-the-river'),
      node('l3', 'REGISTERED', false, 'ink-night'),
      node('l7', 'CHECKED_IN', false, 'open-studio'),
      node('l9', 'CANCELLED', false, 'museum-morning'),
    ]
    const asked = (variables: object): Promise<unknown> =>
      lantern.ask('mem_l10', query, variables as Record<string, unknown>)
    const answer = (nodes: unknown[]): unknown => ({
      viewer: {
        enrolledCourses: { totalCount: 0 },
        eventRegistrations: { nodes, totalCount: nodes.length },
      },
    })
    expect(await asked({})).toEqual(answer([river, ink, museum, studio]))
    expect(await asked({ when: 'UPCOMING' })).toEqual(answer([river, ink, museum]))
    expect(await asked({ when: 'PAST' })).toEqual(answer([studio]))
    expect(await asked({ state: ['CANCELLED', 'NO_SHOW'] })).toEqual(answer([museum]))
  })

  it('gives the link to join out only near the start', async () => {
    const links = async (at: number): Promise<unknown> => {
      const query = '{ node(id: "reg_l3") { ... on EventRegistration { joinUrl } } }'
      return lantern.ask('mem_l10', query, {}, at)
    }
    const link = { node: { joinUrl: 'https://rooms.example/ink-night' } }
    expect(await links(T + DAY - 1801)).toEqual({ node: { joinUrl: null } })
    expect(await links(T + DAY - 1800)).toEqual(link)
    expect(await links(T + DAY + 7200)).toEqual(link)
    expect(await links(T + DAY + 7201)).toEqual({ node: { joinUrl: null } })
  })

  it('cancels a booking once, keeps the reason, and leaves what is cancelled as it is', async () => {
    const cancelled = {
      cancelEventRegistration: {
        eventRegistration: {
          id: 'reg_l1',
          state: 'CANCELLED',
          cancelledAt: iso(T),
          canCancel: false,
        },
        userErrors: [],
      },
    }
    expect(await lantern.ask('mem_l10', CANCEL, { id: 'reg_l1' })).toEqual(cancelled)
    expect(await lantern.ask('mem_l10', CANCEL, { id: 'reg_l1' }, T + 60)).toEqual(cancelled)
    expect(
      await rowsOf(
        "select member_id, cancel_reason from school_event_registration where state = 'CANCELLED' order by id",
      ),
    ).toEqual([
      { member_id: 'mem_l10', cancel_reason: 'ill' },
      { member_id: 'mem_l10', cancel_reason: 'The museum is closed.' },
    ])
    expect(await lantern.ask('mem_l10', CANCEL, { id: 'reg_l3' })).toEqual({
      cancelEventRegistration: {
        eventRegistration: null,
        userErrors: [{ code: 'NOT_CANCELLABLE', field: ['input', 'registrationId'] }],
      },
    })
  })

  it('lets one of many cancellations at the same moment win', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        lantern.source.cancelEventRegistration(lantern.member('mem_l05'), {
          id: 'l10',
          reason: null,
          at: T,
        }),
      ),
    )
    expect(outcomes.toSorted()).toEqual(['cancelled', ...Array<string>(7).fill('conflict')])
  })

  it('gives the seat of a cancelled booking to whoever waits first', async () => {
    const insert = `insert into school_event_registration
        (site, id, member_id, event_id, state, registered_at, ticket_name, price, currency)
        select site, $1, $2, $3, $4, $5::bigint, 'Seat', 0, 'EUR' from school_event
        where site = 'site_lantern' and id = $3`
    await rowsOf(
      `insert into school_event (site, id, slug, title, status, starts_at, ends_at, time_zone, online, capacity)
         values ('site_lantern', 'evt_seat', 'seat', 'One seat', 'published', $1::bigint, $2::bigint, 'UTC', false, 1)`,
      [T + DAY, T + 2 * DAY],
    )
    await rowsOf(insert, ['seat1', 'mem_l05', 'evt_seat', 'REGISTERED', T - 9])
    await rowsOf(insert, ['seat2', 'mem_l07', 'evt_seat', 'WAITLISTED', T - 7])
    await rowsOf(insert, ['seat3', 'mem_l06', 'evt_seat', 'WAITLISTED', T - 8])
    const states = (): Promise<readonly unknown[]> =>
      rowsOf(
        `select id, state, ticket_code is not null as ticket from school_event_registration
           where event_id = 'evt_seat' order by id`,
      )
    const cancel = (memberId: string, id: string): Promise<unknown> =>
      lantern.source.cancelEventRegistration(lantern.member(memberId), {
        id,
        reason: null,
        at: T,
      })
    const [first, second, third] = [
      { id: 'seat1', state: 'CANCELLED', ticket: false },
      { id: 'seat2', state: 'WAITLISTED', ticket: false },
      { id: 'seat3', state: 'REGISTERED', ticket: true },
    ]
    expect(await cancel('mem_l07', 'seat1')).toBe('conflict')
    expect(await cancel('mem_l05', 'seat1')).toBe('cancelled')
    expect(await states()).toEqual([first, second, third])
    expect(await cancel('mem_l05', 'seat1')).toBe('conflict')
    expect(await states()).toEqual([first, second, third])
    const both = [cancel('mem_l06', 'seat3'), cancel('mem_l07', 'seat2')]
    expect(await Promise.all(both)).toEqual(['cancelled', 'cancelled'])
    expect((await states()).map((row) => (row as { state: string }).state)).toEqual(
      Array<string>(3).fill('CANCELLED'),
    )
    await rowsOf("delete from school_event_registration where event_id = 'evt_seat'")
    await rowsOf("delete from school_event where id = 'evt_seat'")
  })

  it('keeps a position, and refuses an older one without writing it', async () => {
    const input = { courseId: 'crs_l06', lectureId: 'lec_l06_01' }
    const save = (more: object): Promise<unknown> =>
      lantern.ask('mem_l07', SAVE, { input: { ...input, ...more } })
    const saved = (positionSeconds: number, watchedAt: string): unknown => ({
      savePlaybackPosition: {
        enrolledCourse: {
          slug: 'sketchbook-habits',
          lastWatchedLecture: { lectureId: 'lec_l06_01', positionSeconds, watchedAt },
        },
        userErrors: [],
      },
    })
    expect(await save({ positionSeconds: 30, occurredAt: iso(T - 60) })).toEqual(
      saved(30, iso(T - 60)),
    )
    expect(await save({ positionSeconds: 45 })).toEqual(saved(45, iso(T)))
    expect(await save({ positionSeconds: 10, occurredAt: iso(T - 1) })).toEqual({
      savePlaybackPosition: {
        enrolledCourse: null,
        userErrors: [{ code: 'STALE', field: ['input', 'occurredAt'] }],
      },
    })
    expect(await save({ positionSeconds: 45 })).toEqual(saved(45, iso(T)))
    expect(await save({ positionSeconds: 676 })).toEqual({
      savePlaybackPosition: {
        enrolledCourse: null,
        userErrors: [{ code: 'OUT_OF_RANGE', field: ['input', 'positionSeconds'] }],
      },
    })
  })

  it('keeps the latest of positions that arrive together in any order', async () => {
    const member = lantern.member('mem_l05')
    const lecture = { courseId: 'crs_l02', lectureId: 'lec_l02_05' }
    const times = [3, 9, 1, 7, 5, 8, 2, 6, 4, 0]
    const outcomes = await Promise.all(
      times.map((time) =>
        lantern.source.savePlayback(member, {
          ...lecture,
          positionSeconds: 100 + time,
          watchedAt: T + time,
        }),
      ),
    )
    expect(outcomes[times.indexOf(9)]).toBe('saved')
    expect(
      await rowsOf(
        `select position_seconds, watched_at::integer from school_lecture_progress
         where member_id = 'mem_l05' and lecture_id = 'lec_l02_05'`,
      ),
    ).toEqual([{ position_seconds: 109, watched_at: T + 9 }])
    expect(
      await lantern.source.savePlayback(member, { ...lecture, positionSeconds: 1, watchedAt: T }),
    ).toBe('stale')
  })

  it('marks a lecture done once, and not done', async () => {
    const mark = (completed: boolean, at: number): Promise<unknown> =>
      lantern.ask('mem_l07', MARK, { completed }, at)
    const done = {
      markLecture: {
        enrolledCourse: {
          progress: { completedLectures: 1, completedAt: null },
          nextLecture: { id: 'lec_l06_02' },
        },
        userErrors: [],
      },
    }
    expect(await mark(true, T)).toEqual(done)
    expect(await mark(true, T + 60)).toEqual(done)
    const progress = "select completed_at::integer from school_lecture_progress where member_id = 'mem_l07'" // prettier-ignore
    expect(await rowsOf(progress)).toEqual([{ completed_at: T }])
    expect(await mark(false, T + 90)).toMatchObject({
      markLecture: { enrolledCourse: { nextLecture: { id: 'lec_l06_01' } }, userErrors: [] },
    })
    expect(await rowsOf(progress)).toEqual([{ completed_at: null }])
  })

  it('refuses to change lectures of a course that is over or suspended', async () => {
    const codes = async (memberId: string, course: string): Promise<unknown> => {
      const input = {
        courseId: `crs_${course}`,
        lectureId: `lec_${course}_01`,
        positionSeconds: 1,
      }
      return lantern.ask(memberId, SAVE, { input })
    }
    const refused = (code: string, field: string): unknown => ({
      savePlaybackPosition: {
        enrolledCourse: null,
        userErrors: [{ code, field: ['input', field] }],
      },
    })
    expect(await codes('mem_l05', 'l03')).toEqual(refused('ACCESS_EXPIRED', 'courseId'))
    expect(await codes('mem_l06', 'l01')).toEqual(refused('ACCESS_SUSPENDED', 'courseId'))
    expect(await codes('mem_l08', 'l05')).toEqual(refused('INVALID', 'courseId'))
    expect(await codes('mem_l05', 'l06')).toEqual(refused('NOT_FOUND', 'lectureId'))
  })

  it('takes the enrollment that is active where somebody has several in a course', async () => {
    const standing = await lantern.source.lecture(lantern.member('mem_l09'), {
      courseId: 'crs_l04',
      lectureId: 'lec_l04_02',
    })
    expect(standing).toEqual({
      enrollmentId: 'n04',
      accessState: 'ACTIVE',
      durationSeconds: 750,
      watchedAt: T - 30 * DAY,
    })
  })

  it('changes the fields of a profile that were sent, for nobody else', async () => {
    const query = `mutation($input: UpdateProfileInput!) { updateProfile(input: $input) {
      viewer { name picture locale timeZone } userErrors { code } } }`
    const others = "select * from school_person where member_id not in ('mem_l08') order by site, member_id" // prettier-ignore
    const before = await rowsOf(others)
    const picture = 'https://images.example/lucia.jpg'
    expect(
      await lantern.ask('mem_l08', query, {
        input: { name: ' Lucia F. ', picture, locale: null },
      }),
    ).toEqual({
      updateProfile: {
        viewer: { name: 'Lucia F.', picture, locale: null, timeZone: 'Europe/Lisbon' },
        userErrors: [],
      },
    })
    expect((await lantern.people.find('mem_l08'))?.name).toBe('Lucia F.')
    expect(await rowsOf(others)).toEqual(before)
  })

  it('changes a profile for whoever asks the admin API what has changed since, too', async () => {
    const member = lantern.member('mem_l08')
    const changedAt = async (): Promise<unknown> => {
      const sql = `select data ->> 'updated_at' as at from (${memberResource.select}) o where id = $2`
      const [row] = (await rowsOf(sql, ['site_lantern', 'mem_l08'])) as { at: string }[]
      return row?.at
    }
    await lantern.sourceAt(T + 60).updateProfile(member, { locale: 'pt-PT' })
    expect(await changedAt()).toBe(iso(T + 60))
  })

  it('shows and changes nothing of other people, nor at another school', async () => {
    const ids = ['enr_l1', 'ord_l1', 'reg_l4', 'sub_l2', 'dig_l1']
    const query = `query(${ids.map((_, index) => `$id${index}: ID!`).join(' ')}) {
      ${ids.map((_, index) => `n${index}: node(id: $id${index}) { id }`).join(' ')} }`
    const variables = Object.fromEntries(ids.map((id, index) => [`id${index}`, id]))
    const nothing = Object.fromEntries(ids.map((_, index) => [`n${index}`, null]))
    expect(await lantern.ask('mem_l06', query, variables)).toEqual(nothing)
    expect(await kiln.ask('mem_l05', query, variables)).toEqual(nothing)
    expect(await lantern.ask('mem_l05', query, variables)).toEqual({
      ...Object.fromEntries(ids.map((id, index) => [`n${index}`, { id }])),
      n4: null,
    })
    const lecture = { courseId: 'crs_l01', lectureId: 'lec_l01_09' }
    for (const [site, id] of [
      [lantern, 'mem_l07'],
      [kiln, 'mem_l05'],
    ] as const) {
      const member = site.member(id)
      expect(await site.source.lecture(member, lecture)).toBe(null)
      expect((await site.source.courseOutlines(member, ['crs_l01', 'crs_k01'])).size).toBe(0)
      expect(
        await site.source.cancelEventRegistration(member, { id: 'l4', reason: null, at: T }),
      ).toBe('conflict')
    }
    expect(await kiln.source.profile(kiln.member('mem_l05'))).toBe(null)
    expect(
      await rowsOf("select state from school_event_registration where site = 'site_lantern' and id = 'l4'"), // prettier-ignore
    ).toEqual([{ state: 'REGISTERED' }])
  })

  it('is seeded once: what people changed since stays', async () => {
    const everything = async (): Promise<unknown> =>
      Promise.all(
        [
          'person',
          'course',
          'enrollment',
          'lecture_progress',
          'order',
          'order_item',
          'event',
          'event_registration',
          'subscription',
        ].map(
          // prettier-ignore
          (table) => rowsOf(`select to_jsonb(t) as row from school_${table} t order by to_jsonb(t)::text`),
        ),
      )
    const before = await everything()
    await Promise.all([lantern.seed(T + DAY), kiln.seed(T + DAY)])
    expect(await everything()).toEqual(before)
  })
})
