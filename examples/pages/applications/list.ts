import { accountPage, type Shown } from '../account-layout.js'
import { activityPath } from './activity.js'
import { appIcon } from './icons.js'
import { pager, stateBadge } from './parts.js'
import { applicationPath, attemptPath, pathWith, servicePath } from './paths.js'
import type { ApplicationRow, ApplicationsView } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { ago, hidden, notice, sentences, unseen } from '../parts.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders the apps of a school, with the switch for MCP connections. */
export function applicationsPage(shown: Shown<ApplicationsView>): Html {
  const { site, view } = shown
  const { account, applications } = wordsOf(site)
  return accountPage({
    site,
    view,
    title: account.applications,
    here: 'applications',
    body: html`<div class="heading">
        <h1>${account.applications}</h1>
        <a href="${attemptPath()}">${applications.attempts}</a>
        <a href="${activityPath()}">${applications.activity}</a>${
          view.hasServices === true &&
          html` <a href="${servicePath()}">${applications.services.title}</a>`
        }
        ${
          view.enabled &&
          !view.isEmpty &&
          html`<a class="button button-main" href="${NEW}">${applications.list.add}</a>`
        }
      </div>
      ${view.done !== null && notice('done', html`<p>${applications.list.done[view.done]}</p>`)}
      ${view.requests.length > 0 && requests(shown)}
      ${view.enabled ? switchedOn(shown) : switchedOff(shown)}
      ${view.isEmpty ? view.enabled && empty(shown) : list(shown)}`,
  })
}

const NEW = '/oauth/applications/new'

const listWords = ({ site }: Shown<ApplicationsView>) => wordsOf(site).applications.list

function requests(shown: Shown<ApplicationsView>): Html {
  const { site, view } = shown
  const words = listWords(shown).requests
  return html`<section class="switch" aria-labelledby="requests">
    <div>
      <h2 id="requests">${words.title}</h2>
      <p class="quiet">${words.what}</p>
      <ul class="asks">
        ${view.requests.map(({ memberId, name, roles, clientId, app, at }) => {
          const link = html`<a href="${applicationPath(clientId)}">${foreign(app)}</a>`
          return html`<li>
            <p>${words.asks(foreign(name), roles, link, ago(at, view, languageOf(site)))}</p>
            <form method="post" action="/oauth/applications/requests">
              ${hidden('csrf_token', view.csrfToken)}${hidden('member_id', memberId)}
              ${hidden('client_id', clientId)}
              <button class="button button-plain button-small" type="submit">
                ${words.dismiss}${unseen(words.whose(foreign(name)))}
              </button>
            </form>
          </li>`
        })}
      </ul>
    </div>
  </section>`
}

function switchedOn(shown: Shown<ApplicationsView>): Html {
  const { mcp } = listWords(shown)
  return html`<section class="switch" aria-labelledby="beta">
    <div>
      <h2 id="beta">${mcp.title} <span class="badge badge-good">${mcp.on}</span></h2>
      <p class="quiet">${sentences(shown.site, [mcp.whileOn(shown.site.name), mcp.isBeta])}</p>
    </div>
    <a class="button button-plain" href="/oauth/applications/beta">${mcp.turnOff}</a>
  </section>`
}

function switchedOff(shown: Shown<ApplicationsView>): Html {
  const { site, view } = shown
  const { mcp } = listWords(shown)
  return html`<section class="switch switch-off" aria-labelledby="beta">
    <div>
      <h2 id="beta">${mcp.title} <span class="badge">${mcp.off}</span></h2>
      <p>${mcp.whileOff(site.name)}</p>
      <p class="quiet">${sentences(site, [mcp.isBeta, !view.isEmpty && mcp.nothingDeleted])}</p>
    </div>
    <form method="post" action="/oauth/applications/beta">
      ${hidden('csrf_token', view.csrfToken)}${hidden('enabled', 'on')}
      <button class="button button-main" type="submit">${mcp.turnOn}</button>
    </form>
  </section>`
}

function empty(shown: Shown<ApplicationsView>): Html {
  const words = listWords(shown).empty
  return html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">${words.title}</h2>
    <p>${words.what}</p>
    <p class="quiet">${words.staff(shown.site.name)}</p>
    <a class="button button-main" href="${NEW}">${words.submit}</a>
  </section>`
}

function list(shown: Shown<ApplicationsView>): Html {
  const { view } = shown
  return html`<section class="applications" aria-labelledby="all">
    <h2 class="unseen" id="all">${listWords(shown).apps}</h2>
    ${views(shown)} ${aboutView(shown)} ${filterForm(shown)}
    ${
      view.applications.length === 0
        ? nothing(shown)
        : html`<ul class="rows">
            ${view.applications.map((application) => row(application, shown))}
          </ul>`
    }
    ${pager(view, (number) => listPath(view.filter, number), languageOf(shown.site))}
  </section>`
}

type Filter = ApplicationsView['filter']

/** Returns the path of the list with a filter. What is as usual is left out. */
const listPath = (
  { view = 'connected', search = '', kind = null, state = null, sort = 'newest' }: Partial<Filter>,
  page = 1,
): string =>
  pathWith('/oauth/applications', {
    view: view === 'connected' ? null : view,
    search,
    kind,
    state,
    sort: sort === 'newest' ? null : sort,
    page: page > 1 ? String(page) : null,
  })

function views(shown: Shown<ApplicationsView>): Html {
  const { filter, counts } = shown.view
  const words = listWords(shown)
  return html`<nav aria-label="${words.viewsLabel}">
    <ul class="tabs">
      ${(Object.keys(words.views) as readonly Filter['view'][]).map(
        (view) =>
          html`<li>
            <a
              href="${listPath({ ...filter, view })}"
              ${view === filter.view && html`aria-current="true"`}
              >${words.views[view]}
              <span class="muted">${countOf(counts[view], languageOf(shown.site))}</span></a
            >
          </li>`,
      )}
    </ul>
  </nav>`
}

function aboutView(shown: Shown<ApplicationsView>): Html | null {
  const { view } = shown.view.filter
  const { toReview, tried } = listWords(shown)
  const text = { connected: null, review: toReview, tried, all: null }[view]
  return text === null ? null : html`<p class="quiet">${text}</p>`
}

function nothing(shown: Shown<ApplicationsView>): Html {
  const { filter, counts } = shown.view
  const words = listWords(shown)
  const isFiltered = filter.search !== '' || filter.kind !== null || filter.state !== null
  return html`<p class="nothing">
    ${isFiltered ? words.noMatch : words.none}
    ${
      isFiltered && counts.all > counts[filter.view]
        ? html`<a href="${listPath({ ...filter, view: 'all' })}">${words.among(counts.all)}</a>`
        : html`<a href="${listPath({ view: 'all' })}">${words.showAll}</a>`
    }
  </p>`
}

function filterForm({ site, view: { filter } }: Shown<ApplicationsView>): Html {
  const { list: words, kinds, states } = wordsOf(site).applications
  const labels = words.filter
  const options = (named: Readonly<Record<string, string>>, chosen: string | null): Html =>
    html`<option value="">${labels.all}</option>
      ${choices(named, chosen)}`
  const choices = (named: Readonly<Record<string, string>>, chosen: string | null): Html =>
    html`${Object.entries(named).map(
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
      <label for="search">${labels.search}</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <div class="field">
      <label for="kind">${labels.kind}</label>
      <select id="kind" name="kind">
        ${options(kinds, filter.kind)}
      </select>
    </div>
    <div class="field">
      <label for="state">${labels.state}</label>
      <select id="state" name="state">
        ${options(states, filter.state)}
      </select>
    </div>
    <div class="field">
      <label for="sort">${labels.order}</label>
      <select id="sort" name="sort">
        ${choices(words.sorts, filter.sort)}
      </select>
    </div>
    <button class="button button-plain" type="submit">${labels.submit}</button>
  </form>`
}

function row(
  { clientId, name, kind, state, icon, people, lastUsedAt, scopes }: ApplicationRow,
  { site, view }: Shown<ApplicationsView>,
): Html {
  const language = languageOf(site)
  const { applications } = language.words
  const { connected, neverUsed, used } = applications.list
  return html`<li class="row">
    ${appIcon({ name, icon })}
    <div class="row-main">
      <a class="row-name" href="${applicationPath(clientId)}">${foreign(name)}</a>
      <span class="quiet">${applications.kinds[kind]}</span>
    </div>
    <div class="row-state">${stateBadge({ kind, state, enabled: view.enabled }, applications)}</div>
    <ul class="row-facts">
      <li>${connected(people)}</li>
      <li>${lastUsedAt === null ? neverUsed : used(ago(lastUsedAt, view, language))}</li>
      <li>${applications.permissions(scopes)}</li>
    </ul>
  </li>`
}
