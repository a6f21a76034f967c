import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium, watchPage } from '../support/chromium.js'
import { type SharedExample, sharedExample } from '../support/example.js'

let school: SharedExample
let browser: Browser
let context: BrowserContext
let page: Page
let requested: Set<string>
let problems: readonly string[]

beforeAll(async () => {
  ;[school, browser] = await Promise.all([sharedExample(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  ;({ requested, problems } = await watchPage(page))
})
afterEach(() => context.close())

/** Opens the reference and one of its operations. */
async function openOperation(): Promise<Locator> {
  await page.locator('#operations-tag-courses').click()
  const operation = page.locator('.opblock', { hasText: 'List courses' })
  await operation.getByRole('button').first().click()
  await operation.getByText('Parameters', { exact: true }).waitFor()
  return operation
}

async function signIn(email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('hallpass-demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const width = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth')

describe('the reference of the admin API, in Chromium', () => {
  it('can be read by everybody on a small screen too, and tried by nobody who has not signed in', async () => {
    await page.setViewportSize({ width: 320, height: 800 })
    await page.goto(`${school.origin}/docs`)
    await page.locator('.opblock-tag').first().waitFor()
    expect(await width()).toBe(320)
    const operation = await openOperation()
    expect(await width()).toBe(320)
    await operation.getByText('"description_html": "string"').waitFor()
    expect(await operation.getByRole('button', { name: 'Try it out' }).count()).toBe(0)
    expect(await page.locator('.authorization__btn:visible, .auth-wrapper:visible').count()).toBe(0)
    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
  })

  it('lets staff sign in as an app does and try an operation on what the school has', async () => {
    await page.goto(`${school.origin}/docs`)
    await signIn('ines.duarte@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page
      .getByText('You are signed in. You can try every operation of the admin API.')
      .waitFor()
    expect(page.url()).toBe(`${school.origin}/docs`)

    const operation = await openOperation()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    const answered = page.waitForResponse(`${school.origin}/api/v1/courses?*`)
    await operation.getByRole('button', { name: 'Execute', exact: true }).click()
    expect((await answered).status()).toBe(200)
    await operation.locator('.live-responses-table').getByText('Foundations of Drawing').waitFor()

    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage])')
    expect(kept).toBe('[{},{}]')
  })

  it('tells a student that this is for staff', async () => {
    await page.goto(`${school.origin}/docs`)
    await signIn('mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Sign in again to try it.').waitFor()
    expect(await page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true)
  })
})
