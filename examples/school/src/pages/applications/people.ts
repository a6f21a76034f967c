import type { ApplicationDetailView, ConnectedPerson } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago, hidden, moment, unseen } from '../parts.js'
import { countInWords } from '../wording.js'

/** Lists the people who connected an app, each with a button to disconnect them. */
export function peopleSection(view: ApplicationDetailView): Html {
  const { people, morePeople, actions, clientId } = view
  return html`<section class="section" aria-labelledby="people">
    <div class="heading">
      <h2 id="people">Connected people <span class="muted">${people.length + morePeople}</span></h2>
      ${
        people.length > 0 &&
        actions.includes('disconnect') &&
        html`<a
          class="button button-plain button-small"
          href="${applicationPath(clientId, 'disconnect-all')}"
          >Disconnect everyone…</a
        >`
      }
    </div>
    ${
      people.length === 0
        ? html`<p class="nothing">No one has connected it yet.</p>`
        : html`<ul class="rows">
            ${people.map((person) => row(person, view))}
          </ul>`
    }
    ${morePeople > 0 && html`<p class="quiet">And ${morePeople} more.</p>`}
  </section>`
}

const row = (
  { subject, name, since, lastUsedAt, scopes }: ConnectedPerson,
  view: ApplicationDetailView,
): Html =>
  html`<li class="row row-person">
    <div class="row-main">
      <strong>${foreign(name)}</strong>
      <span class="quiet"
        >Since ${moment(since, view)} ·
        ${lastUsedAt === null ? 'never used' : html`used ${ago(lastUsedAt, view)}`}</span
      >
      <details>
        <summary>${countInWords(scopes.length, 'permission', 'permissions')}</summary>
        <ul class="dashes">
          ${scopes.map(({ text }) => html`<li>${text}</li>`)}
        </ul>
      </details>
    </div>
    ${
      view.actions.includes('disconnect') &&
      html`<form method="post" action="${applicationPath(view.clientId, 'disconnect')}">
        ${hidden('csrf_token', view.csrfToken)}${hidden('subject', subject)}
        <button class="button button-plain button-small" type="submit">
          Disconnect${unseen(html` ${foreign(name)}`)}
        </button>
      </form>`
    }
  </li>`
