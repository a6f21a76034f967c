import { accountPage } from '../account-layout.js'
import { appIcon } from './icons.js'
import { documentSection, documentWarning } from './document.js'
import { peopleSection } from './people.js'
import { secretSection } from './secret.js'
import { switchSection } from './switches.js'
import type { ApplicationDetailView, ApplicationDone } from './views.js'
import { activityList, applicationPath, KIND_WORDS, stateBadge } from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { address, ago, appName, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'

/** One application: what it is, who connected it, and what can be done to it. */
export function applicationDetailPage({
  site,
  view,
}: {
  site: Site
  view: ApplicationDetailView
}): Html {
  const { name, icon, kind, document, description } = view
  return accountPage({
    site,
    view,
    title: name,
    here: 'applications',
    back: { href: '/oauth/applications', label: 'OAuth applications' },
    body: html`<div class="heading">
        <div class="heading-name">
          ${appIcon({ name, icon })}
          <div>
            <h1>${appName(name)}</h1>
            <p class="quiet heading-kind">${KIND_WORDS[kind]} ${stateBadge(view)}</p>
          </div>
        </div>
        ${
          view.actions.includes('edit') &&
          html`<a class="button button-plain" href="${applicationPath(view.clientId, 'edit')}"
            >Edit</a
          >`
        }
      </div>
      ${news(view)} ${document !== null && documentWarning({ site, view, document })}
      <div class="detail">
        <div class="detail-main">
          ${description !== null && html`<p class="lead">${foreign(description)}</p>`}
          ${factsSection(view)} ${document !== null && documentSection({ site, view, document })}
          ${peopleSection(view)} ${logSection(view)}
        </div>
        <div>${scopeSection(view)} ${secretSection(view)} ${switchSection(view)}</div>
      </div>`,
  })
}

const DONE: Readonly<Record<ApplicationDone, string>> = {
  saved: 'Saved. It counts from now on, also for people who are connected.',
  old_secret_ended: 'The old secret no longer works.',
  disabled: 'Switched off. It no longer works for anybody.',
  enabled: 'Switched on. It works again for everybody who is connected.',
  disconnected: 'Disconnected. What it held no longer works.',
  all_disconnected: 'Everybody is disconnected. What it held no longer works.',
  reviewed: 'Reviewed. People see that somebody at the school has looked at it.',
  blocked: 'Blocked. Everybody is disconnected, and nobody can connect it.',
  unblocked: 'Unblocked. People can connect it again.',
  fetched: 'Fetched again just now.',
}

const news = (view: ApplicationDetailView): Html =>
  html`${view.done !== null && notice('done', html`<p>${DONE[view.done]}</p>`)}
  ${
    view.kind === 'member' &&
    !view.enabled &&
    notice(
      'warn',
      html`<p>
        <strong>MCP connections are off</strong>, so member apps do not work.
        <a href="/oauth/applications">Switch them on</a>
      </p>`,
    )
  }`

const factsSection = (view: ApplicationDetailView): Html =>
  html`<dl class="facts facts-row">
    <div class="facts-all">
      <dt>${view.kind === 'document' ? 'Document, which is also its client ID' : 'Client ID'}</dt>
      <dd>${address(view.clientId)}</dd>
    </div>
    <div class="facts-all">
      <dt>Answers go to</dt>
      ${view.redirectUris.map((uri) => html`<dd>${address(uri)}</dd>`)}
    </div>
    <div>
      <dt>Proves itself</dt>
      <dd>
        ${view.authMethod === 'none' ? 'Without a secret (public)' : 'With a secret (confidential)'}
      </dd>
    </div>
    <div>
      <dt>Last used</dt>
      <dd>${view.lastUsedAt === null ? 'Never' : ago(view.lastUsedAt, view)}</dd>
    </div>
    ${
      view.createdAt !== null &&
      html`<div>
        <dt>${view.kind === 'member' ? 'Set up' : 'First seen'}</dt>
        <dd>${moment(view.createdAt, view)}</dd>
      </div>`
    }
  </dl>`

const scopeSection = ({ scopes, kind }: ApplicationDetailView): Html =>
  html`<section class="panel" aria-labelledby="may">
    <h2 id="may">What it may ask for</h2>
    <p class="quiet">
      ${
        kind === 'member'
          ? 'Each member decides, for their own account.'
          : 'Each person decides, and never gives more than their role has.'
      }
    </p>
    ${
      scopes.length > 8
        ? html`<details>
            <summary>Show all ${scopes.length}</summary>
            ${scopeGroups(scopes)}
          </details>`
        : scopeGroups(scopes)
    }
  </section>`

const logSection = (view: ApplicationDetailView): Html =>
  html`<section class="section" aria-labelledby="log">
    <h2 id="log">Activity</h2>
    ${
      view.log.length === 0
        ? html`<p class="nothing">Nothing has happened yet.</p>`
        : activityList(view.log, view)
    }
  </section>`
