import { ALLOWANCES, createMemoryBudget } from 'hallpass/operations'
import { createAccountApi } from 'hallpass/account'
import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { STORE_RESULTS } from '../../src/store/returned.js'
import type { StoreMethod } from '../../src/store/store.js'
import { createSource, enrollment } from '../support/school/account.js'
import {
  approve,
  authorizationUrl,
  PORTFOLIO_FORM,
  post,
  redeem,
  refresh,
  signIn,
  userinfo,
} from '../support/school/flow.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  type School,
  STUDENT,
} from '../support/school/school.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

class Odd {
  get subject(): string {
    throw new Error('a getter that throws')
  }
}
class OddPage {
  get status(): number {
    throw new Error('a status that throws')
  }
}
class Thenable {
  // oxlint-disable-next-line no-thenable -- hosts have some
  readonly then: () => void
  constructor(then: () => void) {
    // oxlint-disable-next-line no-thenable -- hosts have some
    this.then = then
  }
}
const circular: Record<string, unknown> = {}
circular['self'] = circular

/** What a function of a host can do in place of what it should. */
const FORMS: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  zero: () => 0,
  'a number': () => 3,
  'a negative number': () => -1,
  'a fraction': () => 0.5,
  NaN: () => NaN,
  infinity: () => Infinity,
  'a bigint': () => 3n,
  milliseconds: () => 1_795_165_200_000,
  'empty text': () => '',
  text: () => 'mem_A',
  'text with a lone surrogate': () => '\ud800',
  'long text': () => 'x'.repeat(100_000),
  true: () => true,
  false: () => false,
  'a symbol': () => Symbol('value'),
  'an empty list': () => [],
  'a list of null': () => [null],
  'a list of undefined': () => [undefined],
  'a list of numbers': () => [1, 2],
  'an empty object': () => ({}),
  'an object without a prototype': () => Object.create(null) as unknown,
  'a circular object': () => circular,
  'a frozen object': () => Object.freeze({ subject: 3, rows: 3, ok: 'yes' }),
  'an object whose getter throws': () => new Odd(),
  'a Map': () => new Map([['a', 1]]),
  'a Set': () => new Set([1]),
  'a Date': () => new Date(0),
  'an invalid Date': () => new Date(NaN),
  'a function': () => () => 'later',
  'a class': () => Odd,
  'a regular expression': () => /x/,
  'a buffer': () => new Uint8Array(3),
  'an Error': () => new Error('returned'),
  'a Response': () => new Response('page'),
  'a Response that was sent': () => SENT,
  'a promise of a promise of null': () => Promise.resolve(Promise.resolve(null)),
  'a promise of a number': () => Promise.resolve(3),
  'a rejection': () => Promise.reject(new Error('rejected')),
  'a rejection without a reason': () => Promise.reject(),
  'an exception': () => {
    throw new Error('thrown')
  },
  'an exception that is text': () => {
    throw 'thrown' // oxlint-disable-line no-throw-literal, only-throw-error -- hosts do
  },
  'nothing, ever': () => new Promise(() => {}),
  'a thenable that never settles': () => new Thenable(() => {}),
  'a thenable that throws': () =>
    new Thenable(() => {
      throw new Error('in then')
    }),
  'a page whose status throws': () => new OddPage(),
}
const SENT = new Response('sent')
await SENT.text()

/** What no function may return, and the lack of anything. */
const NEVER_RIGHT = /symbol|bigint|exception|rejection|ever|never|thenable/
const THROWN = /exception|rejection/
/** Functions whose result no one reads. */
const IS_UNREAD = /^on[A-Z]|savePending|attempts|requestIdOf/

/** Which function breaks now, and how; and which were called. */
const state: { broken: string | null; form: () => unknown; called: Map<string, number> } = {
  broken: null,
  form: () => undefined,
  called: new Map(),
}

/** The same functions, each of which breaks when it is its turn. */
function breakable<Host extends object>(prefix: string, host: Host): Host {
  const names = Object.keys(host) as (keyof Host & string)[]
  return Object.fromEntries(
    names.map((name): [string, unknown] => {
      if (typeof host[name] !== 'function') return [name, host[name]]
      const own = host[name] as unknown as (...parameters: unknown[]) => unknown
      const full = prefix + name
      const call = (...parameters: unknown[]): unknown => {
        state.called.set(full, (state.called.get(full) ?? 0) + 1)
        return state.broken === full ? state.form() : own.apply(host, parameters)
      }
      return [name, call]
    }),
  ) as unknown as Host
}

const QUERY = `{ viewer { id email site { name }
  enrolledCourses(first: 1) { nodes { title sections { title } } totalCount }
  orders(first: 1) { nodes { id } } eventRegistrations(first: 1) { nodes { id } }
  subscriptions(first: 1) { nodes { id } } digitalProducts(first: 1) { nodes { id } }
} }`

async function createBreakableSchool() {
  const people = { findPerson: async () => STUDENT as unknown }
  const page = (view: object): Response => Response.json(view)
  let school: School
  const site = breakable('', {
    ...people,
    memberClients: async () => true,
    networkOf: () => '192.0.2.1',
    requestIdOf: () => 'id-1',
    onEvent: () => {},
    onRefusal: () => {},
  })
  const interact = breakable('interact.', {
    currentPerson: async () => school.signedIn,
    signIn: (_request: Request, view: object) => page({ signIn: view }),
    consent: (_request: Request, view: NonNullable<School['view']>['view']) => {
      school.view = { page: 'consent', view } as School['view']
      return page(view)
    },
    error: (_request: Request, view: object) => page({ error: view }),
  })
  school = await createSchool({
    store: breakable('store.', createMemoryStore()),
    options: {
      ...(site as object),
      budget: breakable('budget.', createMemoryBudget()),
      watchers: [recordAttempts(breakable('attempts.', createMemoryAttempts()))],
      interact,
      callDeadlineMilliseconds: 1000,
      allowances: Object.fromEntries(
        Object.keys(ALLOWANCES).map((name) => [name, { amount: 1e6, seconds: 1 }]),
      ),
      ...breakable('', { grantEnds: async () => [], extraClaims: () => ({}) }),
    },
  })
  const { source } = createSource(
    new Map([
      [
        STUDENT.subject,
        {
          profile: { email: 'a@example.com', name: null, changes: [] },
          enrollments: [enrollment()],
          orders: [],
          registrations: [],
          outlines: new Map([['c1', [{ id: 's1', title: 'Part one', lectures: [] }]]]),
        },
      ],
    ]),
  )
  const account = createAccountApi(school.site, { source: breakable('source.', source) })
  return { school, account, source }
}

type Step = () => Promise<() => Promise<Response>>

/** Requests of every kind: what is right before, then the request itself. */
function stepsOf({
  school,
  account,
}: Awaited<ReturnType<typeof createBreakableSchool>>): Readonly<Record<string, Step>> {
  const atPage = async () => {
    school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }
    const browser = createBrowser(school)
    const first = await school.fetch(authorizationUrl())
    return {
      browser,
      location: first.headers.get('location')!,
      cookie: first.headers.getSetCookie()[0]!.split(';', 1)[0]!,
    }
  }
  return {
    authorize: async () => () => school.fetch(authorizationUrl()),
    'a silent request': async () => () => school.fetch(authorizationUrl({ prompt: 'none' })),
    'a wrong request': async () => () =>
      school.fetch(authorizationUrl({ redirect_uri: 'https://evil.example' })),
    'the sign-in page': async () => {
      const { location, cookie } = await atPage()
      school.signedIn = null
      return () => school.fetch(new URL(location, ISSUER), { headers: { cookie } })
    },
    'the consent page': async () => {
      const { location, cookie } = await atPage()
      return () => school.fetch(new URL(location, ISSUER), { headers: { cookie } })
    },
    Allow: async () => {
      const { location, cookie } = await atPage()
      await school.fetch(new URL(location, ISSUER), { headers: { cookie } })
      const { action, csrfToken } = (school.view as { view: { action: string; csrfToken: string } })
        .view
      return () => post(school, action, { csrf_token: csrfToken, decision: 'allow' }, { cookie })
    },
    exchange: async () => {
      const code = await approve(school)
      return () => redeem(school, code)
    },
    refresh: async () => {
      const { refresh_token: token } = await signIn(school)
      return () => refresh(school, token)
    },
    userinfo: async () => {
      const { access_token: token } = await signIn(school)
      return () => userinfo(school, token)
    },
    introspect: async () => {
      const { access_token: token } = await signIn(school)
      return () => post(school, '/api/oauth/introspect', { ...PORTFOLIO_FORM, token })
    },
    revoke: async () => {
      const { access_token: token } = await signIn(school)
      return () => post(school, '/api/oauth/revoke', { client_id: 'study-buddy', token })
    },
    register: async () => () =>
      school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Notes', redirect_uris: ['http://127.0.0.1/cb'] }),
      }),
    'a query': async () => {
      const { access_token: token } = await signIn(school)
      return () =>
        account.graphql(
          new Request(`${ISSUER}/account/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
            body: JSON.stringify({ query: QUERY }),
          }),
        )
    },
  }
}

/** Waits for a response. If a function never settles, the clock of the deadlines goes on. */
async function statusOf(work: Promise<Response>, settles: boolean): Promise<number> {
  const state = { isSettled: settles }
  void work.finally(() => (state.isSettled = true))
  while (!state.isSettled) {
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(100)
  }
  return (await work).status
}

/** Functions of a source that no query calls. */
const WRITES = new Set([
  'lecture',
  'savePlayback',
  'markLecture',
  'cancelEventRegistration',
  'updateProfile',
])
const UNREAD_VERBS = new Set<string>(['savePending', 'deleteEvents'])

it('of a host lead to no 500, and are named [HOST-04]', async () => {
  const open = await createBreakableSchool()
  const { school, source } = open
  const steps = stepsOf(open)
  const wrong: string[] = []
  const reached = new Set<string>()
  for (const [step, prepare] of Object.entries(steps)) {
    state.broken = null
    const send = await prepare()
    state.called = new Map()
    expect([step, (await statusOf(send(), true)) < 400 || step === 'a wrong request']).toEqual([step, true]) // prettier-ignore
    for (const broken of Array.from(state.called.keys())) {
      reached.add(broken)
      for (const [name, form] of Object.entries(FORMS)) {
        state.broken = null
        const again = await prepare()
        school.faults.length = 0
        Object.assign(state, { broken, form, called: new Map() })
        const status = await statusOf(again(), !/ever|never/.test(name))
        state.broken = null
        const told = school.faults.map(({ endpoint, fault }) => {
          const cause = fault instanceof Error ? String(fault.cause) : ''
          return `${endpoint}: ${String(fault)}: ${cause}`
        })
        const calls = state.called.get(broken) ?? 0
        // The key ring waits for its list as long as others wait for the key ring.
        const own =
          broken === 'store.listKeys'
            ? /listKeys|signer|signing key/
            : new RegExp(broken.split('.').at(-1)!)
        // A query has one deadline for all that it reads.
        if (broken.startsWith('source') && /ever|never/.test(name)) continue
        if (status === 500 || told.length > calls || told.some((text) => !own.test(text)))
          wrong.push(`${broken} at ${step}, ${name}: ${status} ${told.join('; ').slice(0, 200)}`)
        else if ((IS_UNREAD.test(broken) ? THROWN : NEVER_RIGHT).test(name) && told.length < calls)
          wrong.push(`${broken} at ${step}, ${name}: ${status}, and no fault`)
      }
    }
  }
  expect(wrong).toEqual([])
  for (const name of Object.keys(source)) if (!WRITES.has(name)) expect(reached).toContain(`source.${name}`) // prettier-ignore
  expect(reached.size).toBeGreaterThan(33)
})

it('of a store are read by every method of it [HOST-04]', async () => {
  const { school } = await createBreakableSchool()
  for (const verb of Object.keys(STORE_RESULTS) as StoreMethod[]) {
    for (const [name, form] of Object.entries(FORMS)) {
      Object.assign(state, { broken: `store.${verb}`, form })
      const ask = school.site.store[verb] as (key: string) => Promise<unknown>
      let settled: unknown = null
      const asked = ask('key').then(
        () => (settled = 'a value'),
        (fault: unknown) => (settled = fault),
      )
      if (/ever|never/.test(name)) await vi.advanceTimersByTimeAsync(100_000)
      await asked
      state.broken = null
      // An answer for which any value will do, such as an empty list.
      if (settled === 'a value') expect(NEVER_RIGHT.test(name) && !UNREAD_VERBS.has(verb), `${verb}: ${name}`).toBe(false) // prettier-ignore
      else expect(`${String(settled)} ${String((settled as Error).cause)}`, name).toMatch(new RegExp(`(?:UnusableValue|StorageFailure): .*${verb}`)) // prettier-ignore
    }
  }
})
