import { isProblem } from 'hallpass/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedEvents } from '../../../examples/school/src/events/demo.js'
import { decideRegistrationMove } from '../../../examples/school/src/events/rules.js'
import { eventOperations } from '../../../examples/school/src/events/operations.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'
import { T } from '../../support/school/school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(eventOperations)
})
afterAll(() => school.close())

const WALK = {
  slug: 'harbour-walk',
  title: 'Harbour Walk',
  starts_at: '2026-12-05T10:00:00+01:00',
  ends_at: '2026-12-05T12:00:00Z',
  time_zone: 'Europe/Lisbon',
  online: false,
  venue: 'Cais das Colunas',
}

let drafts = 0
const draft = async (more: object = {}): Promise<string> => {
  drafts += 1
  const body = { ...WALK, slug: `walk-${drafts}`, ...more }
  const answer = await school.call('POST', '/events', { body })
  expect(answer.status).toBe(201)
  return (answer.body as { id: string }).id
}
const published = async (more: object = {}): Promise<string> => {
  const id = await draft(more)
  expect((await school.call('POST', `/events/${id}/publish`)).status).toBe(200)
  return id
}
const stateOf = async (id: string): Promise<unknown> =>
  ((await school.call('GET', `/events/${id}`)).body as { state: string }).state
const book = (event: string, id: string, state = 'REGISTERED', at = T) =>
  school.execute(
    `insert into school_event_registration
       (site, id, member_id, event_id, state, registered_at, ticket_name, price, currency)
     values ('site_lantern', $1, 'mem_l09', $2, $3, $4, 'One person', 15, 'EUR')`,
    [id, event, state, at],
  )
const bookingsOf = async (event: string, query = ''): Promise<unknown[]> => {
  const { status, body } = await school.call('GET', `/events/${event}/registrations?${query}`)
  expect(status).toBe(200)
  return (body as { data: unknown[] }).data
}
const conflict = (detail: string) => ({ status: 409, body: { code: 'conflict', detail } })
const unprocessable = (detail: string) => ({ status: 422, body: { code: 'unprocessable', detail } })
const change = (id: string, body: object): Promise<Answer> =>
  school.call('PATCH', `/events/${id}`, { body })

describe('events', () => {
  it('are drafts until they are published, changed, and cancelled for good', async () => {
    const tickets = [{ name: 'One person', price: { amount: '15.00', currency: 'EUR' } }]
    const created = await school.call('POST', '/events', { body: { ...WALK, tickets } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      ...WALK,
      id: expect.stringMatching(/^evt_/),
      description_html: '',
      starts_at: '2026-12-05T09:00:00Z',
      ends_at: '2026-12-05T12:00:00Z',
      has_join_url: false,
      capacity: null,
      cancellable_until: null,
      tickets,
      state: 'draft',
      counts: {
        registered: 0,
        checked_in: 0,
        no_show: 0,
        waitlisted: 0,
        cancelled: 0,
        seats_left: null,
      },
      created_at: '2026-11-20T09:00:00Z',
      updated_at: '2026-11-20T09:00:00Z',
    })
    const { id } = created.body as { id: string }
    expect((await school.call('GET', `/events/${id}`)).body).toEqual(created.body)
    expect(await change(id, { capacity: 12 })).toMatchObject({
      status: 200,
      body: { capacity: 12, counts: { seats_left: 12 }, title: 'Harbour Walk' },
    })
    for (const action of ['publish', 'publish', 'cancel', 'cancel'])
      expect((await school.call('POST', `/events/${id}/${action}`)).status).toBe(200)
    expect(await stateOf(id)).toBe('cancelled')
    expect(await school.call('POST', `/events/${id}/publish`)).toMatchObject(
      conflict('the event is cancelled'),
    )
    expect(await change(id, { title: 'Again' })).toMatchObject(conflict('the event is cancelled'))
  })

  it('keep of HTML what is text, and never answer the link to join', async () => {
    const id = await draft({
      online: true,
      venue: null,
      join_url: 'https://rooms.example/secret-room',
      description_html: '<p onclick="x()">Bring <b>ink</b>.</p><script>steal()</script>',
    })
    const { body } = await school.call('GET', `/events/${id}`)
    expect(body).toMatchObject({
      description_html: '<p>Bring <b>ink</b>.</p>',
      has_join_url: true,
    })
    expect(JSON.stringify(body)).not.toContain('secret-room')
    expect(await change(id, { join_url: null, description_html: '<i>New</i>' })).toMatchObject({
      body: { has_join_url: false, description_html: '<i>New</i>' },
    })
    expect((await change(id, { join_url: 'http://rooms.example/plain' })).status).toBe(400)
  })

  it.each([
    ['an end at its beginning', { ends_at: WALK.starts_at }, 'it must end after it starts'],
    [
      'bookings that can be cancelled while it runs',
      { cancellable_until: '2026-12-05T11:00:00Z' },
      'cancellable_until must not be later than the start',
    ],
    [
      'two tickets of one name',
      { tickets: ['1.00', '2.00'].map((amount) => ({ name: 'One', price: { amount, currency: 'EUR' } })) }, // prettier-ignore
      'two tickets have the same name',
    ],
    [
      'tickets in two currencies',
      { tickets: ['EUR', 'USD'].map((currency) => ({ name: currency, price: { amount: '1', currency } })) }, // prettier-ignore
      'all tickets must have the same currency',
    ],
  ])('are refused with %s, when made and when changed', async (_, fields, detail) => {
    const body = { ...WALK, slug: 'never', ...fields }
    expect(await school.call('POST', '/events', { body })).toMatchObject(unprocessable(detail))
    expect(await change(await draft(), fields)).toMatchObject(unprocessable(detail))
  })

  it.each([
    ['a time zone that nobody keeps', { time_zone: 'Europe/Atlantis' }],
    ['an offset for a time zone', { time_zone: '+01:00' }],
    ['a state', { state: 'published' }],
    ['the site of another', { site: KILN_SITE }],
    ['a price in another shape', { tickets: [{ name: 'One', price: { amount: '1,00', currency: 'EUR' } }] }], // prettier-ignore
    ['a seat count of none', { capacity: 0 }],
  ])('cannot be made with %s', async (_, fields) => {
    const body = { ...WALK, slug: 'never', ...fields }
    expect((await school.call('POST', '/events', { body })).status).toBe(400)
  })

  it('have a slug that no other event of the school has, and keep it once it is public', async () => {
    const id = await published({ slug: 'once' })
    const body = { ...WALK, slug: 'once' }
    expect((await school.call('POST', '/events', { body })).status).toBe(409)
    expect((await school.call('POST', '/events', { body, site: KILN_SITE })).status).toBe(201)
    expect(await change(id, { slug: 'twice' })).toMatchObject(
      conflict('the event is published: its slug can no longer change, because links use it'),
    )
  })

  it('are published with a place and a time to come', async () => {
    const nowhere = await draft({ venue: null })
    expect(await school.call('POST', `/events/${nowhere}/publish`)).toMatchObject(
      conflict('the event needs a venue, or must be online'),
    )
    const over = await draft({
      starts_at: '2026-11-20T07:00:00Z',
      ends_at: '2026-11-20T09:00:00Z',
    })
    expect(await school.call('POST', `/events/${over}/publish`)).toMatchObject(
      conflict('the event would already be over: change its times first'),
    )
    const id = await published()
    expect(await change(id, { venue: null })).toMatchObject(
      unprocessable('a published event must be online or have a venue'),
    )
    const past = { starts_at: '2026-11-19T07:00:00Z', ends_at: '2026-11-19T09:00:00Z' }
    expect(await change(id, past)).toMatchObject(unprocessable('the event would already be over'))
  })

  it('that are over keep everything but their words', async () => {
    expect(await stateOf('evt_l04')).toBe('ended')
    expect(await change('evt_l04', { capacity: 5 })).toMatchObject(
      conflict('the event is over: only its title and description can change'),
    )
    expect(await change('evt_l04', { description_html: '<p>It rained.</p>' })).toMatchObject({
      status: 200,
      body: { description_html: '<p>It rained.</p>', state: 'ended' },
    })
    expect(await school.call('POST', '/events/evt_l04/cancel')).toMatchObject(
      conflict('the event is over'),
    )
    expect(await school.call('POST', '/events/evt_l04/publish')).toMatchObject(
      conflict('the event is ended'),
    )
  })

  it.each([
    ['state=cancelled', ['museum-morning']],
    ['online=true', ['ink-night']],
    ['slug=open-studio', ['open-studio']],
    ['q=MARATHON', ['portrait-marathon']],
    ['starts_before=2026-11-20T00:00:00Z', ['open-studio']],
    // Ink Night starts at that very moment.
    ['starts_after=2026-11-21T09:00:00Z&starts_before=2026-11-26T00:00:00Z', ['museum-morning']],
  ])('are found by %s', async (query, slugs) => {
    const { body } = await school.call('GET', `/events?fields=slug&${query}`)
    const found = (body as { data: { slug: string }[] }).data.map(({ slug }) => slug)
    expect(found.filter((slug) => !/^walk-|once|harbour/.test(slug))).toEqual(slugs)
  })

  it('stay as somebody left them when the demo starts again', async () => {
    const changes = { description_html: '<p>Bring a stool.</p>', tickets: [] }
    await change('evt_l01', changes)
    await seedEvents({ ...school, site: 'site_lantern', now: () => T + 60 })
    expect((await school.call('GET', '/events/evt_l01')).body).toMatchObject(changes)
  })

  it('are made by lecturers, while assistants look after those who come', async () => {
    const body = { ...WALK, slug: 'by-role' }
    const as = (role: string, path: string) =>
      school.call('POST', `${path}?dry_run=true`, { role, ...(path === '/events' && { body }) })
    expect((await as('lecturer', '/events')).status).toBe(200)
    expect(await as('assistant', '/events')).toMatchObject({
      status: 403,
      body: { code: 'forbidden_role' },
    })
    expect((await as('assistant', '/events/evt_l01/cancel')).status).toBe(403)
    expect((await as('assistant', '/registrations/reg_l1/check-in')).status).toBe(200)
  })
})

describe('bookings of an event', () => {
  it('say who comes, and nothing of the ticket but its name', async () => {
    const [first, ...others] = await bookingsOf('evt_l01', 'sort=registered_at')
    expect(first).toEqual({
      id: 'reg_l1',
      event_id: 'evt_l01',
      member_id: 'mem_l10',
      member_name: 'Sam Okafor',
      state: 'registered',
      ticket_name: 'One person',
      price: { amount: '15.00', currency: 'EUR' },
      registered_at: '2026-11-14T09:00:00Z',
      cancelled_at: null,
      cancel_reason: null,
      checked_in_at: null,
      created_at: '2026-11-14T09:00:00Z',
      updated_at: '2026-11-14T09:00:00Z',
    })
    expect(others).toMatchObject([{ id: 'reg_l2' }])
  })

  it.each([
    ['state=waitlisted', ['reg_l6']],
    ['member_id=mem_l09', ['reg_l5']],
    ['ticket_code=LS-L4-4F8K', ['reg_l4']],
    ['ticket_code=LS-L1-4F8K', []],
    ['q=lucia', ['reg_l6']],
    ['updated_since=2026-11-18T00:00:00Z', ['reg_l6']],
    ['sort=member_name', ['reg_l6', 'reg_l4', 'reg_l5']],
  ])('are found by %s', async (query, ids) => {
    expect(await bookingsOf('evt_l03', `fields=id&${query}`)).toEqual(ids.map((id) => ({ id })))
  })

  it('are checked in', async () => {
    const event = await published()
    await book(event, 'in')
    const first = await school.call('POST', '/registrations/reg_in/check-in')
    expect(first).toMatchObject({
      status: 200,
      body: { state: 'checked_in', checked_in_at: '2026-11-20T09:00:00Z' },
    })
    expect(await bookingsOf(event)).toEqual([first.body])
    expect(await school.call('POST', '/registrations/reg_in/cancel')).toMatchObject(
      conflict('the booking is checked in'),
    )
  })

  it('are cancelled with a reason, and who waits first gets the seat and a ticket', async () => {
    const event = await published({ capacity: 2 })
    await book(event, 'there', 'CHECKED_IN', T - 1)
    await book(event, 'seat')
    await book(event, 'second', 'WAITLISTED', T + 2)
    await book(event, 'first', 'WAITLISTED', T + 1)
    const body = { reason: 'Ill.' }
    expect(await school.call('POST', '/registrations/reg_seat/cancel', { body })).toMatchObject({
      status: 200,
      body: { state: 'cancelled', cancel_reason: 'Ill.', cancelled_at: '2026-11-20T09:00:00Z' },
    })
    expect(await bookingsOf(event, 'sort=registered_at')).toMatchObject([
      { id: 'reg_there', state: 'checked_in' },
      { id: 'reg_seat', state: 'cancelled' },
      { id: 'reg_first', state: 'registered' },
      { id: 'reg_second', state: 'waitlisted' },
    ])
    const { rows } = await school.execute(
      `select ticket_code from school_event_registration where id in ('first', 'second')
       order by id`,
      [],
    )
    expect(rows).toEqual([
      { ticket_code: expect.stringMatching(/^[0-9A-F]{12}$/) },
      { ticket_code: null },
    ])
    // Nobody gets a seat from one who had none.
    await book(event, 'third', 'WAITLISTED', T + 3)
    await school.call('POST', '/registrations/reg_second/cancel')
    expect(await bookingsOf(event, 'state=waitlisted')).toMatchObject([{ id: 'reg_third' }])
  })

  it('that wait get no seat of an event that is over', async () => {
    const event = await published({ capacity: 1, ends_at: '2026-12-05T10:30:00+01:00' })
    await book(event, 'o1')
    await book(event, 'o2', 'WAITLISTED')
    school.clock.now = Date.parse('2026-12-05T09:30:00Z') / 1000
    await school.call('POST', '/registrations/reg_o1/cancel')
    school.clock.now = T
    expect(await bookingsOf(event, 'state=waitlisted')).toMatchObject([{ id: 'reg_o2' }])
  })

  it('that wait get the seats that are added, and none may be taken from those who sit', async () => {
    const event = await published({ capacity: 2 })
    await book(event, 's1', 'CHECKED_IN')
    await book(event, 's2')
    for (const id of ['w1', 'w2']) await book(event, id, 'WAITLISTED')
    expect(await change(event, { capacity: 1 })).toMatchObject(
      conflict('2 seats are taken already'),
    )
    expect(await change(event, { capacity: 2 })).toMatchObject({
      body: { counts: { registered: 1, checked_in: 1, waitlisted: 2, seats_left: 0 } },
    })
    expect(await change(event, { capacity: 3 })).toMatchObject({
      body: { counts: { registered: 2, waitlisted: 1, seats_left: 0 } },
    })
    expect(await change(event, { capacity: null })).toMatchObject({
      body: { counts: { registered: 3, waitlisted: 0, seats_left: null } },
    })
  })

  it('of a cancelled event are cancelled with it', async () => {
    const event = await published()
    await book(event, 'c1')
    await book(event, 'c2', 'WAITLISTED')
    await book(event, 'c3', 'CHECKED_IN')
    const body = { reason: 'The museum is closed.' }
    expect(await school.call('POST', `/events/${event}/cancel`, { body })).toMatchObject({
      body: { state: 'cancelled', counts: { cancelled: 2, checked_in: 1 } },
    })
    expect(await bookingsOf(event, 'state=cancelled')).toMatchObject([
      { id: 'reg_c2', cancel_reason: 'The museum is closed.' },
      { id: 'reg_c1', cancel_reason: 'The museum is closed.' },
    ])
  })

  it('are missed only once the event has begun', async () => {
    expect(await school.call('POST', '/registrations/reg_l2/no-show')).toMatchObject(
      conflict('the event has not begun, so no one has missed it'),
    )
    expect(await school.call('POST', '/registrations/reg_l8/no-show')).toMatchObject({
      status: 200,
      body: { state: 'no_show' },
    })
    const event = await published({
      starts_at: '2026-11-20T09:00:00Z',
      ends_at: '2026-11-20T11:00:00Z',
    })
    await book(event, 'missed')
    expect(await school.call('POST', '/registrations/reg_missed/no-show')).toMatchObject({
      status: 200,
      body: { state: 'no_show' },
    })
  })

  it('go only where the states lead', () => {
    const states = ['waitlisted', 'registered', 'checked_in', 'no_show', 'cancelled'] as const
    const table = (move: 'check_in' | 'cancel' | 'no_show') =>
      states.map((state) => {
        const next = decideRegistrationMove({ move, state, startsAt: T, now: T })
        return isProblem(next) ? next.code : next
      })
    expect(table('check_in')).toEqual(['conflict', 'checked_in', 'checked_in', 'conflict', 'conflict']) // prettier-ignore
    expect(table('cancel')).toEqual(['cancelled', 'cancelled', 'conflict', 'conflict', 'cancelled'])
    expect(table('no_show')).toEqual(['conflict', 'no_show', 'conflict', 'no_show', 'conflict'])
  })
})
