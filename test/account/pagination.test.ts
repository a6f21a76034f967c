import fc from 'fast-check'
import {
  enrollmentOrders,
  type EnrollmentOrder,
  type EnrollmentRecord,
  type ListQuery,
  pageOf,
} from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { enrollment } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { T } from '../support/school/school.js'

interface Page {
  readonly nodes: readonly { readonly slug: string }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly totalCount: number
}
interface Answer {
  readonly data: { readonly viewer: { readonly enrolledCourses: Page } } | null
  readonly errors?: readonly { readonly message: string; readonly extensions: unknown }[]
}

const ORDERS = Object.keys(enrollmentOrders) as EnrollmentOrder[]

async function open(rows: readonly EnrollmentRecord[]) {
  const opened = await openAccount({ bucket: null })
  opened.data.enrollments = [...rows]
  const token = await opened.tokenFor('account:read')
  const page = async (args: string): Promise<Answer> => {
    const answer = await opened.ask(
      token,
      `{ viewer { enrolledCourses${args} {
        nodes { slug } totalCount
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } } }`,
    )
    return (await answer.json()) as Answer
  }
  return { ...opened, page }
}

const courses = (count: number): EnrollmentRecord[] =>
  Array.from({ length: count }, (_, index) =>
    enrollment({ id: `e${index}`, slug: `c${index}`, title: `Course ${index}` }),
  )

const slugsOf = ({ data }: Answer): string[] =>
  data!.viewer.enrolledCourses.nodes.map(({ slug }) => slug)

describe('the size of a page', () => {
  it.each([
    ['is 20 by itself', '', 20],
    ['is 20 for null', '(first: null)', 20],
    ['may be one', '(first: 1)', 1],
    ['may be a hundred', '(first: 100)', 100],
    ['counts from the end', '(last: 3)', 3],
  ])('%s [GQL-07]', async (_, args, size) => {
    const { page } = await open(courses(120))
    const answer = await page(args)
    expect(slugsOf(answer)).toHaveLength(size)
    expect(answer.data!.viewer.enrolledCourses.totalCount).toBe(120)
  })

  it.each(['first', 'last'])('may be nothing, for the count: %s [GQL-07]', async (argument) => {
    const answer = await (await open(courses(120))).page(`(${argument}: 0)`)
    const { nodes, totalCount, pageInfo } = answer.data!.viewer.enrolledCourses
    expect([nodes, totalCount]).toEqual([[], 120])
    expect(pageInfo).toEqual({
      hasNextPage: argument === 'first',
      hasPreviousPage: argument === 'last',
      startCursor: null,
      endCursor: null,
    })
  })

  it.each([
    [
      'more than 32 bits',
      '2147483648',
      'Int cannot represent non 32-bit signed integer value: 2147483648',
    ],
    ['text', '"20"', 'Int cannot represent non-integer value: "20"'],
  ])('is refused before anything is read when it is %s [GQL-07]', async (_, first, message) => {
    const { page, calls } = await open(courses(3))
    calls.length = 0
    const answer = await page(`(first: ${first})`)
    expect(answer).not.toHaveProperty('data')
    expect(answer.errors).toMatchObject([
      { message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ])
    expect(calls).not.toContain('enrollments')
  })

  it.each([
    ['negative', '(first: -1)', 'first must be from 0 to 100', { argument: 'first', max: 100 }],
    [
      'above the most',
      '(first: 101)',
      'first must be from 0 to 100',
      { argument: 'first', max: 100 },
    ],
    ['huge', '(last: 2147483647)', 'last must be from 0 to 100', { argument: 'last', max: 100 }],
    [
      'from both ends',
      '(first: 1, last: 1)',
      'first and last cannot be combined',
      { argument: 'last' },
    ],
  ])('is refused, never clamped, when it is %s [GQL-07]', async (_, args, message, details) => {
    const { page } = await open(courses(3))
    const { data, errors } = await page(args)
    expect(data).toBe(null)
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', ...details } }])
  })
})

describe('a cursor', () => {
  it('belongs to its ordering, its filter and its list [GQL-08]', async () => {
    const { page } = await open(courses(30))
    const { data } = await page('(first: 2)')
    const cursor = data!.viewer.enrolledCourses.pageInfo.endCursor!
    expect(slugsOf(await page(`(first: 2, after: "${cursor}")`))).toHaveLength(2)
    for (const args of [
      `(after: "${cursor}", orderBy: TITLE_ASC)`,
      `(after: "${cursor}", filter: { completed: false })`,
      `(before: "${cursor}", orderBy: ENROLLED_AT_DESC)`,
    ])
      expect((await page(args)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
  })

  it('that somebody made up is refused, whatever it is [GQL-08]', async () => {
    const { page, calls } = await open(courses(3))
    const forged = [
      '',
      'x',
      btoa('null'),
      btoa('[1,"tag",null,"e1"]'),
      btoa(JSON.stringify([1, 'x', { $gt: 0 }, 'e1'])),
      '🎨',
      'A'.repeat(5000),
    ]
    calls.length = 0
    for (const cursor of forged)
      expect((await page(`(after: ${JSON.stringify(cursor)})`)).errors).toMatchObject([
        {
          message: 'after must be a cursor of the same list, orderBy and filter',
          extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
        },
      ])
    expect(calls).not.toContain('enrollments')
  })
})

// Few distinct keys, so that many rows tie; some have none.
const someRows = fc
  .array(
    fc.record({
      watchedAt: fc.option(fc.integer({ min: T, max: T + 3 }), { nil: null }),
      expireDate: fc.option(fc.integer({ min: T, max: T + 3 }), { nil: null }),
      enrolledAt: fc.integer({ min: T, max: T + 2 }),
      title: fc.constantFrom('A', 'B', 'É', '林'),
    }),
    { maxLength: 25 },
  )
  .map((rows) =>
    rows.map(({ watchedAt, ...fields }, index) =>
      enrollment({
        ...fields,
        id: `e${(index * 7) % 25}`,
        slug: `c${index}`,
        lastWatchedLecture:
          watchedAt === null ? null : { ...enrollment().lastWatchedLecture!, watchedAt },
      }),
    ),
  )

describe('walking through a list', () => {
  it('visits each row once, forwards and backwards, in one order [GQL-07]', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        fc.constantFrom(...ORDERS),
        fc.integer({ min: 1, max: 8 }),
        async (rows, order, size) => {
          const { page } = await open(rows)
          const walk = async (forwards: boolean): Promise<string[]> => {
            const seen: string[] = []
            let cursor: string | null = null
            for (let step = 0; step <= rows.length; step++) {
              const from: string =
                cursor === null ? '' : `, ${forwards ? 'after' : 'before'}: "${cursor}"`
              const answer = await page(
                `(${forwards ? 'first' : 'last'}: ${size}, orderBy: ${order}${from})`,
              )
              const { pageInfo } = answer.data!.viewer.enrolledCourses
              if (forwards) seen.push(...slugsOf(answer))
              else seen.unshift(...slugsOf(answer))
              if (!(forwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break
              cursor = forwards ? pageInfo.endCursor : pageInfo.startCursor
            }
            return seen
          }
          const forwards = await walk(true)
          expect(forwards.toSorted()).toEqual(rows.map(({ slug }) => slug).toSorted())
          expect(await walk(false)).toEqual(forwards)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('misses no row that was there at the start when others come in between [GQL-07]', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        fc.constantFrom(...ORDERS),
        fc.integer({ min: 1, max: 5 }),
        async (rows, order, size) => {
          const { page, data } = await open(rows)
          const seen: string[] = []
          let after = ''
          for (let step = 0; step <= rows.length + 12; step++) {
            const answer = await page(`(first: ${size}, orderBy: ${order}${after})`)
            seen.push(...slugsOf(answer))
            const { pageInfo } = answer.data!.viewer.enrolledCourses
            if (!pageInfo.hasNextPage) break
            after = `, after: "${pageInfo.endCursor}"`
            if (step < 10)
              data.enrollments.push(
                enrollment({ id: `new${step}`, slug: `new${step}`, title: 'A', enrolledAt: T + 1 }),
              )
          }
          const old = seen.filter((slug) => !slug.startsWith('new'))
          expect(old.toSorted()).toEqual(rows.map(({ slug }) => slug).toSorted())
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('pageOf', () => {
  it('takes from a sorted list what lies between two places', () => {
    fc.assert(
      fc.property(
        someRows,
        fc.constantFrom(...ORDERS),
        fc.nat(30),
        fc.nat(30),
        fc.nat(10),
        fc.boolean(),
        (rows, order, afterIndex, beforeIndex, limit, fromEnd) => {
          const ordering = enrollmentOrders[order]
          const all = (query: Partial<ListQuery<null, string>>): readonly EnrollmentRecord[] =>
            pageOf(rows, ordering, {
              filter: null,
              order,
              after: null,
              before: null,
              limit: 1000,
              fromEnd: false,
              count: true,
              ...query,
            }).rows
          const sorted = all({})
          const placeAt = (index: number) => {
            const row = sorted[index]
            return row === undefined ? null : { key: ordering.keyOf(row), id: row.id }
          }
          const [after, before] = [placeAt(afterIndex), placeAt(beforeIndex)]
          const between = sorted.slice(
            after === null ? 0 : afterIndex + 1,
            before === null ? undefined : beforeIndex,
          )
          const expected = fromEnd
            ? between.slice(Math.max(between.length - limit, 0))
            : between.slice(0, limit)
          expect(all({ after, before, limit, fromEnd })).toEqual(expected)
        },
      ),
    )
  })
})
