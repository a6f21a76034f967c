import { type Html, html } from './html.js'
import { artOf, markOf, stripOf } from './marks.js'
import type { Theme } from './style/palette.js'

/** The school a page belongs to. */
export interface Site {
  readonly name: string
  readonly theme: Theme
}

/**
 * A whole page. Its only outside file is the stylesheet at `/assets/school.css`.
 *
 * @param options - `wide`: room for a page with two columns, without the picture; `nav`: ways to other
 *   pages, in the bar of a wide page
 */
export function page({
  site,
  title,
  body,
  wide = false,
  nav = null,
}: {
  site: Site
  title: string
  body: Html
  wide?: boolean
  nav?: Html | null
}): Html {
  return html`<!doctype html>
    <html lang="en" data-site="${site.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${site.name}</title>
        <link rel="stylesheet" href="/assets/school.css" />
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

/** A path of this origin as it is; the home page for anything that could lead elsewhere. */
export const localPath = (path: string): string =>
  /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/'

/** Text that somebody else chose. It keeps its own writing direction and changes nothing around it. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`
