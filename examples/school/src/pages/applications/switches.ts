import type { ApplicationAction, ApplicationDetailView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import { hidden } from '../parts.js'

/** The ways to stop an application, or to start it again. */
export function switchSection({
  actions,
  clientId,
  csrfToken,
}: ApplicationDetailView): Html | null {
  const rows = SWITCHES.filter(({ action }) => actions.includes(action))
  if (rows.length === 0) return null
  return html`<section class="panel" aria-labelledby="switches">
    <h2 id="switches">Stop or start it</h2>
    <ul class="switches">
      ${rows.map(
        ({ path, label, text, asks }) =>
          html`<li>
            <p class="quiet">${text}</p>
            ${
              asks
                ? html`<a
                    class="button button-plain button-small"
                    href="${applicationPath(clientId, path)}"
                    >${label}…</a
                  >`
                : html`<form method="post" action="${applicationPath(clientId, path)}">
                    ${hidden('csrf_token', csrfToken)}
                    <button class="button button-plain button-small" type="submit">${label}</button>
                  </form>`
            }
          </li>`,
      )}
    </ul>
  </section>`
}

const SWITCHES: readonly {
  readonly action: ApplicationAction
  readonly path: string
  readonly label: string
  readonly text: string
  /** A page asks first. */
  readonly asks: boolean
}[] = [
  {
    action: 'disable',
    path: 'disable',
    label: 'Switch off',
    text: 'Works for nobody until it is switched on again. Connections are kept.',
    asks: true,
  },
  {
    action: 'enable',
    path: 'enable',
    label: 'Switch on',
    text: 'Works again at once for everybody who is connected.',
    asks: false,
  },
  {
    action: 'block',
    path: 'block',
    label: 'Block',
    text: 'Disconnects everybody, and nobody can connect it.',
    asks: true,
  },
  {
    action: 'unblock',
    path: 'unblock',
    label: 'Unblock',
    text: 'People can connect it again, with what its review allows.',
    asks: false,
  },
  {
    action: 'delete',
    path: 'delete',
    label: 'Delete',
    text: 'Ends it for good. The log keeps its name.',
    asks: true,
  },
]
