import { GraphQLError } from 'graphql'
import type { AccountSource, ProfileRecord } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createSource, enrollment } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { STUDENT } from '../support/school/school.js'

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions: unknown }[]
}

/** Asks with the source's methods changed; the answer comes with what the host hears. */
async function ask(
  changes: Partial<AccountSource>,
  query: string,
  variables: object = {},
): Promise<Answer & { heard: unknown[]; requestIds: unknown[] }> {
  const { data } = await openAccount()
  const { source } = createSource(new Map([[STUDENT.subject, data]]))
  const opened = await openAccount({ source: { ...source, ...changes } })
  const { ask: send, tokenFor, faults, requestIds } = opened
  const answer = await send(await tokenFor('account:read'), query, { variables })
  expect(answer.status).toBe(200)
  return { ...((await answer.json()) as Answer), heard: faults, requestIds }
}

const profile: ProfileRecord = {
  email: null,
  emailVerified: false,
  name: null,
  picture: null,
  locale: null,
  timeZone: null,
  memberSince: 0,
}

const BROKEN = { message: 'an unexpected error occurred', extensions: { code: 'INTERNAL' } }

describe('what a source does wrong', () => {
  it.each<[string, string, Partial<AccountSource>]>([
    [
      'a time that is none',
      '{ viewer { memberSince } }',
      { profile: async () => ({ ...profile, memberSince: 0.5 }) },
    ],
    [
      'a time beyond the calendar',
      '{ viewer { memberSince } }',
      { profile: async () => ({ ...profile, memberSince: 9e12 }) },
    ],
    [
      'an address that is none',
      '{ viewer { picture } }',
      { profile: async () => ({ ...profile, picture: 'javascript:secret()' }) },
    ],
    [
      'a number that is none',
      '{ viewer { enrolledCourse(slug: "x") { progress { totalLectures } } } }',
      {
        enrollments: async () => ({
          rows: [
            enrollment({
              progress: { completedLectures: 1, totalLectures: 1.5, completedAt: null },
            }),
          ],
          total: null,
        }),
      },
    ],
    [
      'a value that the enum lacks',
      '{ viewer { enrolledCourse(slug: "x") { accessState } } }',
      {
        enrollments: async () => ({
          rows: [enrollment({ accessState: 'secret' as never })],
          total: null,
        }),
      },
    ],
    [
      'nothing where there must be something',
      '{ viewer { memberSince } }',
      { profile: async () => ({ ...profile, memberSince: null as never }) },
    ],
    ['nobody', '{ viewer { id } }', { profile: async () => null }],
    [
      'a rejection',
      '{ viewer { site { id } } }',
      { site: () => Promise.reject(new Error('secret')) },
    ],
    [
      'a rejection with no error',
      '{ viewer { site { id } } }',
      { site: () => Promise.reject('secret') },
    ],
    [
      'an error of another GraphQL server',
      '{ viewer { site { id } } }',
      {
        site: () =>
          Promise.reject(
            new GraphQLError('secret', { extensions: { code: 'BAD_USER_INPUT', sql: 'secret' } }),
          ),
      },
    ],
    [
      'an error that looks like one',
      '{ viewer { site { id } } }',
      {
        site: () =>
          Promise.reject(Object.assign(new Error('secret'), { extensions: { code: '23505' } })),
      },
    ],
    [
      'no count where one was asked for',
      '{ viewer { enrolledCourses { totalCount } } }',
      { enrollments: async () => ({ rows: [], total: null }) },
    ],
  ])(
    'is not the fault of the client, and stays with the host: %s [GQL-19]',
    async (_, query, changes) => {
      const { errors, heard, requestIds, ...rest } = await ask(changes, query)
      expect(requestIds).toHaveLength(1)
      expect(errors).toMatchObject([BROKEN])
      expect(errors?.map(({ extensions }) => extensions)).toEqual([
        { code: 'INTERNAL', requestId: expect.stringMatching(/^req_[\w-]{16}$/) },
      ])
      expect(JSON.stringify([errors, rest])).not.toContain('secret')
      expect(heard).toHaveLength(1)
    },
  )
})

describe('a request in which something broke', () => {
  const QUERY = '{ viewer { email enrolledCourse(slug: "x") { id } } node(id: "ord_1") { id } }'
  const fail = (): Promise<never> => Promise.reject(new Error('secret'))
  const brokenIds = async (): Promise<unknown[]> => {
    const { errors, requestIds } = await ask({ enrollments: fail, orders: fail }, QUERY)
    const told = errors?.map(({ extensions }) => (extensions as { requestId: string }).requestId)
    expect(told).toEqual(requestIds)
    expect(told).toHaveLength(2)
    return requestIds
  }

  it('has one identifier, which the client reads and the host hears', async () => {
    const [first, second] = await brokenIds()
    expect(first).toBe(second)
  })

  it('has another than the next one', async () => {
    expect((await brokenIds())[0]).not.toBe((await brokenIds())[0])
  })

  it('has none where another hook of the host fails, of which no client is told', async () => {
    const {
      ask: send,
      faults,
      requestIds,
    } = await openAccount({
      onRefusal() {
        throw new Error('the log is full')
      },
    })
    expect(await (await send(null, QUERY)).text()).not.toContain('requestId')
    expect([faults.map(String), requestIds]).toEqual([['Error: the log is full'], [null]])
  })
})

describe('what a client does wrong', () => {
  it.each<[string, string, object, RegExp]>([
    [
      'a variable of another type',
      'query ($n: Int) { viewer { orders(first: $n) { totalCount } } }',
      { n: 'x' },
      /\$n/,
    ],
    [
      'a time that is none, in a variable',
      'query ($f: OrderFilter) { viewer { orders(filter: $f) { totalCount } } }',
      { f: { placedAfter: 'yesterday' } },
      /RFC 3339/,
    ],
    [
      'null for a default',
      'query ($s: String = "x") { viewer { enrolledCourse(slug: $s) { id } } }',
      { s: null },
      /must not be null|not to be null/,
    ],
    [
      'too many rows',
      '{ viewer { orders(first: 101) { totalCount } } }',
      {},
      /first must be from 0 to 100/,
    ],
  ])('is said to the client alone: %s', async (_, query, variables, message) => {
    const { errors, heard } = await ask({}, query, variables)
    expect(errors).toMatchObject([
      { message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } },
    ])
    expect(heard).toEqual([])
  })
})

describe('a source made of a class', () => {
  it('is called as its methods', async () => {
    const { data } = await openAccount()
    const { source } = createSource(new Map([[STUDENT.subject, data]]))
    class Backend {
      readonly source = source
    }
    for (const name of Object.keys(source) as (keyof AccountSource)[])
      Object.defineProperty(Backend.prototype, name, {
        value(this: Backend, ...parameters: never[]) {
          return Reflect.apply(this.source[name], null, parameters)
        },
      })
    const { ask: send, tokenFor } = await openAccount({
      source: new Backend() as unknown as AccountSource,
    })
    const answer = await send(
      await tokenFor('account:read'),
      `{
        node(id: "enr_e1") { id ... on EnrolledCourse { nextLecture { id } } }
        viewer {
          site { name }
          enrolledCourses { nodes { id } }
          orders { totalCount }
          eventRegistrations { totalCount }
          subscriptions { totalCount }
          digitalProducts { totalCount }
        }
      }`,
    )
    expect(await answer.json()).toEqual({
      data: {
        node: { id: 'enr_e1', nextLecture: null },
        viewer: {
          site: { name: 'Lantern Street Drawing School' },
          enrolledCourses: { nodes: [{ id: 'enr_e1' }] },
          orders: { totalCount: 0 },
          eventRegistrations: { totalCount: 0 },
          subscriptions: { totalCount: 0 },
          digitalProducts: { totalCount: 0 },
        },
      },
    })
  })
})
