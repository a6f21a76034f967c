import type { DocumentDifference } from 'hallpass/clients'
import type { ApplicationDetailView, DocumentFacts, ReviewChoice } from './views.js'
import { applicationPath } from './words.js'
import { ENTER_SENDS_NOTHING } from '../form-parts.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { address, ago, hidden, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'

/** Renders the fetched document of an app, and the form to review it. */
export const documentSection = ({
  site,
  view,
  document,
}: {
  site: Site
  view: ApplicationDetailView
  document: DocumentFacts
}): Html =>
  html`<section class="section" aria-labelledby="document">
      <div class="heading">
        <h2 id="document">Its document</h2>
        ${
          view.actions.includes('fetch') &&
          html`<form method="post" action="${applicationPath(view.clientId, 'fetch')}">
            ${hidden('csrf_token', view.csrfToken)}
            <button class="button button-plain button-small" type="submit">Fetch again</button>
          </form>`
        }
      </div>
      ${
        document.fetchFault !== null &&
        notice(
          'error',
          html`<p>
            <strong>We couldn’t fetch it.</strong> ${document.fetchFault} We keep using the last
            copy for up to seven days.
          </p>`,
        )
      }
      <dl class="facts facts-row">
        <div>
          <dt>Fetched</dt>
          <dd>${ago(document.fetchedAt, view)}</dd>
        </div>
        <div>
          <dt>${document.freshUntil <= view.now ? 'Was fresh until' : 'Fresh until'}</dt>
          <dd>${moment(document.freshUntil, view)}</dd>
        </div>
        <div>
          <dt>First seen</dt>
          <dd>${moment(document.firstSeenAt, view)}</dd>
        </div>
        <div>
          <dt>Reviewed</dt>
          <dd>${document.reviewedAt === null ? 'Never' : moment(document.reviewedAt, view)}</dd>
        </div>
      </dl>
      <details>
        <summary>Show the document as we keep it</summary>
        <pre class="kept">${linesOf(document.kept)}</pre>
      </details>
    </section>
    ${differencesSection(document)}
    ${view.actions.includes('review') && reviewForm({ site, view, document })}`

/** Renders lines of JSON. A line break within a value is escaped, so each break ends a line. */
const linesOf = (json: string): readonly Html[] =>
  json.split('\n').map((line) => html`<code>${line}</code>`)

const MEMBERS: Readonly<Record<DocumentDifference['member'], string>> = {
  client_name: 'Name',
  redirect_uris: 'Redirect addresses',
  client_uri: 'Website',
  policy_uri: 'Privacy policy',
  tos_uri: 'Terms',
  logo_uri: 'Logo',
}

/** Renders what changed since the review, or nothing. */
const differencesSection = ({ differences }: DocumentFacts): Html | null =>
  differences.length === 0
    ? null
    : html`<section class="section" aria-labelledby="differences">
        <h2 id="differences">What changed since the review</h2>
        <dl class="facts">
          ${differences.map(
            ({ member, removed, added }) =>
              html`<div>
                <dt>${MEMBERS[member]}</dt>
                ${removed.map((value) => html`<dd class="was">Was: ${address(value)}</dd>`)}
                ${added.map((value) => html`<dd>Now: ${address(value)}</dd>`)}
              </div>`,
          )}
        </dl>
      </section>`

/** Renders the warning that a reviewer must see first, or nothing if there is no reason for one. */
export function documentWarning({
  site,
  view,
  document,
}: {
  site: Site
  view: ApplicationDetailView
  document: DocumentFacts
}): Html | null {
  if (document.changedAt !== null)
    return notice(
      'warn',
      html`<p>
        <strong>It changed ${ago(document.changedAt, view)}, after its review.</strong> Until
        someone reviews it again, it can see things but not change them. This also applies to people
        who are already connected.
      </p>`,
    )
  if (view.state === 'unreviewed')
    return notice(
      'warn',
      html`<p>
        <strong>No one at ${site.name} has reviewed it.</strong> People who connect it see a
        warning, and are asked every time. It can see things, but not change them.
      </p>`,
    )
  return null
}

const reviewForm = ({
  site,
  view,
  document,
}: {
  site: Site
  view: ApplicationDetailView
  document: DocumentFacts
}): Html =>
  html`<section class="section" aria-labelledby="review">
    <h2 id="review">Review</h2>
    ${view.reviewFault !== null && notice('error', html`<p><strong>Nothing was saved.</strong> ${view.reviewFault}</p>`)}
    <p>
      Check that the app is what it says it is, that its addresses belong to its publisher, and that
      ${site.name} wants it. Then tick what it can change. It can always see what each person’s role
      allows. If you tick nothing, it can’t change anything.
    </p>
    <form class="stack" method="post" action="${applicationPath(view.clientId, 'review')}">
      ${ENTER_SENDS_NOTHING}
      ${hidden('csrf_token', view.csrfToken)}${hidden('digest', document.digest)}
      <fieldset class="group">
        <legend>What it can change</legend>
        ${scopeGroups(view.review, tickOf)}
      </fieldset>
      <div class="send">
        <button class="button button-main" type="submit">
          ${view.state === 'reviewed' ? 'Save the review' : 'Mark as reviewed'}
        </button>
      </div>
    </form>
  </section>`

const tickOf = ({ allowed, withinRole }: ReviewChoice) => ({
  tick: { checked: allowed, disabled: !withinRole },
  changes: false,
  marks: !withinRole && html`<span class="badge">Not in your role</span>`,
  note: !withinRole && html`<p class="quiet">Someone whose role includes this has to allow it.</p>`,
})
