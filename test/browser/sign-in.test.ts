import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, signIn } from '../support/browser/chromium.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { passTime } from '../support/processes/wait.js'
import { listenForCallback } from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

let school: SharedExample
let browser: Browser

beforeAll(async () => {
  ;[school, browser] = await Promise.all([sharedExample(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

const askFor = (redirectUri: string, more: Record<string, string> = {}): string =>
  authorizeUrl(school.origin, {
    redirect_uri: redirectUri,
    scope: 'openid profile email account:read',
    ...more,
  })

/** A page with an empty jar of cookies, that notes whatever its content policy stopped. */
async function visitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<{
  page: Page
  problems: string[]
}> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('requestfailed', (request) => problems.push(request.url()))
  return { page, problems }
}

describe.each([
  ['with script', true],
  ['without script', false],
])('a student in Chromium, %s', (_, javaScriptEnabled) => {
  it('signs in, allows an app and lands in it', async () => {
    const app = await listenForCallback()
    const { page, problems } = await visitor({ javaScriptEnabled })
    await page.goto(askFor(app.redirectUri))
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
    const callback = await app.called
    app.close()
    expect(callback.searchParams.get('state')).toBe('state-1')
    expect(callback.searchParams.get('iss')).toBe(school.origin)
    const answer = await redeemAt(school.origin, callback.searchParams.get('code')!, {
      redirect_uri: app.redirectUri,
    })
    expect(answer.status).toBe(200)
    expect(problems.filter((one) => !one.endsWith('/favicon.ico'))).toEqual([])
    await page.context().close()
  })

  it('is known to the school if the form of another site sends the request [AUTH-30]', async () => {
    const app = await listenForCallback()
    const { page } = await visitor({ javaScriptEnabled })
    await page.goto(askFor(app.redirectUri))
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    const begun = page.url()

    const request = new URL(askFor(app.redirectUri))
    const fields = [...request.searchParams].map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    )
    const body = `<form method="post" action="${request.origin}${request.pathname}">${fields.join('')}<button>Connect</button></form>`
    await page.route('http://app.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body }),
    )
    await page.goto('http://app.test/')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(page.url()).not.toBe(begun)

    // The request that the browser had begun before is still its own.
    await page.goto(begun)
    await page.getByRole('button', { name: 'Allow' }).click()
    expect((await app.called).searchParams.get('code')).toMatch(/^hpc_/)
    app.close()
    await page.context().close()
  })

  it('cancels, and the app hears of it', async () => {
    const app = await listenForCallback()
    const { page } = await visitor({ javaScriptEnabled })
    await page.goto(askFor(app.redirectUri))
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
    const callback = await app.called
    app.close()
    expect(callback.searchParams.get('error')).toBe('access_denied')
    expect(callback.searchParams.get('state')).toBe('state-1')
    await page.context().close()
  })
})

describe('the pages in Chromium', () => {
  it('work with the keyboard alone, and Enter on the consent page sends nothing by itself', async () => {
    const app = await listenForCallback()
    const { page } = await visitor()
    await page.goto(askFor(app.redirectUri))
    await page.getByLabel('Email').focus()
    await page.keyboard.type('mei-ling.chou@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('hallpass-demo')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    const consent = page.url()
    await page.keyboard.press('Enter')
    await passTime(200)
    expect(page.url()).toBe(consent)
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('Tab')
      if ((await page.locator(':focus').textContent())?.trim() === 'Allow') break
    }
    await page.keyboard.press('Enter')
    expect((await app.called).searchParams.has('code')).toBe(true)
    app.close()
    await page.context().close()
  })

  it('fit into 320 pixels without scrolling sideways', async () => {
    const { page } = await visitor({ viewport: { width: 320, height: 640 } })
    const overflow = (): Promise<number> =>
      page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    await page.goto(askFor('http://127.0.0.1:7777/callback'))
    expect(await overflow()).toBeLessThanOrEqual(0)
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.goto(`${school.origin}/oauth/authorize?client_id=nobody`)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.context().close()
  })

  it('cannot be framed by another origin [UX-02]', async () => {
    const { page } = await visitor()
    // A page of the school's own would not do: its policy lets it frame nothing.
    const elsewhere = await listenForCallback()
    await page.goto(elsewhere.redirectUri)
    await page.evaluate(
      `new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.onload = resolve
        frame.src = ${JSON.stringify(school.origin)}
        document.body.append(frame)
      })`,
    )
    const texts = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')))
    expect(texts.filter((text) => text.includes('Lantern Street'))).toEqual([])
    elsewhere.close()
    await page.context().close()
  })

  it('keep what was typed after a wrong password, and say one thing for every wrong pair', async () => {
    const { page } = await visitor()
    const alerts: (string | null)[] = []
    for (const email of ['mei-ling.chou@example.com', 'nobody@example.com']) {
      await page.goto(askFor('http://127.0.0.1:7777/callback'))
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill('not it')
      await page.getByRole('button', { name: 'Sign in' }).click()
      alerts.push(await page.getByRole('alert').textContent())
      expect(await page.getByLabel('Email').inputValue()).toBe(email)
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      expect(await page.content()).toContain('Study Buddy')
    }
    expect(alerts[0]).toBe(alerts[1])
    await page.context().close()
  })
})
