import type { Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import type { ApplicationDetailView, DocumentFacts, ReviewChoice } from './views.js'
import { ENTER_SENDS_NOTHING } from '../form-parts.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { address, ago, hidden, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'
import { languageOf, wordsOf } from '../words/languages.js'

interface ShownDocument extends Shown<ApplicationDetailView> {
  readonly document: DocumentFacts
}

/** Renders the fetched document of an app, and the form to review it. */
export function documentSection(shown: ShownDocument): Html {
  const { site, view, document } = shown
  const language = languageOf(site)
  const { document: words, detail, never } = language.words.applications
  return html`<section class="section" aria-labelledby="document">
      <div class="heading">
        <h2 id="document">${words.title}</h2>
        ${
          view.actions.includes('fetch') &&
          html`<form method="post" action="${applicationPath(view.clientId, 'fetch')}">
            ${hidden('csrf_token', view.csrfToken)}
            <button class="button button-plain button-small" type="submit">${words.fetch}</button>
          </form>`
        }
      </div>
      ${
        document.fetchFault !== null &&
        notice('error', html`<p>${words.notFetched(document.fetchFault)}</p>`)
      }
      <dl class="facts facts-row">
        <div>
          <dt>${words.fetched}</dt>
          <dd>${ago(document.fetchedAt, view, language)}</dd>
        </div>
        <div>
          <dt>${document.freshUntil <= view.now ? words.wasFreshUntil : words.freshUntil}</dt>
          <dd>${moment(document.freshUntil, view, language)}</dd>
        </div>
        <div>
          <dt>${detail.firstSeen}</dt>
          <dd>${moment(document.firstSeenAt, view, language)}</dd>
        </div>
        <div>
          <dt>${words.reviewed}</dt>
          <dd>
            ${document.reviewedAt === null ? never : moment(document.reviewedAt, view, language)}
          </dd>
        </div>
      </dl>
      <details>
        <summary>${words.show}</summary>
        <pre class="kept">${linesOf(document.kept)}</pre>
      </details>
    </section>
    ${differencesSection(shown)} ${view.actions.includes('review') && reviewForm(shown)}`
}

/** Renders lines of JSON. A line break within a value is escaped, so each break ends a line. */
const linesOf = (json: string): readonly Html[] =>
  json.split('\n').map((line) => html`<code>${line}</code>`)

/** Renders what changed since the review, or nothing. */
function differencesSection({ site, document: { differences } }: ShownDocument): Html | null {
  if (differences.length === 0) return null
  const { document: words, members } = wordsOf(site).applications
  return html`<section class="section" aria-labelledby="differences">
    <h2 id="differences">${words.differences}</h2>
    <dl class="facts">
      ${differences.map(
        ({ member, removed, added }) =>
          html`<div>
            <dt>${members[member]}</dt>
            ${removed.map((value) => html`<dd class="was">${words.was(address(value))}</dd>`)}
            ${added.map((value) => html`<dd>${words.now(address(value))}</dd>`)}
          </div>`,
      )}
    </dl>
  </section>`
}

/** Renders the warning that a reviewer must see first, or nothing if there is no reason for one. */
export function documentWarning({ site, view, document }: ShownDocument): Html | null {
  const language = languageOf(site)
  const { changed, unreviewed } = language.words.applications.document
  if (document.changedAt !== null)
    return notice('warn', html`<p>${changed(ago(document.changedAt, view, language))}</p>`)
  if (view.state === 'unreviewed') return notice('warn', html`<p>${unreviewed(site.name)}</p>`)
  return null
}

function reviewForm({ site, view, document }: ShownDocument): Html {
  const words = wordsOf(site).applications.document
  return html`<section class="section" aria-labelledby="review">
    <h2 id="review">${words.review}</h2>
    ${view.reviewFault !== null && notice('error', html`<p>${words.notSaved(view.reviewFault)}</p>`)}
    <p>${words.check(site.name)}</p>
    <form class="stack" method="post" action="${applicationPath(view.clientId, 'review')}">
      ${ENTER_SENDS_NOTHING}
      ${hidden('csrf_token', view.csrfToken)}${hidden('digest', document.digest)}
      <fieldset class="group">
        <legend>${words.changes}</legend>
        ${scopeGroups(view.review, tickOf(site), site)}
      </fieldset>
      <div class="send">
        <button class="button button-main" type="submit">
          ${view.state === 'reviewed' ? words.save : words.submit}
        </button>
      </div>
    </form>
  </section>`
}

function tickOf(site: Site) {
  const { notInRole, notInRoleWhy } = wordsOf(site).applications.document
  return ({ allowed, withinRole }: ReviewChoice) => ({
    tick: { checked: allowed, disabled: !withinRole },
    changes: false,
    marks: !withinRole && html`<span class="badge">${notInRole}</span>`,
    note: !withinRole && html`<p class="quiet">${notInRoleWhy}</p>`,
  })
}
