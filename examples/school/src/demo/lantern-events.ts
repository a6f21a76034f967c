import { DAY, type DemoRows, HOUR, type Row } from './rows.js'

const [MEI, JONAS, PRIYA, LUCIA, NOOR, SAM] = [
  'mem_l05', 'mem_l06', 'mem_l07', 'mem_l08', 'mem_l09', 'mem_l10',
] as const // prettier-ignore

/** The next time European clocks change: the last Sunday of March or October, at 01:00 UTC. */
export function nextClockChange(now: number): number {
  const year = new Date(now * 1000).getUTCFullYear()
  const changes = [year, year + 1].flatMap((one) =>
    [2, 9].map((month) => {
      const lastDay = new Date(Date.UTC(one, month, 31, 1))
      return lastDay.getTime() / 1000 - lastDay.getUTCDay() * DAY
    }),
  )
  return changes.find((change) => change > now + 2 * DAY)!
}

const event = {
  status: 'published',
  time_zone: 'Europe/Lisbon',
  online: false,
  venue: 'Lantern Street 7, Lisbon',
  join_url: null,
  cancellable_until: null,
}

const registration = (
  id: string,
  member_id: string,
  event_id: string,
  registered_at: number,
  more: Row = {},
): Row => ({
  id,
  member_id,
  event_id,
  state: 'REGISTERED',
  registered_at,
  cancelled_at: null,
  cancel_reason: null,
  checked_in_at: null,
  ticket_name: 'One person',
  ticket_code: `LS-${id.toUpperCase()}-4F8K`,
  price: '0.00',
  currency: 'EUR',
  ...more,
})

/** Events and their bookings. */
export function lanternEvents(now: number): DemoRows {
  const hour = Math.floor(now / HOUR) * HOUR
  const change = nextClockChange(now)
  const past = hour - 15 * DAY
  return {
    event: [
      {
        ...event,
        id: 'evt_l01',
        slug: 'drawing-the-river',
        title: 'Drawing the River',
        starts_at: hour + 9 * DAY,
        ends_at: hour + 9 * DAY + 3 * HOUR,
        capacity: 5,
        cancellable_until: hour + 8 * DAY,
      },
      {
        ...event,
        id: 'evt_l02',
        slug: 'ink-night',
        title: 'Ink Night',
        starts_at: hour + DAY,
        ends_at: hour + DAY + 2 * HOUR,
        online: true,
        venue: null,
        join_url: 'https://rooms.example/ink-night',
        capacity: 40,
        cancellable_until: hour - DAY,
      },
      {
        ...event,
        id: 'evt_l03',
        slug: 'portrait-marathon',
        title: 'Portrait Marathon',
        starts_at: hour + 20 * DAY,
        ends_at: hour + 20 * DAY + 8 * HOUR,
        capacity: 2,
      },
      {
        ...event,
        id: 'evt_l04',
        slug: 'open-studio',
        title: 'Open Studio',
        starts_at: past,
        ends_at: past + 5 * HOUR,
        capacity: null,
      },
      {
        ...event,
        id: 'evt_l05',
        slug: 'museum-morning',
        title: 'Museum Morning',
        status: 'cancelled',
        starts_at: hour + 5 * DAY,
        ends_at: hour + 5 * DAY + 2 * HOUR,
        capacity: 20,
      },
      {
        ...event,
        id: 'evt_l06',
        slug: 'night-of-drawing',
        title: 'Night of Drawing',
        starts_at: change - 4 * HOUR,
        ends_at: change + 5 * HOUR,
        capacity: 30,
      },
    ],
    event_registration: [
      // Drawing the River: three of five seats are left.
      registration('l1', SAM, 'evt_l01', now - 6 * DAY, { price: '15.00' }),
      registration('l2', PRIYA, 'evt_l01', now - 12 * HOUR, { price: '15.00' }),
      registration('l3', SAM, 'evt_l02', now - 9 * DAY, {
        ticket_name: 'Two people',
        price: '24.00',
      }),
      // Portrait Marathon: sold out, with one person on the waiting list.
      registration('l4', MEI, 'evt_l03', now - 25 * DAY, { price: '45.00' }),
      registration('l5', NOOR, 'evt_l03', now - 24 * DAY, { price: '45.00' }),
      registration('l6', LUCIA, 'evt_l03', now - 2 * DAY, {
        state: 'WAITLISTED',
        ticket_code: null,
        price: '45.00',
      }),
      registration('l7', SAM, 'evt_l04', past - 8 * DAY, {
        state: 'CHECKED_IN',
        checked_in_at: past + 600,
      }),
      registration('l8', JONAS, 'evt_l04', past - 7 * DAY, { state: 'NO_SHOW' }),
      registration('l9', SAM, 'evt_l05', now - 14 * DAY, {
        state: 'CANCELLED',
        cancelled_at: now - 2 * DAY,
        cancel_reason: 'The museum is closed.',
      }),
      registration('l10', MEI, 'evt_l06', now - 4 * DAY),
    ],
  }
}
