import { accountPage } from '../account-layout.js'
import { activityPath } from './activity.js'
import { attemptPath } from './attempt-words.js'
import { appIcon } from './icons.js'
import type { ApplicationRow, ApplicationsView } from './views.js'
import {
  applicationPath,
  KIND_WORDS,
  SORT_WORDS,
  STATE_WORDS,
  stateBadge,
  VIEW_WORDS,
} from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { ago, hidden, notice } from '../parts.js'
import { countInWords, countOf, peopleInWords } from '../wording.js'

/** Renders the apps of a school, with the switch for MCP connections. */
export function applicationsPage({ site, view }: { site: Site; view: ApplicationsView }): Html {
  return accountPage({
    site,
    view,
    title: 'OAuth applications',
    here: 'applications',
    body: html`<div class="heading">
        <h1>OAuth applications</h1>
        <a href="${attemptPath()}">Connection attempts</a>
        <a href="${activityPath()}">Activity</a>
        ${view.enabled && !view.isEmpty && html`<a class="button button-main" href="${NEW}">New app</a>`}
      </div>
      ${doneNotice(view)} ${view.requests.length > 0 && requests(view)}
      ${view.enabled ? switchedOn(site) : switchedOff({ site, view })}
      ${view.isEmpty ? view.enabled && empty(site) : list(view)}`,
  })
}

const NEW = '/oauth/applications/new'

const DONE: Readonly<Record<NonNullable<ApplicationsView['done']>, string>> = {
  beta_on: 'MCP connections are on. Apps that were connected before work again.',
  beta_off: 'MCP connections are off. Member apps no longer work.',
  deleted: 'The app is deleted, and everyone is disconnected from it.',
  request_dismissed: 'The request is dismissed. The person can ask again.',
}

const doneNotice = ({ done }: ApplicationsView): Html | null =>
  done === null ? null : notice('done', html`<p>${DONE[done]}</p>`)

const requests = (view: ApplicationsView): Html =>
  html`<section class="switch" aria-labelledby="requests">
    <div>
      <h2 id="requests">People who ask for an app</h2>
      <p class="quiet">
        Their role doesn’t allow it. If it should, give them another role; they can connect the app
        after that.
      </p>
      <ul class="asks">
        ${view.requests.map(
          ({ memberId, name, roles, clientId, app, at }) =>
            html`<li>
              <p>
                <strong>${foreign(name)}</strong> (${roles}) asks for
                <a href="${applicationPath(clientId)}">${foreign(app)}</a>, ${ago(at, view)}
              </p>
              <form method="post" action="/oauth/applications/requests">
                ${hidden('csrf_token', view.csrfToken)}${hidden('member_id', memberId)}
                ${hidden('client_id', clientId)}
                <button class="button button-plain button-small" type="submit">
                  Dismiss<span class="unseen"> the request of ${foreign(name)}</span>
                </button>
              </form>
            </li>`,
        )}
      </ul>
    </div>
  </section>`

const ABOUT = 'This is a beta: details may change, and you can turn it off at any time.'

const switchedOn = (site: Site): Html =>
  html`<section class="switch" aria-labelledby="beta">
    <div>
      <h2 id="beta">MCP connections <span class="badge badge-good">On</span></h2>
      <p class="quiet">
        Members of ${site.name} can connect the apps that you set up here to their own accounts,
        including AI apps. ${ABOUT}
      </p>
    </div>
    <a class="button button-plain" href="/oauth/applications/beta">Turn off…</a>
  </section>`

const switchedOff = ({ site, view }: { site: Site; view: ApplicationsView }): Html =>
  html`<section class="switch switch-off" aria-labelledby="beta">
    <div>
      <h2 id="beta">MCP connections <span class="badge">Off</span></h2>
      <p>
        When they’re on, you can set up apps for the members of ${site.name}: an AI app that knows
        where they stopped, or your own companion app. Each member decides whether to connect an app
        to their account, and the app never sees what others do.
      </p>
      <p class="quiet">
        ${ABOUT}${
          !view.isEmpty &&
          html` Nothing below was deleted. Member apps work again as soon as you turn this on.`
        }
      </p>
    </div>
    <form method="post" action="/oauth/applications/beta">
      ${hidden('csrf_token', view.csrfToken)}${hidden('enabled', 'on')}
      <button class="button button-main" type="submit">Turn on</button>
    </form>
  </section>`

const empty = (site: Site): Html =>
  html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">No apps yet</h2>
    <p>
      A <strong>member app</strong> acts for one member at a time. If they allow it, it can look up
      their courses, save where they stopped, or cancel a booking. You give it a name, say where it
      runs and choose what it can ask for. Then you share its client ID.
    </p>
    <p class="quiet">
      Staff of ${site.name} can also connect apps, on their computer or from a platform. Those
      appear here as soon as someone uses them.
    </p>
    <a class="button button-main" href="${NEW}">Set up your first app</a>
  </section>`

const list = (view: ApplicationsView): Html =>
  html`<section class="applications" aria-labelledby="all">
    <h2 class="unseen" id="all">Apps</h2>
    ${views(view)} ${ABOUT_VIEWS[view.filter.view]} ${filterForm(view)}
    ${
      view.applications.length === 0
        ? nothing(view)
        : html`<ul class="rows">
            ${view.applications.map((application) => row(application, view))}
          </ul>`
    }
    ${pages(view)}
  </section>`

type Filter = ApplicationsView['filter']

/** Returns the path of the list with a filter. What is as usual is left out. */
function listPath(filter: Partial<Filter>, page = 1): string {
  const usual: Partial<Filter> = { view: 'connected', sort: 'newest' }
  const query = new URLSearchParams()
  for (const name of ['view', 'search', 'kind', 'state', 'sort'] as const) {
    const value = filter[name] ?? ''
    if (value !== '' && value !== usual[name]) query.set(name, value)
  }
  if (page > 1) query.set('page', String(page))
  return query.size === 0 ? '/oauth/applications' : `/oauth/applications?${query.toString()}`
}

const views = ({ filter, counts }: ApplicationsView): Html =>
  html`<nav aria-label="Apps to show">
    <ul class="tabs">
      ${(Object.keys(VIEW_WORDS) as readonly Filter['view'][]).map(
        (view) =>
          html`<li>
            <a
              href="${listPath({ ...filter, view })}"
              ${view === filter.view && html`aria-current="true"`}
              >${VIEW_WORDS[view]} <span class="muted">${countOf(counts[view])}</span></a
            >
          </li>`,
      )}
    </ul>
  </nav>`

const ABOUT_VIEWS: Readonly<Record<Filter['view'], Html | null>> = {
  connected: null,
  review: html`<p class="quiet">
    These apps identify themselves with a document that no one has reviewed in its present form.
    They can see things, but not change them.
  </p>`,
  tried: html`<p class="quiet">
    These apps registered themselves, and no one has connected them. They can’t do anything, and are
    removed after seven days.
  </p>`,
  all: null,
}

const nothing = ({ filter, counts }: ApplicationsView): Html => {
  const isFiltered = filter.search !== '' || filter.kind !== null || filter.state !== null
  return html`<p class="nothing">
    ${isFiltered ? 'No app matches here.' : 'There are no apps here.'}
    ${
      isFiltered && counts.all > counts[filter.view]
        ? html`<a href="${listPath({ ...filter, view: 'all' })}"
            >Show ${countInWords(counts.all, 'match', 'matches')} among all apps</a
          >`
        : html`<a href="${listPath({ view: 'all' })}">Show all apps</a>`
    }
  </p>`
}

function filterForm({ filter }: ApplicationsView): Html {
  const options = (words: Readonly<Record<string, string>>, chosen: string | null): Html =>
    html`<option value="">All</option>
      ${choices(words, chosen)}`
  const choices = (words: Readonly<Record<string, string>>, chosen: string | null): Html =>
    html`${Object.entries(words).map(
      ([value, label]) =>
        html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`,
    )}`
  return html`<form
    class="filter filter-apps"
    method="get"
    action="/oauth/applications"
    role="search"
  >
    ${hidden('view', filter.view === 'connected' ? null : filter.view)}
    <div class="field">
      <label for="search">Name, client ID or address</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <div class="field">
      <label for="kind">Kind</label>
      <select id="kind" name="kind">
        ${options(KIND_WORDS, filter.kind)}
      </select>
    </div>
    <div class="field">
      <label for="state">State</label>
      <select id="state" name="state">
        ${options(STATE_WORDS, filter.state)}
      </select>
    </div>
    <div class="field">
      <label for="sort">Order</label>
      <select id="sort" name="sort">
        ${choices(SORT_WORDS, filter.sort)}
      </select>
    </div>
    <button class="button button-plain" type="submit">Filter</button>
  </form>`
}

const row = (
  { clientId, name, kind, state, icon, people, lastUsedAt, scopes }: ApplicationRow,
  view: ApplicationsView,
): Html =>
  html`<li class="row">
    ${appIcon({ name, icon })}
    <div class="row-main">
      <a class="row-name" href="${applicationPath(clientId)}">${foreign(name)}</a>
      <span class="quiet">${KIND_WORDS[kind]}</span>
    </div>
    <div class="row-state">${stateBadge({ kind, state, enabled: view.enabled })}</div>
    <ul class="row-facts">
      <li>${peopleInWords(people)} connected</li>
      <li>${lastUsedAt === null ? 'Never used' : html`Used ${ago(lastUsedAt, view)}`}</li>
      <li>${countInWords(scopes, 'permission', 'permissions')}</li>
    </ul>
  </li>`

const pages = ({ filter, page, hasNext }: ApplicationsView): Html | null =>
  page === 1 && !hasNext
    ? null
    : html`<nav class="more" aria-label="Pages">
        ${page > 1 && html`<a class="button button-plain" href="${listPath(filter, page - 1)}">Previous page</a>`}
        ${hasNext && html`<a class="button button-plain" href="${listPath(filter, page + 1)}">Next page</a>`}
        <span class="quiet">Page ${page}</span>
      </nav>`
