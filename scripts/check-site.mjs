// Looks at pages of the built site in Chromium, and asks its search.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { tsImport } from 'tsx/esm/api'

const load = (path) => tsImport(path, import.meta.url)
const { launchChromium } = await load('../test/support/browser/chromium.ts')
const { axeViolationsAsItIs } = await load('../test/support/browser/axe.ts')
const { miniSearch } = await load('../docs/.vitepress/search.ts')

/** Questions of people who do not know the words of this project, and the pages that have to be the first or second result. */
const QUESTIONS = {
  'write a store': ['do/store'],
  'how do I test': ['do/test-policy'],
  'verify PKCE': ['look-up/reference/policy/functions/verifyPkceS256'],
  JWT: ['learn/how-oauth-works', 'faq'],
  CORS: ['do/client-cannot-connect', 'faq'],
  cookie: ['do/existing-backend', 'faq'],
  'port in use': ['learn/tutorial', 'faq'],
  'Claude Code cannot connect': ['do/client-cannot-connect'],
  'add a scope': ['do/add-a-scope'],
  code_expired: ['look-up/errors'],
}

/** Pages of each kind, on which axe looks for faults. */
const SEEN = [
  'index.html',
  'do/frameworks.html',
  'look-up/reference/policy/functions/verifyPkceS256.html',
  'look-up/errors.html',
]

/** Finds which questions the search of the site does not answer. */
export async function searchFaults(site) {
  const chunks = join(site, 'assets/chunks')
  const name = (await readdir(chunks)).find((file) => file.startsWith('@localSearchIndexroot'))
  const { default: json } = await import(join(chunks, name))
  const index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: miniSearch.searchOptions,
    ...miniSearch.options,
  })
  return Object.entries(QUESTIONS).flatMap(([question, answers]) => {
    const found = index.search(question).map(({ id }) => id.replace(/\.html.*/, '').slice(1))
    return [...new Set(found)].slice(0, 2).some((page) => answers.includes(page))
      ? []
      : [`search "${question}": ${found.slice(0, 2).join(' and ')} before ${answers.join(' or ')}`]
  })
}

/**
 * Finds names that a table breaks, pages that are wider than the screen, and what axe finds.
 *
 * @param pages - the text of each page by its path
 */
export async function lookFaults(site, pages) {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    await page.route('**/*', (route) =>
      route.fulfill({ path: join(site, new URL(route.request().url()).pathname) }),
    )
    const faults = []
    for (const width of [1440, 390])
      for (const path of SEEN) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`http://site.example/${path}`, { waitUntil: 'networkidle' })
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (over > 0) faults.push(`${path} at ${width}: ${over} px too wide`)
        for (const scheme of ['light', 'dark']) {
          await page.evaluate((name) => (document.documentElement.className = name), scheme)
          // Nothing but colors depends on the scheme.
          const tags = scheme === 'light' ? null : ['cat.color']
          for (const fault of await axeViolationsAsItIs(page, tags))
            faults.push(`${path} at ${width}, ${scheme}: ${fault.slice(0, 300)}`)
        }
      }
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const [path, html] of pages) {
      const [, main] = /<main[^>]*>([^]*)<\/main>/.exec(html) ?? []
      if (main === undefined || !main.includes('<table')) continue
      const broken = await page.evaluate((text) => {
        document.querySelector('main').innerHTML = text
        return [...document.querySelectorAll('td code')]
          .filter((code) => code.textContent.length <= 40 && code.getClientRects().length > 1)
          .map(({ textContent }) => textContent)
      }, main)
      if (broken.length > 0) faults.push(`${path}: a table breaks ${broken.join()}`)
    }
    return faults
  } finally {
    await browser.close()
  }
}
