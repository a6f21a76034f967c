import { type Html, html } from './html.js'
import { artOf, markOf, stripOf } from './marks.js'
import type { Theme } from './style/palette.js'
import { languageOf } from './words/languages.js'
import type { Language } from './words/words.js'

/** The school that a page belongs to. */
export interface Site {
  readonly name: string
  readonly theme: Theme
  /** The reader's language. Default: English. */
  readonly language?: Language
}

/**
 * Renders a whole page. It loads the icon, the stylesheet at `/assets/school.css`, and at most one more and one
 * script.
 *
 * @param options - `wide`: a layout for two columns, without the picture; `nav`: navigation for the bar
 *   of a wide page. `script` and `style`: the paths of a script and of a stylesheet of this site.
 */
export function page({
  site,
  title,
  body,
  wide = false,
  nav = null,
  script = null,
  style = null,
}: {
  site: Site
  title: string
  body: Html
  wide?: boolean
  nav?: Html | null
  script?: string | null
  style?: string | null
}): Html {
  const { tag, dir } = languageOf(site)
  return html`<!doctype html>
    <html lang="${tag}" dir="${dir}" data-site="${site.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${site.name}</title>
        ${ICON_LINK}
        <link rel="stylesheet" href="/assets/school.css" />
        ${style !== null && html`<link rel="stylesheet" href="${localPath(style)}" />`}
        ${script !== null && html`<script type="module" src="${localPath(script)}"></script>`}
      </head>
      <body>
        <div class="${wide ? 'frame frame-wide' : 'frame frame-split'}">
          <header class="brand">
            ${!wide && artOf(site.theme)}
            <p class="brand-name">
              ${markOf(site.theme)}<span>${site.name}</span>${
                wide && nav === null && stripOf(site.theme)
              }
            </p>
            ${nav}
          </header>
          <main class="main">${body}</main>
        </div>
      </body>
    </html>`
}

/** The icon of the school in the browser's tab. */
export const ICON_LINK: Html = html`<link
  rel="icon"
  type="image/svg+xml"
  href="/assets/mark.svg"
/>`

/** Returns a path of this origin unchanged, and `/` for anything that could lead to another origin. */
export const localPath = (path: string): string =>
  /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/'

/** Renders text from a person or an app. Its writing direction does not affect the text around it. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`
