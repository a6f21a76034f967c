import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import {
  createPageBrowser,
  type PageBrowser,
  type ShownPage,
} from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'

const APPS = '/oauth/applications'
const DOCUMENT = 'https://desk.example/client.json'

let database: Database
let school: AreaSite

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
})

/** Opens a browser that prefers Traditional Chinese, in which somebody has signed in. */
async function inChinese(memberId: string): Promise<PageBrowser> {
  const browser = createPageBrowser({
    origin: ORIGIN,
    fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('accept-language', 'zh-TW')
      return school.fetch(new Request(request, { headers }))
    },
  })
  for (const [name, value] of (await school.browserOf(memberId)).cookies)
    browser.cookies.set(name, value)
  return browser
}

const isChinese = (page: ShownPage): boolean =>
  page.text.includes('<html lang="zh-Hant" dir="ltr"') &&
  /<h1>[^<]*(?:<|\p{sc=Han})/u.test(page.text)

const create = async (ines: PageBrowser): Promise<ShownPage> =>
  ines.press(await ines.open(`${APPS}/new`), '建立應用程式', {
    name: 'Sketch Pad',
    auth_method: 'client_secret_post',
    redirect_uris: 'https://sketch.example/callback',
    scope: ['account:read'],
  })

const idIn = ({ text }: ShownPage): string =>
  /id="client_id"[^>]*>\s*([^<]+)<\/textarea>/.exec(text)![1]!.trim()

describe('the admin area for a reader of another language', () => {
  it('is in that language on each of its pages [UX-18]', async () => {
    const ines = await inChinese('ines')
    const created = await create(ines)
    expect(created.text).toContain('Sketch Pad 已設定完成')
    await school.store.insertClient(
      defineClient({
        clientId: DOCUMENT,
        kind: 'document',
        name: 'Desk',
        redirectUris: ['https://desk.example/callback'],
        document: {
          digest: 'digest',
          fetchedAt: T,
          freshUntil: T + 60,
          firstSeenAt: T,
          reviewedAt: null,
          changedAt: null,
        },
        createdAt: T,
      }),
    )
    const app = `${APPS}/${idIn(created)}`
    const document = `${APPS}/${encodeURIComponent(DOCUMENT)}`
    const paths = [
      ...['', '/new', '/beta', '/attempts', '/activity', '/nothing'].map((path) => APPS + path),
      ...['', '/edit', '/disable', '/delete', '/disconnect-all', '/nothing'].map(
        (path) => app + path,
      ),
      ...['', '/block'].map((path) => document + path),
    ]
    for (const path of paths) expect([path, isChinese(await ines.open(path))]).toEqual([path, true])
  })

  it('says in that language what is wrong, and what was done', async () => {
    const ines = await inChinese('ines')
    const form = await ines.open(`${APPS}/new`)
    const faulty = await ines.press(form, '建立應用程式', {
      name: '',
      redirect_uris: 'http://sketch.example/callback',
      scope: [],
    })
    for (const words of ['沒有儲存任何內容。', '請使用 https:// 和小寫的主機名稱。', '第 1 行'])
      expect(faulty.text).toContain(words)
    const created = await create(ines)
    const app = await ines.open(`${APPS}/${idIn(created)}`)
    expect((await ines.press(app, '建立密鑰')).text).toContain('Sketch Pad 的新密鑰')
    const confirm = await ines.open(`${APPS}/${idIn(created)}/delete`)
    expect((await ines.press(confirm, '永久刪除', { name: 'Pad' })).text).toContain(
      '這不是它的名稱。',
    )
    await school.settings.setMcpConnections(false)
    expect((await ines.press(form, '建立應用程式', { name: 'Pad' })).text).toContain(
      'MCP 連接功能已關閉。請先開啟，再儲存一次。',
    )
  })

  it('says in that language how far an attempt to connect got, and marks what is in English', async () => {
    const ines = await inChinese('ines')
    const clientId = idIn(await create(ines))
    const ask = (fields: Readonly<Record<string, string>>): Promise<ShownPage> =>
      school
        .stranger()
        .open(`/oauth/authorize?${new URLSearchParams({ client_id: clientId, ...fields })}`)
    await ask({ redirect_uri: 'https://evil.example/cb' })
    await ask({
      redirect_uri: 'https://sketch.example/callback',
      response_type: 'code',
      scope: 'account:read',
      resource: ORIGIN,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'state',
    })
    school.clock.now += 20 * 60
    const { text } = await ines.open(`${APPS}/attempts`)
    expect(text).toContain('<p>它的要求遭拒絕</p>')
    expect(text).toContain('<p>已顯示登入頁面，但沒有人登入後返回。</p>')
    expect(text).toMatch(/<span lang="en" dir="ltr">At its authorization request, “<bdi>Sketch Pad/)
  })

  it('searches the log for words of that language, also in a file', async () => {
    const ines = await inChinese('ines')
    const created = await create(ines)
    await ines.press(await ines.open(`${APPS}/${idIn(created)}/disable`), '關閉')
    await school.deliverEvents()
    const file = await ines.open(
      `${APPS}/activity?search=${encodeURIComponent('已關閉')}&format=csv`,
    )
    const lines = file.text.trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('"已關閉","oauth.client.disabled","Sketch Pad"')
  })

  it('refuses in that language', async () => {
    const mei = await inChinese('mei')
    const refused = await mei.open(APPS)
    expect([refused.status, isChinese(refused)]).toEqual([403, true])
    expect(refused.text).toContain('您的角色不包含這項權限')
    const ines = await inChinese('ines')
    const again = await ines.open(`${APPS}/new`)
    const press = (): Promise<ShownPage> =>
      ines.press(again, '建立應用程式', {
        name: 'Twice',
        auth_method: 'client_secret_post',
        redirect_uris: 'https://sketch.example/callback',
        scope: ['account:read'],
      })
    expect((await press()).status).toBe(200)
    school.clock.now += 120
    expect((await press()).text).toContain('您已經送出過了')
    expect((await mei.open('/oauth/authorized_applications/nothing')).text).toContain(
      '這裡沒有任何內容',
    )
  })
})
