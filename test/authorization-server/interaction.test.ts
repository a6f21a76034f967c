import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  encode,
  type Fields,
  redeem,
  STATE,
} from '../support/school/flow.js'
import { recordingStore, withResult } from '../support/school/stores.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'
import type { ConsentView, ErrorView } from 'hallpass/authorization-server'
import type { Client, Person } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'

type Browser = ReturnType<typeof createBrowser>

interface Opened {
  readonly school: School
  readonly browser: Browser
  readonly view: ConsentView
}

function consentOf(school: School): ConsentView {
  if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
  return school.view.view
}

/** A person who has the consent page before them. */
async function openConsent({
  school,
  person = STUDENT,
  request = {},
}: { school?: School; person?: Person; request?: Fields } = {}): Promise<Opened> {
  const opened = school ?? (await createSchool())
  opened.signedIn = { subject: person.subject, authTime: opened.clock.now }
  const browser = createBrowser(opened)
  await browser.open(authorizationUrl(request))
  return { school: opened, browser, view: consentOf(opened) }
}

const answer = (
  { browser, view }: Opened,
  decision: string | null,
  headers: Record<string, string> = {},
): Promise<Response> =>
  browser.post(
    view.action,
    { csrf_token: view.csrfToken, ...(decision !== null && { decision }) },
    headers,
  )

const parametersOf = (response: Response): Record<string, string> =>
  Object.fromEntries(new URL(response.headers.get('location')!).searchParams)

/** Asserts a page that leads nowhere. */
function expectPage(
  { school }: Pick<Opened, 'school'>,
  response: Response,
  [status, error, reason]: readonly [number, string, string],
): void {
  expect([response.status, response.headers.get('location')]).toEqual([status, null])
  expect(school.view).toEqual({
    page: 'error',
    view: { status, error, reason, description: expect.stringMatching(/^[\x20-\x7e]+$/) },
  })
  expect(school.refusals.at(-1)).toMatchObject({ endpoint: 'interaction', error, reason })
  expect(school.events.map(({ type }) => type)).not.toContain('oauth.authorization.approved')
}

const DECISION = [400, 'invalid_request', 'decision_missing'] as const
const EXPIRED = [400, 'invalid_request', 'interaction_expired'] as const
const FORGED = [403, 'access_denied', 'csrf_token_mismatch'] as const
const OTHER_BROWSER = [403, 'access_denied', 'interaction_of_other_browser'] as const

describe('the sign-in page', () => {
  it('says where to go on and who asks, without a code [UX-05, UX-08]', async () => {
    const school = await createSchool()
    const response = await createBrowser(school).open(
      authorizationUrl({ login_hint: 'mei@x.y', ui_locales: 'zh-Hant' }),
    )
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    expect(school.view).toEqual({
      page: 'signIn',
      view: {
        returnTo: expect.stringMatching(/^\/oauth\/interaction\/[\w-]{43}$/),
        client: {
          clientId: 'study-buddy',
          name: 'Study Buddy',
          kind: 'member',
          verified: true,
          links: [],
          logoUri: null,
          createdAt: T - 1000,
          redirectHost: '127.0.0.1:7777',
          redirectIsLoopback: true,
          redirectIsOwn: false,
        },
        cause: 'signed_out',
        loginHint: 'mei@x.y',
        uiLocales: ['zh-Hant'],
      },
    })
  })

  it('warns of a client that nobody vouches for before the sign-in [UX-08]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    await createBrowser(school).open(authorizationUrl(DESK_REQUEST))
    expect(school.view).toMatchObject({
      page: 'signIn',
      view: { client: { kind: 'loopback', verified: false, redirectIsLoopback: true } },
    })
  })

  it('knows no time at which a client of the configuration came', async () => {
    const school = await createSchool()
    const request = { client_id: ACME.clientId, redirect_uri: ACME.redirectUris[0]! }
    await createBrowser(school).open(authorizationUrl({ ...request, scope: 'courses:read' }))
    expect(school.view).toMatchObject({ view: { client: { name: ACME.name, createdAt: null } } })
  })

  it('goes on to consent once the person has signed in', async () => {
    const school = await createSchool()
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    if (school.view?.page !== 'signIn') throw new Error('no sign-in page')
    const { returnTo } = school.view.view
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    await browser.open(returnTo)
    expect(consentOf(school).action).toBe(returnTo)
  })

  it.each<[string, Fields, number, number]>([
    ['prompt=login', { prompt: 'login' }, T - 1, T],
    ['prompt=select_account', { prompt: 'select_account' }, T - 1, T],
    ['max_age=1 after two seconds', { max_age: '1' }, T - 2, T - 1],
    ['max_age=0 after a second', { max_age: '0' }, T - 1, T],
  ])(
    'asks again for %s, until the sign-in is fresh [AUTH-23]',
    async (_, request, stale, fresh) => {
      const school = await createSchool()
      const browser = createBrowser(school)
      school.signedIn = { subject: STUDENT.subject, authTime: stale }
      await browser.open(authorizationUrl(request))
      expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'again' } })
      if (school.view?.page !== 'signIn') throw new Error('no sign-in page')
      const { returnTo } = school.view.view
      school.clock.now += 100
      school.signedIn = { subject: STUDENT.subject, authTime: fresh }
      await browser.open(returnTo)
      expect(school.view.page).toBe('consent')
    },
  )

  it('comes again for a sensitive scope, five minutes after the last one [AUTH-42]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    school.people.set(OWNER.subject, OWNER)
    const request = { ...DESK_REQUEST, scope: 'openid members:write' }
    const browser = createBrowser(school)
    const at = (authTime: number): void => {
      school.signedIn = { subject: OWNER.subject, authTime }
    }
    at(school.clock.now - 300)
    await browser.open(authorizationUrl(request))
    expect(school.view).toMatchObject({
      page: 'consent',
      view: { scopes: [{ sensitive: false }, { scope: 'members:write', sensitive: true }] },
    })
    at(school.clock.now - 301)
    await browser.open(authorizationUrl(request))
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'sensitive' } })
    if (school.view?.page !== 'signIn') throw new Error('no sign-in page')
    const { returnTo } = school.view.view
    at(school.clock.now)
    await browser.open(returnTo)
    // Whoever sends the form has signed in for it.
    const { action, csrfToken } = consentOf(school)
    at(school.clock.now - 301)
    const answer = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect([answer.status, school.view.page]).toEqual([200, 'signIn'])
  })

  it('comes for a person whom the school does not know any more', async () => {
    const school = await createSchool()
    school.signedIn = { subject: 'mem_gone', authTime: T }
    await createBrowser(school).open(authorizationUrl())
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'suspended' } })
  })
})

describe('the consent page', () => {
  it('shows the client, the person, every scope in words and how long it lasts [UX-07]', async () => {
    const { view } = await openConsent({
      request: { scope: 'account:read email openid', ui_locales: 'zh-Hant' },
    })
    expect(view).toEqual({
      action: expect.stringMatching(/^\/oauth\/interaction\/[\w-]{43}$/),
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      client: expect.objectContaining({ clientId: 'study-buddy', name: 'Study Buddy' }),
      person: STUDENT,
      uiLocales: ['zh-Hant'],
      scopes: ['openid', 'email', 'account:read'].map((scope) => ({
        scope,
        text: expect.stringMatching(/^[A-Z].{10,}/),
        group: expect.stringMatching(/./),
        access: scope === 'account:read' ? 'read' : 'identity',
        personalData: false,
        sensitive: false,
        alreadyGranted: false,
        beyondRole: false,
      })),
      addsTo: null,
      blocked: null,
      mayPaste: true,
      mayNarrow: true,
      notice: null,
      grantLifetimeSeconds: 180 * 86_400,
      grantEnds: [],
      clientEndsAt: null,
    })
    expect(view.scopes[0]!.text).toContain('Lantern Street Drawing School')
  })

  it('says which scopes are beyond the role [AUTH-20]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    school.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
    const { view } = await openConsent({ school, person: OWNER, request: DESK_REQUEST })
    expect(view.scopes.map(({ scope, beyondRole }) => [scope, beyondRole])).toEqual([
      ['openid', false],
      ['courses:read', false],
      ['courses:write', true],
    ])
    expect(view.blocked).toBeNull()
  })

  it.each([
    ['https://app.example/cb', 'app.example', false, false],
    ['https://app.example:8443/cb?x=1', 'app.example:8443', false, false],
    ['http://[::1]:9/cb', '[::1]:9', true, false],
    ['desk://cb/x', 'desk:', false, false],
    [`${ISSUER}/notes`, new URL(ISSUER).host, false, true],
    [`${ISSUER}.evil.example/notes`, `${new URL(ISSUER).host}.evil.example`, false, false],
  ])(
    'shows where %s leads [UX-07]',
    async (uri, redirectHost, redirectIsLoopback, redirectIsOwn) => {
      const school = await createSchool()
      await school.store.insertClient({
        ...STUDY_BUDDY,
        clientId: 'elsewhere',
        redirectUris: [uri],
      })
      const request = { client_id: 'elsewhere', redirect_uri: uri }
      const { view } = await openConsent({ school, request })
      expect(view.client).toMatchObject({ redirectHost, redirectIsLoopback, redirectIsOwn })
    },
  )

  it('hands the words of the client and the person on as they are, for the page to escape [UX-10]', async () => {
    const name = '<script>alert(1)</script>\u202e'
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'rude', name })
    const { view } = await openConsent({ school, request: { client_id: 'rude' } })
    expect(view.client.name).toBe(name)
  })

  it('is skipped for a consent that is remembered, and not with prompt=consent [UX-09]', async () => {
    const school = await createSchool()
    const request = { client_id: 'portfolio-hub' }
    await approve(school, request)
    school.view = null
    const response = await createBrowser(school).open(authorizationUrl(request))
    expect(parametersOf(response)).toHaveProperty('code')
    expect(school.view).toBeNull()
    await createBrowser(school).open(authorizationUrl({ ...request, prompt: 'consent' }))
    expect(consentOf(school).client.clientId).toBe('portfolio-hub')
  })

  it('is shown to a person who lost every role, although the consent is remembered [AUTH-19]', async () => {
    const school = await createSchool()
    const request = { client_id: 'portfolio-hub' }
    await approve(school, request)
    school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    const response = await createBrowser(school).open(authorizationUrl(request))
    expect(response.headers.get('location')).toBeNull()
    expect(consentOf(school).blocked).toBe('no_role')
  })

  it.each(['http://127.0.0.1:7777/callback', 'https://diary.example/callback'])(
    'comes every time for a public client at %s [UX-08]',
    async (redirect_uri) => {
      const school = await createSchool()
      const client = { ...STUDY_BUDDY, clientId: 'diary', redirectUris: [redirect_uri] }
      await school.store.insertClient(client)
      const request = { client_id: 'diary', redirect_uri }
      await approve(school, request)
      expect((await openConsent({ school, request })).view.client.clientId).toBe('diary')
      const silent = await school.fetch(authorizationUrl({ ...request, prompt: 'none' }))
      expect(parametersOf(silent)).toMatchObject({ error: 'consent_required' })
    },
  )
})

describe('the answer of a person', () => {
  it('Allow gives a code of 60 seconds that holds what was shown [AUTH-01, AUTH-27, AUTH-32]', async () => {
    const opened = await openConsent({ request: { nonce: 'n-1', max_age: '60' } })
    opened.school.clock.now += 30
    const response = await answer(opened, 'allow', {
      origin: ISSUER,
      'sec-fetch-site': 'same-origin',
    })
    expect(response.status).toBe(303)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const { code, ...rest } = parametersOf(response)
    expect(rest).toEqual({ state: STATE, iss: ISSUER })
    const codeHash = hashToken(code!)
    expect(await opened.school.store.findCode(codeHash)).toEqual({
      codeHash,
      grantEndsAt: null,
      grantId: expect.stringMatching(/^grant_[\w-]{43}$/),
      clientId: 'study-buddy',
      subject: STUDENT.subject,
      scopes: ['openid', 'account:read'],
      resource: ISSUER,
      resourceSent: true,
      redirectUri: 'http://127.0.0.1:7777/callback',
      codeChallenge: authorizationUrl().searchParams.get('code_challenge'),
      nonce: 'n-1',
      authTime: T,
      issuedAt: T + 30,
      expiresAt: T + 90,
      redeemedAt: null,
      client: STUDY_BUDDY,
    })
    expect(opened.school.events.at(-1)).toEqual({
      type: 'oauth.authorization.approved',
      at: T + 30,
      clientId: 'study-buddy',
      subject: STUDENT.subject,
      scopes: ['openid', 'account:read'],
      remembered: false,
    })
  })

  it('Cancel sends access_denied to the client, and ends the request [AUTH-21]', async () => {
    const opened = await openConsent()
    const response = await answer(opened, 'deny')
    expect([response.status, parametersOf(response)]).toEqual([
      303,
      {
        error: 'access_denied',
        error_description: 'the person denied the request or may not authorize this app',
        state: STATE,
        iss: ISSUER,
      },
    ])
    expect(opened.school.events.at(-1)).toEqual({
      type: 'oauth.authorization.denied',
      at: T,
      clientId: 'study-buddy',
      subject: STUDENT.subject,
    })
    expectPage(opened, await answer(opened, 'allow'), EXPIRED)
  })

  it.each(['null', ISSUER])('may come with Origin: %s', async (origin) => {
    expect((await answer(await openConsent(), 'allow', { origin })).status).toBe(303)
  })

  it.each([null, '', 'Allow', 'yes', '__proto__'])(
    'that is neither Allow nor Cancel, but %j, gives no code',
    async (decision) => {
      const opened = await openConsent()
      const response = await answer(opened, decision)
      expectPage(opened, response, [400, 'invalid_request', 'decision_missing'])
      expect((await answer(opened, 'allow')).status).toBe(303)
    },
  )

  it('twice gives one code [AUTH-33, UX-03]', async () => {
    const opened = await openConsent()
    expect((await answer(opened, 'allow')).status).toBe(303)
    const replayed = await answer(opened, 'allow')
    expect([replayed.status, replayed.headers.get('location')]).toEqual([400, null])
    expect(opened.school.refusals.at(-1)).toMatchObject({ reason: 'interaction_expired' })
  })

  it('50 times at once gives one code', async () => {
    const opened = await openConsent()
    const answers = await Promise.all(Array.from({ length: 50 }, () => answer(opened, 'allow')))
    const statuses = answers.map(({ status }) => status).sort((one, other) => one - other)
    expect(statuses).toEqual([303, ...Array<number>(49).fill(400)])
  })

  it('counts until ten minutes have passed [D-21]', async () => {
    const late = await openConsent()
    late.school.clock.now = T + 600
    expectPage(late, await answer(late, 'allow'), EXPIRED)
    const inTime = await openConsent()
    inTime.school.clock.now = T + 599
    expect((await answer(inTime, 'allow')).status).toBe(303)
  })

  it('is asked for again after the person signed out or changed [UX-14]', async () => {
    const opened = await openConsent()
    opened.school.signedIn = null
    const response = await answer(opened, 'allow')
    expect([response.headers.get('location'), opened.school.view?.page]).toEqual([null, 'signIn'])
    opened.school.signedIn = { subject: OWNER.subject, authTime: T }
    expectPage(opened, await answer(opened, 'allow'), FORGED)
  })
})

describe('an app whose terminal is on another computer', () => {
  const paste = (opened: Opened): Promise<Response> => answer(opened, 'allow_and_paste')

  it('gets its code from an address that the person pastes, once [UX-22]', async () => {
    const { store, calls } = recordingStore()
    const opened = await openConsent({
      school: await createSchool({ store }),
      request: { ui_locales: 'ar' },
    })
    const { school, view } = opened
    expect(view.mayPaste).toBe(true)
    const response = await paste(opened)
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const shown = school.view?.page === 'pasteAddress' ? school.view.view : null
    expect(shown).toEqual({
      client: view.client,
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:7777\/callback\?code=hpc_/),
      codeSeconds: 60,
      uiLocales: ['ar'],
    })
    const { code, ...rest } = Object.fromEntries(new URL(shown!.address).searchParams)
    expect(rest).toEqual({ state: STATE, iss: ISSUER })
    expect(JSON.stringify(calls)).not.toContain(code)
    expect(JSON.stringify([school.events, school.refusals])).not.toContain(code)
    expect((await redeem(school, code!)).status).toBe(200)
    expect((await redeem(school, code!)).status).toBe(400)
    expect((await paste(opened)).status).toBe(400)
    expect(school.refusals.at(-1)).toMatchObject({ reason: 'interaction_expired' })
  })

  it('waits no longer for it than for a redirect [UX-22]', async () => {
    const opened = await openConsent()
    await paste(opened)
    const { school } = opened
    const shown = school.view?.page === 'pasteAddress' ? school.view.view : null
    school.clock.now += shown!.codeSeconds
    const code = new URL(shown!.address).searchParams.get('code')!
    expect((await redeem(school, code)).status).toBe(400)
  })

  it.each([
    ['https://app.example/cb', DECISION],
    ['desk://cb/x', DECISION],
    ['http://127.0.0.1.app.example/cb', DECISION],
  ])('is the only one: a code for %s is never shown [UX-22]', async (uri, refused) => {
    const school = await createSchool()
    const client = { ...STUDY_BUDDY, clientId: 'elsewhere', redirectUris: [uri] }
    await school.store.insertClient(client)
    const opened = await openConsent({
      school,
      request: { client_id: 'elsewhere', redirect_uri: uri },
    })
    expect(opened.view.mayPaste).toBe(false)
    expectPage(opened, await paste(opened), refused)
    expect((await answer(opened, 'allow')).status).toBe(303)
  })

  it('is offered nothing where the person may not allow it, and gets the refusal [UX-22]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const opened = await openConsent({ school, request: DESK_REQUEST })
    expect([opened.view.blocked, opened.view.mayPaste]).toEqual(['not_staff', false])
    const response = await paste(opened)
    expect(response.status).toBe(303)
    expect(parametersOf(response)).toMatchObject({ error: 'access_denied' })
  })

  it('has the same checks as Allow [UX-22]', async () => {
    const opened = await openConsent()
    const forged = { decision: 'allow_and_paste', csrf_token: 'A'.repeat(43) }
    expectPage(opened, await opened.browser.post(opened.view.action, forged), FORGED)
    const nothing = { csrf_token: opened.view.csrfToken, access: 'choose' }
    await opened.browser.post(opened.view.action, { ...nothing, decision: 'allow_and_paste' })
    expect(consentOf(opened.school).notice).toBe('nothing_left')
    expect(consentOf(opened.school).mayPaste).toBe(true)
  })

  it('goes without where the host has no such page [UX-22]', async () => {
    const page = (view: ConsentView | ErrorView): Response => Response.json(view)
    const school = await createSchool({
      options: {
        interact: {
          currentPerson: async () => ({ subject: STUDENT.subject, authTime: T }),
          signIn: () => new Response('sign in'),
          consent: (_request, view) => page(view),
          error: (_request, view) => page(view),
        },
      },
    })
    const browser = createBrowser(school)
    const view = (await (await browser.open(authorizationUrl())).json()) as ConsentView
    expect(view.mayPaste).toBe(false)
    const fields = { csrf_token: view.csrfToken, decision: 'allow_and_paste' }
    expect(await (await browser.post(view.action, fields)).json()).toMatchObject({
      reason: 'decision_missing',
    })
  })

  it('leaves the page out of every cache, whatever the host says [UX-22]', async () => {
    const opened = await openConsent()
    const headers = { 'cache-control': 'max-age=60', 'x-own': '1' }
    const school = await createSchool({
      store: opened.school.store,
      options: {
        interact: {
          currentPerson: async () => ({ subject: STUDENT.subject, authTime: T }),
          signIn: () => new Response('sign in'),
          consent: (_request, view) => Response.json(view),
          pasteAddress: () => new Response('shown', { status: 201, headers }),
          error: (_request, view) => Response.json(view),
        },
      },
    })
    const browser = createBrowser(school)
    const view = (await (await browser.open(authorizationUrl())).json()) as ConsentView
    const fields = { csrf_token: view.csrfToken, decision: 'allow_and_paste' }
    const response = await browser.post(view.action, fields)
    expect([response.status, await response.text()]).toEqual([201, 'shown'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-own')).toBe('1')
  })
})

describe('a consent form that the page did not send', () => {
  it.each<[string, (token: string) => Fields]>([
    ['no csrf_token', () => ({})],
    ['an empty one', () => ({ csrf_token: '' })],
    ['another one', () => ({ csrf_token: 'A'.repeat(43) })],
    [
      'one character off',
      (token) => ({ csrf_token: token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A') }),
    ],
    ['two of them', (token) => ({ csrf_token: [token, token] })],
  ])('gives no code with %s [UX-03]', async (_, fields) => {
    const opened = await openConsent()
    const body = encode({ ...fields(opened.view.csrfToken), decision: 'allow' })
    const response = await opened.browser.post(opened.view.action, body as never)
    expectPage(opened, response, FORGED)
  })

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ origin: 'https://evil.test' }],
    [{ origin: `${ISSUER}.evil.test` }],
    [{ origin: 'http://lantern.example' }],
  ])('gives no code from another site: %j [UX-03]', async (headers) => {
    const opened = await openConsent()
    expectPage(opened, await answer(opened, 'allow', headers), FORGED)
  })

  it('gives no code with the token of another request of the same browser [UX-03]', async () => {
    const { school, browser, view } = await openConsent()
    await browser.open(authorizationUrl({ scope: 'openid' }))
    const other = consentOf(school)
    const forged = { school, browser, view: { ...other, csrfToken: view.csrfToken } }
    expectPage(forged, await answer(forged, 'allow'), FORGED)
  })

  it('gives no code in the query [RS-08]', async () => {
    const { school, browser, view } = await openConsent()
    const query = new URLSearchParams({ csrf_token: view.csrfToken, decision: 'allow' }).toString()
    expectPage({ school }, await browser.post(`${view.action}?${query}`, {}), FORGED)
  })
})

describe('an interaction in another browser', () => {
  it('shows nothing, takes nothing and stays alive for its owner [UX-04]', async () => {
    const opened = await openConsent()
    const stranger = createBrowser(opened.school)
    expectPage(opened, await stranger.open(opened.view.action), OTHER_BROWSER)
    await stranger.open(authorizationUrl())
    expectPage(opened, await stranger.open(opened.view.action), OTHER_BROWSER)
    const stolen = { ...opened, browser: stranger }
    expectPage(opened, await answer(stolen, 'allow'), OTHER_BROWSER)
    expectPage(opened, await answer(stolen, 'deny'), OTHER_BROWSER)
    expect((await answer(opened, 'allow')).status).toBe(303)
  })

  it.each([
    '',
    'x',
    '__Host-hallpass=',
    `__Host-hallpass=${'A'.repeat(44)}`,
    `hallpass=${'A'.repeat(43)}`,
  ])('is refused with the cookie %j', async (cookie) => {
    const { school, view } = await openConsent()
    const response = await school.fetch(ISSUER + view.action, { headers: { cookie } })
    expectPage({ school }, response, OTHER_BROWSER)
  })

  it.each(['A'.repeat(43), '', "' OR 1=1--", '%00', '..%2f..', '{"$gt":""}'])(
    'has no request with the identifier %j [ST-04]',
    async (id) => {
      const { school, browser } = await openConsent()
      expectPage({ school }, await browser.open(`/oauth/interaction/${id}`), EXPIRED)
    },
  )

  it('lets one browser hold two requests at once', async () => {
    const first = await openConsent()
    await first.browser.open(authorizationUrl({ state: 'second' }))
    const second = { ...first, view: consentOf(first.school) }
    expect(parametersOf(await answer(second, 'allow'))['state']).toBe('second')
    expect(parametersOf(await answer(first, 'allow'))['state']).toBe(STATE)
  })
})

describe('a client that changes while a person reads', () => {
  /** A school in which the client may change between two requests. */
  async function withChanging(): Promise<{
    opened: Opened
    change: (to: (client: Client) => Client | null) => void
  }> {
    let change = (client: Client): Client | null => client
    const store = withResult(
      createMemoryStore(),
      'findClient',
      (client) => client && change(client),
    )
    const opened = await openConsent({ school: await createSchool({ store }) })
    return { opened, change: (to) => (change = to) }
  }

  it.each<[string, (client: Client) => Client | null, string, string]>([
    [
      'switched off',
      (client) => ({ ...client, disabled: true }),
      'invalid_client',
      'client_disabled',
    ],
    ['removed', () => null, 'invalid_client', 'client_unknown'],
    [
      'moved elsewhere',
      (client) => ({ ...client, redirectUris: ['https://new.example/'] }),
      'invalid_request',
      'redirect_uri_not_registered',
    ],
    [
      'cut down',
      (client) => ({ ...client, scopes: [] }),
      'invalid_scope',
      'scope_not_allowed_for_client',
    ],
  ])('gets no code once it is %s [AUTH-34]', async (_, to, error, reason) => {
    const { opened, change } = await withChanging()
    change(to)
    expectPage(opened, await answer(opened, 'allow'), [400, error, reason])
    expectPage(opened, await opened.browser.open(opened.view.action), [400, error, reason])
  })
})

describe('a person who may not allow it', () => {
  it.each<[string, Person, Fields, string, string]>([
    [
      'a student, of a client for staff [AUTH-20]',
      STUDENT,
      DESK_REQUEST,
      'not_staff',
      'the person denied the request or may not authorize this app',
    ],
    [
      'somebody without a role [AUTH-19]',
      { ...STUDENT, roles: [] },
      {},
      'no_role',
      'the person denied the request or may not authorize this app',
    ],
    [
      'somebody whose role nobody knows [AUTH-19]',
      { ...STUDENT, roles: ['__proto__'] },
      {},
      'no_role',
      'the person denied the request or may not authorize this app',
    ],
  ])('%s is told so, and Allow means Cancel', async (_, person, request, blocked, description) => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    school.people.set(person.subject, person)
    const opened = await openConsent({ school, person, request })
    expect(opened.view.blocked).toBe(blocked)
    expect(parametersOf(await answer(opened, 'allow'))).toEqual({
      error: 'access_denied',
      error_description: description,
      state: STATE,
      iss: ISSUER,
    })
    expect(school.events.map(({ type }) => type)).toEqual([
      'oauth.authorization.requested',
      'oauth.authorization.denied',
    ])
  })

  it('gets no code where the role was taken while reading [TOKC-23]', async () => {
    const opened = await openConsent()
    opened.school.people.set(STUDENT.subject, { ...STUDENT, roles: [] })
    expect(parametersOf(await answer(opened, 'allow'))['error']).toBe('access_denied')
  })

  it('lets any role authorize a member client', async () => {
    for (const role of ['owner', 'manager', 'lecturer', 'assistant', 'student']) {
      const school = await createSchool()
      school.people.set(STUDENT.subject, { ...STUDENT, roles: [role] })
      expect(await approve(school)).toMatch(/^hpc_/)
    }
  })
})

describe('the interaction endpoint', () => {
  it.each(['PUT', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { school, view } = await openConsent()
    const response = await school.fetch(ISSUER + view.action, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD'])
  })

  it('answers 415 to a consent that is not a form', async () => {
    const { school, view } = await openConsent()
    const body = JSON.stringify({ csrf_token: view.csrfToken, decision: 'allow' })
    const headers = { 'content-type': 'application/json' }
    const response = await school.fetch(ISSUER + view.action, { method: 'POST', body, headers })
    expect(response.status).toBe(415)
  })

  it.each<[string, string, Record<string, string>]>([
    ['HEAD', 'HEAD', {}],
    ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }],
  ])('issues no code for %s of a remembered consent [AUTH-31]', async (_, method, headers) => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const request = { client_id: 'portfolio-hub' }
    await approve(school, request)
    const before = calls.length
    const started = await school.fetch(authorizationUrl(request))
    const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!
    await school.fetch(new URL(started.headers.get('location')!, ISSUER), {
      method,
      headers: { cookie, ...headers },
    })
    expect(calls.slice(before).map((call) => call.method)).not.toContain('issueCode')
  })
})
