import { createProtectedResource, defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/school/account.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  isAlive,
  redeem,
  refresh,
  signIn,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { createBrowser, createSchool, ISSUER, OWNER, type School, STUDENT, T } from '../support/school/school.js' // prettier-ignore

type Switch = () => boolean | Promise<boolean>

const DESK = { client_id: DESK_REQUEST['client_id']!, redirect_uri: DESK_REQUEST['redirect_uri']! }

/** A school with a switch for member clients, and everything that stands behind its tokens. */
async function openSchool(): Promise<{
  school: School
  turn: (to: Switch) => void
  asked: () => number
  resource: (accessToken: string) => Promise<unknown>
  account: (accessToken: string) => Promise<unknown>
  reasons: string[]
}> {
  let answer: Switch = () => true
  let asked = 0
  const memberClients: Switch = () => {
    asked++
    return answer()
  }
  const school = await createSchool({ options: { memberClients } })
  await school.store.insertClient(DESK_CLI)
  const reasons: string[] = []
  const site = defineSite({
    ...school.siteOptions,
    onRefusal: ({ reason }) => reasons.push(reason),
  })
  const gate = createProtectedResource(site).gate()
  const profile = { email: STUDENT.email, name: STUDENT.name, changes: [] }
  const none = { enrollments: [], orders: [], registrations: [], outlines: new Map() }
  const { source } = createSource(new Map([[STUDENT.subject, { profile, ...none }]]))
  const api = createAccountApi(site, { source })
  const headersOf = (accessToken: string) => ({
    authorization: `Bearer ${accessToken}`,
    'content-type': 'application/json',
  })
  return {
    school,
    turn: (to) => (answer = to),
    asked: () => asked,
    reasons,
    async resource(accessToken) {
      const headers = headersOf(accessToken)
      const access = await gate(new Request(`${ISSUER}/api`, { headers }))
      return access instanceof Response ? access.status : 200
    },
    async account(accessToken) {
      const body = JSON.stringify({ query: '{ viewer { name } }' })
      const url = `${ISSUER}/account/graphql`
      const init = { method: 'POST', headers: headersOf(accessToken), body }
      return (await api.graphql(new Request(url, init))).status
    },
  }
}

const OFF_PAGE = {
  page: 'error',
  view: {
    status: 400,
    error: 'invalid_client',
    reason: 'member_clients_off',
    description: 'this app is turned off',
  },
}
const lastRefusal = (school: School): unknown => {
  const { endpoint, error, reason } = school.refusals.at(-1)!
  return [endpoint, error, reason]
}

describe('a site that lets no member clients in', () => {
  it.each<[string, Switch]>([
    ['at once', () => false],
    ['after a look at its database', async () => false],
  ])('shows a page to whoever begins, and redirects nowhere: %s', async (_, off) => {
    const { school, turn } = await openSchool()
    turn(off)
    for (const changes of [{}, { prompt: 'none' }, { client_id: 'portfolio-hub' }]) {
      const response = await school.fetch(authorizationUrl(changes))
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(school.view).toEqual(OFF_PAGE)
    }
    expect(school.events).toEqual([])
  })

  it('shows that page to whoever had the consent page open, and on again lets them go on', async () => {
    const { school, turn } = await openSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    const allow = (): Promise<Response> =>
      browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    turn(() => false)
    for (const response of [await browser.open(action), await allow()]) {
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(school.view).toEqual(OFF_PAGE)
      expect(lastRefusal(school)).toEqual(['interaction', 'invalid_client', 'member_clients_off'])
    }
    turn(() => true)
    expect((await allow()).headers.get('location')).toContain('code=hpc_')
  })

  it('exchanges no code, and on again exchanges the same one', async () => {
    const { school, turn } = await openSchool()
    const code = await approve(school)
    turn(() => false)
    expect((await redeem(school, code)).status).toBe(401)
    expect(lastRefusal(school)).toEqual(['token', 'invalid_client', 'member_clients_off'])
    turn(() => true)
    expect((await redeem(school, code)).status).toBe(200)
  })

  it('refreshes nothing and opens nothing, and on again the same tokens work', async () => {
    const { school, turn, resource, account, reasons } = await openSchool()
    const { access_token, refresh_token } = await signIn(school)
    const opens = async (): Promise<readonly unknown[]> => [
      await resource(access_token),
      await account(access_token),
      await isAlive(school, access_token),
    ]
    expect(await opens()).toEqual([200, 200, true])
    turn(() => false)
    expect(await opens()).toEqual([401, 401, false])
    expect(reasons).toEqual(['member_clients_off', 'member_clients_off'])
    expect(lastRefusal(school)).toEqual(['userinfo', 'invalid_token', 'member_clients_off'])
    expect((await refresh(school, refresh_token)).status).toBe(401)
    expect(lastRefusal(school)).toEqual(['token', 'invalid_client', 'member_clients_off'])
    turn(() => true)
    expect(await opens()).toEqual([200, 200, true])
    expect((await refresh(school, refresh_token)).status).toBe(200)
  })

  it('tells a client no more than that it is not let in', async () => {
    const { school, turn } = await openSchool()
    const code = await approve(school)
    turn(() => false)
    const off = await (await redeem(school, code)).json()
    const unknown = await (await redeem(school, code, { client_id: 'nobody' })).json()
    expect(off).toEqual(unknown)
  })

  it('calls a client disabled that is switched off itself, whatever the site lets in', async () => {
    const { school, turn } = await openSchool()
    const client = (await school.store.findClient('study-buddy'))!
    await school.store.replaceClient({ ...client, disabled: true, revision: client.revision + 1 })
    await school.fetch(authorizationUrl())
    expect(school.view).toMatchObject({ view: { reason: 'client_disabled' } })
    turn(() => false)
    await school.fetch(authorizationUrl())
    expect(school.view).toEqual(OFF_PAGE)
    turn(() => true)
    await school.fetch(authorizationUrl())
    expect(school.view).toMatchObject({ view: { reason: 'client_disabled' } })
  })

  it('stores nothing about it', async () => {
    const { school, turn } = await openSchool()
    const before = await school.store.findClient('study-buddy')
    turn(() => false)
    await school.fetch(authorizationUrl())
    expect(await school.store.findClient('study-buddy')).toEqual(before)
  })
})

describe('a switch that is broken', () => {
  const BROKEN: readonly (readonly [string, Switch])[] = [
    ['throws', () => { throw new Error('flags at 10.0.0.9 are away') }],
    ['rejects', () => Promise.reject(new Error('flags at 10.0.0.9 are away'))],
  ] // prettier-ignore

  it.each(BROKEN)('lets no member client in while it %s, and says 503', async (_, broken) => {
    const { school, turn, resource, account } = await openSchool()
    const code = await approve(school)
    const { access_token, refresh_token } = await signIn(school)
    turn(broken)
    const calls: readonly (readonly [string, () => Promise<Response>])[] = [
      ['authorize', () => school.fetch(authorizationUrl())],
      ['token', () => redeem(school, code)],
      ['token', () => refresh(school, refresh_token)],
      ['userinfo', () => userinfo(school, access_token)],
    ]
    for (const [endpoint, call] of calls) {
      const response = await call()
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await response.text()).not.toContain('10.0.0.9')
      expect(school.faults.at(-1)).toMatchObject({ endpoint })
    }
    expect([await resource(access_token), await account(access_token)]).toEqual([503, 503])
    turn(() => true)
    expect(await isAlive(school, access_token)).toBe(true)
    await tokensOf(await redeem(school, code))
    await tokensOf(await refresh(school, refresh_token))
  })
})

describe('an operator client', () => {
  const SWITCHES: readonly (readonly [string, Switch])[] = [
    ['is off', () => false],
    ['throws', () => { throw new Error('away') }],
    ['rejects', () => Promise.reject(new Error('away'))],
    ['never answers', () => new Promise<boolean>(() => {})],
  ] // prettier-ignore

  it.each(SWITCHES)('goes on while the switch for members %s', async (_, to) => {
    const { school, turn, asked, resource } = await openSchool()
    turn(to)
    const before = asked()
    const request: Fields = DESK_REQUEST
    const { access_token, refresh_token } = await signIn(school, request, { person: OWNER })
    expect([await isAlive(school, access_token), await resource(access_token)]).toEqual([true, 200])
    expect((await refresh(school, refresh_token, DESK)).status).toBe(200)
    const vendor = authorizationUrl({
      client_id: 'acme-agents',
      redirect_uri: 'https://agents.acme.example/callback',
      scope: 'openid courses:read',
    })
    expect((await school.fetch(vendor)).status).toBe(303)
    expect(asked()).toBe(before)
  })
})
