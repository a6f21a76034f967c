import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { attemptPage } from '../../../examples/pages/applications/attempt.js'
import { attemptsPage } from '../../../examples/pages/applications/attempts.js'
import type {
  AttemptRow,
  AttemptsView,
  AttemptView,
} from '../../../examples/pages/applications/views.js'
import { textOf } from '../../support/http/markup.js'
import type { PageBrowser } from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'

const LIST = '/oauth/applications/attempts'

let database: Database
let school: AreaSite
let ines: PageBrowser

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  ines = await school.browserOf('ines')
  await school.store.insertClient(
    defineClient({
      clientId: 'hub',
      kind: 'member',
      name: 'Hub',
      redirectUris: ['http://127.0.0.1:7777/callback'],
      scopes: ['account:read'],
      createdAt: T,
    }),
  )
})

const refused = (changes: Readonly<Record<string, string>> = {}): Promise<Response> => {
  const fields = { client_id: 'hub', redirect_uri: 'https://evil.example/cb', ...changes }
  const query = new URLSearchParams(fields).toString()
  return school.fetch(new Request(`${ORIGIN}/oauth/authorize?${query}`))
}

const idOf = (text: string): string => /att_[\w-]{16}/.exec(text)![0]

describe('connection attempts', () => {
  it('say on the error page what to give to the staff, who find it by that [ATT-11]', async () => {
    const page = await (await refused()).text()
    expect(textOf(page)).toContain('Attempt ID: give this to the school’s staff')
    const id = idOf(page)
    const found = await ines.open(`${LIST}?search=${id}`)
    expect([found.status, found.url.pathname]).toEqual([200, `${LIST}/${id}`])
    const words = textOf(found.text)
    expect(words).toContain('At its authorization request, “Hub” was refused.')
    expect(words).toContain('What to change: Send a registered redirect URI')
    expect(words).toContain('Whose turn it is: The people who make the app')
    expect(words).toContain('invalid_request / redirect_uri_not_registered')
    expect(words).toContain('https://evil.example')
    expect(found.text).toContain('href="/oauth/applications/hub"')
  })

  it('lead from their reason to the documentation, and so does the error page [ATT-17]', async () => {
    const link = 'href="https://hallpass.example/look-up/errors.html#redirect_uri_not_registered"'
    const page = await (await refused()).text()
    expect(page).toContain(link)
    expect((await ines.open(`${LIST}/${idOf(page)}`)).text).toContain(link)
  })

  it('are listed apart by what became of them, and by their app [ATT-11]', async () => {
    await refused()
    await refused({ client_id: 'nobody' })
    await school.connect({ memberId: 'mei', clientId: 'hub' })
    const words = async (query: string): Promise<string> => {
      const { text } = await ines.open(LIST + query)
      return textOf(text)
    }
    const all = await words('')
    expect(all).toMatch(/All 3 Tried to connect 2 Connecting now 0 Connected 1/)
    expect(await words('?outcome=connected')).not.toContain('was refused')
    expect(await words('?outcome=stopped')).not.toContain('has connected')
    const ofHub = await words('?client=hub')
    expect(ofHub).toMatch(/All 2 Tried to connect 1/)
    expect(ofHub).toContain('Only attempts of hub')
    expect(await words('?search=nobody')).toMatch(/All 1 /)
    expect(await words('?search=no-such-app')).toContain('No attempt matches')
    const list = await ines.open('/oauth/applications')
    expect(list.text).toContain(`href="${LIST}"`)
    const hub = await ines.open('/oauth/applications/hub')
    expect(hub.text).toContain(`href="${LIST}?client=hub"`)
  })

  it('continue on a next page [ATT-11]', async () => {
    for (let count = 0; count < 26; count++) {
      school.clock.now += 1
      await refused({ client_id: `app-${count}` })
    }
    const first = await ines.open(LIST)
    const next = /href="([^"]*before=[^"]*)"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    expect(textOf(first.text)).not.toContain('app-0 ')
    const second = await ines.open(next)
    expect(textOf(second.text)).toContain('app-0 ')
    expect(second.text).not.toContain('before=')
    expect((await ines.open(`${LIST}?before=nothing&outcome=x`)).status).toBe(200)
  })

  it('are for managers alone [ATT-12]', async () => {
    const id = idOf(await (await refused()).text())
    const mei = await school.browserOf('mei')
    for (const path of [LIST, `${LIST}/${id}`]) {
      const page = await mei.open(path)
      expect([page.status, page.text.includes(id)]).toEqual([403, false])
      const stranger = await school.stranger().open(path)
      expect(stranger.text).not.toContain('was refused')
    }
    expect((await ines.open(`${LIST}/att_AAAAAAAAAAAAAAAA`)).status).toBe(404)
    expect((await ines.open(`${LIST}/${id}/edit`)).status).toBe(404)
  })

  it('say so if there is none', async () => {
    const { text } = await ines.open(LIST)
    expect(textOf(text)).toContain('No app has tried to connect')
  })
})

const site = { name: 'Lantern Street Drawing School', theme: 'lantern' } as const
const HOSTILE = '<b>\u202Eevil`x'
const row: AttemptRow = {
  id: 'att_AAAAAAAAAAAAAAAA',
  name: HOSTILE,
  outcome: 'stopped',
  stage: 'authorize',
  reason: 'scope_missing',
  startedAt: T,
  sentence: `At its authorization request, ${HOSTILE} was refused. \`scope\` is missing.`,
  turn: 'client',
}
const frame = {
  csrfToken: 'csrf-1',
  person: { name: 'Tomasz Wilk', email: null, roles: ['manager'] },
  isAdmin: true,
  now: T,
  timeZone: 'Europe/Lisbon',
}

describe('the pages of attempts', () => {
  it('escape what an app sent, and isolate its direction [ATT-12]', () => {
    const list: AttemptsView = {
      ...frame,
      filter: { search: HOSTILE, outcome: null, clientId: HOSTILE },
      attempts: [row],
      counts: { stopped: 1, waiting: 0, connected: 0 },
      next: null,
    }
    const one: AttemptView = {
      ...frame,
      ...row,
      clientId: HOSTILE,
      isKnown: false,
      resource: HOSTILE,
      scopes: [HOSTILE],
      change: 'Send `scope`.',
      steps: [
        {
          at: T,
          stage: 'authorize',
          ok: false,
          error: 'invalid_scope',
          reason: 'scope_missing',
          requestId: 'req_1',
          detail: HOSTILE,
          network: null,
        },
      ],
    }
    for (const page of [attemptsPage({ site, view: list }), attemptPage({ site, view: one })]) {
      const text = String(page)
      expect(text).not.toContain('<b>')
      const loose = text.replace(/<bdi>[^<]*<\/bdi>/g, '').replace(/\s(?:value|href)="[^"]*"/g, '')
      expect(loose).not.toContain('\u202E')
      expect(text).toContain('<code>scope</code>')
    }
  })
})
