import type { Endpoint } from 'hallpass/authorization-server'
import { type Html, html } from '../../pages/html.js'
import { page, type Site } from '../../pages/layout.js'
import { pageResponse } from '../../pages/response.js'
import { wantsPage } from '../../pages/wants-page.js'
import { documentHtml, headingsIn } from './markdown.js'
import { siteNav } from './site-nav.js'

/**
 * Serves `/auth.md` to browsers as a page with the same text, and to clients as Markdown. Anchors are the
 * same in both, so `error_uri` leads to the row of the error.
 *
 * @param options - `markdown`: the endpoint that serves the text as Markdown
 */
export function createGuide({
  site,
  origin,
  text,
  markdown,
}: {
  site: Site
  origin: string
  text: string
  markdown: Endpoint
}): (request: Request) => Promise<Response> {
  let made: Html | null = null
  return async (request) => {
    const response = prefersPage(request)
      ? pageResponse((made ??= guidePage({ site, text })), { origin })
      : await markdown(request)
    response.headers.append('vary', 'Accept')
    return request.method === 'HEAD' ? new Response(null, response) : response
  }
}

// Agents that read Markdown may name HTML too, as their second choice.
const prefersPage = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) &&
  wantsPage(request) &&
  request.headers.get('accept')?.includes('text/markdown') === false

function guidePage({ site, text }: { site: Site; text: string }): Html {
  return page({
    site,
    title: 'Getting access',
    wide: true,
    style: '/docs/reference.css',
    nav: siteNav('/auth.md'),
    body: html`<div class="reference">
      <nav class="contents" aria-label="Contents">
        <p class="contents-group">On this page</p>
        <ul>
          ${headingsIn(text).map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
        </ul>
      </nav>
      <div class="prose guide">${documentHtml(text)}</div>
    </div>`,
  })
}
