import { createProtectedResource, defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import type { Client } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/school/account.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
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
} from '../support/school/flow.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  PORTFOLIO_HUB,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

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
      disabledBy: 'client_ended',
    })
  })

  it('can be a pinned document [END-01]', async () => {
    const clientId = 'https://notes.example/client.json'
    const metadata = {
      client_id: clientId,
      client_name: 'Notes',
      redirect_uris: ['https://notes.example/callback'],
    }
    const pinned = { metadata, scopes: null, checkedOn: '2026-11-20' }
    const school = await createSchool({
      options: { pinnedDocuments: [{ ...pinned, endsAt: END }] },
    })
    expect(await school.site.findClient(clientId)).toMatchObject({ disabled: false, endsAt: END })
    school.clock.now = END
    expect(await school.site.findClient(clientId)).toMatchObject({ disabledBy: 'client_ended' })
    const wrong = { pinnedDocuments: [{ ...pinned, endsAt: END * 1000 }] }
    await expect(createSchool({ options: wrong })).rejects.toThrow(
      'pinnedDocuments[0].endsAt must be epoch seconds',
    )
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

const DAY_END = { id: 'day', label: 'For one day', endsAt: T + 86_400 }
const TERM_END = { id: 'term', label: 'Until the end of term', endsAt: END }

/** A school that offers two ends, and the consent page of a person who wants to choose one. */
async function schoolWithChoice(): Promise<{
  school: School
  choose: (until: string | readonly string[] | null, request?: Fields) => Promise<Response>
}> {
  const options = {
    grantEnds: async () => [DAY_END, TERM_END],
    introspectionClientIds: [PORTFOLIO_HUB.clientId],
  }
  const school = await createSchool({ options })
  return {
    school,
    async choose(until, request = {}) {
      school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }
      const browser = createBrowser(school)
      await browser.open(authorizationUrl(request))
      if (school.view?.page !== 'consent') throw new Error('no consent page')
      const { action, csrfToken } = school.view.view
      const chosen = until === null ? {} : { until: until as string }
      return browser.post(action, { csrf_token: csrfToken, decision: 'allow', ...chosen })
    },
  }
}
const codeOf = (response: Response): string =>
  new URL(response.headers.get('location')!).searchParams.get('code')!

describe('an access token of a clock that was ahead', () => {
  it('is refused everywhere once the clock is corrected, and a refresh replaces it [END-10]', async () => {
    const school = await createSchool({
      options: { introspectionClientIds: [PORTFOLIO_HUB.clientId] },
    })
    const ahead = await signIn(school)
    school.clock.now = T - 299
    expect(await surfaces(school, ahead.access_token)).toEqual(ALL)
    school.clock.now = T - 300
    expect(await surfaces(school, ahead.access_token)).toEqual(NONE)
    const { access_token } = await tokensOf(await refresh(school, ahead.refresh_token))
    expect(await surfaces(school, access_token)).toEqual(ALL)
  })
})

describe('an end that a person chooses', () => {
  it('is that of the grant, which no refresh moves [END-08]', async () => {
    const { school, choose } = await schoolWithChoice()
    const first = await tokensOf(await redeem(school, codeOf(await choose('term'))))
    expect(first.expires_in).toBe(1000)
    school.clock.now = END - 1
    const last = await tokensOf(await refresh(school, first.refresh_token))
    expect(last.expires_in).toBe(1)
    expect(await surfaces(school, last.access_token)).toEqual(ALL)
    school.clock.now = END
    expect(await surfaces(school, last.access_token)).toEqual(NONE)
    expect((await refresh(school, last.refresh_token)).status).toBe(400)
    expect(reasonsOf(school).at(-1)).toBe('grant_expired')
  })

  it('is offered by the page until it has come, and never if it is not offered [END-08]', async () => {
    const { school, choose } = await schoolWithChoice()
    const offered = (): readonly string[] =>
      school.view?.page === 'consent' ? school.view.view.grantEnds.map(({ id }) => id) : []
    school.clock.now = END - 1
    expect((await choose('term')).status).toBe(303)
    expect(offered()).toEqual(['day', 'term'])
    school.clock.now = END
    for (const wrong of ['term', 'always', '1']) {
      const response = await choose(wrong)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(reasonsOf(school).at(-1)).toBe('consent_end_unknown')
    }
    await choose('')
    expect(reasonsOf(school).length).toBe(3)
  })

  it('cannot be passed by a code that is redeemed later [END-08]', async () => {
    const { school, choose } = await schoolWithChoice()
    school.clock.now = END - 1
    const code = codeOf(await choose('term'))
    school.clock.now = END
    expect((await redeem(school, code)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['grant_expired'])
  })

  it('is not extended by a consent that is remembered, of before or since [END-09]', async () => {
    const { school, choose } = await schoolWithChoice()
    const silent = async (): Promise<string | null> => {
      const url = authorizationUrl({ ...PORTFOLIO_REQUEST, prompt: 'none' })
      const location = (await createBrowser(school).open(url)).headers.get('location')!
      return new URL(location).searchParams.get('error')
    }
    await choose(null, PORTFOLIO_REQUEST)
    expect(await silent()).toBe(null)
    await choose('term', { ...PORTFOLIO_REQUEST, prompt: 'consent' })
    expect(await silent()).toBe('consent_required')
    await choose(null, PORTFOLIO_REQUEST)
    expect(await silent()).toBe('consent_required')
    const both = { clientId: PORTFOLIO_HUB.clientId, subject: STUDENT.subject }
    await school.store.revokeGrants({ ...both, revokedAt: T, revokedReason: 'test' })
    await choose(null, PORTFOLIO_REQUEST)
    expect(await silent()).toBe(null)
  })

  it('is a fault in milliseconds, not a grant for months [END-08]', async () => {
    let ends: unknown = [{ ...TERM_END, endsAt: END * 1000 }]
    const school = await createSchool({ options: { grantEnds: () => ends as [] } })
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    expect((await createBrowser(school).open(authorizationUrl())).status).toBe(503)
    const message = expect.stringMatching(
      /^grantEnds returned .+: it must be a list of ends with endsAt in whole epoch seconds$/,
    )
    expect(school.faults).toMatchObject([{ endpoint: 'interaction', fault: { message } }])
    for (const wrong of [[null], [undefined], null, { ...TERM_END }, 'never']) {
      ends = wrong
      expect((await createBrowser(school).open(authorizationUrl())).status).toBe(503)
      expect(school.faults.at(-1)).toMatchObject({ fault: { message } })
    }
  })

  it('is offered for the client and the person, and to no one who cannot allow [END-08]', async () => {
    const asked: unknown[] = []
    const grantEnds = (question: object) => [TERM_END].slice(asked.push(question) - 1)
    const school = await createSchool({ options: { grantEnds } })
    await school.store.insertClient(DESK_CLI)
    const offered = async (request: Fields): Promise<unknown> => {
      school.signedIn = { subject: STUDENT.subject, authTime: T }
      await createBrowser(school).open(authorizationUrl(request))
      return school.view?.page === 'consent' ? school.view.view.grantEnds : null
    }
    expect(await offered({})).toEqual([TERM_END])
    expect(asked).toMatchObject([{ client: { clientId: 'study-buddy' }, person: STUDENT }])
    expect(await offered(DESK_REQUEST)).toEqual([])
    expect(asked).toHaveLength(1)
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
