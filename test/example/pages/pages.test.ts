import fc from 'fast-check'
import type {
  ClientView,
  ConsentScope,
  ConsentView,
  SignInView,
} from 'hallpass/authorization-server'
import { describe, expect, it } from 'vitest'
import { consentPage } from '../../../examples/pages/consent.js'
import { errorPage } from '../../../examples/pages/error.js'
import { signedInPage, signInOnlyPage } from '../../../examples/pages/home.js'
import { escapeHtml, type Html, html } from '../../../examples/pages/html.js'
import { localPath, type Site } from '../../../examples/pages/layout.js'
import { palettes } from '../../../examples/pages/style/palette.js'
import { type SignInState, signInPage } from '../../../examples/pages/sign-in.js'
import { LANGUAGES } from '../../../examples/pages/words/languages.js'
import { schoolCss } from '../../../examples/pages/style/style.js'
import {
  agoInWords,
  momentInWords,
  rolesInWords,
  spanInWords,
} from '../../../examples/pages/wording.js'
import { anyCharacter, inTags, TAGGED_FLAGS } from '../../support/http/characters.js'
import { galleryPages } from '../support/gallery/pages.js'
import { attribute, buttonsOf, controlsOf, tagsOf, textOf } from '../../support/http/markup.js'
import { anyUrl } from '../../support/http/urls.js'
import { STUDY_BUDDY_VIEW } from '../../support/school/client-view.js'

const site: Site = { name: 'Lantern Street Drawing School', theme: 'lantern' }
const client = STUDY_BUDDY_VIEW
const loopback: ClientView = {
  ...client,
  name: 'Desk CLI',
  kind: 'loopback',
  verified: false,
  redirectHost: '127.0.0.1:53682',
  redirectIsLoopback: true,
  redirectIsOwn: false,
}
const unreviewed: ClientView = {
  ...client,
  clientId: 'https://notes.example/client.json',
  name: 'Margin Notes',
  kind: 'document',
  verified: false,
  redirectHost: 'notes.example',
}
const scope: ConsentScope = {
  scope: 'courses:read',
  text: 'See courses, drafts included',
  group: 'Courses',
  access: 'read',
  personalData: false,
  sensitive: false,
  alreadyGranted: false,
  beyondRole: false,
}
const consentView: ConsentView = {
  action: '/oauth/interaction/abc',
  csrfToken: 'csrf-1',
  client,
  person: {
    subject: 'mem_1',
    orgId: 'site_1',
    roles: ['manager'],
    name: 'Tomasz Wilk',
    email: 'tomasz@lantern.example',
    picture: null,
  },
  scopes: [scope],
  addsTo: null,
  blocked: null,
  uiLocales: [],
  mayPaste: false,
  mayNarrow: false,
  notice: null,
  grantLifetimeSeconds: 180 * 86_400,
  grantEnds: [],
  clientEndsAt: null,
}
const signInView: SignInView = {
  returnTo: '/oauth/interaction/abc',
  client,
  cause: 'signed_out',
  loginHint: null,
  uiLocales: [],
}

const signIn = (
  state: SignInState = { kind: 'plain' },
  view: Partial<SignInView> = {},
  email: string | null = null,
): string =>
  String(
    signInPage({
      site,
      view: { ...signInView, ...view },
      form: { csrfToken: 'csrf-1', email, state },
    }),
  )
const consent = (view: Partial<ConsentView> = {}, signOutToken: string | null = null): string =>
  String(consentPage({ site, view: { ...consentView, ...view }, signOutToken }))

const pages = galleryPages().map(({ name, html }) => ({ name, page: String(html) }))

describe('the html template', () => {
  it('escapes strings and passes its own results through', () => {
    const inner = html`<b>${'<&>"\'`'}</b>`
    expect(String(html`<p title="${'"'}">${inner}${['a', html`<i></i>`]}${3}</p>`)).toBe(
      '<p title="&quot;"><b>&lt;&amp;&gt;&quot;&#39;&#96;</b>a<i></i>3</p>',
    )
  })

  it('leaves out null, undefined and false, and keeps zero', () => {
    expect(String(html`[${null}${undefined}${false}${0}${[null, []]}]`)).toBe('[0]')
  })

  it('does not take an object with a toString for finished HTML', () => {
    const forged = { toString: () => '<script>' } as unknown as Html
    expect(() => html`${forged}`).toThrow(TypeError)
  })

  it('makes hidden and reordering characters visible, and keeps real writing', () => {
    expect(escapeHtml('a\u202eb\u2066c\u200bd\u0000e\ud800f')).toBe(
      'a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf',
    )
    expect(escapeHtml(`a${inTags('bc')}`)).toBe('a\ufffd\ufffd')
    const real = `נועה 高橋 Ünal 👩‍🎨 ${TAGGED_FLAGS.join(' ')}`
    expect(escapeHtml(real)).toBe(real)
  })
})

describe('text that others chose', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "' onfocus='alert(1)' autofocus='",
      '</title><img src=x onerror=alert(1)>',
      '&lt;b&gt;',
      '\u202eevil\u2069',
      '${constructor}',
    ),
  )
  const places: Readonly<Record<string, (text: string) => Html>> = {
    'a client name on the sign-in page': (name) =>
      signInPage({
        site,
        view: { ...signInView, client: { ...loopback, name } },
        form: { csrfToken: 'c', email: null, state: { kind: 'plain' } },
      }),
    'a login hint': (loginHint) =>
      signInPage({
        site,
        view: { ...signInView, loginHint },
        form: { csrfToken: 'c', email: null, state: { kind: 'plain' } },
      }),
    'a typed email': (email) =>
      signInPage({
        site,
        view: signInView,
        form: { csrfToken: 'c', email, state: { kind: 'wrong_credentials' } },
      }),
    'the name of somebody signed in': (name) =>
      signInOnlyPage({
        site,
        form: { csrfToken: 'c', email: null, state: { kind: 'signed_in', name } },
      }),
    'a client name on the consent page': (name) =>
      consentPage({ site, view: { ...consentView, client: { ...unreviewed, name } } }),
    'a client name on a blocked consent page': (name) =>
      consentPage({
        site,
        view: { ...consentView, client: { ...loopback, name }, blocked: 'not_staff' },
      }),
    'a client identifier': (clientId) =>
      consentPage({ site, view: { ...consentView, client: { ...unreviewed, clientId } } }),
    'a redirect host': (redirectHost) =>
      consentPage({ site, view: { ...consentView, client: { ...loopback, redirectHost } } }),
    'a person': (text) =>
      consentPage({
        site,
        view: { ...consentView, person: { ...consentView.person, name: text, email: text } },
      }),
    'a member on the home page': (name) =>
      signedInPage({ site, person: { name, email: null, roles: [] }, csrfToken: 'c' }),
    'an error description and request id': (text) =>
      errorPage({
        site,
        view: {
          status: 400,
          error: 'invalid_request',
          reason: text,
          description: text,
          requestId: text,
        },
      }),
  }

  for (const [place, render] of Object.entries(places))
    it(`changes nothing but its own words: ${place}`, () => {
      fc.assert(
        fc.property(hostile, (text) => {
          const marked = `MARK${text}MARK`
          const escaped = escapeHtml(marked)
          expect(escaped).not.toMatch(/[<>"'`]|&(?!(?:amp|lt|gt|quot|#39|#96);)/)
          expect(escaped).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
          const plain = `MARK${'x'.repeat([...text].length)}MARK`
          const page = String(render(marked))
          expect(page).toContain(escaped)
          expect(page.replaceAll(escaped, plain)).toBe(String(render(plain)))
        }),
      )
    })

  it('never leads away from this origin, whatever path it is given', () => {
    const base = 'https://school.example'
    fc.assert(
      fc.property(
        fc.oneof(
          anyUrl(),
          fc.string({ unit: anyCharacter }),
          fc.string().map((text) => `/${text}`),
          fc.constantFrom('//evil.example', '/\\evil.example', '/\t/evil.example', 'javascript:0'),
        ),
        (path) => {
          expect(new URL(localPath(path), base).origin).toBe(base)
        },
      ),
    )
    expect(localPath('/oauth/interaction/abc?x=1')).toBe('/oauth/interaction/abc?x=1')
    const page = signIn({ kind: 'signed_in', name: 'Mei' }, { returnTo: '//evil.example' })
    expect(page).not.toContain('evil.example')
  })
})

/** A link to another site, which learns nothing about this page and gets no hold on it. */
const AWAY =
  /<a\s+href="https?:\/\/[^"]*"\s+target="_blank"\s+rel="noopener noreferrer nofollow"\s+referrerpolicy="no-referrer"/g

describe.each(pages)('page $name', ({ name, page }) => {
  it('has no script, inline style, handler, or file besides the stylesheet and a logo', () => {
    // The pages with text to copy have one, which adds buttons.
    const isToCopy =
      /^(?:application(?:$|-(?:made|rotated|public|disabled|beta-off|ar$|zh-hant$))|paste-address|service-created)/.test(
        name,
      )
    const script = '<script type="module" src="/assets/copy.js"></script>'
    expect(page.split(script)).toHaveLength(isToCopy ? 2 : 1)
    const rest = page.replace(script, '')
    expect(rest).not.toMatch(/<script|<style|<iframe|<base|\sstyle=|\son\w+="|javascript:/i)
    expect(tagsOf(page, 'link')).toEqual([
      '<link rel="icon" type="image/svg+xml" href="/assets/mark.svg" />',
      '<link rel="stylesheet" href="/assets/school.css" />',
    ])
    for (const tag of tagsOf(page, 'img'))
      expect(attribute(tag, 'src')).toMatch(/^\/app-logos\/[\w-]+$/)
    const own = page.replaceAll(AWAY, '')
    const addresses = [...own.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)]
    for (const [, address] of addresses) expect(address).toMatch(/^(?:\/(?!\/)|#[a-z_]+$)/)
  })

  it('is well formed, in a language of its own, with one heading and a title', () => {
    const open: string[] = []
    for (const [, end, name, self] of page.matchAll(/<(\/?)([a-z][a-z\d]*)[^>]*?(\/?)>/g))
      if (end === '/') expect(open.pop()).toBe(name)
      else if (self === '' && name !== undefined) open.push(name)
    expect(open).toEqual([])
    const language = LANGUAGES.find(({ tag }) => name.endsWith(`-${tag.toLowerCase()}`))
    const { tag, dir } = language ?? LANGUAGES[0]!
    expect(page.replace(/^<!doctype html>\s*/, '')).toMatch(
      new RegExp(`^<html lang="${tag}" dir="${dir}" data-site="(?:lantern|kiln)">`),
    )
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />')
    expect(tagsOf(page, 'h1')).toHaveLength(1)
    expect(page).toMatch(/<title>[^<]+ · [^<]+<\/title>/)
  })

  it('labels every field and points only at ids that are there once', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const tag of controlsOf(page))
      expect(page).toMatch(new RegExp(`<label [^>]*for="${attribute(tag, 'id')}"\\s*>`))
    for (const [, list] of page.matchAll(/\saria-(?:describedby|labelledby)="([^"]+)"/g))
      for (const id of list!.split(' ')) expect(ids).toContain(id)
    for (const [, id] of page.matchAll(/\shref="#([^"]+)"/g)) expect(ids).toContain(id)
  })

  it('posts every form to this origin, and takes the focus for its errors only', () => {
    for (const tag of tagsOf(page, 'form'))
      expect(attribute(tag, 'method')).toBe(attribute(tag, 'role') === 'search' ? 'get' : 'post')
    // Only the list of what is wrong with a form has the focus.
    const errors =
      /<div\s+class="notice notice-error"\s+id="[\w-]+" role="alert" tabindex="-1" autofocus\s+>/
    expect(page.replace(errors, '')).not.toMatch(/autofocus|tabindex|http-equiv/)
    for (const tag of tagsOf(page, 'svg')) expect(attribute(tag, 'aria-hidden')).toBe('true')
  })
})

describe('the sign-in page', () => {
  it('has Email and Password for password managers, and the hidden fields', () => {
    const page = signIn()
    expect(
      [...page.matchAll(/<label for="(\w+)">(\w+)</g)].map(([, id, text]) => [id, text]),
    ).toEqual([
      ['email', 'Email'],
      ['password', 'Password'],
    ])
    const fields = controlsOf(page).map((tag) => ({
      name: attribute(tag, 'name'),
      type: attribute(tag, 'type'),
      autocomplete: attribute(tag, 'autocomplete'),
      invalid: attribute(tag, 'aria-invalid'),
    }))
    expect(fields).toEqual([
      { name: 'email', type: 'email', autocomplete: 'username', invalid: undefined },
      { name: 'password', type: 'password', autocomplete: 'current-password', invalid: undefined },
    ])
    expect(page).toContain(
      '<input type="hidden" name="return_to" value="/oauth/interaction/abc" />',
    )
    expect(page).toContain('<input type="hidden" name="csrf_token" value="csrf-1" />')
    expect(tagsOf(page, 'form').map((tag) => attribute(tag, 'action'))).toEqual(['/sign-in'])
    expect(buttonsOf(page)).toEqual(['Sign in'])
    expect(page).not.toContain('role="alert"')
  })

  it('says which app waits and where it leads', () => {
    expect(textOf(signIn())).toContain(
      'Study Buddy is waiting to connect to Lantern Street Drawing School. After that, you go back to study-buddy.example.',
    )
    expect(textOf(signIn(undefined, { client: loopback }))).toContain(
      'After that, you go back to 127.0.0.1:53682 on this computer.',
    )
    const scheme = { ...client, redirectHost: 'cursor:' }
    expect(textOf(signIn(undefined, { client: scheme }))).toContain(
      'After that, you go back to a program on this device, through cursor: links.',
    )
  })

  it('warns of an unverified app before the password, and not of a verified one', () => {
    for (const [view, words] of [
      [loopback, 'No one has reviewed this app.'],
      [unreviewed, 'All we know is that notes.example publishes it.'],
    ] as const) {
      const page = signIn(undefined, { client: view })
      expect(textOf(page)).toContain(words)
      expect(page.indexOf('notice-warn')).toBeGreaterThan(0)
      expect(page.indexOf('notice-warn')).toBeLessThan(page.indexOf('id="password"'))
    }
    expect(signIn()).not.toContain('notice-warn')
  })

  it('answers wrong credentials with one sentence that names no address, and keeps what was typed', () => {
    const page = signIn({ kind: 'wrong_credentials' }, {}, 'mei@example.com')
    expect(textOf(page)).toContain(
      'That email and password don’t match an account at Lantern Street Drawing School.',
    )
    expect(page.split('role="alert"')).toHaveLength(2)
    for (const tag of controlsOf(page)) {
      expect(attribute(tag, 'aria-invalid')).toBe('true')
      expect(attribute(tag, 'aria-describedby')).toBe('sign-in-error')
    }
    expect(controlsOf(page).map((tag) => attribute(tag, 'value'))).toEqual([
      'mei@example.com',
      undefined,
    ])
    expect(page).toContain('<title>Error: Sign in · ')
    expect(page.replace('mei@example.com', 'nobody@example.com')).toBe(
      signIn({ kind: 'wrong_credentials' }, {}, 'nobody@example.com'),
    )
  })

  it('tells how long to wait, without calling the fields wrong', () => {
    const page = signIn({ kind: 'throttled', waitSeconds: 45 }, {}, 'mei@example.com')
    expect(textOf(page)).toContain('Too many attempts. Wait 45 seconds, then try again.')
    expect(page).not.toContain('aria-invalid')
    expect(page).toContain('role="alert"')
  })

  it('tells somebody suspended that they are', () => {
    expect(textOf(signIn({ kind: 'suspended' }))).toContain('Your account is suspended.')
  })

  it('fills in the hint until something was typed', () => {
    const value = (page: string) => attribute(controlsOf(page)[0]!, 'value')
    expect(value(signIn(undefined, { loginHint: 'hint@example.com' }))).toBe('hint@example.com')
    expect(value(signIn(undefined, { loginHint: 'hint@example.com' }, ''))).toBe('')
  })

  it('offers somebody signed in to continue or to use another account', () => {
    const page = signIn({ kind: 'signed_in', name: 'Mei-Ling Chou' })
    expect(textOf(page)).toContain('Continue as Mei-Ling Chou?')
    expect(page).toMatch(/<a class="[^"]*" href="\/oauth\/interaction\/abc">Continue<\/a>/)
    expect(buttonsOf(page)).toEqual(['Use another account'])
    expect(tagsOf(page, 'form').map((tag) => attribute(tag, 'action'))).toEqual(['/sign-out'])
    expect(controlsOf(page)).toEqual([])
  })

  it('asks for the password when the app wants a fresh sign-in, even of somebody signed in', () => {
    const page = signIn({ kind: 'signed_in', name: 'Mei' }, { cause: 'again' })
    expect(textOf(page)).toContain('asks you to sign in to Lantern Street Drawing School again.')
    expect(controlsOf(page)).toHaveLength(2)
    expect(page).not.toContain('Continue')
  })

  it('leads home when no app waits', () => {
    const page = String(
      signInOnlyPage({
        site,
        form: { csrfToken: 'csrf-1', email: null, state: { kind: 'plain' } },
      }),
    )
    expect(page).toContain('<input type="hidden" name="return_to" value="/" />')
    expect(buttonsOf(page)).toEqual(['Sign in'])
  })
})

describe('the consent page', () => {
  it('offers Allow and Cancel alike, and sends nothing on Enter', () => {
    const page = consent()
    const choices = tagsOf(page, 'button').filter((tag) => tag.includes('name="decision"'))
    expect(choices.map((tag) => attribute(tag, 'value'))).toEqual(['allow', 'deny'])
    expect(attribute(choices[0]!, 'class')).toBe(attribute(choices[1]!, 'class'))
    expect(buttonsOf(page)).toEqual(['Use another account', '', 'Allow', 'Cancel'])
    expect(controlsOf(page)).toEqual([])
    expect(page).toMatch(
      /<form class="consent-what" method="post" action="\/oauth\/interaction\/abc">\s*<button\s+type="submit"\s+formmethod="dialog"\s+formnovalidate\s+hidden\s*><\/button>\s*<input type="hidden" name="csrf_token" value="csrf-1" \/>/,
    )
  })

  it('names the app, where the answer goes, the person with role and school, and the lifetime', () => {
    const text = textOf(consent())
    expect(text).toContain('Let Study Buddy connect to Lantern Street Drawing School?')
    expect(text).toContain('Sends you back to study-buddy.example')
    expect(text).toContain('Tomasz Wilk tomasz@lantern.example Manager at Lantern Street')
    expect(text).toContain('Access lasts up to 180 days. Then the app has to ask again.')
    expect(text).toContain('Account › Connected apps')
  })

  it.each([
    [client, 'Made by your school, Lantern Street Drawing School Known'],
    [{ ...client, kind: 'vendor' } as const, 'A known platform Known'],
    [loopback, 'An app on this computer. It chose its own name. Not reviewed'],
    [unreviewed, 'Identified by notes.example Not reviewed'],
    [
      { ...unreviewed, verified: true },
      'Identified by notes.example, reviewed by Lantern Street Drawing School Known',
    ],
  ] as const)('says how the school knows an app: %#', (view, words) => {
    expect(textOf(consent({ client: view }))).toContain(`Where it’s from ${words}`)
  })

  it('links to the pages of an app with their hosts, where the school vouches for them [SAY-06]', () => {
    const href = 'https://study-buddy.example/a?b=1&c="2"'
    const links = [
      { page: 'site', host: 'study-buddy.example', isElsewhere: false, href },
      { page: 'terms', host: 'legal.example', isElsewhere: true, href: 'http://legal.example/' },
    ] as const
    const page = consent({ client: { ...client, links } })
    expect(textOf(page)).toContain(
      'What it says about itself Website : study-buddy.example Terms : legal.example, not the app’s own address',
    )
    expect(page.match(AWAY)?.map((tag) => attribute(tag, 'href'))).toEqual([
      href.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
      'http://legal.example/',
    ])
    expect(page).not.toContain('aren’t links')
  })

  it('names the hosts of an app that nobody checked, and links to none of them [SAY-06]', () => {
    const host = 'xn--80ak6aa92e.example'
    const links = [{ page: 'policy', host, isElsewhere: true, href: null }] as const
    const page = consent({ client: { ...unreviewed, links } })
    expect(textOf(page)).toContain(
      `Privacy policy: ${host}, not the app’s own address Lantern Street Drawing School hasn’t checked these addresses`,
    )
    expect(page).not.toMatch(AWAY)
    expect(textOf(consent())).not.toContain('What it says about itself')
  })

  it('shows a logo from this origin alone', () => {
    const logo = '/app-logos/abc'
    const shown = String(consentPage({ site, view: consentView, logo }))
    expect(tagsOf(shown, 'img')).toEqual([
      '<img class="app-logo" src="/app-logos/abc" width="48" height="48" alt="" />',
    ])
    const foreign = String(consentPage({ site, view: consentView, logo: 'https://evil.example/' }))
    expect(foreign).not.toContain('evil.example')
    expect(tagsOf(consent(), 'img')).toEqual([])
  })

  it('warns of apps that nobody checked, and of answers that go to this computer', () => {
    expect(textOf(consent({ client: loopback }))).toContain('Did you start this app yourself?')
    expect(textOf(consent({ client: unreviewed }))).toContain(
      'the app can see things but not change them',
    )
    const local = { ...loopback, kind: 'vendor', verified: true } as const
    expect(textOf(consent({ client: local }))).toContain(
      'If you allow it, access goes to a program on this computer.',
    )
    expect(consent()).not.toContain('class="notice')
  })

  it('asks at a step-up link for more, and denies nothing that the app can do already [STEP-09]', () => {
    const wide = { ...scope, scope: 'students:read', personalData: true, alreadyGranted: true }
    const added = { ...scope, scope: 'courses:write', access: 'write' } as const
    const text = textOf(consent({ client: loopback, scopes: [added], addsTo: [wide] }))
    expect(text).toMatch(/Let Desk CLI do more at Lantern Street Drawing School\?/)
    expect(text).toContain('Allow it only if you just asked it to do this.')
    expect(text).not.toMatch(/Sends you back to|Change anything|personal data|connect to/)
    const reads = textOf(
      consent({ client: { ...client, kind: 'vendor' }, addsTo: [{ ...wide, access: 'write' }] }),
    )
    expect(reads).not.toMatch(/Change anything|personal data/)
  })

  it('lists every scope in its group, with marks for changes, personal data and role', () => {
    const text = textOf(
      consent({
        scopes: [
          scope,
          {
            ...scope,
            text: 'Give access. It cannot take money',
            access: 'write',
            group: 'Students',
          },
          { ...scope, text: 'See orders', group: 'Sales', personalData: true, beyondRole: true },
          { ...scope, text: 'See sections' },
        ],
      }),
    )
    expect(text).toContain(
      'Courses See courses, drafts included See sections Students Give access Makes changes It cannot take money. Sales See orders Personal data Not in your role The app asks for this, but your role doesn’t include it',
    )
  })

  it('calls a page of the school what it is, and no program [UX-07]', () => {
    const own = textOf(consent({ client: { ...loopback, redirectIsOwn: true } }))
    expect(own).toContain('Sends you back to A page of this school')
    expect(own).toContain('Desk CLI is a page of this school')
    expect(own).toContain('A page of this school. It chose its own name. Not reviewed')
    expect(own).not.toMatch(/program|this computer/)
    const member = { ...client, redirectIsLoopback: true }
    expect(textOf(consent({ client: member }))).toContain('goes to a program on this computer')
    expect(textOf(consent({ client: { ...member, redirectIsOwn: true } }))).not.toMatch(
      /program|this computer/,
    )
  })

  it('marks what is sensitive, and sums up a list that fits into no view [UX-20]', () => {
    const scopes = Array.from({ length: 9 }, (_, index) => ({
      ...scope,
      scope: `list:${index}`,
      access: index < 4 ? ('write' as const) : ('read' as const),
      personalData: index < 2,
      sensitive: index === 0,
    }))
    const page = consent({ scopes })
    expect(textOf(page)).toContain(
      'Of these 9 permissions, 4 can change things and 2 show personal data.',
    )
    expect(textOf(page).split('Sensitive')).toHaveLength(2)
    const reading = scopes.map((one) => ({ ...one, access: 'read' as const }))
    expect(textOf(consent({ scopes: reading }))).toContain(
      'Of these 9 permissions, none can change anything and 2 show personal data.',
    )
    expect(page).toContain('class="consent-asks"')
    const short = consent({ scopes: scopes.slice(1) })
    expect(short).not.toContain('class="consent-asks"')
    expect(textOf(short)).not.toMatch(/Of these|Sensitive/)
  })

  it('folds more than twelve scopes by group, but nothing sensitive and no scope alone [UX-20]', () => {
    const scopes = Array.from({ length: 13 }, (_, index) => ({
      ...scope,
      scope: `list:${index}`,
      text: `See ${index}`,
      group: index < 12 ? 'Courses' : 'Events',
      sensitive: index < 2 || index === 12,
    }))
    const outsideOf = (page: string): string =>
      textOf(page.replace(/(<\/summary>)[^]*?(<\/details>)/g, '$1$2'))
    const page = consent({ scopes: [...scopes, { ...scope, text: 'See alone', group: 'Alone' }] })
    expect(outsideOf(page)).toContain(
      'Courses See 0 Sensitive See 1 Sensitive Of these 10 permissions, none can change anything and none shows personal data. Events See 12 Sensitive Alone See alone What it can’t do',
    )
    expect(textOf(page)).toContain('none shows personal data. See 2 See 3 See 4')
    const short = consent({ scopes: scopes.slice(1) })
    expect([short.includes('<details'), short.includes('decision-near')]).toEqual([false, false])
  })

  it('begins with the groups that have something sensitive, and with that in its group [UX-20]', () => {
    const text = textOf(
      consent({
        scopes: [
          { ...scope, text: 'See courses', group: 'Courses' },
          { ...scope, text: 'See orders', group: 'Sales' },
          { ...scope, text: 'Cancel memberships', group: 'Sales', sensitive: true },
          { ...scope, text: 'See posts', group: 'Content' },
          { ...scope, text: 'Suspend members', group: 'Members', sensitive: true },
        ],
      }),
    )
    expect(text).toContain(
      'Sales Cancel memberships Sensitive See orders Members Suspend members Sensitive Courses See courses Content See posts',
    )
  })

  it.each([
    [0, 1_775_030_400, 'No one has connected it yet.'],
    [12, 1_775_030_400, 'People who connected it: 12 Since 1 Apr 2026, 08:00'],
    [12, null, 'People who connected it: 12 Your account'],
    [100, null, 'People who connected it: 100+'],
  ])('says that %i people connected an app of %s [UX-20]', (people, createdAt, expected) => {
    const view = { ...consentView, client: { ...client, createdAt } }
    expect(textOf(String(consentPage({ site, view, people })))).toContain(
      `At this school ${expected}`,
    )
  })

  it('says what the app cannot do, by what it asks for', () => {
    const limits = (view: Partial<ConsentView>): string =>
      textOf(consent(view)).split('What it can’t do')[1]!
    const vendor = { ...client, kind: 'vendor' } as const
    expect(limits({})).toContain('See other members’ data')
    expect(limits({})).toContain('Change anything')
    expect(limits({ client: vendor })).toContain('See other people’s personal data')
    const wide = { ...scope, access: 'write', personalData: true } as const
    expect(limits({ client: vendor, scopes: [wide] })).not.toMatch(/Change anything|personal data/)
    // A scope without effect takes nothing off the list.
    expect(limits({ client: vendor, scopes: [{ ...wide, beyondRole: true }] })).toMatch(
      /Change anything.*personal data/,
    )
  })

  it('marks what is new only where something was allowed before', () => {
    const old = { ...scope, text: 'See events', alreadyGranted: true }
    expect(textOf(consent({ scopes: [scope, old] }))).toContain(
      'See courses, drafts included New See events Already allowed',
    )
    expect(textOf(consent())).not.toMatch(/New|Already/)
  })

  it('offers the ends of the school, and says when the app itself ends [END-08]', () => {
    const ends = [
      { id: 'term', label: 'Until the end of term, 18 Dec 2026', endsAt: 1_797_616_800 },
    ]
    const untilOf = (view: Partial<ConsentView>): (string | undefined)[] =>
      controlsOf(consent(view))
        .filter((tag) => attribute(tag, 'name') === 'until')
        .map((tag) => attribute(tag, 'value'))
    expect(untilOf({})).toEqual([])
    expect(untilOf({ grantEnds: ends })).toEqual(['', 'term'])
    expect(textOf(consent({ grantEnds: ends }))).toContain('Until the end of term, 18 Dec 2026')
    expect(textOf(consent({ clientEndsAt: 1_797_616_800 }))).toContain(
      'The school lets this app connect until 18 Dec 2026, 18:00.',
    )
  })

  it('lets people allow less only where that is offered, and never less than who they are', () => {
    const asked = [
      { ...scope, scope: 'openid', access: 'identity', text: 'Know you' } as const,
      scope,
      { ...scope, scope: 'courses:write', access: 'write', text: 'Change courses' } as const,
    ]
    const valuesOf = (name: string, view: Partial<ConsentView>): (string | undefined)[] =>
      controlsOf(consent(view))
        .filter((tag) => attribute(tag, 'name') === name)
        .map((tag) => attribute(tag, 'value'))
    expect(valuesOf('access', { scopes: asked })).toEqual([])
    expect(valuesOf('scope', { scopes: asked })).toEqual([])
    const view = { scopes: asked, mayNarrow: true }
    expect(valuesOf('access', view)).toEqual(['all', 'read', 'choose'])
    expect(valuesOf('scope', view)).toEqual(['courses:read', 'courses:write'])
    // Reading alone is a choice only where it drops something and leaves something.
    for (const scopes of [asked.slice(0, 2), [asked[0]!, asked[2]!]])
      expect(valuesOf('access', { scopes, mayNarrow: true })).toEqual(['all', 'choose'])
  })

  it('lets the wrong person leave, and come back as somebody else', () => {
    const page = consent({}, 'out-1')
    expect(page).toMatch(
      /action="\/sign-out">\s*<input type="hidden" name="return_to" value="\/oauth\/interaction\/abc" \/>\s*<input type="hidden" name="csrf_token" value="out-1" \/>/,
    )
    expect(consent().split('name="csrf_token"')).toHaveLength(2)
  })

  it.each([
    ['not_staff', 'This app is for people who run the school.'],
    ['no_role', 'This account isn’t a member of Lantern Street Drawing School.'],
  ] as const)('offers only Cancel when blocked: %s', (blocked, words) => {
    const page = consent({ blocked, client: loopback })
    expect(textOf(page)).toContain(words)
    expect(buttonsOf(page)).toEqual(['Use another account', 'Cancel'])
    expect(page).not.toContain('value="allow"')
    expect(page).toContain('value="csrf-1"')
    expect(page).not.toContain('What it can do')
  })
})

describe('the other pages', () => {
  const error = (reason: string, description = 'a plain reason', url?: string): string =>
    String(
      errorPage({
        site,
        view: {
          status: 400,
          error: 'invalid_request',
          reason,
          description,
          requestId: 'req_1',
          url,
        },
      }),
    )

  it('explains an error and leads only home, even where the description holds an address', () => {
    const page = error('redirect_uri_not_registered', 'https://evil.example/callback is unknown')
    expect(textOf(page)).toContain('We stopped, to keep your account safe')
    expect(textOf(page)).toContain('https://evil.example/callback is unknown')
    expect(textOf(page)).toContain('Request ID req_1')
    expect(page).not.toMatch(/<form|http-equiv/)
    expect(tagsOf(page, 'a').map((tag) => attribute(tag, 'href'))).toEqual(['/'])
    expect(textOf(page)).toContain('Go to Lantern Street Drawing School')
  })

  it('leads from the code of an error to the documentation, and does not say from where [ATT-17]', () => {
    const url = 'https://docs.example/errors.html#client_unknown'
    const page = error('client_unknown', 'a plain reason', url)
    expect(page.replaceAll(AWAY, '[away]')).toMatch(
      /\[away\]\s*><span class="address"><bdi>invalid_request \/ client_unknown</,
    )
  })

  it('tells an app that is switched off from connections that are', () => {
    expect(textOf(error('client_disabled'))).toContain('This app is turned off')
    const blocked = textOf(error('client_blocked'))
    expect(blocked).toContain('The school blocked this app and disconnected everyone from it.')
    expect(blocked).not.toMatch(/kept|turned off/)
    expect(textOf(error('member_clients_off'))).toContain('Connections are turned off here')
  })

  it('tells a document that is not let in from one that is gone, and from one at fault', () => {
    expect(textOf(error('document_host_not_allowed'))).toContain('We don’t know this app')
    expect(textOf(error('document_unavailable'))).toContain('We can’t check this app')
    expect(textOf(error('document_client_id_mismatch'))).toContain('We can’t accept this app')
    expect(textOf(error('document_fetch_paced'))).toContain('We can’t check this app right now')
  })

  it('asks people to wait whose network started too much', () => {
    expect(textOf(error('request_paced'))).toContain('Please wait a moment')
  })

  it.each(['something_new', 'constructor', '__proto__'])(
    'has words for the reason %s',
    (reason) => {
      expect(textOf(error(reason))).toContain('We can’t accept this request')
      expect(textOf(error(reason))).toContain('a plain reason')
    },
  )

  it('lets somebody signed in sign out', () => {
    const page = String(
      signedInPage({
        site,
        person: consentView.person,
        csrfToken: 'csrf-1',
        links: [{ href: '/oauth/applications', label: 'Apps', text: 'All of them' }],
      }),
    )
    expect(textOf(page)).toContain('Hello, Tomasz Wilk')
    expect(page).toContain('href="/oauth/applications"')
    expect(tagsOf(page, 'form').map((tag) => attribute(tag, 'action'))).toEqual(['/sign-out'])
    expect(page).toContain('name="csrf_token" value="csrf-1"')
    expect(buttonsOf(page)).toEqual(['Sign out'])
  })

  it.each([
    [0, '1 second'],
    [1.2, '2 seconds'],
    [60, '1 minute'],
    [90, '90 seconds'],
    [121, '3 minutes'],
    [86_400, '1 day'],
    [15_552_000, '180 days'],
  ])('puts %d seconds into words', (seconds, words) => {
    expect(spanInWords(seconds)).toBe(words)
  })

  it.each([
    [-5, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [7_199, '1 hour ago'],
    [7_200, '2 hours ago'],
    [86_400, '1 day ago'],
    [2_629_800, '1 month ago'],
    [31_557_600 * 3, '3 years ago'],
  ])('puts %d seconds back into words', (seconds, words) => {
    expect(agoInWords({ at: 1_795_165_200 - seconds, now: 1_795_165_200 })).toBe(words)
  })

  it('tells a moment by the clock of the school', () => {
    const at = 1_795_165_200
    expect(momentInWords({ at, timeZone: 'Europe/Lisbon' })).toBe('20 Nov 2026, 09:00')
    expect(momentInWords({ at, timeZone: 'Asia/Taipei' })).toBe('20 Nov 2026, 17:00')
  })

  it('counts people in words, with the plural forms of the language', () => {
    const connected = (tag: string): readonly string[] => {
      const { words } = LANGUAGES.find((language) => language.tag === tag)!
      return [0, 1, 2, 3, 11, 12_345].map(words.applications.list.connected)
    }
    expect(connected('en')).toEqual([
      'No one connected',
      '1 person connected',
      '2 people connected',
      '3 people connected',
      '11 people connected',
      '12,345 people connected',
    ])
    expect(connected('zh-Hant').slice(0, 2)).toEqual(['無人連接', '1 人已連接'])
    expect(new Set(connected('ar').map((text) => text.replace(/[\d,٠-٩٬]+/g, '#')))).toEqual(
      new Set(['لم يربطه أحد', 'ربطه شخص واحد', 'ربطه شخصان', 'ربطه # أشخاص', 'ربطه # شخصًا']),
    )
  })

  it('puts roles into words', () => {
    expect(
      [[], ['owner'], ['manager', 'lecturer'], ['a', 'b', 'c']].map((roles) => rolesInWords(roles)),
    ).toEqual(['No role', 'Owner', 'Manager and lecturer', 'A, b and c'])
  })
})

describe('the stylesheet', () => {
  it('needs no other file and knows dark mode, less motion and keyboard focus', () => {
    expect(schoolCss).not.toMatch(/url\(|@import|@font-face|https?:|expression|<\//)
    expect(schoolCss).toContain('@media screen and (prefers-color-scheme: dark)')
    expect(schoolCss).toContain('@media (prefers-reduced-motion: reduce)')
    expect(schoolCss).toMatch(/:focus-visible \{\s*outline: 3px solid var\(--focus\)/)
    expect(schoolCss).not.toMatch(/outline: (?:none|0)/)
  })

  it('uses only properties that it defines, and only classes that a page has', () => {
    const defined = new Set([...schoolCss.matchAll(/(--[\w-]+):/g)].map(([, name]) => name))
    const used = new Set([...schoolCss.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name))
    expect([...used].filter((name) => !defined.has(name))).toEqual([])
    expect([...defined].filter((name) => !used.has(name))).toEqual([])
    const rules = schoolCss.replace(/\{[^{}]*\}/g, '{}')
    const styled = new Set([...rules.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name))
    const worn = new Set(
      pages.flatMap(({ page }) =>
        [...page.matchAll(/\sclass="([^"]*)"/g)].flatMap(([, names]) => names!.split(' ')),
      ),
    )
    expect([...styled].filter((name) => !worn.has(name!))).toEqual([])
    expect([...worn].filter((name) => !styled.has(name))).toEqual([])
  })

  // WCAG 2.2 §1.4.3 (text 4.5:1) and §1.4.11 (controls and focus 3:1).
  const linear = (channel: number): number =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  const luminance = (colour: string): number => {
    const [red, green, blue] = [1, 3, 5].map((at) =>
      linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
    )
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }
  const contrast = (one: string, other: string): number => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light! + 0.05) / (dark! + 0.05)
  }

  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  })

  const looks = Object.entries(palettes).flatMap(([theme, { light, dark }]) => [
    { look: `${theme}, light`, palette: light },
    { look: `${theme}, dark`, palette: dark },
  ])
  it.each(looks)('has AA contrast: $look', ({ palette }) => {
    const grounds = ['page', 'sheet', 'inset'] as const
    const pairs: (readonly [keyof typeof palette, keyof typeof palette, number])[] = [
      ...grounds.flatMap((ground) => [
        ...(['ink', 'muted', 'link'] as const).map((text) => [text, ground, 4.5] as const),
        ...(['control', 'focus'] as const).map((part) => [part, ground, 3] as const),
      ]),
      ['good', 'page', 4.5],
      ['good', 'sheet', 4.5],
      ['errorInk', 'sheet', 3],
      ['accent', 'page', 3],
      ['onAccent', 'accent', 4.5],
      ['sheet', 'errorInk', 4.5],
      ['errorInk', 'page', 4.5],
      ['accent', 'sheet', 3],
      ['glow', 'panel', 3],
      ['sheet', 'ink', 4.5],
      ['warnInk', 'warnBack', 4.5],
      ['errorInk', 'errorBack', 4.5],
      ['panelInk', 'panel', 4.5],
      ['panelInk', 'panelDeep', 4.5],
    ]
    const faint = pairs
      .map(([one, other, least]) => ({
        pair: `${one} on ${other}`,
        least,
        ratio: contrast(palette[one], palette[other]),
      }))
      .filter(({ ratio, least }) => ratio < least)
    expect(faint).toEqual([])
  })
})
