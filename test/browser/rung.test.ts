import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, watchPage } from '../support/browser/chromium.js'
import { dataFolder } from '../support/processes/example-process.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
} from '../support/processes/project.js'

const folder = dataFolder()
let rung: RunningProject
let browser: Browser

beforeAll(async () => {
  const [started, launched] = await Promise.all([
    startExampleProject('server', { folder: folder.path }),
    launchChromium(),
  ])
  rung = started
  browser = launched
})
afterAll(async () => {
  await browser?.close()
  await rung?.stop()
  folder.remove()
})

/** Axe, and how far the page is wider than a small phone. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found = await axeViolations(page)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return over > 0 ? [...found, `${over} px over`] : found
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

describe('a created project in Chromium', () => {
  it('opens on a page that tries a client of its own, from registration to the claims', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 700 } })
    const { problems, requested } = await watchPage(page)
    let registrations = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/oauth/register')) registrations++
    })
    await page.goto(rung.origin)
    expect(await faultsOf(page)).toEqual([])

    await press(page, 'Connect a test client')
    await page.getByLabel('Password').fill('wrong')
    expect(await page.getByLabel('Email').inputValue()).toBe('owner@example.com')
    await press(page, 'Sign in')
    await page.getByRole('alert').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Password').fill(passwordOf(rung))
    await press(page, 'Sign in')
    await page.getByText('Not reviewed.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Allow')
    await page.getByRole('heading', { name: 'Signed in as Ada Okafor' }).waitFor()
    expect(page.url()).toBe(`${rung.origin}/`)
    const shown = await page.getByRole('status').innerText()
    for (const part of [rung.origin, 'owner@example.com', 'courses:read', 'Glazing'])
      expect(shown).toContain(part)
    expect(await faultsOf(page)).toEqual([])

    // The client is known: it is not registered again, also after a refusal.
    await press(page, 'Try it again')
    await press(page, 'Cancel')
    await page.getByText('It stopped: the person denied the request').waitFor()
    await press(page, 'Connect a test client')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(registrations).toBe(1)

    // A client that does not come back may be one that the server has forgotten.
    await page.goto(rung.origin)
    await press(page, 'Connect a test client')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(registrations).toBe(2)

    await page.goto(`${rung.origin}/?state=of-another-site&code=code&iss=${rung.origin}`)
    await page.getByText('does not belong to an attempt of this page').waitFor()
    expect([problems, [...requested]]).toEqual([[], [rung.origin]])
    await page.close()
  })
})
