import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, watchPage } from '../support/browser/chromium.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'

let demo: RunningExample
let browser: Browser
let domain: string

beforeAll(async () => {
  ;[demo, browser] = await Promise.all([
    startExpressExample({ environment: { HALLPASS_SCHOOLS: '1000' } }),
    launchChromium(),
  ])
  domain = `localhost:${new URL(demo.origin).port}`
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

/** Axe, and how far the page is wider than its window. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found = await axeViolations(page)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return over > 0 ? [...found, `${over} px over`] : found
}

async function openSchool(page: Page, name: string): Promise<void> {
  await page.getByLabel('Its name').fill(name)
  await page.getByRole('button', { name: 'Open it' }).click()
  await page.getByRole('heading', { name: `${name} is open` }).waitFor()
}

/** Sends a request from a page to its own origin. */
const asked = (page: Page, path: string, authorization: string): Promise<number> =>
  page.evaluate(
    async ([to, header]) => (await fetch(to!, { headers: { authorization: header! } })).status,
    [path, authorization],
  )

describe('a visitor of the demo in Chromium', () => {
  it('opens a school, connects an app there, and is a stranger at the next', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    const { problems } = await watchPage(page, (error) => error.includes('401'))
    await page.goto(demo.origin)
    await openSchool(page, 'School of Art')
    expect(new URL(page.url()).pathname).toBe('/schools/art')
    const line = `claude mcp add --transport http art http://art.${domain}/mcp`
    expect(await page.getByLabel('For Claude Code').inputValue()).toBe(line)
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('link', { name: `Go to art.${domain}` }).click()
    await page.getByRole('heading', { name: 'School of Art', level: 1 }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    const token = page.waitForResponse((response) => response.url().endsWith('/api/oauth/token'))
    await page.getByRole('button', { name: 'Connect a test client' }).click()
    await page.getByLabel('Password').fill('hallpass-demo')
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No one at School of Art has checked').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Signed in as Ada Okafor' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    const { access_token } = (await (await token).json()) as { access_token: string }
    const bearer = `Bearer ${access_token}`
    expect(await asked(page, '/courses', bearer)).toBe(200)

    await page.goto(`${demo.origin}/schools`)
    expect(await faultsOf(page)).toEqual([])
    await openSchool(page, 'School of Music')
    await page.getByRole('link', { name: `Go to music.${domain}` }).click()
    await page.getByRole('heading', { name: 'School of Music', level: 1 }).waitFor()
    expect(await asked(page, '/courses', bearer)).toBe(401)
    const hosts = (await context.cookies()).map((cookie) => cookie.domain)
    expect([...new Set(hosts)].sort()).toEqual(['127.0.0.1', 'art.localhost'])
    // The session of the other school is none here.
    await page.getByRole('button', { name: 'Connect a test client' }).click()
    await page.getByLabel('Password').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('is shown the way where no school is', async () => {
    const page = await browser.newPage()
    await page.goto(`http://nothing.${domain}/`)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Open one' }).click()
    await page.getByRole('heading', { name: 'Open a school of your own' }).waitFor()
    await page.getByRole('link', { name: 'School of Music' }).waitFor()
    await page.close()
  })
})

describe('the form', () => {
  /** Sends the form of a new page. */
  async function send(fields: Readonly<Record<string, string>>) {
    const visitor = createFormBrowser(demo.origin)
    return visitor.submit(await visitor.open('/schools'), fields)
  }

  it.each([
    ['a name of nothing but spaces', { name: ' ' }, 400],
    ['a name of 61 characters', { name: 'x'.repeat(61) }, 400],
    ['a name with a control character', { name: 'a\u0007b' }, 400],
    ['the token of another page', { name: 'Art', csrf_token: 'a.b' }, 403],
  ])('refuses %s', async (_, changes, status) => {
    expect((await send(changes)).status).toBe(status)
  })

  it('opens at most twenty schools of a network in an hour', async () => {
    const sent: string[] = []
    for (let tries = 0; tries < 21; tries++) {
      const { status, url } = await send({ name: 'Pottery' })
      sent.push(`${status} ${url.pathname}`)
    }
    // The tests before have opened some.
    expect(sent.slice(0, 3)).toEqual([
      '200 /schools/pottery',
      '200 /schools/pottery-2',
      '200 /schools/pottery-3',
    ])
    expect(sent.at(-1)).toBe('429 /schools')
  })

  it('is not at the other school of the demo', async () => {
    expect((await fetch(`${demo.kiln}/schools`)).status).toBe(404)
    expect(await (await fetch(demo.kiln)).text()).not.toContain('id="open"')
  })
})
