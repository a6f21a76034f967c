import type { SignInView } from 'hallpass/authorization-server'
import type { Person } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from 'hallpass/store'
import {
  authorizationUrl,
  reasonsOf,
  redeem,
  signIn,
  userinfo,
  approve,
} from '../support/school/flow.js'
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

  it('opens nothing unless it is the person who was asked for, and is named otherwise [HOST-01]', async () => {
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
    'asks for no consent unless it says since when, with %j [HOST-02]',
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

describe('what a store returns', () => {
  /** A store of which one method returns something else. */
  const storeWith = (verb: 'findAccessToken' | 'findCode', change: (found: never) => unknown) => {
    const store = createMemoryStore()
    const own = store[verb].bind(store) as (key: string) => Promise<unknown>
    return { ...store, [verb]: async (key: string) => change((await own(key)) as never) }
  }
  type Found = { accessToken: object; grant: { subject: string }; client: { clientId: string } }
  const wrong: readonly (readonly [string, (found: Found) => unknown, string])[] = [
    ['text for a time, as of a bigint column', (found) => ({ ...found, accessToken: { ...found.accessToken, expiresAt: String(T + 60) } }), 'accessToken.expiresAt a string: it must be whole epoch seconds'],
    ['a Date', (found) => ({ ...found, grant: { ...found.grant, expiresAt: new Date() } }), 'grant.expiresAt a Date'],
    ['milliseconds', (found) => ({ ...found, grant: { ...found.grant, createdAt: T * 1000 } }), `grant.createdAt ${T * 1000}`],
    ['undefined for null', (found) => ({ ...found, accessToken: { ...found.accessToken, revokedAt: undefined } }), 'accessToken.revokedAt undefined: it must be whole epoch seconds, such as Math.floor(date / 1000) or null'],
    ['JSON for a list', (found) => ({ ...found, accessToken: { ...found.accessToken, scopes: '["openid"]' } }), 'accessToken.scopes a string: it must be a list of strings'],
    ['0 for false', (found) => ({ ...found, client: { ...found.client, disabled: 0 } }), 'client.disabled 0: it must be true or false'],
    ['the token of another', (found) => ({ ...found, accessToken: { ...found.accessToken, tokenHash: 'other' } }), 'another record than the one it was asked for'],
    ['the grant of another', (found) => ({ ...found, grant: { ...found.grant, grantId: 'other' } }), 'another record than the one it was asked for'],
    ['the client of another', (found) => ({ ...found, client: { ...found.client, clientId: 'STUDY-BUDDY' } }), 'another record than the one it was asked for'],
    ['a row as it is', () => ({ token_hash: 'x' }), 'grant undefined: it must be an object'],
    ['a list of rows', (found) => [found], 'an array: it must be an object or null'],
  ] // prettier-ignore

  it.each(wrong)('opens nothing, and is named: %s [HOST-03]', async (_, change, sentence) => {
    const broken: { change: (found: Found) => unknown } = { change: (found) => found }
    const school = await createSchool({
      store: storeWith('findAccessToken', (found) => broken.change(found)),
    })
    const { access_token } = await signIn(school)
    expect((await userinfo(school, access_token)).status).toBe(200)
    broken.change = change
    expect((await userinfo(school, access_token)).status).toBe(503)
    expect(lastFault(school)).toContain(`UnusableValue: findAccessToken returned`)
    expect(lastFault(school)).toContain(sentence)
  })

  it('is nothing where a row is missing', async () => {
    const store = storeWith('findCode', () => undefined)
    const school = await createSchool({ store })
    expect((await redeem(school, await approve(school))).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['code_unknown'])
  })
})

describe('a sign-in page that leads to nothing', () => {
  const options = {
    interact: {
      currentPerson: async () => null,
      // As a login under /portal does, whose cookie never arrives at /oauth.
      signIn: () => Response.redirect('https://lantern.example/portal/login', 303),
      consent: () => new Response('consent'),
      error: (_request: Request, { reason }: { reason: string }) =>
        new Response(reason, { status: 400 }),
    },
  }

  it('is an error page at the third return, and what comes of it is one refusal [HOST-06]', async () => {
    const school = await createSchool({ options })
    const started = await school.fetch(authorizationUrl())
    const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const visit = () =>
      school.fetch(new URL(started.headers.get('location')!, 'https://lantern.example'), {
        headers: { cookie },
      })
    const statuses = [await visit(), await visit(), await visit()].map(({ status }) => status)
    expect(statuses).toEqual([303, 303, 303])
    const last = await visit()
    expect([last.status, await last.text()]).toEqual([400, 'sign_in_repeated'])
    expect(reasonsOf(school)).toEqual(['sign_in_repeated'])
    // Somebody else's request of the same app is not affected.
    const other = await school.fetch(authorizationUrl())
    expect(other.status).toBe(303)
  })

  it('says so of an account that is suspended, on the sign-in page and then on the error page [HOST-07]', async () => {
    const causes: string[] = []
    const signIn = (_request: Request, { cause }: SignInView) => {
      causes.push(cause)
      return Response.redirect('https://lantern.example/portal/login', 303)
    }
    const currentPerson = async () => ({ subject: 'mem_gone', authTime: T })
    const school = await createSchool({
      options: { interact: { ...options.interact, currentPerson, signIn } },
    })
    const started = await school.fetch(authorizationUrl())
    const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const at = new URL(started.headers.get('location')!, 'https://lantern.example')
    for (let times = 0; times < 4; times++) await school.fetch(at, { headers: { cookie } })
    expect(causes).toEqual(Array.from({ length: 4 }, () => 'suspended'))
    expect(reasonsOf(school)).toEqual(['person_suspended'])
  })
})
