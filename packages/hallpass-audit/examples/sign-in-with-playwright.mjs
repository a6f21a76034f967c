// How hallpass-audit signs in with a real browser, where pages need one: `npm install --save-dev playwright`, copy this
// file, and change what is marked. It takes seconds for each decision, so send what the scripts of your pages send if
// you can, as in sign-in-with-script.mjs.
//
//   npx hallpass-audit http://127.0.0.1:3000 --sign-in ./sign-in-with-playwright.mjs
import { chromium } from 'playwright'

/** @type {import('hallpass-audit').SignIn} */
export default {
  // CHANGE: two people of a test system who may allow what apps request.
  people: [
    { email: 'ines@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
    { email: 'yuki@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
  ],

  async answer({ browser, page, person, allow }) {
    const chrome = await chromium.launch()
    try {
      const context = await chrome.newContext()
      await context.addCookies(browser.cookies())
      const tab = await context.newPage()
      await tab.goto(page.url.href)

      // CHANGE: what a person does on your pages.
      const decision = tab.getByRole('button', { name: allow ? 'Allow' : 'Cancel' })
      const email = tab.getByLabel('Email')
      await decision.or(email).waitFor()
      if (await email.isVisible()) {
        await email.fill(person.email)
        await tab.getByLabel('Password').fill(person.password)
        await tab.getByRole('button', { name: 'Sign in' }).click()
      }
      // It ends with the request to the client, of which nothing listens.
      const isCallback = (request) => new URL(request.url()).origin !== page.url.origin
      const [callback] = await Promise.all([tab.waitForRequest(isCallback), decision.click()])

      // The audit continues as the person who is signed in now.
      browser.setCookies(await context.cookies())
      return browser.open(callback.url())
    } finally {
      await chrome.close()
    }
  },
}
