import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { hashToken } from 'hallpass/token'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { betaPlace } from '../../../examples/school/src/applications/beta.js'
import type { Parts } from '../../../examples/school/src/applications/parts.js'
import { actionsOf } from '../../../examples/school/src/applications/actions.js'
import { reviewOf } from '../../../examples/school/src/applications/document-facts.js'
import { createKnownApplications } from '../../../examples/school/src/applications/known.js'
import { createApplicationDirectory } from '../../../examples/school/src/applications/search.js'
import { createScopeWords, stateOf } from '../../../examples/school/src/applications/words.js'
import type { AuditEntry } from '../../../examples/school/src/platform/audit.js'
import { createRequests } from '../../../examples/school/src/platform/requests.js'
import { pinnedDocuments } from '../../../examples/school/src/applications/clients-policy.js'
import { demoDocumentClients } from '../../../examples/school/src/demo/documents.js'
import { vendors } from '../../../examples/school/src/applications/vendors.js'
import { sha256Base64url } from '../../../src/encoding/hash.js'
import { textOf as wordsOf } from '../../support/http/markup.js'
import {
  type FieldChanges,
  fieldsOf,
  formsOf,
  type PageBrowser,
  type ShownPage,
} from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN, PASSWORD } from '../support/area.js'
import { png } from '../../support/browser/pictures.js'
import { STUDENT, T } from '../../support/school/school.js'

let database: Database
let school: AreaSite
/** The owner's browser. */
let ines: PageBrowser

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  ines = await school.browserOf('ines')
})

const LIST = '/oauth/applications'
const NEW = `${LIST}/new`
const BETA = `${LIST}/beta`
const COPY_SCRIPT = '<script type="module" src="/assets/copy.js"></script>'
const MINUTE = 60
const HOUR = 3600
const CALLBACK = 'http://127.0.0.1:7777/callback'
const DRAFT: FieldChanges = {
  name: 'Sketch Pad',
  description: 'Draws.',
  icon: 'pencil',
  redirect_uris: CALLBACK,
  scope: ['account:read'],
}

const pathOf = (clientId: string, below = ''): string =>
  `${LIST}/${encodeURIComponent(clientId)}${below}`
const textOf = (page: ShownPage): string => wordsOf(page.text)

/** What a form on a page holds, by a word on it. */
const formWith = (page: ShownPage, word: string): readonly (readonly [string, string])[] =>
  fieldsOf(formsOf(page).find((form) => form.includes(word)) ?? '')

const valueIn = (page: ShownPage, id: string): string => {
  const [, text = ''] =
    new RegExp(`<textarea[^>]* id="${id}"[^>]*>([^]*?)</textarea>`).exec(page.text) ?? []
  return text.trim()
}

/** Creates an application through the form. */
async function create(
  changes: FieldChanges = {},
): Promise<{ page: ShownPage; clientId: string; secret: string }> {
  const form = await ines.open(NEW)
  const page = await ines.press(form, 'Create app', { ...DRAFT, ...changes })
  if (page.status !== 200) throw new Error(`not created: ${page.status} ${textOf(page)}`)
  return { page, clientId: valueIn(page, 'client_id'), secret: valueIn(page, 'client_secret') }
}

const CONFIDENTIAL: FieldChanges = { auth_method: 'client_secret_post' }

const stored = async (clientId: string): Promise<Client> => {
  const client = await school.store.findClient(clientId)
  if (client === null) throw new Error(`${clientId} is not stored`)
  return client
}

/** Everything that the area could have changed. */
async function everything(): Promise<unknown> {
  const { store, settings, clock } = school
  const page = { after: null, limit: 500, now: clock.now }
  const kinds = ['member', 'vendor', 'loopback', 'document'] as const
  return {
    clients: await store.listClients({ ...page, kinds, search: null }),
    grants: await store.listGrants({ ...page, of: 'everyone' }),
    on: await settings.mcpConnections(),
  }
}

/** What somebody did, newest first, as the log has it. */
async function acts(): Promise<readonly (AuditEntry['event'] & { type: string })[]> {
  const entries = await school.audit.recent({ limit: 500 })
  return entries
    .filter(({ actor }) => actor !== null)
    .map(({ type, event }) => ({ ...event, type }))
}

const HUB_SECRET = 'a-secret-of-the-hub'

/** An application of each kind, so that everything that can be done can be done to one of them. */
async function addApplications(): Promise<void> {
  const member = { kind: 'member', redirectUris: [CALLBACK], createdAt: T - HOUR } as const
  const clients = [
    defineClient({
      ...member,
      clientId: 'hub',
      name: 'Hub',
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: [
        { hash: hashToken(HUB_SECRET), expiresAt: null },
        { hash: hashToken('an-older-secret'), expiresAt: T + 24 * HOUR },
      ],
      scopes: ['account:read', 'account:write'],
    }),
    defineClient({
      ...member,
      clientId: 'off',
      name: 'Off',
      scopes: ['account:read'],
      disabled: true,
    }),
    defineClient({ ...member, clientId: 'desk', name: 'Desk', kind: 'loopback' }),
    ...demoDocumentClients(T),
  ]
  for (const client of clients) await school.store.insertClient(client)
}

const NOTES = 'https://notes.example/client.json'
const NOTES_DOCUMENT = {
  client_id: NOTES,
  client_name: 'Margin Notes',
  redirect_uris: ['https://notes.example/callback', 'http://127.0.0.1/callback'],
}
const BAD = 'https://bad.example/client.json'

/** Every form of the area, on something that it can be done to. */
const FORMS: readonly (readonly [path: string, fields: FieldChanges])[] = [
  [NEW, { ...DRAFT, auth_method: 'none' }],
  [BETA, { enabled: 'off' }],
  [pathOf('hub', '/edit'), { ...DRAFT, name: 'Hub', revision: '1' }],
  [pathOf('hub', '/rotate'), { overlap_hours: '24' }],
  [pathOf('hub', '/end-old-secret'), {}],
  [pathOf('hub', '/end'), { ends_on: '2026-12-18' }],
  [pathOf('hub', '/disable'), {}],
  [pathOf('off', '/enable'), {}],
  [pathOf('hub', '/disconnect'), { subject: 'mei' }],
  [pathOf('hub', '/disconnect-all'), {}],
  [pathOf('hub', '/delete'), { name: 'Hub' }],
  [pathOf(NOTES, '/review'), { digest: 'x', scope: ['courses:write'] }],
  [pathOf(NOTES, '/block'), {}],
  [pathOf(BAD, '/unblock'), {}],
  [pathOf(NOTES, '/fetch'), {}],
]

/** The token of the form on the home page that has a word on it. */
const csrfIn = async (browser: PageBrowser, word: string): Promise<string> =>
  formWith(await browser.open('/'), word).find(([name]) => name === 'csrf_token')![1]
const csrfOf = (browser: PageBrowser): Promise<string> => csrfIn(browser, 'Sign out')

describe('the way in', () => {
  it.each([
    LIST,
    `${LIST}?kind=member&state=active&search=a+b&after=1.x`,
    NEW,
    BETA,
    pathOf(NOTES),
    pathOf('hub', '/delete'),
  ])('asks who is there and leads on to %s', async (path) => {
    await addApplications()
    const browser = school.stranger()
    const asked = await browser.open(path)
    expect(asked.status).toBe(200)
    expect(textOf(asked)).toContain('Welcome back to Lantern Street Drawing School')
    const { url, status } = await browser.press(asked, 'Sign in', {
      email: 'ines@example.com',
      password: PASSWORD,
    })
    expect([url.pathname + url.search, status]).toEqual([path, 200])
  })

  it('stays where it led after a wrong password', async () => {
    const browser = school.stranger()
    const wrong = { email: 'ines@example.com', password: 'wrong' }
    const again = await browser.press(await browser.open(NEW), 'Sign in', wrong)
    expect(again.status).toBe(403)
    expect(textOf(again)).toContain('That email and password don’t match an account')
    const right = { email: 'ines@example.com', password: PASSWORD }
    expect((await browser.press(again, 'Sign in', right)).url.pathname).toBe(NEW)
  })

  it('never leads elsewhere, whatever the form says', async () => {
    const browser = school.stranger()
    const fields = Object.fromEntries(formWith(await browser.open(LIST), 'password'))
    const owner = { email: 'ines@example.com', password: PASSWORD }
    for (const return_to of [
      '//evil.example',
      'https://evil.example/oauth/applications',
      '/oauth/applications/../../evil',
      '/oauth/applications/%2e%2e/evil',
      '/oauth/applications\\evil.example',
      '/oauth/applications#evil',
      '/oauth/applications/new\r\nset-cookie: a=b',
      '/oauth/applicationsevil',
      '/oauth/authorize',
      `/oauth/applications?${'a'.repeat(9000)}`,
    ]) {
      const csrf_token = await csrfIn(browser, 'password')
      const answer = await browser.post('/sign-out', { csrf_token, return_to })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    }
    const csrf_token = await csrfIn(browser, 'password')
    const evil = { ...fields, ...owner, csrf_token, return_to: '//evil.example' }
    const answer = await browser.post('/sign-in', evil)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  })

  it.each(['amara', 'yuki', 'mei'])('is shut for %s, whose role does not manage', async (who) => {
    await addApplications()
    const browser = await school.browserOf(who)
    const csrf_token = await csrfOf(browser)
    const before = await everything()
    for (const path of [LIST, NEW, BETA, pathOf('hub'), pathOf('hub', '/edit'), pathOf('nobody')]) {
      const page = await browser.open(path)
      expect([path, page.status]).toEqual([path, 403])
      expect(textOf(page)).toContain(
        'Only the school’s owner and its managers can manage its apps.',
      )
      expect(textOf(page)).not.toContain('Hub')
    }
    for (const [path, fields] of FORMS)
      expect([path, (await browser.post(path, { ...fields, csrf_token })).status]).toEqual([
        path,
        403,
      ])
    expect(await everything()).toEqual(before)
    expect(await acts()).toEqual([])
  })

  it('is shut for somebody who was an owner a moment ago', async () => {
    await school.changePerson('ines', `role = 'lecturer'`)
    expect((await ines.open(LIST)).status).toBe(403)
    await school.changePerson('ines', `role = 'owner', suspended = true`)
    expect(textOf(await ines.open(LIST))).toContain('Welcome back')
  })

  it('asks for a fresh sign-in before what is dangerous, and names who is signed in', async () => {
    await addApplications()
    const paths = [
      NEW,
      BETA,
      ...['/edit', '/delete', '/disconnect-all'].map((below) => pathOf('hub', below)),
      pathOf(NOTES),
      pathOf(NOTES, '/block'),
    ]
    school.clock.now = T + 15 * MINUTE - 1
    for (const path of paths) expect(textOf(await ines.open(path))).not.toContain('Sign in again')
    school.clock.now = T + 15 * MINUTE
    for (const path of paths) {
      const asked = await ines.open(path)
      expect([path, asked.status]).toEqual([path, 200])
      expect(textOf(asked)).toContain('Sign in again')
      expect(asked.text).toContain('value="ines@example.com"')
      expect(formWith(asked, 'password')).toContainEqual(['return_to', path])
    }
    for (const path of [LIST, pathOf('hub'), pathOf('hub', '/disable'), pathOf(BAD)])
      expect(textOf(await ines.open(path))).not.toContain('Sign in again')
  })

  it('leads back to the page with the form where a dangerous one comes too late', async () => {
    await addApplications()
    const dangerous = FORMS.filter(([path]) =>
      /new$|beta$|edit$|rotate$|delete$|-all$|review$|block$/.test(path.replace('/unblock', '')),
    )
    const csrf_token = await csrfOf(ines)
    const before = await everything()
    school.clock.now = T + 30 * MINUTE
    for (const [path, fields] of dangerous) {
      const answer = await ines.post(path, { ...fields, csrf_token })
      const page = { text: await answer.text() } as ShownPage
      expect([path, answer.status]).toEqual([path, 403])
      const back = path.replace(/\/(?:rotate|review)$/, '')
      expect(formWith(page, 'password')).toContainEqual(['return_to', back])
    }
    expect(dangerous).toHaveLength(8)
    expect(await everything()).toEqual(before)
    school.clock.now = T + 30 * MINUTE - 1
    const [[path, fields]] = dangerous as [(typeof dangerous)[number]]
    expect((await ines.post(path, { ...fields, csrf_token })).status).toBe(200)
  })

  it('has nothing at other addresses, for other schools’ applications, or for odd bytes', async () => {
    const other = await openAreaSite(database)
    await other.store.insertClient(
      defineClient({
        clientId: 'of-the-other-school',
        kind: 'member',
        name: 'Theirs',
        redirectUris: [CALLBACK],
        createdAt: T,
      }),
    )
    await addApplications()
    const csrf_token = await csrfOf(ines)
    for (const path of [
      `${LIST}/`,
      `${LIST}/a/b/c`,
      pathOf('hub', '/explode'),
      pathOf('nobody'),
      pathOf('nobody', '/edit'),
      pathOf('of-the-other-school'),
      `${LIST}/%ff`,
      `${LIST}/%00`,
      `${LIST}/attempts/%00`,
      `${LIST}/attempts/att_%1f`,
      pathOf('hub', '/%00'),
      `${LIST}/${'a'.repeat(3000)}`,
      pathOf('claude', '/edit'),
      pathOf('desk', '/edit'),
      pathOf(NOTES, '/delete'),
    ]) {
      const page = await ines.open(path)
      expect([path, page.status]).toEqual([path, 404])
      expect(textOf(page)).toContain('There’s nothing here')
    }
    const before = await everything()
    for (const path of [
      pathOf('of-the-other-school', '/disable'),
      pathOf('claude', '/disable'),
      pathOf('hub', '/review'),
      pathOf(NOTES, '/disable'),
    ])
      expect([path, (await ines.post(path, { csrf_token, any: 'thing' })).status]).toEqual([
        path,
        404,
      ])
    expect(await everything()).toEqual(before)
  })

  it('names the methods that work', async () => {
    await addApplications()
    const cases: readonly (readonly [string, string, string])[] = [
      ['POST', LIST, 'GET, HEAD'],
      ['DELETE', pathOf('hub'), 'GET, HEAD'],
      ['PUT', NEW, 'GET, HEAD, POST'],
      ['GET', pathOf('hub', '/rotate'), 'POST'],
      ['HEAD', pathOf('hub', '/disconnect'), 'POST'],
    ]
    for (const [method, path, allow] of cases) {
      const answer = await school.fetch(new Request(ORIGIN + path, { method }))
      expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        allow,
      ])
    }
  })
})

describe('every form', () => {
  it('is refused without its own token, with another’s, and from another site [UX-03]', async () => {
    await addApplications()
    const csrf_token = await csrfOf(ines)
    const foreign = await csrfOf(await school.browserOf('tomasz'))
    const before = await everything()
    for (const [path, fields] of FORMS) {
      const answers = [
        await ines.post(path, fields),
        await ines.post(path, { ...fields, csrf_token: foreign }),
        await ines.post(path, { ...fields, csrf_token }, { 'sec-fetch-site': 'cross-site' }),
        await ines.post(path, { ...fields, csrf_token }, { 'sec-fetch-site': 'same-site' }),
        await ines.post(path, { ...fields, csrf_token }, { origin: 'https://evil.example' }),
        await ines.post(path, { ...fields, csrf_token }, { 'content-type': 'text/plain' }),
      ]
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, ...Array(6).fill(403)])
    }
    expect(await everything()).toEqual(before)
  })

  it('is refused with a field that is not its own, or twice the same [ADM-08]', async () => {
    await addApplications()
    const csrf_token = await csrfOf(ines)
    const before = await everything()
    const extras: readonly FieldChanges[] = [
      { kind: 'vendor' },
      { deletedAt: '0' },
      { audience: 'operator' },
      { disabled: 'false' },
      { org_id: 'site_other' },
      { __proto__polluted: '1', constructor: '1' },
      { csrf_token: [csrf_token, csrf_token] },
    ]
    for (const [path, fields] of FORMS)
      for (const extra of extras) {
        const answer = await ines.post(path, { csrf_token, ...fields, ...extra })
        expect([path, Object.keys(extra), answer.status]).toEqual([path, Object.keys(extra), 400])
      }
    for (const extra of [{ revision: '1' }, { client_id: 'mine' }, { name: ['One', 'Two'] }])
      expect((await ines.post(NEW, { csrf_token, ...DRAFT, ...extra })).status).toBe(400)
    expect(
      (await ines.post(pathOf('hub', '/edit'), { csrf_token, ...DRAFT, auth_method: 'none' }))
        .status,
    ).toBe(400)
    expect(await everything()).toEqual(before)
  })

  it('goes on to a page that can be opened again, and says what was done', async () => {
    await addApplications()
    school.documents = () => Response.json(NOTES_DOCUMENT)
    const csrf_token = await csrfOf(ines)
    const gone: readonly string[] = [NEW, pathOf('hub', '/rotate'), pathOf(NOTES, '/review')]
    for (const [path, fields] of FORMS.filter(([path]) => !gone.includes(path))) {
      const answer = await ines.post(path, { ...fields, csrf_token })
      expect([path, answer.status]).toEqual([path, 303])
      expect(answer.headers.get('location')).toMatch(/^\/oauth\/applications/)
      if (path === BETA) await school.settings.setMcpConnections(true)
    }
  })
})

describe('a form that is sent twice', () => {
  const twice = async (path: string, fields: FieldChanges): Promise<readonly Response[]> => {
    const csrf_token = await csrfOf(ines)
    const send = (): Promise<Response> => ines.post(path, { ...fields, csrf_token })
    return [...(await Promise.all([send(), send()])), await send()]
  }

  it('acts once, and says the same each time [UX-03]', async () => {
    await addApplications()
    school.documents = () => Response.json(NOTES_DOCUMENT)
    for (const [path, fields] of FORMS) {
      const before = (await acts()).length
      const answers = await twice(path, fields)
      const said = await Promise.all(
        answers.map(async (answer) => [answer.status, answer.headers.get('location')]),
      )
      expect([path, ...said]).toEqual([path, said[0], said[0], said[0]])
      const done = said[0]![0] === 303 || said[0]![0] === 200
      if (path !== BETA) expect([path, (await acts()).length - before <= 1]).toEqual([path, true])
      if (path === BETA) await school.settings.setMcpConnections(true)
      expect([path, done]).toEqual([path, !path.endsWith('/review')])
    }
  })

  it('makes one application, whose secret the second click shows as well', async () => {
    const answers = await twice(NEW, { ...DRAFT, ...CONFIDENTIAL })
    const pages = await Promise.all(answers.map((answer) => answer.text()))
    const secrets = pages.map((text) => valueIn({ text } as ShownPage, 'client_secret'))
    expect(secrets[0]!.length).toBeGreaterThan(40)
    expect(new Set(secrets).size).toBe(1)
    expect((await acts()).map(({ type }) => type)).toEqual(['oauth.client.created'])
  })

  it('rotates a secret once, and a late reload neither rotates nor shows it', async () => {
    const { clientId, secret } = await create(CONFIDENTIAL)
    const csrf_token = await csrfOf(ines)
    const rotate = (): Promise<Response> =>
      ines.post(pathOf(clientId, '/rotate'), { overlap_hours: '24', csrf_token })
    const made = await (await rotate()).text()
    school.clock.now = T + MINUTE
    const reloaded = await rotate()
    const text = await reloaded.text()
    expect(reloaded.status).toBe(409)
    expect(text).toContain('You sent this already')
    expect(text).toContain(`href="${pathOf(clientId)}"`)
    const next = valueIn({ text: made } as ShownPage, 'client_secret')
    expect(text).not.toContain(next)
    // The first secret is valid until tomorrow, as the page promised.
    const { refresh_token } = await school.connect({ memberId: 'mei', clientId, secret })
    expect((await refreshed(clientId, refresh_token, next))[0]).toBe(200)
    expect((await acts()).filter(({ type }) => type.endsWith('secret_rotated'))).toHaveLength(1)
  })

  it('is not mistaken for the same form on a page that was opened again', async () => {
    await create()
    await create()
    expect((await acts()).filter(({ type }) => type === 'oauth.client.created')).toHaveLength(2)
  })
})

/** The names in the list, in order. */
const namesIn = (page: ShownPage): readonly string[] =>
  [...page.text.matchAll(/class="row-name"[^>]*>\s*<bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name!)

describe('the list', () => {
  it('shows every application with its kind, state, people, last use and scopes', async () => {
    await addApplications()
    await school.connect({ memberId: 'mei', clientId: 'hub', secret: HUB_SECRET })
    await school.connect({ memberId: 'mei', clientId: 'hub', secret: HUB_SECRET })
    await school.connect({ memberId: 'jonas', clientId: 'hub', secret: HUB_SECRET })
    const claude = { clientId: 'claude', redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
    await school.connect({ memberId: 'tomasz', ...claude, scope: 'openid courses:read' })
    const text = textOf(await ines.open(`${LIST}?view=all`))
    for (const row of [
      'Hub Member app Active 2 people connected Used just now 5 permissions',
      'Off Member app Turned off No one connected Never used 4 permissions',
      'Desk App on a computer Not connected No one connected Never used 36 permissions',
      'Margin Notes Document app Not reviewed No one connected',
      'Front Desk Document app Reviewed No one connected',
      'Bad Actor Document app Blocked No one connected',
      'Claude Platform Active 1 person connected Used just now 36 permissions',
      'Cursor Platform Not connected No one connected Never used 36 permissions',
    ])
      expect(text).toContain(row)
  })

  it('is filtered by kind, by state and by part of a name', async () => {
    await addApplications()
    const shown = async (query: string): Promise<readonly string[]> =>
      namesIn(await ines.open(`${LIST}?view=all&${query}`))
    expect(await shown('kind=member')).toEqual(['Hub', 'Off'])
    expect((await shown('kind=document')).slice(0, 3)).toEqual([
      'Margin Notes',
      'Bad Actor',
      'Front Desk',
    ])
    expect(await shown('state=disabled')).toEqual(['Off'])
    expect(await shown('state=blocked')).toEqual(['Bad Actor'])
    expect(await shown('search=dESK')).toEqual(['Desk', 'Front Desk'])
    expect(await shown('search=dESK&kind=loopback&state=unused')).toEqual(['Desk'])
    expect(await shown('kind=vendor&search=claude')).toEqual(['Claude'])
    expect(await shown('search=%00%1bhub')).toEqual(['Hub', 'GitHub Copilot CLI'])
    expect(await shown('search=%25')).toEqual([])
    const odd = await ines.open(
      `${LIST}?view=constructor&kind=owner&state=toString&search=${'x'.repeat(5000)}&sort=__proto__&page=%00`,
    )
    expect([odd.status, namesIn(odd)]).toEqual([200, []])
    expect(textOf(odd)).toContain('No app matches here.')
  })

  it('goes on page by page, each application once, those of the configuration last', async () => {
    for (let number = 0; number < 120; number++)
      await school.store.insertClient(
        defineClient({
          clientId: `client-${number}`,
          kind: 'member',
          name: `App ${number}`,
          redirectUris: [CALLBACK],
          disabled: number % 40 === 39,
          // Several of the same second, so that the order needs the identifier too.
          createdAt: T - Math.floor(number / 7),
        }),
      )
    const walk = async (query: string): Promise<readonly (readonly string[])[]> => {
      const pages: (readonly string[])[] = []
      for (let path: string | undefined = `${LIST}?${query}`; path !== undefined;) {
        const page = await ines.open(path)
        pages.push(namesIn(page))
        const isFirst = pages.length === 1
        expect(page.text.includes('Previous page')).toBe(!isFirst)
        path = /href="(\/oauth\/applications\?[^"]*)"\s*>Next page</
          .exec(page.text)?.[1]
          ?.replaceAll('&amp;', '&')
      }
      return pages
    }
    const pages = await walk('view=all')
    expect(pages.map((names) => names.filter((name) => name.startsWith('App ')).length)).toEqual([
      50, 50, 20,
    ])
    const all = pages.flat()
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter((name) => name.startsWith('App '))).toHaveLength(120)
    expect(all.indexOf('Claude')).toBe(120)
    const off = await walk('state=disabled')
    expect(off.flat().toSorted()).toEqual(['App 119', 'App 39', 'App 79'])
    expect(off.every((names) => names.length > 0)).toBe(true)
  })

  const register = async (numbers: readonly number[]): Promise<void> => {
    for (const number of numbers)
      await school.store.insertClient(
        defineClient({
          clientId: `tool-${number}`,
          kind: 'loopback',
          name: `Tool number ${number}`,
          redirectUris: [CALLBACK],
          createdAt: T + number,
        }),
      )
  }

  it('has a page of the school that registers itself while someone is connected, and not after that', async () => {
    await register([1, 2])
    const tool = { clientId: 'tool-1', scope: 'openid courses:read' }
    await school.connect({ memberId: 'amara', ...tool })
    await school.connect({ memberId: 'amara', ...tool, clientId: 'tool-2' })
    const { execute } = database
    const connected = async (ownPages: readonly string[]): Promise<readonly string[]> => {
      const directory = createApplicationDirectory({
        execute,
        site: school.id,
        configured: [],
        ownPages,
        now: () => T,
      })
      const query = {
        view: 'connected',
        kind: null,
        state: null,
        search: '',
        sort: 'name',
      } as const
      const { found, counts } = await directory.search({ ...query, page: 1, size: 9 })
      expect(counts.connected).toBe(found.length)
      return found.map(({ clientId }) => clientId)
    }
    expect(await connected([CALLBACK])).toEqual(['tool-1', 'tool-2'])
    const ended = { clientId: 'tool-1', revokedAt: T, revokedReason: 'test' }
    expect(await school.store.revokeGrantsOfClient(ended)).toBe(1)
    expect(await connected([CALLBACK])).toEqual(['tool-2'])
    expect(await connected(['http://127.0.0.1:7777/'])).toEqual(['tool-1', 'tool-2'])
  })

  it('keeps what registered itself apart, and does not call it active', async () => {
    await addApplications()
    await school.connect({ memberId: 'mei', clientId: 'hub', secret: HUB_SECRET })
    const claude = { clientId: 'claude', redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
    await school.connect({ memberId: 'tomasz', ...claude, scope: 'openid courses:read' })
    await register(Array.from({ length: 120 }, (_, number) => number))
    const first = await ines.open(LIST)
    expect(namesIn(first)).toEqual([
      'Hub',
      'Off',
      'Margin Notes',
      'Bad Actor',
      'Front Desk',
      'Claude',
    ])
    expect(textOf(first)).toContain('Your apps 6 To review 1 Tried to connect 121 All 140')
    expect(namesIn(await ines.open(`${LIST}?view=review`))).toEqual(['Margin Notes'])
    const tried = await ines.open(`${LIST}?view=tried`)
    expect(namesIn(tried)).toHaveLength(50)
    expect(textOf(tried)).toContain(
      'Tool number 119 App on a computer Not connected No one connected',
    )
    expect(tried.text).not.toContain('>Active</span>')
    const last = await ines.open(`${LIST}?view=tried&page=3`)
    expect(namesIn(last)).toHaveLength(21)
    expect(textOf(last)).toContain('Previous page Page 3')
    expect(last.text).not.toContain('Next page')
    // Once somebody connects one, it is theirs.
    const desk = { memberId: 'amara', clientId: 'tool-7', scope: 'openid courses:read' }
    await school.connect({ ...desk, redirectUri: CALLBACK })
    const after = await ines.open(LIST)
    expect(namesIn(after)).toContain('Tool number 7')
    expect(textOf(after)).toContain('Your apps 7 To review 1 Tried to connect 120 All 140')
    expect(textOf(await ines.open(pathOf('tool-7')))).toContain('App on a computer Active')
    expect(textOf(await ines.open(pathOf('tool-8')))).toContain('App on a computer Not connected')
  })

  it('finds any of ten thousand by its name, its client ID or its host', async () => {
    await database.execute(
      `insert into hallpass_client (site, client_id, kind, search, revision, created_at, record)
       select $1, 'id-' || n || '-x', 'loopback', 'tool ' || n || '!', 1, n, jsonb_build_object(
         'clientId', 'id-' || n || '-x', 'kind', 'loopback', 'name', 'Tool ' || n || '!',
         'redirectUris', jsonb_build_array('https://host-' || n || '.example/cb'),
         'tokenEndpointAuthMethod', 'none', 'secrets', '[]'::jsonb, 'scopes', null, 'disabled', false,
         'description', null, 'icon', null, 'about', null, 'revision', 1, 'createdAt', n, 'usedAt', null,
         'deletedAt', null, 'document', null, 'endsAt', null)::text
       from generate_series(1, 10000) n`,
      [school.id],
    )
    const all = await ines.open(`${LIST}?view=tried`)
    expect(textOf(all)).toContain('Tried to connect 10,000')
    for (const number of [1, 777, 5000, 9999])
      for (const search of [`tool ${number}!`, `ID-${number}-x`, `host-${number}.EXAMPLE`]) {
        const page = await ines.open(`${LIST}?view=tried&search=${encodeURIComponent(search)}`)
        expect([search, namesIn(page)]).toEqual([search, [`Tool ${number}!`]])
      }
    // What is searched where it is not says where it is.
    const other = await ines.open(`${LIST}?search=tool+5000!`)
    expect(textOf(other)).toContain('No app matches here. Show 1 match among all apps')
    expect(textOf(other)).toContain('Your apps 0 To review 0 Tried to connect 1 All 1')
    const end = await ines.open(`${LIST}?view=tried&sort=name&page=200`)
    expect([namesIn(end).length, end.text.includes('Next page')]).toEqual([50, false])
    expect(namesIn(await ines.open(`${LIST}?view=tried&page=99999`))).toEqual([])
  })

  it('is in the order that was chosen', async () => {
    await register([3, 1, 2])
    const named = async (sort: string): Promise<readonly string[]> =>
      namesIn(await ines.open(`${LIST}?view=tried&sort=${sort}`)).map((name) => name.slice(-1))
    expect(await named('newest')).toEqual(['3', '2', '1'])
    expect(await named('oldest')).toEqual(['1', '2', '3'])
    expect(await named('name')).toEqual(['1', '2', '3'])
  })

  it('explains what a member app is where there is none', async () => {
    const empty = await ines.open(LIST)
    expect(textOf(empty)).toContain('No apps yet')
    expect(empty.text).toContain(`href="${NEW}"`)
    expect(namesIn(empty)).toEqual([])
  })

  it('keeps names that mean harm inert', async () => {
    const name = '"><script>alert(1)</script><b x='
    await school.store.insertClient(
      defineClient({
        clientId: 'x"><img src=x>',
        kind: 'loopback',
        name,
        redirectUris: [CALLBACK],
        createdAt: T,
      }),
    )
    for (const path of [
      `${LIST}?view=all`,
      pathOf('x"><img src=x>'),
      pathOf('x"><img src=x>', '/delete'),
    ]) {
      const page = await ines.open(path)
      expect(page.status).toBe(200)
      expect(page.text).not.toMatch(
        /<script(?! type="module" src="\/assets\/copy\.js"><\/script>)|<img|<b x/,
      )
      expect(page.text).toContain('&lt;script&gt;alert(1)')
    }
  })
})

/** Every page of the area that somebody could open afterwards, and everything that is kept or logged. */
async function everythingShown(clientId: string): Promise<string> {
  const pages = await Promise.all(
    [
      LIST,
      ...['', '/edit', '/delete', '/disable', '/disconnect-all'].map((below) =>
        pathOf(clientId, below),
      ),
    ].map((path) => ines.open(path)),
  )
  const log = await school.audit.recent({ limit: 500 })
  return JSON.stringify([pages.map(({ text }) => text), log, school.logged, await everything()])
}

const refreshed = async (
  clientId: string,
  refresh_token: string,
  secret?: string,
): Promise<readonly [status: number, refreshToken: string]> => {
  const answer = await school.token({
    grant_type: 'refresh_token',
    refresh_token,
    client_id: clientId,
    ...(secret !== undefined && { client_secret: secret }),
  })
  const body = (await answer.json()) as { refresh_token?: string }
  return [answer.status, body.refresh_token ?? refresh_token]
}

describe('creating', () => {
  it('makes a public application that a member can connect at once', async () => {
    const { page, clientId, secret } = await create()
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(secret).toBe('')
    expect(valueIn(page, 'member_card')).toContain(`MCP server URL: ${ORIGIN}/mcp/member`)
    expect(valueIn(page, 'member_card')).toContain(`OAuth client ID: ${clientId}`)
    expect(await stored(clientId)).toEqual(
      defineClient({
        clientId,
        kind: 'member',
        name: 'Sketch Pad',
        description: 'Draws.',
        icon: 'pencil',
        redirectUris: [CALLBACK],
        scopes: ['account:read'],
        createdAt: T,
      }),
    )
    const tokens = await school.connect({ memberId: 'mei', clientId })
    expect(await school.isAlive(tokens.access_token)).toBe(true)
    expect(await school.audit.recent({ clientId, limit: 50 })).toContainEqual({
      at: T,
      type: 'oauth.client.created',
      clientId,
      actor: 'ines',
      subject: null,
      event: {
        at: T,
        type: 'oauth.client.created',
        clientId,
        clientName: 'Sketch Pad',
        actor: 'ines',
        requestId: null,
      },
    })
  })

  it('is in the audit log with the request of the page [LOG-09]', async () => {
    const arrived = { method: 'POST', target: NEW, isGone: () => false }
    const request = createRequests({ site: school.id, log: () => {} }).begin(arrived)
    const { clientId } = await request.run(() => create())
    expect(await school.audit.recent({ clientId, limit: 50 })).toMatchObject([
      { type: 'oauth.client.created', event: { requestId: request.id } },
    ])
  })

  it('shows the secret of a confidential one once, and never again', async () => {
    const { page, clientId, secret } = await create(CONFIDENTIAL)
    expect(secret.length).toBeGreaterThan(40)
    expect(page.text.split(secret)).toHaveLength(2)
    expect(await everythingShown(clientId)).not.toContain(secret)
    const tokens = await school.connect({ memberId: 'mei', clientId, secret })
    expect(await school.isAlive(tokens.access_token)).toBe(true)
    await expect(school.connect({ memberId: 'mei', clientId })).rejects.toThrow('invalid_client')
  })

  it('says what is wrong at every field, and loses nothing', async () => {
    const typed: FieldChanges = {
      name: 'M'.repeat(101),
      description: 'd'.repeat(301),
      icon: 'skull',
      auth_method: 'private_key_jwt',
      redirect_uris: `${CALLBACK}\r\n\r\n  http://evil.example/cb\r\nhttps://ok.example/cb#part\r\njavascript:alert(1)`,
      scope: ['account:read', 'courses:write', 'made:up'],
    }
    const before = await everything()
    const page = await ines.press(await ines.open(NEW), 'Create app', typed)
    expect(page.status).toBe(422)
    const text = textOf(page)
    for (const fault of [
      'Nothing was saved.',
      'Name : Enter a name of at most 100 characters',
      'Description : Enter at most 300 characters',
      'Icon : Choose one of the icons.',
      'Where it runs : Choose where the app runs.',
      'Apps for members can’t ask for one of these.',
      'One of these isn’t a permission of this school.',
      'Redirect addresses, line 3 : Use https:// and a host name in small letters.',
      'Redirect addresses, line 4 : This isn’t a complete address.',
      'Redirect addresses, line 5 : Use https:// and a host name',
      'Line 1 http://127.0.0.1:7777/callback OK',
    ])
      expect(text).toContain(fault)
    const again = (field: string): readonly string[] =>
      formWith(page, 'Create app')
        .filter(([name]) => name === field)
        .map(([, value]) => value)
    expect(again('name')).toEqual([typed['name']])
    expect(again('description')).toEqual([typed['description']])
    expect(again('redirect_uris')).toEqual([
      (typed['redirect_uris'] as string).replaceAll('\r\n', '\n'),
    ])
    expect(again('scope')).toEqual(['account:read'])
    expect(again('icon')).toEqual([])
    expect(await everything()).toEqual(before)
  })

  it('judges each address by itself, however many there are', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `https://app.example/${index}`)
    const page = await ines.press(await ines.open(NEW), 'Create app', {
      ...DRAFT,
      redirect_uris: [...lines, 'ftp://app.example'].join('\n'),
    })
    expect(textOf(page)).toContain('Enter at most 10 addresses.')
    expect(textOf(page)).toContain('Redirect addresses, line 13 : Use https:// and a host name')
    expect(textOf(page).match(/ OK /g)).toHaveLength(12)
  })

  it('adds ready addresses without saving or losing anything, and takes each of them', async () => {
    const before = await everything()
    let page = await ines.open(NEW)
    const typed = {
      name: 'Half',
      redirect_uris: 'https://mine.example/cb',
      scope: ['account:write'],
    }
    page = await ines.press(page, 'Claude', typed)
    expect([page.status, page.url.pathname]).toEqual([200, NEW])
    expect(page.text).not.toContain('Nothing was saved')
    for (const label of [
      'ChatGPT',
      'Visual Studio Code',
      'Cursor',
      'An app on this computer',
      'Claude',
    ])
      page = await ines.press(page, label)
    expect(await everything()).toEqual(before)
    const fields = Object.fromEntries(formWith(page, 'Create app'))
    expect(fields['name']).toBe('Half')
    expect(fields['scope']).toBe('account:write')
    const uris = fields['redirect_uris']!.split('\n')
    expect(uris[0]).toBe('https://mine.example/cb')
    expect(uris.at(-1)).toBe('http://127.0.0.1/callback')
    expect(uris).toContain('https://claude.ai/api/mcp/auth_callback')
    expect(uris).toContain('cursor://anysphere.cursor-mcp/oauth/callback')
    expect(new Set(uris).size).toBe(uris.length)
    expect(page.text).not.toContain('class="fault"')
    expect(uris).not.toContain('https://agents.acme.example/oauth/callback')
    const csrf_token = await csrfOf(ines)
    const odd = await ines.post(NEW, { ...DRAFT, preset: 'acme-agents', csrf_token })
    expect(await odd.text()).not.toContain('agents.acme.example')
  })

  it('shows a name that means harm as it is, and nothing else of it', async () => {
    const name = '</textarea><script>alert(1)</script>'
    const { page, clientId } = await create({ name, description: '"><img src=x onerror=alert(1)>' })
    for (const one of [
      page,
      await ines.open(pathOf(clientId)),
      await ines.open(pathOf(clientId, '/edit')),
    ])
      expect(one.text.replace(COPY_SCRIPT, '')).not.toMatch(/<script|<img/)
    expect((await stored(clientId)).name).toBe(name)
  })

  it('waits for MCP connections to be on [REG-29]', async () => {
    const form = await ines.open(NEW)
    await school.settings.setMcpConnections(false)
    expect((await ines.open(NEW)).url.pathname).toBe(LIST)
    const before = await everything()
    const page = await ines.press(form, 'Create app', DRAFT)
    expect(page.status).toBe(409)
    expect(textOf(page)).toContain('MCP connections are off. Turn them on first')
    expect(Object.fromEntries(formWith(page, 'Create app'))).toMatchObject({
      name: 'Sketch Pad',
      redirect_uris: CALLBACK,
      scope: 'account:read',
    })
    expect(await everything()).toEqual(before)
  })
})

describe('editing', () => {
  it('saves what was typed, and keeps what stays', async () => {
    const { clientId } = await create(CONFIDENTIAL)
    const before = await stored(clientId)
    const form = await ines.open(pathOf(clientId, '/edit'))
    expect(Object.fromEntries(formWith(form, 'Save changes'))).toMatchObject({
      name: 'Sketch Pad',
      description: 'Draws.',
      icon: 'pencil',
      redirect_uris: CALLBACK,
      scope: 'account:read',
      revision: '1',
    })
    const saved = await ines.press(form, 'Save changes', {
      name: 'Easel',
      description: '',
      icon: '',
      redirect_uris: 'https://easel.example/cb',
      scope: ['account:read', 'account:write'],
    })
    expect(saved.url.pathname + saved.url.search).toBe(`${pathOf(clientId)}?done=saved`)
    expect(textOf(saved)).toContain('Saved. Your changes apply right away')
    expect(await stored(clientId)).toEqual({
      ...before,
      name: 'Easel',
      description: null,
      icon: null,
      redirectUris: ['https://easel.example/cb'],
      scopes: ['account:read', 'account:write'],
      revision: 2,
    })
  })

  it('takes away at once what it no longer allows [ADM-06]', async () => {
    const { clientId } = await create({ scope: ['account:read', 'account:write'] })
    const { access_token } = await school.connect({
      memberId: 'mei',
      clientId,
      scope: 'openid account:read account:write',
    })
    expect(await school.renames(access_token)).toBe(200)
    const form = await ines.open(pathOf(clientId, '/edit'))
    expect(textOf(form)).toContain('1 person is connected now')
    await ines.press(form, 'Save changes', { scope: ['account:read'] })
    expect(await school.renames(access_token)).toBe(403)
    const detail = textOf(await ines.open(pathOf(clientId)))
    expect(detail).toContain('2 permissions')
    expect(detail).not.toContain('It cannot buy anything')
    expect(await school.isAlive(access_token)).toBe(true)
  })

  it('tells the second of two people who edit the same, and keeps what they typed', async () => {
    const { clientId } = await create()
    const tomasz = await school.browserOf('tomasz')
    const form = await ines.open(pathOf(clientId, '/edit'))
    const other = await tomasz.open(pathOf(clientId, '/edit'))
    await tomasz.press(other, 'Save changes', { name: 'Tomasz was here' })
    const told = await ines.press(form, 'Save changes', {
      name: 'Ines was here',
      redirect_uris: 'https://ines.example/cb',
    })
    expect(told.status).toBe(409)
    expect(textOf(told)).toContain('Someone else changed this app in the meantime.')
    expect((await stored(clientId)).name).toBe('Tomasz was here')
    expect(Object.fromEntries(formWith(told, 'Save changes'))).toMatchObject({
      name: 'Ines was here',
      redirect_uris: 'https://ines.example/cb',
      revision: '2',
    })
    const saved = await ines.press(told, 'Save changes')
    expect(saved.status).toBe(200)
    expect(await stored(clientId)).toMatchObject({ name: 'Ines was here', revision: 3 })
  })

  it('refuses what only an operator’s application may ask for, and a made-up revision', async () => {
    const { clientId } = await create()
    const csrf_token = await csrfOf(ines)
    const before = await everything()
    const path = pathOf(clientId, '/edit')
    const widened = { ...DRAFT, scope: ['account:read', 'orders:read'], revision: '1', csrf_token }
    const answer = await ines.post(path, widened)
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('Apps for members can’t ask for one of these.')
    for (const revision of ['', '0', '2', '-1', '1.0', '1e0', ' 1', '9'.repeat(30)])
      expect((await ines.post(path, { ...DRAFT, revision, csrf_token })).status).toBe(409)
    expect(await everything()).toEqual(before)
  })

  it('waits for MCP connections to be on, and loses nothing', async () => {
    const { clientId } = await create()
    const form = await ines.open(pathOf(clientId, '/edit'))
    await school.settings.setMcpConnections(false)
    const led = await ines.open(pathOf(clientId, '/edit'))
    expect(led.url.pathname).toBe(pathOf(clientId))
    expect(textOf(led)).toContain('MCP connections are off, so member apps don’t work.')
    expect(led.text).not.toMatch(/\/edit"|\/rotate"/)
    const page = await ines.press(form, 'Save changes', { name: 'Later' })
    expect(page.status).toBe(409)
    expect(Object.fromEntries(formWith(page, 'Save changes'))).toMatchObject({
      name: 'Later',
      revision: '1',
    })
    expect(await stored(clientId)).toMatchObject({ name: 'Sketch Pad', revision: 1 })
    await school.settings.setMcpConnections(true)
    await ines.press(page, 'Save changes')
    expect(await stored(clientId)).toMatchObject({ name: 'Later', revision: 2 })
  })

  it('has nothing to edit once somebody has deleted it', async () => {
    const { clientId } = await create()
    const form = await ines.open(pathOf(clientId, '/edit'))
    const client = await stored(clientId)
    await school.store.replaceClient({ ...client, revision: 2, deletedAt: T })
    expect((await ines.press(form, 'Save changes')).status).toBe(404)
  })
})

describe('secrets', () => {
  const rotate = async (clientId: string, overlapHours: string): Promise<ShownPage> =>
    ines.press(await ines.open(pathOf(clientId)), 'Create secret', {
      overlap_hours: overlapHours,
    })

  it('counts the old one until the overlap ends, and not a second longer', async () => {
    const { clientId, secret } = await create(CONFIDENTIAL)
    const connection = { memberId: 'mei', clientId }
    let { refresh_token } = await school.connect({ ...connection, secret })
    const page = await rotate(clientId, '1')
    const next = valueIn(page, 'client_secret')
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(textOf(page)).toContain('The old secret works until 20 Nov 2026, 10:00')
    expect(next).not.toBe(secret)
    for (const [at, old, current] of [
      [T, 200, 200],
      [T + HOUR - 1, 200, 200],
      [T + HOUR, 401, 200],
    ] as const) {
      school.clock.now = at
      for (const [one, expected] of [
        [secret, old],
        [next, current],
      ] as const) {
        const [status, successor] = await refreshed(clientId, refresh_token, one)
        expect([at - T, status]).toEqual([at - T, expected])
        refresh_token = successor
      }
    }
    expect(textOf(await ines.open(pathOf(clientId)))).not.toContain('Old secret Works until')
    school.clock.now = T + HOUR - 1
    expect(textOf(await ines.open(pathOf(clientId)))).toContain('Old secret Works until')
    school.clock.now = T
    const shown = await everythingShown(clientId)
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain(next)
    expect(textOf(await ines.open(pathOf(clientId)))).toContain('New secret created by Ines Duarte')
  })

  it('sets the last day of an app, and removes it again', async () => {
    const { clientId } = await create(CONFIDENTIAL)
    const page = await ines.open(pathOf(clientId))
    const set = await ines.press(page, 'Save the end', { ends_on: '2026-12-18' })
    expect(textOf(set)).toContain('The end is changed.')
    expect(textOf(set)).toContain('Ends 19 Dec 2026, 00:00')
    const removed = await ines.press(set, 'Save the end', { ends_on: '' })
    expect(textOf(removed)).not.toContain('Ends 19 Dec 2026')
  })

  it('ends the old one at once where no overlap is wanted, or when somebody says so', async () => {
    const { clientId, secret } = await create(CONFIDENTIAL)
    const { refresh_token } = await school.connect({ memberId: 'mei', clientId, secret })
    const first = valueIn(await rotate(clientId, '0'), 'client_secret')
    expect((await refreshed(clientId, refresh_token, secret))[0]).toBe(401)
    const second = valueIn(await rotate(clientId, '72'), 'client_secret')
    const [status, successor] = await refreshed(clientId, refresh_token, first)
    expect(status).toBe(200)
    const ended = await ines.press(await ines.open(pathOf(clientId)), 'End the old secret now')
    expect(textOf(ended)).toContain('The old secret no longer works.')
    expect((await refreshed(clientId, successor, first))[0]).toBe(401)
    expect((await refreshed(clientId, successor, second))[0]).toBe(200)
    expect(ended.text).not.toContain('end-old-secret')
  })

  it('makes none in other ways than its form has', async () => {
    const { clientId } = await create(CONFIDENTIAL)
    const { clientId: open } = await create()
    const csrf_token = await csrfOf(ines)
    const before = await everything()
    for (const overlap_hours of ['', '2', '-1', '73', '1e1', ' 1', '24.5', null])
      expect(
        (await ines.post(pathOf(clientId, '/rotate'), { csrf_token, overlap_hours })).status,
      ).toBe(303)
    expect(
      (await ines.post(pathOf(open, '/rotate'), { csrf_token, overlap_hours: '0' })).status,
    ).toBe(303)
    await school.settings.setMcpConnections(false)
    expect(
      (await ines.post(pathOf(clientId, '/rotate'), { csrf_token, overlap_hours: '0' })).status,
    ).toBe(303)
    await school.settings.setMcpConnections(true)
    expect(await everything()).toEqual(before)
  })
})

describe('stopping', () => {
  it('switches off at once for everybody, and on again as it was', async () => {
    const { clientId } = await create()
    const { access_token, refresh_token } = await school.connect({ memberId: 'mei', clientId })
    const question = await ines.open(pathOf(clientId, '/disable'))
    expect(textOf(question)).toContain('1 person loses access right away. All permissions are kept')
    const off = await ines.press(question, 'Turn off')
    expect(textOf(off)).toContain('Turned off. It no longer works for anyone.')
    expect(await school.isAlive(access_token)).toBe(false)
    expect((await refreshed(clientId, refresh_token))[0]).toBe(401)
    expect((await ines.open(pathOf(clientId, '/disable'))).url.pathname).toBe(pathOf(clientId))
    expect((await stored(clientId)).revision).toBe(2)
    const on = await ines.press(off, 'Turn on')
    expect(textOf(on)).toContain('It works again for everyone who is connected.')
    expect(await school.isAlive(access_token)).toBe(true)
    expect((await refreshed(clientId, refresh_token))[0]).toBe(200)
  })

  it('deletes for good, and only for whoever types the name', async () => {
    const { clientId } = await create({ name: 'Sketch <Pad> & Co.' })
    const { access_token, refresh_token } = await school.connect({ memberId: 'mei', clientId })
    let page = await ines.open(pathOf(clientId, '/delete'))
    for (const name of [
      '',
      'Sketch',
      'sketch <pad> & co.',
      clientId,
      'Sketch &lt;Pad&gt; &amp; Co.',
    ]) {
      page = await ines.press(page, 'Delete for good', { name })
      expect([name, page.status]).toEqual([name, 422])
      expect(textOf(page)).toContain('Nothing was deleted. Type the name again.')
      expect(Object.fromEntries(formWith(page, 'Delete for good'))['name']).toBe(name)
    }
    expect(await school.isAlive(access_token)).toBe(true)
    page = await ines.press(page, 'Delete for good', { name: ' Sketch <Pad> & Co. ' })
    expect(page.url.pathname + page.url.search).toBe(`${LIST}?done=deleted`)
    expect(textOf(page)).toContain('The app is deleted')
    expect(await school.isAlive(access_token)).toBe(false)
    expect((await refreshed(clientId, refresh_token))[0]).toBe(401)
    expect((await ines.open(pathOf(clientId))).status).toBe(404)
    expect(await school.audit.recent({ clientId, limit: 1 })).toMatchObject([
      { type: 'oauth.client.deleted', actor: 'ines', event: { clientName: 'Sketch <Pad> & Co.' } },
    ])
  })

  it('disconnects one person and leaves the others', async () => {
    const { clientId } = await create()
    const mei = await school.connect({ memberId: 'mei', clientId })
    school.clock.now = T + MINUTE
    const jonas = await school.connect({ memberId: 'jonas', clientId })
    const detail = await ines.open(pathOf(clientId))
    expect(textOf(detail)).toMatch(/Connected people 2 .*Jonas Brandt Since .*Mei-Ling Chou Since/)
    const after = await ines.press(detail, 'Disconnect Mei-Ling Chou')
    expect(textOf(after)).toContain('Disconnected. The app can no longer act for this person.')
    expect(await school.isAlive(mei.access_token)).toBe(false)
    expect((await refreshed(clientId, mei.refresh_token))[0]).toBe(400)
    expect(await school.isAlive(jonas.access_token)).toBe(true)
    const csrf_token = await csrfOf(ines)
    for (const subject of [null, '', 'mei', 'nobody', '\0', 'x'.repeat(9000)])
      await ines.post(pathOf(clientId, '/disconnect'), { csrf_token, subject })
    expect(await school.isAlive(jonas.access_token)).toBe(true)
    const log = await school.audit.recent({ clientId, limit: 50 })
    expect(log.filter(({ type }) => type === 'oauth.client.disconnected')).toMatchObject([
      { actor: 'ines', subject: 'mei' },
    ])
  })

  it('names people as this school knows them, suspended ones too', async () => {
    const { clientId } = await create()
    await school.connect({ memberId: 'mei', clientId })
    await school.connect({ memberId: 'jonas', clientId })
    await school.changePerson('mei', `name = 'Mei of this school', suspended = true`)
    await school.changePerson('jonas', 'name = null')
    const other = await openAreaSite(database)
    await other.changePerson('mei', `name = 'Mei of the other school'`)
    const text = textOf(await ines.open(pathOf(clientId)))
    expect(text).toContain('Mei of this school Since')
    expect(text).toContain('jonas@example.com Since')
    expect(text).not.toContain('other school')
  })

  it('disconnects everybody', async () => {
    const { clientId } = await create()
    const mei = await school.connect({ memberId: 'mei', clientId })
    const jonas = await school.connect({ memberId: 'jonas', clientId })
    const question = await ines.open(pathOf(clientId, '/disconnect-all'))
    expect(textOf(question)).toContain('2 people are disconnected right away.')
    const after = await ines.press(question, 'Disconnect everyone')
    expect(textOf(after)).toContain('Everyone is disconnected.')
    expect(textOf(after)).toContain('No one has connected it yet.')
    for (const { access_token } of [mei, jonas])
      expect(await school.isAlive(access_token)).toBe(false)
  })

  it('counts people and not grants, and lists the first fifty', async () => {
    const { clientId } = await create()
    const common = { clientId, scopes: ['account:read'], resource: ORIGIN, redirectUri: CALLBACK }
    for (let number = 0; number < 60; number++) {
      const hash = String(number).padStart(43, 'h')
      const grantId = `grant-${number}`
      const subject = `person-${number % 55}`
      const token = { tokenHash: hash, grantId, issuedAt: T, expiresAt: T + HOUR }
      await school.store.issueCode({
        pendingIdHash: null,
        consentKey: null,
        code: {
          ...common,
          subject,
          codeHash: hash,
          grantId,
          resourceSent: false,
          codeChallenge: hash,
          nonce: null,
          grantEndsAt: null,
          authTime: null,
          issuedAt: T,
          expiresAt: T + 60,
          redeemedAt: null,
        },
      })
      await school.store.redeemCode({
        codeHash: hash,
        redeemedAt: T,
        grant: {
          ...common,
          subject,
          grantId,
          createdAt: T,
          expiresAt: T + HOUR,
          revokedAt: null,
          revokedReason: null,
        },
        accessToken: { ...token, scopes: common.scopes, revokedAt: null },
        refreshToken: { ...token, rotation: null },
      })
    }
    const page = await ines.open(pathOf(clientId))
    expect(textOf(page)).toContain('Connected people 55 ')
    expect(page.text.match(/name="subject"/g)).toHaveLength(50)
    expect(textOf(page)).toContain('And 5 more.')
    expect(textOf(page)).toContain('Someone without a name')
    school.clock.now = T + HOUR
    expect(
      textOf(await school.browserOf('ines').then((browser) => browser.open(pathOf(clientId)))),
    ).toContain('Connected people 0 ')
  })
})

describe('documents', () => {
  beforeEach(async () => {
    await addApplications()
    school.documents = () => Response.json(NOTES_DOCUMENT)
  })

  const connectNotes = (scope: string) =>
    school.connect({
      memberId: 'tomasz',
      clientId: NOTES,
      redirectUri: 'https://notes.example/callback',
      scope,
    })

  it('may change what a reviewer ticks, once somebody reviews them', async () => {
    const page = await ines.open(pathOf(NOTES))
    expect(textOf(page)).toContain('No one at Lantern Street Drawing School has reviewed it.')
    const reviewed = await ines.press(page, 'Mark as reviewed', {
      scope: ['courses:write', 'posts:write'],
    })
    expect(reviewed.url.pathname + reviewed.url.search).toBe(`${pathOf(NOTES)}?done=reviewed`)
    expect(textOf(reviewed)).toContain('Document app Reviewed')
    expect(await stored(NOTES)).toMatchObject({
      scopes: ['courses:write', 'posts:write'],
      document: { reviewedAt: T },
    })
    const fields = formWith(reviewed, 'Save the review').filter(([name]) => name === 'scope')
    expect(fields.map(([, scope]) => scope).toSorted()).toEqual(['courses:write', 'posts:write'])
  })

  it('loses no tick where a review is refused', async () => {
    const page = await ines.open(pathOf(NOTES))
    const notes = await stored(NOTES)
    const document = { ...notes.document!, digest: 'another-digest' }
    await school.store.replaceClient({ ...notes, revision: 2, name: 'Renamed', document })
    const told = await ines.press(page, 'Mark as reviewed', { scope: ['courses:write'] })
    expect(told.status).toBe(409)
    expect(textOf(told)).toContain(
      'Nothing was saved. The document changed while you were reading.',
    )
    const fields = formWith(told, 'Mark as reviewed')
    expect(fields).toContainEqual(['scope', 'courses:write'])
    expect(fields).toContainEqual(['digest', 'another-digest'])
    const odd = await ines.press(told, 'Mark as reviewed', { scope: ['account:write'] })
    expect(odd.status).toBe(422)
    expect((await stored(NOTES)).scopes).toBe(null)
  })

  it('are blocked for everybody, and stay so until somebody unblocks them', async () => {
    const { access_token, refresh_token } = await connectNotes('openid courses:read')
    const question = await ines.open(pathOf(NOTES, '/block'))
    expect(textOf(question)).toContain('1 person is disconnected right away.')
    const blocked = await ines.press(question, 'Block')
    expect(textOf(blocked)).toContain('Blocked. Everyone is disconnected')
    expect(blocked.text).not.toContain('name="digest"')
    expect(await school.isAlive(access_token)).toBe(false)
    expect((await refreshed(NOTES, refresh_token))[0]).toBe(401)
    await expect(connectNotes('openid')).rejects.toThrow()
    const unblocked = await ines.press(blocked, 'Unblock')
    expect(textOf(unblocked)).toContain('Unblocked.')
    expect(await school.isAlive(access_token)).toBe(false)
  })

  it('are fetched again, and show what changed since their review', async () => {
    school.documents = () => Response.json({ ...NOTES_DOCUMENT, client_name: 'Margin Notes 2' })
    await ines.press(await ines.open(pathOf(NOTES)), 'Mark as reviewed', {
      scope: ['courses:write'],
    })
    const page = await ines.press(await ines.open(pathOf(NOTES)), 'Fetch again')
    expect(page.url.search).toBe('?done=fetched')
    expect(textOf(page)).toContain('Margin Notes 2 Document app Changed since review')
    expect(textOf(page)).toContain('It changed just now, after its review.')
    expect((await stored(NOTES)).scopes).toBe(null)
    const again = await ines.press(page, 'Mark as reviewed')
    expect(textOf(again)).not.toContain('after its review.')
  })

  describe('that say something of themselves', () => {
    const SAYING = {
      ...NOTES_DOCUMENT,
      client_uri: 'https://notes.example/"><b>about</b>',
      policy_uri: 'https://letters.example/privacy',
      logo_uri: 'https://notes.example/logo.png',
      contacts: ['Mei <mei@notes.example>'],
    }
    const LOGO = png(64, 64)
    const CONSENT = `/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: NOTES,
      redirect_uri: 'https://notes.example/callback',
      scope: 'openid courses:read',
      resource: ORIGIN,
      state: 'state-1',
      code_challenge: sha256Base64url('verifier'),
      code_challenge_method: 'S256',
    }).toString()}`
    let fetched: string[]
    beforeEach(async () => {
      fetched = []
      school.documents = () => Response.json(SAYING)
      school.logos = (url) => {
        fetched.push(url)
        return new Response(Buffer.from(LOGO), { headers: { 'content-type': 'image/png' } })
      }
      await ines.press(await ines.open(pathOf(NOTES)), 'Fetch again')
    })
    const review = async (): Promise<ShownPage> =>
      ines.press(await ines.open(pathOf(NOTES)), 'Mark as reviewed', { scope: ['courses:write'] })
    const logoOf = (page: ShownPage): string | null =>
      /<img class="app-logo" src="([^"]*)"/.exec(page.text)?.[1] ?? null

    it('are shown to managers as text, with the document that the school keeps', async () => {
      const page = await ines.open(pathOf(NOTES))
      expect(textOf(page)).toContain('Privacy policy https://letters.example/privacy')
      expect(textOf(page)).toContain('Contacts Mei &lt;mei@notes.example&gt;')
      expect(textOf(page)).toContain(
        '&quot;client_uri&quot;: &quot;https://notes.example/\\&quot;&gt;&lt;b&gt;about&lt;/b&gt;&quot;',
      )
      expect(page.text).not.toMatch(/href="https?:|<b>about|\ufffd/)
      expect(logoOf(page)).toBe(null)
      expect(fetched).toEqual([])
    })

    it('link to nothing, and show no logo, before a review [SAY-06]', async () => {
      const page = await ines.open(CONSENT)
      expect(textOf(page)).toContain('Privacy policy: letters.example, not the app’s own address')
      expect(textOf(page)).toContain('hasn’t checked these addresses')
      expect(page.text).not.toMatch(/href="https?:|mei@notes\.example/)
      expect([logoOf(page), fetched]).toEqual([null, []])
    })

    it('show their logo from a copy of the school after a review [SAY-09]', async () => {
      const reviewed = await review()
      expect(textOf(reviewed)).toContain('Reviewed. People who connect it see')
      expect(fetched).toEqual(['https://notes.example/logo.png'])
      const page = await ines.open(CONSENT)
      expect(page.text).toContain('href="https://letters.example/privacy"')
      const path = logoOf(page)!
      expect([path, logoOf(reviewed)]).toEqual([`/app-logos/${sha256Base64url(LOGO)}`, path])
      const image = await school.fetch(new Request(ORIGIN + path))
      expect([image.status, Object.fromEntries(image.headers)]).toEqual([
        200,
        {
          'content-type': 'image/png',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'same-origin',
          'cache-control': 'public, max-age=31536000, immutable',
        },
      ])
      expect(Buffer.from(await image.arrayBuffer())).toEqual(LOGO)
      expect(fetched).toHaveLength(1)
    })

    it.each(['', '/', '/x', `/${'x'.repeat(43)}`, '/../school.css', '/%00'])(
      'have no logo at /app-logos%s',
      async (path) => {
        await review()
        const { status } = await school.fetch(new Request(`${ORIGIN}/app-logos/${path}`))
        expect(status).toBe(404)
      },
    )

    it('are reviewed without a logo that cannot be used', async () => {
      await review()
      school.logos = () =>
        new Response('<svg onload="alert(1)"/>', { headers: { 'content-type': 'image/png' } })
      const again = await ines.press(await ines.open(pathOf(NOTES)), 'Save the review')
      expect(textOf(again)).toContain('but not its logo')
      expect([logoOf(again), logoOf(await ines.open(CONSENT))]).toEqual([null, null])
    })

    it('say what changed since the review, and lose links and logo until the next one [SAY-07]', async () => {
      await review()
      school.documents = () =>
        Response.json({
          ...SAYING,
          client_name: 'Margin Notes 2',
          policy_uri: 'https://evil.example/privacy',
        })
      const page = await ines.press(await ines.open(pathOf(NOTES)), 'Fetch again')
      expect(textOf(page)).toContain(
        'What changed since the review Name Was: Margin Notes Now: Margin Notes 2 Privacy policy Was: https://letters.example/privacy Now: https://evil.example/privacy',
      )
      const consent = await ines.open(CONSENT)
      expect(consent.text).not.toMatch(/href="https?:/)
      expect(logoOf(consent)).toBe(null)
      const again = await review()
      expect(textOf(again)).not.toContain('What changed since the review')
      expect((await ines.open(CONSENT)).text).toContain('href="https://evil.example/privacy"')
    })
  })

  it('say that a fetch failed, and nothing of why that only the operator may know', async () => {
    const before = await stored(NOTES)
    school.documents = () => {
      throw new Error('connect ECONNREFUSED 10.1.2.3:443')
    }
    const failed = await ines.press(await ines.open(pathOf(NOTES)), 'Fetch again')
    expect(failed.status).toBe(502)
    expect(textOf(failed)).toContain('We couldn’t fetch it.')
    const later = await ines.open(pathOf(NOTES))
    expect(textOf(later)).toContain('We couldn’t fetch it.')
    for (const { text } of [failed, later]) expect(text).not.toMatch(/10\.1\.2\.3|ECONNREFUSED/)
    school.documents = () =>
      Response.json({ ...NOTES_DOCUMENT, redirect_uris: ['https://evil.example/'] })
    expect((await ines.press(later, 'Fetch again')).status).toBe(502)
    expect(await stored(NOTES)).toEqual(before)
    school.documents = () => Response.json(NOTES_DOCUMENT)
    expect(textOf(await ines.press(later, 'Fetch again'))).not.toContain('We couldn’t fetch it')
  })

  it('stay in hand while MCP connections are off, as do apps on somebody’s computer', async () => {
    await school.settings.setMcpConnections(false)
    await ines.press(await ines.open(pathOf(NOTES)), 'Mark as reviewed', {
      scope: ['courses:write'],
    })
    expect(await stored(NOTES)).toMatchObject({ scopes: ['courses:write'] })
    await ines.press(await ines.open(pathOf('desk', '/disable')), 'Turn off')
    expect(await stored('desk')).toMatchObject({ disabled: true })
    await ines.press(await ines.open(pathOf('hub', '/delete')), 'Delete for good', { name: 'Hub' })
    expect(await school.store.findClient('hub')).toBe(null)
  })
})

describe('applications of the configuration', () => {
  it('are known as they stand there, whatever the store has under their names', async () => {
    const [pinned] = pinnedDocuments
    const { client_id: clientId } = pinned!.metadata as { client_id: string }
    const squatter = defineClient({
      clientId: 'claude',
      kind: 'member',
      name: 'Not Claude',
      redirectUris: [CALLBACK],
      createdAt: T,
    })
    await school.store.insertClient(squatter)
    const known = createKnownApplications({
      store: school.store,
      vendors,
      pinnedDocuments,
      now: () => T,
    })
    expect(await known.find('claude')).toMatchObject({
      isConfigured: true,
      client: { kind: 'vendor', name: 'Claude' },
    })
    const document = (await known.find(clientId))!
    expect(document).toMatchObject({ isConfigured: true, client: { kind: 'document' } })
    expect(stateOf(document.client)).toBe('unreviewed')
    expect(stateOf({ ...document.client, scopes: [] })).toBe('reviewed')
    expect(await known.use(document)).toEqual({ people: 0, lastUsedAt: null })
    expect(actionsOf(document, { enabled: true, now: T })).toEqual(['disconnect'])
    expect(namesIn(await ines.open(LIST))).not.toContain('Not Claude')
    expect((await ines.open(pathOf('claude', '/delete'))).status).toBe(404)
    const page = await ines.open(pathOf('claude'))
    expect(formsOf(page).filter((form) => !form.includes('Sign out'))).toEqual([])
  })

  it('can be disconnected from people, who are counted once [ADM-09]', async () => {
    const claude = { clientId: 'claude', redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
    const connect = (memberId: string) =>
      school.connect({ ...claude, memberId, scope: 'openid courses:read' })
    const [one, two, three] = [
      await connect('tomasz'),
      await connect('tomasz'),
      await connect('amara'),
    ]
    const page = await ines.open(pathOf('claude'))
    expect(textOf(page)).toContain('Connected people 2 ')
    expect(textOf(await ines.open(LIST))).toContain('Claude Platform Active 2 people connected')
    await ines.press(page, 'Disconnect Tomasz Wilk')
    for (const { access_token } of [one, two])
      expect(await school.isAlive(access_token)).toBe(false)
    expect(await school.isAlive(three.access_token)).toBe(true)
    const question = await ines.open(pathOf('claude', '/disconnect-all'))
    expect(textOf(question)).toContain('1 person is disconnected right away.')
    await ines.press(question, 'Disconnect everyone')
    expect(await school.isAlive(three.access_token)).toBe(false)
  })
})

describe('a reviewer', () => {
  it('sees what their role does not hold, and cannot tick it', () => {
    const [client] = demoDocumentClients(T)
    const choices = reviewOf(
      {
        scopes: schoolScopes,
        roles: { editor: { staff: true, scopes: ['courses:write'], managesClients: true } },
        inWords: createScopeWords({ scopes: schoolScopes, school: 'Lantern Street' }),
      },
      { ...STUDENT, roles: ['editor'] },
      { client: { ...client!, scopes: ['posts:write'] }, isConfigured: false },
      null,
    )
    const held = choices.filter(({ withinRole }) => withinRole).map(({ scope }) => scope)
    expect(held).toEqual(['courses:write'])
    expect(choices.filter(({ allowed }) => allowed).map(({ scope }) => scope)).toEqual([
      'posts:write',
    ])
    expect(choices.every(({ access }) => access === 'write')).toBe(true)
    expect(choices.some(({ scope }) => scope === 'account:write')).toBe(false)
  })
})

describe('the switch', () => {
  it('stops every member app at once, says for how many, and keeps everything', async () => {
    await addApplications()
    const { clientId } = await create()
    const mei = await school.connect({ memberId: 'mei', clientId })
    await school.connect({ memberId: 'mei', clientId: 'hub', secret: HUB_SECRET })
    await school.connect({ memberId: 'jonas', clientId: 'hub', secret: HUB_SECRET })
    await school.connect({ memberId: 'tomasz', clientId: 'desk', scope: 'openid courses:read' })
    const question = await ines.open(BETA)
    expect(textOf(question)).toContain('2 people are connected to 2 member apps')
    const off = await ines.press(question, 'Turn off')
    expect(off.url.pathname + off.url.search).toBe(`${LIST}?done=beta_off`)
    expect(textOf(off)).toContain('Member apps no longer work.')
    expect(textOf(off)).toContain('Hub Member app Paused 2 people connected')
    expect(off.text).not.toContain(`href="${NEW}"`)
    expect(await school.isAlive(mei.access_token)).toBe(false)
    await expect(school.connect({ memberId: 'mei', clientId })).rejects.toThrow()
    const on = await ines.press(off, 'Turn on')
    expect(textOf(on)).toContain('MCP connections are on.')
    expect(await school.isAlive(mei.access_token)).toBe(true)
    expect((await acts()).filter(({ type }) => type.startsWith('feature.'))).toEqual([
      { type: 'feature.enabled', feature: 'mcp_connections', actor: 'ines', at: T },
      { type: 'feature.disabled', feature: 'mcp_connections', actor: 'ines', at: T },
    ])
  })

  it.each([
    [true, 0],
    [false, 100],
  ])(
    'looks at no more apps and people than the page counts: disabled %s',
    async (disabled, counted) => {
      let [apps, grants] = [0, 0]
      const store = {
        listClients: (query: { limit: number }) =>
          Promise.resolve(
            Array.from({ length: query.limit }, () => ({
              client: { clientId: `app ${apps++}`, createdAt: T, disabled },
            })),
          ),
      }
      const known = {
        grants: (clientId: string, limit: number) =>
          Promise.resolve(
            Array.from({ length: limit }, () => ({
              grant: { subject: `${clientId} ${grants++}` },
            })),
          ),
      }
      const settings = { mcpConnections: () => Promise.resolve(true) }
      const page = await betaPlace({ store, known, settings, now: () => T } as unknown as Parts)
        .get!({
        pages: { beta: (view: object) => view },
        frame: {},
        show: (view: object) => view,
      } as unknown as Parameters<NonNullable<ReturnType<typeof betaPlace>['get']>>[0])
      expect(page).toEqual({ enabled: true, applications: counted, people: counted })
      expect(apps).toBeLessThanOrEqual(10_000)
      expect(grants).toBeLessThanOrEqual(100)
    },
  )

  it('is not moved by what is no position of it, nor noted where it does not move', async () => {
    const csrf_token = await csrfOf(ines)
    for (const enabled of [null, '', 'true', 'ON', 'on'])
      expect((await ines.post(BETA, { csrf_token, enabled })).status).toBe(303)
    expect(await school.settings.mcpConnections()).toBe(true)
    expect(await acts()).toEqual([])
  })

  it('can be pressed on the list of a school that never had it', async () => {
    await school.settings.setMcpConnections(false)
    const list = await ines.open(LIST)
    expect(textOf(list)).toContain('MCP connections Off')
    expect(textOf(list)).not.toContain('No apps yet')
    expect(textOf(await ines.press(list, 'Turn on'))).toContain('No apps yet')
  })
})
