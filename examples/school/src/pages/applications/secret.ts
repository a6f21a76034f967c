import type { ApplicationDetailView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import { hidden, moment } from '../parts.js'

const OVERLAPS: readonly (readonly [hours: number, label: string])[] = [
  [0, 'Stop it right away'],
  [1, 'Keep it for 1 hour'],
  [24, 'Keep it for 24 hours'],
  [72, 'Keep it for 72 hours'],
]

/** Renders the secrets of a confidential app: since when they are valid, and the form to create a new one. */
export function secretSection(view: ApplicationDetailView): Html | null {
  const { secret, actions, clientId, csrfToken } = view
  if (secret === null) return null
  return html`<section class="panel" aria-labelledby="secrets">
    <h2 id="secrets">Secret</h2>
    <dl class="facts">
      <div>
        <dt>Current secret</dt>
        <dd>
          ${secret.since === null ? 'In use' : html`In use since ${moment(secret.since, view)}`}
        </dd>
      </div>
      ${
        secret.previousUntil !== null &&
        html`<div>
          <dt>Old secret</dt>
          <dd>Works until ${moment(secret.previousUntil, view)}</dd>
          ${
            actions.includes('end_old_secret') &&
            html`<dd>
              <form method="post" action="${applicationPath(clientId, 'end-old-secret')}">
                ${hidden('csrf_token', csrfToken)}
                <button class="button button-plain button-small" type="submit">
                  End the old secret now
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
        <h3>New secret</h3>
        <div class="field">
          <label for="overlap_hours">Current secret</label>
          <select id="overlap_hours" name="overlap_hours">
            ${OVERLAPS.map(
              ([hours, label]) =>
                html`<option value="${hours}" ${hours === 24 && html`selected`}>${label}</option>`,
            )}
          </select>
        </div>
        ${
          secret.previousUntil !== null &&
          html`<p class="quiet">
            Only two secrets can work at a time, so the old one stops working right away.
          </p>`
        }
        <button class="button button-plain" type="submit">Create secret</button>
      </form>`
    }
  </section>`
}
