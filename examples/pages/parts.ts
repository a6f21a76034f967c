import type { ClientView } from 'hallpass/authorization-server'
import { lines } from './form-parts.js'
import { type Html, html, type HtmlValue } from './html.js'
import { foreign, localPath, type Site } from './layout.js'
import { english } from './words/en.js'
import { wordsOf } from './words/languages.js'
import type { Language } from './words/words.js'
import { agoInWords, documentHost, momentInWords } from './wording.js'

/** The severity of a notice. Each has its own sign, so that colour is never the only difference. */
export type Tone = 'note' | 'done' | 'warn' | 'error'

const SIGNS: Readonly<Record<Tone, Html>> = {
  note: html`<path d="M10 9v5M10 6v.5" />`,
  done: html`<path d="M6 10.5l2.8 2.8L14 7.5" />`,
  warn: html`<path d="M10 5.5v5.5M10 14v.5" />`,
  error: html`<path d="M6.5 6.5l7 7M13.5 6.5l-7 7" />`,
}

/**
 * Renders a boxed message. Screen readers announce `error` and `done` as soon as the page opens. An error with an `id`
 * is that of a form, and has the focus.
 */
export const notice = (tone: Tone, body: HtmlValue, id: string | null = null): Html =>
  html`<div
    class="notice notice-${tone}"
    ${id !== null && html` id="${id}"`}${tone === 'error' && html` role="alert"`}${
      tone === 'error' && id !== null && html` tabindex="-1" autofocus`
    }${tone === 'done' && html` role="status"`}
  >
    <svg class="notice-sign" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <circle cx="10" cy="10" r="9" />
      ${SIGNS[tone]}
    </svg>
    <div>${body}</div>
  </div>`

/** Renders a hidden field, or nothing if the value is `null`. */
export const hidden = (name: string, value: string | null): Html =>
  html`${value !== null && html`<input type="hidden" name="${name}" value="${value}" />`}`

/** Renders the form that ends a session and then redirects to a path of this origin. */
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

/** Joins the sentences of a paragraph: with a space, but not where the mark at the end of a sentence is as wide as a letter. */
export const sentences = (site: Site, parts: readonly (Html | string | false)[]): Html => {
  const gap = wordsOf(site).scopeList.stop === '。' ? '' : ' '
  return html`${parts.filter((part) => part !== false).map((part, index) => html`${index > 0 && gap}${part}`)}`
}

/** Renders text to read letter by letter, such as a host or a code. */
export const address = (text: string): Html => html`<span class="address">${foreign(text)}</span>`

/** Renders the code of a refusal, such as `invalid_grant / code_expired`. With a `url` it is a link for programmers, in a tab of its own. */
export const code = (text: string, url: string | undefined): Html =>
  url === undefined
    ? address(text)
    : html`<a
        href="${url}"
        target="_blank"
        rel="noopener noreferrer nofollow"
        referrerpolicy="no-referrer"
        >${address(text)}</a
      >`

/** Renders a read-only field with text to copy. Without the script that adds a button, "select all" selects its text. */
export function copyable({
  site,
  id,
  label,
  text,
  rows,
}: {
  site: Site
  id: string
  label: string
  text: string
  rows: number
}): Html {
  const { button, done, selected } = wordsOf(site).copy
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <textarea
      class="letters"
      id="${id}"
      rows="${rows}"
      dir="auto"
      readonly
      spellcheck="false"
      data-copy="${button}"
      data-done="${done}"
      data-selected="${selected}"
    >
${lines(text)}</textarea>
  </div>`
}

/** Says where a response goes: to a page of the school, to a host, to this computer, or to the program that opens links such as `cursor:`. */
export function destination({
  site,
  client: { redirectHost, redirectIsLoopback, redirectIsOwn },
  first,
}: {
  site: Site
  client: ClientView
  /** Whether the words begin a sentence. */
  first: boolean
}): Html {
  const { app } = wordsOf(site)
  if (redirectIsOwn) return html`${app.ownPage(first)}`
  const host = address(redirectHost)
  if (redirectIsLoopback) return app.onThisComputer(host)
  return redirectHost.endsWith(':') ? app.programOnDevice(host, first) : host
}

/** Says where an app is from, with a badge. `elsewhere`: on a page that is not about a request, the app may be on another computer. */
export function knownAs({
  site,
  client,
  elsewhere = false,
}: {
  site: Site
  client: Pick<ClientView, 'clientId' | 'kind' | 'verified'> &
    Partial<Pick<ClientView, 'redirectIsOwn'>>
  elsewhere?: boolean
}): Html {
  const { app } = wordsOf(site)
  const badge = client.verified
    ? html`<span class="badge badge-good">${app.known}</span>`
    : html`<span class="badge badge-warn">${app.notReviewed}</span>`
  if (client.kind === 'member') return html`${app.madeBySchool(site.name)} ${badge}`
  if (client.kind === 'vendor') return html`${app.knownPlatform} ${badge}`
  if (client.kind === 'loopback')
    return html`${client.redirectIsOwn ? app.choseItsNameHere : elsewhere ? app.choseItsNameElsewhere : app.choseItsName}
    ${badge}`
  const host = address(documentHost(client.clientId))
  return client.verified
    ? html`${app.identifiedAndReviewed(host, site.name)} ${badge}`
    : html`${app.identifiedBy(host)} ${badge}`
}

/** Renders an app's name for a heading. */
export const appName = (name: string): Html =>
  html`<span class="${[...name].length > 32 ? 'app-name app-name-long' : 'app-name'}"
    >${foreign(name)}</span
  >`

/** Renders an app's logo from a path of this origin. It is decoration, since the name is next to it. */
export const appLogo = (path: string): Html =>
  html`<img class="app-logo" src="${localPath(path)}" width="48" height="48" alt="" />`

/** The time and the time zone that a page needs to describe a moment. */
interface Clock {
  readonly now: number
  readonly timeZone: string
}

/** Says how long ago a moment was, with the moment itself as a tooltip. */
export const ago = (at: number, { now, timeZone }: Clock, language: Language = english): Html =>
  html`<time
    datetime="${instant(at)}"
    title="${momentInWords({ at, timeZone, locale: language.locale })}"
    >${agoInWords({ at, now, language })}</time
  >`

/** Renders a moment in the school's time zone. */
export const moment = (
  at: number,
  { timeZone }: Pick<Clock, 'timeZone'>,
  { locale }: Language = english,
): Html => html`<time datetime="${instant(at)}">${momentInWords({ at, timeZone, locale })}</time>`

const instant = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z')

/** Renders what is between backticks as code. */
export const withCode = (text: string): readonly Html[] =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

/** Renders text for screen readers only. */
export const unseen = (text: HtmlValue): Html => html`<span class="unseen">${text}</span>`
