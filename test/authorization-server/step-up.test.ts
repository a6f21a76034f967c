import { createProtectedResource, OptionsError, type SiteOptions } from 'hallpass'
import { type ConsentView, configureAuthorizationServer } from 'hallpass/authorization-server'
import type { Person } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
import { describe, expect, it } from 'vitest'
import {
  DESK_CLI,
  DESK_REQUEST,
  refresh,
  signIn,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import { NOTES } from '../support/school/policy-samples.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'
import { recorderOf } from '../attempts/support.js'
import { storeWithoutNul } from '../support/school/stores.js'
import { BARE_SERVER } from '../support/school/bare-server.js'

const WIDER: SchoolScope = 'courses:write'
const LECTURER: Person = { ...OWNER, subject: 'mem_lia', roles: ['lecturer'] }
const NARROW = { ...DESK_REQUEST, scope: 'openid courses:read' }

interface Connected {
  readonly school: School
  readonly tokens: Tokens
  /** Asks for what needs the wider scope, with the token that the client has. */
  readonly call: (token?: string) => Promise<Response>
}

/** A client that connected with a scope for reading, and a resource that needs one for writing. */
async function connect({
  store = createMemoryStore(),
  person = OWNER,
  options = {},
  request = {},
}: {
  store?: Store
  person?: Person
  options?: Partial<SiteOptions>
  request?: Readonly<Record<string, string>>
} = {}): Promise<Connected> {
  const school = await createSchool({ store, options: { stepUpLinks: true, ...options } })
  school.people.set(person.subject, person)
  for (const client of [DESK_CLI, NOTES]) await store.insertClient(client)
  const tokens = await signIn(school, { ...NARROW, ...request }, { person })
  school.view = null
  const gate = createProtectedResource(school.site).gate(WIDER)
  const call = async (token = tokens.access_token): Promise<Response> => {
    const headers = new Headers({ authorization: `Bearer ${token}` })
    const answer = await gate({ headers })
    return answer instanceof Response ? answer : Response.json(answer.scopes)
  }
  return { school, tokens, call }
}

async function sentenceOf(response: Response): Promise<string> {
  const { error_description } = (await response.json()) as { error_description: string }
  return error_description
}

async function linkOf(response: Response): Promise<string> {
  const [link] = /https:\S+/.exec(await sentenceOf(response)) ?? []
  if (link === undefined) throw new Error('no link')
  return link
}

function consentOf({ view }: School): ConsentView {
  if (view?.page !== 'consent') throw new Error(`the page is ${view?.page}`)
  return view.view
}

const pageOf = ({ view }: School): unknown =>
  view?.page === 'error' ? [view.page, view.view.error, view.view.reason] : view?.page

type Browser = ReturnType<typeof createBrowser>

/** Opens the step-up link, and returns the consent page with a way to answer it. */
async function open(
  { school, call }: Connected,
  browser: Browser = createBrowser(school),
): Promise<{
  view: ConsentView
  answer: (decision: string) => Promise<Response>
  browser: Browser
}> {
  await browser.open(await linkOf(await call()))
  const view = consentOf(school)
  const answer = (decision: string): Promise<Response> =>
    browser.post(view.action, { csrf_token: view.csrfToken, decision })
  return { view, answer, browser }
}

const EVERY = { search: null, clientId: null, outcome: null, before: null, limit: 100, now: T }

/** The length of the path of a link, without its query. */
const GRANT_PATH = `/oauth/interaction/grant_${'x'.repeat(43)}`.length

const STEP_UP_MISSING =
  'interact.stepUp is required, because the site has stepUpLinks: pass createStepUp({ backToApp }) from hallpass/authorization-server'

const NOT_OF_PERSON = ['error', 'access_denied', 'grant_not_of_person']

describe('a 403 for a missing scope', () => {
  it('keeps its challenge, and says in both where the person can allow it [STEP-01]', async () => {
    const { school, tokens, call } = await connect()
    const refused = await call()
    expect(refused.status).toBe(403)
    const { grant } = (await school.store.findAccessToken(hashToken(tokens.access_token)))!
    const link = `${ISSUER}/oauth/interaction/${grant.grantId}?add=courses:write`
    const sentence = `This needs the permission courses:write. Open ${link} to allow it, then try again.`
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="${sentence}", scope="courses:write", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
    expect(await refused.json()).toEqual({
      error: 'insufficient_scope',
      error_description: sentence,
    })
    expect(link).not.toContain(tokens.access_token)
    // Version 1 of the MCP SDK reads the first `scope=`.
    expect(refused.headers.get('www-authenticate')!.split('scope=')).toHaveLength(2)
  })

  it('is the same each time, so that a client can tell that nothing changed [STEP-06]', async () => {
    const { call } = await connect()
    const [first, second] = [await call(), await call()]
    expect([...second.headers].filter(([name]) => name !== 'x-request-id')).toEqual(
      [...first.headers].filter(([name]) => name !== 'x-request-id'),
    )
    expect(await second.text()).toBe(await first.text())
  })

  const PERMISSION = 'This needs the permission courses:write'
  it.each<readonly [string, Parameters<typeof connect>[0], string]>([
    [
      'the site has no such page',
      { options: { stepUpLinks: false } },
      '. Connect the app again to allow it.',
    ],
    [
      'the role of the person does not include it',
      { person: { ...OWNER, subject: 'mem_ama', roles: ['assistant'] } },
      ", which the person's role does not include. Someone who manages the roles of this site can change that.",
    ],
    [
      'no one has reviewed the document of the client',
      { request: { client_id: NOTES.clientId, redirect_uri: NOTES.redirectUris[0]! } },
      ', which this app may not use. Someone who manages the apps of this site can change that.',
    ],
    [
      'the client is for members',
      {
        person: STUDENT,
        request: {
          client_id: 'study-buddy',
          redirect_uri: 'http://127.0.0.1:7777/callback',
          scope: 'account:read',
        },
      },
      ', which apps of this kind cannot get. Use another app.',
    ],
  ])('has no link if %s, and says what helps [STEP-02]', async (_, setup, rest) => {
    const { call } = await connect(setup)
    const refused = await call()
    expect(refused.status).toBe(403)
    expect(await sentenceOf(refused)).toBe(PERMISSION + rest)
  })

  it('needs a page for the way back where the site has the link [STEP-02]', async () => {
    const { school } = await connect()
    expect(() => configureAuthorizationServer(school.site, BARE_SERVER)).toThrow(
      new OptionsError('authorization server', [STEP_UP_MISSING]),
    )
    for (const stepUp of [null, {}, { createPage: 'backToApp' }])
      expect(() =>
        configureAuthorizationServer(school.site, {
          ...BARE_SERVER,
          interact: { ...BARE_SERVER.interact, stepUp: stepUp as never },
        }),
      ).toThrow(new OptionsError('authorization server', [STEP_UP_MISSING]))
  })
})

describe('a step-up link', () => {
  it('asks who is not signed in to sign in, and tells them of no app and no person [STEP-03]', async () => {
    const connected = await connect()
    const { school } = connected
    const link = await linkOf(await connected.call())
    school.signedIn = null
    const browser = createBrowser(school)
    const unknown = link.replace(/grant_[\w-]+/, `grant_${'u'.repeat(43)}`)
    for (const url of [link, unknown]) {
      await browser.open(url)
      expect(school.view).toEqual({
        page: 'signIn',
        view: {
          returnTo: url.slice(ISSUER.length),
          client: {
            clientId: ISSUER,
            name: 'Lantern Street Drawing School',
            kind: 'vendor',
            verified: true,
            links: [],
            logoUri: null,
            createdAt: null,
            redirectHost: 'lantern.example',
            redirectIsLoopback: false,
            redirectIsOwn: true,
          },
          cause: 'signed_out',
          loginHint: null,
          uiLocales: [],
        },
      })
    }
  })

  it('says of an account that is suspended that it is [HOST-07]', async () => {
    const connected = await connect()
    const { school } = connected
    const link = await linkOf(await connected.call())
    school.signedIn = { subject: 'mem_gone', authTime: school.clock.now }
    await createBrowser(school).open(link)
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'suspended' } })
  })

  it('asks who signed in more than five minutes ago to sign in for a sensitive scope [AUTH-42]', async () => {
    const connected = await connect()
    const { school } = connected
    const { call, browser } = { ...connected, browser: createBrowser(school) }
    const link = (await linkOf(await call())).replace('courses:write', 'school:write')
    const at = (authTime: number): void => {
      school.signedIn = { subject: OWNER.subject, authTime }
    }
    at(school.clock.now - 301)
    await browser.open(link)
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'sensitive' } })
    at(school.clock.now - 300)
    await browser.open(link)
    const view = consentOf(school)
    const allow = (): Promise<Response> =>
      browser.post(view.action, { csrf_token: view.csrfToken, decision: 'allow' })
    // Ten minutes are allowed for reading.
    school.clock.now += 601
    await allow()
    expect(pageOf(school)).toBe('signIn')
    school.clock.now -= 1
    await allow()
    expect(pageOf(school)).toBe('backToApp')
  })

  it('tells another person no more than the link of no grant [STEP-03]', async () => {
    const connected = await connect()
    const { school } = connected
    const link = await linkOf(await connected.call())
    school.people.set(LECTURER.subject, LECTURER)
    school.signedIn = { subject: LECTURER.subject, authTime: school.clock.now }
    const browser = createBrowser(school)
    const seen = []
    for (const url of [link, link.replace(/grant_[\w-]+/, `grant_${'u'.repeat(43)}`)]) {
      const { status } = await browser.open(url)
      seen.push([status, school.view])
      expect(pageOf(school)).toEqual(NOT_OF_PERSON)
    }
    expect(seen[0]).toEqual(seen[1])
    expect(JSON.stringify(seen)).not.toContain(DESK_CLI.name)
  })

  it('shows the consent page with the added scopes only, until the grant ends [STEP-03, STEP-09]', async () => {
    const connected = await connect()
    connected.school.clock.now += 86_400
    const { access_token } = await tokensOf(
      await refresh(connected.school, connected.tokens.refresh_token, {
        client_id: DESK_CLI.clientId,
      }),
    )
    const { view } = await open({ ...connected, call: () => connected.call(access_token) })
    expect(view).toMatchObject({
      client: { name: DESK_CLI.name, verified: false },
      person: { subject: OWNER.subject },
      uiLocales: [],
      scopes: [{ scope: WIDER, alreadyGranted: false, beyondRole: false }],
      addsTo: [
        { scope: 'openid', alreadyGranted: true },
        { scope: 'courses:read', alreadyGranted: true, beyondRole: false },
      ],
      blocked: null,
      mayPaste: false,
      mayNarrow: false,
      notice: null,
      grantLifetimeSeconds: 179 * 86_400,
      grantEnds: [],
    })
  })

  it.each([
    ['no scope', '?add='],
    ['a scope twice', '?add=courses:write&add=courses:read'],
    ['a name that is none', '?add=%22'],
    ['more than any table has', `?add=${'a'.repeat(5000)}`],
    ['another query', '?x=1'],
    [
      'one character too many',
      `?add=courses:write&x=${'x'.repeat(4096)}`.slice(0, 4097 - GRANT_PATH),
    ],
  ])('with %s leads to the error page [STEP-03]', async (_, query) => {
    const connected = await connect()
    const link = await linkOf(await connected.call())
    await createBrowser(connected.school).open(link.replace(/\?.*/, query))
    expect(pageOf(connected.school)).toEqual(['error', 'invalid_request', 'interaction_expired'])
  })

  it('may have 4,096 characters [STEP-03]', async () => {
    const connected = await connect()
    const link = await linkOf(await connected.call())
    const rest = 4096 - link.length + ISSUER.length
    await createBrowser(connected.school).open(`${link}&${'x'.repeat(rest - 1)}`)
    expect(consentOf(connected.school).scopes.map(({ scope }) => scope)).toEqual([WIDER])
  })

  it.each(['%E0%A4%A', '%00', 'a%1Fb', '%C2%80'])(
    'with an identifier that no store takes leads to the error page: %s [STEP-03]',
    async (id) => {
      const { school } = await connect({ store: storeWithoutNul() })
      school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
      await createBrowser(school).open(`${ISSUER}/oauth/interaction/grant_${id}?add=courses:write`)
      expect(pageOf(school)).toEqual(['error', 'invalid_request', 'interaction_expired'])
      expect(school.faults).toEqual([])
    },
  )

  it('gives a browser one cookie, with which the page is the same in another tab [STEP-04]', async () => {
    const connected = await connect()
    const link = await linkOf(await connected.call())
    const browser = createBrowser(connected.school)
    const first = await browser.open(link)
    const { csrfToken } = consentOf(connected.school)
    const second = await browser.open(link)
    expect([first, second].map(({ headers }) => headers.has('set-cookie'))).toEqual([true, false])
    expect(consentOf(connected.school).csrfToken).toBe(csrfToken)
  })

  it('is no step of an attempt to connect [STEP-03]', async () => {
    const attempts = createMemoryAttempts()
    const connected = await connect({ options: { watchers: [recordAttempts(attempts)] } })
    const link = await linkOf(await connected.call())
    await recorderOf(connected.school.site).settled()
    const before = await attempts.list(EVERY)
    await createBrowser(connected.school).open(link.replace('courses:write', 'root:all'))
    await recorderOf(connected.school.site).settled()
    expect(pageOf(connected.school)).toEqual(['error', 'invalid_scope', 'scope_unknown'])
    expect(await attempts.list(EVERY)).toEqual(before)
  })

  it.each([
    ['an unknown scope', 'root:all', ['invalid_scope', 'scope_unknown']],
    ['a scope of members', 'account:read', ['invalid_scope', 'scope_of_other_audience']],
  ])('with %s adds nothing [STEP-03]', async (_, scope, refusal) => {
    const connected = await connect()
    const link = await linkOf(await connected.call())
    await createBrowser(connected.school).open(link.replace('courses:write', scope))
    expect(pageOf(connected.school)).toEqual(['error', ...refusal])
  })

  it('is dead where the site has none [STEP-03]', async () => {
    const store = createMemoryStore()
    const link = await linkOf(await (await connect({ store })).call())
    const off = await createSchool({ store })
    off.signedIn = { subject: OWNER.subject, authTime: off.clock.now }
    await createBrowser(off).open(link)
    expect(pageOf(off)).toEqual(['error', 'invalid_request', 'interaction_expired'])
  })
})

describe('Allow', () => {
  it('lets the client go on with the tokens that it has, and a refresh keeps it [STEP-05]', async () => {
    const connected = await connect()
    const { school, tokens, call } = connected
    const { answer } = await open(connected)
    expect((await call()).status).toBe(403)
    const response = await answer('allow')
    expect(response.status).toBe(200)
    expect(school.view).toMatchObject({
      page: 'backToApp',
      view: { allowed: true, client: { name: DESK_CLI.name } },
    })
    const allowed = await call()
    expect([allowed.status, await allowed.json()]).toEqual([200, ['openid', 'courses:read', WIDER]])
    const next = await tokensOf(
      await refresh(school, tokens.refresh_token, { client_id: DESK_CLI.clientId }),
    )
    expect(next.scope).toBe('openid courses:read courses:write')
    expect((await call(next.access_token)).status).toBe(200)
  })

  it.each([
    ['named no scopes', {}],
    ['named the scopes', { scope: 'openid courses:read' }],
    ['named fewer scopes', { scope: 'courses:read' }],
  ])(
    'repeats a refresh that %s, and whose response was lost before it [STEP-05]',
    async (_, asked) => {
      const connected = await connect()
      const { school, tokens, call } = connected
      const ask = (changes: Readonly<Record<string, string>>): Promise<Response> =>
        refresh(school, tokens.refresh_token, { client_id: DESK_CLI.clientId, ...changes })
      const lost = await tokensOf(await ask(asked))
      await (await open(connected)).answer('allow')
      expect(await tokensOf(await ask(asked))).toEqual(lost)
      expect((await call(lost.access_token)).status).toBe(200)
      const other = await ask({ scope: 'openid courses:read courses:write' })
      expect([other.status, await other.json()]).toMatchObject([400, { error: 'invalid_grant' }])
      expect(school.refusals.at(-1)).toMatchObject({ reason: 'refresh_retry_differs' })
      const next = await tokensOf(
        await refresh(school, lost.refresh_token, { client_id: DESK_CLI.clientId }),
      )
      expect(next.scope).toBe('openid courses:read courses:write')
    },
  )

  it('during a refresh is not lost: the repetition works, and the link adds it again [STEP-05]', async () => {
    const store = createMemoryStore()
    const racing: Store = {
      ...store,
      async rotateRefreshToken(rotated, events) {
        const { grantId } = rotated.accessToken
        await store.widenGrant({ grantId, scopes: [WIDER] })
        return store.rotateRefreshToken(rotated, events)
      },
    }
    const connected = await connect({ store: racing })
    const { school, tokens, call } = connected
    const ask = (): Promise<Response> =>
      refresh(school, tokens.refresh_token, { client_id: DESK_CLI.clientId })
    const lost = await tokensOf(await ask())
    expect(await tokensOf(await ask())).toEqual(lost)
    const again = { ...connected, call: () => call(lost.access_token) }
    expect((await again.call()).status).toBe(403)
    await (await open(again)).answer('allow')
    expect((await again.call()).status).toBe(200)
  })

  it('of two forms at the same time adds it once [STEP-05]', async () => {
    const connected = await connect()
    const { school, tokens } = connected
    const first = await open(connected)
    const second = await open(connected)
    const both = await Promise.all([first.answer('allow'), second.answer('allow')])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const { grant } = (await school.store.findAccessToken(hashToken(tokens.access_token)))!
    expect(grant.scopes).toEqual(['openid', 'courses:read', WIDER])
  })

  it('is reported once, with what was added, and kept for the outbox [STEP-05]', async () => {
    const connected = await connect({ options: { outbox: true } })
    const { school } = connected
    const { grantId } = (await school.store.findAccessToken(
      hashToken(connected.tokens.access_token),
    ))!.grant
    await (await open(connected)).answer('allow')
    const event = {
      type: 'oauth.grant.widened',
      at: school.clock.now,
      clientId: DESK_CLI.clientId,
      subject: OWNER.subject,
      grantId,
      scopes: [WIDER],
    }
    expect(school.events.at(-1)).toMatchObject(event)
    const kept = await school.store.listEvents({ limit: 100 })
    expect(kept.filter(({ type }) => type === 'oauth.grant.widened')).toMatchObject([event])
  })

  it('remembers no consent for a later request [STEP-05]', async () => {
    const connected = await connect()
    await (await open(connected)).answer('allow')
    connected.school.view = null
    const request = { ...DESK_REQUEST, scope: 'openid courses:read courses:write' }
    await signIn(connected.school, request, { person: OWNER })
    expect(connected.school.view).toMatchObject({ page: 'consent' })
  })
})

describe('Cancel', () => {
  it('changes nothing: the client gets the same 403 [STEP-06]', async () => {
    const connected = await connect()
    const { school, call } = connected
    const before = await (await call()).text()
    await (await open(connected)).answer('deny')
    expect(school.view).toMatchObject({ page: 'backToApp', view: { allowed: false } })
    expect(await (await call()).text()).toBe(before)
    expect(school.events.at(-1)).toMatchObject({
      type: 'oauth.authorization.denied',
      clientId: DESK_CLI.clientId,
      subject: OWNER.subject,
    })
    expect(await school.store.listEvents({ limit: 10 })).toEqual([])
  })
})

describe('a form that no page of this browser sent', () => {
  it.each<
    readonly [string, (page: Awaited<ReturnType<typeof open>>, school: School) => Promise<Response>]
  >([
    ['without the token', ({ browser, view }) => browser.post(view.action, { decision: 'allow' })],
    [
      'from another browser',
      ({ view }, school) =>
        createBrowser(school).post(view.action, { csrf_token: view.csrfToken, decision: 'allow' }),
    ],
    [
      'from another site',
      ({ browser, view }) =>
        browser.post(
          view.action,
          { csrf_token: view.csrfToken, decision: 'allow' },
          { 'sec-fetch-site': 'cross-site' },
        ),
    ],
    [
      'for other scopes',
      ({ browser, view }) =>
        browser.post(view.action.replace('courses:write', 'school:write'), {
          csrf_token: view.csrfToken,
          decision: 'allow',
        }),
    ],
  ])('adds nothing: %s [STEP-04]', async (_, send) => {
    const connected = await connect()
    const response = await send(await open(connected), connected.school)
    expect(response.status).toBe(403)
    expect(pageOf(connected.school)).toEqual(['error', 'access_denied', 'csrf_token_mismatch'])
    expect((await connected.call()).status).toBe(403)
  })
})

describe('what changed while the person read the page', () => {
  it.each<readonly [string, (school: School, grantId: string) => unknown, readonly unknown[]]>([
    [
      'the grant was revoked',
      ({ store, clock }, grantId) =>
        store.revokeGrant({ grantId, revokedAt: clock.now, revokedReason: 'person' }),
      NOT_OF_PERSON,
    ],
    ['the grant expired', ({ clock }) => (clock.now += 180 * 86_400), NOT_OF_PERSON],
    [
      'the client was disabled',
      ({ store }) => store.replaceClient({ ...DESK_CLI, revision: 2, disabled: true }),
      NOT_OF_PERSON,
    ],
    [
      'the client came to its end',
      ({ store, clock }) => store.replaceClient({ ...DESK_CLI, revision: 2, endsAt: clock.now }),
      NOT_OF_PERSON,
    ],
    [
      'the client was deleted',
      ({ store, clock }) => store.replaceClient({ ...DESK_CLI, revision: 2, deletedAt: clock.now }),
      NOT_OF_PERSON,
    ],
    [
      'the client may use less',
      ({ store }) => store.replaceClient({ ...DESK_CLI, revision: 2, scopes: ['courses:read'] }),
      ['error', 'invalid_scope', 'scope_not_allowed_for_client'],
    ],
    [
      'the person lost the role',
      ({ people }) => people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] }),
      ['error', 'insufficient_scope', 'scope_beyond_role'],
    ],
    [
      'the person is no longer staff',
      ({ people }) => people.set(OWNER.subject, { ...OWNER, roles: ['student'] }),
      ['error', 'access_denied', 'person_not_staff'],
    ],
    ['the person signed out', (school) => (school.signedIn = null), ['signIn']],
    [
      'another person signed in',
      (school) => (school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }),
      NOT_OF_PERSON,
    ],
  ])('is decided again for the form: %s [STEP-07]', async (_, change, page) => {
    const connected = await connect()
    const { school } = connected
    const { grant } = (await school.store.findAccessToken(
      hashToken(connected.tokens.access_token),
    ))!
    const { answer } = await open(connected)
    await change(school, grant.grantId)
    await answer('allow')
    expect([pageOf(school)].flat()).toEqual(page)
    expect((await school.store.findGrant(grant.grantId))?.grant.scopes).toEqual(grant.scopes)
  })

  it('finds no grant of a person who was erased and came back [STEP-07]', async () => {
    const connected = await connect()
    const { school, call } = connected
    const { answer } = await open(connected)
    const { subject } = OWNER
    await school.store.erasePerson({ subject, loginHints: [], erasedAt: school.clock.now })
    await answer('allow')
    expect(pageOf(school)).toEqual(NOT_OF_PERSON)
    expect((await call()).status).toBe(401)
  })

  it('never widens a grant that was revoked between the decision and its storage [STEP-07]', async () => {
    const store = createMemoryStore()
    const racing: Store = {
      ...store,
      async widenGrant(widening, events) {
        await store.revokeGrant({ ...widening, revokedAt: 1, revokedReason: 'person' })
        return store.widenGrant(widening, events)
      },
    }
    const connected = await connect({ store: racing })
    await (await open(connected)).answer('allow')
    expect(pageOf(connected.school)).toEqual(['error', 'invalid_request', 'interaction_expired'])
    expect((await connected.call()).status).toBe(401)
    const types = connected.school.events.map(({ type }) => type)
    expect(types).not.toContain('oauth.grant.widened')
  })
})
