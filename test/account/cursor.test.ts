import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../src/account/cursor.js'
import { enrollment } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { anyCharacter } from '../support/http/characters.js'
import { STUDENT, T } from '../support/school/school.js'

const scope = { list: ['site', 'mem', 'list', 'ORDER'], keyType: 'number', filter: null } as const

const encode = (value: unknown): string => btoa(JSON.stringify(value))

describe('a cursor', () => {
  it('stands for its place, whatever text that holds', () => {
    const id = fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(id, fc.option(fc.maxSafeInteger()), fc.option(id), (row, number, text) => {
        const cursor = encodeCursor(scope, { key: number, id: row })
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor(scope, cursor)).toEqual({ key: number, id: row })
        const titles = { ...scope, keyType: 'string' } as const
        expect(decodeCursor(titles, encodeCursor(titles, { key: text, id: row }))).toEqual({
          key: text,
          id: row,
        })
      }),
    )
  })

  it.each([
    ['site', { list: ['other', 'mem', 'list', 'ORDER'] }],
    ['member', { list: ['site', 'other', 'list', 'ORDER'] }],
    ['list', { list: ['site', 'mem', 'other', 'ORDER'] }],
    ['ordering', { list: ['site', 'mem', 'list', 'OTHER'] }],
    ['filter', { filter: { completed: true } }],
  ])('belongs to its %s [GQL-08]', (_, change) => {
    const cursor = encodeCursor(scope, { key: 1, id: 'e1' })
    expect(decodeCursor({ ...scope, ...change }, cursor)).toBe(null)
  })

  it('is nothing when it is not one, whatever else it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (text) => {
          expect(decodeCursor(scope, text)).toBe(null)
        },
      ),
    )
  })
})

const QUERY = `query ($after: String, $before: String, $order: EnrolledCourseOrder) {
  viewer {
    enrolledCourses(first: 1, after: $after, before: $before, orderBy: $order) {
      edges { cursor } pageInfo { endCursor }
    }
  }
}`

interface Answer {
  readonly data: {
    readonly viewer: { readonly enrolledCourses: { readonly pageInfo: { endCursor: string } } }
  } | null
  readonly errors?: readonly { readonly extensions: unknown }[]
}

async function open() {
  const opened = await openAccount()
  opened.data.enrollments = [1, 2, 3].map((index) =>
    enrollment({ id: `e${index}`, enrolledAt: T - index, title: `Course ${index}` }),
  )
  const token = await opened.tokenFor('account:read')
  const list = async (variables: object): Promise<Answer> =>
    (await (await opened.ask(token, QUERY, { variables })).json()) as Answer
  return {
    ...opened,
    token,
    list,
    /** What a cursor of ours is made of. */
    parts: async (order: string): Promise<unknown[]> => {
      const { data } = await list({ order })
      return JSON.parse(atob(data!.viewer.enrolledCourses.pageInfo.endCursor)) as unknown[]
    },
  }
}

const refused = (argument: string): unknown => ({
  data: null,
  errors: [{ extensions: { code: 'BAD_USER_INPUT', argument } }],
})

describe('a list', () => {
  it.each([
    ['ENROLLED_AT_DESC', `${T}`],
    ['TITLE_ASC', T],
  ])('never asks the source for a place that %s cannot have [GQL-08]', async (order, other) => {
    const { list, parts, calls } = await open()
    const [version, tag, key, id] = await parts(order)
    const forgeries = [
      [2, tag, key, id],
      [`${version as number}`, tag, key, id],
      [version, tag, other, id],
      [version, tag, 1.5, id],
      [version, tag, 2 ** 53, id],
      [version, tag, true, id],
      [version, tag, [key], id],
      [version, tag, { $gt: 0 }, id],
      [version, tag, '\0', id],
      [version, tag, key, 1],
      [version, tag, key, null],
      [version, tag, key, 'e\0'],
      [version, tag, key],
      [version, tag, key, id, id],
    ]
    calls.length = 0
    for (const forgery of forgeries)
      for (const argument of ['after', 'before'])
        expect([forgery, await list({ order, [argument]: encode(forgery) })]).toMatchObject([
          forgery,
          refused(argument),
        ])
    expect(calls).not.toContain('enrollments')
    expect((await list({ order, after: encode([version, tag, key, id]) })).errors).toBe(undefined)
    expect((await list({ order, after: encode([version, tag, null, id]) })).errors).toBe(undefined)
  })

  it.each(['orders', 'eventRegistrations', 'subscriptions', 'digitalProducts'])(
    'of %s takes no cursor of courses [GQL-08]',
    async (name) => {
      const { ask, token, parts } = await open()
      const query = `query ($after: String) { viewer { ${name}(after: $after) { totalCount } } }`
      const after = encode(await parts('ENROLLED_AT_DESC'))
      const answer = await ask(token, query, { variables: { after } })
      expect(await answer.json()).toMatchObject(refused('after') as object)
    },
  )

  it('takes no cursor that the same person has from another school [GQL-08]', async () => {
    const { list, parts, school } = await open()
    const after = encode(await parts('ENROLLED_AT_DESC'))
    const order = 'ENROLLED_AT_DESC'
    expect((await list({ order, after })).errors).toBe(undefined)
    school.people.set(STUDENT.subject, { ...STUDENT, orgId: 'site_kiln' })
    expect(await list({ order, after })).toMatchObject(refused('after') as object)
  })

  it('leads on from a row that is gone', async () => {
    const { list, parts, data } = await open()
    const after = encode(await parts('ENROLLED_AT_DESC'))
    data.enrollments = data.enrollments.filter(({ id }) => id !== 'e1')
    const next = (await list({ order: 'ENROLLED_AT_DESC', after })).data!.viewer.enrolledCourses
    expect(JSON.parse(atob(next.pageInfo.endCursor))).toMatchObject({ 2: T - 2, 3: 'e2' })
  })
})
