import { ALLOWANCES, type Budget, createMemoryBudget, type Expense } from 'hallpass/operations'
import { createMemoryStore, type Store } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import {
  createDocumentSchool,
  documentAnswer,
  later,
  NOTES_DOCUMENT,
} from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  isAlive,
  PORTFOLIO,
  reasonsOf,
  signIn,
} from '../support/school/flow.js'
import { authorize, from, networkOf, register } from '../support/school/networks.js'
import { createBrowser, createSchool, ISSUER, OWNER, STUDENT, T } from '../support/school/school.js'

async function statusesOf(count: number, ask: () => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let round = 0; round < count; round++) statuses.push((await ask()).status)
  return statuses
}
const so = (count: number, status: number): readonly number[] =>
  Array.from({ length: count }, () => status)

const few = { amount: 3, seconds: 600 }

describe('registrations', () => {
  it('are refused to a network beyond its allowance, and to no other [LIM-09]', async () => {
    const school = await createSchool({
      options: { networkOf, allowances: { registrationsOfNetwork: few } },
    })
    expect(await statusesOf(4, () => register(school, 'a'))).toEqual([201, 201, 201, 429])
    const refused = await register(school, 'a')
    expect(refused.headers.get('retry-after')).toBe('200')
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect(reasonsOf(school)).toEqual(['registration_paced', 'registration_paced'])
    expect((await register(school, 'b')).status).toBe(201)
    school.clock.now = T + 200
    expect((await register(school, 'a')).status).toBe(201)
  })

  it('spend nothing if they are refused for another reason', async () => {
    const school = await createSchool({
      options: { networkOf, allowances: { registrationsOfNetwork: few } },
    })
    const faulty = () =>
      school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...from('a') },
        body: '{}',
      })
    expect(await statusesOf(9, faulty)).toEqual(so(9, 400))
    expect(await statusesOf(3, () => register(school, 'a'))).toEqual(so(3, 201))
  })

  it('are not limited where the network is not known', async () => {
    const allowances = { registrationsOfNetwork: few }
    const unknown = await createSchool({ options: { networkOf, allowances } })
    expect(await statusesOf(9, () => register(unknown, null))).toEqual(so(9, 201))
    const without = await createSchool({ options: { allowances } })
    expect(await statusesOf(9, () => register(without, 'a'))).toEqual(so(9, 201))
  })
})

describe('authorization requests', () => {
  it('are refused to a network beyond its allowance, with a page, and to no other [LIM-09]', async () => {
    const school = await createSchool({
      options: { networkOf, allowances: { requestsOfNetwork: few } },
    })
    expect(await statusesOf(3, () => authorize(school, 'a'))).toEqual(so(3, 303))
    const { status, headers } = await authorize(school, 'a')
    expect([status, headers.get('retry-after'), headers.get('location')]).toEqual([
      429,
      '200',
      null,
    ])
    expect(school.view).toEqual({
      page: 'error',
      view: {
        status: 429,
        error: 'temporarily_unavailable',
        reason: 'request_paced',
        description: 'too many authorization requests came from this network: try again later',
      },
    })
    expect((await authorize(school, 'b')).status).toBe(303)
  })

  it('for new documents are refused to a network, and those that are stored still work [LIM-09]', async () => {
    const { school, hosts } = await createDocumentSchool({
      documents: { openRegistration: true },
      options: { networkOf, allowances: { newDocumentsOfNetwork: few } },
    })
    hosts.answer = (url) =>
      documentAnswer({ ...NOTES_DOCUMENT, client_id: url }, { 'cache-control': 'max-age=600' })
    const document = (index: number) => `https://notes.example/${index}.json`
    const ask = (index: number, network: string) =>
      authorize(school, network, document(index)).then(({ status }) => status)
    const url = (index: number) => ({ client_id: document(index) })
    for (const index of [1, 2, 3]) expect(await ask(index, 'a')).not.toBe(429)
    expect(await ask(4, 'a')).toBe(429)
    expect(reasonsOf(school).at(-1)).toBe('document_fetch_paced')
    expect(await ask(4, 'b')).not.toBe(429)
    // Another network stored it, and a known document is not new when it is fetched again.
    school.clock.now = T + 601
    expect(await school.store.findClient(url(4).client_id)).not.toBeNull()
    const before = hosts.fetched.length
    for (const index of [1, 2, 3, 4]) expect(await ask(index, 'a')).not.toBe(429)
    expect(hosts.fetched.slice(before)).toEqual([1, 2, 3, 4].map(document))
  })

  it('that wait for a fetch of a network over its allowance begin it themselves', async () => {
    const { promise, resolve } = later<void>()
    const memory = createMemoryBudget()
    // The first network is told late that it has nothing left; the second joins it meanwhile.
    const budget: Budget = {
      async spend(expense: Expense) {
        if (expense.budget !== 'fetchesOfNetwork' || expense.spender !== 'a')
          return memory.spend(expense)
        await promise
        return { ok: false, remaining: 0, retryAfterSeconds: 7 }
      },
    }
    const { school, hosts } = await createDocumentSchool({ options: { networkOf, budget } })
    const [first, second] = [
      authorize(school, 'a', 'https://notes.example/client.json'),
      authorize(school, 'b', 'https://notes.example/client.json'),
    ]
    await new Promise((done) => setImmediate(done))
    expect(hosts.fetched).toHaveLength(0)
    resolve()
    expect((await first).status).toBe(429)
    expect((await second).status).not.toBe(429)
    expect(hosts.fetched).toHaveLength(1)
  })

  it('join the fetch that began last, also when one that began earlier has ended', async () => {
    const refusal = later<void>()
    const memory = createMemoryBudget()
    const budget: Budget = {
      async spend(expense: Expense) {
        if (expense.budget !== 'fetchesOfNetwork' || expense.spender !== 'a')
          return memory.spend(expense)
        await refusal.promise
        return { ok: false, remaining: 0, retryAfterSeconds: 7 }
      },
    }
    const { school, hosts } = await createDocumentSchool({ options: { networkOf, budget } })
    const settle = () => new Promise((done) => setImmediate(done))
    const hosted = [later<Response>(), later<Response>()]
    hosts.answer = () => hosted[hosts.fetched.length - 1]?.promise ?? documentAnswer()
    const ask = (network: string) =>
      authorize(school, network, 'https://notes.example/client.json').then(({ status }) => status)
    const [, second, third] = [ask('a'), ask('b'), ask('c')]
    await settle()
    refusal.resolve()
    await settle()
    expect(hosts.fetched).toHaveLength(2)
    hosted[0]!.resolve(new Response(null, { status: 404 }))
    expect(await second).toBe(400)
    const fourth = ask('d')
    await settle()
    hosted[1]!.resolve(new Response(null, { status: 404 }))
    expect([await third, await fourth]).toEqual([400, 400])
    expect(hosts.fetched).toHaveLength(2)
  })
})

describe('authorization codes', () => {
  it('are refused to a person at one client beyond the allowance [LIM-09]', async () => {
    const school = await createSchool({ options: { allowances: { codesOfPerson: few } } })
    for (let round = 0; round < 3; round++) await approve(school)
    const refused = (await createBrowser(school).authorize(authorizationUrl())).searchParams
    expect([refused.get('error'), refused.get('code')]).toEqual(['temporarily_unavailable', null])
    expect(reasonsOf(school)).toEqual(['code_paced'])
    // At another client, and another person at this one.
    await approve(school, PORTFOLIO)
    await approve(school, {}, OWNER)
    school.clock.now = T + 200
    await approve(school)
  })

  it('that were issued, and their grants, stay as they are [LIM-09]', async () => {
    const school = await createSchool({ options: { allowances: { codesOfPerson: few } } })
    const tokens = []
    for (let round = 0; round < 3; round++) tokens.push(await signIn(school))
    await createBrowser(school).authorize(authorizationUrl())
    for (const { access_token } of tokens) expect(await isAlive(school, access_token)).toBe(true)
  })

  it('are refused without a page too, for prompt=none', async () => {
    const school = await createSchool({ options: { allowances: { codesOfPerson: few } } })
    await approve(school, PORTFOLIO)
    const silently = () => school.fetch(authorizationUrl({ ...PORTFOLIO, prompt: 'none' }))
    await silently()
    await silently()
    const { searchParams } = new URL((await silently()).headers.get('location')!)
    expect(searchParams.get('error')).toBe('temporarily_unavailable')
  })

  it('end the request that they were refused to', async () => {
    const ended: unknown[] = []
    const memory = createMemoryStore()
    const store: Store = {
      ...memory,
      async endPending(idHash) {
        const outcome = await memory.endPending(idHash)
        ended.push(outcome)
        return outcome
      },
    }
    const school = await createSchool({
      store,
      options: { allowances: { codesOfPerson: { amount: 1, seconds: 600 } } },
    })
    await approve(school)
    await createBrowser(school).authorize(authorizationUrl())
    expect(ended).toEqual(['ended'])
  })

  it('are refused once, where two forms of one request are sent together', async () => {
    const school = await createSchool({
      options: { allowances: { codesOfPerson: { amount: 1, seconds: 600 } } },
    })
    await approve(school)
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    const press = () => browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    const answers = await Promise.all([press(), press()])
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['303', '400'])
    expect(reasonsOf(school).toSorted()).toEqual(['code_paced', 'interaction_expired'])
  })
})

describe('a budget of the host application', () => {
  it('is asked with the allowance, the time and who spends', async () => {
    const asked: Expense[] = []
    const memory = createMemoryBudget()
    const budget: Budget = {
      spend(expense) {
        asked.push(expense)
        return memory.spend(expense)
      },
    }
    const school = await createSchool({
      options: { networkOf, budget, allowances: { requestsOfNetwork: few } },
    })
    await authorize(school, '203.0.113.7')
    await approve(school)
    const here = { site: ISSUER, cost: 1, now: T }
    expect(asked).toEqual([
      { ...here, budget: 'requestsOfNetwork', spender: '203.0.113.7', allowance: few },
      {
        ...here,
        budget: 'codesOfPerson',
        spender: `${STUDENT.subject} study-buddy`,
        allowance: ALLOWANCES.codesOfPerson,
      },
    ])
  })

  it('is shared by sites without mixing them: what is spent at one is not spent at another [LIM-09]', async () => {
    const options = {
      networkOf,
      budget: createMemoryBudget(),
      allowances: { registrationsOfNetwork: few },
    }
    const one = await createSchool({ options })
    const other = await createSchool({ issuer: 'https://kiln.example', options })
    expect(await statusesOf(4, () => register(one, 'a'))).toEqual([201, 201, 201, 429])
    expect(await statusesOf(4, () => register(other, 'a'))).toEqual([201, 201, 201, 429])
  })

  it('that throws is replaced by the memory of the process, and is reported', async () => {
    const fault = new Error('connection refused')
    const school = await createSchool({
      options: {
        networkOf,
        budget: { spend: () => Promise.reject(fault) },
        allowances: { registrationsOfNetwork: few },
      },
    })
    expect(await statusesOf(4, () => register(school, 'a'))).toEqual([201, 201, 201, 429])
    expect(school.faults.map(({ endpoint }) => endpoint)).toEqual([
      'budget',
      'budget',
      'budget',
      'budget',
    ])
    for (const { fault: notice } of school.faults) expect((notice as Error).cause).toBe(fault)
  })

  it('that hangs is replaced by the memory of the process as well', async () => {
    const school = await createSchool({
      options: {
        networkOf,
        budget: { spend: () => new Promise(() => {}) },
        callDeadlineMilliseconds: 20,
      },
    })
    expect((await register(school, 'a')).status).toBe(201)
    expect(school.faults).toMatchObject([{ endpoint: 'budget' }])
  })

  it('is not asked for an allowance that is lifted, nor with a network that cannot be told', async () => {
    const fault = new Error('no such header')
    const school = await createSchool({
      options: {
        budget: { spend: () => Promise.reject(new Error('asked')) },
        allowances: { codesOfPerson: null },
        networkOf: () => {
          throw fault
        },
      },
    })
    await approve(school)
    expect((await register(school, 'a')).status).toBe(201)
    expect(new Set(school.faults.map((notice) => notice.fault))).toEqual(new Set([fault]))
  })
})
