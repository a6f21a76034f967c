import type { ClientView } from 'hallpass/endpoint'
import { type Html, html, type HtmlValue } from './html.js'
import { foreign, localPath } from './layout.js'

/** How loud a notice is: `error` and `warn` carry a sign, so that colour is never the only mark. */
export type Tone = 'note' | 'warn' | 'error'

const SIGNS: Readonly<Record<Tone, Html>> = {
  note: html`<path d="M10 9v5M10 6v.5" />`,
  warn: html`<path d="M10 5.5v5.5M10 14v.5" />`,
  error: html`<path d="M6.5 6.5l7 7M13.5 6.5l-7 7" />`,
}

/** A boxed message. An error is announced as soon as the page opens. */
export const notice = (tone: Tone, body: HtmlValue, id: string | null = null): Html =>
  html`<div
    class="notice notice-${tone}"
    ${id !== null && html` id="${id}"`}${tone === 'error' && html` role="alert"`}
  >
    <svg class="notice-sign" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <circle cx="10" cy="10" r="9" />
      ${SIGNS[tone]}
    </svg>
    <div>${body}</div>
  </div>`

/** A hidden field; nothing for `null`. */
export const hidden = (name: string, value: string | null): Html =>
  html`${value !== null && html`<input type="hidden" name="${name}" value="${value}" />`}`

/** The form that ends a session and leads on to a path of this origin. */
export const signOutForm = ({
  returnTo,
  csrfToken,
  label,
  look,
}: {
  returnTo: string
  csrfToken: string | null
  label: string
  look: 'button button-plain' | 'link-button'
}): Html =>
  html`<form class="inline-form" method="post" action="/sign-out">
    ${hidden('return_to', localPath(returnTo))}${hidden('csrf_token', csrfToken)}
    <button class="${look}" type="submit">${label}</button>
  </form>`

/** Something to read letter by letter: a host, a code. */
export const address = (text: string): Html => html`<span class="address">${foreign(text)}</span>`

/** Where an answer goes: a host, this computer, or whatever opens links such as `cursor:`. */
export const destination = (
  { redirectHost, redirectIsLoopback }: ClientView,
  article: 'A' | 'a',
): Html =>
  redirectIsLoopback
    ? html`${address(redirectHost)} on this computer`
    : redirectHost.endsWith(':')
      ? html`${article} program on this device, through ${address(redirectHost)} links`
      : address(redirectHost)

/** A client's name as a heading may show it. */
export const appName = (name: string): Html =>
  html`<span class="${[...name].length > 32 ? 'app-name app-name-long' : 'app-name'}"
    >${foreign(name)}</span
  >`
