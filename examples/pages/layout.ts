import { type Html, html } from './html.js'
import { artOf, markOf, stripOf } from './marks.js'
import type { Theme } from './style/palette.js'
import { languageOf } from './words/languages.js'
import type { Language } from './words/words.js'

/** A link in the bar of a wide page. */
export interface SiteLink {
  /** A path of this origin. */
  readonly href: string
  /** In English. */
  readonly label: string
}

/** The school that a page belongs to. */
export interface Site {
  readonly name: string
  readonly theme: Theme
  /** The reader's language. Default: English. */
  readonly language?: Language
  /** Further pages of your host, in the bar of each page for people who are signed in. Default: none. */
  readonly links?: readonly SiteLink[]
}

/**
 * Renders a whole page. It loads the icon, the stylesheet at `/assets/school.css`, and at most one more and one
 * script.
 *
 * @param options - `wide`: a layout for two columns, without the picture; `nav`: navigation for the bar
 *   of a wide page. `script` and `style`: the paths of a script and of a stylesheet of this site. `description`: a
 *   sentence for search engines. `refresh`: after how many seconds a browser without scripts loads the page again.
 */
export function page({
  site,
  title,
  body,
  wide = false,
  nav = null,
  script = null,
  style = null,
  description = null,
  refresh = null,
}: {
  site: Site
  title: string
  body: Html
  wide?: boolean
  nav?: Html | null
  script?: string | null
  style?: string | null
  description?: string | null
  refresh?: number | null
}): Html {
  const { tag, dir } = languageOf(site)
  return html`<!doctype html>
    <html lang="${tag}" dir="${dir}" data-site="${site.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${site.name}</title>
        ${description !== null && html`<meta name="description" content="${description}" />`}
        ${refresh !== null && html`<noscript><meta http-equiv="refresh" content="${String(refresh)}" /></noscript>`}
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
