import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolationsAsItIs } from '../support/browser/axe.js'
import { launchChromium, signIn, watchPage } from '../support/browser/chromium.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'

let school: SharedExample
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  ;[school, browser] = await Promise.all([sharedExample(), launchChromium()])
  context = await browser.newContext()
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

/** What each tab that is prepared has in its result. */
const SHOWN_BY_TAB = {
  MyCourses: 'completedLectures',
  MyOrdersAndEvents: '"orders"',
  ChangeMyTimeZone: 'Asia/Taipei',
}
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] as const

describe('GraphiQL of the demo, in Chromium', () => {
  it('signs in as an app does, shows what the member has, and loads nothing from elsewhere', async () => {
    const page = await context.newPage()
    const { requested, problems } = await watchPage(page)
    const answers: Promise<unknown>[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/account/graphql')) answers.push(response.json())
    })

    await page.goto(`${school.origin}/account/graphiql`)
    await signIn(page, 'mei-ling.chou@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('.graphiql-execute-button').click()
    await page.locator('.result-window').getByText('Foundations of Drawing').waitFor()

    expect(problems).toEqual([])
    // Frames and workers of the page itself have the origin "null".
    expect([...requested].filter((origin) => origin !== 'null')).toEqual([school.origin])
    // Who is signed in, the schema that the editor asked for, and the query.
    expect(await Promise.all(answers)).toEqual([
      { data: { viewer: { name: 'Mei-Ling Chou', enrolledCourses: expect.anything() } } },
      { data: { __schema: expect.anything() } },
      { data: { viewer: expect.objectContaining({ name: 'Mei-Ling Chou' }) } },
    ])
    expect(await page.locator('#who').textContent()).toBe('Signed in as Mei-Ling ChouSign out')
    expect(await page.getByRole('navigation', { name: 'Site' }).getByRole('link').count()).toBe(7)
    expect(new URL(page.url()).searchParams.has('code')).toBe(false)
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage])')
    expect(kept).not.toMatch(/Bearer|graphiql-request/)
    await page.close()
  })

  it.each(['light', 'dark'] as const)(
    'has three tabs that work, and nothing for axe to find, in %s',
    async (colorScheme) => {
      const own = await browser.newContext({ colorScheme })
      const page = await own.newPage()
      await page.goto(`${school.origin}/account/graphiql`)
      await signIn(page, 'mei-ling.chou@example.com')
      // The two contexts share a member, who has allowed it in one of them before.
      await page
        .getByRole('button', { name: 'Allow' })
        .or(page.locator('.graphiql-tab'))
        .first()
        .waitFor()
      if (await page.getByRole('button', { name: 'Allow' }).isVisible())
        await page.getByRole('button', { name: 'Allow' }).click()
      const tabs = page.locator('.graphiql-tab-button')
      await tabs.first().waitFor()
      expect(await tabs.allTextContents()).toEqual(Object.keys(SHOWN_BY_TAB))
      for (const [name, shown] of Object.entries(SHOWN_BY_TAB)) {
        const tab = page.getByRole('button', { name, exact: true })
        // GraphiQL may ignore the first click on a tab after a run.
        await waitFor(async () => {
          if ((await tab.getAttribute('aria-current')) === 'true') return true
          await tab.click()
          return false
        })
        const result = page.locator('.result-window').getByText(shown).first()
        await waitFor(async () => {
          if (await result.isVisible()) return true
          await page.locator('.graphiql-execute-button').click()
          await result.waitFor({ timeout: 4000 })
          return true
        })
      }
      // GraphiQL chooses its colors when it starts.
      expect(await axeViolationsAsItIs(page, RULES)).toEqual([])
      await own.close()
    },
  )

  it('does not redeem a code that its tab did not ask for', async () => {
    const page = await context.newPage()
    const posted: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(request.url())
    })
    await page.goto(`${school.origin}/account/graphiql?code=somebodys&state=guessed`)
    await page.getByText('This sign-in did not start in this tab.').waitFor()
    expect(posted).toEqual([])
    await page.close()
  })

  it('has no other files', async () => {
    expect((await fetch(`${school.origin}/account/graphiql/secret`)).status).toBe(404)
  })
})
