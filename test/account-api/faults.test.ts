import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSource, enrollment } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { rounds } from '../support/run/rounds.js'

const outline = (course: number) => [
  {
    id: `s${course}`,
    title: 'Part one',
    lectures: [
      {
        id: `l${course}`,
        title: 'First',
        kind: 'VIDEO' as const,
        durationSeconds: 60,
        completed: false,
        positionSeconds: null,
        url: null,
      },
    ],
  },
]

describe('a source that breaks', () => {
  it('is told to the host; the client reads that something went wrong, and the rest [GQL-19]', async () => {
    const { source } = createSource(new Map())
    const { ask, tokenFor, faults } = await openAccount({
      source: {
        ...source,
        profile: async () => ({
          email: 'a@example.com',
          emailVerified: true,
          name: null,
          picture: null,
          locale: null,
          timeZone: null,
          memberSince: 0,
        }),
        enrollments: async () => {
          throw new Error('relation "school_enrollment" does not exist')
        },
      },
    })
    const answer = await ask(
      await tokenFor('account:read'),
      '{ viewer { email enrolledCourse(slug: "x") { id } } }',
    )
    const text = await answer.text()
    expect([answer.status, JSON.parse(text)]).toMatchObject([
      200,
      {
        data: { viewer: { email: 'a@example.com', enrolledCourse: null } },
        errors: [
          {
            message: 'an unexpected error occurred',
            path: ['viewer', 'enrolledCourse'],
            extensions: { code: 'INTERNAL' },
          },
        ],
      },
    ])
    expect(text).not.toContain('relation')
    expect(faults.map((fault) => [String(fault), String((fault as Error).cause)])).toEqual([
      [
        'StorageFailure: the storage failed: enrollments threw an exception',
        'Error: relation "school_enrollment" does not exist',
      ],
    ])
  })

  it('that never answers does not hold the request up for ever', async () => {
    const { source } = createSource(new Map())
    const { ask, tokenFor, faults, requestIds } = await openAccount({
      source: { ...source, profile: () => new Promise(() => {}) },
      deadlineMilliseconds: 20,
    })
    const answer = await ask(await tokenFor('account:read'), '{ viewer { id } }')
    expect(requestIds).toEqual([expect.any(String)])
    const extensions = { code: 'INTERNAL', requestId: requestIds[0] }
    expect(await answer.json()).toEqual({
      data: null,
      errors: [{ message: 'the request took too long', extensions }],
    })
    expect(faults.map(String)).toEqual([
      'DeadlinePassed: a request took longer than deadlineMilliseconds (20)',
    ])
  })
})

describe('the calls to a source', () => {
  it('are as many for a hundred enrollments as for one [GQL-21]', async () => {
    const callsFor = async (count: number): Promise<string[]> => {
      const { ask, tokenFor, calls, data } = await openAccount()
      data.enrollments = Array.from({ length: count }, (_, index) =>
        enrollment({ id: `e${index}`, courseId: `c${index}` }),
      )
      for (let index = 0; index < count; index++) data.outlines.set(`c${index}`, outline(index))
      const answer = await ask(
        await tokenFor('account:read'),
        `{ viewer { enrolledCourses(first: 100) { nodes { nextLecture { id } progress { ratio } } } } }`,
      )
      const { data: found } = (await answer.json()) as {
        data: { viewer: { enrolledCourses: { nodes: { nextLecture: { id: string } }[] } } }
      }
      const { nodes } = found.viewer.enrolledCourses
      expect(nodes.map(({ nextLecture }) => nextLecture.id)).toHaveLength(count)
      return calls
    }
    expect(await callsFor(100)).toEqual(await callsFor(1))
    expect(await callsFor(100)).toEqual(['profile', 'enrollments', 'courseOutlines'])
  })
})

// Pieces of real documents, put together in every wrong way.
const piece = fc.oneof(
  fc.constantFrom(
    '{', '}', '(', ')', 'viewer', 'enrolledCourses', 'nodes', 'edges', 'node', 'id', 'first: 3',
    'last: -1', 'after: "x"', 'filter: { accessState: [ACTIVE] }', 'orderBy: TITLE_ASC', 'query',
    'mutation', 'fragment F on Viewer', '...F', '... on Order', '@include(if: true)', '$a: Int', '$a',
    '"', '"""', '#', ',', ':', '[', ']', '!', 'null', '1e999', '__schema', '__typename', 'sections',
    'lectures', 'savePlaybackPosition', 'input: {}', '\u0000', '林',
  ), // prettier-ignore
  fc.string({ maxLength: 5 }),
)

describe('whatever document comes', () => {
  it('is answered, never with a 5xx', async () => {
    const { ask, tokenFor, faults } = await openAccount({ bucket: null })
    const token = await tokenFor('account:read account:write')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const answer = await ask(token, pieces.join(' '), { variables: { a: 1 } })
        expect(answer.status).toBeLessThan(500)
        expect(await answer.json()).toBeTypeOf('object')
      }),
      { numRuns: rounds(500, { soak: 5000 }) },
    )
    expect(faults).toEqual([])
  })
})
