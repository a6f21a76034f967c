import type { Endpoint } from 'hallpass/authorization-server'
import { type Html, html } from '../../../../pages/html.js'
import { page, type Site } from '../../../../pages/layout.js'
import { pageResponse } from '../../../../pages/response.js'
import { wantsPage } from '../../pages/wants-page.js'
import { markdownDocument } from './markdown.js'
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
  markdown,
}: {
  site: Site
  origin: string
  markdown: Endpoint
}): (request: Request) => Promise<Response> {
  let made: Html | null = null
  const make = async (): Promise<Html> =>
    guidePage({ site, text: await (await markdown(new Request(`${origin}/auth.md`))).text() })
  return async (request) => {
    const response = prefersPage(request)
      ? pageResponse((made ??= await make()), { origin })
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
  const { body, sections } = markdownDocument(text)
  return page({
    site,
    title: 'Getting access',
    wide: true,
    description: `How an app or an agent gets access to ${site.name}, step by step.`,
    style: '/docs/reference.css',
    nav: siteNav('/auth.md', site),
    body: html`<div class="reference">
      <nav class="contents" aria-label="Contents">
        <p class="contents-group">On this page</p>
        <ul>
          ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
        </ul>
      </nav>
      <div class="prose guide">${body}</div>
    </div>`,
  })
}
