import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, signIn } from '../support/browser/chromium.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { passTime, waitFor } from '../support/processes/wait.js'
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

  it('takes the address of an app in a terminal elsewhere from the page [UX-22]', async () => {
    const { page, problems } = await visitor({
      javaScriptEnabled,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const redirectUri = 'http://127.0.0.1:7777/callback'
    await page.goto(askFor(redirectUri))
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'My terminal is on another computer' }).click()
    const field = page.getByLabel('Address to paste')
    const address = await field.inputValue()
    const code = new URL(address).searchParams.get('code')!
    if (javaScriptEnabled) {
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByText('Copied.').waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
    } else {
      await field.click()
      await page.keyboard.press('ControlOrMeta+a')
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    }
    const answer = await redeemAt(school.origin, code, { redirect_uri: redirectUri })
    expect(answer.status).toBe(200)
    expect(problems.filter((one) => !one.endsWith('/favicon.ico'))).toEqual([])
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

describe('an app that a person allowed, in Chromium', () => {
  /** What the browser and its content policy had to say about a form. */
  async function answered(
    next: string,
    button: 'Allow' | 'Cancel',
  ): Promise<{ page: Page; problems: string[]; called: URL }> {
    const app = await listenForCallback('/callback', next)
    const { page, problems } = await visitor()
    await page.goto(askFor(app.redirectUri))
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: button }).click()
    const called = await app.called
    return { page, problems, called }
  }

  const blocked = (problems: readonly string[]): boolean =>
    problems.some((one) => /content security policy/i.test(one))

  it.each(['Allow', 'Cancel'] as const)(
    'may redirect on to another origin after %s [UX-17]',
    async (button) => {
      const elsewhere = await listenForCallback('/signed-in')
      const next = elsewhere.redirectUri.replace('127.0.0.1', 'localhost')
      const { page, problems } = await answered(next, button)
      await waitFor(() => page.url() === next || blocked(problems))
      expect(page.url()).toBe(next)
      expect(problems.filter((one) => !one.endsWith('/favicon.ico'))).toEqual([])
      elsewhere.close()
      await page.context().close()
    },
  )

  it('may redirect on to a scheme of its own [UX-17]', async () => {
    const next = 'study-buddy-desktop://signed-in'
    const { page, problems, called } = await answered(next, 'Allow')
    expect(called.searchParams.get('code')).toMatch(/^hpc_/)
    // What fails is that no program here has the scheme. The content policy blocks nothing.
    await waitFor(() => problems.includes(next))
    expect(blocked(problems)).toBe(false)
    await page.context().close()
  })

  it('may redirect on when the sign-in alone was missing, and the consent is remembered [UX-17]', async () => {
    const elsewhere = await listenForCallback('/signed-in')
    const next = elsewhere.redirectUri.replace('127.0.0.1', 'localhost')
    const app = await listenForCallback('/callback', next)
    for (const visit of ['first', 'second']) {
      const { page, problems } = await visitor()
      await page.goto(askFor(app.redirectUri, { client_id: 'portfolio-hub' }))
      await signIn(page, 'mei-ling.chou@example.com')
      if (visit === 'first') await page.getByRole('button', { name: 'Allow' }).click()
      await waitFor(() => page.url() === next || blocked(problems))
      expect(page.url()).toBe(next)
      await page.context().close()
    }
    app.close()
    elsewhere.close()
  })

  it('that opened the request in a popup is found by its callback [UX-21]', async () => {
    const app = await listenForCallback()
    const { page } = await visitor()
    const opener = await listenForCallback('/app')
    await page.goto(opener.redirectUri.replace('127.0.0.1', 'localhost'))
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`void (popup = window.open(${JSON.stringify(askFor(app.redirectUri))}))`),
    ])
    await signIn(popup, 'mei-ling.chou@example.com')
    const allow = popup.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    expect(await page.evaluate('popup.closed')).toBe(false)
    await allow.click()
    await popup.getByRole('heading', { name: 'Back in the app' }).waitFor()
    expect(await popup.evaluate('window.opener !== null')).toBe(true)
    await popup.evaluate('opener.postMessage(location.search, "*")')
    app.close()
    opener.close()
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
