import { decodeJwt } from 'jose'
import { createHealthEndpoints, maintain } from 'hallpass/operations'
import { authorizeBearer } from 'hallpass'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { createMemoryStore, type Store } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import {
  approve,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  authorizationUrl,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  STUDENT,
  type School,
  T,
} from '../support/school/school.js'

const DAY = 86_400
const MINUTES_11 = 660

/** A store with a clock of its own, as a database server has one. */
function storeWithClock(clock: { now: number }, memory = createMemoryStore()): Store {
  const findClock: Store['findClock'] = async () => ({
    ...(await memory.findClock()),
    now: clock.now,
  })
  return { ...memory, findClock }
}

async function openSchool(): Promise<{ school: School; database: { now: number }; keys: KeyRing }> {
  const database = { now: T }
  const school = await createSchool({ store: storeWithClock(database) })
  const keys = createKeyRing(school.site, {
    sealingSecret: 'a sealing secret of thirty-two characters',
    reloadAfterSeconds: 0,
  })
  return { school, database, keys }
}

const statusOf = async (asked: Promise<Response>): Promise<readonly unknown[]> => {
  const { status, headers } = await asked
  return [status, headers.get('retry-after')]
}
const UNAVAILABLE = [503, '5']
const register = (school: School): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1/cb'] }),
  })

describe('a process whose clock is off by more than a minute', () => {
  it.each([61, 90, MINUTES_11, 3600, 400 * DAY])('by %i seconds, either way: issues nothing and uses nothing up [F-12]', async (skew) => {
    for (const sign of [1, -1]) {
      const { school } = await openSchool()
      const code = await approve(school)
      const tokens = await signIn(school)
      school.clock.now = T + sign * skew
      expect(await statusOf(redeem(school, code))).toEqual(UNAVAILABLE)
      expect(await statusOf(refresh(school, tokens.refresh_token))).toEqual(UNAVAILABLE)
      expect(await statusOf(school.fetch(authorizationUrl()))).toEqual(UNAVAILABLE)
      expect(await statusOf(register(school))).toEqual(UNAVAILABLE)
      const [fault] = school.faults
      expect(String((fault as { fault: unknown }).fault)).toContain(`${skew} seconds`)
      expect(school.events).toContainEqual({
        type: 'oauth.clock.skewed',
        at: school.clock.now,
        skewSeconds: sign * skew,
      })

      school.clock.now = T
      const late = await tokensOf(await redeem(school, code))
      expect(decodeJwt(late.id_token!)).toMatchObject({ iat: T, exp: T + 600 })
      expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
    }
  }) // prettier-ignore

  it('issues no code for a consent that was shown before its clock jumped', async () => {
    const { school } = await openSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    if (school.view?.page !== 'consent') throw new Error('there is no consent page')
    const { action, csrfToken } = school.view.view
    const allow = { csrf_token: csrfToken, decision: 'allow' }
    school.clock.now = T + MINUTES_11 - 100
    expect(await statusOf(browser.post(action, allow))).toEqual(UNAVAILABLE)
    school.clock.now = T
    expect((await browser.post(action, allow)).status).toBe(303)
  })

  it('makes nothing valid again that has expired: no code, no token [F-12]', async () => {
    const { school, database } = await openSchool()
    const code = await approve(school)
    const tokens = await signIn(school)
    const portfolio = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    const isActive = async (): Promise<unknown> => {
      const { access_token: token } = portfolio
      const asked = await post(school, '/api/oauth/introspect', { ...PORTFOLIO_FORM, token })
      return ((await asked.json()) as { active: unknown }).active
    }
    const isAccepted = async (): Promise<boolean> => {
      const authorization = `Bearer ${tokens.access_token}`
      return (await authorizeBearer(school.site, { authorization, required: [] })).ok
    }
    for (const behind of [59, 60, 90, MINUTES_11, 400 * DAY]) {
      database.now = T + 3600
      school.clock.now = database.now - behind
      expect(await isAccepted()).toBe(false)
      expect(await isActive()).toBe(false)
      expect((await redeem(school, code)).status).not.toBe(200)
    }
    database.now = T + 3599
    school.clock.now = T
    expect(await isAccepted()).toBe(true)
    expect(await isActive()).toBe(true)
  })

  it('moves no key and deletes nothing, and says so to who asks for its health', async () => {
    const { school, database, keys } = await openSchool()
    const failing = async (): Promise<unknown> => {
      const { readyz } = createHealthEndpoints(school.site, { keys })
      const response = await readyz(new Request(`${ISSUER}/readyz`))
      return ((await response.json()) as { failing: unknown }).failing
    }
    await school.store.moveClock({ from: null, to: { trustedAt: T, leap: null } })
    expect(await maintain(school.site, { keys })).toEqual({
      deletesBefore: T - 3900,
      purged: 0,
      lagSeconds: 0,
      dueSince: T - 3900,
    })
    for (const skew of [61, 400 * DAY, -400 * DAY]) {
      database.now = T
      school.clock.now = T + skew
      const before = await school.store.listKeys()
      expect(await maintain(school.site, { keys })).toEqual({
        deletesBefore: null,
        purged: 0,
        lagSeconds: null,
        // As the other processes deleted.
        dueSince: T - 3900,
      })
      expect(await school.store.listKeys()).toEqual(before)
      expect(await failing()).toEqual(['clock'])
      expect(await school.site.clock.skewSeconds()).toBe(skew)
    }
    school.clock.now = T
    expect(await failing()).toEqual([])
  })
})
