import type { Place } from './area.js'
import { pageResponse } from '../pages/response.js'
import { html } from '../pages/html.js'
import { page } from '../pages/layout.js'
import type { SiteDefinition } from '../sites.js'

interface Words {
  readonly status: number
  readonly title: string
  readonly what: string
}

const REFUSALS = {
  role: {
    status: 403,
    title: 'This is not for your role',
    what: 'OAuth applications are looked after by the owner and the managers of the school. Ask one of them, or sign in as somebody who is one.',
  },
  form: {
    status: 400,
    title: 'This form is not ours',
    what: 'It holds something that our form does not have. Nothing was changed. Go back, open the page again and send it once more.',
  },
  method: {
    status: 405,
    title: 'That does not work here',
    what: 'This address cannot be used that way. Nothing was changed.',
  },
} as const satisfies Readonly<Record<string, Words>>

/** The page for somebody who may not do, in this way, what they ask for. */
export function areaRefusal({
  site,
  origin,
  reason,
  allow = null,
}: {
  site: SiteDefinition
  origin: string
  reason: keyof typeof REFUSALS
  /** The methods that do work; `null` = they are not what is wrong. */
  allow?: string | null
}): Response {
  const { status, title, what } = REFUSALS[reason]
  const body = html`<h1>${title}</h1>
    <p class="lead">${what}</p>
    <div><a class="button button-main" href="/">Go to ${site.name}</a></div>`
  const response = pageResponse(page({ site, title, body }), { origin, status })
  if (allow !== null) response.headers.set('allow', allow)
  return response
}

/** Whether a form holds what its place names and no more: what it cannot set cannot be slipped in. */
export function hasOnly(
  form: URLSearchParams,
  { fields = [], lists = [] }: Pick<Place<never>, 'fields' | 'lists'>,
): boolean {
  const once = ['csrf_token', ...fields]
  return [...form.keys()].every(
    (name) => lists.includes(name) || (once.includes(name) && form.getAll(name).length === 1),
  )
}
