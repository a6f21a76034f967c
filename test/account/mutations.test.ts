import type { EventRegistrationRecord } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { enrollment } from '../support/school/account.js'
import { openAccount, type OpenAccount } from '../support/school/account-api.js'
import { T } from '../support/school/school.js'

const DAY = 86_400

const BOOKING: EventRegistrationRecord = {
  id: 'b1',
  state: 'REGISTERED',
  registeredAt: T - DAY,
  cancelledAt: null,
  checkedInAt: null,
  ticketName: 'Seat',
  ticketCode: 'ABC',
  price: { amount: '12.00', currencyCode: 'EUR' },
  event: {
    id: 'ev1',
    slug: 'life-drawing',
    title: 'Life drawing',
    startsAt: T + DAY,
    endsAt: T + DAY + 7200,
    timeZone: 'Europe/Lisbon',
    isOnline: true,
    venue: null,
    url: 'https://lantern.example/events/life-drawing',
  },
  joinUrl: 'https://meet.example/x',
  cancellableUntil: T + 3600,
}

async function open(): Promise<
  OpenAccount & { mutate: (text: string) => Promise<Record<string, unknown>> }
> {
  const opened = await openAccount({ pictureHosts: ['images.example'] })
  opened.data.outlines.set('c1', [
    {
      id: 's1',
      title: 'Part one',
      lectures: [
        {
          id: 'l9',
          title: 'Light',
          kind: 'VIDEO',
          durationSeconds: 1200,
          completed: false,
          positionSeconds: 847,
          url: null,
        },
        {
          id: 'l10',
          title: 'Shade',
          kind: 'TEXT',
          durationSeconds: null,
          completed: false,
          positionSeconds: null,
          url: null,
        },
      ],
    },
  ])
  opened.data.registrations = [BOOKING]
  const token = await opened.tokenFor('account:read account:write')
  return {
    ...opened,
    async mutate(text) {
      const answer = (await (await opened.ask(token, `mutation { ${text} }`)).json()) as {
        data: Record<string, Record<string, unknown>> | null
        errors?: unknown
      }
      if (answer.data === null || answer.errors !== undefined)
        throw new Error(JSON.stringify(answer))
      return Object.values(answer.data)[0]!
    },
  }
}

const time = (seconds: number): string => new Date(seconds * 1000).toISOString()

describe('savePlaybackPosition', () => {
  const save = (input: string): string =>
    `savePlaybackPosition(input: { courseId: "c1", ${input} }) {
      enrolledCourse { lastWatchedLecture { lectureId positionSeconds watchedAt } }
      userErrors { code field message }
    }`

  it('keeps the position and answers with what is kept', async () => {
    const { mutate } = await open()
    expect(await mutate(save('lectureId: "l9", positionSeconds: 900'))).toEqual({
      enrolledCourse: {
        lastWatchedLecture: {
          lectureId: 'l9',
          positionSeconds: 900,
          watchedAt: '2026-11-20T09:00:00Z',
        },
      },
      userErrors: [],
    })
  })

  it('does the same a second time', async () => {
    const { mutate } = await open()
    const text = save(`lectureId: "l9", positionSeconds: 900, occurredAt: "${time(T)}"`)
    expect(await mutate(text)).toEqual(await mutate(text))
  })

  it.each([
    [
      'an older moment than is kept',
      `positionSeconds: 1, occurredAt: "${time(T - 3601)}"`,
      'STALE',
      'occurredAt',
    ],
    [
      'more than a minute ahead',
      `positionSeconds: 1, occurredAt: "${time(T + 61)}"`,
      'INVALID',
      'occurredAt',
    ],
    ['before the beginning', 'positionSeconds: -1', 'OUT_OF_RANGE', 'positionSeconds'],
    ['after the end', 'positionSeconds: 1201', 'OUT_OF_RANGE', 'positionSeconds'],
  ])('writes nothing for %s', async (_, input, code, field) => {
    const { mutate, calls } = await open()
    expect(await mutate(save(`lectureId: "l9", ${input}`))).toMatchObject({
      enrolledCourse: null,
      userErrors: [{ code, field: ['input', field] }],
    })
    expect(calls).not.toContain('savePlayback')
  })

  it.each([
    ['a minute ahead', `positionSeconds: 1, occurredAt: "${time(T + 60)}"`],
    ['the very moment that is kept', `positionSeconds: 1, occurredAt: "${time(T - 3600)}"`],
    ['the beginning', 'positionSeconds: 0'],
    ['the end', 'positionSeconds: 1200'],
  ])('accepts %s', async (_, input) => {
    const { mutate } = await open()
    expect(await mutate(save(`lectureId: "l9", ${input}`))).toMatchObject({ userErrors: [] })
  })

  it('never keeps a moment that is yet to come', async () => {
    const { mutate } = await open()
    expect(
      await mutate(save(`lectureId: "l9", positionSeconds: 1, occurredAt: "${time(T + 60)}"`)),
    ).toMatchObject({
      enrolledCourse: { lastWatchedLecture: { watchedAt: '2026-11-20T09:00:00Z' } },
    })
  })

  it.each([
    ['a lecture of another course', 'c1', 'l99', 'NOT_FOUND'],
    ['a course of somebody else', 'c2', 'l9', 'NOT_FOUND'],
  ])('knows nothing of %s', async (_, courseId, lectureId, code) => {
    const { mutate } = await open()
    const text = save(`lectureId: "${lectureId}", positionSeconds: 1`).replace('c1', courseId)
    expect(await mutate(text)).toMatchObject({ userErrors: [{ code }] })
  })

  it.each([
    ['EXPIRED', 'ACCESS_EXPIRED'],
    ['REVOKED', 'ACCESS_EXPIRED'],
    ['SUSPENDED', 'ACCESS_SUSPENDED'],
    ['SCHEDULED', 'INVALID'],
  ] as const)('needs access that is active, not %s', async (accessState, code) => {
    const { mutate, data, calls } = await open()
    data.enrollments = [enrollment({ accessState })]
    for (const text of [
      save('lectureId: "l9", positionSeconds: 1'),
      `markLecture(input: { courseId: "c1", lectureId: "l9", completed: true }) { userErrors { code } }`,
    ])
      expect(await mutate(text)).toMatchObject({ userErrors: [{ code }] })
    expect(calls).not.toContain('savePlayback')
    expect(calls).not.toContain('markLecture')
  })

  it('is stale where a later position came in between', async () => {
    const { mutate, data } = await open()
    const [row] = data.enrollments
    // Decided on what was loaded, then another device was faster.
    const last = row!.lastWatchedLecture!
    Object.defineProperty(data, 'enrollments', {
      get: () => [{ ...row!, lastWatchedLecture: { ...last, watchedAt: reads++ < 1 ? 0 : T + 1 } }],
    })
    let reads = 0
    expect(await mutate(save('lectureId: "l9", positionSeconds: 1'))).toMatchObject({
      userErrors: [{ code: 'STALE' }],
    })
  })
})

describe('markLecture', () => {
  const mark = (completed: boolean): string =>
    `markLecture(input: { courseId: "c1", lectureId: "l9", completed: ${completed} }) {
      enrolledCourse { nextLecture { id } } userErrors { code }
    }`

  it('marks a lecture done, once or twice, and not done again', async () => {
    const { mutate } = await open()
    const done = { enrolledCourse: { nextLecture: { id: 'l10' } }, userErrors: [] }
    expect(await mutate(mark(true))).toEqual(done)
    expect(await mutate(mark(true))).toEqual(done)
    expect(await mutate(mark(false))).toEqual({
      enrolledCourse: { nextLecture: { id: 'l9' } },
      userErrors: [],
    })
  })
})

describe('cancelEventRegistration', () => {
  const cancel = (id = 'reg_b1', more = ''): string =>
    `cancelEventRegistration(input: { registrationId: "${id}"${more} }) {
      eventRegistration { id state cancelledAt joinUrl canCancel } userErrors { code field }
    }`
  const CANCELLED = {
    eventRegistration: {
      id: 'reg_b1',
      state: 'CANCELLED',
      cancelledAt: '2026-11-20T09:00:00Z',
      joinUrl: null,
      canCancel: false,
    },
    userErrors: [],
  }

  it('cancels, and leaves a cancelled one as it is', async () => {
    const { mutate, school, calls } = await open()
    expect(await mutate(cancel())).toEqual(CANCELLED)
    school.clock.now += 100
    calls.length = 0
    expect(await mutate(cancel())).toEqual(CANCELLED)
    expect(calls).not.toContain('cancelEventRegistration')
  })

  it.each<[string, Partial<EventRegistrationRecord>]>([
    ['past its limit', { cancellableUntil: T }],
    ['whose event has begun', { cancellableUntil: null, event: { ...BOOKING.event, startsAt: T } }],
    ['that was used', { state: 'CHECKED_IN' }],
    ['that was missed', { state: 'NO_SHOW' }],
  ])('leaves one alone %s', async (_, changes) => {
    const { mutate, data } = await open()
    data.registrations = [{ ...BOOKING, ...changes }]
    expect(await mutate(cancel())).toEqual({
      eventRegistration: null,
      userErrors: [{ code: 'NOT_CANCELLABLE', field: ['input', 'registrationId'] }],
    })
  })

  it.each(['reg_other', 'b1', 'enr_b1', ''])('knows nothing of %j', async (id) => {
    const { mutate } = await open()
    expect(await mutate(cancel(id))).toMatchObject({ userErrors: [{ code: 'NOT_FOUND' }] })
  })

  it.each([
    ['says so where it was used meanwhile', 'CHECKED_IN', ['CONFLICT']],
    ['is content where somebody cancelled it meanwhile', 'CANCELLED', []],
  ] as const)('%s', async (_, state, codes) => {
    const { mutate, data } = await open()
    let reads = 0
    Object.defineProperty(data, 'registrations', {
      get: () => [{ ...BOOKING, state: reads++ < 1 ? 'REGISTERED' : state }],
    })
    expect(await mutate(cancel())).toMatchObject({ userErrors: codes.map((code) => ({ code })) })
  })

  it('takes no novel for a reason', async () => {
    const { mutate } = await open()
    const reason = (length: number): string => `, reason: "${'x'.repeat(length)}"`
    expect(await mutate(cancel('reg_b1', reason(501)))).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['input', 'reason'] }],
    })
    expect(await mutate(cancel('reg_b1', reason(500)))).toMatchObject({ userErrors: [] })
  })
})

describe('updateProfile', () => {
  const update = (input: string): string =>
    `updateProfile(input: { ${input} }) { viewer { name } userErrors { code field } }`

  it('changes what is named, clears what is null, leaves the rest', async () => {
    const { mutate, data } = await open()
    expect(await mutate(update('name: "  Mei  ", locale: null'))).toEqual({
      viewer: { name: 'Mei' },
      userErrors: [],
    })
    expect(data.profile.changes).toEqual([{ name: 'Mei', locale: null }])
  })

  it.each([
    ['an empty name', 'name: " "', 'name'],
    ['a name that is too long', `name: "${'x'.repeat(101)}"`, 'name'],
    ['a name that hides something', 'name: "Mei\\u202eLing"', 'name'],
    [
      'a picture that tells others who looks',
      'picture: "https://tracker.example/p.png"',
      'picture',
    ],
    ['a locale that is none', 'locale: "not a locale"', 'locale'],
    ['a time zone that is none', 'timeZone: "Mars/Olympus"', 'timeZone'],
  ])('refuses %s', async (_, input, field) => {
    const { mutate, data } = await open()
    expect(await mutate(update(input))).toEqual({
      viewer: null,
      userErrors: [{ code: 'INVALID', field: ['input', field] }],
    })
    expect(data.profile.changes).toEqual([])
  })

  it.each([
    'picture: "https://images.example/mei.png"',
    'locale: "pt-PT", timeZone: "Asia/Taipei"',
    'name: "林美玲"',
  ])('accepts %s', async (input) => {
    const { mutate } = await open()
    expect(await mutate(update(input))).toMatchObject({ userErrors: [] })
  })
})
