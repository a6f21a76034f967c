import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { textOf as wordsOf } from '../../support/http/markup.js'
import {
  type FieldChanges,
  fieldsOf,
  formsOf,
  type PageBrowser,
  type ShownPage,
} from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN, PASSWORD } from '../support/area.js'
import { T } from '../../support/school/school.js'
import { codeSample, grantSample, hash, storeGrant } from '../../../src/store-contract/samples.js'

const LIST = '/oauth/authorized_applications'
const DISCONNECT = `${LIST}/disconnect`
const CALLBACK = 'http://127.0.0.1:7777/callback'
const DAY = 86_400

let database: Database
let school: AreaSite
/** The browser of Mei-Ling, a student. */
let mei: PageBrowser

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  mei = await school.browserOf('mei')
  await add({ clientId: 'buddy', name: 'Study Buddy', icon: 'book' })
  await add({ clientId: 'hub', name: 'Portfolio Hub' })
  await add({ clientId: 'desk', name: 'Desk CLI', kind: 'loopback', scopes: null })
})

const APP = defineClient({
  clientId: 'app',
  kind: 'member',
  name: 'App',
  redirectUris: [CALLBACK],
  scopes: ['account:read', 'account:write'],
  createdAt: T - DAY,
})
// Past `defineClient`: a store may hold what it would refuse.
const add = (client: Partial<Client>): Promise<unknown> =>
  school.store.insertClient({ ...APP, ...client })

const textOf = (page: ShownPage): string => wordsOf(page.text)
const askAbout = (clientId: string): string =>
  `${DISCONNECT}?client_id=${encodeURIComponent(clientId)}`
const csrfOf = async (browser: PageBrowser): Promise<string> => {
  const form = formsOf(await browser.open('/')).find((one) => one.includes('Sign out'))!
  return fieldsOf(form).find(([name]) => name === 'csrf_token')![1]
}

describe('the connected apps', () => {
  it('have pages of 50, and the last one for a page that is no longer there', async () => {
    const samples = Array.from({ length: 51 }, (_, index) => {
      const [clientId, grantId, codeHash] = [
        `app ${index}`,
        `grant ${index}`,
        hash(`code ${index}`),
      ]
      const code = codeSample({ clientId, grantId, codeHash, subject: 'mei' })
      const grant = grantSample({ clientId, grantId, subject: 'mei', createdAt: T - 100 + index })
      return {
        clientId,
        name: String(index),
        stored: { code, grant: { ...grant, expiresAt: T + DAY } },
      }
    })
    for (const { clientId, name, stored } of samples) {
      await add({ clientId, name: `No. ${name}` })
      await storeGrant(school.store, name, stored)
    }
    const appsOf = async (path: string): Promise<readonly [number, boolean, boolean]> => {
      const { text } = await mei.open(path)
      const links = ['Previous page', 'Next page'].map((label) => text.includes(label))
      return [text.match(/class="app"/g)!.length, links[0]!, links[1]!]
    }
    expect(await appsOf(LIST)).toEqual([50, false, true])
    expect(await appsOf(`${LIST}?page=2`)).toEqual([1, true, false])
    expect(await appsOf(`${LIST}?page=99`)).toEqual([1, true, false])
    expect(textOf(await mei.open(LIST))).toContain('51')
  })

  it('are what one person connected, each once, in words', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    school.clock.now = T + DAY
    await school.connect({ memberId: 'mei', clientId: 'buddy', scope: 'openid account:write' })
    await school.connect({ memberId: 'jonas', clientId: 'hub' })
    mei = await school.browserOf('mei')
    const text = textOf(await mei.open(LIST))
    expect(text).toContain('Study Buddy Made by your school, Lantern Street Drawing School Known')
    expect(text).toContain('Connected 20 Nov 2026, 09:00 Last used just now')
    expect(text).toContain('See your courses, where you stopped watching')
    expect(text).toContain('It cannot buy anything, request a refund or cancel a membership')
    expect(text).toContain('Recent activity')
    expect(text.match(/Study Buddy Made/g)).toHaveLength(1)
    expect(text).not.toContain('Portfolio Hub')
    expect(text).not.toContain('OAuth applications')
  })

  it('and home are in the language of the browser [UX-18]', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const headers = { 'accept-language': 'ar' }
    for (const path of [LIST, askAbout('buddy'), `${LIST}/disconnect-all`, '/']) {
      const { status, text } = await mei.open(path, headers)
      expect([path, status, /<html lang="ar" dir="rtl"/.test(text)]).toEqual([path, 200, true])
    }
    expect((await mei.open(LIST)).text).toContain('<html lang="en" dir="ltr"')
  })

  it('are none at first, and the page says how one comes there', async () => {
    const page = await mei.open(LIST)
    expect([page.status, textOf(page).includes('No apps connected')]).toEqual([200, true])
  })

  it('are those of operators too, for whoever works at the school', async () => {
    const scope = 'openid courses:read'
    await school.connect({ memberId: 'amara', clientId: 'desk', scope })
    const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
    await school.connect({ memberId: 'amara', clientId: 'claude', scope, redirectUri })
    const text = textOf(await (await school.browserOf('amara')).open(LIST))
    expect(text).toContain('Desk CLI An app on a computer. It chose its own name. Not reviewed')
    expect(text).toContain('Claude A known platform Known')
    expect(text).not.toContain('OAuth applications')
    const owner = await (await school.browserOf('ines')).open(LIST)
    expect(owner.text).toContain('href="/oauth/applications"')
  })

  it('say what is switched off, by itself or with all member apps', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const off = 'Turned off by Lantern Street Drawing School.'
    expect(textOf(await mei.open(LIST))).not.toContain(off)
    await school.settings.setMcpConnections(false)
    expect(textOf(await mei.open(LIST))).toContain(off)
    await school.settings.setMcpConnections(true)
    const client = (await school.store.findClient('buddy'))!
    await school.store.replaceClient({ ...client, disabled: true, revision: 2 })
    expect(textOf(await mei.open(LIST))).toContain(off)
  })

  it('keep a name that means harm inert', async () => {
    const clientId = '"><script>1</script>'
    await add({ clientId, name: '<img src=x>\u202e"\'' })
    await school.connect({ memberId: 'mei', clientId })
    let page = await mei.open(LIST)
    for (let step = 0; step < 3; step++) {
      expect(page.status).toBe(200)
      expect(page.text).not.toMatch(/<script|<img/)
      expect(page.text).toContain('&lt;img src=x&gt;')
      page = step === 0 ? await mei.open(askAbout(clientId)) : page
      if (step === 1) page = await mei.press(page, 'Disconnect')
    }
    expect(textOf(page)).toContain('is disconnected.')
  })
})

describe('the pages of signing in and out', () => {
  it('answer a GET: they sign in, ask before a sign-out, and change nothing [UX-13]', async () => {
    const stranger = school.stranger()
    const asked = await stranger.open('/sign-in')
    expect(textOf(asked)).toContain('Sign in')
    const { url } = await stranger.press(asked, 'Sign in', {
      email: 'mei@example.com',
      password: PASSWORD,
    })
    expect(url.pathname).toBe('/')
    expect((await stranger.open('/sign-in')).url.pathname).toBe('/')
    const question = await stranger.open('/sign-out')
    expect(textOf(question)).toContain('Sign out?')
    expect(textOf(question)).toContain('as Mei-Ling Chou')
    expect((await stranger.open(LIST)).text).toContain('Connected apps')
    await stranger.press(question, 'Sign out')
    expect((await stranger.open('/sign-out')).url.pathname).toBe('/sign-in')
    expect(textOf(await stranger.open(LIST))).toContain('Welcome back')
  })
})

describe('disconnecting', () => {
  it('asks, ends it at once, and says so as long as it is news', async () => {
    const { access_token, refresh_token } = await school.connect({
      memberId: 'mei',
      clientId: 'buddy',
    })
    const other = await school.connect({ memberId: 'jonas', clientId: 'buddy' })
    const question = await mei.open(askAbout('buddy'))
    expect(textOf(question)).toContain('Disconnect Study Buddy?')
    expect(await school.isAlive(access_token)).toBe(true)
    const after = await mei.press(question, 'Disconnect')
    expect(after.url.pathname + after.url.search).toBe(`${LIST}?done=buddy`)
    expect(textOf(after)).toContain('Study Buddy is disconnected.')
    expect(textOf(after)).toContain('No apps connected')
    expect(await school.isAlive(access_token)).toBe(false)
    const refresh = { grant_type: 'refresh_token', refresh_token, client_id: 'buddy' }
    expect((await school.token(refresh)).status).toBe(400)
    expect(await school.isAlive(other.access_token)).toBe(true)
    school.clock.now = T + 599
    expect(textOf(await mei.open(`${LIST}?done=buddy`))).toContain('Study Buddy is disconnected.')
    school.clock.now = T + 600
    expect(textOf(await mei.open(`${LIST}?done=buddy`))).not.toContain('is disconnected')
  })

  it('asks for consent again before it lets the app back in', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    await mei.press(await mei.open(askAbout('buddy')), 'Disconnect')
    expect(textOf(await mei.open(`${LIST}?done=buddy`))).toContain('Study Buddy is disconnected.')
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const back = textOf(await mei.open(`${LIST}?done=buddy`))
    expect(back).not.toContain('is disconnected')
    expect(back).toContain('Study Buddy Made by your school')
  })

  it('says nothing that an address alone says', async () => {
    await school.connect({ memberId: 'jonas', clientId: 'hub' })
    const jonas = await school.browserOf('jonas')
    await jonas.press(await jonas.open(askAbout('hub')), 'Disconnect')
    for (const done of ['hub', 'buddy', 'Your account', '%00', 'x'.repeat(5000), ''])
      expect(textOf(await mei.open(`${LIST}?done=${done}`))).not.toContain('is disconnected')
  })

  it('ends all at once for one person, after asking', async () => {
    const one = await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const listed = await mei.open(LIST)
    expect(listed.text).not.toContain('disconnect-all')
    const two = await school.connect({ memberId: 'mei', clientId: 'hub' })
    const other = await school.connect({ memberId: 'jonas', clientId: 'hub' })
    expect(textOf(await mei.open(LIST))).toContain('Disconnect all 2 apps…')
    const question = await mei.open(`${LIST}/disconnect-all`)
    expect(textOf(question)).toMatch(/Disconnect all apps\?.* (Study Buddy|Portfolio Hub)/)
    expect(await school.isAlive(one.access_token)).toBe(true)
    const after = await mei.press(question, 'Disconnect all')
    expect(textOf(after)).toContain('All your apps are disconnected.')
    expect(textOf(after)).toContain('No apps connected')
    for (const { access_token } of [one, two])
      expect(await school.isAlive(access_token)).toBe(false)
    expect(await school.isAlive(other.access_token)).toBe(true)
    const log = await school.audit.recent({ subject: 'mei', limit: 50 })
    expect(log.filter(({ type }) => type === 'oauth.client.disconnected')).toHaveLength(2)
    // With nothing connected there is nothing to ask.
    expect((await mei.open(`${LIST}/disconnect-all`)).url.pathname).toBe(LIST)
    const jonas = await school.browserOf('jonas')
    expect(textOf(await jonas.open(`${LIST}?none`))).not.toContain('All your apps are disconnected')
  })

  it('says nothing of what a manager ended', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const ines = await school.browserOf('ines')
    await ines.press(await ines.open('/oauth/applications/buddy'), 'Disconnect Mei-Ling Chou')
    const page = await mei.open(`${LIST}?done=buddy`)
    expect(textOf(page)).not.toContain('is disconnected')
    expect(textOf(page)).toContain('No apps connected')
  })

  it('is done once where two windows ask for it', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const question = await mei.open(askAbout('buddy'))
    await mei.press(question, 'Disconnect')
    expect(textOf(await mei.press(question, 'Disconnect'))).toContain(
      'Study Buddy is disconnected.',
    )
    const log = await school.audit.recent({ subject: 'mei', limit: 50 })
    expect(log.filter(({ type }) => type === 'oauth.client.disconnected')).toHaveLength(1)
  })

  it('needs the form of one’s own page, with nothing slipped in [UX-03]', async () => {
    const { access_token } = await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const csrf_token = await csrfOf(mei)
    const foreign = await csrfOf(await school.browserOf('jonas'))
    const status = async (
      fields: FieldChanges,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<number> =>
      (await mei.post(DISCONNECT, { client_id: 'buddy', ...fields }, headers)).status
    expect([
      await status({}),
      await status({ csrf_token: foreign }),
      await status({ csrf_token }, { 'sec-fetch-site': 'cross-site' }),
      await status({ csrf_token }, { origin: 'https://evil.example' }),
      await status({ csrf_token, subject: 'jonas' }),
      await status({ csrf_token, client_id: ['buddy', 'hub'] }),
    ]).toEqual([403, 403, 403, 403, 400, 400])
    expect(await school.isAlive(access_token)).toBe(true)
  })

  it('touches nobody else’s, and notes nothing where nothing was connected', async () => {
    const { access_token } = await school.connect({ memberId: 'jonas', clientId: 'hub' })
    const csrf_token = await csrfOf(mei)
    expect((await mei.open(askAbout('hub'))).status).toBe(404)
    for (const client_id of ['hub', 'nobody', '', '\0', null]) {
      const answer = await mei.post(DISCONNECT, { csrf_token, client_id })
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toMatch(/^\/oauth\/authorized_applications\?done=/)
    }
    expect(await school.isAlive(access_token)).toBe(true)
    const told = await school.audit.recent({ subject: 'mei', limit: 50 })
    expect(told.map(({ type }) => type)).toEqual(['session.signed_in'])
  })
})

describe('the way in', () => {
  it.each([LIST, askAbout('buddy')])('asks who is there and leads on to %s', async (path) => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const browser = school.stranger()
    const page = await browser.press(await browser.open(path), 'Sign in', {
      email: 'mei@example.com',
      password: PASSWORD,
    })
    expect([page.url.pathname + page.url.search, page.status]).toEqual([path, 200])
  })

  it('asks for nothing more, however old the sign-in', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    school.clock.now = T + 11 * 3600
    await mei.press(await mei.open(askAbout('buddy')), 'Disconnect')
    expect(textOf(await mei.open(LIST))).toContain('No apps connected')
  })

  it('is shut for somebody suspended', async () => {
    await school.changePerson('mei', 'suspended = true')
    expect(textOf(await mei.open(LIST))).toContain('Welcome back')
  })

  it('has nothing at other addresses, and names the methods that work', async () => {
    for (const path of [`${LIST}/`, `${LIST}/buddy`, `${DISCONNECT}/x`, DISCONNECT])
      expect([path, (await mei.open(path)).status]).toEqual([path, 404])
    const cases: readonly (readonly [string, string, string])[] = [
      ['POST', LIST, 'GET, HEAD'],
      ['DELETE', DISCONNECT, 'GET, HEAD, POST'],
    ]
    for (const [method, path, allow] of cases) {
      const answer = await school.fetch(new Request(ORIGIN + path, { method }))
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    }
  })
})
