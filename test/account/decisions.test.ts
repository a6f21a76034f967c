import { deepEqual } from 'node:assert/strict'
import {
  accessStateOf,
  type AccountSource,
  type EventRegistrationRecord,
  type LectureState,
} from 'hallpass/account'
import { describe, it } from 'vitest'
import {
  decideCancellation,
  decideLecture,
  decidePlayback,
  decideProfile,
  isCancellable,
} from '../../src/account/decisions.js'
import { T } from '../support/school/school.js'

const LECTURE: LectureState = {
  enrollmentId: 'e1',
  accessState: 'ACTIVE',
  durationSeconds: 1200,
  watchedAt: T - 100,
}

const BOOKING: EventRegistrationRecord = {
  id: 'b1', state: 'REGISTERED', registeredAt: T - 1000, cancelledAt: null, checkedInAt: null,
  ticketName: 'Seat', ticketCode: null, price: { amount: '0.00', currencyCode: 'EUR' },
  event: {
    id: 'v1', slug: 'v', title: 'V', startsAt: T + 100, endsAt: T + 200, timeZone: 'Europe/Lisbon',
    isOnline: false, venue: null, url: 'https://lantern.example/events/v',
  },
  joinUrl: null, cancellableUntil: null,
} // prettier-ignore

const no = (code: string, field: string, message: string): unknown => ({
  ok: false,
  userError: { code, field: ['input', field], message },
})
const ENDED = no('ACCESS_EXPIRED', 'courseId', 'your access to this course has ended')
const NO_LECTURE = no('NOT_FOUND', 'lectureId', 'none of your courses contains this lecture')
const OUT_OF_RANGE = no('OUT_OF_RANGE', 'positionSeconds', 'the position is outside the lecture')
const FUTURE = no('INVALID', 'occurredAt', 'occurredAt is in the future')
const STALE = no('STALE', 'occurredAt', 'a later position is already saved')

describe('the state of access', () => {
  const access = { startDate: null, expireDate: null, suspended: false, revokedAt: null }
  it.each([
    ['ACTIVE', {}],
    ['ACTIVE', { startDate: T }],
    ['SCHEDULED', { startDate: T + 1 }],
    ['SCHEDULED', { startDate: T + 1, suspended: true }],
    ['ACTIVE', { expireDate: T + 1 }],
    ['EXPIRED', { expireDate: T }],
    ['EXPIRED', { expireDate: T - 1, suspended: true }],
    ['SUSPENDED', { suspended: true }],
    ['SUSPENDED', { suspended: true, expireDate: T + 1 }],
    ['REVOKED', { revokedAt: T - 1 }],
    ['REVOKED', { revokedAt: T - 1, startDate: T + 1, expireDate: T - 1, suspended: true }],
  ] as const)('is %s for %j', (state, changes) => {
    deepEqual(accessStateOf({ ...access, ...changes }, T), state)
  })
})

describe('a lecture', () => {
  it.each([
    [null, NO_LECTURE],
    [LECTURE, { ok: true, lecture: LECTURE }],
    [{ ...LECTURE, accessState: 'EXPIRED' }, ENDED],
    [{ ...LECTURE, accessState: 'REVOKED' }, ENDED],
    [
      { ...LECTURE, accessState: 'SUSPENDED' },
      no('ACCESS_SUSPENDED', 'courseId', 'your access to this course is suspended'),
    ],
    [
      { ...LECTURE, accessState: 'SCHEDULED' },
      no('INVALID', 'courseId', 'your access to this course has not begun'),
    ],
  ] as const)('as it stands in %j may be changed, or why not', (lecture, decision) => {
    deepEqual(decideLecture(lecture), decision)
  })
})

describe('a playback position', () => {
  const request = { lecture: LECTURE, positionSeconds: 10, occurredAt: T, now: T }
  it.each([
    [{}, { ok: true, watchedAt: T }],
    [{ positionSeconds: 0 }, { ok: true, watchedAt: T }],
    [{ positionSeconds: 1200 }, { ok: true, watchedAt: T }],
    [{ positionSeconds: -1 }, OUT_OF_RANGE],
    [{ positionSeconds: 1201 }, OUT_OF_RANGE],
    [
      { positionSeconds: 1201, lecture: { ...LECTURE, durationSeconds: null } },
      { ok: true, watchedAt: T },
    ],
    [{ positionSeconds: -1, lecture: { ...LECTURE, durationSeconds: null } }, OUT_OF_RANGE],
    [{ positionSeconds: 1, lecture: { ...LECTURE, durationSeconds: 0 } }, OUT_OF_RANGE],
    [{ occurredAt: T + 60 }, { ok: true, watchedAt: T }],
    [{ occurredAt: T + 61 }, FUTURE],
    [{ occurredAt: T - 100 }, { ok: true, watchedAt: T - 100 }],
    [{ occurredAt: T - 101 }, STALE],
    [
      { occurredAt: 0, lecture: { ...LECTURE, watchedAt: null } },
      { ok: true, watchedAt: 0 },
    ],
    [{ lecture: null, positionSeconds: -1, occurredAt: T + 61 }, NO_LECTURE],
    [{ lecture: { ...LECTURE, accessState: 'EXPIRED' }, positionSeconds: -1 }, ENDED],
    [{ positionSeconds: -1, occurredAt: T + 61 }, OUT_OF_RANGE],
  ] as const)('of %j is kept, or why not', (changes, decision) => {
    deepEqual(decidePlayback({ ...request, ...changes }), decision)
  })
})

describe('a cancellation', () => {
  const request = { registration: BOOKING, reason: null, now: T }
  const TOO_LATE = no(
    'NOT_CANCELLABLE',
    'registrationId',
    'this registration can no longer be cancelled',
  )
  const NO_REASON = no('INVALID', 'reason', 'a reason must be text of at most 500 characters')
  it.each([
    [{}, { ok: true, cancel: true }],
    [{ reason: 'x'.repeat(500) }, { ok: true, cancel: true }],
    [{ reason: 'x'.repeat(501) }, NO_REASON],
    [{ reason: 'a\0' }, NO_REASON],
    [
      { registration: null },
      no('NOT_FOUND', 'registrationId', 'you have no registration with this id'),
    ],
    [{ registration: { ...BOOKING, state: 'WAITLISTED' } }, { ok: true, cancel: true }],
    [{ registration: { ...BOOKING, state: 'CANCELLED' } }, { ok: true, cancel: false }],
    [
      { registration: { ...BOOKING, state: 'CANCELLED', cancellableUntil: 0 } },
      { ok: true, cancel: false },
    ],
    [{ registration: { ...BOOKING, state: 'CHECKED_IN' } }, TOO_LATE],
    [{ registration: { ...BOOKING, state: 'NO_SHOW' } }, TOO_LATE],
    [{ registration: { ...BOOKING, cancellableUntil: T + 1 } }, { ok: true, cancel: true }],
    [{ registration: { ...BOOKING, cancellableUntil: T } }, TOO_LATE],
    [{ now: T + 99 }, { ok: true, cancel: true }],
    [{ now: T + 100 }, TOO_LATE],
  ] as const)('of %j is done, needless, or refused', (changes, decision) => {
    const asked = { ...request, ...changes }
    deepEqual(decideCancellation(asked), decision)
  })
})

describe('whether a registration can be cancelled', () => {
  it.each<[boolean, Partial<EventRegistrationRecord>, number]>([
    [true, {}, T],
    [true, { state: 'WAITLISTED' }, T + 99],
    [false, {}, T + 100],
    [true, { cancellableUntil: T + 1 }, T],
    [false, { cancellableUntil: T + 1 }, T + 1],
    [false, { state: 'CANCELLED' }, T],
    [false, { state: 'CHECKED_IN' }, T],
  ])('is %s for %j at %d', (answer, changes, now) => {
    deepEqual(isCancellable({ ...BOOKING, ...changes }, now), answer)
  })
})

describe('a change of the profile', () => {
  const NAME = no('INVALID', 'name', 'a name must have 1 to 100 printable characters')
  const PICTURE = no('INVALID', 'picture', 'pictures from this host are not allowed')
  const LOCALE = no('INVALID', 'locale', 'locale must be a language tag such as pt-PT')
  const ZONE = no('INVALID', 'timeZone', 'timeZone must be a name such as Europe/Lisbon')
  it.each<[Parameters<AccountSource['updateProfile']>[1], unknown]>([
    [{}, null],
    [{ name: null, picture: null, locale: null, timeZone: null }, null],
    [{ name: 'x'.repeat(100) }, null],
    [{ name: 'x'.repeat(101) }, NAME],
    [{ name: '' }, NAME],
    [{ name: ' \u3000' }, NAME],
    [{ name: 'a\nb' }, NAME],
    [{ name: 'a\0b' }, NAME],
    [{ name: '\ud800' }, NAME],
    [{ name: 'a\u202eb' }, NAME],
    [{ name: 'a\u2028b' }, NAME],
    [{ name: 'a\u00adb' }, NAME],
    [{ name: 'a\u061cb' }, NAME],
    [{ name: 'a\u180eb' }, NAME],
    [{ name: 'Zoë 😀' }, null],
    [{ picture: 'https://images.example/a.png' }, null],
    [{ picture: 'https://images.example:8443/a.png' }, PICTURE],
    [{ picture: 'https://images.example.evil.example/a.png' }, PICTURE],
    [{ picture: 'https://images.example@evil.example/a.png' }, PICTURE],
    [{ locale: 'zh-Hant-TW' }, null],
    [{ locale: '' }, LOCALE],
    [{ locale: 'en_US' }, LOCALE],
    [{ timeZone: 'UTC' }, null],
    [{ timeZone: '' }, ZONE],
    [{ timeZone: 'Europe' }, ZONE],
  ])('to %j is made, or why not', (changes, refusal) => {
    deepEqual(decideProfile(changes, ['images.example']), refusal ?? { ok: true, changes })
  })

  it('takes off the space around a name, and allows no host by itself', () => {
    deepEqual(decideProfile({ name: ' Mei ', locale: null }, []), {
      ok: true,
      changes: { name: 'Mei', locale: null },
    })
    deepEqual(decideProfile({ picture: 'https://images.example/a.png' }, []), PICTURE)
  })
})
