import fc from 'fast-check'
import type { Expense } from 'hallpass/operations'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { authorizationUrl, DESK_CLI, encode, type Fields, PORTFOLIO_FORM } from '../support/school/flow.js' // prettier-ignore
import { from } from '../support/school/networks.js'
import { ISSUER, STUDENT, T } from '../support/school/school.js'
import { WINDOW } from '../support/school/senders.js'
import { BODIES, EMAIL, PASSWORD, type Campus, type Headers, NOTES, openCampus, REGISTRATION, send, type What } from './support.js' // prettier-ignore

/** The network of honest people. */
const H = from('h') as Headers
const ARRIVAL = { ...WINDOW, 'sec-fetch-site': 'cross-site' }

type Act = (campus: Campus) => Promise<Response>
const start =
  (changes: Fields = {}, headers: Headers = ARRIVAL): Act =>
  ({ school }) =>
    school.fetch(authorizationUrl(changes), { headers: { ...H, ...headers } })
const post =
  (path: string, fields: Fields, headers: Headers = {}): Act =>
  ({ school }) =>
    school.fetch(ISSUER + path, {
      method: 'POST',
      headers: { ...H, ...headers },
      body: encode(fields),
    })
const asked = Object.fromEntries(authorizationUrl().searchParams)

const signInAt = ({ routes }: Campus, headers: Headers = {}): Promise<Response> =>
  routes.get('/sign-in')!(new Request(`${ISSUER}/sign-in`, { method: 'POST', headers: { ...H, ...headers }, body: encode({ email: EMAIL, password: PASSWORD }) })) // prettier-ignore

/** What honest people and programs do that no one knows yet: their network pays. */
const NEW: Readonly<Record<string, Act>> = {
  start: start(),
  'start with a document': start({ client_id: 'https://notes.example/own', ...NOTES }),
  register: ({ school }) =>
    school.fetch(`${ISSUER}/api/oauth/register`, { method: 'POST', headers: { ...H, 'content-type': 'application/json' }, body: JSON.stringify(REGISTRATION) }),
  push: post('/api/oauth/par', asked),
  'sign in': (campus) => signInAt(campus),
  device: post('/api/oauth/device_authorization', { client_id: DESK_CLI.clientId, scope: 'openid courses:read' }),
} // prettier-ignore

/** What those do who pay for themselves. */
const KNOWN: Readonly<Record<string, Act>> = {
  async 'start of a person who is signed in'(campus) {
    campus.school.signedIn = { subject: STUDENT.subject, authTime: campus.school.clock.now }
    const response = await start()(campus)
    campus.school.signedIn = null
    return response
  },
  'sign in, where they have before': (campus) => signInAt(campus, { cookie: campus.known }),
  'push of a client of the school': post('/api/oauth/par', { ...asked, ...PORTFOLIO_FORM }),
  graphql: ({ routes, tokens }) =>
    routes.get('/account/graphql')!(new Request(`${ISSUER}/account/graphql`, { method: 'POST', headers: { ...H, authorization: `Bearer ${tokens.member}`, 'content-type': 'application/json' }, body: '{"query":"{ __typename }"}' })),
  // One that was used at the second service before, and is asked about again each minute.
  'a second service': ({ routes, tokens }) =>
    routes.get('/remote')!(new Request('https://grades.example/', { headers: { ...H, authorization: `Bearer ${tokens.portfolio}` } })),
} // prettier-ignore

/** What the outcome is for who sent it. Identifiers are different each time. */
const outcomeOf = async (response: Response): Promise<unknown> => {
  const to = response.headers.get('location')?.replace(/(interaction\/|state=).*/, '$1')
  return [response.status, to, ((await response.json().catch(() => null)) as { error?: string } | null)?.error]
} // prettier-ignore

interface Burst {
  readonly what: What
  readonly from: Headers
  readonly times: number
}

/** A page of anyone, in a browser of the network. Each request may name another origin. */
const page = fc.constantFrom<Headers>(
  ...['no-cors', 'cors', 'navigate'].map((mode) => ({
    ...H,
    origin: '*',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': mode,
    'sec-fetch-dest': mode === 'navigate' ? 'iframe' : 'empty',
  })),
  // A form that opens a window, one of a subdomain, and a browser without these headers.
  { ...H, origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { ...H, origin: '*', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  { ...H, origin: '*' },
) // prettier-ignore
const elsewhere = fc.constantFrom('a', 'b', 'c').map((network) => from(network) as Headers)
const neighbor = fc.constant(H)

/** Every body to every route, and those of them that spend something: a route that is new is among them by itself. */
const everything: readonly What[] = await (async () => {
  const { routes } = await openCampus()
  const kinds = Array.from({ length: BODIES.length }, (_, kind) => kind)
  return [...routes.keys()].flatMap((path) =>
    kinds.flatMap((kind) => (['GET', 'POST'] as const).map((method) => ({ path, kind, method }))),
  )
})()
const costly: What[] = []
for (const what of everything) {
  const campus = await openCampus()
  const before = campus.spent.size
  await send(campus, { ...what, index: 1, headers: from('a') as Headers })
  if (campus.spent.size > before) costly.push(what)
}

const burstBy = (sender: fc.Arbitrary<Headers>): fc.Arbitrary<Burst> =>
  fc.record({
    what: fc.oneof(fc.constantFrom(...everything), { weight: 3, arbitrary: fc.constantFrom(...costly) }),
    from: sender,
    times: fc.integer({ min: 1, max: 45 }),
  }) // prettier-ignore

/** Rounds of a minute: bursts of others, then honest acts. */
const traceOf = (burst: fc.Arbitrary<Burst>, acts: Readonly<Record<string, Act>>) =>
  fc.array(
    fc.record({
      bursts: fc.array(burst, { minLength: 1, maxLength: 4 }),
      acts: fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  )
type Trace = readonly { readonly bursts: readonly Burst[]; readonly acts: readonly string[] }[]

async function seen(
  trace: Trace,
  acts: Readonly<Record<string, Act>>,
  isAttacked: boolean,
): Promise<{ outcomes: readonly unknown[]; campus: Campus }> {
  const campus = await openCampus()
  const { school } = campus
  await KNOWN['a second service']!(campus)
  const outcomes: unknown[] = []
  let index = 0
  /** Of the window that a page leads from one address to the next: it is that of one browser. */
  let cookie = ''
  for (const [round, { bursts, acts: names }] of trace.entries()) {
    school.clock.now = T + 61 * round
    for (const { what, times, from: sender } of isAttacked ? bursts : [])
      for (let time = 0; time < times; time++) {
        index += 1
        const origin = sender['origin'] === '*' ? { origin: `https://page-${index}.example` } : {}
        const isWindow = sender['sec-fetch-dest'] === 'document'
        const headers = { ...sender, ...origin, ...(isWindow && cookie && { cookie }) }
        const response = await send(campus, { ...what, index, headers })
        if (isWindow) cookie ||= response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
      }
    for (const name of names) outcomes.push([name, ...((await outcomeOf(await acts[name]!(campus))) as unknown[])]) // prettier-ignore
  }
  return { outcomes, campus }
}

type OfNetwork = Extract<Expense['budget'], `${string}OfNetwork`>
/** What others spend until it is refused. A budget that is new has no row, and does not compile. */
const TRIED: Readonly<Record<OfNetwork, 'refused' | 'only for who is signed in'>> = {
  fetchesOfNetwork: 'refused',
  newDocumentsOfNetwork: 'refused',
  registrationsOfNetwork: 'refused',
  requestsOfNetwork: 'refused',
  deviceRequestsOfNetwork: 'refused',
  unknownTokensOfNetwork: 'refused',
  passwordsOfNetwork: 'refused',
  userCodesOfNetwork: 'only for who is signed in',
}

const everyRoute = async (sender: Headers): Promise<Campus> => {
  const campus = await openCampus()
  let index = 0
  for (let round = 0; round < 12; round++) {
    campus.school.clock.now = T + 61 * round
    for (const what of costly)
      for (let time = 0; time < (round === 0 ? 45 : 7); time++)
        await send(campus, { ...what, index: (index += 1), headers: sender })
  }
  return campus
}

describe('whatever others send to every route', () => {
  it.each<readonly [string, fc.Arbitrary<Burst>, Readonly<Record<string, Act>>, number]>([
    ['pages of other sites and other networks do, everyone else', burstBy(fc.oneof(page, elsewhere)), { ...NEW, ...KNOWN }, 51],
    ['anyone at all does, who pays for themselves', burstBy(fc.oneof(page, elsewhere, neighbor)), KNOWN, 52],
  ])('%s sees the same [LIM-09]', async (_, burst, acts, seed) => {
    await fc.assert(
      fc.asyncProperty(traceOf(burst, acts), async (trace) => {
        const attacked = await seen(trace, acts, true)
        const quiet = await seen(trace, acts, false)
        expect(attacked.outcomes).toEqual(quiet.outcomes)
      }),
      { seed, numRuns: rounds(40, { soak: 5000 }) },
    )
  }) // prettier-ignore

  it('spends what a network has: otherwise nothing was tried [LIM-09]', async () => {
    const names = Object.entries(TRIED)
    const { spent, refused } = await everyRoute(from('a') as Headers)
    for (const [name, tried] of names)
      expect([name, spent.has(name), refused.has(name)]).toEqual([name, ...(tried === 'refused' ? [true, true] : [false, false])]) // prettier-ignore
    // Every outcome of an honest act is its good one where no one attacks.
    const campus = await openCampus()
    const outcomes = await Promise.all(
      Object.entries({ ...NEW, ...KNOWN }).map(async ([name, act]) => [name, (await act(campus)).status]),
    ) // prettier-ignore
    expect(Object.fromEntries(outcomes)).toEqual({
      start: 303,
      'start with a document': 303,
      register: 201,
      push: 201,
      device: 200,
      'sign in': 200,
      'sign in, where they have before': 200,
      'start of a person who is signed in': 303,
      'push of a client of the school': 201,
      graphql: 200,
      'a second service': 200,
    })
  })
})
