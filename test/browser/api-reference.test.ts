import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, signIn, watchPage } from '../support/browser/chromium.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'

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
  ;({ requested, problems } = await watchPage(page, (text) => text.includes('with a status of 4')))
})
afterEach(() => context.close())

const operation = (id: string): Locator => page.locator(`[id="${id}"]`)

/** Opens the reference with one of its operations. */
async function open(id: string): Promise<Locator> {
  await page.goto(`${school.origin}/docs#${id}`)
  await page.locator('#sign-in:visible').waitFor()
  await operation(id).getByRole('button', { name: 'Send' }).waitFor()
  return operation(id)
}

const send = (one: Locator): Promise<void> => one.getByRole('button', { name: 'Send' }).click()
const allow = (): Promise<void> => page.getByRole('button', { name: 'Allow' }).click()
const signedIn = (): Promise<void> => page.getByText('You are signed in.').waitFor()
const width = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth')
const kept = (): Promise<string> => page.evaluate('JSON.stringify([localStorage, sessionStorage])')

describe('the reference of the admin API, in Chromium', () => {
  it('can be read by everybody on a small screen too, and without its script', async () => {
    const quiet = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 320, height: 800 },
    })
    const reader = await quiet.newPage()
    await reader.goto(`${school.origin}/docs`)
    await reader.getByText('Change a course', { exact: true }).click()
    await reader.getByText('curl', { exact: true }).and(reader.locator(':visible')).waitFor()
    expect(await reader.getByRole('button').count()).toBe(0)
    await quiet.close()

    await page.setViewportSize({ width: 320, height: 800 })
    await open('courses.update')
    expect(await width()).toBe(320)
    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
  })

  it('has nothing for axe to find, in light and dark, with an operation open', async () => {
    await open('courses.create')
    await page.getByText('TypeScript', { exact: true }).and(page.locator(':visible')).click()
    expect(await axeViolations(page)).toEqual([])
  })

  it('has a guide where axe finds nothing, which fits a small screen', async () => {
    await page.setViewportSize({ width: 320, height: 800 })
    await page.goto(`${school.origin}/auth.md#error-invalid_grant`)
    expect(await page.locator(':target').count()).toBe(1)
    expect(await width()).toBe(320)
    expect(await axeViolations(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await axeViolations(page)).toEqual([])
  })

  it('finds operations by words of their titles, paths and scopes', async () => {
    await open('courses.list')
    await page.getByLabel('Find an operation').fill('coupons:write post')
    await page.getByText('2 matches').waitFor()
    expect(await operation('coupons.create').isVisible()).toBe(true)
    expect(await operation('coupons.list').isVisible()).toBe(false)
    await page.getByLabel('Find an operation').fill('')
    expect(await operation('coupons.list').isVisible()).toBe(true)
  })

  it('lets staff sign in as an app does: for reads first, and for a write when they try one', async () => {
    await open('courses.list')
    await page.locator('#sign-in').click()
    await signIn(page, 'ines.duarte@example.com')
    expect(await page.getByText('Makes changes').count()).toBe(0)
    await allow()
    await signedIn()
    expect(page.url()).toBe(`${school.origin}/docs`)
    await page.evaluate("location.hash = 'courses.list'")
    await send(operation('courses.list'))
    await operation('courses.list').locator('.result').getByText('"crs_').first().waitFor()
    // A value of "false" is sent like any other.
    const asked = page.waitForRequest('**/api/v1/courses?*q=false*')
    await operation('courses.list').getByLabel('q optional', { exact: true }).fill('false')
    await send(operation('courses.list'))
    await asked

    await page.evaluate("location.hash = 'coupons.create'")
    const create = operation('coupons.create')
    await create
      .getByLabel('Body', { exact: true })
      .fill('{ "code": "MINE", "name": "Kept", "kind": "percentage" }')
    await send(create)
    await create.getByText('Your access does not include').waitFor()
    await create.getByRole('button', { name: 'Ask for coupons:write' }).click()
    await page.getByText('Makes changes').first().waitFor()
    await allow()
    await signedIn()
    // What was entered is still there. It is not sent again on its own.
    expect(page.url()).toBe(`${school.origin}/docs#coupons.create`)
    expect(await create.getByLabel('Body', { exact: true }).inputValue()).toContain('"Kept"')
    await send(create)
    await create.locator('.result').getByText('/amount').first().waitFor()
    await create
      .getByLabel('Body', { exact: true })
      .fill('{ "code": "MINE", "name": "Kept", "kind": "percentage", "amount": "5" }')
    await send(create)
    await create.locator('.result').getByText('"would_change"').waitFor()

    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
    expect(await kept()).toBe('[{},{}]')
  })

  it('sends the person who tries without a sign-in to one, and keeps what they entered', async () => {
    const one = await open('courses.get')
    await one.getByLabel('id', { exact: true }).fill('crs_l02')
    await send(one)
    await signIn(page, 'ines.duarte@example.com')
    await allow()
    await signedIn()
    expect(await one.getByLabel('id', { exact: true }).inputValue()).toBe('crs_l02')
    await send(one)
    await one.locator('.result').getByText('"crs_l02"').waitFor()
    expect(await kept()).toBe('[{},{}]')
  })

  it('says so if there is no answer in time', async () => {
    await page.clock.install()
    const one = await open('courses.list')
    await page.locator('#sign-in').click()
    await signIn(page, 'ines.duarte@example.com')
    await allow()
    await signedIn()
    await page.evaluate("location.hash = 'courses.list'")
    await page.route('**/api/v1/courses*', () => undefined)
    await send(one)
    await page.clock.fastForward(31_000)
    await one.getByText('There was no response in 30 seconds.').waitFor()
    expect(await one.getByRole('button', { name: 'Send' }).isVisible()).toBe(true)
  })

  it('tells a student that this is for staff', async () => {
    await open('courses.list')
    await page.locator('#sign-in').click()
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Sign in again to try it.').waitFor()
    expect(await page.locator('#sign-in').isVisible()).toBe(true)
    expect(await kept()).toBe('[{},{}]')
  })
})
