import fc from 'fast-check'
import { ALLOWANCES, type SiteOptions } from 'hallpass'
import { describe, expect, it } from 'vitest'
import {
  createDocumentSchool,
  documentAnswer,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import { authorizationUrl, reasonsOf } from '../support/school/flow.js'
import { from, networkOf, register } from '../support/school/networks.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, ISSUER, type School, STUDENT, T } from '../support/school/school.js'

const WITHDRAWN = 'https://notes.example/withdrawn'
const IMAGE = { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }
const FRAME = { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }
const WINDOW = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }

interface Asked {
  readonly network: string
  readonly client?: string
  readonly redirectUri?: string
  readonly prompt?: string
  readonly headers?: Readonly<Record<string, string>>
}

function ask(school: School, { network, client, redirectUri, prompt, headers }: Asked) {
  const url = authorizationUrl({
    ...(client !== undefined && { client_id: client, redirect_uri: redirectUri ?? NOTES_CALLBACK }),
    ...(client !== undefined && { scope: 'openid courses:read' }),
    ...(prompt !== undefined && { prompt }),
  })
  return school.fetch(url, { headers: { ...from(network), ...headers } })
}

const registerFrom = (school: School, network: string, origin: string): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...from(network) },
    body: JSON.stringify({ client_name: 'Page', redirect_uris: ['http://127.0.0.1/cb'] }),
  })

async function repeat(count: number, work: () => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push((await work()).status)
  return statuses
}

/** A school whose document hosts serve every path of notes.example, and let its copies be kept for a minute. */
async function createNotesSchool(options: Partial<SiteOptions> = {}) {
  const made = await createDocumentSchool({
    documents: { openRegistration: true },
    options: { networkOf, ...options },
  })
  const withdrawal = { at: Infinity }
  made.hosts.answer = (url) => {
    if (!url.startsWith('https://notes.example/')) return new Response(null, { status: 404 })
    const isWithdrawn = made.school.clock.now >= withdrawal.at
    const redirect_uris = isWithdrawn ? [NOTES_CALLBACK] : [NOTES_CALLBACK, WITHDRAWN]
    const document = { ...NOTES_DOCUMENT, client_id: url, redirect_uris }
    return documentAnswer(document, { 'cache-control': 'max-age=60' })
  }
  return { ...made, withdrawal }
}

describe('a new document', () => {
  const few = { amount: 3, seconds: 600 }

  it('costs a sender over the allowance of its network nothing of anyone else [LIM-09]', async () => {
    const { school } = await createNotesSchool()
    for (let index = 0; index < 30; index++)
      await ask(school, { network: 'a', client: `https://junk${index}.example/` })
    expect(await repeat(30, () => ask(school, { network: 'a', client: NOTES_URL }))).toEqual(
      Array.from({ length: 30 }, () => 429),
    )
    expect((await ask(school, { network: 'b', client: NOTES_URL })).status).toBe(303)
  })

  it('costs nobody anything where the last of them has too little', async () => {
    const allowances = { fetchesOfSite: few, newDocumentsOfNetwork: few, fetchesOfHost: few }
    const { school } = await createNotesSchool({ allowances })
    const at = (index: number) => `https://notes.example/${index}`
    await repeat(3, () => ask(school, { network: 'a', client: 'https://junk.example/1' }))
    expect(await repeat(9, () => ask(school, { network: 'b', client: at(1) }))).toEqual(
      Array.from({ length: 9 }, () => 429),
    )
    school.clock.now = T + 600
    for (const index of [1, 2, 3])
      expect((await ask(school, { network: 'b', client: at(index) })).status).toBe(303)
  })
})

describe('a stored document', () => {
  it('is fetched again whoever has spent what, and a withdrawn redirect URI is refused', async () => {
    const { school, hosts, withdrawal } = await createNotesSchool()
    const withdrawn = { network: 'h', client: NOTES_URL, redirectUri: WITHDRAWN }
    expect((await ask(school, withdrawn)).status).toBe(303)
    withdrawal.at = T + 1
    school.clock.now = T + 61
    for (const network of ['h', 'a', 'b', 'c', 'd'])
      await repeat(75, () => ask(school, { network, client: `https://${network}.example/x` }))
    expect((await ask(school, withdrawn)).status).toBe(400)
    expect(hosts.fetched.at(-1)).toBe(NOTES_URL)
  })
})

describe('a page that a person of a network reads', () => {
  it('spends nothing with images and frames [LIM-09]', async () => {
    const { school, hosts } = await createNotesSchool()
    const images = await repeat(6001, () => ask(school, { network: 'h', headers: IMAGE }))
    expect(new Set(images)).toEqual(new Set([400]))
    await repeat(200, () =>
      ask(school, { network: 'h', client: NOTES_URL, prompt: 'none', headers: FRAME }),
    )
    expect(hosts.fetched).toEqual([])
    expect(new Set(reasonsOf(school))).toEqual(new Set(['request_embedded', 'document_unavailable'])) // prettier-ignore
    expect((await ask(school, { network: 'h', headers: WINDOW })).status).toBe(303)
    expect((await ask(school, { network: 'h', client: NOTES_URL, headers: WINDOW })).status).toBe(303) // prettier-ignore
  })

  it('is answered in a frame with prompt=none, for a client that is known', async () => {
    const { school } = await createNotesSchool()
    const response = await ask(school, { network: 'h', prompt: 'none', headers: FRAME })
    expect(new URL(response.headers.get('location')!).searchParams.get('error')).toBe('login_required') // prettier-ignore
  })

  it('registers no more than pages may, and its reader still does [LIM-09]', async () => {
    const school = await createSchool({ options: { networkOf } })
    const statuses = await repeat(201, () => registerFrom(school, 'h', 'https://evil.example'))
    expect([statuses.indexOf(429), reasonsOf(school).at(-1)]).toEqual([200, 'registration_paced'])
    // A sandboxed frame is one of them, a page of the site itself is not.
    expect((await registerFrom(school, 'h', 'null')).status).toBe(429)
    expect((await registerFrom(school, 'h', ISSUER)).status).toBe(201)
    expect((await register(school, 'h')).status).toBe(201)
  })
})

describe('a browser', () => {
  it('that loops spends its own allowance before that of its network [LIM-09]', async () => {
    const school = await createSchool({ options: { networkOf } })
    const first = await ask(school, { network: 'h' })
    const cookie = first.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const statuses = await repeat(6100, () => ask(school, { network: 'h', headers: { cookie } }))
    expect(statuses.indexOf(429)).toBe(ALLOWANCES.requestsOfBrowser.amount)
    expect((await ask(school, { network: 'h' })).status).toBe(303)
  })

  it('of a person who is signed in starts a request when others have spent what the network has', async () => {
    const allowances = { requestsOfNetwork: { amount: 3, seconds: 600 } }
    const school = await createSchool({ options: { networkOf, allowances } })
    await repeat(9, () => ask(school, { network: 'h' }))
    expect((await ask(school, { network: 'h' })).status).toBe(429)
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const statuses = await repeat(61, () => ask(school, { network: 'h' }))
    expect(statuses.indexOf(429)).toBe(ALLOWANCES.requestsOfPerson.amount)
  })
})

describe('an IPv6 network', () => {
  it('shares twice an allowance with the others of its first 48 bits', async () => {
    const allowances = { registrationsOfNetwork: { amount: 3, seconds: 600 } }
    const school = await createSchool({ options: { networkOf, allowances } })
    const of = (network: string) => repeat(4, () => register(school, network))
    expect(await of('2001:db8:7:1::/64')).toEqual([201, 201, 201, 429])
    expect(await of('2001:db8:7::/64')).toEqual([201, 201, 201, 429])
    expect(await of('2001:db8:7:2::/64')).toEqual([429, 429, 429, 429])
    expect(await of('2001:db8:8:2::/64')).toEqual([201, 201, 201, 429])
    // 2001:db8:0:… is written with fewer groups where more of them are 0.
    expect(await of('2001:db8::/64')).toEqual([201, 201, 201, 429])
    expect(await of('2001:db8:0:1::/64')).toEqual([201, 201, 201, 429])
    expect(await of('2001:db8:0:2::/64')).toEqual([429, 429, 429, 429])
  })
})

describe('whatever others do', () => {
  /** So few that a short trace spends them. The proportions are those of the default. */
  const allowances = {
    fetchesOfNetwork: { amount: 2, seconds: 60 },
    fetchesOfDocument: { amount: 3, seconds: 60 },
    fetchesOfHost: { amount: 8, seconds: 60 },
    fetchesOfSite: { amount: 36, seconds: 60 },
    newDocumentsOfNetwork: { amount: 20, seconds: 86_400 },
    registrationsOfNetwork: { amount: 12, seconds: 86_400 },
    pageRegistrationsOfNetwork: { amount: 3, seconds: 86_400 },
    requestsOfNetwork: { amount: 24, seconds: 600 },
  }
  const documents = [0, 1, 2].map((index) => `https://notes.example/${index}`)
  const document = fc.constantFrom(...documents)
  const redirectUri = fc.constantFrom(NOTES_CALLBACK, WITHDRAWN)

  type Act = (school: School) => Promise<Response>
  const honest: fc.Arbitrary<Act> = fc.oneof(
    fc.constant<Act>((school) => ask(school, { network: 'h', headers: WINDOW })),
    fc.constant<Act>((school) => register(school, 'h')),
    fc.record({ client: document, redirectUri }).map(
      (asked): Act =>
        (school) =>
          ask(school, { network: 'h', ...asked, headers: WINDOW }),
    ),
  )
  const other = fc.constantFrom('a', 'b', 'c')
  const junk = fc.constantFrom('https://junk.example/1', 'https://notes.example/9')
  const hostile: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ network: other, client: fc.oneof(document, junk), redirectUri })
      .map((asked): Act => (school) => ask(school, asked)),
    other.map((network): Act => (school) => ask(school, { network })),
    other.map((network): Act => (school) => register(school, network)),
    fc.record({ client: fc.oneof(document, junk), headers: fc.constantFrom(IMAGE, FRAME), prompt: fc.constantFrom('none', 'login') })
      .map((asked): Act => (school) => ask(school, { network: 'h', ...asked })),
    fc.constant<Act>((school) => ask(school, { network: 'h', headers: IMAGE })),
    fc.constantFrom('https://evil.example', 'null').map((origin): Act => (school) => registerFrom(school, 'h', origin)),
  ) // prettier-ignore
  const burst = fc.record({ act: hostile, times: fc.integer({ min: 1, max: 40 }) })
  /** Rounds of a minute, so that no copy of a document is older than the last change of its publisher. */
  const trace = fc.array(
    fc.record({
      bursts: fc.array(burst, { maxLength: 3 }),
      acts: fc.array(honest, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  )

  it('an honest network, reader and client see the same [LIM-09]', async () => {
    await fc.assert(
      fc.asyncProperty(trace, fc.nat({ max: 5 }), async (steps, withdrawn) => {
        const seen = async (isAttacked: boolean): Promise<readonly unknown[]> => {
          const { school, withdrawal } = await createNotesSchool({ allowances })
          withdrawal.at = T + 61 * withdrawn
          const outcomes: unknown[] = []
          for (const [round, { bursts, acts }] of steps.entries()) {
            school.clock.now = T + 61 * round
            for (const { act, times } of isAttacked ? bursts : [])
              for (let index = 0; index < times; index++) await act(school)
            for (const act of acts) {
              const { status, headers } = await act(school)
              const to = headers.get('location')?.replace(/(interaction\/|state=).*/, '$1')
              outcomes.push([status, to])
            }
          }
          return outcomes
        }
        expect(await seen(true)).toEqual(await seen(false))
      }),
      { seed: 33, numRuns: rounds(60, { soak: 10_000 }) },
    )
  })
})
