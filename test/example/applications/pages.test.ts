import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { APPLICATION_ICONS, appIcon } from '../../../examples/pages/applications/icons.js'
import { applicationConfirmPage, betaPage } from '../../../examples/pages/applications/confirm.js'
import { applicationDetailPage } from '../../../examples/pages/applications/detail.js'
import { applicationFormPage } from '../../../examples/pages/applications/form.js'
import { applicationResultPage } from '../../../examples/pages/applications/result.js'
import type {
  ApplicationAction,
  ApplicationConfirmView,
  ApplicationDetailView,
  ApplicationFormView,
  ApplicationResultView,
  ApplicationRow,
  ApplicationsView,
  ConnectedAppView,
  ScopeWords,
  SignedInFrame,
} from '../../../examples/pages/applications/views.js'
import { applicationsPage } from '../../../examples/pages/applications/list.js'
import {
  askForAppPage,
  connectedAppsPage,
  disconnectAppPage,
} from '../../../examples/pages/applications/connected-apps.js'
import { homeLinks } from '../../../examples/pages/home.js'
import { escapeHtml, type Html } from '../../../examples/pages/html.js'
import type { Site } from '../../../examples/pages/layout.js'
import { anyCharacter } from '../../support/http/characters.js'
import { attribute, buttonsOf, controlsOf, tagsOf, textOf } from '../../support/http/markup.js'

const site: Site = { name: 'Lantern Street Drawing School', theme: 'lantern' }
const NOW = 1_795_165_200
const DAY = 86_400

const frame: SignedInFrame = {
  csrfToken: 'csrf-1',
  person: { name: 'Tomasz Wilk', email: null, roles: ['manager'] },
  isAdmin: true,
  now: NOW,
  timeZone: 'Europe/Lisbon',
}
const read: ScopeWords = {
  scope: 'account:read',
  text: 'See your courses. Not your password',
  group: 'Your learning',
  access: 'read',
  personalData: false,
  sensitive: false,
}
const write: ScopeWords = { ...read, scope: 'account:write', text: 'Save', access: 'write' }
const openid: ScopeWords = { ...read, scope: 'openid', text: 'Know you', access: 'identity' }
const row: ApplicationRow = {
  clientId: 'cl_1',
  name: 'Study Buddy',
  kind: 'member',
  state: 'active',
  icon: 'book',
  people: 2,
  lastUsedAt: NOW - 7200,
  scopes: 4,
}
const listView: ApplicationsView = {
  ...frame,
  enabled: true,
  filter: { view: 'connected', kind: null, state: null, search: '', sort: 'newest' },
  counts: { connected: 1, review: 0, tried: 0, all: 1 },
  applications: [row],
  isEmpty: false,
  page: 1,
  hasNext: false,
  done: null,
  requests: [],
}
const formView: ApplicationFormView = {
  ...frame,
  editing: null,
  values: {
    name: 'Study Buddy',
    description: '',
    icon: null,
    authMethod: 'none',
    keys: '',
    redirectUris: '',
    scopes: ['account:read'],
  },
  addresses: [],
  faults: null,
  methods: ['none', 'client_secret_post'],
  presets: [{ preset: 'claude', label: 'Claude' }],
  mayOmitRedirects: false,
  choices: [read, write],
  identity: [openid],
}
const editing = { clientId: 'cl_1', name: 'Study Buddy', revision: 7, scopes: [], people: 2 }
const noFaults = {
  form: null,
  name: null,
  description: null,
  icon: null,
  authMethod: null,
  keys: null,
  redirectUris: null,
  scopes: null,
}
const resultView: ApplicationResultView = {
  ...frame,
  cause: 'created',
  clientId: 'cl_1',
  name: 'Study Buddy',
  secret: null,
  previousSecretUntil: null,
  authMethod: 'none',
  origin: 'https://lantern.example',
}
const person = {
  subject: 'mem_1',
  name: 'Mei-Ling Chou',
  since: NOW - 40 * DAY,
  lastUsedAt: null,
  scopes: [read],
}
const entry = {
  at: NOW - 60,
  type: 'oauth.client.created',
  actor: null,
  subject: null,
  detail: null,
}
const detailView: ApplicationDetailView = {
  ...frame,
  clientId: 'cl_1',
  name: 'Study Buddy',
  description: null,
  icon: null,
  logo: null,
  said: [],
  kind: 'member',
  state: 'active',
  enabled: true,
  authMethod: 'none',
  origin: 'https://lantern.example',
  redirectUris: ['https://study-buddy.example/callback'],
  scopes: [openid, read],
  createdAt: NOW - DAY,
  lastUsedAt: null,
  endsAt: null,
  secret: null,
  people: [person],
  morePeople: 0,
  log: [entry],
  document: null,
  review: [],
  reviewFault: null,
  actions: [],
  done: null,
}
const documentView: ApplicationDetailView = {
  ...detailView,
  clientId: 'https://desk.example/client.json?a=b&c',
  kind: 'document',
  state: 'unreviewed',
  document: {
    firstSeenAt: NOW - 9 * DAY,
    fetchedAt: NOW - 3600,
    freshUntil: NOW + 3600,
    reviewedAt: null,
    changedAt: null,
    digest: 'digest-1',
    kept: '{}',
    differences: [],
    fetchFault: null,
  },
  review: [
    { ...write, scope: 'courses:write', text: 'Edit', allowed: true, withinRole: true },
    { ...write, scope: 'members:write', text: 'Invite', allowed: false, withinRole: false },
  ],
}
const confirmView: ApplicationConfirmView = {
  ...frame,
  confirm: 'disable',
  clientId: 'cl_1',
  name: 'Study Buddy',
  kind: 'member',
  people: 12,
  typedName: null,
}
const app: ConnectedAppView = {
  clientId: 'https://notes.example/a?b=c&d',
  name: 'Margin Notes',
  kind: 'document',
  icon: null,
  verified: false,
  state: 'on',
  scopes: [read],
  since: NOW - DAY,
  endsAt: NOW + 90 * DAY,
  lastUsedAt: null,
  recent: [],
}

const list = (view: Partial<ApplicationsView> = {}): string =>
  String(applicationsPage({ site, view: { ...listView, ...view } }))
const form = (view: Partial<ApplicationFormView> = {}): string =>
  String(applicationFormPage({ site, view: { ...formView, ...view } }))
const result = (view: Partial<ApplicationResultView> = {}): string =>
  String(applicationResultPage({ site, view: { ...resultView, ...view } }))
const detail = (view: Partial<ApplicationDetailView> = {}): string =>
  String(applicationDetailPage({ site, view: { ...detailView, ...view } }))
const confirm = (view: Partial<ApplicationConfirmView> = {}): string =>
  String(applicationConfirmPage({ site, view: { ...confirmView, ...view } }))
const connected = (apps: readonly ConnectedAppView[], disconnected: string | null = null): string =>
  String(
    connectedAppsPage({
      site,
      view: {
        ...frame,
        apps,
        disconnected,
        asked: null,
        count: 2,
        page: 1,
        hasNext: false,
        isAllDone: false,
      },
    }),
  )

/** Where forms go and links lead, within the page itself. */
const actionsOf = (page: string): (string | undefined)[] =>
  tagsOf(page, 'form')
    .map((tag) => attribute(tag, 'action'))
    .filter((action) => action !== '/sign-out')
const linksOf = (page: string): (string | undefined)[] =>
  tagsOf(page.slice(page.indexOf('<main')), 'a').map((tag) => attribute(tag, 'href'))
const hiddenOf = (page: string): string[] =>
  tagsOf(page, 'input')
    .filter((tag) => attribute(tag, 'type') === 'hidden')
    .map((tag) => `${attribute(tag, 'name')}=${attribute(tag, 'value')}`)
const controlOf = (page: string, id: string): string =>
  [...controlsOf(page), ...tagsOf(page, 'fieldset')].find((tag) => attribute(tag, 'id') === id)!

describe('the settings for a library', () => {
  const settings = [
    'issuer: https://lantern.example',
    'client_id: cl_1',
    'token_endpoint_auth_method: none',
    'code_challenge_method: S256',
    'resource: https://lantern.example',
    'id_token_signed_response_alg: ES256',
  ].join('&#10;')

  it('are on the page of a new app and on that of the app', () => {
    expect(result()).toContain(`>\n${settings}</textarea>`)
    expect(detail({ clientId: 'cl_1', authMethod: 'none' })).toContain(`>\n${settings}</textarea>`)
    expect(tagsOf(detail(), 'script').map((tag) => attribute(tag, 'src'))).toEqual([
      '/assets/copy.js',
    ])
  })

  it('say how a secret is sent', () => {
    const confidential = result({ secret: 'hps_1', authMethod: 'client_secret_post' })
    expect(confidential).toContain('&#10;token_endpoint_auth_method: client_secret_post&#10;')
    expect(confidential).toContain('HTTP Basic is not accepted')
    expect(result()).not.toContain('HTTP Basic')
    expect(result()).toContain('send only the client ID')
  })

  it('are not shown for an app that reads the metadata', () => {
    const page = String(applicationDetailPage({ site, view: documentView }))
    expect(page).not.toContain('Settings for your library')
    expect(tagsOf(page, 'script')).toEqual([])
  })
})

describe('text that others chose, in the admin area and the connected apps', () => {
  const hostile = fc.oneof(
    // Line breaks have a test of their own.
    fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' ')),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "' onfocus='alert(1)' autofocus='",
      '</textarea><img src=x onerror=alert(1)>',
      '\u202eevil\u2069',
      '${constructor}',
    ),
  )
  const places: Readonly<Record<string, (text: string) => Html>> = {
    'a search': (search) =>
      applicationsPage({ site, view: { ...listView, filter: { ...listView.filter, search } } }),
    'an application of the list': (text) =>
      applicationsPage({
        site,
        view: { ...listView, applications: [{ ...row, name: text, icon: text }] },
      }),
    'a form that comes back': (text) =>
      applicationFormPage({
        site,
        view: {
          ...formView,
          values: { ...formView.values, name: text, icon: text },
          addresses: [{ line: 1, uri: text, fault: text }],
          faults: { ...noFaults, form: text, name: text },
        },
      }),
    'an application that was made': (text) =>
      applicationResultPage({
        site,
        view: { ...resultView, cause: 'rotated', name: text, clientId: 'cl_1', secret: text },
      }),
    'an application': (text) =>
      applicationDetailPage({
        site,
        view: {
          ...documentView,
          clientId: 'cl_1',
          name: text,
          description: text,
          icon: text,
          redirectUris: [text],
          people: [{ ...person, subject: text, name: text }],
          log: [{ at: NOW, type: text, actor: text, subject: text, detail: text }],
          document: { ...documentView.document!, digest: text, fetchFault: text },
          reviewFault: text,
          actions: ['disconnect', 'review', 'fetch'],
        },
      }),
    'the name to type': (text) =>
      applicationConfirmPage({
        site,
        view: { ...confirmView, confirm: 'delete', name: text, typedName: text },
      }),
    'a connected app': (text) =>
      connectedAppsPage({
        site,
        view: {
          ...frame,
          apps: [{ ...app, clientId: 'cl_1', name: text, icon: text }],
          disconnected: text,
          asked: null,
          count: 2,
          page: 1,
          hasNext: false,
          isAllDone: false,
        },
      }),
    'an app that a person asks for': (name) =>
      askForAppPage({ site, view: { ...frame, clientId: 'cl_1', name } }),
    'a person who asks for an app': (text) =>
      applicationsPage({
        site,
        view: {
          ...listView,
          requests: [
            {
              memberId: 'mem_1',
              name: text,
              roles: 'Student',
              clientId: 'cl_1',
              app: text,
              at: NOW,
            },
          ],
        },
      }),
    'an app to disconnect': (name) =>
      disconnectAppPage({
        site,
        view: { ...frame, clientId: name, name, lastUsedAt: null },
      }),
  }

  // The sign of an application is its name's first letter, and long names are set smaller.
  const unlike = /<span class="app-(?:icon|name)[^>]*>\S/g
  it.each(Object.entries(places))('changes nothing but its own words: %s', (_, render) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const marked = `MARK${text}MARK`
        const escaped = escapeHtml(marked)
        const plain = `MARK${'x'.repeat([...text].length)}MARK`
        const page = String(render(marked))
        expect(page).toContain(escaped)
        // Links may have it too, encoded for a query.
        const encoded = new URLSearchParams({ '': marked }).toString().slice(1)
        const replaced = page.replaceAll(escaped, plain).replaceAll(encoded, plain)
        expect(replaced.replace(unlike, '')).toBe(String(render(plain)).replace(unlike, ''))
      }),
      { numRuns: 40 },
    )
  })

  it('keeps lines apart, and shows what hides between them', () => {
    const page = form({
      values: {
        ...formView.values,
        redirectUris: 'a\r\nb\n\u202ec</textarea>',
        description: 'd\te',
      },
    })
    expect(page).toMatch(/>\s*a&#10;b&#10;\ufffdc&lt;\/textarea&gt;<\/textarea/)
    expect(page).toMatch(/>\s*d\ufffde<\/textarea/)
  })

  it('puts an identifier into a path as one segment', () => {
    const path = '/oauth/applications/https%3A%2F%2Fdesk.example%2Fclient.json%3Fa%3Db%26c'
    const page = detail({ ...documentView, actions: ['fetch', 'block'] })
    expect(actionsOf(page)).toEqual([`${path}/fetch`])
    expect(linksOf(page)).toContain(`${path}/block`)
  })

  it('draws only icons that it has', () => {
    for (const icon of ['__proto__', 'constructor', 'nothing', null])
      expect(String(appIcon({ name: '  «él', icon }))).toMatch(/>É<\/span/)
    expect(String(appIcon({ name: '!?', icon: null }))).toMatch(/>\?<\/span/)
    expect(Object.keys(APPLICATION_ICONS)).toHaveLength(8)
    for (const icon of Object.keys(APPLICATION_ICONS))
      expect(String(appIcon({ name: 'A', icon }))).toContain('<svg')
  })
})

describe('the list of applications', () => {
  it('says of each what it is, how it stands and who uses it', () => {
    expect(textOf(list())).toContain(
      'Study Buddy Member app Active 2 people connected Used 2 hours ago 4 permissions',
    )
    const fresh = { ...row, people: 0, lastUsedAt: null, scopes: 1 }
    expect(textOf(list({ applications: [fresh] }))).toContain(
      'No one connected Never used 1 permission ',
    )
    expect(linksOf(list())).toContain('/oauth/applications/cl_1')
  })

  it.each([
    ['disabled', 'member', 'Turned off'],
    ['unused', 'loopback', 'Not connected'],
    ['unreviewed', 'document', 'Not reviewed'],
    ['reviewed', 'document', 'Reviewed'],
    ['changed', 'document', 'Changed since review'],
    ['blocked', 'document', 'Blocked'],
  ] as const)('has words for the state %s', (state, kind, words) => {
    const page = textOf(list({ applications: [{ ...row, state, kind }] }))
    expect(page.slice(page.indexOf('Study Buddy'))).toContain(words)
  })

  it('calls member apps paused while connections are off, and no others', () => {
    const vendor = { ...row, name: 'Acme', kind: 'vendor' } as const
    const page = textOf(list({ enabled: false, applications: [row, vendor] }))
    expect(page).toContain('Study Buddy Member app Paused')
    expect(page).toContain('Acme Platform Active')
  })

  it('switches connections off only over a page that asks', () => {
    expect(actionsOf(list())).toEqual(['/oauth/applications'])
    expect(linksOf(list())).toContain('/oauth/applications/beta')
    expect(textOf(list())).toContain('MCP connections On')
    expect(textOf(list())).toContain('This is a beta')
  })

  it('offers to switch connections on, and to make nothing before', () => {
    const page = list({ enabled: false, applications: [], isEmpty: true })
    expect(actionsOf(page)).toEqual(['/oauth/applications/beta'])
    expect(hiddenOf(page).slice(0, 2)).toEqual(['csrf_token=csrf-1', 'enabled=on'])
    expect(linksOf(page)).not.toContain('/oauth/applications/new')
    expect(textOf(list({ enabled: false }))).toContain('Nothing below was deleted.')
  })

  it('explains what a member app is as long as there is none', () => {
    const page = list({ applications: [], isEmpty: true })
    expect(textOf(page)).toContain('A member app acts for one member at a time')
    expect(linksOf(page).filter((href) => href === '/oauth/applications/new')).toHaveLength(1)
    expect(controlsOf(page)).toEqual([])
  })

  it('keeps the filter, and takes it along to other views and pages', () => {
    const filter = {
      view: 'tried',
      kind: 'document',
      state: 'blocked',
      search: 'a&b "c"',
      sort: 'name',
    } as const
    const counts = { connected: 3, review: 0, tried: 120, all: 1123 }
    const page = list({ filter, counts, applications: [], page: 2, hasNext: true })
    expect(controlOf(page, 'search')).toContain('value="a&amp;b &quot;c&quot;"')
    expect(tagsOf(page, 'option').filter((tag) => tag.includes('selected'))).toEqual([
      '<option value="document" selected>',
      '<option value="blocked" selected>',
      '<option value="name" selected>',
    ])
    expect(hiddenOf(page)).toContain('view=tried')
    expect(textOf(page)).toContain('Your apps 3 To review 0 Tried to connect 120 All 1,123')
    expect(textOf(page)).toContain('No app matches here. Show 1,123 matches among all apps')
    expect(textOf(page)).toContain('Previous page Next page Page 2')
    const query = 'search=a%26b+%22c%22&amp;kind=document&amp;state=blocked&amp;sort=name'
    expect(linksOf(page)).toEqual(
      expect.arrayContaining([
        `/oauth/applications?${query}`,
        `/oauth/applications?view=review&amp;${query}`,
        `/oauth/applications?view=tried&amp;${query}`,
        `/oauth/applications?view=tried&amp;${query}&amp;page=3`,
      ]),
    )
    expect(textOf(list())).not.toContain('Page 1')
  })

  it('says what just happened', () => {
    expect(list()).not.toContain('role="status"')
    for (const done of ['beta_on', 'beta_off', 'deleted'] as const)
      expect(list({ done })).toContain('role="status"')
  })
})

describe('the form of an application', () => {
  it('asks for where it runs only once, and shows what stays when it is edited', () => {
    expect(controlsOf(form()).map((tag) => attribute(tag, 'name'))).toEqual([
      'name',
      ...Array<string>(9).fill('icon'),
      ...Array<string>(2).fill('auth_method'),
      ...Array<string>(2).fill('scope'),
      'description',
      'redirect_uris',
    ])
    const page = form({ editing })
    expect(page).not.toContain('name="auth_method"')
    expect(textOf(page)).toContain('Client ID (can’t be changed) cl_1')
    expect(textOf(page)).toContain('On members’ own devices (public)')
    expect(actionsOf(form())).toEqual(['/oauth/applications/new'])
    expect(actionsOf(page)).toEqual(['/oauth/applications/cl_1/edit'])
    expect(hiddenOf(page)).toContain('revision=7')
  })

  it('offers only the member scopes to tick, and shows the ones that always go along', () => {
    const boxes = controlsOf(form()).filter((tag) => attribute(tag, 'type') === 'checkbox')
    expect(boxes.map((tag) => [attribute(tag, 'value'), tag.includes(' checked')])).toEqual([
      ['account:read', true],
      ['account:write', false],
    ])
    expect(textOf(form())).toContain('Always included Know you')
  })

  it('says each fault at its field and at the top, and loses nothing', () => {
    const page = form({
      values: {
        ...formView.values,
        redirectUris: 'http://a.example/',
        authMethod: 'client_secret_post',
      },
      addresses: [
        { line: 1, uri: 'http://a.example/', fault: 'Use https://.' },
        { line: 3, uri: 'https://b.example/', fault: null },
      ],
      faults: { ...noFaults, name: 'Too long.', scopes: 'Tick one.', redirectUris: 'Too many.' },
    })
    expect(page).toContain('<title>Error: New app · ')
    expect(page.split('role="alert"')).toHaveLength(2)
    expect(textOf(page)).toContain(
      'Nothing was saved. Please check these: Name : Too long. Redirect addresses : Too many. What it can ask for : Tick one. Redirect addresses, line 1 : Use https://.',
    )
    for (const [id, described] of [
      ['name', 'name-hint name-fault'],
      ['redirect_uris', 'redirect_uris-hint redirect_uris-fault addresses'],
      ['scopes', 'scopes-hint scopes-fault'],
    ] as const) {
      expect(attribute(controlOf(page, id), 'aria-describedby')).toBe(described)
      expect(attribute(controlOf(page, id), 'aria-invalid')).toBe('true')
    }
    expect(attribute(controlOf(page, 'description'), 'aria-invalid')).toBeUndefined()
    expect(textOf(page)).toContain(
      'Line 1 http://a.example/ Use https://. Line 3 https://b.example/ OK',
    )
    expect(controlOf(page, 'auth_method-client-secret-post')).toContain(' checked')
  })

  it('marks the addresses where only one line is at fault', () => {
    const addresses = [{ line: 1, uri: 'x', fault: 'No.' }]
    const page = form({ addresses, faults: noFaults })
    expect(attribute(controlOf(page, 'redirect_uris'), 'aria-invalid')).toBe('true')
    const fine = form({ addresses: [{ line: 1, uri: 'x', fault: null }] })
    expect(attribute(controlOf(fine, 'redirect_uris'), 'aria-invalid')).toBeUndefined()
    expect(fine).not.toContain('role="alert"')
  })

  it('says what taking a scope away does, and to how many', () => {
    const page = form({ editing: { ...editing, scopes: ['account:read'] } })
    expect(textOf(page)).toContain('If you remove something, the app loses it right away.')
    expect(textOf(page)).toContain('2 people are connected now. As soon as you save')
    expect(controlOf(page, 'scope-account-read')).toContain('tick-held')
    expect(controlOf(page, 'scope-account-write')).not.toContain('tick-held')
    expect(form()).not.toContain('narrowing')
  })
})

describe('the answer to a new application or secret', () => {
  it('shows the secret once, in one field, and says so', () => {
    const page = result({ secret: 'very-secret' })
    expect(page.split('very-secret')).toHaveLength(2)
    expect(controlOf(page, 'client_secret')).toContain(' readonly')
    expect(textOf(page)).toContain('You won’t see it again.')
    expect(actionsOf(page)).toEqual([])
    expect(textOf(page)).toContain('I’ve saved the secret')
  })

  it('has no word of a secret for a public application', () => {
    expect(result()).not.toContain('client_secret')
    expect(textOf(result())).not.toContain('see it again')
  })

  it('has a card for members, without the secret', () => {
    const card = (page: string): string => /id="member_card"[^>]*>\s*([^<]*)</.exec(page)![1]!
    expect(card(result()).split('&#10;')).toEqual([
      'Connect Study Buddy to Lantern Street Drawing School',
      '',
      'MCP server URL: https://lantern.example/mcp/member',
      'OAuth client ID: cl_1',
      '',
      '1. In your app, add a connector (also called an MCP server) with the URL above.',
      '2. If it asks for an OAuth client ID, enter the one above. You don’t need a client secret.',
      '3. Sign in to Lantern Street Drawing School in the window that opens.',
      '4. Read what the app asks for, and choose Allow.',
      '',
      'To disconnect it later: Lantern Street Drawing School, Account, Connected apps, Disconnect.',
    ])
    const own = card(result({ secret: 'very-secret' }))
    expect(own).toContain('1. Open Study Buddy and choose to connect')
    expect(own).toContain('enter https://lantern.example/mcp/member')
    expect(own).not.toContain('very-secret')
  })

  it('says until when the old secret works', () => {
    const rotated = { cause: 'rotated', secret: 's-2' } as const
    expect(textOf(result(rotated))).toContain('The old secret no longer works.')
    expect(textOf(result({ ...rotated, previousSecretUntil: NOW + DAY }))).toContain(
      'The old secret works until 21 Nov 2026, 09:00.',
    )
    expect(result(rotated)).not.toContain('member_card')
  })
})

describe('the page of an application', () => {
  it.each<readonly [ApplicationAction, string, 'form' | 'link']>([
    ['edit', 'edit', 'link'],
    ['disable', 'disable', 'link'],
    ['delete', 'delete', 'link'],
    ['block', 'block', 'link'],
    ['enable', 'enable', 'form'],
    ['unblock', 'unblock', 'form'],
    ['disconnect', 'disconnect', 'form'],
    ['rotate', 'rotate', 'form'],
    ['end_old_secret', 'end-old-secret', 'form'],
    ['fetch', 'fetch', 'form'],
    ['review', 'review', 'form'],
  ])('offers %s only where it can be done', (action, path, how) => {
    const view = {
      ...documentView,
      clientId: 'cl_1',
      secret: { since: NOW, previousUntil: NOW + DAY },
    }
    expect([...actionsOf(detail(view)), ...linksOf(detail(view))]).toEqual([
      '/oauth/applications',
      '/oauth/applications/attempts?client=cl_1',
      '/oauth/applications/activity?search=cl_1',
    ])
    const page = detail({ ...view, actions: [action] })
    const target = `/oauth/applications/cl_1/${path}`
    expect(how === 'form' ? actionsOf(page) : linksOf(page)).toContain(target)
    expect(how === 'form' ? linksOf(page) : actionsOf(page)).not.toContain(target)
    expect(hiddenOf(page).filter((one) => one === 'csrf_token=csrf-1')).toHaveLength(
      how === 'form' ? 2 : 1,
    )
  })

  it('lists who is connected, and disconnects one by one or all over a page that asks', () => {
    const page = detail({ actions: ['disconnect'], morePeople: 140 })
    expect(textOf(page)).toContain(
      'Connected people 141 Disconnect everyone… Mei-Ling Chou Since 11 Oct 2026, 10:00 · never used 1 permission See your courses. Not your password Disconnect Mei-Ling Chou And 140 more.',
    )
    expect(hiddenOf(page)).toContain('subject=mem_1')
    expect(linksOf(page)).toContain('/oauth/applications/cl_1/disconnect-all')
    expect(textOf(detail({ people: [], actions: ['disconnect'] }))).toContain(
      'No one has connected it yet.',
    )
  })

  it('offers a new secret with an overlap of a day unless told otherwise', () => {
    const secret = { since: NOW - DAY, previousUntil: NOW + DAY }
    const page = detail({ secret, actions: ['rotate', 'end_old_secret'] })
    expect(
      tagsOf(page, 'option').map((tag) => [attribute(tag, 'value'), tag.includes(' selected')]),
    ).toEqual([
      ['0', false],
      ['1', false],
      ['24', true],
      ['72', false],
    ])
    expect(textOf(page)).toContain('In use since 19 Nov 2026, 09:00')
    expect(textOf(page)).toContain('Works until 21 Nov 2026, 09:00 End the old secret now')
    expect(detail({ actions: ['rotate'] })).not.toContain('overlap_hours')
    expect(textOf(detail({ secret: { since: null, previousUntil: null } }))).not.toContain(
      'Old secret',
    )
  })

  it('puts the log into words, and an event without words as it is', () => {
    const log = [
      { ...entry, type: 'oauth.grant.revoked', actor: 'Ines', subject: 'Mei', detail: 'why' },
      { ...entry, type: 'toString' },
    ]
    expect(textOf(detail({ log }))).toContain(
      '1 minute ago Disconnected · Mei by Ineswhy 1 minute ago toString',
    )
    expect(textOf(detail({ log: [] }))).toContain('Nothing has happened yet.')
  })

  it('warns while connections are off, for member apps alone', () => {
    expect(textOf(detail({ enabled: false }))).toContain('MCP connections are off')
    expect(textOf(detail({ enabled: false }))).toContain('Member app Paused')
    expect(textOf(detail({ enabled: false, kind: 'vendor' }))).not.toContain(
      'MCP connections are off',
    )
  })

  it('shows when a document was fetched, seen and reviewed, and what the last fetch met', () => {
    expect(textOf(detail(documentView))).toContain(
      'Fetched 1 hour ago Fresh until 20 Nov 2026, 10:00 First seen 11 Nov 2026, 09:00 Reviewed Never',
    )
    const document = { ...documentView.document!, freshUntil: NOW, fetchFault: 'No answer.' }
    const page = textOf(detail({ ...documentView, document }))
    expect(page).toContain('Was fresh until')
    expect(page).toContain('We couldn’t fetch it. No answer.')
  })

  it('warns of what nobody reviewed, and of what changed since', () => {
    expect(textOf(detail(documentView))).toContain('has reviewed it.')
    const document = { ...documentView.document!, changedAt: NOW - 2 * DAY }
    expect(textOf(detail({ ...documentView, state: 'changed', document }))).toContain(
      'It changed 2 days ago, after its review.',
    )
    expect(detail({ ...documentView, state: 'reviewed' })).not.toContain('notice-warn')
  })

  it('lets a reviewer tick what their own role holds', () => {
    const page = detail({ ...documentView, actions: ['review'], reviewFault: 'It changed.' })
    expect(controlOf(page, 'scope-courses-write')).toContain(' checked')
    expect(controlOf(page, 'scope-courses-write')).not.toContain(' disabled')
    expect(controlOf(page, 'scope-members-write')).toContain(' disabled')
    expect(textOf(page)).toContain(
      'Invite Not in your role Someone whose role includes this has to allow it.',
    )
    expect(hiddenOf(page)).toContain('digest=digest-1')
    expect(textOf(page)).toContain('It changed.')
    expect(buttonsOf(page)).toContain('Mark as reviewed')
  })
})

describe('the pages that ask first', () => {
  it.each([
    [
      'disable',
      'disable',
      'Turn off',
      '12 people lose access right away. All permissions are kept',
    ],
    ['delete', 'delete', 'Delete for good', '12 people are disconnected right away.'],
    [
      'disconnect_all',
      'disconnect-all',
      'Disconnect everyone',
      '12 people are disconnected right away.',
    ],
    ['block', 'block', 'Block', '12 people are disconnected right away.'],
  ] as const)('says what %s does, and to how many', (kind, path, button, effect) => {
    const page = confirm({ confirm: kind })
    expect(textOf(page)).toContain(effect)
    expect(actionsOf(page)).toEqual([`/oauth/applications/cl_1/${path}`])
    expect(buttonsOf(page)).toContain(button)
    expect(linksOf(page).at(-1)).toBe('/oauth/applications/cl_1')
    expect(hiddenOf(page)).toContain('csrf_token=csrf-1')
    expect(textOf(confirm({ confirm: kind, people: 0 }))).toContain('No one is connected now.')
    expect(textOf(confirm({ confirm: kind, people: 1 }))).toMatch(
      /1 person (?:is disconnected|loses access) right away\./,
    )
    // No more are counted.
    expect(textOf(confirm({ confirm: kind, people: 100 }))).toContain('100+ people ')
    expect(textOf(confirm({ confirm: kind, people: 99 }))).toContain('99 people ')
  })

  it('deletes only what was named, and says when it was not', () => {
    expect(controlsOf(confirm({ confirm: 'disable' }))).toEqual([])
    const page = confirm({ confirm: 'delete', typedName: 'study budy' })
    expect(controlOf(page, 'name')).toContain('value="study budy"')
    expect(attribute(controlOf(page, 'name'), 'aria-describedby')).toBe('name-hint name-fault')
    expect(page).toContain('<title>Error: Delete for good: Study Buddy · ')
    expect(confirm({ confirm: 'delete' })).not.toContain('role="alert"')
  })

  it('counts who loses a connection when connections are switched off', () => {
    const beta = (enabled: boolean, people: number, applications: number): string =>
      String(betaPage({ site, view: { ...frame, enabled, people, applications } }))
    expect(textOf(beta(true, 16, 3))).toContain(
      '16 people are connected to 3 member apps, and lose access right away.',
    )
    expect(textOf(beta(true, 1, 1))).toContain(
      '1 person is connected to 1 member app, and loses access right away.',
    )
    expect(hiddenOf(beta(true, 1, 1))).toContain('enabled=off')
    expect(hiddenOf(beta(false, 1, 1))).toContain('enabled=on')
    expect(textOf(beta(true, 100, 100))).toContain('100+ people are connected to 100+ member apps')
    expect(textOf(beta(false, 0, 0))).toContain('0 people connected 0 member apps before')
    expect(actionsOf(beta(true, 1, 1))).toEqual(['/oauth/applications/beta'])
  })
})

describe('the connected apps', () => {
  it('says of each what it is, what it may do and since when, and how to end it', () => {
    const recent = [{ ...entry, type: 'mcp.tool_called', detail: 'list_courses' }]
    const page = connected([{ ...app, recent }])
    expect(textOf(page)).toContain(
      'Margin Notes Identified by notes.example Not reviewed Connected 19 Nov 2026, 09:00 Last used Never Ends 18 Feb 2027, 09:00 What it can do See your courses Not your password. Recent activity 1 minute ago Used a toollist_courses Disconnect Margin Notes',
    )
    expect(linksOf(page)).toContain(
      '/oauth/authorized_applications/disconnect?client_id=https%3A%2F%2Fnotes.example%2Fa%3Fb%3Dc%26d',
    )
    expect(actionsOf(page)).toEqual([])
  })

  it('tells what is switched off, what was disconnected, and when there is nothing', () => {
    expect(textOf(connected([{ ...app, state: 'off' }]))).toContain('Turned off by Lantern')
    expect(textOf(connected([app]))).not.toContain('Turned off')
    expect(textOf(connected([], 'Margin Notes'))).toContain('Margin Notes is disconnected.')
    expect(textOf(connected([]))).toContain('No apps connected')
  })

  it('asks before it disconnects', () => {
    const view = { ...frame, clientId: 'a&b', name: 'Margin Notes', lastUsedAt: NOW - 3600 }
    const page = String(disconnectAppPage({ site, view }))
    expect(actionsOf(page)).toEqual(['/oauth/authorized_applications/disconnect'])
    expect(hiddenOf(page)).toContain('client_id=a&amp;b')
    expect(textOf(page)).toContain('It was last used 1 hour ago.')
    expect(buttonsOf(page)).toContain('Disconnect')
    expect(linksOf(page)).toContain('/oauth/authorized_applications')
  })

  it('shows the way to the admin area only to those who may go there', () => {
    const student = {
      ...frame,
      isAdmin: false,
      apps: [],
      disconnected: null,
      asked: null,
      count: 2,
      page: 1,
      hasNext: false,
      isAllDone: false,
    }
    const page = String(connectedAppsPage({ site, view: student }))
    expect(page).not.toContain('href="/oauth/applications"')
    expect(connected([])).toContain('href="/oauth/applications"')
    expect(homeLinks({ isAdmin: false }).map(({ href }) => href)).toEqual([
      '/oauth/authorized_applications',
    ])
    expect(homeLinks({ isAdmin: true }).map(({ href }) => href)).toEqual([
      '/oauth/authorized_applications',
      '/oauth/applications',
    ])
  })
})
