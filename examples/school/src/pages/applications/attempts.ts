import type { AttemptOutcome } from 'hallpass/attempts'
import { accountPage } from '../account-layout.js'
import {
  attemptName,
  attemptPath,
  attemptSentence,
  attemptsPath,
  OUTCOME_WORDS,
  outcomeBadge,
  TURN_WORDS,
} from './attempt-words.js'
import type { AttemptRow, AttemptsView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { address, ago, hidden } from '../parts.js'

/** Renders the attempts of apps to connect to a school. */
export function attemptsPage({ site, view }: { site: Site; view: AttemptsView }): Html {
  const { clientId } = view.filter
  return accountPage({
    site,
    view,
    title: 'Connection attempts',
    here: 'applications',
    back:
      clientId === null
        ? { href: '/oauth/applications', label: 'OAuth applications' }
        : { href: applicationPath(clientId), label: 'Back to the app' },
    body: html`<div class="heading"><h1>Connection attempts</h1></div>
      <p class="lead">
        Each time an app tried to connect to ${site.name}, and what stopped it. They are kept for 30
        days.
      </p>
      ${isBlank(view) ? blank(site) : found(view)}`,
  })
}

/** Whether there is no attempt at all, whatever the filter. */
const isBlank = ({ filter, counts }: AttemptsView): boolean =>
  filter.search === '' &&
  filter.clientId === null &&
  Object.values(counts).every((count) => count === 0)

const blank = (site: Site): Html =>
  html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">No app has tried to connect</h2>
    <p>
      As soon as an app tries to connect to ${site.name}, you can see here how far it got. If
      someone says that an app doesn’t connect and it isn’t listed here, the app hasn’t reached this
      website.
    </p>
  </section>`

const found = (view: AttemptsView): Html =>
  html`<section class="applications" aria-labelledby="all">
    <h2 class="unseen" id="all">Attempts</h2>
    ${view.filter.clientId !== null && html`<p>Only attempts of ${address(view.filter.clientId)}. <a href="${attemptPath()}">Show all apps</a></p>`}
    ${searchForm(view)} ${outcomes(view)}
    ${
      view.attempts.length === 0
        ? html`<p class="nothing">
            No attempt matches. <a href="${attemptPath()}">Show all attempts</a>
          </p>`
        : html`<ul class="rows">
            ${view.attempts.map((attempt) => row(attempt, view))}
          </ul>`
    }
    ${view.next !== null && nextPage(view, view.next)}
  </section>`

const searchForm = ({ filter }: AttemptsView): Html =>
  html`<form class="filter filter-search" method="get" action="${attemptPath()}" role="search">
    ${hidden('client', filter.clientId)}${hidden('outcome', filter.outcome)}
    <div class="field">
      <label for="search">Attempt ID, app or client ID</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <button class="button button-plain" type="submit">Search</button>
  </form>`

function outcomes({ filter, counts }: AttemptsView): Html {
  const { search, clientId: client } = filter
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const link = (outcome: AttemptOutcome | null, label: string, count: number): Html =>
    html`<li>
      <a
        href="${attemptsPath({ search, client, outcome })}"
        ${outcome === filter.outcome && html`aria-current="true"`}
        >${label} <span class="muted">${count}</span></a
      >
    </li>`
  return html`<nav aria-label="Outcome">
    <ul class="tabs">
      ${link(null, 'All', total)}
      ${Object.entries(OUTCOME_WORDS).map(([outcome, label]) =>
        link(outcome as AttemptOutcome, label, counts[outcome as AttemptOutcome]),
      )}
    </ul>
  </nav>`
}

const row = (attempt: AttemptRow, view: AttemptsView): Html =>
  html`<li class="row row-attempt">
    <div class="row-main">
      <a class="row-name" href="${attemptPath(attempt.id)}">${attemptName(attempt)}</a>
      <p class="quiet">${attemptSentence(attempt.sentence, attempt.name)}</p>
    </div>
    <div class="row-state">${outcomeBadge(attempt.outcome)}</div>
    <ul class="row-facts">
      <li>${ago(attempt.startedAt, view)}</li>
      ${attempt.turn !== 'nobody' && html`<li>Turn: ${TURN_WORDS[attempt.turn]}</li>`}
    </ul>
  </li>`

const nextPage = ({ filter }: AttemptsView, next: string): Html =>
  html`<p class="more">
    <a
      class="button button-plain"
      href="${attemptsPath({
        search: filter.search,
        client: filter.clientId,
        outcome: filter.outcome,
        before: next,
      })}"
      >Next page</a
    >
  </p>`
