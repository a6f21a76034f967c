import { renderReport } from 'hallpass-audit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations } from '../../../test/support/browser/axe.js'
import { launchChromium } from '../../../test/support/browser/chromium.js'
import { fixedReport, hostileReport } from './fixed-report.js'

const fixed = renderReport(fixedReport, 'html', {
  accepted: { 'code/lifetime': 'Codes live for ten minutes.' },
})
let browser: Browser
let page: Page
let problems: string[] = []
beforeAll(async () => {
  browser = await launchChromium()
  page = await browser.newPage()
  page.on('console', (message) => problems.push(message.text()))
  page.on('dialog', (dialog) => {
    problems.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('requestfinished', (request) => problems.push(request.url()))
  page.on('requestfailed', (request) => problems.push(request.failure()!.errorText))
})
afterAll(() => browser.close())

async function open(html: string): Promise<void> {
  problems = []
  await page.setContent(html)
}
const evaluate = <Value>(script: string): Promise<Value> => page.evaluate(script)
/** The text of all elements that a selector finds. */
const texts = (selector: string): Promise<readonly string[]> =>
  evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent.trim())`) // prettier-ignore

describe('the page of a report', () => {
  it('has first what needs work, open, then the subjects, and what is held, folded', async () => {
    await open(fixed)
    expect(await texts('h1')).toEqual(['One requirement is violated, and one recommendation'])
    expect(await texts('h2')).toEqual([
      'Violated 2',
      'Not reached 2',
      'Subjects',
      'Accepted 1',
      'Advice 1',
      'Held 3',
      'Not applicable 1',
      'Clients left there 1',
    ])
    expect((await texts('header dd')).at(-1)).toBe(
      '1 client and 2 grants that could not be revoked',
    )
    expect(await texts('tbody th')).toEqual([
      'metadata',
      'pkce',
      'code',
      'introspection',
      'headers',
    ])
    expect(await texts('tbody tr:nth-child(2) td')).toEqual(['·', '2', '1', '·', '·', '1'])
    expect(await texts('tfoot td')).toEqual(['3', '2', '1', '1', '1', '2'])
    expect(await texts('.violated[open] > summary > code')).toEqual(['pkce/wrong-verifier', 'pkce/plain-not-named']) // prettier-ignore
    expect(await texts('.violated:first-of-type dd')).toEqual([
      'a wrong verifier is answered by 200 without an error, not by invalid_grant',
      'Store the challenge with the code, and compare the SHA-256 of the verifier with it in constant time.',
      'RFC 7636 §4.6',
    ])
    expect(await texts('.violated:first-of-type pre')).toEqual([
      fixedReport.rows[3]!.request,
      fixedReport.rows[3]!.answer,
    ])
    expect(await texts('.not-reached[open] .checks code')).toEqual(['pkce/missing-verifier', 'code/used-twice']) // prettier-ignore
    expect(await texts('.folded:not([open]) li > code')).toHaveLength(6 + 1)
    expect(await texts('.beyond')).toEqual(['1 check needs --sign-in'])
  })

  it('is readable for everyone, light and dark', async () => {
    await open(fixed)
    await evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await axeViolations(page)).toEqual([])
  })

  it.each([320, 390, 768, 1200])('fits %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    for (const html of [fixed, renderReport(hostileReport, 'html')]) {
      await open(html)
      await evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
      expect(await evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })

  it('opens on paper what needs work, and leaves the rest folded', async () => {
    await open(fixed)
    await evaluate('for (const one of document.querySelectorAll("details")) one.open = false')
    const seen = (selector: string): Promise<boolean> =>
      evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].every((one) => one.checkVisibility())`) // prettier-ignore
    expect(await seen('.row pre')).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect(await seen('.row pre')).toBe(true)
    expect(await seen('.folded li')).toBe(false)
    const ink = 'getComputedStyle(document.querySelector("h1")).color'
    expect(await evaluate(ink)).toBe('rgb(0, 0, 0)')
    await page.emulateMedia({ media: 'screen' })
  })

  it('runs and loads nothing, whatever a server says', async () => {
    await open(renderReport(hostileReport, 'html'))
    expect(await texts('script, img, iframe, object, link, [onerror], [onmouseover]')).toEqual([])
    const hrefs = await evaluate<readonly string[]>('[...document.links].map(({ href }) => href)')
    expect(hrefs.filter((href) => !href.startsWith('https://www.rfc-editor.org/'))).toEqual([])
    const found = await texts('.violated dd')
    expect(found[0]).toContain('<script>alert(1)</script><img src=x onerror=alert(1)>"\'')
    expect(problems).toEqual([])
    // If an answer became HTML all the same, the policy of the page would refuse what it asks for.
    await evaluate('document.body.insertAdjacentHTML("beforeend", "<img src=https://evil.example/x.png onerror=alert(1)>")') // prettier-ignore
    await evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
    expect(
      problems.some((one) => one.includes('violates the following Content Security Policy')),
    ).toBe(true)
    expect(problems.filter((one) => !/Content Security Policy|^csp$/.test(one))).toEqual([])
  })
})
