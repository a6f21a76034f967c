import type { Person } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { authorizationUrl, signIn, userinfo } from '../support/school/flow.js'
import { createBrowser, createSchool, type School, STUDENT, T } from '../support/school/school.js'
import { NO_SECONDS } from '../time/support.js'

/** What people's code returns in place of a person, of an object, or of a promise of either. */
const NO_OBJECTS: readonly unknown[] = [
  0,
  3,
  NaN,
  3n,
  '',
  'mem_A',
  true,
  false,
  Symbol('person'),
  [],
  {},
  new Map(),
  new Date(0),
  () => null,
]

/** What the last fault says, or `none`. */
const lastFault = (school: School): string => {
  const fault = school.faults.at(-1)?.fault
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : 'none'
}

describe('what findPerson returns', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ...NO_OBJECTS.map((value) => [value, 'findPerson returned'] as const),
    [{ ...STUDENT, subject: 3 }, 'subject 3: it must be a string, such as String(row.id)'],
    [{ ...STUDENT, subject: 3n }, 'subject a bigint: it must be a string, such as String(row.id)'],
    [{ ...STUDENT, subject: STUDENT.subject.toUpperCase() }, 'another person than the one'],
    [{ ...STUDENT, subject: `${STUDENT.subject} ` }, 'another person than the one'],
    [{ ...STUDENT, roles: undefined }, 'roles undefined: it must be a list of names of roles'],
    [{ ...STUDENT, roles: 'owner' }, 'roles a string: it must be a list of names of roles'],
    [{ ...STUDENT, roles: [{ name: 'owner' }] }, 'roles an array: it must be a list of names'],
    [{ ...STUDENT, orgId: 7 }, 'orgId 7: it must be a string'],
    [{ ...STUDENT, name: { first: 'Mei' } }, 'name an object: it must be a string or null'],
  ]

  it('opens nothing unless it is the person who was asked for, and is named otherwise', async () => {
    let found: unknown = STUDENT
    const school = await createSchool({ options: { findPerson: async () => found as Person } })
    const { access_token } = await signIn(school)
    expect((await userinfo(school, access_token)).status).toBe(200)
    for (const [value, sentence] of wrong) {
      found = value
      expect((await userinfo(school, access_token)).status, sentence).toBe(503)
      expect(lastFault(school)).toContain(`UnusableValue: findPerson returned`)
      expect(lastFault(school)).toContain(sentence)
    }
    // A query that found no row.
    for (const nobody of [null, undefined]) {
      found = nobody
      expect((await userinfo(school, access_token)).status).toBe(401)
    }
  })
})

describe('what currentPerson returns', () => {
  const sentence =
    'it must be whole epoch seconds that have passed, such as Math.floor(signedInAt / 1000)'
  const of = (authTime: unknown): unknown => ({ subject: STUDENT.subject, authTime })
  const wrong: readonly (readonly [unknown, string])[] = [
    ...NO_OBJECTS.map((value) => [value, 'currentPerson returned'] as const),
    ...NO_SECONDS.map((value) => [of(value), sentence] as const),
    [of(T + 61), sentence],
    [of(T - 0.5), sentence],
    [{ subject: 3, authTime: T }, 'subject 3: it must be a string, such as String(row.id)'],
  ]

  it.each([{}, { prompt: 'login' }, { max_age: '300' }])(
    'asks for no consent unless it says since when, with %j',
    async (request) => {
      let signedIn: unknown = null
      const school = await createSchool()
      Object.defineProperty(school, 'signedIn', { get: () => signedIn })
      const open = async (value: unknown): Promise<readonly [number, string | undefined]> => {
        signedIn = value
        school.view = null
        const { status } = await createBrowser(school).open(authorizationUrl(request))
        return [status, (school.view as School['view'])?.page]
      }
      expect(await open(of(T))).toEqual([200, 'consent'])
      expect(await open(of(T + 60))).toEqual([200, 'consent'])
      for (const [value, words] of wrong) {
        expect(await open(value), words).toEqual([503, undefined])
        expect(lastFault(school)).toContain('UnusableValue: currentPerson returned')
        expect(lastFault(school)).toContain(words)
      }
      expect(await open(undefined)).toEqual([200, 'signIn'])
    },
  )
})

describe('what memberClients returns', () => {
  it('lets member clients in only if it is true', async () => {
    let answer: unknown = true
    const memberClients = async (): Promise<boolean> => answer as boolean
    const school = await createSchool({ options: { memberClients } })
    const { access_token } = await signIn(school)
    for (const value of [undefined, null, 'false', 'true', 0, 1, {}, []]) {
      answer = value
      expect((await userinfo(school, access_token)).status).toBe(503)
      expect(lastFault(school)).toContain('memberClients returned')
    }
    answer = true
    expect((await userinfo(school, access_token)).status).toBe(200)
  })
})

describe('what now returns', () => {
  it('opens nothing unless it is whole seconds, ten years later neither', async () => {
    let time: unknown = T
    const school = await createSchool({ options: { now: () => time as number } })
    const { access_token } = await signIn(school)
    for (const value of [...NO_SECONDS, T + 0.5, -1]) {
      time = value
      expect((await userinfo(school, access_token)).status, String(value)).toBe(503)
      expect(lastFault(school)).toContain('now returned')
    }
    time = T
    expect((await userinfo(school, access_token)).status).toBe(200)
  })
})
