import { accountSchema } from 'hallpass/account'
import { accountTools, defineTools, isToolError } from 'hallpass/mcp'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { isEnumType } from 'graphql'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { enrollment } from '../support/school/account.js'
import { order } from '../support/school/account-rows.js'
import { T } from '../support/school/school.js'
import { type Members, openMembers } from './support.js'

const DAY = 86_400
const TODAY = '2026-11-20T09:00:00Z'
const YESTERDAY = '2026-11-19T09:00:00Z'
const TOMORROW = '2026-11-21T09:00:00Z'
const EUROS = { amount: '12.50', currency_code: 'EUR' }

const PROFILE = {
  id: 'mem_mei',
  email: 'mine@example.com',
  email_verified: true,
  name: 'mine',
  picture: null,
  locale: 'en',
  time_zone: 'Europe/Lisbon',
  roles: ['student'],
  member_since: '2025-10-16T09:00:00Z',
  site: {
    id: 'site_lantern',
    name: 'Lantern Street Drawing School',
    url: 'https://lantern.example',
    time_zone: 'Europe/Lisbon',
    currency_code: 'EUR',
  },
}

const courseRow = (id: string) => ({
  id: `enr_${id}`,
  slug: `mine-${id}`,
  title: `mine ${id}`,
  url: 'https://lantern.example/courses/foundations',
  enrolled_at: '2026-10-21T09:00:00Z',
  start_date: null,
  expire_date: null,
  has_lifetime_access: true,
  access_state: 'ACTIVE',
  access_source: 'PURCHASE',
  progress: { completed_lectures: 8, total_lectures: 13, ratio: 8 / 13, completed_at: null },
  last_watched_lecture: {
    lecture_id: 'l9',
    title: 'Light and shade',
    position_seconds: 847,
    duration_seconds: 1200,
    watched_at: '2026-11-20T08:00:00Z',
    resume_url: null,
  },
})

const lecture = (id: string, index: number) => ({
  id: `${id}-l${index}`,
  title: `Lecture ${index}`,
  kind: 'VIDEO',
  duration_seconds: 600,
  completed: index === 0,
  position_seconds: null,
  url: null,
})

const orderRow = (id: string) => ({
  id: `ord_${id}`,
  number: `mine-${id}`,
  state: 'PAID',
  placed_at: YESTERDAY,
  paid_at: YESTERDAY,
  total: EUROS,
  refunded: EUROS,
})

const registrationRow = (id: string) => ({
  id: `reg_${id}`,
  state: 'REGISTERED',
  registered_at: YESTERDAY,
  cancelled_at: null,
  checked_in_at: null,
  ticket_name: 'mine',
  ticket_code: null,
  price: EUROS,
  event: {
    id: `event-${id}`,
    slug: `event-${id}`,
    title: 'Life drawing',
    starts_at: TOMORROW,
    ends_at: '2026-11-21T11:00:00Z',
    time_zone: 'Europe/Lisbon',
    is_online: false,
    venue: null,
    url: 'https://lantern.example/events/life-drawing',
  },
  join_url: null,
  can_cancel: true,
  cancellable_until: null,
})

const NEXT_PAGE =
  'For the next page, call this tool again with cursor set to page.next_cursor and the other arguments unchanged.'
const LAST = { next_cursor: null, has_more: false }

let members: Members
beforeEach(async () => {
  members = await openMembers()
})

describe('the tools of a member', () => {
  it('are thirteen, nine to read and four to write', () => {
    const { api } = members
    const told = accountTools(api).map(({ name, selector, actions: [action] }) => {
      const { scopes, effect, destructive, idempotent, dryRun, roles } = action
      expect([selector, dryRun, roles]).toEqual([null, false, null])
      return `${name} ${scopes.join('+')} ${effect}${idempotent ? ' idempotent' : ''}${destructive ? ' destructive' : ''}`
    })
    expect(told).toEqual([
      'get_my_profile account:read read idempotent',
      'list_my_courses account:read read idempotent',
      'get_my_course account:read read idempotent',
      'resume_learning account:read read idempotent',
      'list_my_orders account:read read idempotent',
      'get_my_order account:read read idempotent',
      'list_my_event_registrations account:read read idempotent',
      'list_my_memberships account:read read idempotent',
      'list_my_downloads account:read read idempotent',
      'update_my_profile account:read+account:write write idempotent',
      'save_my_position account:read+account:write write idempotent',
      'mark_my_lecture account:read+account:write write idempotent',
      'cancel_my_registration account:read+account:write write idempotent destructive',
    ])
  })

  it('are fit for a registry, in which only members may use them', () => {
    const tables = { scopes: schoolScopes, roles: schoolRoles }
    const { tools } = defineTools(accountTools(members.api), tables)
    expect(new Set(tools.map(({ audience }) => audience))).toEqual(new Set(['member']))
    const { freeText } = tools.find(({ name }) => name === 'get_my_order')!
    expect(freeText).toContain('/data/items/*/title')
    expect(freeText).not.toContain('/data/total/amount')
  })

  it('need scopes of the registry, and bound every text and number they take', () => {
    for (const { name, actions } of accountTools(members.api)) {
      const [{ scopes, input }] = actions
      for (const scope of scopes) expect(schoolScopes.get(scope)?.audience).toBe('member')
      const { properties = {}, additionalProperties } = z.toJSONSchema(input, { io: 'input' })
      expect(additionalProperties, name).toBe(false)
      for (const [member, schema] of Object.entries(properties)) {
        const options = (schema as { anyOf?: object[] }).anyOf ?? [schema as object]
        for (const option of options) expect(isBound(option), `${name} ${member}`).toBe(true)
      }
    }
  })

  it('name the values of an enumeration as the Account API does', () => {
    const enumerations = Object.values(accountSchema().getTypeMap())
      .filter(isEnumType)
      .map((type) => type.getValues().map(({ name }) => name))
    const used = accountTools(members.api).flatMap(({ actions: [{ input, output }] }) =>
      [input, output].flatMap((schema) => enumsOf(z.toJSONSchema(schema, { io: 'input' }))),
    )
    expect(used.length).toBeGreaterThan(20)
    for (const values of used) expect(enumerations).toContainEqual(values)
  })
})

function isBound(schema: object): boolean {
  const { type } = schema as { type?: string }
  if (type === 'string') return 'maxLength' in schema || 'enum' in schema
  return type === 'boolean' || type === 'null' || ('minimum' in schema && 'maximum' in schema)
}

function enumsOf(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
    name === 'enum' ? [value] : enumsOf(value),
  )
}

describe('what a member reads', () => {
  it('is who they are', async () => {
    expect(await members.call('get_my_profile')).toEqual({
      data: PROFILE,
      next_steps: ['Call list_my_courses for the courses of the person.'],
    })
  })

  it('are their courses', async () => {
    expect(await members.call('list_my_courses')).toEqual({
      data: [courseRow('1'), courseRow('2')],
      page: LAST,
      next_steps: [
        'Call get_my_course with a slug to get the outline of that course.',
        'Call resume_learning with a slug to continue where the person stopped.',
      ],
    })
  })

  it('is one course with its outline', async () => {
    expect(await members.call('get_my_course', { slug: 'mine-2' })).toEqual({
      data: {
        ...courseRow('2'),
        next_lecture: lecture('2', 1),
        cover_image: null,
        sections: [
          { id: '2', title: 'mine section', lectures: [lecture('2', 0), lecture('2', 1)] },
        ],
      },
      next_steps: ['Call resume_learning with this slug to continue where the person stopped.'],
    })
  })

  it('are their orders', async () => {
    const item = (title: string) => ({ title, kind: 'COURSE', quantity: 1 })
    const items = [item('mine'), item('Foundations')]
    expect(await members.call('list_my_orders')).toEqual({
      data: [
        { ...orderRow('1'), items },
        { ...orderRow('2'), items },
      ],
      page: LAST,
      next_steps: [
        'Call get_my_order with an id to get the amounts and the receipt of that order.',
      ],
    })
  })

  it('is one order with its amounts and what its items led to', async () => {
    const amounts = { unit_price: EUROS, discount: EUROS, total: EUROS }
    expect(await members.call('get_my_order', { id: 'ord_1' })).toEqual({
      data: {
        ...orderRow('1'),
        subtotal: EUROS,
        discount: EUROS,
        tax: EUROS,
        coupon_code: null,
        payment_method: { kind: 'card', brand: 'visa', last4: '4242' },
        receipt_url: null,
        items: [
          {
            id: '1-all',
            kind: 'COURSE',
            title: 'mine',
            quantity: 1,
            ...amounts,
            enrolled_course: { slug: 'mine-1', title: 'mine 1', access_state: 'ACTIVE' },
            event_registration: { id: 'reg_1', state: 'REGISTERED' },
            subscription: { id: 'sub_1', plan_name: 'mine', state: 'ACTIVE' },
            digital_product: { id: 'dig_1', title: 'mine' },
          },
          {
            id: '1-lost',
            kind: 'COURSE',
            title: 'Foundations',
            quantity: 1,
            ...amounts,
            enrolled_course: null,
            event_registration: null,
            subscription: null,
            digital_product: null,
          },
        ],
      },
      next_steps: ['Call get_my_course with the slug of an enrolled_course.'],
    })
  })

  it('is an order that led to no course, without a word of one', async () => {
    members.data.orders = [order('9', { paymentMethod: null, paidAt: null, state: 'PENDING' })]
    const answer = await members.call('get_my_order', { id: 'ord_9' })
    expect(answer).toMatchObject({ data: { items: [], paid_at: null }, next_steps: [] })
  })

  it('are their bookings', async () => {
    expect(await members.call('list_my_event_registrations')).toEqual({
      data: [registrationRow('1'), registrationRow('2')],
      page: LAST,
      next_steps: [
        'If the person asks for it, call cancel_my_registration with an id whose can_cancel is true.',
      ],
    })
  })

  it('are their bookings of events that have ended or have not', async () => {
    const [first, second] = members.data.registrations
    const past = { ...second!.event, startsAt: T - DAY, endsAt: T - DAY + 3600 }
    members.data.registrations = [first!, { ...second!, event: past }]
    const idsWhen = async (when: string) =>
      idsOf(await members.call('list_my_event_registrations', { when }))
    expect(await idsWhen('UPCOMING')).toEqual(['reg_1'])
    expect(await idsWhen('PAST')).toEqual(['reg_2'])
    expect(await idsWhen('ANY')).toEqual(['reg_1', 'reg_2'])
  })

  it('are their memberships', async () => {
    const row = (id: string) => ({
      id: `sub_${id}`,
      plan_name: 'mine',
      state: 'ACTIVE',
      started_at: YESTERDAY,
      current_period_end: TOMORROW,
      next_charge_at: TOMORROW,
      cancel_at: null,
      is_lifetime: false,
      price: EUROS,
      interval: 'MONTH',
    })
    expect(await members.call('list_my_memberships')).toEqual({
      data: [row('1'), row('2')],
      page: LAST,
      next_steps: [
        'Call list_my_courses to see the courses that a membership includes: their access_source is MEMBERSHIP.',
      ],
    })
  })

  it('are their downloads', async () => {
    const row = (id: string) => ({
      id: `dig_${id}`,
      slug: `product-${id}`,
      title: 'mine',
      acquired_at: YESTERDAY,
      url: 'https://lantern.example/products/brushes',
      files: [{ name: 'brushes.zip', content_type: 'application/zip', size_bytes: 1024 }],
    })
    expect(await members.call('list_my_downloads')).toEqual({
      data: [row('1'), row('2')],
      page: LAST,
      next_steps: [
        'Give the person the url of a product, so that they can open its files in their browser.',
      ],
    })
  })

  it('is an empty page without advice about its rows', async () => {
    Object.assign(members.data, { enrollments: [], orders: [], registrations: [] })
    Object.assign(members.data, { subscriptions: [], digitalProducts: [] })
    const empty = { data: [], page: LAST, next_steps: [] }
    for (const name of LISTS) expect(await members.call(name)).toEqual(empty)
  })
})

const LISTS = [
  'list_my_courses',
  'list_my_orders',
  'list_my_event_registrations',
  'list_my_memberships',
  'list_my_downloads',
]

const idsOf = (answer: unknown): readonly string[] =>
  (answer as { data: readonly { id: string }[] }).data.map(({ id }) => id)

describe('where to go on', () => {
  const access = { state: 'ACTIVE', expire_date: null, has_lifetime_access: true }
  const place = {
    course: { slug: 'mine-1', title: 'mine 1' },
    lecture: { id: 'l9', title: 'Light and shade' },
    position_seconds: 847,
    resume_url: null,
    access,
  }

  it('is the course that was watched last', async () => {
    const [first, second] = members.data.enrollments
    const last = {
      ...second!.lastWatchedLecture!,
      watchedAt: T - 60,
      resumeUrl: `https://l.example/l9`,
    }
    members.data.enrollments = [first!, { ...second!, lastWatchedLecture: last }]
    expect(await members.call('resume_learning')).toEqual({
      ...place,
      course: { slug: 'mine-2', title: 'mine 2' },
      resume_url: 'https://l.example/l9',
    })
  })

  it('is the course that was asked for', async () => {
    const [first, second] = members.data.enrollments
    const last = { ...second!.lastWatchedLecture!, watchedAt: T - 60 }
    members.data.enrollments = [first!, { ...second!, lastWatchedLecture: last }]
    expect(await members.call('resume_learning', { slug: 'mine-1' })).toEqual(place)
  })

  it('is an open course before one that was watched later and has ended', async () => {
    const [first, second] = members.data.enrollments
    const last = { ...second!.lastWatchedLecture!, watchedAt: T - 60 }
    const ended = { accessState: 'EXPIRED', expireDate: T - DAY, hasLifetimeAccess: false } as const
    members.data.enrollments = [first!, { ...second!, ...ended, lastWatchedLecture: last }]
    expect(await members.call('resume_learning')).toEqual(place)
  })

  it('is a course that has ended where none is open, and says so', async () => {
    const ended = { accessState: 'EXPIRED', expireDate: T - DAY, hasLifetimeAccess: false } as const
    members.data.enrollments = members.data.enrollments.map((row) => ({ ...row, ...ended }))
    expect(await members.call('resume_learning')).toEqual({
      ...place,
      access: { state: 'EXPIRED', expire_date: YESTERDAY, has_lifetime_access: false },
    })
  })

  it('is the next lecture where nothing was watched', async () => {
    const [first] = members.data.enrollments
    members.data.enrollments = [{ ...first!, lastWatchedLecture: null }]
    expect(await members.call('resume_learning')).toEqual({
      ...place,
      lecture: { id: '1-l1', title: 'Lecture 1' },
      position_seconds: 0,
    })
    const [section] = members.data.outlines.get('c1')!
    const [done, next] = section!.lectures
    const at = { ...next!, positionSeconds: 12, url: 'https://l.example/1' }
    members.data.outlines.set('c1', [{ ...section!, lectures: [done!, at] }])
    expect(await members.call('resume_learning', { slug: 'mine-1' })).toEqual({
      ...place,
      lecture: { id: '1-l1', title: 'Lecture 1' },
      position_seconds: 12,
      resume_url: 'https://l.example/1',
    })
  })
})

describe('courses that a filter asks for', () => {
  beforeEach(() => {
    const ends = { hasLifetimeAccess: false }
    members.data.enrollments = [
      enrollment({ id: 'life' }),
      enrollment({ id: 'late', ...ends, expireDate: T + 9 * DAY }),
      enrollment({ id: 'soon', ...ends, expireDate: T + 2 * DAY }),
      enrollment({ id: 'over', ...ends, expireDate: T - DAY, accessState: 'EXPIRED' }),
      enrollment({ id: 'gone', ...ends, expireDate: T - DAY, accessState: 'REVOKED' }),
    ]
  })
  const list = async (args: object) => idsOf(await members.call('list_my_courses', { ...args }))

  it('are all but those taken away, which have to be asked for', async () => {
    expect((await list({})).toSorted()).toEqual(['enr_late', 'enr_life', 'enr_over', 'enr_soon'])
    expect(await list({ state: 'REVOKED' })).toEqual(['enr_gone'])
    expect(await list({ state: 'EXPIRED' })).toEqual(['enr_over'])
  })

  it('are those that end within so many days, the earliest first', async () => {
    expect(await list({ expires_within_days: 30 })).toEqual(['enr_soon', 'enr_late'])
    expect(await list({ expires_within_days: 9 })).toEqual(['enr_soon'])
    expect(await list({ expires_within_days: 1 })).toEqual([])
    expect(await list({ expires_within_days: 1, state: 'EXPIRED' })).toEqual(['enr_over'])
  })

  it('can be paged while time goes by', async () => {
    const first = await members.call('list_my_courses', { expires_within_days: 30, limit: 1 })
    members.school.clock.now += 90
    const { next_cursor: cursor } = (first as unknown as Page).page
    expect(await list({ expires_within_days: 30, limit: 1, cursor })).toEqual(['enr_late'])
  })
})

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean }
  readonly next_steps: readonly string[]
}

describe('a list', () => {
  it.each(LISTS)('of %s is paged to its end, each row once', async (name) => {
    const ids = Array.from({ length: 7 }, (_, index) => `${index}`)
    const { data } = members
    Object.assign(data, {
      enrollments: ids.map((id) => ({ ...data.enrollments[0]!, id })),
      orders: ids.map((id) => ({ ...data.orders[0]!, id })),
      registrations: ids.map((id) => ({ ...data.registrations[0]!, id })),
      subscriptions: ids.map((id) => ({ ...data.subscriptions![0]!, id })),
      digitalProducts: ids.map((id) => ({ ...data.digitalProducts![0]!, id })),
    })
    const seen: string[] = []
    const pages: [number, boolean, boolean][] = []
    let cursor: string | null = null
    do {
      const args: Record<string, unknown> = { limit: 3, ...(cursor !== null && { cursor }) }
      const answer = (await members.call(name, args)) as unknown as Page
      if (isToolError(answer)) throw new Error(answer.message)
      const { has_more: more, next_cursor: next } = answer.page
      expect(more).toBe(next !== null)
      pages.push([answer.data.length, more, answer.next_steps.at(-1) === NEXT_PAGE])
      seen.push(...idsOf(answer).map((id) => id.slice(4)))
      cursor = next
    } while (cursor !== null)
    expect(seen).toEqual(ids)
    expect(pages).toEqual([
      [3, true, true],
      [3, true, true],
      [1, false, false],
    ])
  })

  it('has 20 rows where nobody says, and 50 at most', async () => {
    const { data } = members
    data.orders = Array.from({ length: 60 }, (_, index) => order(`${index}`))
    expect(idsOf(await members.call('list_my_orders'))).toHaveLength(20)
    expect(idsOf(await members.call('list_my_orders', { limit: 50 }))).toHaveLength(50)
    expect(await members.call('list_my_orders', { limit: 51 })).toMatchObject({
      code: 'INVALID_INPUT',
    })
  })
})

describe('what a member writes', () => {
  it('is their profile: what is left out stays, null clears', async () => {
    const first = await members.call('update_my_profile', { name: 'Mei', time_zone: 'Asia/Taipei' })
    expect(first).toEqual({ data: { ...PROFILE, name: 'Mei' }, changed: ['name'] })
    const second = await members.call('update_my_profile', { name: null, locale: null })
    expect(second).toEqual({ data: { ...PROFILE, name: null }, changed: ['name'] })
    expect(members.data.profile.changes).toEqual([
      { name: 'Mei', timeZone: 'Asia/Taipei' },
      { name: null, locale: null },
    ])
  })

  it('is where they stopped', async () => {
    const args = { course: 'mine-1', lecture_id: '1-l1', position_seconds: 42 }
    const saved = {
      ...courseRow('1'),
      last_watched_lecture: {
        lecture_id: '1-l1',
        title: null,
        position_seconds: 42,
        duration_seconds: null,
        watched_at: TODAY,
        resume_url: null,
      },
      next_lecture: lecture('1', 1),
    }
    const first = await members.call('save_my_position', args)
    expect(first).toEqual({ data: saved, changed: ['last_watched_lecture'] })
    expect(await members.call('save_my_position', args)).toEqual({ data: saved, changed: [] })
  })

  it('is that a lecture is done, or is not', async () => {
    const mark = (lecture_id: string, completed: boolean) =>
      members.call('mark_my_lecture', { course: 'mine-1', lecture_id, completed })
    const done = { data: { ...courseRow('1'), next_lecture: null }, changed: ['next_lecture'] }
    expect(await mark('1-l1', true)).toEqual(done)
    expect(await mark('1-l1', true)).toEqual({ ...done, changed: [] })
    const undone = { ...courseRow('1'), next_lecture: { ...lecture('1', 0), completed: false } }
    expect(await mark('1-l0', false)).toEqual({ data: undone, changed: ['next_lecture'] })
  })

  it('is that a booking is cancelled, once', async () => {
    const data = {
      ...registrationRow('1'),
      state: 'CANCELLED',
      cancelled_at: TODAY,
      can_cancel: false,
    }
    const cancel = () => members.call('cancel_my_registration', { id: 'reg_1', reason: 'ill' })
    expect(await cancel()).toEqual({ data, changed: ['state', 'cancelled_at', 'can_cancel'] })
    expect(await cancel()).toEqual({ data, changed: [] })
    expect(members.calls.filter((name) => name === 'cancelEventRegistration')).toHaveLength(1)
  })
})
