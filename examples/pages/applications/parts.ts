import type { ClientKind } from 'hallpass/policy'
import { applicationPath } from './paths.js'
import type { ActivityEntry, ApplicationState } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago } from '../parts.js'
import { countOf } from '../wording.js'
import type { ApplicationsWords } from '../words/applications/en.js'
import type { Language, Words } from '../words/words.js'

const STATE_LOOKS: Readonly<Record<ApplicationState, string>> = {
  active: 'badge badge-good',
  unused: 'badge',
  disabled: 'badge',
  unreviewed: 'badge badge-warn',
  reviewed: 'badge badge-good',
  changed: 'badge badge-warn',
  blocked: 'badge badge-stop',
}

/** Links to the page before and the page after of a list; `null` if it has one page. */
export function pager(
  { page, hasNext }: { readonly page: number; readonly hasNext: boolean },
  pathOf: (page: number) => string,
  language: Language,
): Html | null {
  if (page === 1 && !hasNext) return null
  const { list: words, nextPage } = language.words.applications
  return html`<nav class="more" aria-label="${words.pages}">
    ${page > 1 && html`<a class="button button-plain" href="${pathOf(page - 1)}">${words.previousPage}</a>`}
    ${hasNext && html`<a class="button button-plain" href="${pathOf(page + 1)}">${nextPage}</a>`}
    <span class="quiet">${words.page(countOf(page, language))}</span>
  </nav>`
}

/** Renders the state as a badge. An active member app is paused while MCP connections are off. */
export function stateBadge(
  { kind, state, enabled }: { kind: ClientKind; state: ApplicationState; enabled: boolean },
  { paused, states }: ApplicationsWords,
): Html {
  const isPaused = kind === 'member' && state === 'active' && !enabled
  return html`<span class="${isPaused ? 'badge' : STATE_LOOKS[state]}"
    >${isPaused ? paused : states[state]}</span
  >`
}

/** Describes an audit event. A type without a description is shown as it is. */
export const actInWords = (type: string, { acts }: Words): string =>
  Object.hasOwn(acts, type) ? acts[type]! : type

/** Returns the types whose description contains a text. None if it is empty. */
export const typesInWords = (text: string, { acts }: Words): readonly string[] =>
  text === ''
    ? []
    : Object.entries(acts)
        .filter(([, words]) => words.toLowerCase().includes(text.toLowerCase()))
        .map(([type]) => type)

/** Renders the entries of a log, in the given order. */
export const activityList = (
  entries: readonly ActivityEntry[],
  clock: { readonly now: number; readonly timeZone: string },
  language: Language,
): Html =>
  html`<ol class="log">
    ${entries.map(
      ({ at, type, actor, subject, detail, app = null }) =>
        html`<li>
          <span class="log-when">${ago(at, clock, language)}</span>
          <span>
            ${actInWords(type, language.words)}${subject !== null && html` · ${foreign(subject)}`}${
              actor !== null &&
              html` <span class="muted">${language.words.by(foreign(actor))}</span>`
            }${app !== null && html`<span class="quiet"><a href="${applicationPath(app.clientId)}">${foreign(app.name)}</a></span>`}${
              detail !== null && html`<span class="quiet">${foreign(detail)}</span>`
            }
          </span>
        </li>`,
    )}
  </ol>`
