import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { textOf as wordsOf } from '../../support/http/markup.js'
import type { PageBrowser, ShownPage } from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite } from '../support/area.js'
import { T } from '../../support/school/school.js'

const PATH = '/oauth/applications/activity'
const DAY = 86_400

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
  const app = { kind: 'member', redirectUris: ['http://127.0.0.1:7777/callback'] } as const
  const scopes = ['account:read']
  for (const [clientId, name] of [
    ['buddy', 'Study Buddy'],
    ['hub', '=HYPERLINK("https://evil.example"),"Hub"'],
  ] as const)
    await school.store.insertClient(
      defineClient({ ...app, clientId, name, scopes, createdAt: T - DAY }),
    )
})

const textOf = (page: ShownPage): string => wordsOf(page.text)
const entriesIn = (page: ShownPage): number => page.text.split('class="log-when"').length - 1

describe('the activity of a school', () => {
  it('names who did what with which app, the newest first', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    school.clock.now = T + 60
    await ines.press(await ines.open('/oauth/applications/buddy'), 'Disconnect Mei-Ling Chou')
    const page = await ines.open(PATH)
    expect(textOf(page)).toMatch(
      /Disconnected · Mei-Ling Chou by Ines Duarte Study Buddy .*Connection completed · Mei-Ling Chou/,
    )
    expect(page.text).toContain('href="/oauth/applications/buddy"')
    expect((await ines.open('/oauth/applications')).text).toContain(`href="${PATH}"`)
    const app = await ines.open('/oauth/applications/buddy')
    expect(app.text).toContain(`href="${PATH}?search=buddy"`)
  })

  it('is searched by app, client ID, person, address and words', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    await school.connect({ memberId: 'jonas', clientId: 'hub' })
    await ines.press(await ines.open('/oauth/applications/hub'), 'Disconnect Jonas Brandt')
    for (const [search, is, isNot] of [
      ['study b', 'Study Buddy', 'Jonas'],
      ['HUB', 'Jonas Brandt', 'Study Buddy'],
      ['jonas br', 'Jonas Brandt', 'Mei-Ling'],
      ['mei@example', 'Mei-Ling Chou', 'Jonas'],
      ['disconn', 'Disconnected', 'Connection completed'],
      ['ines', 'by Ines Duarte', 'Mei-Ling'],
    ] as const) {
      const text = textOf(await ines.open(`${PATH}?search=${encodeURIComponent(search)}`))
      const list = text.slice(text.indexOf('Search '), text.indexOf('Download CSV'))
      expect([search, list]).toEqual([search, expect.stringContaining(is)])
      expect([search, list]).not.toEqual([search, expect.stringContaining(isNot)])
    }
    for (const search of [
      '%',
      '_',
      '%00nothing',
      "'; drop table school_audit; --",
      'x'.repeat(500),
    ])
      expect(textOf(await ines.open(`${PATH}?search=${encodeURIComponent(search)}`))).toContain(
        'Nothing matches.',
      )
  })

  it('is of a period, and goes on to older entries without leaving one out', async () => {
    for (let number = 0; number < 120; number++)
      await school.audit.record({
        type: 'feature.enabled',
        at: T - Math.floor(number / 7),
        feature: 'mcp_connections',
        actor: 'tomasz',
      })
    await school.audit.record({
      type: 'feature.disabled',
      at: T - 20 * DAY,
      feature: 'mcp_connections',
      actor: 'tomasz',
    })
    const counts: number[] = []
    let path: string | undefined = `${PATH}?days=7&search=tomasz`
    for (let page = 0; path !== undefined && page < 10; page++) {
      const shown = await ines.open(path)
      counts.push(entriesIn(shown))
      path = /href="([^"]*before=[^"]*)"/.exec(shown.text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(counts).toEqual([50, 50, 20])
    expect(entriesIn(await ines.open(`${PATH}?search=feature&days=30`))).toBe(0)
    const old = await ines.open(`${PATH}?search=tomasz&days=30&before=${T - DAY}.1`)
    expect(entriesIn(old)).toBe(1)
    for (const odd of ['before=x', 'before=1.2.3', 'days=-1', 'days=constructor'])
      expect((await ines.open(`${PATH}?${odd}`)).status).toBe(200)
  })

  it('is downloaded as CSV that no spreadsheet runs, and as JSON', async () => {
    await school.connect({ memberId: 'mei', clientId: 'hub' })
    await school.connect({ memberId: 'jonas', clientId: 'buddy' })
    const csv = await ines.open(`${PATH}?search=hub&format=csv`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="activity.csv"')
    expect(csv.headers.get('cache-control')).toBe('no-store')
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toBe('time,what,type,app,client_id,by,by_id,person,person_id,event')
    expect(lines.at(-1)).toBe('')
    expect(lines.slice(1, -1).length).toBeGreaterThan(1)
    for (const line of lines.slice(1, -1))
      expect(line).toContain('"\'=HYPERLINK(""https://evil.example""),""Hub""","hub"')
    expect(csv.text).not.toContain('Jonas')
    const json = await ines.open(`${PATH}?search=hub&format=json`)
    expect(json.headers.get('content-disposition')).toBe('attachment; filename="activity.json"')
    expect(JSON.parse(json.text)).toContainEqual({
      time: '2026-11-20T09:00:00.000Z',
      what: 'Connected',
      type: 'oauth.grant.created',
      app: '=HYPERLINK("https://evil.example"),"Hub"',
      client_id: 'hub',
      by: null,
      by_id: null,
      person: 'Mei-Ling Chou',
      person_id: 'mei',
      event: expect.objectContaining({ subject: 'mei', scopes: ['openid', 'account:read'] }),
    })
  })

  it('is for managers only, files too', async () => {
    await school.connect({ memberId: 'mei', clientId: 'buddy' })
    const mei = await school.browserOf('mei')
    for (const query of ['', '?format=csv', '?format=json']) {
      expect((await mei.open(PATH + query)).status).toBe(403)
      expect(textOf(await school.stranger().open(PATH + query))).toContain('Welcome back')
    }
  })
})
