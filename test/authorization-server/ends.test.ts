import { defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account-api'
import type { Client } from 'hallpass/policy'
import { createProtectedResource } from 'hallpass/protected-resource'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/account.js'
import {
  approve,
  authorizationUrl,
  isAlive,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  redeem,
  refresh,
  signIn,
  type Tokens,
  tokensOf,
} from '../support/flow.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  PORTFOLIO_HUB,
  type School,
  STUDENT,
  T,
} from '../support/school.js'

const END = T + 1000
const HOUR = 3600

/** A school in which a client has this end, as a manager stored it. */
async function schoolWithEnd(endsAt: number | null, clientId = 'study-buddy'): Promise<School> {
  const school = await createSchool()
  await setEnd(school, endsAt, clientId)
  return school
}

async function setEnd(school: School, endsAt: number | null, clientId: string): Promise<void> {
  const client = (await school.store.findClient(clientId))!
  const changed: Client = { ...client, endsAt, revision: client.revision + 1 }
  expect(await school.store.replaceClient(changed)).toBe('replaced')
}

const introspect = async (school: School, token: string): Promise<Record<string, unknown>> =>
  (await (
    await post(school, '/api/oauth/introspect', { ...PORTFOLIO_FORM, token })
  ).json()) as Record<string, unknown>

/** The surfaces that accept an access token, each with whether it accepts this one. */
async function surfaces(school: School, token: string): Promise<Record<string, boolean>> {
  const site = defineSite({ ...school.siteOptions, onRefusal: () => {} })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const access = await createProtectedResource(site).gate()(
    new Request(`${ISSUER}/api`, { headers }),
  )
  const profile = { email: STUDENT.email, name: STUDENT.name, changes: [] }
  const none = { enrollments: [], orders: [], registrations: [], outlines: new Map() }
  const { source } = createSource(new Map([[STUDENT.subject, { profile, ...none }]]))
  const body = JSON.stringify({ query: '{ viewer { name } }' })
  const url = `${ISSUER}/account/graphql`
  const answer = await createAccountApi(site, { source }).graphql(
    new Request(url, { method: 'POST', headers, body }),
  )
  return {
    gate: !(access instanceof Response),
    account: answer.status === 200,
    userinfo: await isAlive(school, token),
    introspection: (await introspect(school, token))['active'] === true,
  }
}
const ALL = { gate: true, account: true, userinfo: true, introspection: true }
const NONE = { gate: false, account: false, userinfo: false, introspection: false }
const PORTFOLIO_SIGN_IN = [PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM }] as const

describe('a client with an end', () => {
  it('is accepted everywhere until the second before it, and nowhere from it on [END-01]', async () => {
    const school = await schoolWithEnd(END, PORTFOLIO_HUB.clientId)
    const { access_token, refresh_token } = await signIn(school, ...PORTFOLIO_SIGN_IN)
    // The introspecting client ends too, so another one asks: see the next test.
    const open = async (): Promise<Record<string, boolean>> => {
      const { introspection: _, ...rest } = await surfaces(school, access_token)
      return rest
    }
    const { introspection: _, ...all } = ALL
    const { introspection: _none, ...none } = NONE
    school.clock.now = END - 1
    expect(await open()).toEqual(all)
    school.clock.now = END
    expect(await open()).toEqual(none)
    school.refusals.length = 0
    expect((await refresh(school, refresh_token, PORTFOLIO_FORM)).status).toBe(401)
    expect(reasonsOf(school)).toEqual(['client_ended'])
  })

  it('gets tokens that expire no later, and introspection says so [END-02]', async () => {
    const school = await schoolWithEnd(END)
    const first = await signIn(school, { scope: 'openid account:read' })
    expect(first.expires_in).toBe(END - T)
    school.clock.now = T + 400
    const second = await tokensOf(await refresh(school, first.refresh_token))
    expect(second.expires_in).toBe(END - T - 400)
    const repeated = await tokensOf(await refresh(school, first.refresh_token))
    expect(repeated.expires_in).toBe(END - T - 400)
    const own = { gate: true, account: true, userinfo: true }
    expect(await surfaces(school, second.access_token)).toMatchObject(own)
  })

  it('loses its tokens immediately if a manager sets an earlier end [END-03]', async () => {
    const options = { introspectionClientIds: [PORTFOLIO_HUB.clientId] }
    const school = await createSchool({ options })
    const { access_token } = await signIn(school)
    expect(await introspect(school, access_token)).toMatchObject({ exp: T + HOUR })
    await setEnd(school, END, 'study-buddy')
    expect(await introspect(school, access_token)).toMatchObject({ active: true, exp: END })
    expect(await surfaces(school, access_token)).toEqual(ALL)
    await setEnd(school, T, 'study-buddy')
    expect(await surfaces(school, access_token)).toEqual(NONE)
    expect(reasonsOf(school)).toContain('client_ended')
  })

  it('works again with the same grant after a later end [END-03]', async () => {
    const school = await schoolWithEnd(END)
    const { access_token, refresh_token } = await signIn(school)
    school.clock.now = END
    expect((await refresh(school, refresh_token)).status).toBe(401)
    await setEnd(school, END + 2 * HOUR, 'study-buddy')
    expect(await isAlive(school, access_token)).toBe(false)
    expect((await tokensOf(await refresh(school, refresh_token))).expires_in).toBe(HOUR)
  })

  it('is refused by a page at authorization, and its code is not redeemed [END-01]', async () => {
    const school = await schoolWithEnd(END)
    school.clock.now = END - 1
    const code = await approve(school)
    school.clock.now = END
    expect((await redeem(school, code)).status).toBe(401)
    const response = await school.fetch(authorizationUrl())
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.view).toMatchObject({ page: 'error', view: { reason: 'client_ended' } })
    expect(reasonsOf(school)).toEqual(['client_ended', 'client_ended'])
  })

  it('that is waiting for a person shows the page too [END-01]', async () => {
    const school = await schoolWithEnd(END)
    school.clock.now = END - 1
    school.signedIn = { subject: STUDENT.subject, authTime: END - 1 }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    school.clock.now = END
    const response = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.view).toMatchObject({ page: 'error', view: { reason: 'client_ended' } })
  })

  it('can be a vendor of the configuration [END-01]', async () => {
    const school = await createSchool({ options: { vendors: [{ ...ACME, endsAt: END }] } })
    expect(await school.site.findClient(ACME.clientId)).toMatchObject({ disabled: false })
    school.clock.now = END
    expect(await school.site.findClient(ACME.clientId)).toMatchObject({
      disabled: true,
      offBy: 'client_ended',
    })
  })

  it('ends by the clock of the store if the one of the process is behind [END-04]', async () => {
    const clock = { now: T }
    const memory = createMemoryStore()
    const store = { ...memory, findClock: async () => ({ ...(await memory.findClock()), now: clock.now }) } // prettier-ignore
    const school = await createSchool({ store })
    const { access_token } = await signIn(school)
    await setEnd(school, END, 'study-buddy')
    school.clock.now = END - 30
    clock.now = END - 1
    expect(await isAlive(school, access_token)).toBe(true)
    school.clock.now = END - 29
    clock.now = END
    expect(await isAlive(school, access_token)).toBe(false)
  })
})

describe('a grant at its end', () => {
  it('is refused by each surface, even if the token would last longer [END-05]', async () => {
    const options = { introspectionClientIds: [PORTFOLIO_HUB.clientId] }
    const school = await createSchool({ options: { ...options, grantSeconds: 1000 } })
    const { access_token }: Tokens = await signIn(school)
    school.clock.now = END - 1
    expect(await surfaces(school, access_token)).toEqual(ALL)
    school.clock.now = END
    expect(await surfaces(school, access_token)).toEqual(NONE)
    expect(reasonsOf(school)).toContain('grant_expired')
  })
})
