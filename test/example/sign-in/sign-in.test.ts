import type { SessionEvent } from 'hallpass/operations'
import type { SignInView } from 'hallpass/authorization-server'
import type { Person } from 'hallpass/policy'
import { deviceGrant } from 'hallpass/blocks'
import { testSite } from 'hallpass/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { pageResponse } from '../../../examples/pages/response.js'
import { failedFor } from '../../../examples/school/src/pages/failed.js'
import { tooManyFor } from '../../../examples/school/src/pages/too-many.js'
import { errorPage, tooManyTriesPage } from '../../../examples/pages/error.js'
import { signedInPage, signOutPage } from '../../../examples/pages/home.js'
import { type Html, html } from '../../../examples/pages/html.js'
import { signInOnlyPage, signInPage, type SignInForm } from '../../../examples/pages/sign-in.js'
import { addressOf } from '../../../examples/school/src/platform/request-context.js'
import { hashPassword, verifyPassword } from '../../../examples/school/src/sign-in/password.js'
import type { PersonRow } from '../../../examples/school/src/members/people.js'
import type { Sessions } from '../../../examples/school/src/sign-in/sessions.js'
import { createSignIn, type SignIn } from '../../../examples/school/src/sign-in/sign-in.js'
import { LANTERN } from '../../../examples/school/src/sites.js'
import { createVisitors, type Visitors } from '../../../examples/school/src/sign-in/visitors.js'
import { STUDENT, T } from '../../support/school/school.js'
import { STUDY_BUDDY_VIEW } from '../../support/school/client-view.js'

const ORIGIN = 'https://lantern.example'
const BROWSER = 'b'.repeat(43)
const PASSWORD = 'pâte feuilletée'
const MEI: PersonRow = {
  memberId: STUDENT.subject,
  name: STUDENT.name,
  email: STUDENT.email,
  picture: null,
  role: 'student',
  suspended: false,
  passwordHash: await hashPassword(PASSWORD, { N: 1024, r: 1, p: 1 }),
}
const LINKS = [{ href: '/oauth/authorized_applications', label: 'Apps', text: 'What may act' }]
const WAITING = `/oauth/interaction/${'i'.repeat(43)}`
const WRONG = { kind: 'wrong_credentials' } as const

let person: PersonRow | null
let meanwhile: () => void
let held: Map<string, { subject: string; authTime: number }>
let ended: string[]
let tries: unknown[]
let right: string[]
let events: SessionEvent[]
let waitSeconds: number
let front: ((visitor: { person: Person | null; form: SignInForm }) => Html | null) | undefined
let below: Parameters<typeof createSignIn>[0]['below']
let signIn: SignIn

const sessions: Sessions = {
  find: async (id) => held.get(id) ?? null,
  async begin({ memberId, old }) {
    if (old !== null) held.delete(old)
    const id = 'n'.repeat(43)
    held.set(id, { subject: memberId, authTime: T })
    return id
  },
  async end(id) {
    ended.push(id)
    held.delete(id)
  },
  endAll: async () => 0,
  purge: async () => {},
}
const browsers = createVisitors({ origin: ORIGIN, site: LANTERN.id, sessions })
const csrfToken = browsers.csrfToken(BROWSER)
// Each page has another token, so pages are compared with one.
const visitors: Visitors = {
  ...browsers,
  csrfToken: (id) => (id === BROWSER ? csrfToken : browsers.csrfToken(id)),
}

function create(): SignIn {
  return createSignIn({
    site: LANTERN,
    origin: ORIGIN,
    people: {
      find: async () => null,
      names: async () => new Map(),
      add: async () => {},
      async findByEmail(email) {
        meanwhile()
        return person?.email === email ? person : null
      },
    },
    sessions,
    visitors,
    passwords: {
      async attempt(request, email, isRight) {
        tries.push([email, addressOf(request)])
        if (waitSeconds > 0) return { ok: false, retryAfterSeconds: waitSeconds }
        if (!(await isRight())) return { ok: false, retryAfterSeconds: 0 }
        right.push(email)
        return { ok: true, setCookie: `known=${email}` }
      },
      accountOf: () => null,
    },
    findPerson: async (subject) => (subject === STUDENT.subject ? STUDENT : null),
    resume: async (request) =>
      Response.json({
        url: request.url,
        cookie: request.headers.get('cookie'),
        signedIn: await signIn.currentPerson(request),
        page: await signIn.page(request, VIEW).text(),
      }),
    returnTo: testSite({ blocks: [deviceGrant({ page: () => new Response() })] }).site.returnTo,
    links: (one) => (one === STUDENT ? LINKS : []),
    ...(front !== undefined && { front }),
    ...(below !== undefined && { below }),
    onEvent: (event) => void events.push(event),
    now: () => T,
  })
}

const VIEW: SignInView = {
  client: STUDY_BUDDY_VIEW,
  cause: 'signed_out',
  loginHint: null,
  uiLocales: [],
  returnTo: WAITING,
}

beforeEach(() => {
  person = MEI
  meanwhile = () => {}
  held = new Map()
  ended = []
  tries = []
  right = []
  events = []
  waitSeconds = 0
  front = undefined
  below = undefined
  signIn = create()
})

const cookieOf = (id: string): string => `__Host-school=${id}`
const get = (path = '/', id = BROWSER): Request =>
  new Request(ORIGIN + path, { headers: { cookie: cookieOf(id) } })
const post = (fields: Record<string, string>, id = BROWSER): Request =>
  new Request(`${ORIGIN}/sign-in`, {
    method: 'POST',
    headers: { cookie: cookieOf(id), origin: ORIGIN },
    body: new URLSearchParams({ csrf_token: visitors.csrfToken(id), ...fields }),
  })
const CONTEXT = { address: '203.0.113.7' }
const typed = { email: MEI.email!, password: PASSWORD }
const signedInAs = (subject: string): void => void held.set(BROWSER, { subject, authTime: T - 60 })

/** Whether two answers are the same, headers and all. */
async function same(answer: Response, expected: Response): Promise<void> {
  expect(answer.status).toBe(expected.status)
  expect([...answer.headers]).toEqual([...expected.headers])
  expect(await answer.text()).toBe(await expected.text())
}
const form = (
  state: SignInForm['state'] = { kind: 'plain' },
  email: string | null = null,
): SignInForm => ({ csrfToken, email, state })
const formPage = (
  only: Partial<Parameters<typeof signInOnlyPage>[0]> = {},
  options: Partial<Parameters<typeof pageResponse>[1]> = {},
): Response =>
  pageResponse(signInOnlyPage({ site: LANTERN, form: form(), returnTo: '/', ...only }), {
    origin: ORIGIN,
    cookie: visitors.cookie(BROWSER),
    ...options,
  })
const OUT_OF_DATE = () =>
  pageResponse(
    errorPage({
      site: LANTERN,
      view: {
        status: 403,
        error: 'access_denied',
        reason: 'csrf_token_mismatch',
        description: 'the form did not come from this page, or cookies are turned off',
      },
    }),
    { origin: ORIGIN, status: 403 },
  )

describe('below its form, a sign-in page', () => {
  it('shows what the school adds, which knows where the form leads, for whom, and its token', async () => {
    below = ({ site, client, returnTo, csrfToken: sent }) =>
      html`<p>${[site.name, client?.name, returnTo, sent].join('|')}</p>`
    signIn = create()
    const added = async (page: Response | Promise<Response>): Promise<string | undefined> =>
      /<p>([^<]*\|[^<]*)<\/p>/.exec(await (await page).text())?.[1]
    const token = `|${csrfToken}`
    expect(await added(signIn.home(get()))).toBe(`${LANTERN.name}||/${token}`)
    expect(await added(signIn.page(get(), VIEW))).toBe(
      `${LANTERN.name}|${VIEW.client.name}|${WAITING}${token}`,
    )
    const atLink = { ...VIEW, client: { ...VIEW.client, clientId: ORIGIN } }
    expect(await added(signIn.page(get(), atLink))).toBe(`${LANTERN.name}||${WAITING}${token}`)
  })
})

describe('the home page', () => {
  it('is the sign-in page for somebody who is nobody yet', async () => {
    await same(await signIn.home(get()), formPage())
  })

  it('is the sign-in page for somebody who is gone from the school', async () => {
    signedInAs('mem_gone')
    await same(await signIn.home(get()), formPage())
  })

  it('shows who is signed in the ways that lead on', async () => {
    signedInAs(STUDENT.subject)
    await same(
      await signIn.home(get()),
      pageResponse(signedInPage({ site: LANTERN, person: STUDENT, csrfToken, links: LINKS }), {
        origin: ORIGIN,
        cookie: visitors.cookie(BROWSER),
      }),
    )
  })

  it('is the page of the school where there is one, with its script', async () => {
    const seen: unknown[] = []
    front = (visitor) => {
      seen.push(visitor)
      return html`<p>Welcome</p>`
    }
    signIn = create()
    await same(
      await signIn.home(get()),
      pageResponse(html`<p>Welcome</p>`, {
        origin: ORIGIN,
        cookie: visitors.cookie(BROWSER),
        script: true,
      }),
    )
    signedInAs(STUDENT.subject)
    await signIn.home(get())
    expect(seen).toEqual([
      { person: null, form: form() },
      { person: STUDENT, form: form() },
    ])
  })
})

describe('a page for people alone', () => {
  it.each([
    '/oauth/applications',
    '/oauth/applications/new?x=1',
    '/oauth/applications?page=2',
    '/oauth/authorized_applications',
    '/oauth/authorized_applications/disconnect?client_id=a%2Fb',
    '/oauth/device',
    '/oauth/device?user_code=WDJB-MJHT',
    WAITING,
    `/oauth/applications?${'x'.repeat(8 * 1024 - 20)}`,
    '/',
  ])('asks to sign in, and leads on to %s', async (returnTo) => {
    await same(await signIn.ask(get(), { returnTo }), formPage({ returnTo }))
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/oauth',
    '/oauth/',
    '/oauth/applicationsx',
    '/oauth/applications/../../elsewhere',
    '/oauth/applications/a b',
    '/oauth/device?user_code=wdjb-mjht',
    '/oauth/device?user_code=WDJ1-MJHT',
    '/oauth/device?user_code=WDJB-MJ1T',
    '/oauth/device?user_code=WDJB-M',
    '/oauth/device?user_code=W-MJHT',
    '/oauth/device?user_code=WDJB-1234',
    '/oauth/device?user_code=1234-MJHT',
    '/oauth/device?user_code=WDJB-MJHT&next=x',
    `${WAITING}x`,
    `${WAITING}/`,
    WAITING.slice(0, -1),
    'x/oauth/applications',
    '/oauth/applications/\u00e9',
    `/oauth/applications?${'x'.repeat(8 * 1024 - 19)}`,
  ])('leads home where %s is no page of it', async (returnTo) => {
    await same(await signIn.ask(get(), { returnTo }), formPage({ returnTo: '/' }))
  })

  it('asks somebody who is signed in once more, with the address that is known', async () => {
    signedInAs(STUDENT.subject)
    const returnTo = '/oauth/applications'
    await same(
      await signIn.ask(get(), { returnTo, status: 401 }),
      formPage({ returnTo, cause: 'again', form: form(undefined, STUDENT.email) }, { status: 401 }),
    )
  })
})

describe('the addresses of the forms, opened in a browser', () => {
  it('are the sign-in page for a person who is signed out', async () => {
    await same(await signIn.signInPage(get('/sign-in')), formPage())
    const answer = await signIn.signOutPage(get('/sign-out'))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in'])
  })

  it('are the home page and the button for a person who is signed in', async () => {
    signedInAs(STUDENT.subject)
    const answer = await signIn.signInPage(get('/sign-in'))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    await same(
      await signIn.signOutPage(get('/sign-out')),
      pageResponse(signOutPage({ site: LANTERN, person: STUDENT, csrfToken }), {
        origin: ORIGIN,
        cookie: visitors.cookie(BROWSER),
      }),
    )
  })
})

describe('the page while an app waits', () => {
  it('lets its form lead on to the app', async () => {
    await same(
      signIn.page(get(), VIEW),
      pageResponse(signInPage({ site: LANTERN, view: VIEW, form: form() }), {
        origin: ORIGIN,
        cookie: visitors.cookie(BROWSER),
        forApp: true,
      }),
    )
  })

  it('is in the language of the browser, also after a wrong password [UX-18]', async () => {
    const headers = { cookie: cookieOf(BROWSER), 'accept-language': 'ar' }
    const page = '<html lang="ar" dir="rtl"'
    expect(await signIn.page(new Request(ORIGIN + WAITING, { headers }), VIEW).text()).toContain(
      page,
    )
    const wrong = post({ ...typed, password: 'x', return_to: WAITING })
    wrong.headers.set('accept-language', 'ar')
    const answer = await signIn.signIn(wrong, CONTEXT)
    expect(await answer.json()).toMatchObject({ page: expect.stringContaining(page) })
    const asked = signIn.page(get(), { ...VIEW, uiLocales: ['ar-EG'] })
    expect(await asked.text()).toContain(page)
  })

  it('knows who is signed in', async () => {
    expect(await signIn.currentPerson(get())).toBeNull()
    signedInAs(STUDENT.subject)
    expect(await signIn.currentPerson(get())).toEqual({
      subject: STUDENT.subject,
      authTime: T - 60,
    })
  })
})

describe('signing in', () => {
  it('begins a session in place of the old one, and leads on', async () => {
    signedInAs('mem_other')
    const answer = await signIn.signIn(
      post({ ...typed, email: `  ${typed.email} `, return_to: '/oauth/applications' }),
      CONTEXT,
    )
    expect(answer.status).toBe(303)
    expect([...answer.headers]).toEqual([
      ['cache-control', 'no-store'],
      ['location', '/oauth/applications'],
      ['set-cookie', visitors.cookie('n'.repeat(43))],
      ['set-cookie', `known=${typed.email}`],
    ])
    expect([...held]).toEqual([['n'.repeat(43), { subject: MEI.memberId, authTime: T }]])
    expect(events).toEqual([{ type: 'session.signed_in', at: T, subject: MEI.memberId }])
    expect([tries, right]).toEqual([[[typed.email, CONTEXT.address]], [typed.email]])
  })

  it('leads home where the form names no other place', async () => {
    const answer = await signIn.signIn(post(typed), CONTEXT)
    expect(answer.headers.get('location')).toBe('/')
  })

  it('says of a wrong password no more than of an address that nobody has', async () => {
    for (const [email, subject] of [
      [MEI.email!, MEI.memberId],
      ['nobody@example.com', null],
    ] as const) {
      events = []
      await same(
        await signIn.signIn(post({ email, password: 'wrong' }), CONTEXT),
        formPage({ form: form(WRONG, email) }, { status: 403 }),
      )
      expect(events).toEqual([
        { type: 'session.failed', at: T, subject, reason: 'wrong_credentials' },
      ])
    }
    expect([held.size, right]).toEqual([0, []])
  })

  it('is put off where forty others wait, and is told nobody as a wrong password', async () => {
    const others: Promise<boolean>[] = []
    meanwhile = () => {
      while (others.length < 42) others.push(verifyPassword('', 'scrypt$2$1$1$AA$AA'))
    }
    await same(
      await signIn.signIn(post(typed), CONTEXT),
      pageResponse(tooManyTriesPage({ site: LANTERN, waitSeconds: 5 }), {
        origin: ORIGIN,
        status: 503,
        retryAfterSeconds: 5,
      }),
    )
    expect([events, held.size, right]).toEqual([[], 0, []])
    await Promise.all(others)
  })

  it('fails where a password cannot be tried at all', async () => {
    person = { ...MEI, passwordHash: 'scrypt$3$8$1$AAECAw$AAECAw' }
    await expect(signIn.signIn(post(typed), CONTEXT)).rejects.toThrow('scrypt')
  })

  it('does not let somebody in who left out the fields', async () => {
    await same(
      await signIn.signIn(post({}), CONTEXT),
      formPage({ form: form(WRONG, '') }, { status: 403 }),
    )
    expect(tries).toEqual([['', CONTEXT.address]])
  })

  it('reads 254 characters of an address and no more', async () => {
    waitSeconds = 1
    await signIn.signIn(post({ email: 'x'.repeat(255) }), CONTEXT)
    expect(tries).toEqual([['x'.repeat(254), CONTEXT.address]])
  })

  it('tells a suspended person so once they gave the right password', async () => {
    person = { ...MEI, suspended: true }
    await same(
      await signIn.signIn(post(typed), CONTEXT),
      formPage({ form: form({ kind: 'suspended' }, MEI.email) }, { status: 403 }),
    )
    expect(events).toEqual([
      { type: 'session.failed', at: T, subject: MEI.memberId, reason: 'suspended' },
    ])
    expect([held.size, right.length]).toEqual([0, 1])
  })

  it('asks whoever tries too often to wait, before the password is looked at', async () => {
    waitSeconds = 90
    const returnTo = '/oauth/applications'
    await same(
      await signIn.signIn(post({ ...typed, return_to: returnTo }), CONTEXT),
      formPage(
        { returnTo, form: form({ kind: 'throttled', waitSeconds: 90 }, MEI.email) },
        { status: 429, retryAfterSeconds: 90 },
      ),
    )
    expect(events).toEqual([{ type: 'session.failed', at: T, subject: null, reason: 'throttled' }])
    expect([held.size, right]).toEqual([0, []])
  })

  it('shows the sign-in page again to whom was signed in while they failed', async () => {
    waitSeconds = 90
    signedInAs(STUDENT.subject)
    await same(
      await signIn.signIn(post(typed), CONTEXT),
      formPage(
        { form: form({ kind: 'throttled', waitSeconds: 90 }, MEI.email) },
        { status: 429, retryAfterSeconds: 90 },
      ),
    )
  })

  it('opens the page of the app that waits again, with what went wrong', async () => {
    waitSeconds = 90
    signedInAs(STUDENT.subject)
    const answer = await signIn.signIn(post({ ...typed, return_to: WAITING }), CONTEXT)
    expect(await answer.json()).toEqual({
      url: ORIGIN + WAITING,
      cookie: cookieOf(BROWSER),
      signedIn: null,
      page: signInPage({
        site: LANTERN,
        view: VIEW,
        form: form({ kind: 'throttled', waitSeconds: 90 }, MEI.email),
      }).toString(),
    })
  })

  it.each([
    ['another browser', () => post({ ...typed, csrf_token: visitors.csrfToken('o'.repeat(43)) })],
    ['no page', () => post({ ...typed, csrf_token: '' })],
    ['no form', () => new Request(`${ORIGIN}/sign-in`, { method: 'POST', body: 'x', headers: {} })],
  ])('does nothing with a form from %s', async (_, request) => {
    await same(await signIn.signIn(request(), CONTEXT), OUT_OF_DATE())
    await same(await signIn.signOut(request()), OUT_OF_DATE())
    expect([tries, events, ended]).toEqual([[], [], []])
  })

  it('keeps in touch with the window of an app that waits, whatever the answer [UX-21]', async () => {
    const late = { csrf_token: '', return_to: WAITING }
    const path = '/oauth/authorize?client_id=study-buddy'
    const page = new Request(ORIGIN + path, { headers: { accept: 'text/html' } })
    const options = { site: LANTERN, origin: ORIGIN }
    const policyOf = (answer: Response): string | null =>
      answer.headers.get('cross-origin-opener-policy')
    for (const answer of [
      await signIn.signIn(post(late), CONTEXT),
      await signIn.signOut(post(late)),
      tooManyFor(page, { ...options, retryAfterSeconds: 7 }),
      failedFor(page, { ...options, status: 503 }),
    ])
      expect(policyOf(answer)).toBe('unsafe-none')
    const elsewhere = new Request(`${ORIGIN}/oauth/applications`, page)
    for (const answer of [
      await signIn.signIn(post({ csrf_token: '', return_to: '/oauth/applications' }), CONTEXT),
      tooManyFor(elsewhere, { ...options, retryAfterSeconds: 7 }),
      failedFor(elsewhere, { ...options, status: 503 }),
    ])
      expect(policyOf(answer)).toBe('same-origin')
  })
})

describe('signing out', () => {
  it('ends the session and gives the browser another identifier [UX-13]', async () => {
    signedInAs(STUDENT.subject)
    const answer = await signIn.signOut(post({ return_to: '/oauth/applications' }))
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/oauth/applications')
    const cookie = answer.headers.get('set-cookie')
    expect(cookie).toMatch(/^__Host-school=[\w-]{43}; /)
    expect(cookie).not.toBe(visitors.cookie(BROWSER))
    expect(ended).toEqual([BROWSER])
  })

  it('lets no form lead elsewhere, and no opener keep its window, where a device waits [UX-21]', async () => {
    const client = { ...VIEW.client, clientId: ORIGIN, name: LANTERN.name }
    for (const returnTo of ['/oauth/device', '/oauth/device?user_code=WDJB-MJHT'])
      await same(signIn.page(get(), { ...VIEW, returnTo, client }), formPage({ returnTo }))
  })

  it('leads back to a step-up link, and to nothing that only looks like it [UX-13]', async () => {
    const grant = `grant_${'g'.repeat(43)}`
    const link = `/oauth/interaction/${grant}?add=courses:write+events:read`
    const others = [
      `/oauth/interaction/${grant}`,
      `/oauth/interaction/${grant}?add=`,
      `/oauth/interaction/${grant}?more=a`,
      `/oauth/interaction/${grant}g?add=a`,
      `/oauth/interaction/${grant.slice(1)}?add=a`,
      `/oauth/interaction/${grant}?add=a&b`,
      `/oauth/interaction/${grant}?add=a b`,
      `/oauth/interaction/grant_${'/'.repeat(43)}?add=a`,
    ]
    const targets = []
    for (const return_to of [link, ...others])
      targets.push((await signIn.signOut(post({ return_to }))).headers.get('location'))
    expect(targets).toEqual([link, ...others.map(() => '/')])
  })

  it('names no app before sign-in at a step-up link [STEP-03]', async () => {
    const returnTo = `/oauth/interaction/grant_${'g'.repeat(43)}?add=courses:write`
    const client = { ...VIEW.client, clientId: ORIGIN, name: LANTERN.name }
    const expected = formPage({ returnTo }, { forApp: true })
    await same(signIn.page(get(), { ...VIEW, returnTo, client }), expected)
  })

  it('leads home where the path is one that a browser would change [UX-13]', async () => {
    const return_to = '/oauth/applications/../elsewhere'
    const answer = await signIn.signOut(post({ return_to }))
    expect(answer.headers.get('location')).toBe('/')
  })

  it('answers a form that is out of date', async () => {
    await same(signIn.outOfDate(get()), OUT_OF_DATE())
  })
})
