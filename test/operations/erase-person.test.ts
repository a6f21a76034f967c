import { testSite } from 'hallpass/testing'
import { defineSite, OptionsError, type Site, type SiteOptions } from 'hallpass'
import { createConnectedApps, createMemoryAttempts, recordAttempts } from 'hallpass/clients'
import { erasePerson } from 'hallpass/operations'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { authorizationUrl, generic, reasonsOf, refresh, refusalOf } from '../support/school/flow.js'
import { breakableStore, FAULT_TEXT } from '../support/school/stores.js'
import { createBrowser, STUDENT, T } from '../support/school/school.js'
import {
  codeFor,
  connect,
  createDiary,
  createOffice,
  exchange,
  isAsked,
  NOOR,
  type Office,
  requestOf,
  rightOf,
} from '../clients/support.js'

const siteOf = (
  { school, events, faults }: Office,
  options: Partial<SiteOptions> = {},
): Site<string, Store> =>
  defineSite({
    ...school.siteOptions,
    onEvent: (event) => events.push(event),
    onFault: ({ fault }) => faults.push(fault),
    ...options,
  })

const { subject } = STUDENT

const NOTE = {
  joins: null, resource: null, scopes: [], network: null, grantId: null,
  steps: [{ at: T, stage: 'authorize', ok: true, error: null, reason: null, requestId: null, detail: null, network: null }],
} as const // prettier-ignore

describe('erasing a person', () => {
  it('ends every token, code and consent of the person at once, and nobody else’s [ST-06]', async () => {
    const office = await createOffice()
    const { school } = office
    const [one, other] = [await createDiary(office), await createDiary(office)]
    const tokens = [
      await connect(office, one),
      await connect(office, one),
      await connect(office, other),
    ]
    const others = await connect(office, one, { person: NOOR })
    const code = await codeFor(office, one.client)
    const site = siteOf(office)
    office.events.length = 0

    const erased = { grants: 3, codes: 4, consents: 2, pending: 0 }
    expect(await erasePerson(site, { subject })).toEqual(erased)
    for (const { access_token, refresh_token } of tokens) {
      expect(await rightOf(office, { access_token } as never)).toBe(401)
      expect(await school.store.findRefreshToken(hashToken(refresh_token))).toBeNull()
    }
    const form = { client_id: one.client.clientId, client_secret: one.clientSecret }
    expect(await refusalOf(await refresh(school, tokens[0]!.refresh_token, form))).toEqual(
      generic('invalid_grant'),
    )
    expect(await refusalOf(await exchange(office, one, code))).toEqual(generic('invalid_grant'))
    expect(await isAsked(office, one.client)).toBe(true)
    expect(await createConnectedApps(site).list(subject)).toEqual([])
    expect(await rightOf(office, others)).toEqual(['openid', 'account:read', 'account:write'])
    expect(await isAsked(office, one.client, { person: NOOR })).toBe(false)
  })

  it('tells of it without a name', async () => {
    const office = await createOffice()
    await connect(office, await createDiary(office))
    const site = siteOf(office)
    office.events.length = 0
    await erasePerson(site, { subject, loginHints: ['mei@school.example'] })
    expect(office.events).toEqual([
      { type: 'oauth.person.erased', at: T, grants: 1, requestId: null },
    ])
  })

  it('finds nothing a second time', async () => {
    const office = await createOffice()
    await connect(office, await createDiary(office))
    const site = siteOf(office)
    await erasePerson(site, { subject })
    const nothing = { grants: 0, codes: 0, consents: 0, pending: 0 }
    expect(await erasePerson(site, { subject })).toEqual(nothing)
  })

  it('looks for requests by the subject alone, where the host has no other hint', async () => {
    const office = await createOffice()
    const asked: unknown[] = []
    const { store } = office.school
    const erasing = {
      ...store,
      erasePerson: (person: Parameters<typeof store.erasePerson>[0]) => {
        asked.push(person)
        return store.erasePerson(person)
      },
    }
    await erasePerson(siteOf(office, { store: erasing }), { subject })
    expect(asked).toEqual([{ subject, loginHints: [subject], erasedAt: T }])
  })

  it('removes requests that name the person, by the subject or by a hint of the host', async () => {
    const office = await createOffice()
    const { client } = await createDiary(office)
    const begin = async (login_hint: string): Promise<void> => {
      const url = authorizationUrl({ ...requestOf(client), login_hint })
      expect((await createBrowser(office.school).open(url)).status).toBe(200)
    }
    for (const hint of [subject, 'Mei@School.example', 'noor@school.example']) await begin(hint)
    const person = { subject, loginHints: ['mei@school.example'] }
    expect(await erasePerson(siteOf(office), person)).toMatchObject({ pending: 2 })
  })

  it('removes records of attempts that contain a hint of the host, and none by a short subject', async () => {
    const attempts = createMemoryAttempts()
    const { site } = testSite({ watchers: [recordAttempts(attempts)] })
    const write = (id: string, clientName: string) =>
      attempts.append({ ...NOTE, id, clientName, clientId: 'app_7' })
    await write('att_1', 'Notes of MEI@school.example')
    await write('att_2', 'Notes of Noor')
    await erasePerson(site, { subject: '7', loginHints: ['mei@school.example'] })
    expect([await attempts.find('att_1'), (await attempts.find('att_2'))?.clientName]).toEqual([
      null,
      'Notes of Noor',
    ])
  })

  it('issues no code for a consent page that was open', async () => {
    const office = await createOffice()
    const { school } = office
    const { client } = await createDiary(office)
    const browser = createBrowser(school)
    school.signedIn = { subject, authTime: T }
    await browser.open(authorizationUrl(requestOf(client)))
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    await erasePerson(siteOf(office), { subject })
    const posted = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect([posted.status, posted.headers.get('location')]).toEqual([400, null])
    expect(reasonsOf(school).at(-1)).toBe('interaction_expired')
    const grants = { of: { subject }, after: null, limit: 9, now: T }
    expect(await school.store.listGrants(grants)).toEqual([])
  })

  it('is done where the listener throws', async () => {
    const office = await createOffice()
    const tokens = await connect(office, await createDiary(office))
    const onEvent = (): never => {
      throw new Error('the log is full')
    }
    expect(await erasePerson(siteOf(office, { onEvent }), { subject })).toMatchObject({ grants: 1 })
    expect(await rightOf(office, tokens)).toBe(401)
    expect(office.faults).toEqual([new Error('the log is full')])
  })

  it('rejects if the storage fails, and tells of nothing', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const tokens = await connect(office, await createDiary(office))
    office.events.length = 0
    fail('erasePerson')
    await expect(erasePerson(siteOf(office), { subject })).rejects.toMatchObject({
      name: 'StorageFailure',
      cause: new Error(FAULT_TEXT),
    })
    fail(null)
    expect(await rightOf(office, tokens)).toEqual(['openid', 'account:read', 'account:write'])
    expect(office.events).toEqual([])
  })

  it.each([
    ['no subject', {}, 'subject is missing: a string such as "mem_mei"'],
    [
      'a blank subject',
      { subject: ' ' },
      'subject must be a string such as "mem_mei", not a blank one',
    ],
    [
      'one hint in place of a list',
      { subject, loginHints: 'mei@school.example' },
      'loginHints must be an array in which each item is a string such as "mei@school.example", not a string',
    ],
    [
      'a misspelt option',
      { subject, loginHint: [] },
      'loginHint is not an option: did you mean loginHints?',
    ],
  ])('refuses %s, and erases nobody', async (_, person, mistake) => {
    const office = await createOffice()
    const tokens = await connect(office, await createDiary(office))
    await expect(erasePerson(siteOf(office), person as never)).rejects.toThrow(
      new OptionsError('erasePerson', [mistake]),
    )
    expect(await rightOf(office, tokens)).toEqual(['openid', 'account:read', 'account:write'])
  })

  it('refuses what defineSite did not make', async () => {
    const site = { issuer: 'https://school.example' } as never
    await expect(erasePerson(site, { subject })).rejects.toThrow(
      new OptionsError('erasePerson', [
        'the first argument must be a site created by defineSite, not an object',
      ]),
    )
  })
})
