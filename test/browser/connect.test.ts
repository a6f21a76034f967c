import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, watchPage } from '../support/browser/chromium.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { listenForCallback } from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

// Every client on this computer appears on its page, so that of other files must be at another school.
let school: RunningExample
let browser: Browser

beforeAll(async () => {
  ;[school, browser] = await Promise.all([startExample(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

const register = (redirectUri: string): Promise<Response> =>
  fetch(`${school.origin}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Sketch Agent',
      redirect_uris: [redirectUri],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    }),
  })

describe('a visitor of the demo who connects a client of their own', () => {
  it('watches each step as it comes, and why a client is refused [UX-24]', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const { problems } = await watchPage(page)
    const box = page.locator('#live')
    const state = (name: string): Promise<void> =>
      page.locator(`#live[data-state="${name}"]`).waitFor()
    const steps = (): Promise<string[]> =>
      page
        .locator('.live-step')
        .evaluateAll((all) => all.map((one) => one.textContent.replaceAll(/\s+/g, ' ').trim()))

    await page.goto(school.origin)
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Connect yours .*Claude Code/ })
      .click()
    await state('ready')
    const lines = await page.getByLabel('Copy this').inputValue()
    const [address = ''] = /http:[^"]+/.exec(lines) ?? []
    expect(address).toMatch(/^http[^?]+\/mcp\/signed-in\?watch=[\w-]{22}$/)
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'I have run it' }).click()
    await state('waiting')

    expect((await fetch(address, { method: 'POST' })).status).toBe(401)
    await state('moving')
    expect(await steps()).toEqual(['Done: Called the school, and was asked to sign in'])

    expect((await register('https://agent.example/callback')).status).toBe(400)
    await state('refused')
    expect(await steps()).toContain(
      'Failed: Could not register invalid_redirect_uri / redirect_uri_not_loopback',
    )
    expect(await box.getByRole('link', { name: 'redirect_uri_not_loopback' }).count()).toBe(1)
    expect(await box.textContent()).toContain('What to change:')
    expect(await axeViolations(page)).toEqual([])

    await box.getByRole('link', { name: 'Watch another attempt' }).click()
    await state('waiting')
    const app = await listenForCallback()
    const { client_id: clientId } = (await (await register(app.redirectUri)).json()) as {
      client_id: string
    }
    await state('moving')
    const asked = { client_id: clientId, redirect_uri: app.redirectUri }
    const tab = await context.newPage()
    await tab.goto(authorizeUrl(school.origin, { ...asked, scope: 'openid courses:read' }))
    await tab.getByRole('button', { name: /^Ines/ }).click()
    await tab.getByRole('button', { name: 'Allow' }).click()
    const code = (await app.called).searchParams.get('code')!
    app.close()
    const { access_token: token } = (await (await redeemAt(school.origin, code, asked)).json()) as {
      access_token: string
    }
    await state('connected')
    await fetch(`${school.origin}/api/v1/courses`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await page.locator('.live-step', { hasText: 'Called the school with its token' }).waitFor()
    expect((await steps()).slice(-7)).toEqual([
      'Done: Registered',
      'Done: Asks for openid, courses:read',
      'Done: Opened the sign-in page',
      'Done: Asked you for its permissions',
      'Done: You pressed Allow',
      'Done: Exchanged the code for tokens',
      'Done: Called the school with its token',
    ])
    expect(await page.locator('#live-status').textContent()).toBe(
      'Sketch Agent is connected. Done: Called the school with its token',
    )
    expect(problems).toEqual([])
    await context.close()
  })

  it('does not look while nobody looks, and does at once when somebody does [UX-24]', async () => {
    const page = await browser.newPage()
    await page.clock.install()
    await page.goto(`${school.origin}/connect?wait=1`)
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/connect/steps')) asked++
    })
    const look = (hidden: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await look(true)
    const before = asked
    await page.clock.runFor(60_000)
    expect(asked).toBe(before)
    await Promise.all([page.waitForRequest(/\/connect\/steps/), look(false)])
    await page.close()
  })

  it('has a page that loads itself again without a script, but only while it waits', async () => {
    const [ready, waiting, box] = await Promise.all(
      ['/connect', '/connect?wait=1', '/connect/steps'].map(async (path) =>
        (await fetch(school.origin + path)).text(),
      ),
    )
    expect(ready).not.toContain('http-equiv')
    expect(waiting).toContain('<noscript><meta http-equiv="refresh" content="3" /></noscript>')
    expect(box).toMatch(/^<section\s+class="live"/)
  })
})
