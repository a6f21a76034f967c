import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, signIn } from '../support/browser/chromium.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'
import { listenForCallback } from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

let school: RunningExample
let browser: Browser

beforeAll(async () => {
  ;[school, browser] = await Promise.all([startExample(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

const DESK = 'https://desk.example/client.json'

/** Somebody at a page of the school, signed in there. Without script, at the width of a phone. */
async function visit(email: string, path: string): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 320, height: 640 },
  })
  const page = await context.newPage()
  await page.goto(school.origin + path)
  await signIn(page, email)
  return page
}

const authorizeAs = (clientId: string, redirectUri: string, scope: string): string =>
  authorizeUrl(school.origin, { client_id: clientId, redirect_uri: redirectUri, scope })

const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(school.origin + path, { method: 'POST', body: new URLSearchParams(fields) })

const asksAccount = (accessToken: string): Promise<Response> =>
  fetch(`${school.origin}/account/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { id } }' }),
  })

describe('an application of members, in Chromium without script at 320 px', () => {
  it('is made by the owner, allowed in part by a student, narrowed, and disconnected at once', async () => {
    const app = await listenForCallback()
    const owner = await visit('ines.duarte@example.com', '/oauth/applications/new')
    await owner.getByLabel('Name', { exact: true }).fill('Night Owl')
    await owner.getByLabel(/Redirect addresses/).fill('javascript:alert(1)')
    await owner.getByRole('checkbox', { name: /See your courses/ }).check()
    await owner.getByRole('checkbox', { name: /Change your name/ }).check()
    await owner.getByRole('radio', { name: /confidential/ }).check()
    const create = owner.locator('main').getByRole('button', { name: 'Create app' }).last()
    await create.click()
    expect(await owner.locator('main').innerText()).toContain('javascript:alert(1)')
    expect(await owner.getByLabel('Name', { exact: true }).inputValue()).toBe('Night Owl')
    await owner.getByLabel(/Redirect addresses/).fill('http://127.0.0.1/callback')
    await create.click()
    // The click ends when the request is sent, and the page is shown when it is answered.
    await waitFor(async () => /hps_[\w-]{43}/.test(await owner.content()))
    const shown = await owner.content()
    const [secret = ''] = /hps_[\w-]{43}/.exec(shown) ?? []
    const [clientId = ''] = /member_[\w-]{43}/.exec(shown) ?? []
    expect([secret.length, clientId.length]).toEqual([47, 50])

    const student = await visit('priya.nair@example.com', '/')
    await student.goto(authorizeAs(clientId, app.redirectUri, 'openid account:read account:write'))
    expect(await student.locator('main').innerText()).toContain('Made by your school')
    await student.getByRole('radio', { name: /Read only/ }).check()
    await student.getByRole('button', { name: 'Allow' }).click()
    const callback = await app.called
    app.close()
    const answer = await redeemAt(school.origin, callback.searchParams.get('code')!, {
      client_id: clientId,
      client_secret: secret,
      redirect_uri: app.redirectUri,
    })
    const tokens = (await answer.json()) as Record<string, string>
    expect(tokens['scope']).toBe('openid account:read')
    expect((await asksAccount(tokens['access_token']!)).status).toBe(200)

    await owner.goto(`${school.origin}/oauth/applications/${clientId}`)
    expect(await owner.content()).not.toContain(secret)
    expect(await owner.locator('main').innerText()).toContain('Priya Nair')

    await student.goto(`${school.origin}/oauth/authorized_applications`)
    expect(await student.locator('main').innerText()).toContain('Night Owl')
    await student.getByRole('link', { name: /Disconnect/ }).first().click() // prettier-ignore
    await student.locator('main').getByRole('button', { name: /Disconnect/ }).click() // prettier-ignore
    expect((await asksAccount(tokens['access_token']!)).status).toBe(401)
    const refreshed = await post('/api/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: secret,
      refresh_token: tokens['refresh_token']!,
    })
    expect(await refreshed.json()).toMatchObject({ error: 'invalid_grant' })
    await Promise.all([owner.context().close(), student.context().close()])
  })

  it('is stopped with all others by the switch of MCP connections, and comes back with it', async () => {
    const owner = await visit('ines.duarte@example.com', '/oauth/applications/beta')
    await owner.getByRole('button', { name: /Turn off/ }).click()
    const student = await visit('priya.nair@example.com', '/')
    const study = authorizeAs('study-buddy', 'http://127.0.0.1:7777/callback', 'account:read')
    const refused = await student.goto(study)
    expect(refused?.status()).toBe(400)
    expect(await student.locator('main').innerText()).toMatch(/turned off/i)
    await owner.goto(`${school.origin}/oauth/applications`)
    await owner.getByRole('button', { name: /Turn on/ }).click()
    await student.goto(study)
    expect(await student.locator('main').innerText()).toContain('Study Buddy')
    await Promise.all([owner.context().close(), student.context().close()])
  })
})

describe('a document, in Chromium', () => {
  it('may write what a reviewer ticked, and nothing once it is blocked', async () => {
    const path = `/oauth/applications/${encodeURIComponent(DESK)}`
    const owner = await visit('ines.duarte@example.com', path)
    const ask = async (scope: string): Promise<string> => {
      await owner.goto(authorizeAs(DESK, 'https://desk.example/callback', scope), {
        waitUntil: 'commit',
      })
      return owner.locator('main').innerText()
    }
    expect(await ask('openid courses:write')).toContain('Front Desk')
    await owner.goto(school.origin + path)
    await owner.getByRole('link', { name: /Block/ }).click()
    await owner.locator('main').getByRole('button', { name: /Block/ }).click()
    expect(await owner.locator('main').innerText()).toContain('Blocked')
    expect(await ask('openid courses:read')).toMatch(/turned off|blocked/i)
    await owner.context().close()
  })
})

describe('a lecturer, in Chromium', () => {
  it('is told that the role manages no applications', async () => {
    const lecturer = await visit('amara.obi@example.com', '/oauth/applications')
    expect(await lecturer.locator('main').innerText()).toMatch(/your role/i)
    await lecturer.context().close()
  })
})
