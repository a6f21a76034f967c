import type { ApplicationAction, ApplicationDetailView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import { hidden } from '../parts.js'

/** Renders the buttons that stop an app, or start it again. */
export function switchSection({
  actions,
  clientId,
  csrfToken,
}: ApplicationDetailView): Html | null {
  const rows = SWITCHES.filter(({ action }) => actions.includes(action))
  if (rows.length === 0) return null
  return html`<section class="panel" aria-labelledby="switches">
    <h2 id="switches">Status</h2>
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

/** Renders the form that sets or removes the end of an app. */
export function endSection({
  actions,
  clientId,
  csrfToken,
  endsAt,
}: ApplicationDetailView): Html | null {
  if (!actions.includes('set_end')) return null
  // `ends_on` is the last day, and the end is the midnight after it.
  const lastDay = endsAt === null ? '' : new Date((endsAt - 1) * 1000).toISOString().slice(0, 10)
  return html`<section class="panel" aria-labelledby="end">
    <h2 id="end">End</h2>
    <form class="stack" method="post" action="${applicationPath(clientId, 'end')}">
      ${hidden('csrf_token', csrfToken)}
      <div class="field">
        <label for="ends-on">Last day (optional)</label>
        <p class="quiet" id="ends-on-text">
          The app works until midnight UTC after this day. Connections are kept, so a later day lets
          it continue.
        </p>
        <input
          id="ends-on"
          name="ends_on"
          type="date"
          value="${lastDay}"
          aria-describedby="ends-on-text"
        />
      </div>
      <button class="button button-plain button-small" type="submit">Save the end</button>
    </form>
  </section>`
}

const SWITCHES: readonly {
  readonly action: ApplicationAction
  readonly path: string
  readonly label: string
  readonly text: string
  /** Whether a page asks for confirmation first. */
  readonly asks: boolean
}[] = [
  {
    action: 'disable',
    path: 'disable',
    label: 'Turn off',
    text: 'Turning it off stops it for everyone. Connections are kept.',
    asks: true,
  },
  {
    action: 'enable',
    path: 'enable',
    label: 'Turn on',
    text: 'Turning it on makes it work again right away for everyone who is connected.',
    asks: false,
  },
  {
    action: 'block',
    path: 'block',
    label: 'Block',
    text: 'Blocking it disconnects everyone, and no one can connect it.',
    asks: true,
  },
  {
    action: 'unblock',
    path: 'unblock',
    label: 'Unblock',
    text: 'After that, people can connect it again, within the limits of its review.',
    asks: false,
  },
  {
    action: 'delete',
    path: 'delete',
    label: 'Delete',
    text: 'Deleting it is permanent. The activity log keeps its name.',
    asks: true,
  },
]
