import type { SectionRecord } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'

const lecture = (id: string): SectionRecord['lectures'][number] => ({
  id,
  title: id,
  kind: 'VIDEO',
  durationSeconds: 60,
  completed: false,
  positionSeconds: null,
  url: null,
})

async function open() {
  const opened = await openAccount({ pictureHosts: ['images.example'] })
  opened.data.outlines.set('c1', [
    { id: 's1', title: 'Part one', lectures: [lecture('l1'), lecture('l2'), lecture('l3')] },
  ])
  const token = await opened.tokenFor('account:read account:write')
  return {
    ...opened,
    mutate: async (query: string): Promise<unknown> =>
      (await opened.ask(token, query)).json() as Promise<unknown>,
  }
}

describe('several changes in one request', () => {
  it('run one after the other, and each answers with what is there by then', async () => {
    const { mutate, calls } = await open()
    const mark = (id: string): string =>
      `${id}: markLecture(input: { courseId: "c1", lectureId: "${id}", completed: true }) {
        enrolledCourse { nextLecture { id } sections { lectures { completed } } }
      }`
    const answer = (next: string | null, ...completed: boolean[]): unknown => ({
      enrolledCourse: {
        nextLecture: next === null ? null : { id: next },
        sections: [{ lectures: completed.map((one) => ({ completed: one })) }],
      },
    })
    expect(await mutate(`mutation { ${mark('l1')} ${mark('l2')} ${mark('l3')} }`)).toEqual({
      data: {
        l1: answer('l2', true, false, false),
        l2: answer('l3', true, true, false),
        l3: answer(null, true, true, true),
      },
    })
    const one = ['lecture', 'markLecture', 'enrollments', 'courseOutlines']
    expect(calls).toEqual([...one, ...one, ...one])
  })

  it('go on after one that is refused', async () => {
    const { mutate, data } = await open()
    const update = (alias: string, name: string): string =>
      `${alias}: updateProfile(input: { name: "${name}" }) {
        viewer { name } userErrors { code field message }
      }`
    expect(
      await mutate(`mutation { ${update('a', 'Mei')} ${update('b', '')} ${update('c', 'Ling')} }`),
    ).toEqual({
      data: {
        a: { viewer: { name: 'Mei' }, userErrors: [] },
        b: {
          viewer: null,
          userErrors: [
            {
              code: 'INVALID',
              field: ['input', 'name'],
              message: 'a name must have 1 to 100 printable characters',
            },
          ],
        },
        c: { viewer: { name: 'Ling' }, userErrors: [] },
      },
    })
    expect(data.profile.changes).toEqual([{ name: 'Mei' }, { name: 'Ling' }])
  })
})

describe('a text with a NUL', () => {
  // Not every database takes one.
  it.each([
    ['an identifier', '{ node(id: "enr_\\u0000") { id } }', { node: null }],
    [
      'a slug',
      '{ viewer { enrolledCourse(slug: "\\u0000") { id } } }',
      { viewer: { enrolledCourse: null } },
    ],
    [
      'a course',
      `mutation { markLecture(input: { courseId: "\\u0000", lectureId: "l1", completed: true }) {
        userErrors { code } } }`,
      { markLecture: { userErrors: [{ code: 'NOT_FOUND' }] } },
    ],
    [
      'a lecture',
      `mutation { savePlaybackPosition(input: { courseId: "c1", lectureId: "\\u0000", positionSeconds: 1 }) {
        userErrors { code } } }`,
      { savePlaybackPosition: { userErrors: [{ code: 'NOT_FOUND' }] } },
    ],
    [
      'a registration',
      'mutation { cancelEventRegistration(input: { registrationId: "reg_\\u0000" }) { userErrors { code } } }',
      { cancelEventRegistration: { userErrors: [{ code: 'NOT_FOUND' }] } },
    ],
    [
      'a reason',
      `mutation { cancelEventRegistration(input: { registrationId: "reg_1", reason: "\\u0000" }) {
        userErrors { code } } }`,
      { cancelEventRegistration: { userErrors: [{ code: 'INVALID' }] } },
    ],
  ])('never comes to the source as %s', async (_, query, data) => {
    const { mutate, calls } = await open()
    expect(await mutate(query)).toEqual({ data })
    expect(calls.filter((call) => call !== 'profile' && call !== 'eventRegistrations')).toEqual([])
  })
})

describe('a picture', () => {
  it('is kept as its address is written out', async () => {
    const { mutate, data } = await open()
    await mutate(
      'mutation { updateProfile(input: { picture: "https://images.EXAMPLE/a\\tb/../mei.png" }) { userErrors { code } } }',
    )
    expect(data.profile.changes).toEqual([{ picture: 'https://images.example/mei.png' }])
  })

  it.each(['http://images.example/x', 'https:/\\u0000', 'data:image/png,x', 'javascript:1', '/x'])(
    'is at an https address, not %s',
    async (picture) => {
      const { mutate, data, calls } = await open()
      expect(
        await mutate(
          `mutation { updateProfile(input: { picture: "${picture}" }) { userErrors { code } } }`,
        ),
      ).toMatchObject({ errors: [{ message: expect.stringContaining('absolute https URL') }] })
      expect([data.profile.changes, calls]).toEqual([[], []])
    },
  )
})
