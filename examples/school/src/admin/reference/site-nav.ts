import { type Html, html } from '../../../../pages/html.js'

const PLACES = [
  { path: '/', title: 'Front page' },
  { path: '/playground', title: 'Playground' },
  { path: '/docs', title: 'API reference' },
  { path: '/auth.md', title: 'Getting access' },
  { path: '/openapi.json', title: 'OpenAPI' },
] as const

/** Renders the links between the pages for developers. */
export const siteNav = (here: (typeof PLACES)[number]['path']): Html =>
  html`<nav class="places" aria-label="Site">
    ${PLACES.map(
      ({ path, title }) =>
        html`<a href="${path}" ${path === here && html`aria-current="page"`}>${title}</a>`,
    )}
  </nav>`
