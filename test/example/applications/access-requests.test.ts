import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccessRequests } from '../../../examples/school/src/applications/access-requests.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { textOf as wordsOf } from '../../support/http/markup.js'
import type { PageBrowser, ShownPage } from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite } from '../support/area.js'
import { T } from '../../support/school/school.js'

const APPS = '/oauth/applications'
const ASK = '/oauth/authorized_applications/ask'
const DAY = 86_400

let database: Database
let school: AreaSite
let mei: PageBrowser
let ines: PageBrowser

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  for (const [clientId, name] of [
    ['desk', 'Desk CLI'],
    ['till', 'Till'],
  ] as const)
    await school.store.insertClient(
      defineClient({
        clientId,
        kind: 'loopback',
        name,
        redirectUris: ['http://127.0.0.1/callback'],
        createdAt: T - DAY,
      }),
    )
  ;[mei, ines] = [await school.browserOf('mei'), await school.browserOf('ines')]
})

const textOf = (page: ShownPage): string => wordsOf(page.text)
const ask = async (browser: PageBrowser, clientId = 'desk'): Promise<ShownPage> =>
  browser.press(await browser.open(`${ASK}?client_id=${clientId}`), 'Ask')

describe('a person whose role does not allow an app', () => {
  it('is led from the consent page to the request for it [ADM-10]', async () => {
    const page = await mei.open(
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: 'desk',
        redirect_uri: 'http://127.0.0.1:7777/callback',
        scope: 'openid courses:read',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        state: 'state',
      })}`,
    )
    expect(page.text).toContain(`<a href="${ASK}?client_id=desk">ask the school’s owner</a>`)
    const asking = await mei.open(`${ASK}?client_id=desk`)
    expect(textOf(asking)).toContain('see your name and this app for 30 days')
  })

  it('asks, and those who manage apps see it until they dismiss it [ADM-10]', async () => {
    expect(textOf(await ines.open(APPS))).not.toContain('asks for')
    expect(textOf(await ask(mei))).toContain('You asked for Desk CLI.')
    const list = await ines.open(APPS)
    expect(textOf(list)).toMatch(/Mei-Ling Chou \(Student\) asks for Desk CLI ?, just now/)
    const after = await ines.press(list, 'Dismiss the request of Mei-Ling Chou')
    expect(textOf(after)).toContain('The request is dismissed.')
    expect(textOf(after)).not.toContain('asks for')
    // Her page is again that of a person who never asked.
    expect(textOf(await mei.open('/oauth/authorized_applications?asked=desk'))).not.toContain(
      'You asked',
    )
  })

  it('has one request for each app, however often they ask', async () => {
    await ask(mei)
    school.clock.now = T + 60
    await ask(mei)
    await ask(mei, 'till')
    const text = textOf(await ines.open(APPS))
    expect(text.match(/asks for Desk CLI/g)).toHaveLength(1)
    expect(text.match(/asks for Till/g)).toHaveLength(1)
  })

  it('asks for an app for staff that exists, and for no other', async () => {
    for (const query of [
      '',
      '?client_id=',
      '?client_id=nothing',
      '?client_id=%00',
      '?client_id=%C3%A9',
    ])
      expect((await mei.open(ASK + query)).status, query).toBe(404)
    await school.store.insertClient(
      defineClient({
        clientId: 'buddy',
        kind: 'member',
        name: 'Study Buddy',
        redirectUris: ['http://127.0.0.1/callback'],
        scopes: ['account:read'],
        createdAt: T,
      }),
    )
    expect((await mei.open(`${ASK}?client_id=buddy`)).status).toBe(404)
    expect(textOf(await mei.open('/oauth/authorized_applications?asked=desk'))).not.toContain(
      'You asked',
    )
  })

  it('cannot see or dismiss requests, and a stranger signs in first', async () => {
    await ask(mei)
    const jonas = await school.browserOf('jonas')
    expect((await jonas.open(APPS)).status).toBe(403)
    expect(
      (await jonas.post(`${APPS}/requests`, { member_id: 'mei', client_id: 'desk' })).status,
    ).toBe(403)
    expect(textOf(await ines.open(APPS))).toContain('asks for Desk CLI')
    expect(textOf(await school.stranger().open(`${ASK}?client_id=desk`))).toContain('Sign in')
  })

  it('asks in the language of the browser [UX-18]', async () => {
    for (const language of ['ar', 'zh-Hant']) {
      const { text } = await mei.open(`${ASK}?client_id=desk`, { 'accept-language': language })
      expect(text).toContain(`<html lang="${language}"`)
      expect(text).toContain('Desk CLI')
    }
  })
})

describe('the requests for apps', () => {
  const requests = () => createAccessRequests({ execute: database.execute, site: school.id })

  it('are at most twenty of each person, the last ones, and gone with the person', async () => {
    for (let number = 0; number < 25; number++)
      await requests().ask({ memberId: 'mei', clientId: `app-${number}`, at: T + number })
    await requests().ask({ memberId: 'jonas', clientId: 'desk', at: T })
    const open = await requests().open(100)
    expect(open.map(({ clientId }) => clientId).slice(0, 2)).toEqual(['app-24', 'app-23'])
    expect(open).toHaveLength(21)
    expect(await requests().open(5)).toHaveLength(5)
    await school.eraseMember('mei')
    expect((await requests().open(100)).map(({ memberId }) => memberId)).toEqual(['jonas'])
  })

  it('are deleted after 30 days, by the clock of the database at most', async () => {
    await requests().ask({ memberId: 'mei', clientId: 'desk', at: T })
    await requests().purge(T + 30 * DAY)
    expect(await requests().open(9)).toHaveLength(1)
    await requests().purge(T + 30 * DAY + 1)
    expect(await requests().open(9)).toEqual([])
  })
})
