import { type Palette, palettes } from './palette.js'
import { accountCss } from './account.js'
import { artCss } from './art.js'
import { baseCss } from './base.js'
import { pagesCss } from './pages.js'
import { partsCss } from './parts.js'

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const properties = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${kebab(name)}: ${colour};`)
    .join(' ')

const themes = Object.entries(palettes)
  .map(
    ([theme, { light, dark }]) => `
[data-site='${theme}'] { ${properties(light)} }
@media screen and (prefers-color-scheme: dark) { [data-site='${theme}'] { ${properties(dark)} } }`,
  )
  .join('')

/** The stylesheet of all pages, served as `/assets/school.css`. */
export const schoolCss = `${themes}
${baseCss}${partsCss}${pagesCss}${accountCss}${artCss}
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { transition: none !important; animation: none !important; }
}
@media (forced-colors: active) {
  .button, .notice, .badge, input:not([type='hidden'], .tick, .unseen) { border: 1px solid; }
  .icon-choice :checked + label { outline: 3px solid; }
}
@media print {
  :root { color-scheme: light; }
  [data-site] { --panel: transparent; --panel-deep: transparent; --panel-low: transparent; --panel-ink: var(--ink); --panel-line: var(--line); --glow: var(--link); }
  .frame, .frame-split { display: block; min-height: 0; }
  .art, .strip, .places, .button, .link-button, .consent-asks, .who { display: none; }
  .consent-who, .decision-near { position: static; }
  details::details-content { display: block; content-visibility: visible; }
}
`
