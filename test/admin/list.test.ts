import fc from 'fast-check'
import { defineList } from 'hallpass/admin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ISSUER } from '../support/school/school.js'
import {
  type Answered,
  codeOf,
  Course,
  courseOf,
  type CourseRow,
  createTestApi,
} from './support.js'

interface Page {
  readonly data: readonly (Partial<CourseRow> & { id: string })[]
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean }
}
const pageOf = ({ body }: Answered): Page => body as Page
const idsOf = (answered: Answered): readonly string[] => pageOf(answered).data.map(({ id }) => id)

const withRows = (...rows: readonly CourseRow[]) =>
  createTestApi({ table: { rows: new Map(rows.map((row) => [row.id, row])), runs: [] } })
const withCourses = (count: number) =>
  withRows(...Array.from({ length: count }, (_, index) => courseOf(index + 1)))

/** A cursor somebody made up. */
const forge = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unforge = (cursor: string): unknown[] =>
  JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]

const MISMATCH = {
  code: 'invalid_request',
  detail: '/cursor: must be a cursor of the same list, sort and filter',
  errors: [{ pointer: '/cursor', code: 'cursor_mismatch', message: 'start again without cursor' }],
}

describe('a list', () => {
  it('answers a page, the newest first, without a version', async () => {
    const { call } = await withCourses(3)
    const answered = await call('GET /courses')
    expect(answered.body).toEqual({
      data: [courseOf(3), courseOf(2), courseOf(1)],
      page: { next_cursor: null, has_more: false },
    })
    expect(answered.headers).not.toHaveProperty('link')
    expect(answered.headers).not.toHaveProperty('etag')
  })

  it('answers an empty page where there is nothing', async () => {
    const { call } = await withRows()
    expect(pageOf(await call('GET /courses'))).toEqual({
      data: [],
      page: { next_cursor: null, has_more: false },
    })
  })

  it.each([
    ['', 20],
    ['?limit=1', 1],
    ['?limit=100', 100],
  ])('has pages of the size asked for: "%s"', async (query, size) => {
    const { call } = await withCourses(101)
    const { data, page } = pageOf(await call(`GET /courses${query}`))
    expect([data.length, page.has_more]).toEqual([size, true])
  })

  it.each(['0', '-1', '101', '2147483648', 'null', 'x', '1.5', ''])(
    'refuses a page of %s',
    async (limit) => {
      const { call, table } = await withCourses(3)
      const answered = await call(`GET /courses?limit=${limit}`)
      expect(answered.body).toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '/limit' }],
      })
      expect(table.runs).toEqual([])
    },
  )

  it('has no next page behind one that is exactly full', async () => {
    const { call } = await withCourses(2)
    expect(pageOf(await call('GET /courses?limit=2')).page).toEqual({
      next_cursor: null,
      has_more: false,
    })
  })

  it('links to the next page with everything that was asked', async () => {
    const { call } = await withCourses(3)
    const first = await call('GET /courses?limit=1&state=draft&q=Course+%3E')
    expect(first.headers).not.toHaveProperty('link')
    const answered = await call('GET /courses?limit=2&state=draft&q=Course&fields=id,title')
    const cursor = pageOf(answered).page.next_cursor!
    expect(answered.headers['link']).toBe(
      `<${ISSUER}/api/v1/courses?limit=2&state=draft&q=Course&fields=id%2Ctitle&cursor=${cursor}>; rel="next"`,
    )
    const next = /<(.+)>/.exec(answered.headers['link']!)![1]!.slice(ISSUER.length)
    expect(idsOf(await call(`GET ${next}`))).toEqual(['crs_1'])
  })

  it('links on from a page that a cursor led to', async () => {
    const { call } = await withCourses(5)
    const first = pageOf(await call('GET /courses?limit=2')).page.next_cursor!
    const second = await call(`GET /courses?limit=2&cursor=${first}`)
    expect(second.headers['link']).toBe(
      `<${ISSUER}/api/v1/courses?limit=2&cursor=${pageOf(second).page.next_cursor}>; rel="next"`,
    )
  })

  it('filters, searches and looks at what changed since', async () => {
    const { call } = await withRows(
      courseOf(1, { state: 'published', price: 5 }),
      courseOf(2, { price: 10 }),
      courseOf(3, { title: 'Ink' }),
    )
    expect(idsOf(await call('GET /courses?state=published'))).toEqual(['crs_1'])
    expect(idsOf(await call('GET /courses?min_price=5'))).toEqual(['crs_2', 'crs_1'])
    expect(idsOf(await call('GET /courses?q=Ink'))).toEqual(['crs_3'])
    const since = encodeURIComponent(courseOf(2).created_at)
    expect(idsOf(await call(`GET /courses?updated_since=${since}`))).toEqual(['crs_3', 'crs_2'])
  })

  it.each([
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00:00.5Z', '2026-11-20T09:00:00.500Z'],
    ['2026-11-20T17:00:00%2B08:00', '2026-11-20T09:00:00.000Z'],
    [undefined, null],
  ])('is told a time in UTC: %s', async (since, expected) => {
    const seen: unknown[] = []
    const { call } = await createTestApi({
      operations: [
        defineList({
          id: 'courses.list',
          summary: 'List courses',
          scope: 'courses:read',
          path: '/courses',
          item: Course,
          filters: {},
          sorts: ['created_at'],
          rows: async (_context, request) => {
            seen.push(request)
            return []
          },
        }),
      ],
    })
    await call(`GET /courses${since === undefined ? '' : `?updated_since=${since}`}`)
    expect(seen).toEqual([
      {
        filters: {},
        q: null,
        updatedSince: expected,
        sort: { field: 'created_at', descending: true },
        after: null,
        limit: 21,
      },
    ])
  })

  it.each(['2026-11-20', '2026-11-20T09:00:00', '2026-02-30T09:00:00Z', '1795165200'])(
    'refuses a time that is none: %s',
    async (since) => {
      const { call } = await withCourses(1)
      expect(codeOf(await call(`GET /courses?updated_since=${since}`))).toBe('400 invalid_request')
    },
  )

  it.each(['popularity', '--title', '-', '', 'id'])('has no sort "%s"', async (sort) => {
    const { call } = await withCourses(1)
    expect((await call(`GET /courses?sort=${sort}`)).body).toMatchObject({
      errors: [{ pointer: '/sort', code: 'invalid_value' }],
    })
  })

  it('answers the members asked for, and always the id', async () => {
    const { call } = await withCourses(1)
    const { data } = pageOf(await call('GET /courses?fields=title'))
    expect(data).toEqual([{ id: 'crs_1', title: 'Course 1' }])
    const both = pageOf(await call('GET /courses?fields=state,title&fields=id'))
    expect(both.data).toEqual([{ id: 'crs_1', title: 'Course 1', state: 'draft' }])
  })

  it.each(['', 'secret', 'title,', '__proto__', 'title;id'])(
    'has no member "%s"',
    async (fields) => {
      const { call } = await withCourses(1)
      expect(codeOf(await call(`GET /courses?fields=${fields}`))).toBe('400 invalid_request')
    },
  )

  it('answers no member that its schema does not have, and no row that lacks one', async () => {
    const extra = await withRows({ ...courseOf(1), internal_note: 'Ines' })
    expect((await extra.call('GET /courses')).text).not.toContain('Ines')
    const { title: _title, ...rest } = courseOf(1)
    const short = await withRows(rest as CourseRow)
    expect(codeOf(await short.call('GET /courses'))).toBe('500 internal')
    expect(short.faults).toHaveLength(1)
  })

  it('puts a row through its schema once, and a page that the host changed once more', async () => {
    const parsed: string[] = []
    const counted = z.string().refine((title) => parsed.push(title))
    const list = defineList({
      id: 'courses.list',
      summary: 'List courses',
      scope: 'courses:read',
      path: '/courses',
      item: z.object({ id: z.string(), title: counted }),
      filters: {},
      sorts: ['title'],
      rows: async () => [{ id: 'crs_1', title: 'Light' }],
    })
    const plain = await createTestApi({ operations: [list] })
    expect(pageOf(await plain.call('GET /courses')).data).toEqual([{ id: 'crs_1', title: 'Light' }])
    expect(parsed).toEqual(['Light'])

    const changed = {
      ...list,
      run: async (...args: Parameters<typeof list.run>) => ({
        ...((await list.run(...args)) as Page),
        data: [{ id: 'crs_1', title: 'Shade', internal_note: 'Ines' }],
      }),
    }
    const wrapped = await createTestApi({ operations: [changed] })
    expect(pageOf(await wrapped.call('GET /courses')).data).toEqual([
      { id: 'crs_1', title: 'Shade' },
    ])
  })
})

describe('a cursor', () => {
  it('goes on where the page ended', async () => {
    const { call } = await withCourses(5)
    const first = await call('GET /courses?limit=2')
    const cursor = pageOf(first).page.next_cursor!
    const second = await call(`GET /courses?limit=2&cursor=${cursor}`)
    expect([idsOf(first), idsOf(second)]).toEqual([
      ['crs_5', 'crs_4'],
      ['crs_3', 'crs_2'],
    ])
  })

  it('takes pages of another size and other members', async () => {
    const { call } = await withCourses(5)
    const cursor = pageOf(await call('GET /courses?limit=2')).page.next_cursor!
    expect(idsOf(await call(`GET /courses?limit=100&fields=id&cursor=${cursor}`))).toEqual([
      'crs_3',
      'crs_2',
      'crs_1',
    ])
  })

  it.each([
    ['another sort', 'sort=title'],
    ['the other direction', 'sort=created_at'],
    ['a filter', 'state=draft'],
    ['words', 'q=Course'],
    ['a time', 'updated_since=2026-11-20T09:00:00Z'],
  ])('is of no use with %s', async (_, query) => {
    const { call, table } = await withCourses(5)
    const cursor = pageOf(await call('GET /courses?limit=2')).page.next_cursor!
    const runs = table.runs.length
    expect((await call(`GET /courses?limit=2&cursor=${cursor}&${query}`)).body).toMatchObject(
      MISMATCH,
    )
    expect(table.runs).toHaveLength(runs)
  })

  it('is of no use in another list', async () => {
    const list = {
      summary: 'List',
      scope: 'courses:read',
      item: Course,
      filters: {},
      sorts: ['created_at'] as [string, ...string[]],
      rows: async (_: unknown, { after }: { after: unknown }) =>
        after === null ? [courseOf(2), courseOf(1)] : [],
    }
    const { call } = await createTestApi({
      operations: [
        defineList({ ...list, id: 'courses.list', path: '/courses' }),
        defineList({ ...list, id: 'drafts.list', path: '/drafts' }),
      ],
    })
    const cursor = pageOf(await call('GET /courses?limit=1')).page.next_cursor!
    expect(codeOf(await call(`GET /courses?limit=1&cursor=${cursor}`))).toBe('200 -')
    expect((await call(`GET /drafts?limit=1&cursor=${cursor}`)).body).toMatchObject(MISMATCH)
  })

  it('of a list that does not look at it is a fault, and no page that repeats itself [HOST-05]', async () => {
    const { call, faults } = await createTestApi({
      operations: [
        defineList({
          id: 'courses.list',
          summary: 'List',
          scope: 'courses:read',
          path: '/courses',
          item: Course,
          filters: {},
          sorts: ['created_at'],
          rows: async (_, { limit }) => [1, 2, 3].map((number) => courseOf(number)).slice(0, limit),
        }),
      ],
    })
    for (const limit of [1, 2]) {
      const cursor = pageOf(await call(`GET /courses?limit=${limit}`)).page.next_cursor!
      expect(codeOf(await call(`GET /courses?limit=${limit}&cursor=${cursor}`))).toBe(
        '503 unavailable',
      )
    }
    expect(String(faults.at(-1)?.fault)).toContain(
      'rows of courses.list returned the row after which the page begins',
    )
  })

  it('that is none is refused', async () => {
    const { call, table } = await withCourses(5)
    const real = pageOf(await call('GET /courses?limit=2')).page.next_cursor!
    const [version, binding, key, id] = unforge(real)
    const runs = table.runs.length
    const forged = [
      '',
      'x',
      '%F0%9F%98%80',
      real.slice(0, -3),
      `${real}${real}`,
      forge(null),
      forge({}),
      forge([]),
      forge([version, binding, key, id, 1]),
      forge([version, binding, key]),
      forge([2, binding, key, id]),
      forge([version, 'another', key, id]),
      forge([version, binding, 7, id]),
      forge([version, binding, null, id]),
      forge([version, binding, ['x'], id]),
      forge([version, binding, { $gt: '' }, id]),
      forge([version, binding, 'yesterday', id]),
      forge([version, binding, key, 7]),
      forge([version, binding, key, `${String(id)}' or 1=1`]),
      forge([version, binding, key, 'crs_\0']),
      Buffer.from('[1,"\xff', 'latin1').toString('base64url'),
    ]
    for (const cursor of forged)
      expect([cursor, (await call(`GET /courses?limit=2&cursor=${cursor}`)).body]).toEqual([
        cursor,
        expect.objectContaining(MISMATCH),
      ])
    expect(table.runs).toHaveLength(runs)
    expect((await call(`GET /courses?cursor=${'x'.repeat(1025)}`)).body).toMatchObject({
      errors: [{ pointer: '/cursor', code: 'too_big' }],
    })
  })

  it('holds nothing that the last item does not show', async () => {
    const { call } = await withCourses(5)
    const answered = await call('GET /courses?limit=2')
    const last = pageOf(answered).data[1]!
    expect(unforge(pageOf(answered).page.next_cursor!)).toEqual([
      1,
      expect.stringMatching(/^[\w-]{16}$/),
      last.created_at,
      last.id,
    ])
  })

  it('goes on behind an item that lacks the field it is sorted by', async () => {
    const { call } = await withRows(courseOf(1), courseOf(2, { price: 3 }), courseOf(3))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const answered = await call(
        `GET /courses?sort=price&limit=1${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...idsOf(answered))
      cursor = pageOf(answered).page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(['crs_1', 'crs_3', 'crs_2'])
  })

  it('holds what a database can keep, and nothing where the item has nothing', async () => {
    const after: unknown[] = []
    const { call } = await createTestApi({
      operations: [
        defineList({
          id: 'courses.list',
          summary: 'List',
          scope: 'courses:read',
          path: '/courses',
          item: z.object({ id: z.string(), note: z.string().optional() }),
          filters: {},
          sorts: ['note'],
          rows: async (_context, request) => {
            after.push(request.after)
            return [{ id: 'a' }, { id: 'b' }].slice(request.after === null ? 0 : 1)
          },
        }),
      ],
    })
    const cursor = pageOf(await call('GET /courses?limit=1')).page.next_cursor!
    expect(codeOf(await call(`GET /courses?limit=1&cursor=${cursor}`))).toBe('200 -')
    expect(after).toEqual([null, { key: null, id: 'a' }])
    const [version, binding] = unforge(cursor)
    for (const position of [
      ['n', 'a\0'],
      ['n\0', 'a'],
      ['\ud800', 'a'],
    ])
      expect(
        (await call(`GET /courses?limit=1&cursor=${forge([version, binding, ...position])}`)).body,
      ).toMatchObject(MISMATCH)
  })

  it('is not made of a field that holds neither text nor number', async () => {
    const item = z.object({ id: z.string(), tags: z.array(z.string()) })
    const { call, faults } = await createTestApi({
      operations: [
        defineList({
          id: 'courses.list',
          summary: 'List',
          scope: 'courses:read',
          path: '/courses',
          item,
          filters: {},
          sorts: ['tags'],
          rows: async () => [
            { id: 'a', tags: [] },
            { id: 'b', tags: [] },
          ],
        }),
      ],
    })
    expect(codeOf(await call('GET /courses?limit=1'))).toBe('500 internal')
    expect(faults.map(({ fault }) => String(fault))).toEqual([
      'TypeError: the sort field of a list item must be a string, a number or null',
    ])
  })

  it('leads through every row once, ties by id, whatever is added meanwhile', async () => {
    const second = fc.integer({ min: 1, max: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(second, { minLength: 1, maxLength: 25 }),
        fc.array(second, { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('created_at', '-created_at', 'title', '-title'),
        async (present, added, limit, sort) => {
          const row = (prefix: string) => (at: number, index: number) =>
            courseOf(at, { id: `crs_${prefix}${index}`, title: `Title ${at}` })
          const rows = present.map(row('p'))
          const later = added.map(row('a'))
          const { call, table } = await withRows(...rows)
          const seen: CourseRow[] = []
          let cursor: string | null = null
          do {
            const answered = await call(
              `GET /courses?limit=${limit}&sort=${sort}${cursor === null ? '' : `&cursor=${cursor}`}`,
            )
            const { data, page } = pageOf(answered)
            seen.push(...(data as CourseRow[]))
            expect(page.has_more).toBe(page.next_cursor !== null)
            cursor = page.next_cursor
            const next = later.shift()
            if (next !== undefined) table.rows.set(next.id, next)
          } while (cursor !== null)
          const ids = seen.map(({ id }) => id)
          expect(new Set(ids).size).toBe(ids.length)
          expect(ids.filter((id) => id.startsWith('crs_p')).sort()).toEqual(
            rows.map(({ id }) => id).sort(),
          )
          const field = sort.replace('-', '') as 'title'
          const keys = seen.map((one) => `${one[field]} ${one.id}`)
          const ordered = [...keys].sort()
          expect(keys).toEqual(sort.startsWith('-') ? ordered.toReversed() : ordered)
        },
      ),
      { numRuns: 60, seed: 20_261_120 },
    )
  })
})
