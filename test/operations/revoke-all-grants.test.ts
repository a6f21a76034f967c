import { defineSite, OptionsError, type Site, type SiteOptions } from 'hallpass'
import { createConnectedApps } from 'hallpass/clients'
import { revokeAllGrants } from 'hallpass/operations'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
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
  { school, events }: Office,
  options: Partial<SiteOptions> = {},
): Site<string, Store> =>
  defineSite({ ...school.siteOptions, onEvent: (event) => events.push(event), ...options })

const RIGHTS = ['openid', 'account:read', 'account:write']
const NOTHING = { grants: 0, codes: 0, consents: 0, pending: 0 }

describe('revokeAllGrants', () => {
  it('ends every token, code, open request and remembered consent of everybody [ST-08]', async () => {
    const office = await createOffice()
    const { school } = office
    const one = await createDiary(office)
    const mine = await connect(office, one)
    const theirs = await connect(office, one, { person: NOOR })
    const code = await codeFor(office, one.client)
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    const { client } = await createDiary(office)
    await browser.open(authorizationUrl(requestOf(client)))
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    office.events.length = 0

    const site = siteOf(office)
    expect(await revokeAllGrants(site)).toEqual({ grants: 2, codes: 1, consents: 2, pending: 1 })
    expect(office.events).toEqual([
      { type: 'oauth.grants.revoked', at: T, issuedBefore: T + 60, grants: 2, requestId: null },
    ])
    const form = { client_id: one.client.clientId, client_secret: one.clientSecret }
    for (const tokens of [mine, theirs]) {
      expect(await rightOf(office, tokens)).toBe(401)
      const refused = await refresh(school, tokens.refresh_token, form)
      expect(await refusalOf(refused)).toEqual(generic('invalid_grant'))
    }
    expect(await refusalOf(await exchange(office, one, code))).toEqual(generic('invalid_grant'))
    const posted = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect([posted.status, reasonsOf(school).at(-1)]).toEqual([400, 'interaction_expired'])
    for (const person of [STUDENT, NOOR]) {
      expect(await isAsked(office, one.client, { person })).toBe(true)
      expect(await createConnectedApps(site).list(person.subject)).toEqual([])
    }
    expect(await rightOf(office, await connect(office, one))).toEqual(RIGHTS)
  })

  it('leaves what was issued since a time', async () => {
    const office = await createOffice()
    const { school } = office
    const one = await createDiary(office)
    const old = await connect(office, one)
    school.clock.now = T + 100
    const fresh = await connect(office, one, { person: NOOR })
    const site = siteOf(office)
    expect(await revokeAllGrants(site, { issuedBefore: T + 100 })).toMatchObject({ grants: 1 })
    expect(await rightOf(office, old)).toBe(401)
    expect(await rightOf(office, fresh)).toEqual(RIGHTS)
  })

  it('judges by the clock of the store where the process is behind', async () => {
    const store = createMemoryStore()
    const findClock: Store['findClock'] = async () => ({ now: T + 5000, mark: null })
    const { site, events } = testSite({ store: { ...store, findClock }, now: () => T })
    await revokeAllGrants(site)
    expect(events).toContainEqual({
      type: 'oauth.grants.revoked',
      at: T + 5000,
      issuedBefore: T + 5060,
      grants: 0,
      requestId: null,
    })
  })

  it('repeats until nothing is left, and adds up what it found', async () => {
    const asked: unknown[] = []
    const left = [
      { ...NOTHING, grants: 1000, consents: 1000 },
      { ...NOTHING, grants: 5, codes: 5 },
      { ...NOTHING, codes: 1, pending: 1 },
    ]
    const revokeAll: Store['revokeAllGrants'] = async (revocation) => {
      asked.push(revocation)
      return left.shift() ?? NOTHING
    }
    const { site } = testSite({
      store: { ...createMemoryStore(), revokeAllGrants: revokeAll },
      now: () => T,
    })
    const total = { grants: 1005, codes: 6, consents: 1000, pending: 1 }
    expect(await revokeAllGrants(site)).toEqual(total)
    const each = { issuedBefore: T + 60, revokedAt: T, revokedReason: 'restored', limit: 50 }
    expect(asked).toEqual([each, each, each, each])
  })

  it('ends where others issue faster than it revokes', async () => {
    let rounds = 0
    const endless = async (): Promise<typeof NOTHING> => ({ ...NOTHING, codes: ++rounds })
    const { site } = testSite({
      store: { ...createMemoryStore(), revokeAllGrants: endless },
      now: () => T,
    })
    await expect(revokeAllGrants(site)).rejects.toThrow('stop the processes')
    expect(rounds).toBe(100_000)
  })

  it('rejects if the storage fails, and reports no event', async () => {
    const { store, fail } = breakableStore()
    const office = await createOffice({ store })
    const tokens = await connect(office, await createDiary(office))
    office.events.length = 0
    fail('revokeAllGrants')
    await expect(revokeAllGrants(siteOf(office))).rejects.toMatchObject({
      name: 'StorageFailure',
      cause: new Error(FAULT_TEXT),
    })
    fail(null)
    expect(await rightOf(office, tokens)).toEqual(RIGHTS)
    expect(office.events).toEqual([])
  })

  it.each([
    [
      { issuedBefore: T * 1000 },
      `issuedBefore must be a whole number from 0 to 100000000000, not ${T * 1000}`,
    ],
    [{ before: T }, 'before is not an option'],
  ])('refuses %j, and revokes nothing', async (options, mistake) => {
    const office = await createOffice()
    const tokens = await connect(office, await createDiary(office))
    await expect(revokeAllGrants(siteOf(office), options as never)).rejects.toThrow(
      new OptionsError('revokeAllGrants', [mistake]),
    )
    expect(await rightOf(office, tokens)).toEqual(RIGHTS)
  })
})
