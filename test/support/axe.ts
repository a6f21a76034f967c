import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds wrong with a page as it stands: by every rule in light, by those that look at colors
 * again in dark, since nothing else of a page depends on that.
 */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found: string[] = []
  for (const [colorScheme, tags] of [
    ['light', null],
    ['dark', ['cat.color']],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(
      ...(await page.evaluate(async (values) => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({
          ...(values !== null && { runOnly: { type: 'tag', values: [...values] } }),
          resultTypes: ['violations'],
          preload: false,
        })
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
      }, tags)),
    )
  }
  return found
}
