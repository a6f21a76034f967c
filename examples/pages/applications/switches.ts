import type { Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import type { ApplicationDetailView, SwitchAction } from './views.js'
import { type Html, html } from '../html.js'
import { hidden } from '../parts.js'
import { wordsOf } from '../words/languages.js'

/** Renders the buttons that stop an app, or start it again. */
export function switchSection({ site, view }: Shown<ApplicationDetailView>): Html | null {
  const { actions, clientId, csrfToken } = view
  const switches = SWITCHES.filter(({ action }) => actions.includes(action))
  if (switches.length === 0) return null
  const { title, buttons, texts } = wordsOf(site).applications.switches
  return html`<section class="panel" aria-labelledby="switches">
    <h2 id="switches">${title}</h2>
    <ul class="switches">
      ${switches.map(
        ({ action, asks }) =>
          html`<li>
            <p class="quiet">${texts[action]}</p>
            ${
              asks
                ? html`<a
                    class="button button-plain button-small"
                    href="${applicationPath(clientId, action)}"
                    >${buttons[action]}…</a
                  >`
                : html`<form method="post" action="${applicationPath(clientId, action)}">
                    ${hidden('csrf_token', csrfToken)}
                    <button class="button button-plain button-small" type="submit">
                      ${buttons[action]}
                    </button>
                  </form>`
            }
          </li>`,
      )}
    </ul>
  </section>`
}

/** Renders the form that sets or removes the end of an app. */
export function endSection({ site, view }: Shown<ApplicationDetailView>): Html | null {
  const { actions, clientId, csrfToken, endsAt } = view
  if (!actions.includes('set_end')) return null
  const { title, label, hint, submit } = wordsOf(site).applications.switches.end
  // `ends_on` is the last day, and the end is the midnight after it.
  const lastDay = endsAt === null ? '' : new Date((endsAt - 1) * 1000).toISOString().slice(0, 10)
  return html`<section class="panel" aria-labelledby="end">
    <h2 id="end">${title}</h2>
    <form class="stack" method="post" action="${applicationPath(clientId, 'end')}">
      ${hidden('csrf_token', csrfToken)}
      <div class="field">
        <label for="ends-on">${label}</label>
        <p class="quiet" id="ends-on-text">${hint}</p>
        <input
          id="ends-on"
          name="ends_on"
          type="date"
          value="${lastDay}"
          aria-describedby="ends-on-text"
        />
      </div>
      <button class="button button-plain button-small" type="submit">${submit}</button>
    </form>
  </section>`
}

/** Each action has the path of its name. */
const SWITCHES: readonly {
  readonly action: SwitchAction
  /** Whether a page asks for confirmation first. */
  readonly asks: boolean
}[] = [
  { action: 'disable', asks: true },
  { action: 'enable', asks: false },
  { action: 'block', asks: true },
  { action: 'unblock', asks: false },
  { action: 'delete', asks: true },
]
