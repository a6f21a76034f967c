import type { AttemptOutcome } from 'hallpass/clients'
import { accountPage, type Shown } from '../account-layout.js'
import { attemptName, attemptSentence, attemptSummary, outcomeBadge } from './attempt-parts.js'
import { applicationPath, attemptPath, attemptsPath } from './paths.js'
import type { AttemptRow, AttemptsView } from './views.js'
import { type Html, html } from '../html.js'
import { address, ago, hidden } from '../parts.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders the attempts of apps to connect to a school. */
export function attemptsPage(shown: Shown<AttemptsView>): Html {
  const { site, view } = shown
  const { account, applications } = wordsOf(site)
  const { attempts, attempt: words } = applications
  const { clientId } = view.filter
  return accountPage({
    site,
    view,
    title: attempts,
    here: 'applications',
    back:
      clientId === null
        ? { href: '/oauth/applications', label: account.applications }
        : { href: applicationPath(clientId), label: words.toApp },
    body: html`<div class="heading"><h1>${attempts}</h1></div>
      <p class="lead">${words.lead(site.name)}</p>
      ${isBlank(view) ? blank(shown) : found(shown)}`,
  })
}

/** Whether there is no attempt at all, whatever the filter. */
const isBlank = ({ filter, counts }: AttemptsView): boolean =>
  filter.search === '' &&
  filter.clientId === null &&
  Object.values(counts).every((count) => count === 0)

function blank({ site }: Shown<AttemptsView>): Html {
  const { empty, emptyText } = wordsOf(site).applications.attempt
  return html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">${empty}</h2>
    <p>${emptyText(site.name)}</p>
  </section>`
}

function found(shown: Shown<AttemptsView>): Html {
  const { site, view } = shown
  const words = wordsOf(site).applications.attempt
  const { clientId } = view.filter
  return html`<section class="applications" aria-labelledby="all">
    <h2 class="unseen" id="all">${words.attempts}</h2>
    ${clientId !== null && html`<p>${words.onlyOf(address(clientId))} <a href="${attemptPath()}">${words.allApps}</a></p>`}
    ${searchForm(shown)} ${outcomes(shown)}
    ${
      view.attempts.length === 0
        ? html`<p class="nothing">
            ${words.noMatch} <a href="${attemptPath()}">${words.showAll}</a>
          </p>`
        : html`<ul class="rows">
            ${view.attempts.map((attempt) => row(attempt, shown))}
          </ul>`
    }
    ${view.next !== null && nextPage(shown, view.next)}
  </section>`
}

function searchForm({ site, view: { filter } }: Shown<AttemptsView>): Html {
  const { attempt, search } = wordsOf(site).applications
  return html`<form
    class="filter filter-search"
    method="get"
    action="${attemptPath()}"
    role="search"
  >
    ${hidden('client', filter.clientId)}${hidden('outcome', filter.outcome)}
    <div class="field">
      <label for="search">${attempt.search}</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <button class="button button-plain" type="submit">${search}</button>
  </form>`
}

function outcomes({ site, view: { filter, counts } }: Shown<AttemptsView>): Html {
  const language = languageOf(site)
  const words = language.words.applications.attempt
  const { search, clientId: client } = filter
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const link = (outcome: AttemptOutcome | null, label: string, count: number): Html =>
    html`<li>
      <a
        href="${attemptsPath({ search, client, outcome })}"
        ${outcome === filter.outcome && html`aria-current="true"`}
        >${label} <span class="muted">${countOf(count, language)}</span></a
      >
    </li>`
  return html`<nav aria-label="${words.outcome}">
    <ul class="tabs">
      ${link(null, words.all, total)}
      ${(Object.keys(words.outcomes) as AttemptOutcome[]).map((outcome) =>
        link(outcome, words.outcomes[outcome], counts[outcome]),
      )}
    </ul>
  </nav>`
}

function row(attempt: AttemptRow, { site, view }: Shown<AttemptsView>): Html {
  const language = languageOf(site)
  const { applications } = language.words
  const { turnOf, turns } = applications.attempt
  const summary = attemptSummary(attempt, applications)
  return html`<li class="row row-attempt">
    <div class="row-main">
      <a class="row-name" href="${attemptPath(attempt.id)}"
        >${attemptName(attempt, applications)}</a
      >
      ${summary !== null && html`<p>${summary}</p>`}
      <p class="quiet">${attemptSentence(attempt.sentence, attempt.name, language)}</p>
    </div>
    <div class="row-state">${outcomeBadge(attempt.outcome, applications)}</div>
    <ul class="row-facts">
      <li>${ago(attempt.startedAt, view, language)}</li>
      ${attempt.turn !== 'nobody' && html`<li>${turnOf(turns[attempt.turn])}</li>`}
    </ul>
  </li>`
}

function nextPage({ site, view: { filter } }: Shown<AttemptsView>, next: string): Html {
  const { search, clientId: client, outcome } = filter
  return html`<p class="more">
    <a class="button button-plain" href="${attemptsPath({ search, client, outcome, before: next })}"
      >${wordsOf(site).applications.nextPage}</a
    >
  </p>`
}
