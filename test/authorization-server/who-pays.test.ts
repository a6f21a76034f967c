import { describe, expect, it } from 'vitest'
import { reasonsOf } from '../support/school/flow.js'
import { NOTES_URL } from '../support/school/metadata-documents.js'
import { networkOf, register } from '../support/school/networks.js'
import { createSchool, ISSUER, STUDENT, T } from '../support/school/school.js'
import {
  ask,
  createNotesSchool,
  FRAME,
  IMAGE,
  registerFrom,
  WINDOW,
  WITHDRAWN,
} from '../support/school/senders.js'

const few = { amount: 3, seconds: 600 }

async function repeat(count: number, work: () => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push((await work()).status)
  return statuses
}

describe('a new document', () => {
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
      for (let index = 0; index < 75; index++)
        await ask(school, { network, client: `https://${network}${index}.example/x` })
    expect((await ask(school, withdrawn)).status).toBe(400)
    expect(hosts.fetched.at(-1)).toBe(NOTES_URL)
  })
})

describe('a page that a person of a network reads', () => {
  it('spends nothing with images and frames [LIM-09]', async () => {
    const { school, hosts } = await createNotesSchool({ allowances: { requestsOfNetwork: few } })
    const images = await repeat(9, () => ask(school, { network: 'h', headers: IMAGE }))
    expect(new Set(images)).toEqual(new Set([400]))
    await repeat(20, () =>
      ask(school, { network: 'h', client: NOTES_URL, prompt: 'none', headers: FRAME }),
    )
    expect(hosts.fetched).toEqual([])
    expect(new Set(reasonsOf(school))).toEqual(new Set(['request_embedded', 'document_unavailable'])) // prettier-ignore
    expect(
      await (await ask(school, { network: 'h', prompt: 'none', headers: IMAGE })).json(),
    ).toMatchObject({
      view: {
        status: 400,
        error: 'invalid_request',
        description: expect.stringContaining('open it in a window'),
      },
    })
    expect((await ask(school, { network: 'h', prompt: 'login', headers: FRAME })).status).toBe(400)
    expect((await ask(school, { network: 'h', headers: WINDOW })).status).toBe(303)
    expect((await ask(school, { network: 'h', client: NOTES_URL, headers: WINDOW })).status).toBe(303) // prettier-ignore
  })

  it('is answered in a frame with the document of today, for a client that is known', async () => {
    const { school, hosts } = await createNotesSchool()
    await ask(school, { network: 'h', client: NOTES_URL })
    school.clock.now = T + 61
    await ask(school, { network: 'h', client: NOTES_URL, prompt: 'none', headers: FRAME })
    expect(hosts.fetched).toEqual([NOTES_URL, NOTES_URL])
  })

  it('registers no more than a tenth of what its network may, and its reader still does [LIM-09]', async () => {
    const allowances = { registrationsOfNetwork: { ...few, amount: 10 * few.amount } }
    const school = await createSchool({ options: { networkOf, allowances } })
    const statuses = await repeat(4, () => registerFrom(school, 'h', 'https://evil.example'))
    expect([statuses.indexOf(429), reasonsOf(school).at(-1)]).toEqual([3, 'registration_paced'])
    // A sandboxed frame is one of them, a page of the site itself is not.
    expect((await registerFrom(school, 'h', 'null')).status).toBe(429)
    expect((await registerFrom(school, 'h', ISSUER)).status).toBe(201)
    expect((await register(school, 'h')).status).toBe(201)
  })
})

describe('a browser', () => {
  it('that loops spends its own allowance before that of its network [LIM-09]', async () => {
    const allowances = { requestsOfBrowser: few, requestsOfNetwork: { ...few, amount: 20 } }
    const school = await createSchool({ options: { networkOf, allowances } })
    const first = await ask(school, { network: 'h' })
    const cookie = first.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const statuses = await repeat(9, () => ask(school, { network: 'h', headers: { cookie } }))
    expect(statuses.indexOf(429)).toBe(3)
    expect((await ask(school, { network: 'h' })).status).toBe(303)
  })

  it.each(['https://junk.example', 'https://notes.example'])(
    'that a page leads from one document of %s to the next fetches a fifth of what its network may [LIM-09]',
    async (host) => {
      const { school, hosts } = await createNotesSchool()
      const window = { ...WINDOW, 'sec-fetch-site': 'cross-site' }
      const first = await ask(school, { network: 'h', client: `${host}/0`, headers: window })
      const cookie = first.headers.getSetCookie()[0]!.split(';', 1)[0]!
      let index = 0
      await repeat(9, () => ask(school, { network: 'h', client: `${host}/${(index += 1)}`, headers: { ...window, cookie } })) // prettier-ignore
      expect(hosts.fetched).toHaveLength(3)
      expect((await ask(school, { network: 'h', client: NOTES_URL, headers: window })).status).toBe(303) // prettier-ignore
    },
  )

  it('of a person who is signed in starts a request when others have spent what the network has', async () => {
    const allowances = { requestsOfNetwork: few, requestsOfPerson: few }
    const school = await createSchool({ options: { networkOf, allowances } })
    await repeat(9, () => ask(school, { network: 'h' }))
    expect((await ask(school, { network: 'h' })).status).toBe(429)
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const statuses = await repeat(4, () => ask(school, { network: 'h' }))
    expect(statuses.indexOf(429)).toBe(3)
  })
})

describe('an IPv6 network', () => {
  it('shares twice an allowance with the others of its first 48 bits', async () => {
    const allowances = { registrationsOfNetwork: few }
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
