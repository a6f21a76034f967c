import type { Place } from './area.js'
import { pageResponse } from '../pages/response.js'
import { html } from '../pages/html.js'
import { localPath, page } from '../pages/layout.js'
import type { SiteDefinition } from '../sites.js'

interface Words {
  readonly status: number
  readonly title: string
  readonly what: string
}

const REFUSALS = {
  role: {
    status: 403,
    title: 'Your role doesn’t include this',
    what: 'Only the school’s owner and its managers can manage its apps. Ask one of them, or sign in with another account.',
  },
  form: {
    status: 400,
    title: 'We didn’t accept this form',
    what: 'It contains a field that our form doesn’t have. Nothing was changed. Go back, reload the page and try again.',
  },
  method: {
    status: 405,
    title: 'That doesn’t work here',
    what: 'This address can’t be used that way. Nothing was changed.',
  },
  sent_before: {
    status: 409,
    title: 'You sent this already',
    what: 'We received this form before and didn’t do anything again. Look at how things are now. A secret is shown only once: if you don’t have it, create a new one.',
  },
  too_many: {
    status: 429,
    title: 'Too many forms',
    what: 'You’ve sent very many forms in the last hours, so we didn’t accept this one. Nothing was changed. Try again later.',
  },
} as const satisfies Readonly<Record<string, Words>>

/** Creates the response with the page that explains why a request in an area was refused. */
export function areaRefusal({
  site,
  origin,
  reason,
  allow = null,
  back = null,
}: {
  site: SiteDefinition
  origin: string
  reason: keyof typeof REFUSALS
  /** The value of `Allow` if the method is the problem. Default: `null`. */
  allow?: string | null
  /** The path of the page that the button leads to. Default: the home page. */
  back?: string | null
}): Response {
  const { status, title, what } = REFUSALS[reason]
  const body = html`<h1>${title}</h1>
    <p class="lead">${what}</p>
    <div>
      ${
        back === null
          ? html`<a class="button button-main" href="/">Go to ${site.name}</a>`
          : html`<a class="button button-main" href="${localPath(back)}">See how things are</a>`
      }
    </div>`
  const response = pageResponse(page({ site, title, body }), { origin, status })
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
