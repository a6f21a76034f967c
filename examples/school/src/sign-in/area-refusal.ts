import type { Place } from './area.js'
import { pageResponse } from '../../../pages/response.js'
import { html } from '../../../pages/html.js'
import { localPath, page, type Site } from '../../../pages/layout.js'
import { wordsOf } from '../../../pages/words/languages.js'
import type { AreaFault } from '../../../pages/words/words.js'
import type { SiteDefinition } from '../sites.js'

const STATUSES: Readonly<Record<AreaFault, number>> = {
  role: 403,
  form: 400,
  method: 405,
  sent_before: 409,
  too_many: 429,
}

/** Creates the response with the page that explains why a request in an area was refused. */
export function areaRefusal({
  site,
  origin,
  reason,
  allow = null,
  back = null,
}: {
  site: SiteDefinition & Pick<Site, 'language'>
  origin: string
  reason: AreaFault
  /** The value of `Allow` if the method is the problem. Default: `null`. */
  allow?: string | null
  /** The path of the page that the button leads to. Default: the home page. */
  back?: string | null
}): Response {
  const { areas, notFound, seeNow } = wordsOf(site).errors
  const { title, what } = areas[reason]
  const body = html`<h1>${title}</h1>
    <p class="lead">${what}</p>
    <div>
      ${
        back === null
          ? html`<a class="button button-main" href="/">${notFound.home(site.name)}</a>`
          : html`<a class="button button-main" href="${localPath(back)}">${seeNow}</a>`
      }
    </div>`
  const response = pageResponse(page({ site, title, body }), { origin, status: STATUSES[reason] })
  if (allow !== null) response.headers.set('allow', allow)
  return response
}

/** Whether a form contains only the fields of its place, so that no other value can be smuggled in. */
export function hasOnly(
  form: URLSearchParams,
  { fields = [], lists = [] }: Pick<Place<never>, 'fields' | 'lists'>,
): boolean {
  const once = ['csrf_token', ...fields]
  return [...form.keys()].every(
    (name) => lists.includes(name) || (once.includes(name) && form.getAll(name).length === 1),
  )
}
