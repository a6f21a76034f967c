import { accountPage, type Shown } from '../account-layout.js'
import { attemptName, attemptSentence, attemptSummary, outcomeBadge } from './attempt-parts.js'
import { applicationPath, attemptPath, attemptsPath } from './paths.js'
import type { AttemptView } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { address, code, moment, notice, sentences, unseen } from '../parts.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders one attempt to connect: what stopped it, whose turn it is, what to change, and its steps. */
export function attemptPage(shown: Shown<AttemptView>): Html {
  const { site, view } = shown
  const language = languageOf(site)
  const { applications } = language.words
  return accountPage({
    site,
    view,
    title: applications.attempt.title,
    here: 'applications',
    back: { href: attemptPath(), label: applications.attempts },
    body: html`<div class="heading">
        <div>
          <h1>${attemptName(view, applications)}</h1>
          <p class="quiet heading-kind">
            ${outcomeBadge(view.outcome, applications)} ${moment(view.startedAt, view, language)}
          </p>
        </div>
      </div>
      ${verdict(shown)}
      <div class="detail">
        <div class="detail-main">${timeline(shown)}</div>
        <div>${facts(shown)}</div>
      </div>`,
  })
}

function verdict({ site, view }: Shown<AttemptView>): Html {
  const language = languageOf(site)
  const words = language.words.applications.attempt
  const summary = attemptSummary(view, language.words.applications)
  return notice(
    view.outcome === 'connected' ? 'done' : view.outcome === 'waiting' ? 'note' : 'warn',
    html`${summary !== null && html`<p class="verdict">${summary}</p>`}
      <p ${summary === null && html`class="verdict"`}>
        ${attemptSentence(view.sentence, view.name, language)}
      </p>
      ${view.change !== null && html`<p><strong>${words.change}</strong> ${attemptSentence(view.change, null, language)}</p>`}
      ${view.turn !== 'nobody' && html`<p>${sentences(site, [html`<strong>${words.turn}</strong>`, words.turns[view.turn]])}</p>`}`,
  )
}

const timeline = (shown: Shown<AttemptView>): Html =>
  html`<section class="section" aria-labelledby="steps">
    <h2 id="steps">${wordsOf(shown.site).applications.attempt.steps}</h2>
    <ol class="log">
      ${shown.view.steps.map((step) => entry(step, shown))}
    </ol>
  </section>`

function entry(
  { at, stage, ok, error, reason, requestId, detail, url }: AttemptView['steps'][number],
  { site, view }: Shown<AttemptView>,
): Html {
  const language = languageOf(site)
  const words = language.words.applications.attempt
  return html`<li class="${ok ? 'happened' : 'happened happened-failed'}">
    <span class="log-when">${moment(at, view, language)}</span>
    <span>
      ${unseen(ok ? words.done : words.failed)}${ok ? words.stages[stage] : words.failures[stage]}
      ${
        reason !== null &&
        html`<span class="quiet"
          >${code(error === null ? reason : `${error} / ${reason}`, url)}</span
        >`
      }
      ${detail !== null && html`<span class="quiet">${foreign(detail)}</span>`}
      ${!ok && requestId !== null && html`<span class="quiet">${words.requestId} ${address(requestId)}</span>`}
    </span>
  </li>`
}

function facts({ site, view }: Shown<AttemptView>): Html {
  const { attempt: words, clientId } = wordsOf(site).applications
  return html`<section class="panel" aria-labelledby="facts">
    <h2 id="facts">${words.about}</h2>
    <dl class="facts">
      <div>
        <dt>${words.id}</dt>
        <dd>${address(view.id)}</dd>
      </div>
      ${
        view.clientId !== null &&
        html`<div>
          <dt>${clientId}</dt>
          <dd>${address(view.clientId)}</dd>
          ${view.isKnown && html`<dd><a href="${applicationPath(view.clientId)}">${words.open}</a></dd>`}
          <dd><a href="${attemptsPath({ client: view.clientId })}">${words.ofApp}</a></dd>
        </div>`
      }
      ${
        view.scopes.length > 0 &&
        html`<div>
          <dt>${words.scopes}</dt>
          ${view.scopes.map((scope) => html`<dd>${address(scope)}</dd>`)}
        </div>`
      }
      ${
        view.resource !== null &&
        html`<div>
          <dt>${words.resource}</dt>
          <dd>${address(view.resource)}</dd>
        </div>`
      }
    </dl>
  </section>`
}
