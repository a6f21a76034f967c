import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Has axe read each color once. It reads those of every element behind every text, as if each were
 * another one, and takes a quarter of its time for that.
 */
const REMEMBER_COLORS = `{
  const { prototype } = axe.commons.color.Color
  const { parseString } = prototype
  const read = new Map()
  prototype.parseString = function (text) {
    if (read.has(text)) return Object.assign(this, read.get(text))
    const { r, g, b, alpha } = parseString.call(this, text)
    read.set(text, { r, g, b, alpha })
    return this
  }
}`

/**
 * What axe finds wrong with a page as it stands: by every rule in light, by those that look at colors
 * again in dark, since nothing else of a page depends on that.
 *
 * It costs least in a tab that keeps its window while `setContent` puts one page after another into
 * it: there axe is read once, and compiled as it is used.
 */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const [colorScheme, tags] of [
    ['light', null],
    ['dark', ['cat.color']],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(...(await axeViolationsAsItIs(page, tags)))
  }
  return found
}

/** What axe finds by the rules with one of these tags, or by all rules, without a change of the color scheme. */
export async function axeViolationsAsItIs(
  page: Page,
  tags: readonly string[] | null,
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(axe.source + REMEMBER_COLORS)
  return page.evaluate(async (values) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({
      ...(values !== null && { runOnly: { type: 'tag', values: [...values] } }),
      resultTypes: ['violations'],
      preload: false,
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
  }, tags)
}
