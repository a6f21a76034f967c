import type { AttemptStep } from 'hallpass/attempts'
import { accountPage } from '../account-layout.js'
import {
  attemptName,
  attemptPath,
  attemptSentence,
  attemptsPath,
  FAILED_WORDS,
  outcomeBadge,
  STAGE_WORDS,
  TURN_WORDS,
} from './attempt-words.js'
import type { AttemptView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { address, moment, notice, unseen } from '../parts.js'

/** Renders one attempt to connect: what stopped it, whose turn it is, what to change, and its steps. */
export const attemptPage = ({ site, view }: { site: Site; view: AttemptView }): Html =>
  accountPage({
    site,
    view,
    title: 'Connection attempt',
    here: 'applications',
    back: { href: attemptPath(), label: 'Connection attempts' },
    body: html`<div class="heading">
        <div>
          <h1>${attemptName(view)}</h1>
          <p class="quiet heading-kind">
            ${outcomeBadge(view.outcome)} ${moment(view.startedAt, view)}
          </p>
        </div>
      </div>
      ${verdict(view)}
      <div class="detail">
        <div class="detail-main">${timeline(view)}</div>
        <div>${facts(view)}</div>
      </div>`,
  })

const verdict = (view: AttemptView): Html =>
  notice(
    view.outcome === 'connected' ? 'done' : view.outcome === 'waiting' ? 'note' : 'warn',
    html`<p class="verdict">${attemptSentence(view.sentence, view.name)}</p>
      ${view.change !== null && html`<p><strong>What to change:</strong> ${attemptSentence(view.change, null)}</p>`}
      ${view.turn !== 'nobody' && html`<p><strong>Whose turn it is:</strong> ${TURN_WORDS[view.turn]}</p>`}`,
  )

const timeline = (view: AttemptView): Html =>
  html`<section class="section" aria-labelledby="steps">
    <h2 id="steps">What happened</h2>
    <ol class="log">
      ${view.steps.map((step) => entry(step, view))}
    </ol>
  </section>`

const entry = (
  { at, stage, ok, error, reason, requestId, detail }: AttemptStep,
  view: AttemptView,
): Html =>
  html`<li class="${ok ? 'happened' : 'happened happened-failed'}">
    <span class="log-when">${moment(at, view)}</span>
    <span>
      ${ok ? unseen('Done: ') : unseen('Failed: ')}${ok ? STAGE_WORDS[stage] : FAILED_WORDS[stage]}
      ${
        reason !== null &&
        html`<span class="quiet"
          >${address(error === null ? reason : `${error} / ${reason}`)}</span
        >`
      }
      ${detail !== null && html`<span class="quiet">${foreign(detail)}</span>`}
      ${!ok && requestId !== null && html`<span class="quiet">Request ID ${address(requestId)}</span>`}
    </span>
  </li>`

const facts = (view: AttemptView): Html =>
  html`<section class="panel" aria-labelledby="facts">
    <h2 id="facts">About this attempt</h2>
    <dl class="facts">
      <div>
        <dt>Attempt ID</dt>
        <dd>${address(view.id)}</dd>
      </div>
      ${
        view.clientId !== null &&
        html`<div>
          <dt>Client ID</dt>
          <dd>${address(view.clientId)}</dd>
          ${view.isKnown && html`<dd><a href="${applicationPath(view.clientId)}">Open the app</a></dd>`}
          <dd><a href="${attemptsPath({ client: view.clientId })}">All attempts of this app</a></dd>
        </div>`
      }
      ${
        view.scopes.length > 0 &&
        html`<div>
          <dt>Permissions it asked for</dt>
          ${view.scopes.map((scope) => html`<dd>${address(scope)}</dd>`)}
        </div>`
      }
      ${
        view.resource !== null &&
        html`<div>
          <dt>Address it connects to</dt>
          <dd>${address(view.resource)}</dd>
        </div>`
      }
    </dl>
  </section>`
