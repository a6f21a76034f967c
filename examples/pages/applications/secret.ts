import type { Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import type { ApplicationDetailView } from './views.js'
import { type Html, html } from '../html.js'
import { hidden, moment } from '../parts.js'
import { languageOf } from '../words/languages.js'

/** How long the current secret can be kept. */
const OVERLAP_HOURS: readonly number[] = [0, 1, 24, 72]

/** Renders the secrets of a confidential app: since when they are valid, and the form to create a new one. */
export function secretSection({ site, view }: Shown<ApplicationDetailView>): Html | null {
  const { secret, actions, clientId, csrfToken } = view
  if (secret === null) return null
  const language = languageOf(site)
  const words = language.words.applications.secret
  const hoursInWords = new Intl.NumberFormat(language.locale, {
    style: 'unit',
    unit: 'hour',
    unitDisplay: 'long',
  })
  return html`<section class="panel" aria-labelledby="secrets">
    <h2 id="secrets">${words.title}</h2>
    <dl class="facts">
      <div>
        <dt>${words.current}</dt>
        <dd>
          ${secret.since === null ? words.inUse : words.inUseSince(moment(secret.since, view, language))}
        </dd>
      </div>
      ${
        secret.previousUntil !== null &&
        html`<div>
          <dt>${words.old}</dt>
          <dd>${words.worksUntil(moment(secret.previousUntil, view, language))}</dd>
          ${
            actions.includes('end_old_secret') &&
            html`<dd>
              <form method="post" action="${applicationPath(clientId, 'end-old-secret')}">
                ${hidden('csrf_token', csrfToken)}
                <button class="button button-plain button-small" type="submit">
                  ${words.endOld}
                </button>
              </form>
            </dd>`
          }
        </div>`
      }
    </dl>
    ${
      actions.includes('rotate') &&
      html`<form
        class="stack stack-tight"
        method="post"
        action="${applicationPath(clientId, 'rotate')}"
      >
        ${hidden('csrf_token', csrfToken)}
        <h3>${words.add}</h3>
        <div class="field">
          <label for="overlap_hours">${words.afterwards}</label>
          <select id="overlap_hours" name="overlap_hours">
            ${OVERLAP_HOURS.map(
              (hours) =>
                html`<option value="${hours}" ${hours === 24 && html`selected`}>
                  ${hours === 0 ? words.stop : words.keepFor(hoursInWords.format(hours))}
                </option>`,
            )}
          </select>
        </div>
        ${secret.previousUntil !== null && html`<p class="quiet">${words.onlyTwo}</p>`}
        <button class="button button-plain" type="submit">${words.submit}</button>
      </form>`
    }
  </section>`
}
