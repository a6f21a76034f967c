import { type Html, html } from '../../../../pages/html.js'
import type { SiteLink } from '../../../../pages/layout.js'
import { DEMO_PLACES } from '../../demo/places.js'

/** The pages for developers of a school that is not the demo. */
const PLACES: readonly SiteLink[] = [
  { href: '/', label: 'Front page' },
  { href: '/docs', label: 'API reference' },
  { href: '/auth.md', label: 'Getting access' },
  { href: '/openapi.json', label: 'OpenAPI' },
]

/**
 * Renders the links between the pages for developers.
 *
 * @param here - the path of the page
 * @param site - the school. Default: the demo
 */
export const siteNav = (
  here: string,
  { links = PLACES }: { readonly links?: readonly SiteLink[] } = { links: DEMO_PLACES },
): Html =>
  html`<nav class="places" aria-label="Site">
    ${links.map(
      ({ href, label }) =>
        html`<a href="${href}" ${href === here && html`aria-current="page"`}>${label}</a>`,
    )}
  </nav>`
