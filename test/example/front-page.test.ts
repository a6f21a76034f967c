import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, demoSignIns } from '../../examples/school/src/demo/demo.js'
import { rolesInWords } from '../../examples/pages/wording.js'
import { fieldsOf, formsOf } from '../support/http/page-browser.js'
import {
  type RunningExample,
  type SharedExample,
  sharedExample,
  startExample,
} from '../support/processes/example.js'
import { DEMO_PLACES } from '../../examples/school/src/demo/places.js'
import { authorizeUrl } from '../support/http/running-flow.js'
import { REDIRECT } from '../support/school/flow.js'
import { createFormBrowser, type Page } from '../support/http/form-browser.js'

let demo: SharedExample
let plain: RunningExample

beforeAll(async () => {
  demo = await sharedExample()
  plain = await startExample({ environment: { HALLPASS_DEMO: '0' } })
})
afterAll(async () => {
  await Promise.all([demo.stop(), plain.stop()])
})

const open = (origin: string, path = '/'): Promise<Page> => createFormBrowser(origin).open(path)

const between = (page: Page, start: string, end: string): string =>
  page.text.slice(page.text.indexOf(start), page.text.indexOf(end))

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
].join('; ')

describe('the front page of the demo', () => {
  it.each([
    ['site_lantern', () => demo.origin],
    ['site_kiln', () => demo.kiln],
  ])('lists exactly who can sign in at %s, each with a button that does', async (site, origin) => {
    const page = await open(origin())
    const people = demoSignIns(site)
    const forms = formsOf(page).filter((form) => form.includes('Sign in as'))
    expect(forms.map((form) => Object.fromEntries(fieldsOf(form)))).toEqual(
      people.map(({ email }) => ({
        return_to: '/',
        csrf_token: expect.stringMatching(/./),
        email,
        password: DEMO_PASSWORD,
      })),
    )
    const listed = between(page, 'id="people"', 'id="endpoints"')
    for (const { name, email } of people) {
      expect(listed).toContain(name)
      expect(listed).toContain(email)
    }
    const roles = [...listed.matchAll(/data-role="(\w+)"[^]*?class="badge [^>]*>([^<]+)</g)]
    expect(roles.map(([, role, words]) => [role, words])).toEqual(
      people.map(({ role }) => [role, rolesInWords([role])]),
    )
    expect(listed.match(/class="person-note">[^<]+</g)?.length).toBe(people.length)
  })

  it('links to endpoints that are alive', async () => {
    const page = await open(demo.origin)
    const hrefs = [...between(page, 'id="endpoints"', 'id="walk"').matchAll(/href="([^"]+)"/g)]
    const found = await Promise.all(
      hrefs.map(async ([, href]) => `${href} ${(await fetch(demo.origin + href)).status}`),
    )
    expect(found).toEqual([
      '/.well-known/oauth-authorization-server 200',
      '/.well-known/openid-configuration 200',
      '/.well-known/oauth-protected-resource 200',
      '/.well-known/jwks.json 200',
      '/auth.md 200',
      '/docs 200',
      '/openapi.json 200',
      '/account/graphiql 200',
      '/account/schema.graphql 200',
      '/connect 200',
    ])
    expect(page.text).toContain('<code class="letters">/account/graphql</code>')
    const asked = { method: 'POST', body: '{"query":"{ __typename }"}' }
    expect((await fetch(`${demo.origin}/account/graphql`, asked)).status).toBe(401)
  })

  it.each([
    ['lantern', () => demo.origin],
    ['kiln', () => demo.kiln],
  ])('tells an agent the addresses of %s [MCP-19]', async (name, origin) => {
    const page = await open(origin())
    expect(page.text).toContain(`claude mcp add --transport http ${name} ${origin()}/mcp`)
    for (const path of ['/mcp/signed-in', '/mcp/member'])
      expect(page.text).toContain(`<code class="doors-address letters">${origin()}${path}</code>`)
  })

  it('lets its own script run and ask this origin, and nothing else', async () => {
    const page = await open(demo.origin)
    expect(page.headers.get('content-security-policy')).toBe(POLICY)
    expect(page.text.match(/<script[^]*?<\/script>/g)).toEqual([
      '<script type="module" src="/assets/walk.js"></script>',
    ])
    expect(page.text).not.toMatch(/<style|\son\w+=|style="/)
  })

  it.each([
    ['walk.js', 'text/javascript; charset=utf-8'],
    ['front.css', 'text/css; charset=utf-8'],
  ])('loads %s as %s and as nothing else', async (name, type) => {
    const { status, headers } = await fetch(`${demo.origin}/assets/${name}`)
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      type,
      'nosniff',
    ])
  })

  it('is there for somebody signed in as well, with the ways on and the way out', async () => {
    const browser = createFormBrowser(demo.origin)
    const ines = { email: 'ines.duarte@example.com', password: DEMO_PASSWORD }
    const home = await browser.submit(await browser.open('/'), ines, 'Sign in')
    expect(home.text).toContain('id="walk"')
    expect(home.text).toContain('Hello, <bdi>Ines Duarte</bdi>')
    expect(home.text).toContain('href="/oauth/authorized_applications"')
    expect(home.text).toContain('href="/oauth/applications"')
    expect(home.text.match(/You’re signed in/g)?.length).toBe(1)
    const left = await browser.submit(home, {}, 'Sign out')
    expect(left.text).not.toContain('Hello,')
  })

  it('says what went wrong with a sign-in, keeps the address and is called an error', async () => {
    const browser = createFormBrowser(demo.origin)
    const wrong = { email: 'ines.duarte@example.com', password: 'not it' }
    const page = await browser.submit(await browser.open('/'), wrong, 'Sign in')
    expect(page.status).toBe(403)
    expect(page.text).toContain('<title>Error: Sign in')
    expect(page.text).toContain('role="alert"')
    expect(page.text).toContain('value="ines.duarte@example.com"\n')
    expect(page.text).toContain('id="walk"')
  })
})

const LANGUAGES = [
  ['en', 'This is a demo. Continue as:', 'Owner', 'Page not found'],
  ['zh-TW', '這是示範。以下列身分繼續：', '擁有者', '找不到頁面'],
  ['ar', 'هذا عرض تجريبي. المتابعة باسم:', 'مالك', 'الصفحة غير موجودة'],
] as const

describe('a sign-in page of the demo', () => {
  const quick = (page: Page): readonly string[] =>
    formsOf(page).filter((form) => form.includes('name="password" value='))

  it('has a button for an owner, an assistant and a student, which signs in and goes on [UX-25]', async () => {
    const browser = createFormBrowser(demo.origin)
    const page = await browser.open(authorizeUrl(demo.origin))
    expect(quick(page).map((form) => Object.fromEntries(fieldsOf(form)))).toEqual(
      ['ines.duarte', 'yuki.tan', 'mei-ling.chou'].map((name) => ({
        return_to: page.url.pathname,
        csrf_token: expect.stringMatching(/./),
        email: `${name}@example.com`,
        password: DEMO_PASSWORD,
      })),
    )
    const consent = await browser.submit(page, {}, 'Student')
    expect(consent.text).toContain('Allow')
    expect(consent.text).toContain('Mei-Ling Chou')
  })

  it('marks who can allow an app of staff, as the walkthrough is, and nobody for an app of members', async () => {
    const staff = { client_id: 'desk-cli', resource: null, scope: 'courses:read' }
    const walk = await open(demo.origin, authorizeUrl(demo.origin, staff))
    expect(quick(walk).map((form) => form.includes('can allow it'))).toEqual([true, true, false])
    expect(walk.text).toContain('The school refuses students, which is worth a try.')
    const member = await open(demo.origin, authorizeUrl(demo.origin))
    expect(member.text).not.toMatch(/can allow it|worth a try/)
  })

  it.each(LANGUAGES)(
    'speaks %s, as the page that is not found does',
    async (tag, lead, owner, title) => {
      const reader = createFormBrowser(demo.origin, { 'accept-language': tag })
      const [signIn, missing] = [await reader.open('/sign-in'), await reader.open('/nothing')]
      expect(signIn.text).toContain(lead)
      expect(quick(signIn)[0]).toContain(owner)
      expect(missing.status).toBe(404)
      expect(missing.text).toContain(title)
      expect(missing.text).toContain(`<html lang="${tag === 'zh-TW' ? 'zh-Hant' : tag}"`)
    },
  )

  it('is of other people at the second school', async () => {
    const page = await open(demo.kiln, '/sign-in')
    expect(quick(page).map((form) => new Map(fieldsOf(form)).get('email'))).toEqual([
      'hao-yu.lin@example.com',
      'mei-ling.chou@example.com',
    ])
  })
})

describe('a page for people', () => {
  const PATHS = [
    '/sign-in',
    '/nothing',
    '/app-logos/nothing',
    '/docs/nothing',
    '/connect/nothing',
    '/playground/nothing',
    '/oauth/authorize?client_id=nobody',
    `/oauth/interaction/${'x'.repeat(43)}`,
  ]
  const OF_INES = [
    '/sign-out',
    '/oauth/authorized_applications',
    '/oauth/authorized_applications/nothing',
    '/oauth/applications',
    '/oauth/applications/nothing',
    '/oauth/applications/new',
    '/oauth/applications/beta',
    '/oauth/applications/attempts',
    '/oauth/applications/activity',
    '/oauth/applications/study-buddy',
    '/oauth/applications/study-buddy/edit',
    '/oauth/applications/study-buddy/delete',
  ]

  it('is in the language of its reader, whichever it is', async () => {
    const ines = createFormBrowser(demo.origin)
    await ines.submit(
      await ines.open('/sign-in'),
      { email: 'ines.duarte@example.com', password: DEMO_PASSWORD },
      'Sign in',
    )
    const cookie = [...ines.cookies].map((pair) => pair.join('=')).join('; ')
    const headingOf = async (path: string, tag: string, headers: object): Promise<string> => {
      const response = await fetch(demo.origin + path, {
        headers: { accept: 'text/html', 'accept-language': tag, ...headers },
      })
      const text = await response.text()
      expect(text, `${path} in ${tag}`).toContain(`<html lang="${tag}"`)
      return /<h1[^>]*>([^]*?)<\/h1>/.exec(text)?.[1] ?? ''
    }
    const pages = [
      ...PATHS.map((path) => [path, {}] as const),
      ...OF_INES.map((path) => [path, { cookie }] as const),
    ]
    for (const [path, headers] of pages) {
      const [english = '', ...others] = await Promise.all(
        ['en', 'zh-Hant', 'ar'].map((tag) => headingOf(path, tag, headers)),
      )
      expect(english, path).not.toBe('')
      // The name of an app is that of its maker.
      if (path !== '/oauth/applications/study-buddy')
        for (const other of others) expect(other, path).not.toBe(english)
    }
  })
})

describe('the pages of the demo', () => {
  it('have one navigation, an icon and a description', async () => {
    const ines = createFormBrowser(demo.origin, { accept: 'text/html' })
    await ines.submit(
      await ines.open('/sign-in'),
      { email: 'ines.duarte@example.com', password: DEMO_PASSWORD },
      'Sign in',
    )
    const PLACES = DEMO_PLACES.map(({ href }) => href)
    const paths = ['/', '/playground', '/connect', '/account/graphiql', '/docs', '/auth.md']
    for (const path of [...paths, '/oauth/authorized_applications', '/oauth/applications']) {
      const page = await ines.open(path)
      const [nav = ''] = /<nav[^]*?<\/nav>/.exec(page.text) ?? []
      const links = [...nav.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
      expect(
        links.filter((href) => PLACES.includes(href!)),
        path,
      ).toEqual(PLACES)
      if (paths.includes(path) && !['/account/graphiql', '/playground'].includes(path))
        expect(page.text, path).toMatch(/<meta\s+name="description"\s+content="[^"]{30,}"/)
    }
    const icon = await fetch(`${demo.origin}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ])
  })
})

describe('the stylesheet of the front page', () => {
  it('has only classes that the page or its script gives, and loads nothing', async () => {
    const css = await (await fetch(`${demo.origin}/assets/front.css`)).text()
    const rules = css.replace(/\{[^{}]*\}/g, '{}')
    const styled = new Set([...rules.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))
    const folder = new URL('../../examples/walk/', import.meta.url)
    const script = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
    const pages = [(await open(demo.origin)).text, ...script].join('\n')
    const words = new Set(pages.match(/[a-z][\w-]*/g))
    const elsewhere = new Set(['badge', 'way', 'ways', 'quiet', 'person-here'])
    expect([...styled].filter((name) => !words.has(name) && !elsewhere.has(name))).toEqual([])
    expect(css).not.toMatch(/url\(|@import|@font-face|https?:/)
  })
})

describe('a school that is not the demo', () => {
  it('has the sign-in page alone as its home page, and lets no script run', async () => {
    const page = await open(plain.origin)
    expect(page.text).toContain('Welcome back to Lantern Street Drawing School.')
    expect(page.text).not.toMatch(/<script|id="walk"|Sign in as|hallpass-demo/)
    expect(page.text).not.toMatch(/name="description"|\/connect|\/playground/)
    expect(page.headers.get('content-security-policy')).toBe(
      POLICY.replace("script-src 'self'; connect-src 'self'; ", ''),
    )
  })
  it.each([
    ['of the school', '/sign-in'],
    ['of an area', '/oauth/applications'],
    ['for an app', 'walk'],
  ])('has no button and no password on the sign-in page %s [UX-25]', async (_, path) => {
    // Without the demo no app is known, so one registers itself.
    const registered = await fetch(`${plain.origin}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Walk', redirect_uris: [REDIRECT] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const app = authorizeUrl(plain.origin, { client_id, resource: null, scope: 'courses:read' })
    const page = await open(plain.origin, path === 'walk' ? app : path)
    expect(page.text).toContain('type="password"')
    expect(page.text).not.toMatch(/Continue as|name="password" value|hallpass-demo|@example\.com/)
  })
  it('has nobody to sign in without the demo flag', async () => {
    const browser = createFormBrowser(plain.origin)
    const page = await browser.submit(
      await browser.open('/'),
      { email: 'ines.duarte@example.com', password: DEMO_PASSWORD },
      'Sign in',
    )
    expect(page.status).toBe(403)
    expect(plain.output()).not.toContain('ines.duarte')
  })
  it.each(['', '/sign-in.js', '/editor.js'])('has no GraphiQL%s', async (file) => {
    expect((await fetch(`${plain.origin}/account/graphiql${file}`)).status).toBe(404)
  })
  it.each(['', '/steps', '/connect.js', '/connect.css'])(
    'has no page to connect%s',
    async (file) => {
      expect((await fetch(`${plain.origin}/connect${file}`)).status).toBe(404)
    },
  )
  it.each(['', '/playground.js', '/why?of=req_1'])('has no playground%s', async (file) => {
    expect((await fetch(`${plain.origin}/playground${file}`)).status).toBe(404)
  })
})
