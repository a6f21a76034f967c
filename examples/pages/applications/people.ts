import type { Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import type { ApplicationDetailView, ConnectedPerson } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago, hidden, moment, unseen } from '../parts.js'
import { scopeTexts } from '../scope-list.js'
import { countOf } from '../wording.js'
import { languageOf } from '../words/languages.js'

/** Lists the people who connected an app, each with a button to disconnect them. */
export function peopleSection(shown: Shown<ApplicationDetailView>): Html {
  const { people, morePeople, actions, clientId } = shown.view
  const language = languageOf(shown.site)
  const words = language.words.applications.people
  return html`<section class="section" aria-labelledby="people">
    <div class="heading">
      <h2 id="people">
        ${words.title} <span class="muted">${countOf(people.length + morePeople, language)}</span>
      </h2>
      ${
        people.length > 0 &&
        actions.includes('disconnect') &&
        html`<a
          class="button button-plain button-small"
          href="${applicationPath(clientId, 'disconnect-all')}"
          >${words.disconnectAll}</a
        >`
      }
    </div>
    ${
      people.length === 0
        ? html`<p class="nothing">${words.none}</p>`
        : html`<ul class="rows">
            ${people.map((person) => row(person, shown))}
          </ul>`
    }
    ${morePeople > 0 && html`<p class="quiet">${words.more(morePeople)}</p>`}
  </section>`
}

function row(
  { subject, name, since, lastUsedAt, scopes }: ConnectedPerson,
  { site, view }: Shown<ApplicationDetailView>,
): Html {
  const language = languageOf(site)
  const { people: words, permissions } = language.words.applications
  return html`<li class="row row-person">
    <div class="row-main">
      <strong>${foreign(name)}</strong>
      <span class="quiet"
        >${words.since(moment(since, view, language))} ·
        ${lastUsedAt === null ? words.neverUsed : words.used(ago(lastUsedAt, view, language))}</span
      >
      <details>
        <summary>${permissions(scopes.length)}</summary>
        <ul class="dashes">
          ${scopeTexts(scopes, site).map((text) => html`<li>${text}</li>`)}
        </ul>
      </details>
    </div>
    ${
      view.actions.includes('disconnect') &&
      html`<form method="post" action="${applicationPath(view.clientId, 'disconnect')}">
        ${hidden('csrf_token', view.csrfToken)}${hidden('subject', subject)}
        <button class="button button-plain button-small" type="submit">
          ${words.disconnect}${unseen(html` ${foreign(name)}`)}
        </button>
      </form>`
    }
  </li>`
}
