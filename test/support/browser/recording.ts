import type { Page } from 'playwright-core'

/** The headings and buttons of the page that is open, or of the walk on it, which are the same each time. */
export const shownOn = async (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...(document.querySelector('#walk') ?? document).querySelectorAll('h1, h2, h3, button')]
      .filter((one) => one.checkVisibility())
      .map((one) => (one.textContent ?? '').replaceAll(/\s+/g, ' ').trim()),
  )
