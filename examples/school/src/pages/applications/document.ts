import type { ApplicationDetailView, DocumentFacts, ReviewChoice } from './views.js'
import { applicationPath } from './words.js'
import { ENTER_SENDS_NOTHING } from '../form-parts.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { ago, hidden, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'

/** What was fetched of a document app, and the form with which somebody reviews it. */
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
            <strong>It could not be fetched.</strong> ${document.fetchFault} What was fetched before
            counts for up to seven days.
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
    </section>
    ${view.actions.includes('review') && reviewForm({ site, view, document })}`

/** What a reviewer has to know before anything else; nothing when all is well. */
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
        somebody reviews it again it can look but change nothing, for those who are connected too.
      </p>`,
    )
  if (view.state === 'unreviewed')
    return notice(
      'warn',
      html`<p>
        <strong>Nobody at ${site.name} has reviewed it.</strong> People who connect it are told so,
        it is asked about every time, and it can look but change nothing.
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
    ${view.reviewFault !== null && notice('error', html`<p>${view.reviewFault}</p>`)}
    <p>
      Is it what it says, do the addresses belong to whoever publishes it, and does ${site.name}
      want it? Then tick what it may change. Looking is always included, within each person’s role;
      with nothing ticked it can only look.
    </p>
    <form class="stack" method="post" action="${applicationPath(view.clientId, 'review')}">
      ${ENTER_SENDS_NOTHING}
      ${hidden('csrf_token', view.csrfToken)}${hidden('digest', document.digest)}
      <fieldset class="group">
        <legend>What it may change</legend>
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
  marks: !withinRole && html`<span class="badge">Not with your role</span>`,
  note:
    !withinRole && html`<p class="quiet">Somebody whose role includes this has to allow it.</p>`,
})
