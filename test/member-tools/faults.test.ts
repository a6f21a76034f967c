import type { FaultNotice } from 'hallpass'
import { type AccountExecutor, accountTools, ANONYMOUS, isToolError, toolError } from 'hallpass/mcp'
import { beforeEach, describe, expect, it } from 'vitest'
import { T, STUDENT } from '../support/school/school.js'
import { accessOf, ARGUMENTS, callerWith, type Members, openMembers } from './support.js'

const DAY = 86_400
const MEND = 'Correct the arguments as described in message, then call the tool again.'
const LIST_COURSES = 'Call list_my_courses, then use a slug from its result.'
const NO_COURSE = toolError('NOT_FOUND', 'the person has no course with this slug', LIST_COURSES)
const NO_ORDER = toolError(
  'NOT_FOUND',
  'the person has no order with this id',
  'Call list_my_orders, then use an id from its result.',
)
const NO_BOOKING = toolError(
  'NOT_FOUND',
  'the person has no booking with this id',
  'Call list_my_event_registrations, then use an id from its result.',
)
const READ_AGAIN = 'Read the object again, then decide whether to repeat the call.'

let members: Members
beforeEach(async () => {
  members = await openMembers()
})

describe('what is not there', () => {
  it.each([
    ['get_my_course', { slug: 'nothing' }],
    ['resume_learning', { slug: 'nothing' }],
    ['save_my_position', { course: 'nothing', lecture_id: '1-l0', position_seconds: 1 }],
    ['mark_my_lecture', { course: 'nothing', lecture_id: '1-l0', completed: true }],
  ])('is a course for %s', async (name, args) => {
    expect(await members.call(name, args)).toEqual(NO_COURSE)
  })

  it.each(['ord_9', 'nothing', 'reg_1', 'enr_1', 'mem_mei'])('is the order %s', async (id) => {
    expect(await members.call('get_my_order', { id })).toEqual(NO_ORDER)
  })

  it.each(['reg_9', 'nothing', 'ord_1', 'mem_mei'])('is the booking %s', async (id) => {
    expect(await members.call('cancel_my_registration', { id })).toEqual(NO_BOOKING)
    expect(members.calls).not.toContain('cancelEventRegistration')
  })

  it.each([
    ['save_my_position', { position_seconds: 1 }],
    ['mark_my_lecture', { completed: true }],
  ])('is a lecture of this course for %s', async (name, more) => {
    const args = { course: 'mine-1', lecture_id: '2-l0', ...more }
    expect(await members.call(name, args)).toEqual(
      toolError(
        'NOT_FOUND',
        'none of your courses contains this lecture',
        'Call the tool that lists these objects, then use an id or slug from its result.',
      ),
    )
  })

  it('is a course to go on with', async () => {
    members.data.enrollments = []
    expect(await members.call('resume_learning')).toEqual(
      toolError(
        'NOT_FOUND',
        'the person has no course at this school',
        'Tell the person that they can enroll in a course at the school.',
      ),
    )
  })

  it('is a lecture to go on with', async () => {
    const [first] = members.data.enrollments
    members.data.enrollments = [{ ...first!, lastWatchedLecture: null }]
    members.data.outlines.clear()
    const nothing = toolError(
      'NOT_FOUND',
      'the person has watched no lecture of this course, and there is no next lecture',
      'Call get_my_course with the slug to see the outline, or list_my_courses to see other courses.',
    )
    expect(await members.call('resume_learning')).toEqual(nothing)
    expect(await members.call('resume_learning', { slug: 'mine-1' })).toEqual(nothing)
  })

  it('is a course that the school takes away while it is written to', async () => {
    members.data.enrollments = members.data.enrollments.slice(0, 1)
    const api: AccountExecutor = {
      async execute(access, request) {
        const answer = await members.api.execute(access, request)
        const { payload } = (answer.data ?? {}) as { payload?: object }
        return payload === undefined ? answer : { data: { payload: { ...payload, after: null } } }
      },
    }
    const call = callerWith(api, members.access, () => T)
    const args = { course: 'mine-1', lecture_id: '1-l1', position_seconds: 1 }
    expect(await call('save_my_position', args)).toEqual(
      toolError('NOT_FOUND', 'the school removed this object during the call'),
    )
  })
})

describe('what the Account API refuses to do', () => {
  const position = { course: 'mine-1', lecture_id: '1-l1', position_seconds: 42 }
  const LECTURES = [
    ['save_my_position', position],
    ['mark_my_lecture', { course: 'mine-1', lecture_id: '1-l1', completed: true }],
  ] as const

  describe.each(LECTURES)('%s', (name, args) => {
    it.each([
      ['EXPIRED', 'ACCESS_EXPIRED', 'your access to this course has ended'],
      ['REVOKED', 'ACCESS_EXPIRED', 'your access to this course has ended'],
      ['SUSPENDED', 'ACCESS_EXPIRED', 'your access to this course is suspended'],
      ['SCHEDULED', 'INVALID_INPUT', 'your access to this course has not begun'],
    ] as const)('has no access that is %s: %s', async (accessState, code, message) => {
      const [first, second] = members.data.enrollments
      members.data.enrollments = [{ ...first!, accessState }, second!]
      expect(await members.call(name, args)).toEqual(toolError(code, message))
      expect(members.calls).not.toContain('savePlayback')
      expect(members.calls).not.toContain('markLecture')
    })
  })

  it('is a position beyond the lecture', async () => {
    expect(await members.call('save_my_position', { ...position, position_seconds: 601 })).toEqual(
      toolError('INVALID_INPUT', 'the position is outside the lecture', MEND),
    )
  })

  it('is a position that is older than the one that is kept', async () => {
    const [first] = members.data.enrollments
    const last = { ...first!.lastWatchedLecture!, lectureId: '1-l1', watchedAt: T + 10 }
    members.data.enrollments = [{ ...first!, lastWatchedLecture: last }]
    expect(await members.call('save_my_position', position)).toEqual(
      toolError('CONFLICT', 'a later position is already saved', READ_AGAIN),
    )
  })

  it.each([
    ['locale', 'not a language', 'locale must be a language tag such as pt-PT'],
    ['time_zone', 'Mars/Olympus', 'timeZone must be a name such as Europe/Lisbon'],
    ['name', '   ', 'a name must have 1 to 100 printable characters'],
    ['picture', 'https://elsewhere.example/x.png', 'pictures from this host are not allowed'],
  ])('is the %s %s', async (member, value, message) => {
    expect(await members.call('update_my_profile', { [member]: value })).toEqual(
      toolError('INVALID_INPUT', message, MEND),
    )
    expect(members.calls).not.toContain('updateProfile')
  })

  it('is to cancel too late', async () => {
    const [first] = members.data.registrations
    members.data.registrations = [{ ...first!, cancellableUntil: T - DAY }]
    expect(await members.call('cancel_my_registration', { id: 'reg_1' })).toEqual(
      toolError(
        'CONFLICT',
        'this registration can no longer be cancelled',
        'Tell the person that only the school can still cancel this booking.',
      ),
    )
  })

  it('is to cancel what changes at the same moment', async () => {
    const asked: unknown[] = []
    const { call } = await openMembers(
      {},
      {
        async cancelEventRegistration(_, cancellation) {
          asked.push(cancellation)
          return 'conflict'
        },
      },
    )
    const conflict = toolError(
      'CONFLICT',
      'the registration was changed by another request: read it again',
      READ_AGAIN,
    )
    const ill = { id: 'reg_1', reason: 'ill' }
    expect(await call('cancel_my_registration', ill)).toEqual(conflict)
    expect(await call('cancel_my_registration', { id: 'reg_2' })).toEqual(conflict)
    expect(asked).toEqual([
      { id: '1', reason: 'ill', at: T },
      { id: '2', reason: null, at: T },
    ])
  })

  it('is a cursor of another list, or of other arguments', async () => {
    const page = async (name: string, args: object = {}) =>
      ((await members.call(name, { limit: 1, ...args })) as unknown as Page).page.next_cursor
    const foreign = toolError(
      'INVALID_INPUT',
      'the cursor belongs to another list or to other arguments',
      'Call this tool again without cursor to start from the first page.',
    )
    const cursor = await page('list_my_orders')
    expect(await members.call('list_my_memberships', { cursor })).toEqual(foreign)
    expect(await members.callOther('list_my_orders', { cursor })).toEqual(foreign)
    const upcoming = await page('list_my_event_registrations', { when: 'UPCOMING' })
    const past = { when: 'PAST', cursor: upcoming }
    expect(await members.call('list_my_event_registrations', past)).toEqual(foreign)
    const active = await page('list_my_courses', { state: 'ACTIVE' })
    const ending = { cursor: active, expires_within_days: 3 }
    expect(await members.call('list_my_courses', ending)).toEqual(foreign)
    expect(await members.call('list_my_orders', { cursor: '1.AAAA' })).toEqual(foreign)
  })
})

interface Page {
  readonly page: { readonly next_cursor: string | null }
}

describe('a value that the Account API does not take', () => {
  it('is told as the Account API says it', async () => {
    const errors = [{ message: 'first is odd', extensions: { code: 'BAD_USER_INPUT' } }]
    const call = callerWith({ execute: async () => ({ errors }) }, members.access, () => T)
    expect(await call('list_my_orders')).toEqual(toolError('INVALID_INPUT', 'first is odd', MEND))
  })
})

describe('a school that cannot answer', () => {
  const broken = async (): Promise<never> => {
    throw new Error('password of the database: hunter2')
  }

  it.each([
    ['profile', 'get_my_profile', {}],
    ['enrollments', 'list_my_courses', {}],
    ['courseOutlines', 'get_my_course', { slug: 'mine-1' }],
    ['orders', 'get_my_order', { id: 'ord_1' }],
    ['updateProfile', 'update_my_profile', { name: 'Mei' }],
    ['cancelEventRegistration', 'cancel_my_registration', { id: 'reg_1' }],
  ] as const)('because of its %s is an UPSTREAM without the cause', async (method, name, args) => {
    const told: (string | null)[] = []
    const onFault = ({ requestId }: FaultNotice): unknown => told.push(requestId)
    const { call } = await openMembers({ onFault }, { [method]: broken })
    const answer = await call(name, args)
    expect(new Set(told)).toEqual(new Set(['request-1']))
    expect(answer).toEqual(
      toolError(
        'UPSTREAM',
        'the school could not process the request',
        'Call the tool again shortly. If it keeps failing, give the request_id to the school.',
      ),
    )
  })

  it('in time is an UPSTREAM too', async () => {
    const never = { site: () => new Promise<never>(() => {}) }
    const { call } = await openMembers({ deadlineMilliseconds: 1 }, never)
    expect(await call('get_my_profile')).toMatchObject({ code: 'UPSTREAM' })
  })

  it('so fast says how long to wait', async () => {
    const { call, school } = await openMembers({ bucket: { capacity: 1000, restoreRate: 50 } })
    const list = () => call('list_my_orders', { limit: 50 })
    expect(isToolError(await list())).toBe(false)
    const refused = toolError(
      'RATE_LIMITED',
      'the rate limit was exceeded',
      'Wait 9 seconds, then call the tool again.',
    )
    expect(await list()).toEqual(refused)
    school.clock.now += 8
    expect(await list()).toMatchObject({ recovery: 'Wait 1 seconds, then call the tool again.' })
    school.clock.now += 1
    expect(isToolError(await list())).toBe(false)
  })
})

describe('a fault of the program', () => {
  it('is a tool that is run for nobody', async () => {
    for (const { name, actions } of accountTools(members.api)) {
      const context = {
        caller: ANONYMOUS,
        dryRun: false,
        requestId: 'request-1',
        now: T,
        signal: new AbortController().signal,
      }
      const running = actions[0].run(context, ARGUMENTS[name] ?? {})
      await expect(running, name).rejects.toThrow(
        'a member tool was called without an access token',
      )
    }
  })

  it('is a write that the gate let in without the right to write', async () => {
    const access = await accessOf(members.school, STUDENT, 'account:read')
    const call = callerWith(members.api, access, () => T)
    await expect(call('update_my_profile', { name: 'Mei' })).rejects.toThrow(
      'the Account API refused the request of a tool: INSUFFICIENT_SCOPE',
    )
    expect(members.calls).not.toContain('updateProfile')
  })

  it('is an Account API that knows other errors', async () => {
    const answering = (answer: object) =>
      callerWith({ execute: async () => answer }, members.access, () => T)
    const unknown = answering({ errors: [{ message: 'no' }] })
    await expect(unknown('get_my_profile')).rejects.toThrow(
      'refused the request of a tool: undefined: no',
    )
    const payload = { after: null, userErrors: [{ code: 'MOOD', message: 'no' }] }
    const moody = answering({ data: { viewer: {}, payload } })
    await expect(moody('update_my_profile')).rejects.toThrow('unknown user error code MOOD')
  })
})

describe("another member's rows", () => {
  it('are not there', async () => {
    const { call } = members
    expect(await call('get_my_course', { slug: 'hers-1' })).toEqual(NO_COURSE)
    expect(await call('resume_learning', { slug: 'hers-1' })).toEqual(NO_COURSE)
    expect(await call('get_my_order', { id: 'ord_3' })).toEqual(NO_ORDER)
    expect(await call('cancel_my_registration', { id: 'reg_3' })).toEqual(NO_BOOKING)
    const lecture = { course: 'hers-1', lecture_id: '1-l1' }
    const position = { ...lecture, position_seconds: 1 }
    expect(await call('save_my_position', position)).toEqual(NO_COURSE)
    expect(await call('mark_my_lecture', { ...lecture, completed: true })).toEqual(NO_COURSE)
    expect(members.other.registrations.map(({ state }) => state)).toEqual(
      Array(3).fill('REGISTERED'),
    )
  })

  it('are in no answer, though they have the same identifiers', async () => {
    for (const { name } of accountTools(members.api)) {
      const args = ARGUMENTS[name] ?? {}
      const mine = JSON.stringify(await members.call(name, args))
      expect(mine, name).not.toContain('hers')
      const hers = {
        ...args,
        ...('slug' in args && { slug: 'hers-1' }),
        ...('course' in args && { course: 'hers-1' }),
      }
      const theirs = JSON.stringify(await members.callOther(name, hers))
      expect(theirs, name).not.toContain('mine')
      for (const answer of [mine, theirs]) expect(answer, name).not.toContain('"code"')
    }
  })
})

describe('a site that lowers limits.cost', () => {
  const LISTS = ['courses', 'orders', 'event_registrations', 'memberships', 'downloads']

  it.each(LISTS)('names the largest limit of list_my_%s, which then fits', async (list) => {
    const { call, calls } = await openMembers({ limits: { cost: 100 } })
    const refused = await call(`list_my_${list}`, { limit: 50 })
    expect(calls).toEqual([])
    const { message } = refused as { message: string }
    const [, largest] = /^limit must be at most (\d+): more rows cost too much$/.exec(message)!
    const limit = Number(largest)
    expect(refused).toEqual(toolError('INVALID_INPUT', message, MEND))
    expect(isToolError(await call(`list_my_${list}`, { limit }))).toBe(false)
    expect(await call(`list_my_${list}`, { limit: limit + 1 })).toEqual(refused)
  })

  it('spends no points on it', async () => {
    const bucket = { capacity: 100, restoreRate: 1 }
    const { call } = await openMembers({ limits: { cost: 100 }, bucket })
    for (let time = 0; time < 5; time++)
      expect(await call('list_my_orders', { limit: 50 })).toMatchObject({ code: 'INVALID_INPUT' })
    expect(isToolError(await call('list_my_orders', { limit: 1 }))).toBe(false)
  })

  it('is told if not one row fits, or a tool without limit', async () => {
    const { call } = await openMembers({ limits: { cost: 2 } })
    const refusal = 'QUERY_TOO_COSTLY: the query has too many points: at most 2 are allowed'
    await expect(call('list_my_orders', { limit: 1 })).rejects.toThrow(refusal)
    await expect(call('get_my_course', { slug: 'mine-1' })).rejects.toThrow(refusal)
    const few = await openMembers({ limits: { tokens: 10 } })
    await expect(few.call('list_my_orders', { limit: 1 })).rejects.toThrow('too many tokens')
  })
})
